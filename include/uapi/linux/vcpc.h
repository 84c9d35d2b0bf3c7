/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The whole contract between vcpc.ko and user space: /dev/vcpc, sets of
 * virtual 64-bit counters, and trace events.
 *
 * Sets
 *   /dev/vcpc answers VCPC_IOC_INFO and VCPC_IOC_SET_CREATE.  A set is a file
 *   descriptor of its own (O_CLOEXEC); closing its last copy, also by death,
 *   undoes everything.  A set is bound to a target (BIND), which gives it an
 *   instance there; counting starts at once unless VCPC_SET_F_DISABLED or
 *   VCPC_BIND_F_ENABLE_ON_EXEC says otherwise.  SAMPLE, or read(2) on the set,
 *   gives the values of one instant: one section with interrupts off, on the
 *   CPU where the target runs.  UNBIND takes the set off its target.
 *
 *   An operation with tid 0 means the calling thread's own instance if it has
 *   one, otherwise the set's only instance; if that is ambiguous, EINVAL.
 *
 *   Values are virtual counters: the request's preset plus the events since
 *   BIND, modulo 2^64.  They are never scaled: a set whose counters were ever
 *   off the PMU while its target ran is invalid, and says EAGAIN from then on.
 *
 *   Whoever holds the descriptor may use it: permission is asked when a set is
 *   made and when it is bound, not when it is sampled.
 *
 *   With VCPC_BIND_F_INHERIT, _TREE or _PROCESS one BIND brings about many
 *   instances, one for each thread, each of which can be named by its tid.
 *   INSTANCES lists them, VCPC_SAMPLE_F_TOTAL adds them up, and
 *   VCPC_TARGET_F_ALL means all of them.
 *
 *   With VCPC_BIND_F_CPU the target is a CPU, whoever runs on it.  Sets that count
 *   hardware events there and sets that do so on threads exclude each other,
 *   and each CPU has one of them at a time (unless the module's parameter
 *   "exclusive" is 0).  While the CPU is offline the values stay as they are.
 *
 *   With VCPC_SET_F_GROUPS the requests are in groups of which one counts at a
 *   time, and then the next, so that a set may have more requests than the PMU
 *   has counters.  A turn takes one slot of the target's time: of a thread's CPU
 *   time, or of a CPU's time.  Values are what was counted, and a sample says
 *   for how long each group counted; nothing is scaled.  DISABLE and ENABLE keep
 *   whose turn it is, and what is left of it.
 *
 *   Overflow: when the counter of a request that has VCPC_REQ_F_OVERFLOW goes past
 *   2^64 - 1, all counters of its instance stop, with the values of that moment,
 *   and the thread is sent the set's signal, if it has one.  That counter has a
 *   small value then, and is how many events came after the overflow.  RESTART goes
 *   on from the presets, ENABLE from the values.  A counter that starts from 0 or is
 *   far from the end overflows never.  What the counters count is bounded by the
 *   PMU's own precision: events between the overflow and its interrupt are counted.
 *   An overflow by the kernel's very last instructions before the thread leaves its
 *   CPU may be noticed when it leaves next.  Such a set is not for CPUs.
 *
 *   The signal has si_code VCPC_SI_OVERFLOW, si_addr the address in user mode, si_fd
 *   the descriptor that SET_CREATE gave, and si_errno the request's index.
 *
 *   SAMPLER gives another descriptor of the set, which may sample it and list its
 *   instances, and nothing else (EPERM): for handing to others.  It keeps the set, as
 *   the set's own descriptor does.
 *
 *   The instance outlives its target: after the target's exit its last values
 *   can be sampled until the set is unbound or closed; but when many threads
 *   have inherited and ended, the oldest of these remain in the totals only.  A target that gains
 *   privileges by execve (set-user-ID, file capabilities) counts as exited.
 *
 * Trace
 *   VCPC_IOC_TRACE_TAG turns a name into a tag.  A name belongs to the user who
 *   opened /dev/vcpc: the same name of another user is another tag.  The tag has an
 *   id, which listeners see and which is never given to another tag, and a
 *   handle, which stands for it on this descriptor, as long as that is open.
 *
 *   write(2) of a struct vcpc_trace_write fires a tracepoint (vcpc:vcpc_begin, ...)
 *   and nothing else; whoever listens takes the time.  One write is one event.
 *   pwrite(2) does the same at any position.  At VCPC_TRACE_AT, no other file takes
 *   it: who is not sure that the descriptor is still the device harms nobody.
 *
 *   A transaction is its process's (or thread's) on the descriptor on which it was
 *   begun: an end on another one does not end it, unless it says when it began.  When
 *   the descriptor's last copy is closed, what is still open on it is given up.
 *
 *   A page of /dev/vcpc, mapped to be read only, says whether anybody listens:
 *   see struct vcpc_trace_page.  A program that finds nobody need not call.
 *
 * Every argument struct starts with its size, which the caller sets to
 * sizeof(struct ...).  A longer struct than the module knows is accepted if
 * the rest is zero (E2BIG otherwise); a shorter one than version 1's is
 * EINVAL.  Reserved fields must be zero and unknown flags are EINVAL.
 * Structs the module fills are filled up to the caller's size.
 * All times are nanoseconds.
 */
