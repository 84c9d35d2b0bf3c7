/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace control and statistics: turn the machine's tracing on and off, and read the data that its
 * programs have traced.
 *
 * Tracing is one state of the whole machine: while it is on, BPF programs attached to the vcpc
 * module, or to probes on this library if the module is not loaded, keep statistics of every
 * process that calls <pcp/trace.h>, in maps pinned in the BPF file system.  These calls need root
 * (CAP_BPF, CAP_PERFMON, and CAP_SYS_ADMIN if the BPF file system is not mounted yet); the traced
 * programs need no privileges.
 *
 * The calls return 0 or a negated errno, never set errno, never print.
 */
#ifndef SHIM_TRACE_H
#define SHIM_TRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SHIM_TRACE_HIST_SLOTS 368

/* Kinds of events, with PCP's numbers */
enum shim_trace_kind {
	SHIM_TRACE_TRANSACTION = 1,
	SHIM_TRACE_POINT = 2,
	SHIM_TRACE_OBSERVATION = 3,
	SHIM_TRACE_COUNTER = 4
};

/* The result of shim_trace_status(): how events reach the BPF programs */
enum shim_trace_way {
	SHIM_TRACE_BY_MODULE = 1,
	SHIM_TRACE_BY_PROBES = 2
};

/* struct shim_trace_options.flags */
/* The kernel receives begins and determines their time; the default with the module */
#define SHIM_TRACE_F_BEGINS	(1u << 0)
/* The program determines the time of a begin and sends it with the end; the default with probes */
#define SHIM_TRACE_F_USER_BEGINS	(1u << 4)
/*
 * Use only the module, or only probes, or fail with -ENODEV.  By default, use the module if it is
 * loaded, otherwise probes.
 */
#define SHIM_TRACE_F_MODULE	(1u << 1)
#define SHIM_TRACE_F_PROBES	(1u << 2)
/* Also keep statistics per process, for shim_trace_processes_get() */
#define SHIM_TRACE_F_PROCESSES	(1u << 3)

/**
 * struct shim_trace_options - requested features, and sizes of the kernel's tables
 * @size: sizeof(struct shim_trace_options)
 * @max_tags: maximum number of tags, of pairs of tag and kind, and (at least 256 per CPU) of pairs
 *	of tag and process with statistics; 0: 4096, less on a machine with very many CPUs
 * @max_open: maximum number of pairs of tag and thread in a transaction, as known to the kernel; 0:
 *	16384
 * @flags: SHIM_TRACE_F_*
 * @ring_bytes: size of the buffer for individual events, for shim_trace_events(); 0: do not keep
 *	events
 * @direct_slots: number of slots for programs that write their statistics themselves
 *	(SHIM_TRACE=direct), which use one for each thread, tag and kind; 0: not available
 */
struct shim_trace_options {
	uint32_t size;
	uint32_t max_tags;
	uint32_t max_open;
	uint32_t flags;
	uint32_t ring_bytes;
	uint32_t direct_slots;
};

/**
 * struct shim_trace_stat - statistics of one tag used for one kind
 * @name: the tag as passed by its program; any bytes
 * @label: the tag for display: @name, or "name@user" if several users have tags with that name; a
 *	@name that ends in "@" and digits is always displayed this way
 * @id: the tag's number; numbers are never reused
 * @user: the tag's user
 * @kind: enum shim_trace_kind
 * @count: number of completed transactions, passed points, or reported values
 * @aborted: aborted transactions; this and the next three are 0 for other kinds
 * @sum_ns: total time of completed transactions
 * @min_ns: the shortest time
 * @max_ns: the longest time
 * @last_ns: CLOCK_MONOTONIC of the last event
 * @last_took_ns: duration of the transaction that ended then; 0 for other kinds
 * @value: the last value of an observation or counter, otherwise 0
 * @value_min: the minimum; NaN only if all values were NaN
 * @value_max: the maximum
 * @hist: histogram of durations, see shim_trace_hist_floor()
 *
 * All counts are since tracing was turned on.  Fields are read one by one while events arrive:
 * @sum_ns and @hist may miss the last event in @count.
 */
