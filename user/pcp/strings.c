// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Copy texts into buffers that are always terminated, read words from a file, and show the position
 * of an error in a text.  Also store, per thread, the texts returned by calls that do not use a
 * caller's buffer.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"
#include "base/vec.h"
#include "texts.h"

char *shim_caret__message(const char *text, size_t at, const char *what)
{
	size_t len = strlen(text), room = len + at + strlen(what) + sizeof("\n^ -- \n");
	char *message = malloc(room);

	if (!message)
		return NULL;
	memcpy(message, text, len);
	message[len++] = '\n';
	/* Keep tabs and other white space, so that the mark is below its position. */
	for (size_t i = 0; i < at; i++)
		message[len++] = isgraph((unsigned char)text[i]) ? ' ' : text[i];
	snprintf(message + len, room - len, "^ -- %s\n", what);
	return message;
}

/*
 * Return the calling thread's texts.  If memory runs out, return texts that several threads share.
 */
struct shim_texts *shim_texts(void)
{
	static struct shim_thread_end end = { .fn = shim_thread_room__free };
	static struct shim_texts shared;
	static __thread void *mine;
	struct shim_texts *texts = shim_thread_room(&end, &mine, sizeof(*texts));

	return texts ? texts : &shared;
}

/**
 * pmsprintf() - format a text into a buffer, truncated if necessary
 * @str: buffer of @size bytes
 * @size: if it is 0, nothing is written
 * @fmt: as for printf(3)
 *
 * Return: the number of characters in the buffer.
 */
SHIM_API int pmsprintf(char *str, size_t size, const char *fmt, ...)
{
	va_list args;
	int n;

	if (!size)
		return 0;
	va_start(args, fmt);
	n = vsnprintf(str, size, fmt, args);
	va_end(args);
	if (n >= 0 && (size_t)n < size)
		return n;
	/* On error, discard what was written so far. */
	if (n < 0)
		*str = '\0';
	str[size - 1] = '\0';
	return (int)strlen(str);
}

/**
 * pmstrncpy() - copy a text into a buffer, truncated if necessary
 * @dest: buffer of @destlen bytes
 * @destlen: if it is 0, nothing is written
 * @src: the text
 *
 * Return: 0, or -1 if it was truncated.
 */
SHIM_API int pmstrncpy(char *dest, size_t destlen, const char *src)
{
	size_t len = strnlen(src, destlen);

	if (!destlen)
		return -1;
	memcpy(dest, src, len);
	if (len < destlen) {
		dest[len] = '\0';
		return 0;
	}
	dest[destlen - 1] = '\0';
	return -1;
}

/**
 * pmstrncat() - append a text to a buffer, truncated if necessary
 * @dest: the buffer, which contains a text
 * @destlen: size of the whole buffer
 * @src: the text
 *
 * Return: 0, or -1 if it was truncated.
 */
SHIM_API int pmstrncat(char *dest, size_t destlen, const char *src)
{
	size_t used = strlen(dest);

	if (!*src)
		return 0;
	if (used + 1 >= destlen)
		return -1;
	return pmstrncpy(dest + used, destlen - used, src);
}

/**
 * pmstrlen() - get the length of a text that may be NULL
 * @s: a text or NULL
 *
 * Return: the text's length, or 0 if @s is NULL.
 */
SHIM_API size_t pmstrlen(const char *s)
{
	return s ? strlen(s) : 0;
}

struct word {
	char *text;
	size_t len, room;
};

static int word_add(struct word *w, int c)
{
	if (shim_vec__reserve(w->text, &w->room, w->len + 2))
		return -ENOMEM;
	w->text[w->len++] = (char)c;
	w->text[w->len] = '\0';
	return 0;
}

/**
 * pmfstring() - read the next word of a file
 * @f: the file
 * @str: set to the word, to be freed by the caller, if there is one
 *
 * Leading white space is skipped within the line.  The white-space character that ends the word is
 * consumed.
 *
 * Return: the word's length, 0 if the line ends first, -1 at the end of the file, -2 if out of
 * memory.
 */
SHIM_API ssize_t pmfstring(FILE *f, char **str)
{
	struct word w = { 0 };
	int c;

	do
		c = getc(f);
	while (c != '\n' && isspace(c));
	if (c == EOF)
		return -1;
	for (; c != EOF && !isspace(c); c = getc(f)) {
		if (word_add(&w, c)) {
			free(w.text);
			return -2;
		}
	}
	if (w.len)
		*str = w.text;
	return (ssize_t)w.len;
}