#ifndef _UAPI_LINUX_VCPC_H
#define _UAPI_LINUX_VCPC_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define VCPC_ABI_VERSION	1

/* Features, in struct vcpc_info_args.features */
#define VCPC_FEAT_SETS		(1ULL << 0)	/* SET_CREATE on threads */
#define VCPC_FEAT_TRACE		(1ULL << 1)	/* TRACE_TAG, write(2) */
#define VCPC_FEAT_INHERIT	(1ULL << 2)	/* VCPC_BIND_F_INHERIT, _TREE */
#define VCPC_FEAT_OVERFLOW	(1ULL << 3)	/* VCPC_REQ_F_OVERFLOW */
#define VCPC_FEAT_CPU		(1ULL << 4)	/* VCPC_BIND_F_CPU */
#define VCPC_FEAT_GROUPS	(1ULL << 5)	/* VCPC_SET_F_GROUPS */
#define VCPC_FEAT_PROCESS	(1ULL << 7)	/* VCPC_BIND_F_PROCESS, totals, INSTANCES */
#define VCPC_FEAT_TRACE_COUNTS	(1ULL << 8)	/* VCPC_BIND_F_TRACE */
#define VCPC_FEAT_SHUFFLE	(1ULL << 9)	/* VCPC_SET_F_SHUFFLE */

#define VCPC_TAG_LEN		256		/* with the terminating NUL */

/**
 * struct vcpc_info_args - what this module offers (VCPC_IOC_INFO)
 * @size: in: sizeof(struct vcpc_info_args)
 * @abi: out: VCPC_ABI_VERSION of the module
 * @features: out: VCPC_FEAT_*
 * @max_requests: out: requests one set may have
 * @max_sets: out: sets one user may have open
 * @max_tags: out: trace tags one user may have
 * @hw_slots: out: hardware counters found so far by trying; 0 if there is no
 *	PMU, or if none was tried yet
 * @sample_size: out: bytes of struct vcpc_sample before its values
 * @reserved: out: 0
 */
struct vcpc_info_args {
	__u32 size;
	__u32 abi;
	__u64 features;
	__u32 max_requests;
	__u32 max_sets;
	__u32 max_tags;
	__u32 hw_slots;
	__u32 sample_size;
	__u32 reserved;
};

/* struct vcpc_request.flags: what is counted; at least one of the first two */
#define VCPC_REQ_F_USER		(1U << 0)
#define VCPC_REQ_F_KERNEL	(1U << 1)
/* When the virtual counter goes past 2^64 - 1, see "Overflow" above; not in groups. */
#define VCPC_REQ_F_OVERFLOW	(1U << 2)

/**
 * struct vcpc_request - one event of a set
 * @type: perf event type (PERF_TYPE_*, or a dynamic PMU's number)
 * @flags: VCPC_REQ_F_*
 * @config: as in struct perf_event_attr
 * @config1: as in struct perf_event_attr
 * @config2: as in struct perf_event_attr
 * @preset: value the virtual counter starts from
 * @group: with VCPC_SET_F_GROUPS its group: 0 for the first request, for each
 *	other one that of the request before it or the next; otherwise 0
 * @reserved0: must be zero
 * @reserved: must be zero
 */
struct vcpc_request {
	__u32 type;
	__u32 flags;
	__u64 config;
	__u64 config1;
	__u64 config2;
	__u64 preset;
	__u32 group;
	__u32 reserved0;
	__u64 reserved[2];
};

/* struct vcpc_set_create_args.flags */
#define VCPC_SET_F_DISABLED	(1U << 0)	/* BIND does not start counting */
#define VCPC_SET_F_GROUPS	(1U << 1)	/* groups of requests take turns */
/*
 * With VCPC_SET_F_GROUPS: in each round in another order, and for up to a tenth of the
 * slot more or less, so that a target that repeats itself does not keep step with them.
 */
