// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The back end that counts by perf_event_open(2), where the module is not.
 *
 * A set on a target is a group of perf's (perf_instance.c).  Values are the group's counts and a
 * base, which restart changes.  What perf cannot do is refused: turns of groups, overflows that stop
 * a set, samples of single threads that inherited (only their sum), counts in transactions.
 *
 * Threads: one lock guards all sets' lists; signals are blocked while it is held, and fork() waits
 * for it.  A thread that samples itself takes no lock and makes no call: it remembers its own
 * instance and reads the events' pages.  Whoever takes the set off such a thread meanwhile leaves
 * the pages mapped until the thread cannot be reading them.
 *
 * A set belongs to the process that has made it: a forked child gets errors.  A page that the
 * kernel clears in a child says so, however the child was forked.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backend.h"
#include "perf_cpu.h"
#include "perf_instance.h"
#include "perf_page.h"
#include "tick.h"

#define MOST_SETS	1024

#define KNOWN_BIND	(VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE | \
			 VCPC_BIND_F_PROCESS | VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD)

/*
 * struct perf_set - a set
 * @serial: no other set of the process has or had it
 * @maker: what the process's page said when the set was made
 * @gone: taken off, but their threads may be reading their pages
 */
struct perf_set {
	__u64 serial;
	__u64 maker;
	unsigned int flags;
	unsigned int n;
	struct shim_instance *instances;	/* oldest first */
	struct shim_instance *gone;
	struct vcpc_request reqs[];
};

/* Innermost: the faces' locks are held outside it. */
static struct shim_siglock lock = SHIM_SIGLOCK_INITIALIZER(2, NULL);

/* What says which process this is: 0 in a child that was forked since */
static _Atomic(volatile __u64 *) process;

/* What a thread knows of itself: its instance of the set that it has sampled last */
static __thread struct {
	__u64 serial;
	struct shim_instance *inst;
	pid_t tid;
	unsigned int reading;
} self __attribute__((tls_model("initial-exec")));

static volatile __u64 *map_process(void)
{
	volatile __u64 *page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile __u64 *none = NULL;

	if (page == MAP_FAILED)
		return NULL;
	if (madvise((void *)page, sysconf(_SC_PAGESIZE), MADV_WIPEONFORK) ||
	    !atomic_compare_exchange_strong(&process, &none, page))
		munmap((void *)page, sysconf(_SC_PAGESIZE));
	return atomic_load(&process);
}

