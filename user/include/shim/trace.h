/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Trace control and statistics: turn the machine's tracing on and off, and
 * read what the programs on it have traced.
 *
 * Tracing is one state of the whole machine: while it is on, BPF programs
 * listen to the vcpc module, or where that is not loaded to probes on this
 * library, and keep statistics in maps, pinned in the BPF file system, for
 * every process that calls <pcp/trace.h>.  These calls
 * need root (CAP_BPF, CAP_PERFMON, and CAP_SYS_ADMIN if the BPF file system is
 * not mounted yet); the traced programs need nothing.
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

/* What a tag was used for; PCP's kinds. */
enum shim_trace_kind {
	SHIM_TRACE_TRANSACTION = 1,
	SHIM_TRACE_POINT = 2,
	SHIM_TRACE_OBSERVATION = 3,
	SHIM_TRACE_COUNTER = 4
};

/* What shim_trace_status() tells: how events come to the BPF programs. */
enum shim_trace_way {
	SHIM_TRACE_BY_MODULE = 1,
	SHIM_TRACE_BY_PROBES = 2
};

/* struct shim_trace_options.flags */
/* Begins come to the kernel as they happen; without, together with their ends. */
#define SHIM_TRACE_F_BEGINS	(1u << 0)
/* Only this way, or -ENODEV; without, by the module if it is there, otherwise by probes. */
#define SHIM_TRACE_F_MODULE	(1u << 1)
#define SHIM_TRACE_F_PROBES	(1u << 2)
/* Each process's transactions are told apart, too, for shim_trace_processes_get() */
#define SHIM_TRACE_F_PROCESSES	(1u << 3)

/**
 * struct shim_trace_options - what is wanted, and bounds of the kernel's tables
 * @size: sizeof(struct shim_trace_options)
 * @max_tags: how many tags, and how many pairs of tag and kind, have
 *	statistics, and (256 for each CPU at least) how many pairs of tag and process; 0: 4096, less on a machine with very many CPUs
 * @max_open: how many pairs of tag and process can be in a transaction, as far
 *	as the kernel knows; 0: 16384
 * @flags: SHIM_TRACE_F_*
 * @ring_bytes: room for single events, for shim_trace_events(); 0: none are kept
 * @direct_slots: room for programs that write their statistics themselves
 *	(SHIM_TRACE=direct): a slot for each thread, tag and kind; 0: not offered
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
 * struct shim_trace_stat - what is known of one tag used for one kind
 * @name: the tag, as its program wrote it; any bytes
 * @label: the tag as it is to be shown: @name, or, where several users have tags of that
 *	name, "name@user"; a @name that ends in "@" and digits is always shown so
 * @id: the tag's number; a number is never given to another tag
 * @user: whose tag it is
 * @kind: enum shim_trace_kind
 * @count: transactions completed, points passed, or values given
 * @aborted: transactions aborted; this and the next three are 0 for other kinds
 * @sum_ns: total time of the transactions completed
 * @min_ns: the shortest
 * @max_ns: the longest
 * @last_ns: when the last event came, CLOCK_MONOTONIC
 * @last_took_ns: what the transaction took that ended then; 0 for other kinds
 * @value: the last value of an observation or counter, otherwise 0
 * @value_min: the least of them; NaN only if all were
 * @value_max: the greatest
 * @hist: how many transactions took how long, see shim_trace_hist_floor()
 *
 * All counts are since tracing was turned on.  Fields are read one by one
 * while events go on: @sum_ns and @hist may be an event behind @count.
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
 * struct shim_trace_count - what a tag's transactions have counted
 * @name: the tag
 * @label: as in struct shim_trace_stat
 * @id: the tag's number
 * @user: whose tag it is
 * @reserved: zero
 * @event: which event, as in shim_set_create()
 * @transactions: how many had the counter at begin and end
 * @sum: what it counted in them, together
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
 * struct shim_trace_process - what one process's transactions of a tag did
 * @stat: of those that ended, since the process is known here; its aborted and value are 0
 * @pid: process, as the first PID namespace knows it; 0: programs that write their statistics
 *	themselves (SHIM_TRACE=direct), which are not told apart
 * @ncounts: how many @counts there are
 * @counts: what these transactions counted, for each event
 * @events: stands for these events, 0: none; rows of a tag and process differ in it
 * @command: name of the process's thread that ended one first; "" if @pid is 0
 *
 * Processes that have ended are among them, until others need the room: then rows give way that
 * were not used lately, and begin at 0 again if they come back, as they do with their tag.  A new
 * process that gets the number of an old one goes on with its rows.
 */
