/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_SAMPLE_H
#define VCPC_SAMPLE_H

#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/vcpc.h>

#define VCPC_SAMPLE_WORDS(nr)	(sizeof(struct vcpc_sample) / sizeof(u64) + (nr))

/* What samples of larger sets need is too much for the stack. */
#define VCPC_SAMPLE_STACK	128

/**
 * union vcpc_sample_room - a sample of a set of VCPC_SAMPLE_STACK requests at most
 * @sample: as the caller gets it
 * @words: the same, for copying
 */
union vcpc_sample_room {
	struct vcpc_sample sample;
	u64 words[VCPC_SAMPLE_WORDS(VCPC_SAMPLE_STACK)];
};

static inline size_t vcpc_sample_size(u32 nr)
{
	return VCPC_SAMPLE_WORDS(nr) * sizeof(u64);
}

/* The values apart: fortified memcpy() knows nothing of them behind a struct in a struct. */
static inline void vcpc_sample_copy(struct vcpc_sample *to, const struct vcpc_sample *from)
{
	*to = *from;
	memcpy(to->values, from->values, from->nr * sizeof(from->values[0]));
}

#endif
