// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc top: format rows and headings as lines of text. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "text.h"
#include "top.h"
#include "utf8.h"
#include "value.h"

#define NUMBER		9	/* width of a number in columns, including the blank before it */
#define LEAST_NAME	12

/*
 * Return the width of a character of @n bytes on a terminal: 0 to 2; 1 if the locale does not
 * support it.
 */
static unsigned int columns_of(const char *text, size_t n)
{
	mbstate_t state = { 0 };
	wchar_t c;
	int columns = mbrtowc(&c, text, n, &state) == n ? wcwidth(c) : -1;

	return columns < 0 ? 1 : columns;
}

unsigned int top_columns(const char *text)
{
	unsigned int columns = 0;

	while (*text) {
		size_t n = vcpc_utf8((const unsigned char *)text);

		n = n ? n : 1;
		columns += columns_of(text, n);
		text += n;
	}
	return columns;
}

/*
 * Write a text left-aligned into @columns columns, truncated if necessary, in at most four bytes
 * for each column.  Return its end.
 */
static char *put_left(char *at, const char *text, unsigned int columns)
{
	size_t room = 4 * (size_t)columns;

	while (*text) {
		size_t n = vcpc_utf8((const unsigned char *)text);
		unsigned int wide;

		n = n ? n : 1;
		wide = columns_of(text, n);
		if (wide > columns || n + (columns - wide) > room)
			break;
		at = mempcpy(at, text, n);
		text += n;
		room -= n;
		columns -= wide;
	}
	for (; columns; columns--)
		*at++ = ' ';
	return at;
}

/*
 * Write a text right-aligned into the next NUMBER columns, preceded by a blank, if @room permits.
 * Return its end.
 */
static char *put_right(char *at, const char *text, unsigned int *room)
{
	int len = strlen(text) < NUMBER ? strlen(text) : NUMBER - 1;

	if (*room < NUMBER)
		return at;
	*room -= NUMBER;
	return at + sprintf(at, "%*s%.*s", NUMBER - len, "", len, text);
}

static void time_text(double v, char *text, size_t size)
{
	vcpc_value_text(text, size, v, true, 3);
}

static void number_text(double v, char *text, size_t size)
{
	vcpc_value_text(text, size, v, false, 2);
}

/* Format a count per transaction.  Clocks count nanoseconds. */
static void count_text(const char *event, double v, char *text, size_t size)
{
	if (vcpc_is_clock(event))
		time_text(v / 1e9, text, size);
	else
		number_text(v, text, size);
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int most(unsigned int a, size_t b)
{
	return a > b ? a : (unsigned int)b;
}

void top_line(const struct top_view *view, const struct top_row *row, unsigned int width,
	      char *line)
{
	static const char *const titles_by[TOP_BYS] = {
		[TOP_BY_TAG] = "TRANSACTION", [TOP_BY_PROCESS] = "PROCESS", [TOP_BY_BOTH] = "PROCESS TRANSACTION",
	};
	static const char *const titles[] = { "/s", "p50", "p99", "mean", "total" };
	unsigned int name = width > 5 * NUMBER + 2 * LEAST_NAME ? width - 5 * NUMBER : width / 2;
	unsigned int want = view->nevents * NUMBER, spare, room;
	char text[5][32], label[TOP_LABEL];

	spare = name > 2 * LEAST_NAME ? name - 2 * LEAST_NAME : 0;
	name -= want < spare ? want : spare / NUMBER * NUMBER;
	name = name > width ? width : name;
	if (view->widest)
		name = least(name, most(view->widest, strlen(titles_by[view->by])));
	room = width - name;
	if (row)
		top_label(view, row, label, sizeof(label));
	line = put_left(line, row ? label : titles_by[view->by], name);
	if (row) {
		number_text(row->rate, text[0], sizeof(text[0]));
		time_text(row->p50, text[1], sizeof(text[1]));
		time_text(row->p99, text[2], sizeof(text[2]));
		time_text(row->mean, text[3], sizeof(text[3]));
		number_text(row->total, text[4], sizeof(text[4]));
	}
	for (int i = 0; i < 5; i++)
		line = put_right(line, row ? text[i] : titles[i], &room);
	for (size_t i = 0; i < view->nevents; i++) {
		if (row)
			count_text(view->events[i], row->each[i], text[0], sizeof(text[0]));
		line = put_right(line, row ? text[0] : view->events[i], &room);
	}
	*line = '\0';
}

void top_title(const struct top_view *view, bool paused, char *line, size_t size)
{
	static const char *const kinds[TOP_BYS] = {
		[TOP_BY_TAG] = "tags", [TOP_BY_PROCESS] = "processes", [TOP_BY_BOTH] = "tags of processes",
	};
	snprintf(line, size, "%zu of %zu %s, by %s%s%s%s%s", view->nrows, view->nall, kinds[view->by],
		 top_key_name(view->key), view->reverse ? " (reversed)" : "", view->filter ? ", with " : "",
		 view->filter ? view->filter : "", paused ? ", PAUSED" : "");
	if (view->lost)
		snprintf(line + strlen(line), size - strlen(line), ", %llu events lost because tables are full",
			 (unsigned long long)view->lost);
	vcpc_printable(line, "");
}
