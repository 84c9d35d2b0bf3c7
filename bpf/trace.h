/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Types in the pinned trace maps, shared by the BPF programs and their readers.  Only fixed-width
 * types are used.
 */
#ifndef VCPC_BPF_TRACE_H
#define VCPC_BPF_TRACE_H

#include <linux/types.h>

#define VC_PIN_DIR	"/sys/fs/bpf/vcpc"
#define VC_TAG_LEN	256
#define VC_MAX_TAGS	4096	/* default number of rows of vc_tag, vc_id and vc_stat */
#define VC_MAX_OPEN	16384	/* default number of rows of vc_open */
#define VC_OPEN_ROWS	1024	/* rows of each share of vc_open_row */
#define VC_SHARES	16	/* shares of vc_open_row; VCPC_SHARES in kmod/limits.h */
#define VC_PROCESS_ROWS	512	/* maximum number of rows of a process in vc_open, with probes */
#define VC_MAX_COUNTED	1024	/* rows of vc_count */
#define VC_MAX_EVENTS	256	/* rows of vc_events */
#define VC_MAX_USERS	1024	/* rows of vc_user */
#define VC_MAX_DIRECT	1024	/* slots of vc_direct, if enabled */
#define VC_MAX_COUNTERS	8	/* counters of a set that are summed; the others are ignored */
#define VC_TAG_EVENTS	8	/* different sets of events that one tag's transactions count */

/*
 * Durations of 0 to 7 ns have one bucket each.  Above that, each power of two has eight buckets, so
 * the width of a bucket is at most 1/8 of its lower bound.  The last bucket holds all durations
 * over 2^48 ns (more than three days).
 */
#define VC_HIST_BITS	3
#define VC_HIST_SUB	(1u << VC_HIST_BITS)
#define VC_HIST_TOP	48
#define VC_HIST_SLOTS	((VC_HIST_TOP - VC_HIST_BITS + 1) * VC_HIST_SUB)

/* Return the histogram bucket of @ns.  @log2 is its binary logarithm, rounded down. */
static inline __u32 vc_hist_slot(__u64 ns, __u32 log2)
{
	if (ns < VC_HIST_SUB)
		return ns;
	if (log2 >= VC_HIST_TOP)
		return VC_HIST_SLOTS - 1;
	return (log2 - VC_HIST_BITS + 1) * VC_HIST_SUB +
	       ((ns >> (log2 - VC_HIST_BITS)) & (VC_HIST_SUB - 1));
}

/* Return the shortest time in a bucket. */
static inline __u64 vc_hist_floor(__u32 slot)
{
	__u32 octave = slot / VC_HIST_SUB;

	if (octave < 2)
		return slot;
	return (__u64)(VC_HIST_SUB + slot % VC_HIST_SUB) << (octave - 1);
}

/* How a tag is used; the numbers are PCP's. */
enum vc_kind {
	VC_TRANSACT = 1,
	VC_POINT = 2,
	VC_OBSERVE = 3,
	VC_COUNTER = 4,
};

/* vc_tag: tag ID (u64) -> the tag's name; the row is created by the tag's first event */
struct vc_tag_name {
	char name[VC_TAG_LEN];	/* zero from the NUL to the end */
	__u32 user;		/* the tag's user; each user has separate tags */
	__u32 reserved;
	__u64 account;		/* key in vc_user: the account charged for its rows; 0 is root's */
	__u64 events[VC_TAG_EVENTS];	/* keys in vc_events for its rows in vc_count */
};

/*
 * vc_id: key -> tag ID (u64).  It is used only with probes; otherwise the module assigns tag IDs.
 */
struct vc_id_key {
	__u64 hash;		/* hash of the name */
	__u32 user;
} __attribute__((packed, aligned(4)));

/* vc_open: key -> value, for each thread in a transaction whose begin event arrived */
struct vc_open_key {
	__u64 tag;
	__u64 file;		/* its process's open file of /dev/vcpc; with probes: the process */
	__u32 thread;		/* the thread that began the transaction: VCPC_TRACE_THREAD |
				 * number, or VCPC_TRACE_TID | thread ID */
} __attribute__((packed, aligned(4)));	/* five words are faster to hash than six */

struct vc_open_val {
	__u64 start_ns;		/* CLOCK_MONOTONIC; 0: no transaction is open */
	__u32 tgid;		/* the process */
	__u32 tid;		/* the thread that began the transaction and owns the counters */
	__u64 events;		/* key in vc_events; 0: the thread had no counters to read */
	__u64 bind;		/* the bind and restart of the set to which the counters belong */
	__u64 counted_ns;	/* start_ns of the transaction to which the counters belong */
	__u64 counters[VC_MAX_COUNTERS];
	__u64 number;		/* in vc_open_list; 0: the row is being deleted */
};

