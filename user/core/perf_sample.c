// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Sample sets that perf counts.  A thread that samples itself needs no lock and usually no system
 * call.  All other samples call read(2) with the lock held.
 *
 * A thread caches its instances of some sets that it has sampled, and reads their events' pages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "perf_flexible.h"
#include "perf_multiplex.h"
#include "perf_page.h"
#include "perf_set.h"

/*
 * Distinguish a process from its forked children without a system call.  A page contains a number
 * that identifies the process, and the kernel clears the page in a child (MADV_WIPEONFORK),
 * regardless of the call that created the child.
 */

static _Atomic(volatile __u64 *) the_page;

static volatile __u64 *map_process(void)
{
	volatile __u64 *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile __u64 *none = NULL;

	if (page == MAP_FAILED)
		return NULL;
	if (madvise((void *)page, sysconf(_SC_PAGESIZE), MADV_WIPEONFORK) ||
	    !atomic_compare_exchange_strong(&the_page, &none, page))
		munmap((void *)page, sysconf(_SC_PAGESIZE));
	return atomic_load(&the_page);
}

/**
 * shim_perf__process() - get the process's page, mapping it first if necessary
 *
 * Return: the page, which begins with the process's number; NULL if the kernel cannot map it.
 */
const volatile __u64 *shim_perf__process(void)
{
	volatile __u64 *page = atomic_load(&the_page);
	__u64 none = 0;

	if (!page)
		page = map_process();
	if (!page)
		return NULL;
	__atomic_compare_exchange_n(page, &none, shim_clock__ns(), 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return page;
}

#define OWN_SETS	8

/* The calling thread's own instances of sets that it has sampled, by the set's serial number */
static __thread struct {
	struct {
		__u64 serial;
		struct shim_instance *inst;
	} own[OWN_SETS];
	pid_t tid;
	unsigned int reading;
} self __attribute__((tls_model("initial-exec")));

/**
 * shim_perf__remember() - cache the calling thread's own instance for its next sample
 * @set: the set
 * @inst: an instance of the set; ignored if it belongs to another thread or has no pages
 */
void shim_perf__remember(const struct shim_perf_set *set, struct shim_instance *inst)
{
	if (!inst->plan || inst->tid != gettid() || inst->tgid != getpid())
		return;
	inst->known = true;
	self.own[set->serial % OWN_SETS].inst = inst;
	self.own[set->serial % OWN_SETS].serial = set->serial;
	self.tid = inst->tid;
}

/**
 * shim_perf__forget() - remove an instance from the calling thread's cache
 * @inst: the instance
 */
void shim_perf__forget(const struct shim_instance *inst)
{
	for (unsigned int i = 0; i < OWN_SETS; i++)
		if (self.own[i].inst == inst)
			self.own[i].inst = NULL;
}

/**
 * shim_perf__is_reading() - check whether the caller is a signal handler that has interrupted a
 * sample
 */
bool shim_perf__is_reading(void)
{
	return self.reading;
}

static int add_up(const struct shim_perf_set *set, struct shim_instance *inst,
		  struct vcpc_sample *buf)
{
	void *groups = &buf->values[set->n];
	struct shim_group_counts counts;
	int ret = 0;

	if (inst->multiplex)
		ret = shim_multiplex__add_up(inst, buf->values, groups);
	if (!ret)
		ret = shim_instance__read(inst, &counts);
	if (!ret && inst->flexible)
		ret = shim_flexible__add_up(inst, inst->kept + counts.enabled, buf->values, groups);
	if (ret)
		return ret;
	for (unsigned int i = 0; i < set->n && !inst->slots; i++)
		buf->values[i] += inst->from[i] + counts.values[i];
	buf->tick += inst->kept + counts.enabled;
	buf->time = inst->on && !inst->offline ? shim_clock__ns() : inst->stopped;
	if (inst->on)
		buf->state |= VCPC_STATE_COUNTING;
	if (inst->offline)
		buf->state |= SHIM_STATE_F_OFFLINE;
	if (buf->state & VCPC_STATE_EXITED && !shim_instance__has_ended(inst))
		buf->state &= ~VCPC_STATE_EXITED;
	return 0;
}

static int sample_all(struct shim_perf_set *set, const struct shim_instance *one,
		      struct vcpc_sample *buf)
{
	__u64 start = shim_clock__ns();
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
	if (!ret && !one->slots && !(buf->state & VCPC_STATE_EXITED))
		shim_perf__remember(set, one);
	return ret;
}

/* Read the counts with read(2), because the pages do not contain them now. */
static bool read_kernel(const struct shim_instance *inst, __u64 *values, __u64 *tick)
{
	/* Another thread may be changing the instance. */
	__u32 changing = __atomic_load_n(&inst->plan->changing, __ATOMIC_ACQUIRE);
	struct shim_group_counts counts;

	if (!inst->on || changing & 1 || shim_group__read(&inst->group, &counts))
		return false;
	for (unsigned int i = 0; i < inst->group.n; i++)
		values[i] = inst->from[i] + counts.values[i];
	*tick = counts.enabled;
	atomic_thread_fence(memory_order_acquire);
	return inst->plan->changing == changing;
}

/* Read the counts when the pages have changed since the last sample. */
static __attribute__((noinline)) int read_changed(const struct shim_instance *inst, __u64 *values,
						  __u64 *tick)
{
	int ret = shim_page__read(inst->plan, &shim_cpu__this, inst->from, values, tick);

	return ret && read_kernel(inst, values, tick) ? 0 : ret;
}

/**
 * shim_perf__read_self() - read the values of the calling thread's own instance without the lock
 * @set: the set
 * @tid: the calling thread, or 0
 * @values: unspecified on failure
 * @room: maximum number of values
 * @tick: CPU time while the set counted; unspecified on failure
 *
 * A signal handler that interrupts this function may also sample the set.  It may restart the set,
 * which increments the plan's @changing.  It may unbind the set; the pages then stay mapped while
 * self.reading is not 0.
 *
 * Return: 0 if the values were read and the set counts.  Otherwise the caller must sample with the
 * lock, because the thread has not bound the set or no longer caches it, or the set is stopped.
 */
int shim_perf__read_self(const struct shim_perf_set *set, pid_t tid, __u64 *values,
			 unsigned int room, __u64 *tick)
{
	unsigned int at = set->serial % OWN_SETS, before = self.reading;
	const struct shim_instance *inst;
	int ret = -EOPNOTSUPP;

	/* Do this before the look-up, because a handler may unbind and free the set. */
	self.reading = before + 1;
	atomic_signal_fence(memory_order_seq_cst);
	inst = self.own[at].inst;
	atomic_signal_fence(memory_order_seq_cst);
	if (inst && self.own[at].serial == set->serial && shim_perf__is_made_here(set) &&
	    (!tid || tid == self.tid) && room >= set->n) {
		ret = shim_page__try(inst->plan, &shim_cpu__this, values, tick);
		if (ret)
			ret = read_changed(inst, values, tick);
	}
	atomic_signal_fence(memory_order_seq_cst);
	self.reading = before;
	return ret;
}

/**
 * shim_perf__sample() - sample with the lock held, as in struct shim_backend_ops
 * @ref: the set
 * @tid: the target
 * @flags: VCPC_SAMPLE_F_*
 * @buf: filled in; on failure unchanged, unless the set has groups
 * @size: size of @buf
 */
int shim_perf__sample(union shim_backend_ref ref, pid_t tid, unsigned int flags,
		      struct vcpc_sample *buf, size_t size)
{
	struct shim_perf_set *set = ref.ptr;
	union {
		struct vcpc_sample sample;
		__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + SHIM_GROUP_MAX];
	} room;
	size_t need = sizeof(room.sample) + set->n * sizeof(__u64) +
		      set->slots.groups * sizeof(struct shim_group_sample);
	struct vcpc_sample *to = set->slots.groups ? buf : &room.sample;
	int ret;

	if (!shim_perf__is_made_here(set))
		return -EBADF;
	if (size < need)
		return -EINVAL;
	memset(to, 0, need);
	to->size = sizeof(*to);
	to->nr = set->n;
	to->state = VCPC_STATE_EXITED;
	shim_siglock__enter(&shim_perf__lock);
	ret = sample_locked(set, tid, flags, to);
	shim_siglock__leave(&shim_perf__lock);
	if (!ret && to != buf)
		memcpy(buf, to, need);
	return ret;
}
