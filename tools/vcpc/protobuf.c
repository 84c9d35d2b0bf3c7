// SPDX-License-Identifier: GPL-2.0-or-later
/* Write messages in the encoding of Protocol Buffers. */
#include <stdlib.h>
#include <string.h>

#include "protobuf.h"
#include "utf8.h"

#define VARINT_MAX	10	/* bytes */

/* The encoding of a field's value */
enum wire { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2 };

void protobuf_clear(struct protobuf *m)
{
	m->len = 0;
	m->failed = false;
}

void protobuf_free(struct protobuf *m)
{
	free(m->data);
	*m = (struct protobuf){ 0 };
}

/* Allocate space for @len more bytes. */
static bool protobuf_reserve(struct protobuf *m, size_t len)
{
	size_t room = m->room ? m->room : 64;
	unsigned char *data;

	if (m->failed || len > SIZE_MAX / 4) {
		m->failed = true;
		return false;
	}
	while (room - m->len < len)
		room *= 2;
	if (room == m->room)
		return true;
	data = realloc(m->data, room);
	m->failed = !data;
	if (!data)
		return false;
	m->data = data;
	m->room = room;
	return true;
}

static void put_varint(struct protobuf *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		m->data[m->len++] = (unsigned char)(value | 0x80);
	m->data[m->len++] = (unsigned char)value;
}

/* Begin a field, and allocate space for @len bytes after the number. */
static bool begin(struct protobuf *m, unsigned int field, enum wire wire, size_t len)
{
	if (!protobuf_reserve(m, VARINT_MAX + len))
		return false;
	put_varint(m, (uint64_t)field << 3 | wire);
	return true;
}

void protobuf_uint(struct protobuf *m, unsigned int field, uint64_t value)
{
	if (begin(m, field, WIRE_VARINT, VARINT_MAX))
		put_varint(m, value);
}

void protobuf_double(struct protobuf *m, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	if (!begin(m, field, WIRE_64, sizeof(bits)))
		return;
	for (int i = 0; i < 64; i += 8)
		m->data[m->len++] = (unsigned char)(bits >> i);
}

/* Copy a text, or only compute its length if @to is NULL. */
static size_t copy_text(unsigned char *to, const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t len = 0;

	while (*s) {
		int n = vcpc_utf8(s);

		if (to && n)
			memcpy(to + len, s, (size_t)n);
		else if (to)
			memcpy(to + len, (const unsigned char[]){ 0xc0 | *s >> 6, 0x80 | (*s & 0x3f) }, 2);
		len += n ? (size_t)n : 2;
		s += n ? n : 1;
	}
	return len;
}

void protobuf_text(struct protobuf *m, unsigned int field, const char *text)
{
	size_t len = copy_text(NULL, text);

	if (!begin(m, field, WIRE_BYTES, VARINT_MAX + len))
		return;
	put_varint(m, len);
	m->len += copy_text(m->data + m->len, text);
}

void protobuf_message(struct protobuf *m, unsigned int field, const struct protobuf *inner)
{
	if (inner->failed) {
		m->failed = true;
		return;
	}
	if (!begin(m, field, WIRE_BYTES, VARINT_MAX + inner->len))
		return;
	put_varint(m, inner->len);
	if (inner->len)
		memcpy(m->data + m->len, inner->data, inner->len);
	m->len += inner->len;
}
