/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Trace statistics, read by trace_sample.c and converted to metrics by trace.c */
#ifndef SHIM_LIVE_TRACE_STATE_H
#define SHIM_LIVE_TRACE_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "pairs.h"
#include "split.h"
#include "tags.h"
#include "trace.h"

enum kind { TRANSACT, POINT, OBSERVE, COUNTER, KINDS };

/*
 * A processed row of the reader.  If @key belongs to a row that the kernel writes, @tag is the tag
 * to which the row was added.
 */
struct shim_live_taken {
	struct vc_stat_key key;
	uint64_t version;
	struct shim_live_tag *tag;
};

struct shim_live_trace {
	struct shim_bpf_reader *reader;	/* NULL while tracing is off */
	unsigned int session;		/* number of the tracing session */
	/* The reader of a session that has ended, to be read one last time; or NULL */
	struct shim_bpf_reader *ended;
	unsigned int ended_session;
	struct shim_live_tags of[KINDS];
	struct shim_live_pairs pairs;
	struct shim_live_split split;
	struct shim_live_taken *taken;	/* by index of the reader's row */
	size_t ntaken, taken_room;
	uint64_t when, before;		/* times of this sample and of the last settled sample */
	uint64_t samples;
};

#endif /* SHIM_LIVE_TRACE_STATE_H */