#define VCPC_SET_F_SHUFFLE	(1U << 8)

/* The length of a turn in nanoseconds */
#define VCPC_SLOT_MIN		1000000ULL
#define VCPC_SLOT_MAX		30000000000ULL
#define VCPC_SLOT_DEFAULT	100000000ULL

/**
 * struct vcpc_set_create_args - make a set (VCPC_IOC_SET_CREATE)
 * @size: in: sizeof(struct vcpc_set_create_args)
 * @flags: in: VCPC_SET_F_*
 * @nr_requests: in: 1..max_requests
 * @request_size: in: sizeof(struct vcpc_request)
 * @requests: in: user address of @nr_requests structs of @request_size bytes
 * @bad_request: out, on failure: index of the request that was refused, or
 *	-1 if the failure is not about one request; left alone if @size is too
 *	short for this version
 * @seed: in: with VCPC_SET_F_SHUFFLE what orders and lengths follow from;
 *	otherwise 0
 * @slot: in: with VCPC_SET_F_GROUPS the length of a turn, VCPC_SLOT_MIN to
 *	VCPC_SLOT_MAX, or 0 for VCPC_SLOT_DEFAULT; otherwise 0
 * @signal: in: what a thread is sent at an overflow, 0 for none; only with a
 *	request that has VCPC_REQ_F_OVERFLOW
 * @reserved: must be zero
 *
 * ioctl(2) returns the new descriptor, or -1 and errno: EINVAL (arguments,
 * or an event whose config the PMU refuses), ENOENT/EOPNOTSUPP (no such event
 * here), EACCES (needs CAP_PERFMON), EMFILE, ENFILE, EUSERS (the user's limit
 * of sets), ENOMEM, EFAULT.  The events are looked at again at BIND.
 */
struct vcpc_set_create_args {
	__u32 size;
	__u32 flags;
	__u32 nr_requests;
	__u32 request_size;
	__u64 requests;
	__s32 bad_request;
	__u32 seed;
	__u64 slot;
	__u32 signal;
	__u32 reserved;
};

/* siginfo_t.si_code of an overflow's signal */
#define VCPC_SI_OVERFLOW	2

/* struct vcpc_bind_args.flags */
/* Start at the target's next execve. */
#define VCPC_BIND_F_ENABLE_ON_EXEC	(1U << 0)
/* The target's new threads get an instance too, and those that they start. */
#define VCPC_BIND_F_INHERIT		(1U << 1)
/* And so do its new processes. */
#define VCPC_BIND_F_TREE		(1U << 2)
/* The target is the process that has the thread: all threads that it has now. */
#define VCPC_BIND_F_PROCESS		(1U << 3)
/* The target is not a thread but the CPU with the number tid. */
#define VCPC_BIND_F_CPU			(1U << 4)
/* With VCPC_BIND_F_CPU: do not take the counters away from sets on threads. */
#define VCPC_BIND_F_YIELD		(1U << 5)
/*
 * The threads' samples go along with their trace events: what a transaction has
 * counted is the difference of two.  Of several such sets of a thread one is
 * taken, and of that the first 8 counters.
 */
#define VCPC_BIND_F_TRACE		(1U << 8)

/**
 * struct vcpc_bind_args - put the set on a thread (VCPC_IOC_BIND)
 * @size: in: sizeof(struct vcpc_bind_args)
 * @flags: in: VCPC_BIND_F_*
 * @tid: in: target thread, 0 for the caller; with VCPC_BIND_F_CPU the CPU
 * @bad_request: out, on failure: as in struct vcpc_set_create_args
 *
 * Errors: ESRCH (no such thread, or it is exiting), EACCES (neither of the caller's
 * process nor traced by it, and no CAP_PERFMON), EBUSY (already bound there),
 * ENOSPC (the CPU cannot hold the whole set), EUSERS (the user's limit of
 * counters), EINTR (killed), EOPNOTSUPP (this kernel tells nobody of new
 * threads), and those of SET_CREATE for the events.
 *
 * A set with a signal cannot have VCPC_BIND_F_TREE (EINVAL), and its target is of
 * the caller's process, or the caller has CAP_KILL.
 *
 * VCPC_BIND_F_CPU goes with no other flag but VCPC_BIND_F_YIELD and with no request that
 * has VCPC_REQ_F_OVERFLOW (EINVAL), needs CAP_PERFMON, and says ENODEV if there is no
 * such CPU or it is offline.  It makes
 * all sets invalid that count hardware events on threads; with
 * VCPC_BIND_F_YIELD it is EAGAIN if there are any.  EAGAIN also says: hardware
 * events are counted on that CPU by another set bound to it; or, for a
 * thread, on any CPU.
 *
 * Only a running target can tell whether there is room on its CPU.  For others
 * the set is tried out on its own; if it then finds no room beside what else
 * the target has bound, it is invalid.
 *
 * A new thread that inherits gets its instance before its first instruction in
 * user mode.  It starts from the presets that its parent's instance has, PRESET's
 * among them, and counts, is disabled, or waits for execve as that does.  But if the
 * set has a signal, it is stopped as by an overflow, with the requests that have
 * VCPC_REQ_F_OVERFLOW at 2^64 - 1, and its first instruction is in the signal's handler:
 * there it sets presets and calls RESTART, or does not.
 * Helpers that the kernel starts inside a process inherit nothing.  If an instance
 * cannot be made, for want of memory, of counters or by the user's limit, totals are
 * EAGAIN.
 */
