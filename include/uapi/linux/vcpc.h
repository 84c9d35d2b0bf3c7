/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The interface between vcpc.ko and user space: /dev/vcpc, sets of virtual 64-bit
 * counters, and trace events.
 *
 * Sets
 *   VCPC_IOC_INFO and VCPC_IOC_SET_CREATE are ioctls on /dev/vcpc.  SET_CREATE
 *   returns a set: a file descriptor with O_CLOEXEC.  When its last copy is closed,
 *   which also happens when the process dies, the kernel removes the set and all of
 *   its instances.
 *
 *   BIND attaches the set to the calling thread, which gets an instance of the set.
 *   A caller cannot bind a set to another thread, to a process or to a CPU; use
 *   perf_event_open(2) to count those.  ENABLE, DISABLE, RESTART, PRESET and UNBIND
 *   act on the calling thread's own instance and fail with EINVAL if it has none.
 *   Counting starts at once unless VCPC_SET_F_DISABLED or
 *   VCPC_BIND_F_ENABLE_ON_EXEC is given.
 *
 *   SAMPLE, or read(2) on the set, returns all values as of one instant: the
 *   calling thread's counters are read in one section with interrupts disabled.
 *
 *   A value is the request's preset plus the number of events since BIND, modulo
 *   2^64.  Values are never scaled: if a counter was off the PMU while its thread
 *   ran, the set becomes invalid, and every sample of it fails with EAGAIN.
 *
 *   A descriptor is a capability: permission is checked when a set is created and
 *   when it is bound, not when it is sampled.
 *
 * Inheritance
 *   With VCPC_BIND_F_INHERIT or VCPC_BIND_F_TREE each new thread opens its own
 *   instance before it first returns to user mode.  Holders of the descriptor can
 *   list all instances (INSTANCES), sample one of them by its thread's ID, and
 *   sample the total (VCPC_SAMPLE_F_TOTAL), which includes the instances of threads
 *   that have ended.  A sample of another thread's instance is read counter by
 *   counter while that thread runs, so its values do not belong to one instant.
 *
 * execve
 *   An instance stays with its thread across execve(2).  It ends if the new program
 *   gains privileges (set-user-ID, file capabilities) or if the caller is not
 *   permitted to read the new program's file.  The last values can still be sampled.
 *
 * Overflow
 *   When the counter of a request with VCPC_REQ_F_OVERFLOW passes 2^64 - 1, all
 *   counters of its instance stop and keep their values, and the thread receives the
 *   set's signal, if it has one.  That counter's value is then the number of events
 *   since the overflow.  RESTART continues from the presets, ENABLE from the values.
 *   A counter that starts from 0 never overflows in practice.  Events between the
 *   overflow and the PMU's interrupt are counted.  If the kernel's last instructions
 *   before a context switch cause the overflow, it can go unnoticed until the
 *   thread's next context switch.
 *
 *   In the signal, si_code is VCPC_SI_OVERFLOW, si_addr is the address in user mode,
 *   si_fd is the descriptor that SET_CREATE returned, and si_errno is the request's
 *   index.  The signal is not sent if the thread has executed another program since
 *   the overflow.
 *
 * Trace
 *   VCPC_IOC_TRACE_TAG turns a name into a tag.  A name belongs to the user who opened /dev/vcpc:
 *   if another user registers the same name, this creates a different tag.  The tag has an ID,
 *   which listeners see and which is never reused, and a handle, which identifies it on this
 *   descriptor.
 *
 *   write(2) of a struct vcpc_trace_write fires a tracepoint (vcpc:vcpc_begin, ...) and does
 *   nothing else; the listener reads the clock.  One write is one event.  pwrite(2) does the same
 *   at any position.  No other file accepts a write at VCPC_TRACE_AT, so a program that is not sure
 *   whether the descriptor still refers to the device can write at that position without damaging
 *   another file.  posix_fadvise(2) fires the same event at a lower cost: its offset is the value,
 *   its length is the handle, and its advice is VCPC_TRACE_ADVICE plus the operation.  All other
 *   files reject this advice with EINVAL or ESPIPE.
 *
 *   A transaction belongs to its process, its thread and the descriptor on which it began.
 *   With posix_fadvise(2) a program can number its threads itself: the length is then the
 *   handle, plus the number and VCPC_TRACE_THREAD in the upper half.  An END from another
 *   thread carries the number that the BEGIN carried.  Without a number, the event belongs
 *   to the calling thread.  An END on another descriptor ends the transaction only if the
 *   END carries its start time.  When the descriptor's last copy is closed, its open
 *   transactions are abandoned.
 *
 *   The first page of /dev/vcpc, mapped read-only, shows whether any listener is attached:
 *   see struct vcpc_trace_page.  If no listener is attached, a program can skip the write.
 *
 * Every argument struct starts with its size, which the caller sets to sizeof(struct ...).  If the
 * struct is longer than the module's version and any extra byte is nonzero, the call fails with
 * E2BIG.  If it is shorter than in this version, the call fails with EINVAL.  Reserved fields must
 * be zero, and unknown flags fail with EINVAL.  The module fills output structs up to the caller's
 * size.  All times are in nanoseconds.  CLOCK_MONOTONIC times belong to the caller's time
 * namespace.
 */
