/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State of a handle of <shim/why.h> */
#ifndef SHIM_SHIM_WHY_STATE_H
#define SHIM_SHIM_WHY_STATE_H

#include <shim/why.h>

#include "core/bpf_why.h"

/*
 * Statistics of a tag.  @total is the difference between the kernel's sums and @before, which were
 * its sums at the last restart.  Transactions in histogram bucket @first and above are slow.
 */
struct why_tag {
	struct vc_why_key key;
	uint32_t first;
	char name[VC_TAG_LEN];
	struct vc_why_stat total;
	struct vc_why_stat before;
};

/* A row of vw_reason or vw_stack; its sums are like those of a tag.  A reason has no stack. */
struct why_row {
	struct vc_why_stack_key key;
	struct vc_why_sum sum;
	struct vc_why_sum before;
};

/* The first @sorted rows are in the order of compare_rows(). */
struct why_rows {
	struct why_row *at;
	size_t n, sorted, room;
};

/* Data to which a public stack points */
struct why_frames {
	struct shim_why_frame user[VC_WHY_FRAMES];
	uint64_t kernel[VC_WHY_FRAMES];
	int32_t user_id, kernel_id;
};

struct shim_why {
	struct shim_bpf_why *bpf;
	struct why_tag *tags;		/* in the order of their keys */
	size_t nknown, tags_room;
	struct why_tag **shown;		/* tags with transactions, in descending order of their time */
	struct shim_why_tag *given;	/* array of the same length as @shown */
	size_t ntags, shown_room, given_room;
	struct why_rows reason_rows, stack_rows;
	struct shim_why_reason *reasons;
	size_t nreasons, reasons_room;
	struct shim_why_stack *stacks;
	struct why_frames *frames;		/* array of the same length as @stacks */
	size_t nstacks, stacks_room, frames_room;
};

#endif /* SHIM_SHIM_WHY_STATE_H */
