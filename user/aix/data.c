// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Return a context's program and its counts.
 *
 * Lists are allocated, and the caller must free them. After an error the caller's pointer is NULL.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

static int right_kind(const struct shim_aix_call *call, enum shim_aix_kind kind)
{
	return call->ctx->program.kind == kind ? 0 : Pmapi_WrongKind;
}

/*
 * Set @on to true if the target is currently counting, for mode.b.count.  Return 0 or the API's
 * error.
 */
static int live_state(const struct shim_aix_call *call, bool *on)
{
	int ret = shim_aix_turn__on(call->ctx, call->tid);

	if (ret < 0)
		return shim_aix__error(ret);
	*on = ret;
	return 0;
}

static void copy_set(const struct shim_aix_call *call, int k, bool on, pm_prog_t *prog)
{
	*prog = call->ctx->program.sets[k];
	prog->mode.b.count = on;
	prog->reserved = 0;
}

static int get_locked(struct shim_aix_call *call, void *prog)
{
	int ret = right_kind(call, AIX_PLAIN);
	bool on = false;

	if (!ret)
		ret = live_state(call, &on);
	if (!ret)
		copy_set(call, 0, on, prog);
	return ret;
}

/* Check the program's kind, find out whether it is counting, and allocate memory for all sets. */
static int begin_get(const struct shim_aix_call *call, enum shim_aix_kind kind, size_t size,
		     bool *on, void **sets)
{
	int ret = right_kind(call, kind);

	if (!ret)
		ret = live_state(call, on);
	if (ret)
		return ret;
	*sets = malloc(call->ctx->program.nsets * size);
	return *sets ? 0 : Pmapi_Malloc_Err;
}

static int get_mx_locked(struct shim_aix_call *call, void *arg)
{
	const struct shim_aix_program *p = &call->ctx->program;
	pm_prog_mx_t *prog = arg;
	pm_events_prog_t *sets;
	bool on = false;
	void *room;
	int ret = begin_get(call, AIX_MX, sizeof(*sets), &on, &room);

	if (ret)
		return ret;
	sets = room;
	for (int k = 0; k < p->nsets; k++)
		memcpy(sets[k], p->sets[k].events, sizeof(sets[k]));
	*prog = (pm_prog_mx_t) {
		.mode = p->sets[0].mode,
		.slice_duration = p->slice,
		.nb_events_prog = p->nsets,
		.events_set = sets,
	};
	prog->mode.b.count = on;
	return 0;
}

static int get_mm_locked(struct shim_aix_call *call, void *arg)
{
	const struct shim_aix_program *p = &call->ctx->program;
	pm_prog_mm_t *prog = arg;
	pm_prog_t *sets;
	bool on = false;
	void *room;
	int ret = begin_get(call, AIX_MM, sizeof(*sets), &on, &room);

	if (ret)
		return ret;
	sets = room;
	for (int k = 0; k < p->nsets; k++)
		copy_set(call, k, on, &sets[k]);
	*prog = (pm_prog_mm_t) {
		.slice_duration = p->slice,
		.nb_set_prog = p->nsets,
		.prog_set = sets,
	};
	return 0;
}

int shim_aix__get(struct shim_aix_who who, pm_prog_t *prog)
{
	return prog ? shim_aix_state__call(who, get_locked, prog) : EINVAL;
}

int shim_aix__get_mx(struct shim_aix_who who, pm_prog_mx_t *prog)
{
	if (!prog)
		return EINVAL;
	prog->events_set = NULL;
	return shim_aix_state__call(who, get_mx_locked, prog);
}

int shim_aix__get_mm(struct shim_aix_who who, pm_prog_mm_t *prog)
{
	if (!prog)
		return EINVAL;
	prog->prog_set = NULL;
	return shim_aix_state__call(who, get_mm_locked, prog);
}

static int read_cpu(const struct shim_aix_call *call, struct shim_aix_sums **sums)
{
	int ret;

	if (call->ctx->tree)
		return Pmapi_Unsupported;
	ret = shim_aix_sums__read(call->ctx, call->tid, SHIM_TARGET_F_CPU, sums);
	return ret == -EINVAL ? Pmapi_BadCpu : shim_aix__error(ret);
}

/* Read the counts of the call's target since the context's last reset. */
static int read_sums(const struct shim_aix_call *call, struct shim_aix_sums **sums)
{
	const struct shim_aix_context *ctx = call->ctx;
	int ret;

	if (call->who.scope == AIX_CPU)
		return read_cpu(call, sums);
	if (call->who.scope == AIX_THREAD)
		return shim_aix__error(shim_aix_sums__read(ctx, call->tid, 0, sums));
	ret = shim_aix_sums__read(ctx, 0, VCPC_SAMPLE_F_TOTAL, sums);
	if (ret)
		return shim_aix__error(ret);
	if (ctx->base)
		shim_aix_sums__subtract(ctx, *sums, ctx->base);
	if (!ctx->on && ctx->stopped)
		(*sums)->time = ctx->stopped;
	return 0;
}

static int describe_group(const struct shim_aix_context *ctx, pm_ginfo_t *ginfo)
{
	unsigned int members;
	int ret = shim_aix_state__members(ctx, &members);

	if (ret)
		return ret;
	ginfo->members = members;
	ginfo->flags.b.process = ctx->process;
	ginfo->flags.b.consistent = 1;
	return 0;
}

