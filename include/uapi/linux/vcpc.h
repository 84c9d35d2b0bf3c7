/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The contract between vcpc.ko and user space: /dev/vcpc, sets of virtual 64-bit
 * counters, and trace events.
 *
 * Sets
 *   /dev/vcpc answers VCPC_IOC_INFO and VCPC_IOC_SET_CREATE.  A set is a file
 *   descriptor (O_CLOEXEC).  Closing its last copy, also by the process's death,
 *   undoes everything.
 *
 *   BIND puts the set on the calling thread: the thread gets an instance of the
 *   set.  No call names another thread, process or CPU as a target; use
 *   perf_event_open(2) for those.  ENABLE, DISABLE, RESTART, PRESET and UNBIND act
 *   on the calling thread's own instance and fail with EINVAL if it has none.
 *   Counting starts at once unless VCPC_SET_F_DISABLED or
 *   VCPC_BIND_F_ENABLE_ON_EXEC says otherwise.
 *
 *   SAMPLE, or read(2) on the set, returns the values of one instant: all counters
 *   of the calling thread are read in one section with interrupts disabled.
 *
 *   Values are virtual counters: the request's preset plus the events since BIND,
 *   modulo 2^64.  They are never scaled: a set whose counters were ever off the PMU
 *   while its thread ran is invalid, and every sample of it fails with EAGAIN.
 *
 *   A descriptor is a capability: permission is checked when a set is created and
 *   when it is bound, not when it is sampled.
 *
 * Inheritance
 *   With VCPC_BIND_F_INHERIT or VCPC_BIND_F_TREE each new thread opens an instance
 *   of its own, in its own context, before it first returns to user mode.  Holders
 *   of the descriptor can list all instances (INSTANCES), sample one of them by its
 *   thread's id, and sample the total (VCPC_SAMPLE_F_TOTAL), which includes the
 *   instances of threads that have ended.  A sample of another thread's instance is
 *   read counter by counter while that thread runs, so its values do not belong to
 *   one instant; only a thread's sample of its own instance does.
 *
 * execve
 *   An instance stays with its thread across execve(2).  It ends when the new
 *   program gains privileges (set-user-ID, file capabilities) or when the caller may
 *   not read the new program's file; the last values can still be sampled.
 *
 * Overflow
 *   When the counter of a request with VCPC_REQ_F_OVERFLOW goes past 2^64 - 1, all
 *   counters of its instance stop with the values of that moment, and the thread
 *   receives the set's signal, if there is one.  The value of that counter is the
 *   number of events after the overflow.  RESTART continues from the presets, ENABLE
 *   from the values.  A counter that starts from 0 never overflows in practice.
 *   Precision is the PMU's: events between the overflow and its interrupt are
 *   counted.  An overflow caused by the kernel's last instructions before the thread
 *   leaves its CPU may be noticed only when it leaves its CPU the next time.
 *
 *   The signal has si_code VCPC_SI_OVERFLOW, si_addr the address in user mode, si_fd
 *   the descriptor that SET_CREATE returned, and si_errno the request's index.  A
 *   thread that has executed another program since then does not receive it.
 *
 * Trace
 *   VCPC_IOC_TRACE_TAG turns a name into a tag.  A name belongs to the user who
 *   opened /dev/vcpc: the same name of another user is another tag.  The tag has an
 *   id, which listeners see and which is never given to another tag, and a handle,
 *   which stands for it on this descriptor.
 *
 *   write(2) of a struct vcpc_trace_write fires a tracepoint (vcpc:vcpc_begin, ...)
 *   and does nothing else; the listener takes the time.  One write is one event.
 *   pwrite(2) does the same at any position.  No other file accepts a write at
 *   VCPC_TRACE_AT, so a program that is not sure whether the descriptor is still the
 *   device can use that position without harming another file.
 *
 *   A transaction belongs to its process (or thread) on the descriptor on which it
 *   was begun: an end on another descriptor does not end it, unless the end says when
 *   the transaction began.  When the descriptor's last copy is closed, transactions
 *   that are still open on it are abandoned.
 *
 *   A page of /dev/vcpc, mapped read-only, says whether anybody listens: see struct
 *   vcpc_trace_page.  While nobody listens, a program need not call.
 *
 * Every argument struct starts with its size, which the caller sets to
 * sizeof(struct ...).  A longer struct than the module knows is accepted if the rest
 * is zero (E2BIG otherwise); a shorter one than this version's is EINVAL.  Reserved
 * fields must be zero, and unknown flags are EINVAL.  Structs that the module fills
 * are filled up to the caller's size.  All times are nanoseconds; CLOCK_MONOTONIC is
 * the caller's, by its time namespace.
 */
