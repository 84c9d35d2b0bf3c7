// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Samples of perf's sets: a thread's sample of itself needs neither a lock nor, mostly, a system
 * call; all others are read by read(2) with the lock held.
 *
 * A thread remembers the instances of some sets that it has sampled, and reads their events' pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "perf_cpu.h"
#include "perf_page.h"
#include "perf_set.h"
#include "tick.h"

#define OWN_SETS	8

/* The calling thread's own instances of sets that it has sampled, each at its set's serial number */
static __thread struct {
	struct {
		__u64 serial;
		struct shim_instance *inst;
	} own[OWN_SETS];
	pid_t tid;
	unsigned int reading;
} self __attribute__((tls_model("initial-exec")));

/**
 * shim_perf__remember() - keep the calling thread's own instance for its next sample
 * @set: the set
 * @inst: an instance of the set; ignored if it is another thread's, or has no pages
 */
void shim_perf__remember(const struct shim_perf_set *set, struct shim_instance *inst)
{
	if (!inst->group.pages || inst->tid != gettid() || inst->tgid != getpid())
		return;
	inst->known = true;
	self.own[set->serial % OWN_SETS].inst = inst;
	self.own[set->serial % OWN_SETS].serial = set->serial;
	self.tid = inst->tid;
}

/**
 * shim_perf__forget() - an instance is being removed: the calling thread remembers it no longer
 * @inst: the instance
 */
void shim_perf__forget(const struct shim_instance *inst)
{
	for (unsigned int i = 0; i < OWN_SETS; i++)
		if (self.own[i].inst == inst)
			self.own[i].inst = NULL;
}

/**
 * shim_perf__is_reading() - whether the caller is a signal handler that has interrupted a sample
 */
bool shim_perf__is_reading(void)
{
	return self.reading;
}

static int add_up(const struct shim_perf_set *set, struct shim_instance *inst,
		  struct vcpc_sample *buf)
{
	struct shim_group_counts counts;
	int ret = shim_instance__read(inst, &counts);

	if (ret)
		return ret;
	for (unsigned int i = 0; i < set->n; i++)
		buf->values[i] += inst->from[i] + counts.values[i];
	buf->tick += counts.enabled;
	buf->time = inst->on ? shim_tick__ns() : inst->stopped;
	if (inst->on)
		buf->state |= VCPC_STATE_COUNTING;
	if (!shim_instance__has_ended(inst))
		buf->state &= ~VCPC_STATE_EXITED;
	return 0;
}

static int sample_all(struct shim_perf_set *set, const struct shim_instance *one,
		      struct vcpc_sample *buf)
{
	__u64 start = shim_tick__ns();
	int ret = 0;

	for (struct shim_instance *inst = set->instances; inst && !ret; inst = inst->next)
		if (shim_perf__is_meant(inst, one, true))
			ret = add_up(set, inst, buf);
	buf->time = start;
	if (buf->state & VCPC_STATE_EXITED)
		buf->state &= ~VCPC_STATE_COUNTING;
	return ret;
}

static int sample_locked(struct shim_perf_set *set, pid_t tid, unsigned int flags,
			 struct vcpc_sample *buf)
{
	struct shim_instance *one;
	int ret = shim_perf__pick(set, tid, flags, VCPC_SAMPLE_F_TOTAL, &one);

	if (ret)
		return ret;
	if (flags & VCPC_SAMPLE_F_TOTAL)
		return sample_all(set, one, buf);
	if (shim_instance__is_inherited(one))
		return -EOPNOTSUPP;
	ret = add_up(set, one, buf);
	if (!ret && !(buf->state & VCPC_STATE_EXITED))
		shim_perf__remember(set, one);
	return ret;
}

static __attribute__((noinline)) int ask(struct shim_perf_set *set, pid_t tid, unsigned int flags,
					 struct vcpc_sample *buf, size_t size)
{
	union {
		struct vcpc_sample sample;
		__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + SHIM_GROUP_MAX];
	} room;
	size_t need = sizeof(room.sample) + set->n * sizeof(__u64);
	int ret;

	if (!shim_perf__is_made_here(set))
		return -EBADF;
	if (size < need)
		return -EINVAL;
	memset(&room, 0, need);
	room.sample.size = sizeof(room.sample);
	room.sample.nr = set->n;
	room.sample.state = VCPC_STATE_EXITED;
	shim_siglock__enter(&shim_perf__lock);
	ret = sample_locked(set, tid, flags, &room.sample);
	shim_siglock__leave(&shim_perf__lock);
	if (!ret)
		memcpy(buf, &room, need);
	return ret;
}