/* The process's number, made if it has none: 0 if that cannot be */
static __u64 this_process(void)
{
	volatile __u64 *page = atomic_load(&process);
	__u64 none = 0;

	if (!page)
		page = map_process();
	if (!page)
		return 0;
	__atomic_compare_exchange_n(page, &none, shim_tick__ns(), 0, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return *page;
}

static inline bool is_made_here(const struct perf_set *set)
{
	return *atomic_load_explicit(&process, memory_order_relaxed) == set->maker;
}

static int perf_open(union shim_backend_ref *dev, struct vcpc_info_args *info)
{
	int ret = shim_group__why();

	if (ret == -EPERM || ret == -ENOSYS)
		ret = -ENODEV;
	if (!ret && shim_fork__wait_for(&lock))
		ret = -ENOMEM;
	if (ret)
		return ret;
	dev->ptr = NULL;
	*info = (struct vcpc_info_args) {
		.size = sizeof(*info),
		.abi = VCPC_ABI_VERSION,
		.features = VCPC_FEAT_SETS | VCPC_FEAT_CPU,
		.max_requests = SHIM_GROUP_MAX,
		.max_sets = MOST_SETS,
		.hw_slots = shim_group__slots(),
		.sample_size = sizeof(struct vcpc_sample),
	};
	return 0;
}

static void perf_close(union shim_backend_ref dev)
{
	(void)dev;
}

static __u64 perf_now(void)
{
	return shim_tick__ns();
}

/* perf shares the PMU between whoever asks: nobody locks anybody out. */
static int perf_lock(union shim_backend_ref dev, int how)
{
	(void)dev;
	(void)how;
	return 0;
}

static int check_one(const struct vcpc_request *req)
{
	if (!(req->flags & (VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)) || req->group)
		return -EINVAL;
	if (req->flags & VCPC_REQ_F_OVERFLOW)
		return -EOPNOTSUPP;
	return shim_group__try(req);
}

static int check(const struct vcpc_request *reqs, unsigned int n, unsigned int flags,
		 struct shim_terms terms, int *bad)
{
	int ret = 0;

	*bad = -1;
	if (!n || n > SHIM_GROUP_MAX)
		return -EINVAL;
	if (flags & ~VCPC_SET_F_DISABLED || terms.slot || terms.seed || terms.signal)
		return -EOPNOTSUPP;
	for (unsigned int i = 0; i < n && !ret; i++) {
		ret = check_one(&reqs[i]);
		if (ret)
			*bad = i;
	}
	return ret;
}

static int perf_create(union shim_backend_ref dev, const struct vcpc_request *reqs, unsigned int n,
		       unsigned int flags, struct shim_terms terms, int *bad,
		       union shim_backend_ref *out)
{
	static _Atomic __u64 serials;
	struct perf_set *set;
	int ret = check(reqs, n, flags, terms, bad);

	(void)dev;
	if (ret)
		return ret;
	set = calloc(1, sizeof(*set) + n * sizeof(*reqs));
	if (!set)
		return -ENOMEM;
	set->maker = this_process();
	if (!set->maker) {
		free(set);
		return -ENOMEM;
	}
	set->serial = ++serials;
	set->flags = flags;
	set->n = n;
	memcpy(set->reqs, reqs, n * sizeof(*reqs));
	out->ptr = set;
	return 0;
}

static void stop_all(struct perf_set *set)
{
	for (struct shim_instance *inst = set->instances; inst; inst = inst->next) {
		shim_group__turn(&inst->group, false);
		inst->live = false;
	}
}

/* What another call on the set has yet to find, it does not find any more. */
static void perf_destroy(union shim_backend_ref ref)
{
	struct perf_set *set = ref.ptr;
	struct shim_instance **end = &set->gone;

	if (!is_made_here(set))
		return;
	shim_siglock__enter(&lock);
	stop_all(set);
	while (*end)
		end = &(*end)->next;
	*end = set->instances;
	set->instances = NULL;
	shim_siglock__leave(&lock);
}

static void perf_release(union shim_backend_ref ref)
{
	struct perf_set *set = ref.ptr;
	bool here = is_made_here(set);

	/* A handler has interrupted a sample, perhaps of this set: what it reads has to stay. */
	if (here && self.reading)
		return;
	shim_siglock__enter(&lock);
	shim_instance__free(set->instances, here);
	shim_instance__free(set->gone, here);
	shim_siglock__leave(&lock);
	free(set);
}

static struct shim_instance *find(const struct perf_set *set, pid_t tid, bool cpu)
{
	struct shim_instance *own;

	if (tid || cpu)
		return shim_instance__find(set->instances, tid, cpu);
	own = shim_instance__find(set->instances, gettid(), false);
	if (own)
		return own;
	return set->instances && !set->instances->next ? set->instances : NULL;
}

/* Its pages go once its thread cannot be reading them: that is the caller, or has ended. */
static bool is_done_with(const struct shim_instance *inst)
{
	if (!inst->group.pages || !inst->known)
		return true;
	return inst->tid == gettid() ? !self.reading : inst->tgid != getpid() ||
						       shim_group__has_ended(&inst->group);
}

static void sweep(struct perf_set *set)
{
	struct shim_instance **at = &set->gone;

	while (*at) {
		struct shim_instance *inst = *at;

		if (!is_done_with(inst)) {
			at = &inst->next;
			continue;
		}
		*at = inst->next;
		inst->next = NULL;
		if (self.inst == inst)
			self.inst = NULL;
		shim_instance__free(inst, true);
	}
}

/* The calling thread's own, for the next time */
static void remember(const struct perf_set *set, struct shim_instance *inst)
{
	if (!inst->group.pages || inst->tid != gettid() || inst->tgid != getpid())
		return;
	inst->known = true;
	self.inst = inst;
	self.serial = set->serial;
	self.tid = inst->tid;
}

static int begin(struct perf_set *set, struct shim_binding *binding)
{
	bool on = !(set->flags & VCPC_SET_F_DISABLED) &&
		  !(binding->flags & VCPC_BIND_F_ENABLE_ON_EXEC);
	struct shim_instance **at = &set->instances;
	int ret = 0;

	for (struct shim_instance *inst = binding->list; inst && on && !ret; inst = inst->next)
		ret = shim_instance__start(inst);
	if (ret) {
		shim_instance__free(binding->list, true);
		/* Nobody else has been at it: there is no room on the PMU. */
		return ret == -EAGAIN ? -ENOSPC : ret;
	}
	while (*at)
		at = &(*at)->next;
	*at = binding->list;
	for (struct shim_instance *inst = binding->list; inst; inst = inst->next)
		remember(set, inst);
	return 0;
}

static int bind_locked(struct perf_set *set, pid_t tid, unsigned int flags, int *bad)
{
	struct shim_binding binding = {
		.reqs = set->reqs,
		.n = set->n,
		.root = tid,
		.flags = flags,
		.bad = bad,
	};
	int ret;

	sweep(set);
	binding.taken = set->instances;
	ret = shim_instance__bind(&binding);
	return ret ? ret : begin(set, &binding);
}

static int perf_bind(union shim_backend_ref ref, pid_t tid, unsigned int flags, int *bad)
{
	struct perf_set *set = ref.ptr;
	int ret;

	*bad = -1;
	/* A child's events would be the child's: its parent could not read them. */
	if (flags & VCPC_BIND_F_TRACE || !is_made_here(set))
		return -EOPNOTSUPP;
	if (flags & ~KNOWN_BIND || tid < 0)
		return -EINVAL;
	if (flags & VCPC_BIND_F_CPU && flags & ~(VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD))
		return -EINVAL;
	if (!tid && !(flags & VCPC_BIND_F_CPU))
		tid = gettid();
	shim_siglock__enter(&lock);
	ret = bind_locked(set, tid, flags, bad);
	shim_siglock__leave(&lock);
	return ret;
}

/* Whether an operation is about an instance: one, or all that a bind began */
static bool is_meant(const struct shim_instance *inst, const struct shim_instance *one, bool all)
{
	return all ? !one || inst->root == one->root : inst == one;
}

/* Any one of those that a bind of a process began, whose first thread may have ended before */
static struct shim_instance *one_of(const struct perf_set *set, pid_t root, bool cpu)
{
	for (struct shim_instance *inst = set->instances; inst; inst = inst->next)
		if (inst->root == root && shim_instance__is_cpu(inst) == cpu)
			return inst;
	return NULL;
}

_Static_assert(VCPC_TARGET_F_CPU == VCPC_SAMPLE_F_CPU, "pick() takes both");

/* The instance that is named: NULL and 0 for all of the set */
static int pick(const struct perf_set *set, pid_t tid, unsigned int flags, unsigned int all,
		struct shim_instance **one)
{
	*one = NULL;
	if (!is_made_here(set))
		return -EBADF;
	if (flags & ~(all | VCPC_TARGET_F_CPU))
		return -EINVAL;
	if (!(flags & all) || tid)
		*one = find(set, tid, flags & VCPC_TARGET_F_CPU);
	if (!*one && flags & all && tid)
		*one = one_of(set, tid, flags & VCPC_TARGET_F_CPU);
	return *one || (flags & all && !tid && set->instances) ? 0 : -EINVAL;
}

static void take_off(struct perf_set *set, struct shim_instance *inst)
{
	shim_group__turn(&inst->group, false);
	inst->live = false;
	if (self.inst == inst)
		self.inst = NULL;
	inst->next = set->gone;
	set->gone = inst;
}

static int perf_unbind(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct perf_set *set = ref.ptr;
	struct shim_instance **at, *one;
	bool all = flags & VCPC_TARGET_F_ALL;
	int ret;

	shim_siglock__enter(&lock);
	ret = pick(set, tid, flags, VCPC_TARGET_F_ALL, &one);
	for (at = &set->instances; *at && !ret; ) {
		struct shim_instance *inst = *at;

		if (!is_meant(inst, one, all)) {
			at = &inst->next;
			continue;
		}
		*at = inst->next;
		take_off(set, inst);
		if (inst == one && !all)
			break;
	}
	if (!ret)
		sweep(set);
	shim_siglock__leave(&lock);
	return ret;
}

static int turn(struct perf_set *set, pid_t tid, unsigned int flags, bool on)
{
	bool all = flags & VCPC_TARGET_F_ALL;
	struct shim_instance *one;
	int ret;

	shim_siglock__enter(&lock);
	ret = pick(set, tid, flags, VCPC_TARGET_F_ALL, &one);
	for (struct shim_instance *inst = set->instances; inst && !ret; inst = inst->next)
		if (is_meant(inst, one, all))
			ret = shim_instance__turn(inst, on, all);
	shim_siglock__leave(&lock);
	return ret;
}

static int perf_enable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return turn(ref.ptr, tid, flags, true);
}