#ifndef _UAPI_LINUX_VCPC_H
#define _UAPI_LINUX_VCPC_H

#include <linux/ioctl.h>
#include <linux/types.h>

/* Version 1 could bind other threads, processes and CPUs, and had multiplexed groups. */
#define VCPC_ABI_VERSION	2

/* Features, in struct vcpc_info_args.features */
#define VCPC_FEAT_SETS		(1ULL << 0)	/* SET_CREATE, BIND */
#define VCPC_FEAT_TRACE		(1ULL << 1)	/* TRACE_TAG, write(2) */
#define VCPC_FEAT_INHERIT	(1ULL << 2)	/* VCPC_BIND_F_INHERIT, _TREE */
#define VCPC_FEAT_OVERFLOW	(1ULL << 3)	/* VCPC_REQ_F_OVERFLOW */
#define VCPC_FEAT_TRACE_COUNTS	(1ULL << 8)	/* VCPC_BIND_F_TRACE */

#define VCPC_TAG_LEN		256		/* with the terminating NUL */

/**
 * struct vcpc_info_args - what this module offers (VCPC_IOC_INFO)
 * @size: in: sizeof(struct vcpc_info_args)
 * @abi: out: VCPC_ABI_VERSION of the module
 * @features: out: VCPC_FEAT_*
 * @max_requests: out: requests that one set of the caller may have
 * @max_sets: out: sets one user may have open
 * @max_tags: out: trace tags one user may have
 * @hw_slots: out: hardware counters that were free when the module was loaded; 0 if there
 *	is no PMU
 * @sample_size: out: bytes of struct vcpc_sample before its values
 * @counted: out: 1 if the calling thread has an instance that was bound with
 *	VCPC_BIND_F_TRACE and has not ended, for example from before its execve
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
	__u32 counted;
};

/* struct vcpc_request.flags: what is counted; at least one of the first two */
#define VCPC_REQ_F_USER		(1U << 0)
#define VCPC_REQ_F_KERNEL	(1U << 1)
/* Stop the set when the virtual counter goes past 2^64 - 1; see "Overflow" above. */
#define VCPC_REQ_F_OVERFLOW	(1U << 2)

/**
 * struct vcpc_request - one event of a set
 * @type: perf event type (PERF_TYPE_*, or a dynamic PMU's number)
 * @flags: VCPC_REQ_F_*
 * @config: as in struct perf_event_attr
 * @config1: as in struct perf_event_attr
 * @config2: as in struct perf_event_attr
 * @preset: value the virtual counter starts from
 * @reserved: must be zero
 */
struct vcpc_request {
	__u32 type;
	__u32 flags;
	__u64 config;
	__u64 config1;
	__u64 config2;
	__u64 preset;
	__u64 reserved[3];
};

/* struct vcpc_set_create_args.flags */
#define VCPC_SET_F_DISABLED	(1U << 0)	/* BIND does not start counting */