struct vcpc_bind_args {
	__u32 size;
	__u32 flags;
	__s32 tid;
	__s32 bad_request;
};

/* struct vcpc_target_args.flags */
/* Not one instance, but all that the BIND began which @tid is of; 0: of all BINDs. */
#define VCPC_TARGET_F_ALL	(1U << 0)
/* tid is the number of a CPU. */
#define VCPC_TARGET_F_CPU	(1U << 1)

/**
 * struct vcpc_target_args - name an instance (VCPC_IOC_UNBIND, _ENABLE, _DISABLE,
 *	_RESTART)
 * @size: in: sizeof(struct vcpc_target_args)
 * @flags: in: VCPC_TARGET_F_*
 * @tid: in: the instance's thread, 0: see "Sets" above
 * @reserved: must be zero
 *
 * Errors: EINVAL (not bound there; ENABLE while counting; DISABLE while
 * stopped), EAGAIN (the set is invalid; UNBIND still works).  With
 * VCPC_TARGET_F_ALL, an instance that counts or is stopped already is no error.
 *
 * UNBIND takes an instance's counts out of the totals.
 *
 * RESTART sets all counters to their presets and lets them count, whether they
 * were stopped or not; the virtual time goes on.  It is EINVAL for a set with
 * groups, before the execve that is waited for, and when the target has exited.
 */
struct vcpc_target_args {
	__u32 size;
	__u32 flags;
	__s32 tid;
	__u32 reserved;
};

/**
 * struct vcpc_preset_args - what a request shall start from (VCPC_IOC_PRESET)
 * @size: in: sizeof(struct vcpc_preset_args)
 * @flags: in: VCPC_TARGET_F_CPU, or 0
 * @tid: in: the instance's thread, 0: see "Sets" above
 * @request: in: its index
 * @preset: in: its preset in this instance from the next RESTART on
 *
 * Errors: EINVAL (not bound there, no such request), ENOMEM.
 */
struct vcpc_preset_args {
	__u32 size;
	__u32 flags;
	__s32 tid;
	__u32 request;
	__u64 preset;
};

/* struct vcpc_sample.state */
#define VCPC_STATE_COUNTING	(1U << 0)	/* not disabled, not waiting for execve */
#define VCPC_STATE_EXITED	(1U << 1)	/* the target has exited, and of a
						 * total all threads; values are final
						 */
#define VCPC_STATE_OFFLINE	(1U << 2)	/* the target is a CPU, and offline */
#define VCPC_STATE_FROZEN	(1U << 3)	/* stopped by an overflow */

/**
 * struct vcpc_sample - all values of a set at one instant
 * @size: where @values begin: bytes of the head, which a later version may make longer
 * @nr: number of values
 * @state: VCPC_STATE_*
 * @time: CLOCK_MONOTONIC; of a disabled set, when it was disabled
 * @tick: virtual time: CPU time of the target while the set was counting
 * @values: one per request, in the order of SET_CREATE
 *
 * This is what read(2) on the set gives, whole or not at all (EINVAL if the
 * buffer is too small).  Values belong together: they are read in one section
 * in which the target does not run.  INFO says how long the head is that this module
 * writes.
 */
struct vcpc_sample {
	__u16 size;
	__u16 nr;
	__u32 state;
	__u64 time;
	__u64 tick;
	__u64 values[];
};

