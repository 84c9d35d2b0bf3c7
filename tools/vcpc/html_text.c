// SPDX-License-Identifier: GPL-2.0-or-later
/* Escape arbitrary text for HTML. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "vcpc.h"
#include "html_text.h"
#include "json_text.h"
#include "text.h"
#include "utf8.h"

#define ELLIPSIS	"\342\200\246"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* Return a printable copy, truncated between characters after at most @most bytes. */
static char *within(const char *text, size_t most, const char *keep)
{
	size_t len = strlen(text), at = 0;
	char *copy = malloc(len + sizeof(ELLIPSIS));

	if (!copy)
		vcpc_no_memory();
	vcpc_printable(strcpy(copy, text), keep);
	if (len <= most)
		return copy;
	for (int n; at < most; at += n) {
		n = vcpc_utf8((const unsigned char *)copy + at);
		n = n ? n : 1;
		if (at + n > most)
			break;
	}
	strcpy(copy + at, ELLIPSIS);
	return copy;
}

void vcpc_html_text(FILE *out, const char *text, size_t most)
{
	char *copy = within(text, most, "\n");

	for (const char *c = copy; *c; c++) {
		const char *other = entity(*c);

		if (other)
			fputs(other, out);
		else
			putc(*c, out);
	}
	free(copy);
}

void vcpc_html_json(FILE *out, const char *json)
{
	for (; *json; json++) {
		if (strchr("<>&", *json))
			fprintf(out, "\\u%04x", *json);
		else
			putc(*json, out);
	}
}

void vcpc_json_text_within(FILE *out, const char *text, size_t most)
{
	char *copy = within(text, most, "");

	vcpc_json_text(out, copy);
	free(copy);
}
