/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Define LTTng-UST tracepoints for the start and the end of a transaction; their argument is the
 * tag as a string.
 */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER vcpc_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./provider.h"

#if !defined(SELFTESTS_BENCH_LTTNG_PROVIDER_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SELFTESTS_BENCH_LTTNG_PROVIDER_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT_CLASS(vcpc_bench, tagged,
	LTTNG_UST_TP_ARGS(const char *, tag),
	LTTNG_UST_TP_FIELDS(lttng_ust_field_string(tag, tag)))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(vcpc_bench, tagged, vcpc_bench, begin,
	LTTNG_UST_TP_ARGS(const char *, tag))
LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(vcpc_bench, tagged, vcpc_bench, end,
	LTTNG_UST_TP_ARGS(const char *, tag))

#endif

#include <lttng/tracepoint-event.h>
