/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SAMPLE_H
#define VCPC_SAMPLE_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/vcpc.h>

#include "limits.h"

#define VCPC_SAMPLE_WORDS(nr)	(sizeof(struct vcpc_sample) / sizeof(u64) + (nr))

/**
 * union vcpc_sample_room - a sample of the largest set
 * @sample: as the caller gets it
 * @words: the same, for copying
 */
union vcpc_sample_room {
	struct vcpc_sample sample;
	u64 words[VCPC_SAMPLE_WORDS(VCPC_REQUESTS_CAP)];
};

/* The values apart: fortified memcpy() knows nothing of them behind a struct in a struct. */
static inline void vcpc_sample_copy(struct vcpc_sample *to, const struct vcpc_sample *from)
{
	*to = *from;
	memcpy(to->values, from->values, from->nr * sizeof(from->values[0]));
}

#endif
