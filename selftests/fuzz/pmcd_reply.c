// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz with libFuzzer: pmcd sends arbitrary replies in arbitrary pieces.
 *
 * The input is the byte stream of the connection.  Each complete PDU is passed to every decoder of
 * replies, and a decoded PDU is read to its end, as in host contexts.  The test checks that nothing
 * is read beyond the end, that counts match the decoder's results, and that the connection does not
 * use more memory than the received data need.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "pdu/pdu.h"
#include "pdu/wire.h"

#define PDUS		64
#define METRICS		4

static struct world {
	const uint8_t *data;
	size_t size, at;
	unsigned int pieces;
} world;

static volatile uint8_t touched;

static void check(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "pmcd_reply: %s\n", what);
	abort();
}

/* Replace recv(2): deliver the next bytes of the input, in pieces. */
ssize_t fuzz_recv(int fd, void *to, size_t size, int flags);
ssize_t fuzz_recv(int fd, void *to, size_t size, int flags)
{
	size_t left = world.size - world.at, n = world.pieces ? world.pieces : size;

	(void)fd;
	if (flags & MSG_PEEK) {
		errno = EAGAIN;
		return -1;
	}
	n = n < size ? n : size;
	n = n < left ? n : left;
	memcpy(to, world.data + world.at, n);
	world.at += n;
	return n;
}

/* Read every byte, so that the sanitizers detect an invalid range. */
static void touch(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;

	for (size_t i = 0; i < len; i++)
		touched ^= p[i];
}

static void touch_string(const struct shim_pdu_string *string)
{
	if (string->len)
		touch(string->s, string->len);
}

static void try_result(struct shim_pdu pdu, uint32_t n, const uint32_t *pmids)
{
	struct shim_pdu_result result;
	struct shim_pdu_value value;
	struct shim_pdu_vset vset;
	uint32_t values, blocks;

	if (shim_pdu_result__decode(&pdu, n, pmids, &result))
		return;
	check(result.n == n, "a result with the wrong number of metrics");
	values = result.values;
	blocks = result.blocks;
	for (uint32_t i = 0; i < n; i++) {
		shim_pdu_result__vset(&pdu, &vset);
		check(vset.pmid == pmids[i], "a result of another metric");
		for (int32_t j = 0; j < vset.numval; j++, values--) {
			shim_pdu_result__value(&pdu, &result, &vset, &value);
			if (!vset.valfmt)
				continue;
			blocks--;
			touch(value.bytes, value.len);
		}
	}
	check(!pdu.in.bad, "an incomplete result");
	check(!values && !blocks && result.next_block == pdu.len, "a result with a wrong number of values");
}

static void try_instances(struct shim_pdu pdu)
{
	struct shim_pdu_instance instance;
	size_t bytes, sum = 0;
	uint32_t n;

	if (shim_pdu_instance__decode(&pdu, &n, &bytes))
		return;
	for (uint32_t i = 0; i < n; i++) {
		shim_pdu_instance__next(&pdu, &instance);
		touch_string(&instance.name);
		sum += instance.name.len;
	}
	check(!pdu.in.bad && sum == bytes, "instances whose names have the wrong length");
}

static void try_names(struct shim_pdu pdu)
{
	struct shim_pdu_names names;
	struct shim_pdu_string name;
	size_t sum = 0;
	bool leaf;

	if (shim_pdu_names__decode(&pdu, &names))
		return;
	for (uint32_t i = 0; i < names.n; i++) {
		shim_pdu_names__next(&pdu, &names, &name, &leaf);
		touch_string(&name);
		sum += name.len;
	}
	check(!pdu.in.bad && sum == names.bytes, "names of the wrong length");
}

static void try_labels(struct shim_pdu pdu, uint32_t type)
{
	struct shim_pdu_labelset set;
	uint32_t n;

	if (shim_pdu_label__decode(&pdu, type, &n))
		return;
	for (uint32_t i = 0; i < n; i++) {
		shim_pdu_label__next(&pdu, &set);
		for (int32_t j = 0; j < set.nlabels; j++) {
			struct shim_pdu_label label = shim_pdu_labelset__at(&set, j);

			check(label.name + (uint64_t)label.namelen <= set.jsonlen &&
			      label.value + (uint64_t)label.valuelen <= set.jsonlen,
			      "a label outside its text");
			touch(set.json + label.name, label.namelen);
			touch(set.json + label.value, label.valuelen);
		}
	}
}

static void try_descs(struct shim_pdu pdu, uint32_t n, const uint32_t *pmids)
{
	struct shim_pdu copy = pdu;
	struct shim_pdu_desc desc;

	if (!shim_pdu_desc__decode(&copy, pmids[0], &desc))
		check(desc.pmid == pmids[0], "another metric's descriptor");
	if (shim_pdu_descs__decode(&pdu, n, pmids))
		return;
	for (uint32_t i = 0; i < n; i++)
		shim_pdu_descs__next(&pdu, &desc);
	check(!pdu.in.bad, "incomplete descriptors");
}

static void try_others(const struct shim_pdu *pdu)
{
	struct shim_pdu_string text;
	unsigned int version;
	uint32_t features, ids[METRICS];
	struct shim_pdu copy;
	int32_t code;

	copy = *pdu;
	if (!shim_pdu_text__decode(&copy, &text))
		touch_string(&text);
	copy = *pdu;
	shim_pdu_error__decode(&copy, &code);
	copy = *pdu;
	shim_pdu_error__decode_status(&copy, &code);
	copy = *pdu;
	shim_pdu_error__decode_greeting(&copy, &code, &version, &features);
	for (uint32_t n = 1; n <= METRICS; n++) {
		copy = *pdu;
		shim_pdu_ids__decode(&copy, n, ids);
	}
}

static void try_all(const struct shim_pdu *pdu)
{
	static const uint32_t pmids[METRICS] = { 0x1340001, 0x1340002, 0x1340003, 0x1340004 };

	for (uint32_t n = 1; n <= METRICS; n++) {
		try_result(*pdu, n, pmids);
		try_descs(*pdu, n, pmids);
	}
	try_instances(*pdu);
	try_names(*pdu);
	for (uint32_t type = 1; type <= 32; type *= 2)
		try_labels(*pdu, type);
	try_others(pdu);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char line[SHIM_WIRE_LINE_MAX];
	struct shim_wire wire;
	struct shim_pdu pdu;

	if (size < 2)
		return 0;
	world = (struct world) { .data = data, .size = size, .at = 1, .pieces = data[0] % 32 };
	shim_wire__init(&wire);
	wire.fd.nr = 77;
	shim_wire__start(&wire, 1000000000);
	if (data[0] & 32 && !shim_wire__receive_line(&wire, line))
		check(strlen(line) < sizeof(line), "a line without an end");
	for (int i = 0; i < PDUS && !shim_wire__receive(&wire, &pdu); i++) {
		check(pdu.len >= SHIM_PDU_HEADER && pdu.len <= size, "a PDU longer than the data");
		try_all(&pdu);
	}
	check(wire.in_room <= 2 * size + 131072, "more memory than the received data need");
	wire.fd.nr = -1;	/* no file has this number */
	shim_wire__fini(&wire);
	return 0;
}