#ifndef _UAPI_LINUX_VCPC_H
#define _UAPI_LINUX_VCPC_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define VCPC_ABI_VERSION	2

/* Features, in struct vcpc_info_args.features */
#define VCPC_FEAT_SETS		(1ULL << 0)	/* SET_CREATE, BIND */
#define VCPC_FEAT_TRACE		(1ULL << 1)	/* TRACE_TAG, write(2) */
#define VCPC_FEAT_INHERIT	(1ULL << 2)	/* VCPC_BIND_F_INHERIT, _TREE */
#define VCPC_FEAT_OVERFLOW	(1ULL << 3)	/* VCPC_REQ_F_OVERFLOW */
#define VCPC_FEAT_TRACE_COUNTS	(1ULL << 8)	/* VCPC_BIND_F_TRACE */

#define VCPC_TAG_LEN		256		/* including the terminating NUL */

/**
 * struct vcpc_info_args - query the module's features and limits (VCPC_IOC_INFO)
 * @size: in: sizeof(struct vcpc_info_args)
 * @abi: out: VCPC_ABI_VERSION of the module
 * @features: out: VCPC_FEAT_*
 * @max_requests: out: maximum number of requests per set, for this caller
 * @max_sets: out: maximum number of open sets per user
 * @max_tags: out: maximum number of trace tags per user
 * @hw_slots: out: hardware counters that were free when the module was loaded; 0 if there
 *	is no PMU
 * @sample_size: out: size of struct vcpc_sample without its values, in bytes
 * @counted: out: 1 if the calling thread has an instance that was bound with
 *	VCPC_BIND_F_TRACE and has not ended, possibly by an earlier program before execve
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

/* struct vcpc_request.flags: the modes to count in; at least one of the first two */
#define VCPC_REQ_F_USER		(1U << 0)
#define VCPC_REQ_F_KERNEL	(1U << 1)
/* Stop the instance when the virtual counter passes 2^64 - 1; see "Overflow" above. */
#define VCPC_REQ_F_OVERFLOW	(1U << 2)

/**
 * struct vcpc_request - one event of a set
 * @type: perf event type (PERF_TYPE_*, or a dynamic PMU's number)
 * @flags: VCPC_REQ_F_*
 * @config: as in struct perf_event_attr
 * @config1: as in struct perf_event_attr
 * @config2: as in struct perf_event_attr
 * @preset: the value from which the virtual counter starts
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
 * struct vcpc_set_create_args - create a set (VCPC_IOC_SET_CREATE)
 * @size: in: sizeof(struct vcpc_set_create_args)
 * @flags: in: VCPC_SET_F_*
 * @nr_requests: in: 1..max_requests
 * @request_size: in: sizeof(struct vcpc_request)
 * @requests: in: user address of @nr_requests structs of @request_size bytes
 * @bad_request: out, on failure: index of the rejected request, or -1 if the error
 *	does not concern a single request
 * @signal: in: the signal sent to a thread at an overflow, 0 for none; only with a
 *	request that has VCPC_REQ_F_OVERFLOW
 * @reserved: must be zero
 *
 * ioctl(2) returns the new descriptor.  On failure it returns -1 and sets errno to
 * EINVAL (invalid argument, or the PMU rejected an event's config), ENOENT or
 * EOPNOTSUPP (this machine does not have the event), EACCES (needs CAP_PERFMON),
 * EMFILE, ENFILE, EUSERS (the user's limit on sets), ENOMEM or EFAULT.  The events
 * are checked again at BIND.
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

/* siginfo_t.si_code of the overflow signal */
#define VCPC_SI_OVERFLOW	2

