// SPDX-License-Identifier: GPL-2.0-or-later
/* Perform the transactions of ../trace_tags.c through LTTng-UST; run by ../trace_lttng.sh. */
#include <string.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "provider.h"

#include "../trace_tags.h"

#define CALLS	20000

static void pair(const char *tag)
{
	lttng_ust_tracepoint(vcpc_bench, begin, tag);
	lttng_ust_tracepoint(vcpc_bench, end, tag);
}

static void point(const char *tag)
{
	lttng_ust_tracepoint(vcpc_bench, begin, tag);
}

int main(int argc, char **argv)
{
	struct tags_load load = { .call = argc > 3 ? point : pair, .shared = argc > 3 };

	if (argc < 3)
		return 2;
	load.tags = atoi(argv[1]);
	load.threads = atoi(argv[2]);
	load.calls = CALLS / load.threads;
	/* Without a listener, the program would measure nothing. */
	if (!lttng_ust_tracepoint_enabled(vcpc_bench, begin))
		return 3;
	printf("%.1f\n", tags_cost(&load));
	return 0;
}
