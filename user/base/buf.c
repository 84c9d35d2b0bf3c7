// SPDX-License-Identifier: LGPL-2.1-or-later
/* Grow a buffer. */
#include <errno.h>
#include <stdlib.h>

#include "buf.h"

uint8_t *shim_buf__grow(struct shim_buf *buf, size_t len)
{
	size_t cap = buf->cap ? buf->cap : 256;
	uint8_t *data;

	if (buf->err)
		return NULL;
	if (len > SHIM_BUF_MAX - buf->len) {
		buf->err = -EMSGSIZE;
		return NULL;
	}
	while (cap - buf->len < len)
		cap *= 2;
	if (cap != buf->cap) {
		data = realloc(buf->data, cap);
		if (!data) {
			buf->err = -ENOMEM;
			return NULL;
		}
		buf->data = data;
		buf->cap = cap;
	}
	data = buf->data + buf->len;
	buf->len += len;
	return data;
}

void shim_buf__free(struct shim_buf *buf)
{
	free(buf->data);
	*buf = (struct shim_buf){ 0 };
}