/* struct vcpc_bind_args.flags */
/* Start counting at the thread's next execve. */
#define VCPC_BIND_F_ENABLE_ON_EXEC	(1U << 0)
/* Threads that this thread starts get an instance, and so do the threads that they start. */
#define VCPC_BIND_F_INHERIT		(1U << 1)
/* Like VCPC_BIND_F_INHERIT, but new processes also get an instance. */
#define VCPC_BIND_F_TREE		(1U << 2)
/*
 * Attach a sample of the thread's instance to each trace event with VCPC_TRACE_F_COUNTS.
 * A transaction's counts are the difference of two samples.  If a thread has several sets
 * with this flag, only one of them is sampled.  A sample holds the set's first 8
 * counters.
 */
#define VCPC_BIND_F_TRACE		(1U << 8)

/**
 * struct vcpc_bind_args - bind the set to the calling thread (VCPC_IOC_BIND)
 * @size: in: sizeof(struct vcpc_bind_args)
 * @flags: in: VCPC_BIND_F_*
 * @reserved: must be zero
 * @bad_request: out, on failure: as in struct vcpc_set_create_args
 *
 * Errors: EACCES (needs CAP_PERFMON, or the set has a signal and was created by another
 * user who is not root), EBUSY (the thread already has an instance of this set), ENOSPC (the
 * PMU does not have enough free counters for the whole set), EUSERS (the user's or the
 * thread's limit on counters), EINTR (a fatal signal), EOPNOTSUPP (this kernel does not
 * report new threads or execve), EINVAL (a set with a signal and VCPC_BIND_F_TREE), and the
 * errors of SET_CREATE for the events.
 *
 * Each instance counts toward the thread's limit as one, plus one for each request, plus
 * seven for each clock request (cpu-clock, task-clock) that has VCPC_REQ_F_OVERFLOW.
 *
 * An inherited instance starts with the current presets of the parent's instance, including those
 * set by PRESET.  Like the parent's, it counts, is disabled, or waits for execve.  If the set has a
 * signal, the new thread's instance starts stopped, as if it had overflowed: requests with
 * VCPC_REQ_F_OVERFLOW are at 2^64 - 1, and the thread receives the signal before its first
 * instruction in user mode.  Kernel helper threads inside a process (io_uring, vhost) inherit no
 * instance.  If an instance cannot be created for lack of memory or counters, or because of a
 * limit, totals fail with EAGAIN.
 */
struct vcpc_bind_args {
	__u32 size;
	__u32 flags;
	__u32 reserved;
	__s32 bad_request;
};

/* struct vcpc_own_args.flags, for UNBIND only: unbind all instances of the set */
#define VCPC_OWN_F_ALL		(1U << 0)

/**
 * struct vcpc_own_args - act on the calling thread's instance (VCPC_IOC_UNBIND,
 *	_ENABLE, _DISABLE, _RESTART)
 * @size: in: sizeof(struct vcpc_own_args)
 * @flags: in: 0, or VCPC_OWN_F_ALL with UNBIND
 *
 * Errors: EINVAL (the thread has no instance; ENABLE while counting; DISABLE while
 * stopped; any call except UNBIND while the instance waits for execve), EAGAIN (the
 * set is invalid; UNBIND still works), EINTR (a fatal signal).
 *
 * UNBIND with VCPC_OWN_F_ALL closes every instance and clears the totals, as closing
 * the descriptor does, but keeps the set.  UNBIND of one instance removes its counts
 * from the total.
 *
 * RESTART sets all counters to their presets and starts them, whether they were
 * stopped or not.  Virtual time is not reset.  If the kernel is throttling a counter
 * because of too frequent overflows, RESTART sleeps until the next timer tick.
 */
struct vcpc_own_args {
	__u32 size;
	__u32 flags;
};

/**
 * struct vcpc_preset_args - set a request's start value (VCPC_IOC_PRESET)
 * @size: in: sizeof(struct vcpc_preset_args)
 * @request: in: index of the request
 * @preset: in: the value that the calling thread's instance starts from at the next RESTART
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
						 * the instance; in a total: all threads
						 */
#define VCPC_STATE_FROZEN	(1U << 3)	/* stopped by an overflow */