#ifndef SHIM_CPU_IS_NOT_READ
static const struct shim_page_cpu this_cpu = {
	.counter = shim_cpu__counter,
	.clock = shim_cpu__clock,
};

/* Read the counts by read(2), because the pages do not have them now. */
static __attribute__((noinline)) int read_kernel(const struct shim_perf_set *set,
						 const struct shim_instance *inst,
						 struct vcpc_sample *buf, __u64 *tick)
{
	struct shim_group_counts counts;
	int ret = inst->on ? shim_group__read(&inst->group, &counts) : -EOPNOTSUPP;

	if (ret)
		return ret;
	for (unsigned int i = 0; i < set->n; i++)
		buf->values[i] = inst->from[i] + counts.values[i];
	*tick = counts.enabled;
	return 0;
}

static inline __attribute__((always_inline)) int
read_instance(const struct shim_perf_set *set, const struct shim_instance *inst,
	      struct vcpc_sample *buf, __u64 *tick)
{
	/*
	 * Another thread may be changing the instance: everything is read after this load, and
	 * before the check at the end.
	 */
	unsigned int changing = __atomic_load_n(&inst->changing, __ATOMIC_ACQUIRE);
	int ret;

	if (!inst->live || changing & 1)
		return -EOPNOTSUPP;
	ret = shim_page__read(inst->group.pages, set->n, &this_cpu, inst->from, buf->values, tick);
	if (ret)
		ret = read_kernel(set, inst, buf, tick);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !ret && (inst->changing != changing || !inst->live) ? -EOPNOTSUPP : ret;
}

/*
 * Sample the calling thread's own instance without the lock.  A signal handler that interrupts this
 * may sample, too; restart the set, which inst->changing shows; or unbind it, and then its pages
 * stay mapped while self.reading is not 0.  If anything fails here, the caller samples again with
 * the lock.
 */
static inline __attribute__((always_inline)) int
read_self(const struct shim_perf_set *set, pid_t tid, struct vcpc_sample *buf, size_t size)
{
	unsigned int at = set->serial % OWN_SETS;
	struct shim_instance *inst;
	__u64 tick;
	int ret = -EOPNOTSUPP;

	if (self.own[at].serial != set->serial || !shim_perf__is_made_here(set) ||
	    (tid && tid != self.tid) ||
	    size < sizeof(*buf) + set->n * sizeof(buf->values[0]))
		return ret;
	/* Look the instance up after this: before it, a handler may unbind the set and free it. */
	self.reading++;
	atomic_signal_fence(memory_order_seq_cst);
	inst = self.own[at].inst;
	if (inst && self.own[at].serial == set->serial)
		ret = read_instance(set, inst, buf, &tick);
	atomic_signal_fence(memory_order_seq_cst);
	self.reading--;
	if (ret)
		return ret;
	buf->size = sizeof(*buf);
	buf->nr = set->n;
	buf->state = VCPC_STATE_COUNTING;
	buf->tick = tick;
	buf->time = shim_tick__ns();
	return 0;
}
#else
static inline int read_self(const struct shim_perf_set *set, pid_t tid, struct vcpc_sample *buf,
			    size_t size)
{
	(void)set;
	(void)tid;
	(void)buf;
	(void)size;
	return -EOPNOTSUPP;
}
#endif

/**
 * shim_perf__sample_self() - the calling thread's own instance, without the lock
 * @ref: the set
 * @tid: the calling thread, or 0
 * @buf: filled on success
 * @size: of @buf
 *
 * Return: 0, or -EOPNOTSUPP if the thread has sampled another set since, or the pages do not tell.
 */
int shim_perf__sample_self(union shim_backend_ref ref, pid_t tid, struct vcpc_sample *buf,
			   size_t size)
{
	return read_self(ref.ptr, tid, buf, size);
}

/**
 * shim_perf__sample() - one sample, as struct shim_backend_ops has it
 * @ref: the set
 * @tid: of whom
 * @flags: VCPC_SAMPLE_F_*
 * @buf: filled
 * @size: of @buf
 */
int shim_perf__sample(union shim_backend_ref ref, pid_t tid, unsigned int flags,
		       struct vcpc_sample *buf, size_t size)
{
	struct shim_perf_set *set = ref.ptr;

	if (!flags && !read_self(set, tid, buf, size))
		return 0;
	if (set->slots.groups)
		return shim_perf__sample_groups(set, tid, flags, buf, size);
	return ask(set, tid, flags, buf, size);
}
