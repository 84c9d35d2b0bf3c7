// SPDX-License-Identifier: LGPL-2.1-or-later
/* Public calls of <shim/trace.h> for individual events and lost events */
#include <errno.h>
#include <string.h>

#include "base/api.h"
#include "core/bpf_events.h"
#include "tracectl.h"

_Static_assert(SHIM_TRACE_OP_END == (int)VC_OP_END && SHIM_TRACE_OP_ABORT == (int)VC_OP_ABORT &&
	       SHIM_TRACE_OP_POINT == (int)VC_OP_POINT && SHIM_TRACE_OP_OBSERVE == (int)VC_OP_OBSERVE &&
	       SHIM_TRACE_OP_COUNTER == (int)VC_OP_COUNTER, "numbers of operations must equal core's");
_Static_assert(SHIM_TRACE_NAMESPACE == VC_ACCOUNT_NS && SHIM_TRACE_OTHERS == VC_USER_OTHERS,
	       "numbers of accounts must equal core's");

struct give {
	struct shim_trace *trace;
	shim_trace_event_fn *fn;
	void *arg;
	int more_than_0;	/* a positive result of @fn, which libbpf would ignore */
};

static int give_event(void *arg, const struct vc_record *record)
{
	static const struct shim_bpf_tag forgotten = { "(forgotten)", "(forgotten)", -1 };
	struct give *give = arg;
	const struct shim_bpf_tag *tag;
	struct shim_trace_event event = {
		.id = record->tag,
		.op = record->op,
		.ns = record->ns,
		.start_ns = record->start_ns,
		.pid = record->tgid,
		.tid = record->tid,
	};
	int err = shim_bpf_reader__tag(give->trace->reader, record->tag, &tag);

	if (err == -ENOENT)
		tag = &forgotten;
	else if (err)
		return err;
	event.name = tag->name;
	event.label = tag->label;
	event.user = tag->user;
	memcpy(&event.value, &record->value, sizeof(event.value));
	/* Keep event names valid, regardless of what the callback reads with the handle. */
	give->trace->giving++;
	shim_bpf_reader__hold(give->trace->reader);
	err = give->fn(give->arg, &event);
	shim_bpf_reader__release(give->trace->reader);
	give->trace->giving--;
	if (err <= 0)
		return err;
	give->more_than_0 = err;
	return -ECANCELED;
}

static int open_events(struct shim_trace *trace)
{
	return trace->events ? 0 : shim_bpf_events__open(&trace->events);
}

/**
 * shim_trace_events() - read the individual events that have arrived since the last call
 * @trace: handle; only one handle on the machine can read events at a time
 * @timeout_ms: how long to wait for the first event; -1: forever
 * @fn: called for each event in the order of arrival, until it returns a value other than 0
 * @arg: argument of @fn
 *
 * The name and label of an event are valid until the handle is next passed to a call outside @fn.
 * @fn may read everything else with the handle, but must not read events or close it.
 *
 * Return: the number of events; -EBUSY if another process reads events or @fn is the caller,
 *	-ENODATA if tracing was turned on without a ring of events, -EINTR, the value of @fn, or
 *	another error.
 */
SHIM_API int shim_trace_events(struct shim_trace *trace, int timeout_ms, shim_trace_event_fn *fn,
			       void *arg)
{
	struct give give = { trace, fn, arg, 0 };
	int err;

	if (!trace || !fn)
		return -EINVAL;
	if (trace->giving)
		return -EBUSY;
	shim_bpf_reader__forget(trace->reader);
	err = open_events(trace);
	if (!err)
		err = shim_bpf_events__take(trace->events, timeout_ms, give_event, &give);
	return give.more_than_0 ? give.more_than_0 : err;
}

/**
 * shim_trace_events_open() - list open transactions
 * @trace: handle
 * @fn: called for each transaction, with SHIM_TRACE_OP_BEGIN, until it returns a value other than 0
 * @arg: argument of @fn
 *
 * Only transactions whose begin was sent to the kernel are listed. These are all transactions if
 * tracing was turned on with SHIM_TRACE_F_BEGINS.  Names are valid as long as the names from
 * shim_trace_events().
 *
 * Return: 0, the value of @fn, or another error.
 */
SHIM_API int shim_trace_events_open(struct shim_trace *trace, shim_trace_event_fn *fn, void *arg)
{
	struct give give = { trace, fn, arg, 0 };

	if (!trace || !fn)
		return -EINVAL;
	shim_bpf_reader__forget(trace->reader);
	return shim_bpf_events__open_ones(give_event, &give);
}

/**
 * shim_trace_drops_get() - get the numbers of events missing from the statistics, by reason
 * @trace: handle
 * @drops: counts since tracing was turned on, written on success
 *
 * Return: 0, -ENOMEM, or another negated errno.
 */
SHIM_API int shim_trace_drops_get(struct shim_trace *trace, struct shim_trace_drops *drops)
{
	uint64_t n[VC_DROP_NR];
	int err;

	if (!trace || !drops)
		return -EINVAL;
	err = shim_bpf_reader__drops(trace->reader, n);
	if (err)
		return err;
	*drops = (struct shim_trace_drops) {
		.open_full = n[VC_DROP_OPEN_FULL],
		.stat_full = n[VC_DROP_STAT_FULL],
		.tag_full = n[VC_DROP_TAG_FULL],
		.not_open = n[VC_DROP_NOT_OPEN],
		.given_up = n[VC_DROP_GIVEN_UP],
		.count_full = n[VC_DROP_COUNT_FULL],
		.ring_full = n[VC_DROP_RING_FULL],
		.direct_full = n[VC_DROP_DIRECT_FULL],
	};
	return 0;
}

struct give_loss {
	shim_trace_loss_fn *fn;
	void *arg;
};

static int give_loss(const struct give_loss *to, enum shim_trace_lost what, uint64_t account,
		     uint64_t n)
{
	const struct shim_trace_loss loss = { .what = what, .account = account, .n = n };

	return to->fn(to->arg, &loss);
}

static int give_ring_loss(void *arg, uint64_t account, uint64_t n)
{
	return give_loss(arg, SHIM_TRACE_LOST_EVENTS, account, n);
}

/**
 * shim_trace_losses() - list lost events by account, and lost counts and tags of all accounts
 * @trace: handle
 * @fn: called for each number that is not 0; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Return: 0, the value of @fn, -ENOENT if tracing is off, or another negated errno.
 */
SHIM_API int shim_trace_losses(struct shim_trace *trace, shim_trace_loss_fn *fn, void *arg)
{
	struct give_loss to = { fn, arg };
	uint64_t n[VC_DROP_NR];
	int err;

	if (!trace || !fn)
		return -EINVAL;
	err = shim_bpf_reader__check(trace->reader);
	if (!err)
		err = shim_bpf_losses__ring(give_ring_loss, &to);
	if (!err)
		err = shim_bpf_reader__drops(trace->reader, n);
	if (!err && n[VC_DROP_NOT_COUNTED])
		err = give_loss(&to, SHIM_TRACE_LOST_COUNTS, 0, n[VC_DROP_NOT_COUNTED]);
	if (!err && shim_bpf_reader__refused(trace->reader))
		err = give_loss(&to, SHIM_TRACE_LOST_THREADS, 0,
				shim_bpf_reader__refused(trace->reader));
	if (!err && n[VC_DROP_REMOVED])
		err = give_loss(&to, SHIM_TRACE_LOST_TAGS, 0, n[VC_DROP_REMOVED]);
	return err;
}
