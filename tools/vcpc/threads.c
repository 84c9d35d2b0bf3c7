// SPDX-License-Identifier: GPL-2.0-or-later
/* Print the counts of each thread of a set as a table. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "vcpc.h"

#define TID_WIDTH	10
#define LEAST_WIDTH	14

/* A table in progress; @rest: the part of the total that is in no printed line */
struct table {
	FILE *out;
	const struct shim_set *set;
	uint64_t rest[SHIM_SET_MAX];
};

static int width(const struct shim_set *set, unsigned int i)
{
	int len = strlen(shim_set_event(set, i));

	return 2 + (len > LEAST_WIDTH ? len : LEAST_WIDTH);
}

static void print_values(FILE *out, const struct shim_set *set, const uint64_t *values)
{
	for (unsigned int i = 0; i < shim_set_size(set); i++)
		fprintf(out, "%*" PRIu64, width(set, i), values[i]);
	fputc('\n', out);
}

static int print_thread(void *arg, pid_t tid, const struct shim_sample *sample)
{
	struct table *table = arg;
	FILE *out = table->out;

	fprintf(out, "%*d", TID_WIDTH, (int)tid);
	print_values(out, table->set, sample->values);
	for (unsigned int i = 0; i < shim_set_size(table->set); i++)
		table->rest[i] -= sample->values[i];
	return 0;
}

/*
 * Return whether the total exceeds the sum of the lines.  If the rest of an event is negative, no
 * rest is shown: a thread that ended after the total was taken may have counted more than the total
 * includes.
 */
static bool has_rest(const struct table *table)
{
	bool any = false;

	for (unsigned int i = 0; i < shim_set_size(table->set); i++) {
		if ((int64_t)table->rest[i] < 0)
			return false;
		any |= table->rest[i] != 0;
	}
	return any;
}

/**
 * vcpc_threads_print() - print the counts of each thread
 * @out: output file
 * @set: the set, which is bound to the threads
 * @total: the sums, which have just been sampled
 *
 * If many threads have ended, only the sums include the counts of the oldest; the last line shows
 * these counts.
 *
 * Return: 0, or an exit status after printing a message.
 */
int vcpc_threads_print(FILE *out, struct shim_set *set, const struct shim_sample *total)
{
	struct table table = { .out = out, .set = set };
	int ret;

	memcpy(table.rest, total->values, shim_set_size(set) * sizeof(table.rest[0]));
	fprintf(out, "%*s", TID_WIDTH, "thread");
	for (unsigned int i = 0; i < shim_set_size(set); i++)
		fprintf(out, "%*s", width(set, i), shim_set_event(set, i));
	fputc('\n', out);
	ret = shim_set_walk(set, print_thread, &table);
	if (ret)
		return vcpc_fail_counters(ret, "cannot read the counts of the threads");
	if (has_rest(&table)) {
		fprintf(out, "%*s", TID_WIDTH, "others");
		print_values(out, set, table.rest);
	}
	fputc('\n', out);
	return 0;
}