/**
 * struct vcpc_set_create_args - make a set (VCPC_IOC_SET_CREATE)
 * @size: in: sizeof(struct vcpc_set_create_args)
 * @flags: in: VCPC_SET_F_*
 * @nr_requests: in: 1..max_requests
 * @request_size: in: sizeof(struct vcpc_request)
 * @requests: in: user address of @nr_requests structs of @request_size bytes
 * @bad_request: out, on failure: index of the request that was refused, or
 *	-1 if the failure is not about one request
 * @signal: in: the signal sent to a thread at an overflow, 0 for none; only with a
 *	request that has VCPC_REQ_F_OVERFLOW
 * @reserved: must be zero
 *
 * ioctl(2) returns the new descriptor, or -1 and errno: EINVAL (arguments,
 * or an event whose config the PMU refuses), ENOENT/EOPNOTSUPP (no such event
 * here), EACCES (needs CAP_PERFMON), EMFILE, ENFILE, EUSERS (the user's limit
 * of sets), ENOMEM, EFAULT.  The events are checked again at BIND.
 */
struct vcpc_set_create_args {
	__u32 size;
	__u32 flags;
	__u32 nr_requests;
	__u32 request_size;
	__u64 requests;
	__s32 bad_request;
	__u32 signal;
	__u64 reserved[2];
};

/* siginfo_t.si_code of an overflow's signal */
#define VCPC_SI_OVERFLOW	2

/* struct vcpc_bind_args.flags */
/* Start counting at the thread's next execve. */
#define VCPC_BIND_F_ENABLE_ON_EXEC	(1U << 0)
/* The thread's new threads get an instance too, and the threads that those start. */
#define VCPC_BIND_F_INHERIT		(1U << 1)
/* New threads and new processes get an instance. */
#define VCPC_BIND_F_TREE		(1U << 2)
/*
 * Samples of the thread's instance accompany its trace events that have
 * VCPC_TRACE_F_COUNTS: the counts of a transaction are the difference of two samples.
 * If a thread has several such sets, one of them is sampled; of a set, the first 8
 * counters are.
 */
#define VCPC_BIND_F_TRACE		(1U << 8)

/**
 * struct vcpc_bind_args - put the set on the calling thread (VCPC_IOC_BIND)
 * @size: in: sizeof(struct vcpc_bind_args)
 * @flags: in: VCPC_BIND_F_*
 * @reserved: must be zero
 * @bad_request: out, on failure: as in struct vcpc_set_create_args
 *
 * Errors: EACCES (also: a set with a signal that another user than root created), EBUSY (the thread
 * has an instance of this set), ENOSPC (the CPU cannot hold the whole set), EUSERS (the
 * user's limit of counters, or the thread's), EINTR (killed), EOPNOTSUPP (this kernel does
 * not report new threads or execve), EINVAL (a set with a signal and VCPC_BIND_F_TREE), and
 * those of SET_CREATE for the events.
 *
 * A thread's limit counts one for each request, one for each instance, and seven more for
 * each request for time (cpu-clock, task-clock) that has VCPC_REQ_F_OVERFLOW.
 *
 * A new thread that inherits starts from the presets that its parent's instance has,
 * including those set by PRESET, and counts, is disabled, or waits for execve as its
 * parent does.  If the set has a signal, the new thread's instance starts stopped, as
 * by an overflow, with the requests that have VCPC_REQ_F_OVERFLOW at 2^64 - 1, and the
 * thread receives the signal before its first instruction in user mode.  Kernel helper
 * threads inside a process (io_uring, vhost) inherit nothing.  If an instance cannot
 * be made, because of memory, counters or a limit, totals fail with EAGAIN.
 */
struct vcpc_bind_args {
	__u32 size;
	__u32 flags;
	__u32 reserved;
	__s32 bad_request;
};

/* struct vcpc_own_args.flags, for UNBIND only: all instances of the set */
#define VCPC_OWN_F_ALL		(1U << 0)

/**
 * struct vcpc_own_args - act on the calling thread's instance (VCPC_IOC_UNBIND,
 *	_ENABLE, _DISABLE, _RESTART)
 * @size: in: sizeof(struct vcpc_own_args)
 * @flags: in: 0, or VCPC_OWN_F_ALL with UNBIND
 *
 * Errors: EINVAL (the thread has no instance; ENABLE while counting; DISABLE while
 * stopped; all but UNBIND before the execve that an instance waits for), EAGAIN (the
 * set is invalid; UNBIND still works), EINTR (killed).
 *
 * UNBIND with VCPC_OWN_F_ALL closes every instance and forgets the totals, as closing
 * the descriptor does, but keeps the set.  UNBIND of one instance removes its counts
 * from the total.
 *
 * RESTART sets all counters to their presets and lets them count, whether they
 * were stopped or not; the virtual time continues.  A thread that restarts so often
 * that the kernel throttles its counters sleeps until the next timer tick first.
 */