struct shim_trace_stat {
	const char *name;
	const char *label;
	uint64_t id;
	uint32_t user;
	uint32_t kind;
	uint64_t count;
	uint64_t aborted;
	uint64_t sum_ns;
	uint64_t min_ns;
	uint64_t max_ns;
	uint64_t last_ns;
	uint64_t last_took_ns;
	double value;
	double value_min;
	double value_max;
	uint64_t hist[SHIM_TRACE_HIST_SLOTS];
};

/**
 * struct shim_trace_count - counts of a tag's transactions
 * @name: the tag
 * @label: as in struct shim_trace_stat
 * @id: the tag's number
 * @user: the tag's user
 * @reserved: zero
 * @event: the event, as in shim_set_create()
 * @transactions: number of transactions that had the counter when they began and when they ended
 * @sum: total count of the event in these transactions
 */
struct shim_trace_count {
	const char *name;
	const char *label;
	uint64_t id;
	uint32_t user;
	uint32_t reserved;
	const char *event;
	uint64_t transactions;
	uint64_t sum;
};

/**
 * struct shim_trace_process - statistics of one process's transactions of a tag
 * @stat: transactions that ended since the process was first seen; its aborted and value are 0
 * @pid: process ID in the initial PID namespace; 0: programs that write their statistics themselves
 *	(SHIM_TRACE=direct), which are not distinguished
 * @ncounts: number of @counts
 * @counts: counts of these transactions, for each event
 * @events: identifies this set of events, 0: none; each pair of tag and process has one row per set
 * @command: name of the thread that was the first to end one of these transactions; "" if @pid is 0
 *
 * Processes that have exited are included until others need the space.  Then the least recently
 * used rows are dropped, and restart at 0 if they are used again.  The same happens with the rows
 * of dropped tags.  A new process that receives the PID of an old one continues its rows.
 */
struct shim_trace_process {
	struct shim_trace_stat stat;
	uint32_t pid;
	uint32_t ncounts;
	const struct shim_trace_count *counts;
	uint64_t events;
	char command[16];
};

/* The kinds of struct shim_trace_event */
enum shim_trace_op {
	SHIM_TRACE_OP_BEGIN = 1,	/* still open, see shim_trace_events() */
	SHIM_TRACE_OP_END = 2,
	SHIM_TRACE_OP_ABORT = 3,
	SHIM_TRACE_OP_POINT = 4,
	SHIM_TRACE_OP_OBSERVE = 5,
	SHIM_TRACE_OP_COUNTER = 6
};

/**
 * struct shim_trace_event - one event
 * @name: the tag
 * @label: as in struct shim_trace_stat
 * @id: the tag's number
 * @op: enum shim_trace_op
 * @user: the tag's user
 * @ns: CLOCK_MONOTONIC of the event
 * @start_ns: for an end or abort: when the transaction began
 * @value: for an observation or counter, otherwise 0
 * @pid: process that reported it
 * @tid: thread
 */
struct shim_trace_event {
	const char *name;
	const char *label;
	uint64_t id;
	uint32_t op;
	uint32_t user;
	uint64_t ns;
	uint64_t start_ns;
	double value;
	uint32_t pid;
	uint32_t tid;
};

typedef int shim_trace_event_fn(void *arg, const struct shim_trace_event *event);

/**
 * struct shim_trace_drops - lost events, by reason
 * @open_full: begins lost because @max_open, or the user's half of it, was reached
 * @stat_full: events of a new pair of tag and kind, lost because @max_tags, or the user's half of
 *	it, was reached
 * @tag_full: events of a new tag, lost for the same reason
 * @not_open: ends and aborts whose begin was not seen, usually because tracing was turned on
 *	between the two
 * @given_up: transactions that neither ended nor were aborted: their process exited or executed
 *	another program.  Counted only for begins that were sent to the kernel.
 * @count_full: transactions in the statistics whose counts were dropped because there were too many
 *	pairs of tag and events
 * @ring_full: events that are in the statistics, but not among the individual events, because the
 *	reader was too slow
 * @direct_full: events of programs that write statistics themselves, lost because @direct_slots was
 *	reached
 */
struct shim_trace_drops {
	uint64_t open_full;
	uint64_t stat_full;
	uint64_t tag_full;
	uint64_t not_open;
	uint64_t given_up;
	uint64_t count_full;
	uint64_t ring_full;
	uint64_t direct_full;
};