static int perf_disable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return turn(ref.ptr, tid, flags, false);
}

static int perf_restart(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct perf_set *set = ref.ptr;
	bool all = flags & VCPC_TARGET_F_ALL;
	struct shim_instance *one;
	int ret;

	shim_siglock__enter(&lock);
	ret = pick(set, tid, flags, VCPC_TARGET_F_ALL, &one);
	for (struct shim_instance *inst = set->instances; inst && !ret; inst = inst->next)
		if (is_meant(inst, one, all))
			ret = shim_instance__restart(inst);
	shim_siglock__leave(&lock);
	return ret;
}

static int perf_preset(union shim_backend_ref ref, pid_t tid, unsigned int request, __u64 value)
{
	struct perf_set *set = ref.ptr;
	struct shim_instance *one;
	int ret;

	shim_siglock__enter(&lock);
	ret = request < set->n ? pick(set, tid, 0, 0, &one) : -EINVAL;
	if (!ret)
		one->preset[request] = value;
	shim_siglock__leave(&lock);
	return ret;
}

static int add_up(const struct perf_set *set, struct shim_instance *inst, struct vcpc_sample *buf)
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

static int sample_all(struct perf_set *set, const struct shim_instance *one, struct vcpc_sample *buf)
{
	__u64 start = shim_tick__ns();
	int ret = 0;

	for (struct shim_instance *inst = set->instances; inst && !ret; inst = inst->next)
		if (is_meant(inst, one, true))
			ret = add_up(set, inst, buf);
	buf->time = start;
	if (buf->state & VCPC_STATE_EXITED)
		buf->state &= ~VCPC_STATE_COUNTING;
	return ret;
}