/**
 * struct vcpc_sample - the values of a set
 * @size: offset of @values; a later version can have a larger one
 * @nr: number of values
 * @state: VCPC_STATE_*
 * @time: CLOCK_MONOTONIC time of the sample, or the time at which the set stopped
 * @tick: virtual time: CPU time of the thread while the set was counting
 * @values: one per request, in the order of SET_CREATE
 *
 * read(2) on the set returns this struct.  It fails with EINVAL if the buffer is too
 * small for all values.
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
/* Return the sum over all instances, including those that have ended. */
#define VCPC_SAMPLE_F_TOTAL	(1U << 0)

/**
 * struct vcpc_sample_args - take a sample (VCPC_IOC_SAMPLE)
 * @size: in: sizeof(struct vcpc_sample_args)
 * @flags: in: VCPC_SAMPLE_F_*
 * @tid: in: thread ID from INSTANCES; 0 for the calling thread's instance, or for the
 *	set's only instance if the caller has none; must be 0 with VCPC_SAMPLE_F_TOTAL
 * @buf_size: in: size of @buf in bytes, at least the size of the sample
 * @buf: in: user address of a struct vcpc_sample
 *
 * Errors: EINVAL (not bound, buffer too small), EAGAIN (the set is invalid, or a
 * total would be incomplete), EBUSY (another thread kept restarting its instance
 * during the read), EFAULT, EINTR (a fatal signal), ENOMEM.
 *
 * A total is the sum of all instances' values, modulo 2^64, and of their CPU times.
 * The threads are read one after the other while they run.  The total's time is the
 * start of that read, and its state is VCPC_STATE_EXITED if all threads have ended, and
 * VCPC_STATE_COUNTING if at least one instance counts.
 */
struct vcpc_sample_args {
	__u32 size;
	__u32 flags;
	__s32 tid;
	__u32 buf_size;
	__u64 buf;
};

/* struct vcpc_instance_info.state, in addition to VCPC_STATE_*; never set in samples */
#define VCPC_STATE_INVALID	(1U << 16)	/* counts were lost: samples fail with EAGAIN */

/**
 * struct vcpc_instance_info - one instance of a set
 * @tid: its thread's ID in the caller's PID namespace; 0 if it has no ID there
 * @tgid: the ID of its process in the same namespace
 * @root: the ID of the thread that called BIND, in the same namespace
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
 * @room: in: number of structs at @info; with 0, instances are only counted
 * @nr: out: number of instances; at most the @room oldest are written, oldest first
 * @folded: out: number of ended instances that are no longer listed and only
 *	contribute to the total
 * @pending: out: number of new threads that will get an instance when they first run
 * @lost: out: 1 if an instance could not be created for a new thread
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
 * struct vcpc_trace_tag_args - look up or create the tag of a name (VCPC_IOC_TRACE_TAG)
 * @size: in: sizeof(struct vcpc_trace_tag_args)
 * @flags: must be zero
 * @name: in: user address of the name
 * @name_len: in: length of the name, 1..VCPC_TAG_LEN-1; it must not contain a NUL
 * @handle: out: the tag's handle on this descriptor, never 0; the same name always has
 *	the same handle
 * @tag: out: the tag's ID, never 0; the same for all of the user's descriptors while any
 *	of them holds the tag
 *
 * Errors: EINVAL (bad length, or the name contains a NUL), ENAMETOOLONG, EUSERS (the
 * user holds the maximum number of tags), ENOSPC (the descriptor has 4095 tags), EINTR
 * (a fatal signal), ENOMEM, EFAULT.
 */
struct vcpc_trace_tag_args {
	__u32 size;
	__u32 flags;
	__u64 name;
	__u32 name_len;
	__u32 handle;
	__u64 tag;
};

/* Operations, in struct vcpc_trace_write.op */
#define VCPC_TRACE_BEGIN	1
#define VCPC_TRACE_END		2
#define VCPC_TRACE_ABORT	3
#define VCPC_TRACE_POINT	4
#define VCPC_TRACE_OBSERVE	5
#define VCPC_TRACE_COUNTER	6
/* Combine with BEGIN or END to sample the thread's instance bound with VCPC_BIND_F_TRACE. */
#define VCPC_TRACE_F_COUNTS	(1U << 8)

