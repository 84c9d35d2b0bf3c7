/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints vcpc:*, which report the transactions of programs.
 *
 * BPF programs do not need this module's type information: the arguments are
 * scalars, strings, and structs of numbers.  A program of type raw_tp.w can write
 * to the struct that is the first argument, so it must not contain pointers.
 *
 * Names can contain any bytes: BPF programs receive them unchanged, ftrace and
 * perf receive them escaped.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vcpc

#if !defined(VCPC_TRACE_EVENTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define VCPC_TRACE_EVENTS_H

#include <linux/kernel.h>
#include <linux/tracepoint.h>
#include <linux/vcpc.h>

#ifndef VCPC_TRACE_EVENTS_ONCE
#define VCPC_TRACE_EVENTS_ONCE
struct vcpc_trace_counts;
struct vm_area_struct;

/**
 * struct vcpc_trace_gone - a closed file
 * @file: its number
 * @next: position at which a BPF program continues to search for its transactions, initially 0
 */
struct vcpc_trace_gone {
	u64 file;
	u64 next;
};

/**
 * struct vcpc_trace_transaction - a transaction that begins, ends or is aborted
 * @tag: the tag's ID
 * @file: number of the open file of /dev/vcpc that the event was written to
 * @ids: process ID << 32 | thread ID of the caller.  All IDs are those of the initial namespaces.
 * @start: for an end or abort: when the transaction began, or 0 if the program did not pass it
 * @now: CLOCK_MONOTONIC, or 0: the first BPF program that reads the clock stores the time here, and
 *	the next ones need not read it
 * @user: the tag's owner
 * @thread: the thread's number with VCPC_TRACE_THREAD, or its ID with VCPC_TRACE_TID
 */
struct vcpc_trace_transaction {
	u64 tag;
	u64 file;
	u64 ids;
	u64 start;
	u64 now;
	u32 user;
	u32 thread;
};

size_t vcpc_events_escape(char *to, size_t size, const char *name);

int vcpc_tracepage_init(void);
void vcpc_tracepage_exit(void);
int vcpc_tracepage_mmap(struct file *file, struct vm_area_struct *vma);
int vcpc_tracepage_listen(void);
void vcpc_tracepage_unlisten(void);
int vcpc_tracepage_listen_begin(void);
void vcpc_tracepage_unlisten_begin(void);
#endif

DECLARE_EVENT_CLASS(vcpc_transaction,
	TP_PROTO(struct vcpc_trace_transaction *event, const char *name,
		 const struct vcpc_trace_counts *counts),
	TP_ARGS(event, name, counts),
	TP_STRUCT__entry(
		__field(u64, tag)
		__field(u64, file)
		__field(u64, start)
		__field(u32, user)
		__field(u32, pid)
		__dynamic_array(char, name, vcpc_events_escape(NULL, 0, name))
	),
	TP_fast_assign(
		__entry->tag = event->tag;
		__entry->file = event->file;
		__entry->start = event->start;
		__entry->user = event->user;
		__entry->pid = upper_32_bits(event->ids);
		vcpc_events_escape(__get_dynamic_array(name), __get_dynamic_array_len(name), name);
	),
	TP_printk("tag=%llu name=\"%s\" user=%u pid=%u file=%llu start=%llu", __entry->tag,
		  __get_str(name), __entry->user, __entry->pid, __entry->file, __entry->start)
);

/*
 * Like DEFINE_EVENT_FN(), but BPF programs can write to @event.  Only the kernel's BPF headers
 * define DEFINE_EVENT_WRITABLE().
 */
#undef VCPC_TRANSACTION_EVENT
#ifdef DEFINE_EVENT_WRITABLE
#define VCPC_TRANSACTION_EVENT(call, reg, unreg)				\
DEFINE_EVENT_WRITABLE(vcpc_transaction, call,					\
	TP_PROTO(struct vcpc_trace_transaction *event, const char *name,	\
		 const struct vcpc_trace_counts *counts),			\
	TP_ARGS(event, name, counts), sizeof(struct vcpc_trace_transaction))
