// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc trace export: read individual events from the ring, and write them in one of the formats. */
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "output.h"
#include "trace.h"
#include "trace_export.h"
#include "vcpc.h"

#define PIDS	(1u << 22)	/* the kernel's limit on process IDs */

/*
 * struct export - an export in progress
 * @known: a bitmap of the processes that were passed to the format
 * @any: an event was exported
 */
struct export {
	FILE *out;
	const struct trace_format *format;
	void *state;
	unsigned char *known;
	bool any;
};

static volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	(void)sig;
	interrupted = 1;
}

/* Get the name of a process. Return 1, 0 if the process has ended, or a negated errno. */
static int process_name(uint32_t pid, char *name, int size)
{
	char path[64];
	int ret = 1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%u/comm", pid);
	file = fopen(path, "re");
	if (!file)
		return errno == ENOENT ? 0 : -errno;
	if (!fgets(name, size, file))
		ret = ferror(file) && errno != ESRCH ? -errno : 0;
	else
		name[strcspn(name, "\n")] = '\0';
	fclose(file);
	return ret;
}

/* Return whether this is the first call for a process. Process IDs are less than PIDS. */
static bool is_new(struct export *x, uint32_t pid)
{
	unsigned char bit = (unsigned char)(1u << pid % 8), *byte = &x->known[pid / 8];
	bool known = pid >= PIDS || *byte & bit;

	if (!known)
		*byte |= bit;
	return !known;
}

static int put_event(void *arg, const struct shim_trace_event *event)
{
	struct export *x = arg;
	char name[64];
	int named, err = 0;

	x->any = true;
	if (is_new(x, event->pid)) {
		named = process_name(event->pid, name, sizeof(name));
		err = named < 0 ? named :
			x->format->process(x->state, event->pid, named ? name : NULL);
	}
	if (!err)
		err = x->format->event(x->state, event);
	return !err && ferror(x->out) ? -EIO : err;
}

/* Export the events in the ring, then the events that arrive within @duration. */
static int take_events(struct shim_trace *trace, struct export *x, uint64_t duration)
{
	uint64_t end = vcpc_now() + duration, now;
	int n = shim_trace_events(trace, 0, put_event, x);

	while (n >= 0 && !interrupted && (now = vcpc_now()) < end) {
		uint64_t ms = (end - now) / 1000000 + 1;

		n = shim_trace_events(trace, ms > 1000 ? 1000 : ms, put_event, x);
		if (n == -EINTR)
			n = 0;
	}
	return n < 0 ? n : 0;
}

static int export_with(struct export *x, struct shim_trace *trace, uint64_t duration)
{
	struct shim_trace_drops drops = { 0 };
	int err = take_events(trace, x, duration);

	if (!err)
		err = shim_trace_events_open(trace, put_event, x);
	if (!err)
		err = shim_trace_drops_get(trace, &drops);
	if (!err)
		err = x->format->end(x->state, drops.ring_full);
	if (!err && !x->any)
		fprintf(stderr, "vcpc trace: no events have been recorded since tracing was turned on or since the last export (to wait for events, use --for TIME)\n");
	if (drops.ring_full)
		fprintf(stderr, "vcpc trace: %llu events were lost because they were exported too slowly\n",
			(unsigned long long)drops.ring_full);
	return err;
}

static int export_to(FILE *out, struct shim_trace *trace, const struct trace_options *options)
{
	struct export x = { .out = out, .format = options->format };
	int err = -ENOMEM;

	x.known = calloc(1, PIDS / 8);
	x.state = x.known ? x.format->open(out) : NULL;
	if (x.state) {
		err = export_with(&x, trace, options->duration);
		x.format->close(x.state);
	}
	free(x.known);
	return err;
}

static int fail(int err)
{
	switch (err) {
	case -ENOENT:
		return vcpc_fail(0, "tracing is off; turn it on with 'vcpc trace on --events'");
	case -ENODATA:
		return vcpc_fail(0, "tracing records no individual events; turn it off, then on with 'vcpc trace on --events'");
	case -EBUSY:
		return vcpc_fail(0, "another process is exporting the events");
	default:
		return vcpc_fail(err, "cannot export the events");
	}
}

static int export_all(struct shim_trace *trace, const struct trace_options *options)
{
	const struct sigaction action = { .sa_handler = on_signal };
	struct vcpc_output output;
	int err, status = vcpc_output_open(&output, options->output);

	if (status)
		return status;
	output.keep = true;	/* exported events are no longer in the ring */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	err = export_to(output.file, trace, options);
	/* vcpc_output_close() reports errors from writing. */
	return vcpc_output_close(&output, err && !ferror(output.file) ? fail(err) : 0);
}

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