/**
 * struct vcpc_trace_write - a trace event (write(2) on /dev/vcpc)
 * @op: VCPC_TRACE_*
 * @handle: the tag's handle, returned by VCPC_IOC_TRACE_TAG on this descriptor
 * @value: for OBSERVE and COUNTER, the bits of a double; for END and ABORT, the
 *	transaction's start time (CLOCK_MONOTONIC), or 0 if its BEGIN was written or the
 *	start time is unknown; otherwise 0
 *
 * The byte count of write(2) is the size of this struct; there are no partial writes.
 * VCPC_TRACE_F_COUNTS is ignored if the thread has no instance with VCPC_BIND_F_TRACE.
 *
 * Errors: EINVAL, E2BIG, ENOENT (the descriptor has no such tag), EFAULT.
 */
struct vcpc_trace_write {
	__u32 op;
	__u32 handle;
	__u64 value;
};

/* A position that makes the write end beyond the maximum offset of a file */
#define VCPC_TRACE_AT		0x7ffffffffffffff8LL

/* posix_fadvise(2): the advice is this plus the operation */
#define VCPC_TRACE_ADVICE	0x10000

/*
 * For posix_fadvise(2): marks the upper half of the length as a thread's number, less than 2^31.
 * BEGIN, END and ABORT from the process that opened the descriptor use the number.  In all other
 * events it is ignored.
 */
#define VCPC_TRACE_THREAD	(1U << 31)
/* In tracepoints, a transaction without a thread's number has the thread's ID with this flag. */
#define VCPC_TRACE_TID		(1U << 30)

/* struct vcpc_trace_page.flags */
#define VCPC_TRACE_LISTENING	(1U << 0)	/* a listener is attached */
/* A listener needs BEGIN events, because END and ABORT with a start time do not suffice. */
#define VCPC_TRACE_BEGINS	(1U << 1)
/*
 * With VCPC_TRACE_LISTENING: VCPC_TRACE_THREAD is accepted.  Earlier modules reject it with ENOENT.
 */
#define VCPC_TRACE_THREADS	(1U << 2)

/**
 * struct vcpc_trace_page - whether trace events have a listener
 * @size: number of valid bytes in this struct
 * @flags: VCPC_TRACE_LISTENING, _BEGINS, _THREADS; they can change at any time
 *
 * Map the first page of /dev/vcpc with mmap(2) and PROT_READ to read it.  A transaction
 * with VCPC_TRACE_F_COUNTS always needs its BEGIN.
 */
struct vcpc_trace_page {
	__u32 size;
	__u32 flags;
};

/*
 * A command's number encodes the direction and size of its struct in this version.  The
 * module ignores the size in the number and uses the one in the struct's first field, so
 * callers built with a longer struct work.
 */
#define VCPC_IOC_TYPE		0xFA
#define VCPC_IOC_INFO		_IOWR(VCPC_IOC_TYPE, 0x00, struct vcpc_info_args)
#define VCPC_IOC_SET_CREATE	_IOWR(VCPC_IOC_TYPE, 0x01, struct vcpc_set_create_args)
#define VCPC_IOC_TRACE_TAG	_IOWR(VCPC_IOC_TYPE, 0x02, struct vcpc_trace_tag_args)

/* Commands on a set's descriptor */
#define VCPC_IOC_BIND		_IOWR(VCPC_IOC_TYPE, 0x10, struct vcpc_bind_args)
#define VCPC_IOC_UNBIND		_IOW(VCPC_IOC_TYPE, 0x11, struct vcpc_own_args)
#define VCPC_IOC_SAMPLE		_IOW(VCPC_IOC_TYPE, 0x12, struct vcpc_sample_args)
#define VCPC_IOC_ENABLE		_IOW(VCPC_IOC_TYPE, 0x13, struct vcpc_own_args)
#define VCPC_IOC_DISABLE	_IOW(VCPC_IOC_TYPE, 0x14, struct vcpc_own_args)
#define VCPC_IOC_RESTART	_IOW(VCPC_IOC_TYPE, 0x15, struct vcpc_own_args)
#define VCPC_IOC_PRESET		_IOW(VCPC_IOC_TYPE, 0x16, struct vcpc_preset_args)
#define VCPC_IOC_INSTANCES	_IOWR(VCPC_IOC_TYPE, 0x17, struct vcpc_instances_args)

#endif /* _UAPI_LINUX_VCPC_H */
