/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The fixture of tests that run with the module and with probes, and a reader of single events */
#ifndef SELFTESTS_BPF_WAYS_H
#define SELFTESTS_BPF_WAYS_H

#include <stdlib.h>

#include "bpf_test.h"

FIXTURE(ways) {
	const char *missing;
	struct shim_trace_options options;
	struct shim_trace_drops drops;
	struct shim_trace_stat stat;
	struct shim_trace *trace;
};

FIXTURE_VARIANT(ways) {
	const char *env;
	uint32_t flag;
	int status;
};

FIXTURE_VARIANT_ADD(ways, module) { "kernel", SHIM_TRACE_F_MODULE, SHIM_TRACE_BY_MODULE };
FIXTURE_VARIANT_ADD(ways, probes) { "probe", SHIM_TRACE_F_PROBES, SHIM_TRACE_BY_PROBES };

FIXTURE_SETUP(ways)
{
	ASSERT_EQ(0, trace_place(variant->flag, &self->missing));
	setenv("SHIM_TRACE", variant->env, 1);
	self->options = (struct shim_trace_options) {
		.size = sizeof(self->options), .flags = variant->flag, .max_tags = FEW_TAGS,
	};
}

FIXTURE_TEARDOWN(ways)
{
	shim_trace_close(self->trace);
	shim_trace_off();
}

struct events {
	struct shim_trace_event last;
	unsigned int n;
	uint64_t ns;
	int backwards;
};

static inline int take(void *arg, const struct shim_trace_event *event)
{
	struct events *events = arg;

	events->last = *event;
	events->n++;
	events->backwards |= event->ns < events->ns;
	events->ns = event->ns;
	return 0;
}

#endif /* SELFTESTS_BPF_WAYS_H */
