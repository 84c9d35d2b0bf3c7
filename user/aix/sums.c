// SPDX-License-Identifier: LGPL-2.1-or-later
/* Takes samples of a context, and subtracts the counts before a reset. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static unsigned int turns_of(const struct shim_aix_context *ctx)
{
	return ctx->program.kind == AIX_PLAIN ? 0 : ctx->program.nsets;
}

/**
 * shim_aix_sums__read() - take a sample
 * @ctx: the context
 * @tid: a thread or CPU, by @flags
 * @flags: VCPC_SAMPLE_F_*
 * @sums: to be freed; set only on success
 *
 * Return: 0 or a core error.
 */
int shim_aix_sums__read(const struct shim_aix_context *ctx, pid_t tid, unsigned int flags,
			struct shim_aix_sums **sums)
{
	size_t size = sizeof(struct vcpc_sample) + ctx->program.n * sizeof(__u64) +
		      turns_of(ctx) * sizeof(struct shim_group_sample);
	struct shim_aix_sums *s = malloc(sizeof(*s) + size);
	struct vcpc_sample *sample = (void *)(s + 1);
	int ret;

	if (!s)
		return -ENOMEM;
	ret = shim_counters__sample_at(ctx->counters, tid, flags, sample, size);
	if (ret) {
		free(s);
		return ret;
	}
	s->time = sample->time;
	s->state = sample->state;
	s->tick = sample->tick;
	s->values = sample->values;
	s->turns = turns_of(ctx) ? (void *)&sample->values[ctx->program.n] : NULL;
	*sums = s;
	return 0;
}

/**
 * shim_aix_sums__state() - get a thread's state in a context
 * @ctx: the context
 * @tid: the thread
 * @state: VCPC_STATE_*; set only on success
 *
 * Return: 0 or a core error, -EINVAL if it has none.
 */
int shim_aix_sums__state(const struct shim_aix_context *ctx, pid_t tid, __u32 *state)
{
	struct shim_aix_sums *sums;
	int ret = shim_aix_sums__read(ctx, tid, 0, &sums);

	if (ret)
		return ret;
	*state = sums->state;
	free(sums);
	return 0;
}

/* Clamped to 0: the counts of a group member deleted since then are no longer in the total. */
static __u64 less(__u64 a, __u64 b)
{
	return a > b ? a - b : 0;
}

/**
 * shim_aix_sums__subtract() - subtract earlier sums from later ones
 * @ctx: whose sums they are
 * @sums: the later ones; on return, the counts since @base
 * @base: the earlier ones
 */
void shim_aix_sums__subtract(const struct shim_aix_context *ctx, struct shim_aix_sums *sums,
			     const struct shim_aix_sums *base)
{
	sums->tick = less(sums->tick, base->tick);
	for (unsigned int i = 0; i < ctx->program.n; i++)
		sums->values[i] = less(sums->values[i], base->values[i]);
	for (unsigned int k = 0; k < turns_of(ctx); k++) {
		sums->turns[k].time = less(sums->turns[k].time, base->turns[k].time);
		sums->turns[k].tick = less(sums->turns[k].tick, base->turns[k].tick);
		sums->turns[k].rounds = less(sums->turns[k].rounds, base->turns[k].rounds);
		sums->turns[k].voids = less(sums->turns[k].voids, base->turns[k].voids);
	}
}