struct shim_trace_process {
	struct shim_trace_stat stat;
	uint32_t pid;
	uint32_t ncounts;
	const struct shim_trace_count *counts;
	uint64_t events;
	char command[16];
};

/* What struct shim_trace_event tells of. */
enum shim_trace_op {
	SHIM_TRACE_OP_BEGIN = 1,	/* not over yet, see shim_trace_events() */
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
 * @user: whose tag it is
 * @ns: when, CLOCK_MONOTONIC
 * @start_ns: of an end or abort: when the transaction began
 * @value: of an observation or counter, otherwise 0
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
 * struct shim_trace_drops - events that are not where they should be, by reason
 * @open_full: begins, as @max_open, or the user's half of it, was reached
 * @stat_full: events of a new pair of tag and kind, as @max_tags, or the user's
 *	half of it, was reached
 * @tag_full: events of a new tag, for the same reason
 * @not_open: ends and aborts whose begin was not seen, mostly as tracing was
 *	turned on between the two
 * @given_up: transactions that neither ended nor were aborted: their process
 *	died, or executed another program.  Known only of begins that came to
 *	the kernel.
 * @count_full: transactions in the statistics, but not in what is counted in
 *	them, as too many pairs of tag and events are
 * @ring_full: events that are in the statistics, but not among single events,
 *	as nobody took those fast enough
 * @direct_full: events of programs that write by themselves, as @direct_slots was
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

/* What struct shim_trace_loss is about */
enum shim_trace_lost {
	SHIM_TRACE_LOST_EVENTS = 1,	/* single events: those of drops.ring_full, by account */
	/* What shim_trace_count() wants, in all; @account is 0 */
	SHIM_TRACE_LOST_COUNTS = 2,	/* transactions of threads that did not count it */
	SHIM_TRACE_LOST_THREADS = 3	/* threads with SHIM_TRACE=direct that could not count it */
};

/* A user namespace that root has made is one account; other accounts are user ids. */
#define SHIM_TRACE_NAMESPACE	(1ull << 32)	/* added to its number */
#define SHIM_TRACE_OTHERS	((1ull << 33) + 1)	/* accounts for which there was no room */

/**
 * struct shim_trace_loss - what one account has lost
 * @what: enum shim_trace_lost
 * @reserved: zero
 * @account: whose it is: a user id, SHIM_TRACE_NAMESPACE + a number, or SHIM_TRACE_OTHERS
 * @n: how many
 */
struct shim_trace_loss {
	uint32_t what;
	uint32_t reserved;
	uint64_t account;
	uint64_t n;
};

typedef int shim_trace_loss_fn(void *arg, const struct shim_trace_loss *loss);

/* What a probe is on */
enum shim_trace_probe_what {
	SHIM_TRACE_PROBE_FUNCTION = 1,	/* a function: each call is a transaction */
	SHIM_TRACE_PROBE_BEGIN = 2,	/* an instruction: a transaction of its thread begins ... */
	SHIM_TRACE_PROBE_END = 3	/* ... and ends */
};

/**
 * struct shim_trace_probe - a place in programs that call no trace functions
 * @size: sizeof(struct shim_trace_probe)
 * @what: enum shim_trace_probe_what
 * @tag: of the transactions; 1 to 255 bytes; several probes may have the same
 * @file: the program or library, shorter than 256 bytes
 * @path: by which name the file is opened now; NULL: @file
 * @offset: of the function's first instruction, or the instruction, in the file
 * @semaphore: offset in the file of a 16-bit number that the kernel keeps above 0 while the probe is
 *	there, as some probes in a program's source have; 0: none
 * @pid: process in which the probe is; 0: all that have the file mapped
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