static int sample_locked(struct perf_set *set, pid_t tid, unsigned int flags,
			 struct vcpc_sample *buf)
{
	struct shim_instance *one;
	int ret = pick(set, tid, flags, VCPC_SAMPLE_F_TOTAL, &one);

	if (ret)
		return ret;
	if (flags & VCPC_SAMPLE_F_TOTAL)
		return sample_all(set, one, buf);
	if (shim_instance__is_inherited(one))
		return -EOPNOTSUPP;
	ret = add_up(set, one, buf);
	if (!ret && !(buf->state & VCPC_STATE_EXITED))
		remember(set, one);
	return ret;
}

static __attribute__((noinline)) int ask(struct perf_set *set, pid_t tid, unsigned int flags,
					 struct vcpc_sample *buf, size_t size)
{
	union {
		struct vcpc_sample sample;
		__u64 words[sizeof(struct vcpc_sample) / sizeof(__u64) + SHIM_GROUP_MAX];
	} room;
	size_t need = sizeof(room.sample) + set->n * sizeof(__u64);
	int ret;

	if (!is_made_here(set))
		return -EBADF;
	if (size < need)
		return -EINVAL;
	memset(&room, 0, need);
	room.sample.size = sizeof(room.sample);
	room.sample.nr = set->n;
	room.sample.state = VCPC_STATE_EXITED;
	shim_siglock__enter(&lock);
	ret = sample_locked(set, tid, flags, &room.sample);
	shim_siglock__leave(&lock);
	if (!ret)
		memcpy(buf, &room, need);
	return ret;
}

