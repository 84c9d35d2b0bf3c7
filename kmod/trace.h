/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints vcpc:*: what programs say of their transactions.
 *
 * Arguments are scalars, and names as strings, so that BPF programs of the kind
 * raw_tp need no type information of this module.  Process and thread ids are
 * the initial namespace's.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM vcpc

#if !defined(VCPC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define VCPC_TRACE_H

#include <linux/tracepoint.h>
#include <linux/vcpc.h>

#include "tracepage.h"

struct vcpc_trace_counts;

DECLARE_EVENT_CLASS(vcpc_transaction,
	TP_PROTO(u32 tag, u32 id, u32 flags, const char *name),
	TP_ARGS(tag, id, flags, name),
	TP_STRUCT__entry(
		__field(u32, tag)
		__field(u32, id)
		__field(u32, flags)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->tag = tag;
		__entry->id = id;
		__entry->flags = flags;
		vcpc_assign_str(name, name);
	),
	TP_printk("tag=%u name=\"%s\" %s=%u", __entry->tag, __get_str(name),
		  __entry->flags & VCPC_TRACE_F_THREAD ? "tid" : "pid", __entry->id)
);

/* A transaction begins; @id is the process's, or the thread's with VCPC_TRACE_F_THREAD. */
DEFINE_EVENT_FN(vcpc_transaction, vcpc_begin,
	TP_PROTO(u32 tag, u32 id, u32 flags, const char *name),
	TP_ARGS(tag, id, flags, name),
	vcpc_tracepage_listen_begin, vcpc_tracepage_unlisten_begin
);

/*
 * The begin of a thread that has a set bound for tracing, after vcpc_begin;
 * @counts is what it has counted.
 */
TRACE_EVENT(vcpc_begin_counts,
	TP_PROTO(u32 tag, u32 id, u32 flags, const char *name,
		 const struct vcpc_trace_counts *counts),
	TP_ARGS(tag, id, flags, name, counts),
	TP_STRUCT__entry(
		__field(u32, tag)
		__field(u32, id)
		__field(u32, flags)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->tag = tag;
		__entry->id = id;
		__entry->flags = flags;
		vcpc_assign_str(name, name);
	),
	TP_printk("tag=%u name=\"%s\" %s=%u", __entry->tag, __get_str(name),
		  __entry->flags & VCPC_TRACE_F_THREAD ? "tid" : "pid", __entry->id)
);

DECLARE_EVENT_CLASS(vcpc_finish,
	TP_PROTO(u32 tag, u32 id, u32 flags, const char *name, u64 start,
		 const struct vcpc_trace_counts *counts),
	TP_ARGS(tag, id, flags, name, start, counts),
	TP_STRUCT__entry(
		__field(u32, tag)
		__field(u32, id)
		__field(u32, flags)
		__field(u64, start)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->tag = tag;
		__entry->id = id;
		__entry->flags = flags;
		__entry->start = start;
		vcpc_assign_str(name, name);
	),
	TP_printk("tag=%u name=\"%s\" %s=%u start=%llu", __entry->tag, __get_str(name),
		  __entry->flags & VCPC_TRACE_F_THREAD ? "tid" : "pid", __entry->id,
		  __entry->start)
);

/*
 * It ends.  @start is when it began, if its program says so, otherwise 0.
 * @counts is what the thread has counted, if it has a set bound for tracing.
 */
DEFINE_EVENT_FN(vcpc_finish, vcpc_end,
	TP_PROTO(u32 tag, u32 id, u32 flags, const char *name, u64 start,
		 const struct vcpc_trace_counts *counts),
	TP_ARGS(tag, id, flags, name, start, counts),
	vcpc_tracepage_listen, vcpc_tracepage_unlisten
);

/* It is given up, and does not count; @counts is NULL. */
DEFINE_EVENT_FN(vcpc_finish, vcpc_abort,
	TP_PROTO(u32 tag, u32 id, u32 flags, const char *name, u64 start,
		 const struct vcpc_trace_counts *counts),
	TP_ARGS(tag, id, flags, name, start, counts),
	vcpc_tracepage_listen, vcpc_tracepage_unlisten
);

/* A point was reached, or a value seen: the bits of a double. */
TRACE_EVENT_FN(vcpc_value,
	TP_PROTO(u32 tag, u32 op, u64 value, const char *name),
	TP_ARGS(tag, op, value, name),
	TP_STRUCT__entry(
		__field(u32, tag)
		__field(u32, op)
		__field(u64, value)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->tag = tag;
		__entry->op = op;
		__entry->value = value;
		vcpc_assign_str(name, name);
	),
	TP_printk("tag=%u name=\"%s\" %s double=0x%016llx", __entry->tag, __get_str(name),
		  __print_symbolic(__entry->op,
				   { VCPC_TRACE_POINT, "point" },
				   { VCPC_TRACE_OBSERVE, "observe" },
				   { VCPC_TRACE_COUNTER, "counter" }),
		  __entry->value),
	vcpc_tracepage_listen, vcpc_tracepage_unlisten
);

/* A tag's name is forgotten; the id will not come again. */
TRACE_EVENT(vcpc_tag_put,
	TP_PROTO(u32 tag),
	TP_ARGS(tag),
	TP_STRUCT__entry(__field(u32, tag)),
	TP_fast_assign(__entry->tag = tag;),
	TP_printk("tag=%u", __entry->tag)
);

/* A process that began transactions has closed /dev/vcpc, or is dead. */
TRACE_EVENT(vcpc_gone,
	TP_PROTO(u32 tgid),
	TP_ARGS(tgid),
	TP_STRUCT__entry(__field(u32, tgid)),
	TP_fast_assign(__entry->tgid = tgid;),
	TP_printk("pid=%u", __entry->tgid)
);

#endif /* VCPC_TRACE_H */

#include "compat/assign_str.h"

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