#else
#define VCPC_TRANSACTION_EVENT(call, reg, unreg)				\
DEFINE_EVENT_FN(vcpc_transaction, call,						\
	TP_PROTO(struct vcpc_trace_transaction *event, const char *name,	\
		 const struct vcpc_trace_counts *counts),			\
	TP_ARGS(event, name, counts), reg, unreg)
#endif

/* A transaction begins; @counts is NULL. */
VCPC_TRANSACTION_EVENT(vcpc_begin, vcpc_tracepage_listen_begin, vcpc_tracepage_unlisten_begin);

/*
 * Fired after vcpc_begin if the thread has a set bound for tracing; @counts
 * points to its counts.
 */
VCPC_TRANSACTION_EVENT(vcpc_begin_counts, NULL, NULL);

/* A transaction ends.  @counts points to the thread's counts if it has a set bound for tracing. */
VCPC_TRANSACTION_EVENT(vcpc_end, vcpc_tracepage_listen, vcpc_tracepage_unlisten);

/* A transaction is aborted and not counted; @counts is NULL. */
VCPC_TRANSACTION_EVENT(vcpc_abort, vcpc_tracepage_listen, vcpc_tracepage_unlisten);

/* A program passes a point or reports a value, the bits of a double.  @user owns the tag. */
TRACE_EVENT_FN(vcpc_value,
	TP_PROTO(u64 tag, u32 op, u64 value, const char *name, u32 user),
	TP_ARGS(tag, op, value, name, user),
	TP_STRUCT__entry(
		__field(u64, tag)
		__field(u64, value)
		__field(u32, op)
		__field(u32, user)
		__dynamic_array(char, name, vcpc_events_escape(NULL, 0, name))
	),
	TP_fast_assign(
		__entry->tag = tag;
		__entry->value = value;
		__entry->op = op;
		__entry->user = user;
		vcpc_events_escape(__get_dynamic_array(name), __get_dynamic_array_len(name), name);
	),
	TP_printk("tag=%llu name=\"%s\" user=%u %s double=0x%016llx", __entry->tag,
		  __get_str(name), __entry->user,
		  __print_symbolic(__entry->op,
				   { VCPC_TRACE_POINT, "point" },
				   { VCPC_TRACE_OBSERVE, "observe" },
				   { VCPC_TRACE_COUNTER, "counter" }),
		  __entry->value),
	vcpc_tracepage_listen, vcpc_tracepage_unlisten
);

/* A tag is removed; its ID is never reused. */
TRACE_EVENT(vcpc_tag_put,
	TP_PROTO(u64 tag),
	TP_ARGS(tag),
	TP_STRUCT__entry(__field(u64, tag)),
	TP_fast_assign(__entry->tag = tag;),
	TP_printk("tag=%llu", __entry->tag)
);

/*
 * The last copy of an open file of /dev/vcpc on which transactions began is closed, so these
 * transactions can no longer end.  The number is never reused.  If a BPF program changes
 * @gone->next, the event is repeated, so the program can do its work in parts, with preemption
 * enabled in between.
 */
DECLARE_EVENT_CLASS(vcpc_close,
	TP_PROTO(struct vcpc_trace_gone *gone),
	TP_ARGS(gone),
	TP_STRUCT__entry(__field(u64, file) __field(u64, next)),
	TP_fast_assign(__entry->file = gone->file; __entry->next = gone->next;),
	TP_printk("file=%llu next=%llu", __entry->file, __entry->next)
);

/* Only the kernel's BPF headers define this macro. */
#ifdef DEFINE_EVENT_WRITABLE
DEFINE_EVENT_WRITABLE(vcpc_close, vcpc_gone, TP_PROTO(struct vcpc_trace_gone *gone), TP_ARGS(gone),
		      sizeof(struct vcpc_trace_gone));
#else
DEFINE_EVENT(vcpc_close, vcpc_gone, TP_PROTO(struct vcpc_trace_gone *gone), TP_ARGS(gone));
#endif

#endif /* VCPC_TRACE_EVENTS_H */

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace/events
#include <trace/define_trace.h>