#ifndef SHIM_CPU_IS_NOT_READ
static const struct shim_page_cpu this_cpu = {
	.counter = shim_cpu__counter,
	.clock = shim_cpu__clock,
};

/* By the kernel, as long as the pages do not have it */
static __attribute__((noinline)) int read_kernel(const struct perf_set *set,
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

static inline __attribute__((always_inline)) int read_instance(const struct perf_set *set,
							       const struct shim_instance *inst,
							       struct vcpc_sample *buf, __u64 *tick)
{
	/* Whoever changes the instance may be another thread: nothing is read before, or after. */
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
 * The calling thread's own instance, without the lock.  A signal handler may sample in the middle of
 * it, restart the set, which shows in @changing, or take it off: the pages stay while @reading.
 * Whatever fails here is done again with the lock.
 */
static inline __attribute__((always_inline)) int read_self(const struct perf_set *set, pid_t tid,
							   struct vcpc_sample *buf, size_t size)
{
	struct shim_instance *inst;
	__u64 tick;
	int ret = -EOPNOTSUPP;

	if (self.serial != set->serial || !is_made_here(set) || (tid && tid != self.tid) ||
	    size < sizeof(*buf) + set->n * sizeof(buf->values[0]))
		return ret;
	/* Looked up afterwards, as before a handler may take it off and free it. */
	self.reading++;
	atomic_signal_fence(memory_order_seq_cst);
	inst = self.inst;
	if (inst && self.serial == set->serial)
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
static inline int read_self(const struct perf_set *set, pid_t tid, struct vcpc_sample *buf,
			    size_t size)
{
	(void)set;
	(void)tid;
	(void)buf;
	(void)size;
	return -EOPNOTSUPP;
}
#endif

static int perf_sample(union shim_backend_ref ref, pid_t tid, unsigned int flags,
		       struct vcpc_sample *buf, size_t size)
{
	struct perf_set *set = ref.ptr;

	if (!flags && !read_self(set, tid, buf, size))
		return 0;
	return ask(set, tid, flags, buf, size);
}

static void list_one(const struct shim_instance *inst, struct vcpc_instance_info *info)
{
	struct shim_group_counts counts;

	*info = (struct vcpc_instance_info) {
		.tid = inst->tid,
		.tgid = inst->tgid,
		.root = inst->root,
		.bind_flags = inst->flags,
		.state = (inst->on ? VCPC_STATE_COUNTING : 0) |
			 (shim_instance__has_ended(inst) ? VCPC_STATE_EXITED : 0) |
			 (shim_group__read(&inst->group, &counts) ? VCPC_STATE_INVALID : 0),
	};
}

static int perf_list(union shim_backend_ref ref, struct vcpc_instances_args *args)
{
	struct vcpc_instance_info *info = (void *)(uintptr_t)args->info;
	struct perf_set *set = ref.ptr;

	if (!is_made_here(set))
		return -EBADF;
	args->nr = args->folded = args->pending = args->lost = 0;
	shim_siglock__enter(&lock);
	for (struct shim_instance *inst = set->instances; inst; inst = inst->next) {
		if (args->nr < args->room)
			list_one(inst, &info[args->nr]);
		args->nr++;
	}
	shim_siglock__leave(&lock);
	return 0;
}

const struct shim_backend_ops shim_backend__perf = {
	.name = "perf",
	.open = perf_open,
	.close = perf_close,
	.now = perf_now,
	.lock = perf_lock,
	.create = perf_create,
	.destroy = perf_destroy,
	.release = perf_release,
	.bind = perf_bind,
	.unbind = perf_unbind,
	.sample = perf_sample,
	.enable = perf_enable,
	.disable = perf_disable,
	.restart = perf_restart,
	.preset = perf_preset,
	.list = perf_list,
};
