// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The trace agent's protocol: encode events and decode acknowledgements.
 *
 * All numbers are big-endian.  A message begins with a header of three words: total length, type,
 * process.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "pdu.h"

#define TYPE_ACK	0x7050
#define TYPE_DATA	0x7051
#define VERSION		1
#define FLAG_SYNC	0x80
#define TAG_AT		24	/* offset of the tag in a DATA */
#define FILLER		'~'

/*
 * The agent reads an asynchronous stream 1024 bytes at a time, and closes the connection if a read
 * ends within a header.  If all sizes are multiples of 64, which divides 1024, no header crosses
 * such a boundary.
 */
#define ASYNC_UNIT	64

static void put_word(unsigned char *to, uint32_t word)
{
	word = htobe32(word);
	memcpy(to, &word, sizeof(word));
}

static uint32_t get_word(const unsigned char *from)
{
	uint32_t word;

	memcpy(&word, from, sizeof(word));
	return be32toh(word);
}

static void put_double(unsigned char *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = htobe64(bits);
	memcpy(to, &bits, sizeof(bits));
}

static size_t round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/**
 * shim_pdu__encode() - encode an event
 * @bytes: filled in
 * @event: the event
 *
 * Return: the number of bytes.
 */
size_t shim_pdu__encode(unsigned char bytes[SHIM_PDU_MAX_SIZE], const struct shim_pdu_event *event)
{
	size_t tag_size = event->tag_len + 1;
	size_t size = round_up(TAG_AT + tag_size, event->sync ? 4 : ASYNC_UNIT);

	put_word(bytes, size);
	put_word(bytes + 4, TYPE_DATA);
	put_word(bytes + 8, event->pid);
	bytes[12] = VERSION;
	bytes[13] = tag_size;
	bytes[14] = event->kind;
	bytes[15] = event->sync ? FLAG_SYNC : 0;
	put_double(bytes + 16, event->value);
	memcpy(bytes + TAG_AT, event->tag, event->tag_len);
	bytes[TAG_AT + event->tag_len] = '\0';
	memset(bytes + TAG_AT + tag_size, FILLER, size - TAG_AT - tag_size);
	return size;
}

/**
 * shim_pdu__decode_ack() - decode an acknowledgement
 * @bytes: the bytes from the agent
 * @value: the version (greeting), the kind of event, or a negative PMTRACE_ERR_*
 *
 * Return: 0, or -EPROTO if it is not an acknowledgement.
 */
int shim_pdu__decode_ack(const unsigned char bytes[SHIM_PDU_ACK_SIZE], int32_t *value)
{
	if (get_word(bytes) != SHIM_PDU_ACK_SIZE || get_word(bytes + 4) != TYPE_ACK)
		return -EPROTO;
	*value = (int32_t)get_word(bytes + 12);
	return 0;
}