/**
 * struct vcpc_group_sample - a group's turns so far
 * @time: wall time that the group counted, with the target's sleep
 * @tick: the target's time that it counted: CPU time of a thread
 * @rounds: how often all groups have completed their turns; the same number in all
 * @voids: turns of this group in which a counter was missing for a while; what
 *	was lost is neither in its values nor in its times
 *
 * A group with @tick 0 has not been measured.  A sample of a set that has
 * VCPC_SET_F_GROUPS is followed by one of these for each group, behind the last
 * value, of the same instant.  The time in which counters were changed over is
 * in vcpc_sample.tick, but is no group's.  Of a thread that has ended, the time
 * since it was last looked at is its CPU time only.
 *
 * In a total, the threads' turns and rounds are added up; CPUs' rounds are not,
 * but the least is given.
 */
struct vcpc_group_sample {
	__u64 time;
	__u64 tick;
	__u64 rounds;
	__u64 voids;
};

/* struct vcpc_sample_args.flags */
/* The sums over all that the BIND began which @tid is of; 0: over all BINDs. */
#define VCPC_SAMPLE_F_TOTAL	(1U << 0)
/* tid is the number of a CPU. */
#define VCPC_SAMPLE_F_CPU	(1U << 1)

/**
 * struct vcpc_sample_args - take a sample (VCPC_IOC_SAMPLE)
 * @size: in: sizeof(struct vcpc_sample_args)
 * @flags: in: VCPC_SAMPLE_F_*
 * @tid: in: the instance's thread, 0: see "Sets" above
 * @buf_size: in: bytes at @buf, at least the sample's
 * @buf: in: user address of a struct vcpc_sample
 *
 * Errors: EINVAL (not bound, buffer too small), EAGAIN (the set is invalid, or a
 * total would not be whole), EFAULT, EINTR (killed), ENOMEM (a set with groups, or of more
 * than 128 requests).
 *
 * A total is the sum of the instances' samples, also of those that have ended:
 * of the values, modulo 2^64, and of the CPU times.  The threads are read one
 * after the other while others run.  Its @time is when that began; its @state is
 * VCPC_STATE_EXITED when all threads have ended, VCPC_STATE_COUNTING if any counts.
 */
struct vcpc_sample_args {
	__u32 size;
	__u32 flags;
	__s32 tid;
	__u32 buf_size;
	__u64 buf;
};

/* struct vcpc_instance_info.state, beside VCPC_STATE_*; not in samples */
#define VCPC_STATE_INVALID	(1U << 16)	/* counts were lost: a sample says EAGAIN */

/**
 * struct vcpc_instance_info - one instance of a set
 * @tid: its thread, by the caller's numbers; 0 if it has none there; with
 *	VCPC_BIND_F_CPU in @bind_flags the CPU
 * @tgid: its process, likewise
 * @root: the thread that BIND named
 * @bind_flags: VCPC_BIND_F_* of that BIND
 * @state: VCPC_STATE_*
 * @reserved: zero
 */
struct vcpc_instance_info {
	__s32 tid;
	__s32 tgid;
	__s32 root;
	__u32 bind_flags;
	__u32 state;
	__u32 reserved[3];
};

/**
 * struct vcpc_instances_args - list a set's instances (VCPC_IOC_INSTANCES)
 * @size: in: sizeof(struct vcpc_instances_args)
 * @flags: must be zero
 * @info: in: user address of @room structs of @info_size bytes
 * @info_size: in: sizeof(struct vcpc_instance_info)
 * @room: in: how many structs fit; 0 only counts
 * @nr: out: how many instances there are, of which the first @room were written,
 *	oldest first
 * @folded: out: ended ones that are no longer listed, but only in the totals
 * @pending: out: new threads that will have an instance when they first run
 * @lost: out: 1 if a thread could not be given an instance
 *
 * Errors: EINVAL, E2BIG, ENOMEM, EFAULT.
 */
struct vcpc_instances_args {
	__u32 size;
	__u32 flags;
	__u64 info;
	__u32 info_size;
	__u32 room;
	__u32 nr;
	__u32 folded;
	__u32 pending;
	__u32 lost;
};