/* vc_open_list: file, number -> one of the file's rows in vc_open; number 0 -> the list's head */
struct vc_list_key {
	__u64 file;
	__u32 number;
} __attribute__((packed, aligned(4)));

union vc_list {
	struct {
		__u64 tag;
		__u32 thread;
	};
	struct {
		__u64 rows;	/* number of rows in the list + VC_LIST_HEAD(file) */
		__u32 level;	/* the row numbers are at most VC_LIST_MIN << level */
		__u32 swept;	/* number at which the next search for unused rows starts */
	};
};

/*
 * vc_open_row: index -> open transaction of a thread; those that do not fit are in vc_open.  The
 * number of the open file (probes: of the process) modulo VC_SHARES selects the share.
 */
struct vc_open_row {
	__u64 start_ns;		/* CLOCK_MONOTONIC; 0: no transaction is open; 1: being written */
	__u64 tag;		/* tag and the members below are as in vc_open */
	__u64 file;
	__u64 ids;		/* process << 32 | thread ID */
	__u32 thread;
	__u32 reserved;
} __attribute__((aligned(64)));		/* prevents threads from sharing cache lines */

/* vc_stat (per CPU): key -> value, for each tag and kind */
struct vc_stat_key {
	__u64 tag;
	__u32 kind;		/* enum vc_kind */
} __attribute__((packed, aligned(4)));	/* three words are faster to hash than four */

/*
 * Statistics that are added up over CPUs and threads:
 * count: transactions that ended, or other events
 * aborted, sum_ns: transactions only
 */
#define VC_STAT_SUMS(X)	X(count) X(aborted) X(sum_ns)

/*
 * Statistics of the latest event:
 * last_took_ns: duration of the latest transaction
 * value: bits of the last observation or counter value
 */
#define VC_STAT_LASTS(X) X(last_took_ns) X(value)

#define VC_STAT_MEMBER(name)	__u64 name;

struct vc_stat {
	VC_STAT_SUMS(VC_STAT_MEMBER)
	__u64 min_ns;		/* like hist, for transactions only */
	__u64 max_ns;
	__u64 last_ns;		/* CLOCK_MONOTONIC of the last event */
	VC_STAT_LASTS(VC_STAT_MEMBER)
	__u64 value_min;	/* minimum; NaN only if all values were NaN */
	__u64 value_max;	/* maximum; NaN only if all values were NaN */
	__u64 hist[VC_HIST_SLOTS];
};

/*
 * Add a transaction that ended at @now and took @spent to statistics that only the caller writes.
 * The caller updates the histogram afterwards, because readers expect the extremes to be updated
 * first.
 */
static inline __attribute__((always_inline)) void
vc_stat_end(struct vc_stat *stat, __u64 now, __u64 spent)
{
	__u64 count = stat->count + 1;

	stat->count = count;
	stat->last_ns = now;
	stat->last_took_ns = spent;
	stat->sum_ns += spent;
	/* The first transaction sets both extremes, unless it took 0 ns, their initial value. */
	if (spent > stat->max_ns) {
		stat->max_ns = spent;
		if (count == 1)
			stat->min_ns = spent;
	}
	if (spent < stat->min_ns)
		stat->min_ns = spent;
}

/* vc_count (per CPU): key -> value, the counts of a tag's transactions */
struct vc_count_key {
	__u64 tag;
	__u64 events;		/* key in vc_events: the events of the counters */
};

struct vc_count {
	__u64 count;		/* number of transactions with counters at begin and end */
	__u64 sum[VC_MAX_COUNTERS];	/* sums of the differences */
};

/*
 * vc_process, if enabled: key -> value, one process's transactions of a tag; if the map is full,
 * the least recently used rows are evicted
 */
struct vc_process_key {
	__u64 tag;
	__u64 events;		/* key in vc_events, 0: without counters */
	__u32 tgid;
} __attribute__((packed, aligned(4)));

#define VC_COMMAND_LEN	16

struct vc_process {
	struct vc_stat stat;
	char command[VC_COMMAND_LEN];	/* name of the thread that ended the first transaction */
	__u64 sum[VC_MAX_COUNTERS];	/* sums of the differences, as in vc_count */
};

/* vc_events: signature of the events (u64) -> the events */
struct vc_event_desc {
	__u32 type;		/* as in struct vcpc_request */
	__u32 flags;
	__u64 config;
};

struct vc_events {
	__u32 nr;
	__u32 reserved;
	struct vc_event_desc event[VC_MAX_COUNTERS];
};

/*
 * vc_wanted: 0 -> struct vc_events, the events that each traced thread must count; empty: no events
 */

/* Maps whose rows are limited per account */
enum vc_rows {
	VC_ROWS_TAG,
	VC_ROWS_STAT,
	VC_ROWS_OPEN,
	VC_ROWS_COUNT,
	VC_ROWS_EVENTS,
	VC_ROWS_ID,
	VC_ROWS_BEGAN,
	VC_ROWS_NR,
};

