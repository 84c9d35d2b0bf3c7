// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Convert the stacks of slow and typical transactions from a file of folded stacks to the report's
 * data.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "json_text.h"
#include "report.h"
#include "vcpc.h"

#define ROOM	1000000		/* maximum number of bytes in the page */

/* Read the two numbers at a line's end, typical and slow. Return false if they are missing. */
static bool take_numbers(const char *line, double *typical, double *slow)
{
	const char *last = strrchr(line, ' '), *first = last ? memrchr(line, ' ', last - line) : NULL;
	char *end, *middle;

	if (!first || first == line)
		return false;
	*typical = strtod(first + 1, &middle);
	*slow = strtod(last + 1, &end);
	return middle == last && middle > first + 1 && end > last + 1 && !*end &&
	       *typical >= 0 && *slow >= 0 && isfinite(*typical + *slow);
}

static double weight(const char *line)
{
	double typical = 0, slow = 0;

	return take_numbers(line, &typical, &slow) ? typical + slow : 0;
}

static int by_weight(const void *a, const void *b)
{
	double x = weight(*(char *const *)a), y = weight(*(char *const *)b);

	return (x < y) - (x > y);
}

static int stack_add(struct report_stacks *stacks, const char *line)
{
	size_t room = stacks->room ? 2 * stacks->room : 64;
	char **lines = stacks->lines;

	if (stacks->n == stacks->room) {
		lines = reallocarray(lines, room, sizeof(*lines));
		if (!lines)
			return ENOMEM;
		stacks->lines = lines;
		stacks->room = room;
	}
	lines[stacks->n] = strdup(line);
	if (!lines[stacks->n])
		return ENOMEM;
	stacks->n++;
	return 0;
}

static int read_lines(struct report_stacks *stacks, FILE *f, const char *path)
{
	double typical, slow;
	char *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err = 0;

	while (!err && (len = getline(&line, &size, f)) >= 0) {
		if (len && line[len - 1] == '\n')
			line[--len] = '\0';
		if (strlen(line) != (size_t)len || !take_numbers(line, &typical, &slow)) {
			free(line);
			return vcpc_fail(0, "%s: line %zu is not a stack with two numbers, as printed by 'vcpc why --folded-diff'",
					 path, stacks->n + 1);
		}
		err = stack_add(stacks, line);
	}
	if (!err && ferror(f))
		err = errno;
	free(line);
	return err ? vcpc_fail(err, "cannot read the stacks in %s", path) : 0;
}

int report_stacks_read(struct report_stacks *stacks, const char *path)
{
	FILE *f = fopen(path, "re");
	int status;

	if (!f)
		return vcpc_fail(errno, "cannot read the stacks in %s", path);
	status = read_lines(stacks, f, path);
	fclose(f);
	if (stacks->n)
		qsort(stacks->lines, stacks->n, sizeof(*stacks->lines), by_weight);
	return status;
}

/* Write the lines that fit, and the number of omitted lines. */
void report_stacks(FILE *out, const struct report_stacks *stacks)
{
	size_t room = ROOM, i = 0;

	if (!stacks->n)
		return;
	fputs(",\n\"stacks\":[", out);
	for (; i < stacks->n && strlen(stacks->lines[i]) < room; i++) {
		if (i)
			fputs(",\n", out);
		vcpc_json_text(out, stacks->lines[i]);
		room -= strlen(stacks->lines[i]);
	}
	fprintf(out, "],\"morestacks\":%zu", stacks->n - i);
}

void report_stacks_free(struct report_stacks *stacks)
{
	for (size_t i = 0; i < stacks->n; i++)
		free(stacks->lines[i]);
	free(stacks->lines);
	*stacks = (struct report_stacks){ NULL };
}