/**
 * struct vcpc_trace_tag_args - a tag of a name (VCPC_IOC_TRACE_TAG)
 * @size: in: sizeof(struct vcpc_trace_tag_args)
 * @flags: must be zero
 * @name: in: user address of the name
 * @name_len: in: its length without a NUL, 1..VCPC_TAG_LEN-1; no NUL inside
 * @handle: out: the tag on this descriptor, never 0; the same for the same name
 * @tag: out: its id, never 0; the same for all of the user's descriptors while any
 *	of them holds the tag
 *
 * Errors: EINVAL (length, NUL inside), ENAMETOOLONG, EUSERS (the user has all tags
 * that one user may have, and holds them), ENOSPC (all users together have), EINTR
 * (killed), ENOMEM, EFAULT.
 */
struct vcpc_trace_tag_args {
	__u32 size;
	__u32 flags;
	__u64 name;
	__u32 name_len;
	__u32 handle;
	__u64 tag;
};

/* struct vcpc_trace_write.op */
#define VCPC_TRACE_BEGIN	1
#define VCPC_TRACE_END		2
#define VCPC_TRACE_ABORT	3
#define VCPC_TRACE_POINT	4
#define VCPC_TRACE_OBSERVE	5
#define VCPC_TRACE_COUNTER	6

/**
 * struct vcpc_trace_write - a trace event (write(2) on /dev/vcpc)
 * @op: VCPC_TRACE_*
 * @handle: the tag, as VCPC_IOC_TRACE_TAG gave it on this descriptor
 * @value: bits of a double for OBSERVE and COUNTER; for END and ABORT when
 *	the transaction began (CLOCK_MONOTONIC), 0 if its BEGIN was written or
 *	that is not known; otherwise 0
 *
 * Its size is what is written: all of it, or nothing.
 *
 * Errors: EINVAL, E2BIG, ENOENT (no tag of this descriptor), EFAULT.
 */
struct vcpc_trace_write {
	__u32 op;
	__u32 handle;
	__u64 value;
};

/* A write that ends beyond the last position that a file can have */
#define VCPC_TRACE_AT		0x7ffffffffffffff8LL

/* struct vcpc_trace_page.flags */
#define VCPC_TRACE_LISTENING	(1U << 0)	/* somebody wants events */
/* ... and BEGIN, too: END and ABORT with a time do not do */
#define VCPC_TRACE_BEGINS	(1U << 1)

/**
 * struct vcpc_trace_page - who wants to hear of trace events
 * @size: bytes of this struct that mean something
 * @flags: VCPC_TRACE_LISTENING, VCPC_TRACE_BEGINS; they change at any time
 *
 * The first page of /dev/vcpc, for mmap(2) with PROT_READ.
 */
struct vcpc_trace_page {
	__u32 size;
	__u32 flags;
};

/*
 * A number says the direction and the size of what its struct was in version 1; a caller with
 * a longer struct has another number, and the size in the struct's first field is what counts.
 */
#define VCPC_IOC_TYPE		0xFA
#define VCPC_IOC_INFO		_IOWR(VCPC_IOC_TYPE, 0x00, struct vcpc_info_args)
#define VCPC_IOC_SET_CREATE	_IOWR(VCPC_IOC_TYPE, 0x01, struct vcpc_set_create_args)
#define VCPC_IOC_TRACE_TAG	_IOWR(VCPC_IOC_TYPE, 0x02, struct vcpc_trace_tag_args)

/* On a set's descriptor; SAMPLE and INSTANCES on a sampler, too */
#define VCPC_IOC_BIND		_IOWR(VCPC_IOC_TYPE, 0x10, struct vcpc_bind_args)
#define VCPC_IOC_UNBIND		_IOW(VCPC_IOC_TYPE, 0x11, struct vcpc_target_args)
#define VCPC_IOC_SAMPLE		_IOW(VCPC_IOC_TYPE, 0x12, struct vcpc_sample_args)
#define VCPC_IOC_ENABLE		_IOW(VCPC_IOC_TYPE, 0x13, struct vcpc_target_args)
#define VCPC_IOC_DISABLE	_IOW(VCPC_IOC_TYPE, 0x14, struct vcpc_target_args)
#define VCPC_IOC_RESTART	_IOW(VCPC_IOC_TYPE, 0x15, struct vcpc_target_args)
#define VCPC_IOC_PRESET		_IOW(VCPC_IOC_TYPE, 0x16, struct vcpc_preset_args)
#define VCPC_IOC_INSTANCES	_IOWR(VCPC_IOC_TYPE, 0x17, struct vcpc_instances_args)
/* No argument; gives a descriptor, or -1 and errno: EMFILE, ENFILE, ENOMEM. */
#define VCPC_IOC_SAMPLER	_IO(VCPC_IOC_TYPE, 0x18)

#endif /* _UAPI_LINUX_VCPC_H */