/* The kinds of struct shim_trace_loss */
enum shim_trace_lost {
	SHIM_TRACE_LOST_EVENTS = 1,	/* individual events in drops.ring_full, by account */
	/* Losses for the events of shim_trace_count(), in total; @account is 0 */
	SHIM_TRACE_LOST_COUNTS = 2,	/* transactions of threads that did not count the event */
	SHIM_TRACE_LOST_THREADS = 3,	/* threads with SHIM_TRACE=direct that could not count it */
	SHIM_TRACE_LOST_TAGS = 4	/* tags removed with their statistics; @account is 0 */
};

/* A user namespace created by root is one account; other accounts are user ids. */
#define SHIM_TRACE_NAMESPACE	(1ull << 32)	/* added to the namespace's number */
#define SHIM_TRACE_OTHERS	((1ull << 33) + 1)	/* accounts beyond the limit */

/**
 * struct shim_trace_loss - losses of one account
 * @what: enum shim_trace_lost
 * @reserved: zero
 * @account: a user id, SHIM_TRACE_NAMESPACE + a number, or SHIM_TRACE_OTHERS
 * @n: number of lost events
 */
struct shim_trace_loss {
	uint32_t what;
	uint32_t reserved;
	uint64_t account;
	uint64_t n;
};

typedef int shim_trace_loss_fn(void *arg, const struct shim_trace_loss *loss);

/* The place of a probe */
enum shim_trace_probe_what {
	SHIM_TRACE_PROBE_FUNCTION = 1,	/* a function: each call is a transaction */
	SHIM_TRACE_PROBE_BEGIN = 2,	/* an instruction: its thread begins a transaction */
	SHIM_TRACE_PROBE_END = 3	/* an instruction: the transaction ends */
};

/**
 * struct shim_trace_probe - a place in programs that call no trace functions
 * @size: sizeof(struct shim_trace_probe)
 * @what: enum shim_trace_probe_what
 * @tag: tag of the transactions; 1 to 255 bytes; several probes may share a tag
 * @file: the program or library, shorter than 256 bytes
 * @path: path with which to open the file now; NULL: @file
 * @offset: file offset of the function's first instruction, or of the instruction
 * @semaphore: file offset of a USDT semaphore, a 16-bit number that the kernel keeps above 0 while
 *	the probe is attached; 0: none
 * @pid: process to probe; 0: all processes that have mapped the file
 * @reserved: zero
 */
struct shim_trace_probe {
	uint32_t size;
	uint32_t what;
	const char *tag;
	const char *file;
	const char *path;
	uint64_t offset;
	uint64_t semaphore;
	int32_t pid;
	uint32_t reserved;
};

typedef int shim_trace_probe_fn(void *arg, const struct shim_trace_probe *probe);

struct shim_trace;

int shim_trace_on(const struct shim_trace_options *options);
int shim_trace_memory(const struct shim_trace_options *options, uint64_t *needed,
		      uint64_t *available);
int shim_trace_off(void);
int shim_trace_status(void);
int shim_trace_count(const char *const *events, unsigned int n, unsigned int *bad);
int shim_trace_probe(const struct shim_trace_probe *probes, unsigned int n, unsigned int *bad);
int shim_trace_probes(shim_trace_probe_fn *fn, void *arg);

int shim_trace_open(struct shim_trace **trace);
int shim_trace_stats_get(struct shim_trace *trace, size_t *n);
const struct shim_trace_stat *shim_trace_stat_at(const struct shim_trace *trace, size_t i);
int shim_trace_counts_get(struct shim_trace *trace, size_t *n);
const struct shim_trace_count *shim_trace_count_at(const struct shim_trace *trace, size_t i);
int shim_trace_processes_get(struct shim_trace *trace, size_t *n);
const struct shim_trace_process *shim_trace_process_at(const struct shim_trace *trace, size_t i);
double shim_trace_percentile(const struct shim_trace_stat *stat, double percent);
uint64_t shim_trace_hist_floor(unsigned int slot);
int shim_trace_events(struct shim_trace *trace, int timeout_ms, shim_trace_event_fn *fn, void *arg);
int shim_trace_events_open(struct shim_trace *trace, shim_trace_event_fn *fn, void *arg);
int shim_trace_drops_get(struct shim_trace *trace, struct shim_trace_drops *drops);
int shim_trace_losses(struct shim_trace *trace, shim_trace_loss_fn *fn, void *arg);
void shim_trace_close(struct shim_trace *trace);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_TRACE_H */