struct vcpc_own_args {
	__u32 size;
	__u32 flags;
};

/**
 * struct vcpc_preset_args - set a request's start value (VCPC_IOC_PRESET)
 * @size: in: sizeof(struct vcpc_preset_args)
 * @request: in: its index
 * @preset: in: its preset in the calling thread's instance from the next RESTART on
 *
 * Errors: EINVAL (the thread has no instance; no such request), EAGAIN (the set is invalid).
 */
struct vcpc_preset_args {
	__u32 size;
	__u32 request;
	__u64 preset;
};

/* struct vcpc_sample.state */
#define VCPC_STATE_COUNTING	(1U << 0)	/* not disabled, not waiting for execve */
#define VCPC_STATE_EXITED	(1U << 1)	/* the thread has exited or its execve ended
						 * the instance; of a total: all threads
						 */
#define VCPC_STATE_FROZEN	(1U << 3)	/* stopped by an overflow */

/**
 * struct vcpc_sample - the values of a set
 * @size: offset of @values, which a later version may increase
 * @nr: number of values
 * @state: VCPC_STATE_*
 * @time: CLOCK_MONOTONIC; of a stopped set, when it was stopped
 * @tick: virtual time: CPU time of the thread while the set was counting
 * @values: one per request, in the order of SET_CREATE
 *
 * read(2) on the set returns this, whole or not at all (EINVAL if the buffer is too
 * small).
 */
struct vcpc_sample {
	__u16 size;
	__u16 nr;
	__u32 state;
	__u64 time;
	__u64 tick;
	__u64 values[];
};

/* struct vcpc_sample_args.flags */
/* The sum over all instances, including those that have ended */
#define VCPC_SAMPLE_F_TOTAL	(1U << 0)

/**
 * struct vcpc_sample_args - take a sample (VCPC_IOC_SAMPLE)
 * @size: in: sizeof(struct vcpc_sample_args)
 * @flags: in: VCPC_SAMPLE_F_*
 * @tid: in: thread of one of the set's instances, as INSTANCES lists it; 0 for the
 *	calling thread's instance, or the set's only instance if the caller has none; must be
 *	0 with VCPC_SAMPLE_F_TOTAL
 * @buf_size: in: bytes at @buf, at least the sample's
 * @buf: in: user address of a struct vcpc_sample
 *
 * Errors: EINVAL (not bound, buffer too small), EAGAIN (the set is invalid, or a
 * total would be incomplete), EBUSY (another thread's instance was restarted again and
 * again while it was read), EFAULT, EINTR (killed), ENOMEM.
 *
 * A total is the sum of all instances' values, modulo 2^64, and CPU times.  The
 * threads are read one after the other while they run.  Its @time is when that began;
 * its @state is VCPC_STATE_EXITED when all threads have ended, VCPC_STATE_COUNTING if
 * any counts.
 */
struct vcpc_sample_args {
	__u32 size;
	__u32 flags;
	__s32 tid;
	__u32 buf_size;
	__u64 buf;
};

/* struct vcpc_instance_info.state, in addition to VCPC_STATE_*; not in samples */
#define VCPC_STATE_INVALID	(1U << 16)	/* counts were lost: a sample fails with EAGAIN */

/**
 * struct vcpc_instance_info - one instance of a set
 * @tid: its thread, by the caller's pid namespace; 0 if it has no id there
 * @tgid: its process, likewise
 * @root: the thread that called BIND, likewise
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
 * @nr: out: number of instances, of which the first @room were written,
 *	oldest first
 * @folded: out: ended ones that are no longer listed, and are in the total only
 * @pending: out: new threads that will have an instance when they first run
 * @lost: out: 1 if a thread could not be given an instance
 *
 * Errors: EINVAL, E2BIG, ENOMEM, EFAULT, EINTR.
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
 * that one user may have, and holds them), ENOSPC (the descriptor has 4095 tags),
 * EINTR (killed), ENOMEM, EFAULT.
 */
