/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For commands that read archives: open an archive, and find the requested part of its time span.
 */
#ifndef VCPC_WINDOW_H
#define VCPC_WINDOW_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <pcp/pmapi.h>

#define VCPC_NSEC_PER_SEC	1000000000LL

/* The options of PCP's tools: short and long options for getopt, and their help */
#define VCPC_WINDOW_SHORT	"a:S:T:A:O:Z:z"
#define VCPC_WINDOW_LONG				\
	{ "archive", required_argument, NULL, 'a' },	\
	{ "start", required_argument, NULL, 'S' },	\
	{ "finish", required_argument, NULL, 'T' },	\
	{ "align", required_argument, NULL, 'A' },	\
	{ "origin", required_argument, NULL, 'O' },	\
	{ "timezone", required_argument, NULL, 'Z' },	\
	{ "hostzone", no_argument, NULL, 'z' }
#define VCPC_ARCHIVE_HELP	"  -a, --archive ARCHIVE  read ARCHIVE, instead of the first argument\n"
#define VCPC_WINDOW_HELP								\
	"  -S, --start TIME      start at 10s (after the archive's start), -5min (before its\n"	\
	"                        end), @14:30, '@2024-03-01 14:30:00'\n"	\
	"  -T, --finish TIME     end at 1min (after the window's start), -10s, @15:00\n"	\
	"  -A, --align TIME      round the start up to a multiple of TIME\n"	\
	"  -O, --origin TIME     place the first sample at TIME, within the window\n"	\
	"  -Z, --timezone ZONE   read and print times in this zone (as in TZ)\n"	\
	"  -z, --hostzone        read and print times in the zone of the archive's host\n"

/*
 * struct vcpc_window - a part of an archive's time
 * @archive, @start, @finish, @align, @offset, @zone: arguments of the options, or NULL
 * @from: time at which it begins; @to: time at which it ends; @origin: time at which reading begins
 * @label: the archive's label, @end: the time of its last record
 */
struct vcpc_window {
	const char *archive, *start, *finish, *align, *offset, *zone;
	bool host_zone;
	struct timespec from, to, origin;
	pmHighResLogLabel label;
	struct timespec end;
};

/* Open an archive as the current context.  Return 0, or an exit status after printing a message. */
int vcpc_open_archive(const char *name);

/*
 * Like pmTraversePMNS_r(), for metrics that the user did not name: suppress PMAPI's messages about
 * configured derived metrics whose operands the archive lacks.
 */
int vcpc_traverse(const char *from, void (*take)(const char *name, void *arg), void *arg);
/* Print the message for a PMAPI code, and return the exit status. */
int vcpc_fail_pm(int code, const char *what);

/*
 * Parse and add up a text such as "1min 30s"; a number without a unit is in seconds.  Return
 * -EINVAL for an invalid text, and for less than 1 ns.
 */
int vcpc_parse_interval(const char *text, int64_t *ns);
/*
 * Like vcpc_parse_interval().  @bare is the number of nanoseconds per unit of a number without a
 * unit.
 */
int vcpc_parse_time(const char *text, double bare, int64_t *ns);

/* Process an option.  Return false if it is not one of these options. */
bool vcpc_window_option(struct vcpc_window *w, int c, const char *arg);
/*
 * Return the archive, which is the argument of -a or the next argument, or NULL after printing a
 * message.  Move optind past it.
 */
const char *vcpc_window_archive(const struct vcpc_window *w, char **argv);
/*
 * Compute the window in the current context.  Return 0, or an exit status after printing a message.
 */
int vcpc_window_set(struct vcpc_window *w, const char *archive);

int64_t vcpc_ns_of(struct timespec t);
struct timespec vcpc_of_ns(int64_t ns);
double vcpc_seconds(struct timespec t);

/*
 * struct vcpc_progress - the progress of long work, shown on stderr if that is a terminal
 * @from: start of the time span; @span: its length, in seconds
 */
struct vcpc_progress {
	double from, span;
	int shown;
	bool visible;
	struct timespec next;
};

void vcpc_progress_start(struct vcpc_progress *p, double from, double span);
void vcpc_progress_at(struct vcpc_progress *p, double at);
void vcpc_progress_end(struct vcpc_progress *p);

#endif /* VCPC_WINDOW_H */
