// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into vcpc record: tracing is on, and the numbers of lost events are as in the
 * environment.
 *
 * LOST_FAIL=CALL fails in each call, or with LOST_LATER=1 only in those at the end; LOST_ERROR is the
 * error (default: EIO).  LOST_EVENTS and LOST_TAGS are the numbers at the end.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <shim/shim.h>
#include <shim/trace.h>

static int opened;

static unsigned long number(const char *name, unsigned long by_default)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 10) : by_default;
}

static int result(const char *call)
{
	const char *fail = getenv("LOST_FAIL");

	if (!fail || strcmp(fail, call) || (number("LOST_LATER", 0) && opened < 2))
		return 0;
	return -(int)number("LOST_ERROR", EIO);
}

int shim_trace_status(void)
{
	return 1;
}

int shim_record_add_trace(struct shim_recorder *rec)
{
	(void)rec;
	return 0;
}

int shim_trace_count(const char *const *events, unsigned int n, unsigned int *bad)
{
	(void)events;
	(void)n;
	(void)bad;
	return 0;
}

int shim_trace_open(struct shim_trace **trace)
{
	opened++;
	*trace = NULL;
	return result("open");
}

int shim_trace_drops_get(struct shim_trace *trace, struct shim_trace_drops *drops)
{
	(void)trace;
	drops->tag_full = opened < 2 ? 0 : number("LOST_EVENTS", 0);
	return result("drops");
}

int shim_trace_losses(struct shim_trace *trace, shim_trace_loss_fn *fn, void *arg)
{
	struct shim_trace_loss loss = {
		.what = SHIM_TRACE_LOST_TAGS, .n = opened < 2 ? 0 : number("LOST_TAGS", 0),
	};

	(void)trace;
	fn(arg, &loss);
	return result("losses");
}

void shim_trace_close(struct shim_trace *trace)
{
	(void)trace;
}
