/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats of 'vcpc trace export'. */
#ifndef VCPC_TRACE_EXPORT_H
#define VCPC_TRACE_EXPORT_H

#include <stdint.h>
#include <stdio.h>

#include <shim/trace.h>

/**
 * struct trace_format - how events are written
 * @name: the name for --format
 * @open: begins a file; returns the state for the other functions, or NULL if out of memory
 * @process: called before the first event of a process; @name is NULL if it has ended
 * @event: writes an event
 * @end: completes the file; @lost is the number of events that were not exported
 * @close: frees the state
 *
 * The functions return 0 or a negated errno.  The caller detects errors from writing with ferror().
 */
struct trace_format {
	const char *name;
	void *(*open)(FILE *out);
	int (*process)(void *state, uint32_t pid, const char *name);
	int (*event)(void *state, const struct shim_trace_event *event);
	int (*end)(void *state, uint64_t lost);
	void (*close)(void *state);
};

extern const struct trace_format trace_chrome;
extern const struct trace_format trace_perfetto;

#endif /* VCPC_TRACE_EXPORT_H */
