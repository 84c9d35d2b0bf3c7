// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc trace export: single events in Chrome's trace event format.
 *
 * Transactions of one thread may overlap in any way, and may be ended by
 * another thread, so each is an asynchronous slice with an id of its own.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "json_text.h"
#include "output.h"
#include "trace.h"
#include "vcpc.h"

/* An export in progress */
struct export {
	FILE *out;
	const char *comma;
	uint64_t events;
	uint32_t *named;	/* processes whose name was exported */
	size_t nnamed, room;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void put_head(struct export *x, const char *phase, const struct shim_trace_event *event,
		     uint64_t ns)
{
	fprintf(x->out, "%s\n{\"ph\":\"%s\",\"name\":", x->comma, phase);
	vcpc_json_text(x->out, event->label);
	/* The format uses microseconds. */
	fprintf(x->out, ",\"pid\":%u,\"tid\":%u,\"ts\":%llu.%03u", event->pid, event->tid,
		(unsigned long long)(ns / 1000), (unsigned int)(ns % 1000));
	x->comma = ",";
}

static void put_slice(struct export *x, const char *phase, const struct shim_trace_event *event,
		      uint64_t ns)
{
	put_head(x, phase, event, ns);
	fprintf(x->out, ",\"cat\":\"transaction\",\"id\":\"0x%llx\"",
		(unsigned long long)x->events);
}

static void put_transaction(struct export *x, const struct shim_trace_event *event)
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

static void put_point(struct export *x, const struct shim_trace_event *event)
{
	put_head(x, "i", event, event->ns);
	fputs(",\"cat\":\"point\",\"s\":\"t\"}", x->out);
}

/* NaN and infinities, which a counter track cannot show, become instants. */
static void put_value(struct export *x, const struct shim_trace_event *event)
{
	put_head(x, isfinite(event->value) ? "C" : "i", event, event->ns);
	fprintf(x->out, ",\"cat\":\"%s\",%s\"args\":{\"value\":",
		event->op == SHIM_TRACE_OP_OBSERVE ? "observation" : "counter",
		isfinite(event->value) ? "" : "\"s\":\"t\",");
	trace_json_double(x->out, event->value);
	fputs("}}", x->out);
}

/* A process that has ended has no name: 0, or a negated errno */
static int put_process_name(struct export *x, uint32_t pid)
{
	char path[64], name[64] = "";
	int err = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	if (!fgets(name, sizeof(name), file)) {
		err = ferror(file) && errno != ESRCH ? -errno : 0;
	} else {
		name[strcspn(name, "\n")] = '\0';
		fprintf(x->out, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,"
			"\"args\":{\"name\":", x->comma, pid);
		vcpc_json_text(x->out, name);
		fputs("}}", x->out);
		x->comma = ",";
	}
	fclose(file);
	return err;
}

static int name_process(struct export *x, uint32_t pid)
{
	for (size_t i = x->nnamed; i-- > 0;)
		if (x->named[i] == pid)
			return 0;
	if (x->nnamed == x->room) {
		size_t room = x->room ? 2 * x->room : 64;
		uint32_t *named = reallocarray(x->named, room, sizeof(*named));

		if (!named)
			return -ENOMEM;
		x->named = named;
		x->room = room;
	}
	x->named[x->nnamed++] = pid;
	return put_process_name(x, pid);
}

static int put_event(void *arg, const struct shim_trace_event *event)
{
	struct export *x = arg;
	int err = name_process(x, event->pid);

	if (err)
		return err;
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
	return ferror(x->out) ? -EIO : 0;
}

/* Export the present events, then those that arrive within @duration. */
static int take_events(struct shim_trace *trace, struct export *x, uint64_t duration)
{
	uint64_t end = now_ns() + duration, now;
	int n = shim_trace_events(trace, 0, put_event, x);

	while (n >= 0 && !interrupted && (now = now_ns()) < end) {
		uint64_t ms = (end - now) / 1000000 + 1;

		n = shim_trace_events(trace, ms > 1000 ? 1000 : ms, put_event, x);
		if (n == -EINTR)
			n = 0;
	}
	return n < 0 ? n : 0;
}

static int export_to(FILE *out, struct shim_trace *trace, uint64_t duration)
{
	struct export x = { .out = out, .comma = "" };
	struct shim_trace_drops drops = { 0 };
	int err;

	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	err = take_events(trace, &x, duration);
	if (!err)
		err = shim_trace_events_open(trace, put_event, &x);
	if (!err)
		err = shim_trace_drops_get(trace, &drops);
	fprintf(out, "\n],\"otherData\":{\"clock\":\"CLOCK_MONOTONIC\",\"lost\":%llu}}\n",
		(unsigned long long)drops.ring_full);
	if (drops.ring_full)
		fprintf(stderr, "vcpc trace: %llu events were lost because they were not exported in time\n",
			(unsigned long long)drops.ring_full);
	free(x.named);
	return err;
}

static int fail(int err)
{
	switch (err) {
	case -ENOENT:
		return vcpc_fail(0, "tracing is off; turn it on with 'vcpc trace on --events'");
	case -ENODATA:
		return vcpc_fail(0, "single events are not kept; turn tracing on with --events");
	case -EBUSY:
		return vcpc_fail(0, "another process is exporting the events");
	default:
		return vcpc_fail(err, "cannot export the events");
	}
}

/* The exit status */
static int export_all(struct shim_trace *trace, const struct trace_options *options)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct vcpc_output output;
	int err, status = vcpc_output_open(&output, options->output);

	if (status)
		return status;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	err = export_to(output.file, trace, options->duration);
	/* errors of writing are reported by vcpc_output_close() */
	return vcpc_output_close(&output, err && !ferror(output.file) ? fail(err) : 0);
}

/* vcpc trace export */
int trace_export(const struct trace_options *options)
{
	struct shim_trace *trace;
	int err = shim_trace_open(&trace);

	if (err)
		return fail(err);
	err = export_all(trace, options);
	shim_trace_close(trace);
	return err;
}
