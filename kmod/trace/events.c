// SPDX-License-Identifier: GPL-2.0
/*
 * The tracepoints themselves, and how a name looks in their text.
 */
#include <linux/string.h>
#include <linux/string_helpers.h>

#define CREATE_TRACE_POINTS
#include "trace/events.h"

/* Printable ASCII stays, but what ends a string or begins an escape. */
#define ESCAPES	(ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_HEX | ESCAPE_NAP | ESCAPE_APPEND)

/**
 * vcpc_events_escape() - a name as text: one line without control characters
 * @to: where to, or NULL
 * @size: how many bytes there are
 * @name: any bytes
 *
 * Different names give different texts.
 *
 * Context: any.
 * Return: how many bytes the text needs, with its NUL.
 */
size_t vcpc_events_escape(char *to, size_t size, const char *name)
{
	size_t len = string_escape_mem(name, strlen(name), to, size, ESCAPES, "\"\\");

	if (size)
		to[min(len, size - 1)] = '\0';
	return len + 1;
}
