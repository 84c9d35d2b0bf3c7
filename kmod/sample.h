/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SAMPLE_H
#define VCPC_SAMPLE_H

#include <linux/compiler.h>
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

#endif
