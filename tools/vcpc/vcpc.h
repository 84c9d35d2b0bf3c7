/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Declarations shared by the parts of the vcpc command: the commands, exit statuses and messages */
#ifndef VCPC_H
#define VCPC_H

#include <limits.h>
#include <signal.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <shim/shim.h>

#define VCPC_EXIT_FAILURE	1
#define VCPC_EXIT_USAGE		2
#define VCPC_EXIT_NOT_EXECUTABLE	126	/* the command cannot be executed, as in shells */
#define VCPC_EXIT_NO_COMMAND	127

/**
 * struct vcpc_command - a command of the vcpc program
 * @name: the word after "vcpc"
 * @fn: runs it; argv[0] is "vcpc NAME", for getopt's messages; returns the program's exit status,
 *	and handles --help itself
 * @help: a line of text for "vcpc --help"
 */
struct vcpc_command {
	const char *name;
	int (*fn)(int argc, char **argv);
	const char *help;
};

/*
 * Each command is implemented in its own file.  Add a new command here and to the table in main.c.
 */
int vcpc_cmd_check(int argc, char **argv);
int vcpc_cmd_compare(int argc, char **argv);
int vcpc_cmd_doctor(int argc, char **argv);
int vcpc_cmd_dump(int argc, char **argv);
int vcpc_cmd_events(int argc, char **argv);
int vcpc_cmd_label(int argc, char **argv);
int vcpc_cmd_record(int argc, char **argv);
int vcpc_cmd_replay(int argc, char **argv);
int vcpc_cmd_report(int argc, char **argv);
int vcpc_cmd_stat(int argc, char **argv);
int vcpc_cmd_summary(int argc, char **argv);
int vcpc_cmd_top(int argc, char **argv);
int vcpc_cmd_trace(int argc, char **argv);
int vcpc_cmd_why(int argc, char **argv);

/*
 * Messages go to stderr as "vcpc NAME: text[: what the error means]", followed by any advice on a
 * separate line.
 */
int vcpc_fail(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void vcpc_no_memory(void) __attribute__((noreturn));
int vcpc_fail_counters(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int vcpc_fail_tracing(int err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/*
 * Return whether an error, positive or negative, is a failure rather than an answer: a retry may
 * succeed.
 */
static inline bool vcpc_is_trouble(int err)
{
	err = err < 0 ? -err : err;
	return err == ENOMEM || err == EMFILE || err == ENFILE || err == EINTR || err == EIO;
}

int vcpc_flush(void);
int vcpc_usage(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

int vcpc_interval(const char *text, uint64_t *interval);
uint64_t vcpc_now(void);

int vcpc_fail_event(int err, const char *event);

/*
 * Return the edit distance of two names: the number of inserted, removed, replaced, and swapped
 * adjacent letters.
 */
unsigned int vcpc_distance(const char *a, const char *b);

/**
 * struct vcpc_event_rows - lines of output
 * @n: number of lines
 * @row: for each line: the name of a sum, or NULL for a single event; the first event; the number
 *	of summed events, or 0 if the event cannot be counted here
 */
struct vcpc_event_rows {
	unsigned int n;
	struct vcpc_event_row {
		const char *sum;
		unsigned int first, n;
	} row[SHIM_SET_MAX];
};

/**
 * struct vcpc_events - events to count, from -e or the default
 * @n: number of names
 * @names: the names as written by the user
 * @text: the storage of the names
 * @verbose: print which backend counts, and why
 * @in_turn: multiplex events that do not fit on the PMU at the same time
 * @grouped: the list contains braces
 * @by_kind: count each event on each kind of core, if there are several
 * @cgroup: the control group to count, or NULL
 * @detailed: number of additional lists of -d
 * @lacking: with @by_kind, the names that this machine cannot count; they have lines without a
 *	count
 * @rows: with @by_kind, the lines of output, after the events have been opened
 * @made: with @by_kind, generated names
 */
struct vcpc_events {
	unsigned int n;
	int verbose;
	int in_turn;
	const char *names[SHIM_SET_MAX];
	char *text[SHIM_SET_MAX];
	bool grouped;
	bool by_kind;
	const char *cgroup;
	unsigned int detailed;
	bool lacking[SHIM_SET_MAX];
	struct vcpc_event_rows rows;
	char *made[SHIM_SET_MAX];
};

int vcpc_events_add(struct vcpc_events *events, const char *list);
int vcpc_events_open(struct vcpc_events *events, struct shim_set **set);
void vcpc_events_free(struct vcpc_events *events);

/**
 * struct vcpc_child - a command that runs under a set of counters
 * @flags: SHIM_BIND_* flags, in addition to the usual ones
 * @ready: NULL, or called with @arg and @pid after the set has been bound and before the command is
 *	executed; if it returns an exit status other than 0, the command is not executed
 * @arg: argument of @ready
 * @delay: nanoseconds until the first tick; 0 means one interval
 * @pid: the command's process
 * @signals: signalfd(2) descriptor for its end, and for the signals to forward to it
 * @mask: signals that were blocked before
 * @inherited: previous action of SIGCHLD
 */
struct vcpc_child {
	unsigned int flags;
	int (*ready)(void *arg, pid_t pid);
	void *arg;
	uint64_t delay;
	pid_t pid;
	int signals;
	sigset_t mask;
	void (*inherited)(int sig);
};

int vcpc_threads_print(FILE *out, struct shim_set *set, const struct shim_sample *total);

/* Called at each interval, with the number of intervals that were missed since the last call */
typedef int vcpc_tick_fn(void *arg, uint64_t missed);

int vcpc_child_check(const char *command, char path[PATH_MAX]);
bool vcpc_child_ends_counting(const char *path);
int vcpc_child_start(struct vcpc_child *child, struct shim_set *set, char **argv);
int vcpc_child_wait(struct vcpc_child *child, uint64_t interval, vcpc_tick_fn *tick, void *arg);

#endif /* VCPC_H */