struct vcpc_trace_tag_args {
	__u32 size;
	__u32 flags;
	__u64 name;
	__u32 name_len;
	__u32 handle;
	__u64 tag;
};

/* struct vcpc_trace_write.op: one of these ... */
#define VCPC_TRACE_BEGIN	1
#define VCPC_TRACE_END		2
#define VCPC_TRACE_ABORT	3
#define VCPC_TRACE_POINT	4
#define VCPC_TRACE_OBSERVE	5
#define VCPC_TRACE_COUNTER	6
/* ... and with BEGIN and END, sample the thread's instance that has VCPC_BIND_F_TRACE */
#define VCPC_TRACE_F_COUNTS	(1U << 8)

/**
 * struct vcpc_trace_write - a trace event (write(2) on /dev/vcpc)
 * @op: VCPC_TRACE_*
 * @handle: the tag, as VCPC_IOC_TRACE_TAG gave it on this descriptor
 * @value: bits of a double for OBSERVE and COUNTER; for END and ABORT when
 *	the transaction began (CLOCK_MONOTONIC), 0 if its BEGIN was written or
 *	that is not known; otherwise 0
 *
 * Its size is what is written: all of it, or nothing.  VCPC_TRACE_F_COUNTS of a thread
 * without such an instance is no error.
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
#define VCPC_TRACE_LISTENING	(1U << 0)	/* somebody listens to events */
/* ... and needs BEGIN as well: END and ABORT with a time do not suffice */
#define VCPC_TRACE_BEGINS	(1U << 1)

/**
 * struct vcpc_trace_page - whether anybody listens to trace events
 * @size: bytes of this struct that are valid
 * @flags: VCPC_TRACE_LISTENING, VCPC_TRACE_BEGINS; they change at any time
 *
 * The first page of /dev/vcpc, for mmap(2) with PROT_READ.  A transaction with
 * VCPC_TRACE_F_COUNTS always needs its BEGIN.
 */
struct vcpc_trace_page {
	__u32 size;
	__u32 flags;
};

/*
 * A command's number encodes the direction and size of its struct in this version; a
 * caller with a longer struct has another number, and the size in the struct's first
 * field is what counts.
 */
#define VCPC_IOC_TYPE		0xFA
#define VCPC_IOC_INFO		_IOWR(VCPC_IOC_TYPE, 0x00, struct vcpc_info_args)
#define VCPC_IOC_SET_CREATE	_IOWR(VCPC_IOC_TYPE, 0x01, struct vcpc_set_create_args)
#define VCPC_IOC_TRACE_TAG	_IOWR(VCPC_IOC_TYPE, 0x02, struct vcpc_trace_tag_args)

/* On a set's descriptor */
#define VCPC_IOC_BIND		_IOWR(VCPC_IOC_TYPE, 0x10, struct vcpc_bind_args)
#define VCPC_IOC_UNBIND		_IOW(VCPC_IOC_TYPE, 0x11, struct vcpc_own_args)
#define VCPC_IOC_SAMPLE		_IOW(VCPC_IOC_TYPE, 0x12, struct vcpc_sample_args)
#define VCPC_IOC_ENABLE		_IOW(VCPC_IOC_TYPE, 0x13, struct vcpc_own_args)
#define VCPC_IOC_DISABLE	_IOW(VCPC_IOC_TYPE, 0x14, struct vcpc_own_args)
#define VCPC_IOC_RESTART	_IOW(VCPC_IOC_TYPE, 0x15, struct vcpc_own_args)
#define VCPC_IOC_PRESET		_IOW(VCPC_IOC_TYPE, 0x16, struct vcpc_preset_args)
#define VCPC_IOC_INSTANCES	_IOWR(VCPC_IOC_TYPE, 0x17, struct vcpc_instances_args)

#endif /* _UAPI_LINUX_VCPC_H */
