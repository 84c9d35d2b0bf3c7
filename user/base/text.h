/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Build a short text in a buffer, like snprintf(3) but faster.  A text that does not fit is cut. */
#ifndef SHIM_BASE_TEXT_H
#define SHIM_BASE_TEXT_H

#include <stdint.h>
#include <string.h>

#include "decimal.h"

/* @end: the last byte of the buffer, which is kept for the NUL; NULL if the buffer has no bytes */
struct shim_text {
	char *at;
	char *end;
};

/* Begin an empty text in @buf of @size bytes. */
static inline struct shim_text shim_text__in(char *buf, int size)
{
	if (size < 1)
		return (struct shim_text){ 0 };
	*buf = '\0';
	return (struct shim_text){ buf, buf + size - 1 };
}

static inline void shim_text__bytes(struct shim_text *t, const char *s, size_t len)
{
	if (len > (size_t)(t->end - t->at))
		len = (size_t)(t->end - t->at);
	if (!len)
		return;
	memcpy(t->at, s, len);
	t->at += len;
	*t->at = '\0';
}

static inline void shim_text__add(struct shim_text *t, const char *s)
{
	shim_text__bytes(t, s, strlen(s));
}

/* Copy a text to @buf of @size bytes. */
static inline void shim_text__put(char *buf, int size, const char *s)
{
	struct shim_text t = shim_text__in(buf, size);

	shim_text__add(&t, s);
}

static inline void shim_text__number(struct shim_text *t, int64_t v)
{
	char digits[SHIM_DECIMAL_ROOM];

	shim_text__bytes(t, digits, shim_decimal__signed(digits, v));
}

#endif /* SHIM_BASE_TEXT_H */