/*
 * vc_user: account (u64) -> number of rows of the account's tags.  The key is a user ID,
 * VC_ACCOUNT_NS plus the number of a user namespace that root created, or one of VC_USER_*.
 */
#define VC_ACCOUNT_NS	(1ull << 32)
#define VC_USER_ALL	(1ull << 33)		/* all accounts except root's */
#define VC_USER_OTHERS	(VC_USER_ALL + 1)	/* users that do not fit into vc_user */
#define VC_USER_UNKNOWN	(VC_USER_ALL + 2)	/* not a key: the tag's row is still being
						 * created */

/* An account's share of vc_ring: see bpf/ring.bpf.h */
struct vc_share {
	__u64 lot;		/* records in the current batch */
	__u64 end;		/* position in the ring where the previous batches end */
	__u64 lost;		/* records that did not fit into the share */
};

struct vc_user {
	__u64 rows[VC_ROWS_NR];
	struct vc_share ring;
};

/* Offsets of members in the kernel's structs; all are 0 if they are unknown */
struct vc_offsets {
	__u32 task_cred;
	__u32 cred_user_ns;
	__u32 cred_caps;	/* cap_effective */
	__u32 user_ns_parent;
	__u32 user_ns_level;
	__u32 user_ns_owner;
	__u32 user_ns_inum;
};

/*
 * vc_direct: index -> slot, which programs write themselves through a mapping.  A slot belongs to
 * one thread at a time, so threads never wait for each other.
 */
#define VC_OWNER_ENDED	0xffffffffu	/* set by the owner when it exits */

struct vc_direct {
	__u32 owner;		/* thread ID; once the thread exits, others may use the slot */
	__u32 kind;		/* enum vc_kind, written last; 0: the slot is not in use yet */
	__u64 pidns;		/* inode number of @owner's PID namespace */
	__u32 user;		/* user of the tag, as claimed by the process */
	__u32 reserved;
	char name[VC_TAG_LEN];
	struct vc_stat stat;
	struct vc_events events;	/* the events in @count, written before it; constant */
	struct vc_count count;
	/* For the owner only: its counter values at the start of its transaction */
	__u64 bound;		/* set to which these values belong; 0 for none */
	__u64 begun;		/* begin time by vc_direct's clock; 0 or VC_NOT_BEGUN: not begun */
	__u64 from[VC_MAX_COUNTERS];
};

#define VC_NOT_BEGUN	(~0ull)

/* vc_tick: 0 -> the clock of vc_direct, which is the CPU's counter */
struct vc_tick {
	__u64 mult;		/* nanoseconds per tick, times 2^32 */
	__u32 usable;		/* 0: the CPU's counter is unusable; ticks are nanoseconds */
	__u32 active;		/* 0: tracing is off and the slots are no longer read */
	__u64 lost;		/* events lost because no slot was free */
	__u64 not_counted;	/* transactions whose counts did not get a slot */
	__u64 refused;		/* threads that could not count the events in vc_wanted */
};

/* vc_ring: individual events, if enabled */
enum vc_op {
	VC_OP_END = 2,
	VC_OP_ABORT = 3,
	VC_OP_POINT = 4,
	VC_OP_OBSERVE = 5,
	VC_OP_COUNTER = 6,
};

struct vc_record {
	__u64 ns;		/* CLOCK_MONOTONIC */
	__u64 start_ns;		/* for END and ABORT: the begin time */
	__u64 value;		/* for OBSERVE and COUNTER: bits of a double */
	__u64 tag;
	__u32 op;		/* enum vc_op */
	__u32 tgid;
	__u32 tid;
	__u32 reserved;
};

/* vc_drop (per CPU array): index -> number of events lost for that reason */
enum vc_drop_reason {
	VC_DROP_OPEN_FULL,	/* too many open transactions */
	VC_DROP_STAT_FULL,	/* too many tags and kinds */
	VC_DROP_TAG_FULL,	/* too many names */
	VC_DROP_NOT_OPEN,	/* an end or abort whose begin event was not seen */
	VC_DROP_GIVEN_UP,	/* begun, but the process exited or the tag was removed */
	VC_DROP_COUNT_FULL,	/* counted as transactions, but without their counters */
	VC_DROP_RING_FULL,	/* in the statistics, but not in the ring */
	VC_DROP_DIRECT_FULL,	/* no free slot in vc_direct; counted in vc_tick, not here */
	VC_DROP_NOT_COUNTED,	/* transactions without counts, although vc_wanted has events */
	VC_DROP_REMOVED,	/* tags that were removed with their statistics */
	VC_DROP_NR,
};

#endif /* VCPC_BPF_TRACE_H */
