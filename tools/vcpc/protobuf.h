/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write messages in the encoding of Protocol Buffers. */
#ifndef VCPC_PROTOBUF_H
#define VCPC_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct protobuf - a message; empty if zero-initialized
 * @data: the bytes
 * @len: number of bytes
 * @room: the size of the buffer
 * @failed: a field was omitted because there was no memory
 */
struct protobuf {
	unsigned char *data;
	size_t len, room;
	bool failed;
};

/* Empty a message, and keep its buffer. */
void protobuf_clear(struct protobuf *m);
void protobuf_free(struct protobuf *m);

/* Append a field with this number. */
void protobuf_uint(struct protobuf *m, unsigned int field, uint64_t value);
void protobuf_double(struct protobuf *m, unsigned int field, double value);
/* A text must be UTF-8.  Bytes that are not UTF-8 are treated as Latin-1. */
void protobuf_text(struct protobuf *m, unsigned int field, const char *text);
void protobuf_message(struct protobuf *m, unsigned int field, const struct protobuf *inner);

#endif /* VCPC_PROTOBUF_H */