static int describe(const struct shim_aix_call *call, pm_ginfo_t *ginfo)
{
	*ginfo = (pm_ginfo_t) { 0 };
	if (call->who.scope == AIX_GROUP)
		return describe_group(call->ctx, ginfo);
	ginfo->members = call->who.scope == AIX_THREAD;
	ginfo->flags.b.consistent = 1;
	return 0;
}

/*
 * struct result - where a getter stores its results
 * @data: pm_data_t or pm_data_mx_t
 * @when: set to the time of the sample, unless NULL
 * @times: set to the accumulated times, unless NULL
 */
struct result {
	void *data;
	timebasestruct_t *when;
	pm_accu_time_t *times;
};

static void put_times(const struct result *result, __u64 time, __u64 tick)
{
	if (result->when)
		shim_aix__ticks(result->when, time);
	if (result->times) {
		shim_aix__ticks(&result->times->accu_timebase, tick);
		shim_aix__ticks(&result->times->accu_purr, 0);
		shim_aix__ticks(&result->times->accu_spurr, 0);
	}
}

static int data_locked(struct shim_aix_call *call, void *arg)
{
	pm_data_t data = { .reserved = 0 };
	struct result *result = arg;
	struct shim_aix_sums *sums;
	int ret = right_kind(call, AIX_PLAIN);

	if (!ret)
		ret = read_sums(call, &sums);
	if (ret)
		return ret;
	ret = describe(call, &data.ginfo);
	shim_aix_program__values(&call->ctx->program, 0, sums->values, data.accu);
	if (!ret) {
		*(pm_data_t *)result->data = data;
		put_times(result, sums->time, sums->tick);
	}
	free(sums);
	return ret;
}

static bool get_own(const struct result *result)
{
	__u64 tick, time = 0;

	if (!shim_aix_self__data(result->data, &tick, result->when ? &time : NULL))
		return false;
	put_times(result, time, tick);
	return true;
}

static int get_data(struct shim_aix_who who, struct result result)
{
	if (who.scope == AIX_THREAD && !who.other && result.data && get_own(&result))
		return 0;
	return result.data ? shim_aix_state__call(who, data_locked, &result) : EINVAL;
}

int shim_aix__get_data(struct shim_aix_who who, pm_data_t *data)
{
	return get_data(who, (struct result) { .data = data });
}

int shim_aix__tdata(struct shim_aix_who who, pm_data_t *data, timebasestruct_t *when)
{
	return when ? get_data(who, (struct result) { .data = data, .when = when }) : EINVAL;
}

int shim_aix__Tdata(struct shim_aix_who who, pm_data_t *data, pm_accu_time_t *times)
{
	return times ? get_data(who, (struct result) { .data = data, .times = times }) : EINVAL;
}

static pm_accu_mx_t *make_sets(const struct shim_aix_program *p, const struct shim_aix_sums *sums)
{
	pm_accu_mx_t *sets = calloc(p->nsets, sizeof(*sets));

	for (int k = 0; sets && k < p->nsets; k++) {
		shim_aix__ticks(&sets[k].accu_time, sums->turns[k].tick);
		shim_aix__ticks(&sets[k].accu_purr, 0);
		shim_aix__ticks(&sets[k].accu_spurr, 0);
		shim_aix_program__values(p, k, sums->values, sets[k].accu_data);
	}
	return sets;
}

static int make_mx(const struct shim_aix_call *call, const struct shim_aix_sums *sums,
		   pm_data_mx_t *data)
{
	const struct shim_aix_program *p = &call->ctx->program;
	__u64 rounds = sums->turns[0].rounds;
	int ret = describe(call, &data->ginfo);

	if (ret)
		return ret;
	data->accu_set = make_sets(p, sums);
	if (!data->accu_set)
		return Pmapi_Malloc_Err;
	data->nb_accu_mx = p->nsets;
	data->nb_mx_round = rounds < INT_MAX ? (int)rounds : INT_MAX;
	return 0;
}

static int data_mx_locked(struct shim_aix_call *call, void *arg)
{
	pm_data_mx_t data = { .accu_set = NULL };
	struct result *result = arg;
	struct shim_aix_sums *sums;
	int ret = call->ctx->program.kind == AIX_PLAIN ? Pmapi_WrongKind : read_sums(call, &sums);

	if (ret)
		return ret;
	ret = make_mx(call, sums, &data);
	if (!ret) {
		*(pm_data_mx_t *)result->data = data;
		if (result->when)
			shim_aix__ticks(result->when, sums->time);
	}
	free(sums);
	return ret;
}

static int get_data_mx(struct shim_aix_who who, pm_data_mx_t *data, timebasestruct_t *when)
{
	struct result result = { .data = data, .when = when };

	if (!data)
		return EINVAL;
	data->accu_set = NULL;
	return shim_aix_state__call(who, data_mx_locked, &result);
}

int shim_aix__data_mx(struct shim_aix_who who, pm_data_mx_t *data)
{
	return get_data_mx(who, data, NULL);
}

int shim_aix__tdata_mx(struct shim_aix_who who, pm_data_mx_t *data, timebasestruct_t *when)
{
	if (!when && data)
		data->accu_set = NULL;
	return when ? get_data_mx(who, data, when) : EINVAL;
}
