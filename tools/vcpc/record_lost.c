// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc record: report the trace events that are missing from the archive. */
#include <errno.h>

#include <shim/trace.h>

#include "record_lost.h"
#include "vcpc.h"

static int add_tags(void *arg, const struct shim_trace_loss *loss)
{
	struct record_lost *lost = arg;

	if (loss->what == SHIM_TRACE_LOST_TAGS)
		lost->tags += loss->n;
	return 0;
}

struct record_lost record_lost_read(void)
{
	struct record_lost lost = { 0 };
	struct shim_trace_drops drops = { 0 };
	struct shim_trace *trace;

	lost.err = shim_trace_open(&trace);
	if (lost.err) {
		if (lost.err == -ENOENT)	/* The recorded program may have turned tracing off. */
			lost.err = 0;
		return lost;
	}
	lost.err = shim_trace_drops_get(trace, &drops);
	if (!lost.err)
		lost.err = shim_trace_losses(trace, add_tags, &lost);
	shim_trace_close(trace);
	lost.events = drops.open_full + drops.stat_full + drops.tag_full + drops.direct_full;
	return lost;
}

/* If a number has decreased, tracing was turned off and on, and it counts from then. */
static unsigned long long since(uint64_t before, uint64_t now)
{
	return now < before ? now : now - before;
}

int record_lost_report(const struct record_lost *before)
{
	const struct record_lost now = record_lost_read();
	int err = before->err ? before->err : now.err;
	unsigned long long events = since(before->events, now.events);
	unsigned long long tags = since(before->tags, now.tags);

	if (err)
		return vcpc_fail(err, "cannot determine whether trace events are missing from the archive");
	if (events)
		vcpc_fail(0, "%llu trace events are missing from the archive because tables were full (see 'vcpc trace show')",
			  events);
	if (tags)
		vcpc_fail(0, "%llu unused tags were removed because there were too many; the archive may lack their last events",
			  tags);
	return 0;
}
