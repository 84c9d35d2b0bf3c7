// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write individual events in Chrome's trace event format.
 *
 * Transactions of one thread may overlap in any way, and another thread may end them.  Therefore
 * each is an asynchronous slice with its own ID.
 */
#include <math.h>
#include <stdlib.h>

#include "json_text.h"
#include "trace.h"
#include "trace_export.h"

struct chrome {
	FILE *out;
	const char *comma;
	uint64_t events;
};

static void *chrome_open(FILE *out)
{
	struct chrome *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->out = out;
	x->comma = "";
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	return x;
}

static void put_head(struct chrome *x, const char *phase, const struct shim_trace_event *event,
		     uint64_t ns)
{
	fprintf(x->out, "%s\n{\"ph\":\"%s\",\"name\":", x->comma, phase);
	vcpc_json_text(x->out, event->label);
	/* The format uses microseconds. */
	fprintf(x->out, ",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u", event->pid, event->tid,
		(unsigned long long)(ns / 1000), (unsigned int)(ns % 1000));
	x->comma = ",";
}

static void put_slice(struct chrome *x, const char *phase, const struct shim_trace_event *event,
		      uint64_t ns)
{
	put_head(x, phase, event, ns);
	fprintf(x->out, ",\"cat\":\"transaction\",\"id\":\"0x%llx\"",
		(unsigned long long)x->events);
}

static void put_transaction(struct chrome *x, const struct shim_trace_event *event)
{
	if (event->op == SHIM_TRACE_OP_BEGIN) {
		put_slice(x, "b", event, event->ns);
		fputs(",\"args\":{\"open\":true}}", x->out);
		return;
	}
	put_slice(x, "b", event, event->start_ns);
	putc('}', x->out);
	put_slice(x, "e", event, event->ns);
	if (event->op == SHIM_TRACE_OP_ABORT)
		fputs(",\"args\":{\"aborted\":true}", x->out);
	putc('}', x->out);
}

static void put_point(struct chrome *x, const struct shim_trace_event *event)
{
	put_head(x, "i", event, event->ns);
	fputs(",\"cat\":\"point\",\"s\":\"t\"}", x->out);
}

/* Write NaN and infinities as instants, because a counter track cannot show them. */
static void put_value(struct chrome *x, const struct shim_trace_event *event)
{
	put_head(x, isfinite(event->value) ? "C" : "i", event, event->ns);
	fprintf(x->out, ",\"cat\":\"%s\",%s\"args\":{\"value\":",
		event->op == SHIM_TRACE_OP_OBSERVE ? "observation" : "counter",
		isfinite(event->value) ? "" : "\"s\":\"t\",");
	trace_json_double(x->out, event->value);
	fputs("}}", x->out);
}

static int chrome_process(void *state, uint32_t pid, const char *name)
{
	struct chrome *x = state;

	if (!name)
		return 0;
	fprintf(x->out, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"args\":{\"name\":",
		x->comma, pid);
	vcpc_json_text(x->out, name);
	fputs("}}", x->out);
	x->comma = ",";
	return 0;
}

static int chrome_event(void *state, const struct shim_trace_event *event)
{
	struct chrome *x = state;

	x->events++;
	switch (event->op) {
	case SHIM_TRACE_OP_POINT:
		put_point(x, event);
		break;
	case SHIM_TRACE_OP_OBSERVE:
	case SHIM_TRACE_OP_COUNTER:
		put_value(x, event);
		break;
	default:
		put_transaction(x, event);
	}
	return 0;
}

static int chrome_end(void *state, uint64_t lost)
{
	const struct chrome *x = state;

	fprintf(x->out, "\n],\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"lost\":%llu}}\n",
		(unsigned long long)lost);
	return 0;
}

const struct trace_format trace_chrome = {
	"json", chrome_open, chrome_process, chrome_event, chrome_end, free,
};
