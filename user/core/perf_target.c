// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bind, unbind, enable, disable, restart and list the targets of sets that perf counts.
 *
 * When a set is unbound from a thread that may be reading its pages, the pages stay mapped until
 * that thread can no longer be reading them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "perf_set.h"

/*
 * Read a list of this CPU's counters.
 *
 * On arm64 the instruction that reads a counter contains the number of its register.  Therefore
 * there is code for each counter and width.  A slot's @how is the address of that code, which
 * continues with the code of the next slot.
 */

#if defined(__aarch64__)

#define EACH_EVENT(DO)								\
	DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10)	\
	DO(11) DO(12) DO(13) DO(14) DO(15) DO(16) DO(17) DO(18) DO(19) DO(20)	\
	DO(21) DO(22) DO(23) DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30)
#define CYCLES		31
#define COUNTERS	32

/* Indexes of places: counters read as 32 bits, counters read as 64 bits, and the end */
#define WIDE		COUNTERS
#define END		(2 * COUNTERS)

#define GO_ON						\
	do {						\
		how = (const void *)slot->how;		\
		base = slot->base;			\
		slot++;					\
		goto *how;				\
	} while (0)
#define READ(label, name, type)						\
	label:								\
		__asm__ volatile("mrs %0, " name : "=r"(raw));		\
		*values++ = base + (__u64)(type)raw;			\
		GO_ON;
#define READ_EVENT(n)							\
	READ(event_##n, "pmevcntr" #n "_el0", __s32)			\
	READ(wide_event_##n, "pmevcntr" #n "_el0", __s64)
#define PLACES(n)	[n] = &&event_##n, [WIDE + n] = &&wide_event_##n,

/*
 * Read the counters of a list.  If @slot is NULL, return the address of the code with index @place.
 */
static __attribute__((noinline)) const void *
read_or_find(const struct shim_page_slot *slot, __u64 *values, unsigned int place)
{
	static const void *const places[] = {
		EACH_EVENT(PLACES)
		[CYCLES] = &&cycles,
		[WIDE + CYCLES] = &&wide_cycles,
		[END] = &&end,
	};
	const void *how;
	__u64 base, raw;

	if (!slot)
		return places[place];
	GO_ON;
	EACH_EVENT(READ_EVENT)
	READ(cycles, "pmccntr_el0", __s32)
	READ(wide_cycles, "pmccntr_el0", __s64)
end:
	return NULL;
}

__u64 shim_cpu__place(__u32 index, unsigned int width)
{
	unsigned int place = END;

	if (index && index <= COUNTERS && (width == 32 || width == 64))
		place = index - 1 + (width == 64 ? WIDE : 0);
	return (__u64)read_or_find(NULL, NULL, place);
}

void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values)
{
	read_or_find(slot, values, 0);
}

#elif defined(__x86_64__)

/*
 * @how contains the index, counted from 1, and above it the shift that moves the sign bit to bit
 *	63.
 */
#define SHIFT_AT	32

/* Intel's topdown metrics register also has a number, but does not count events. */
#define FIXED_COUNTERS	(1U << 30)
#define COUNTERS	32

static int is_counter(__u32 number)
{
	return (number & ~FIXED_COUNTERS) < COUNTERS;
}

__u64 shim_cpu__place(__u32 index, unsigned int width)
{
	if (!index || !is_counter(index - 1) || !width || width > 64)
		return 0;
	return (__u64)(64 - width) << SHIFT_AT | index;
}

void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values)
{
	for (__u64 how; (how = slot->how) != 0; slot++) {
		unsigned int shift = how >> SHIFT_AT;
		__u64 raw = __builtin_ia32_rdpmc((__u32)how - 1);

		*values++ = slot->base + (__u64)((__s64)(raw << shift) >> shift);
	}
}

#else

__u64 shim_cpu__place(__u32 index, unsigned int width)
{
	(void)index;
	(void)width;
	return 0;
}

void shim_cpu__counters(const struct shim_page_slot *slot, __u64 *values)
{
	(void)slot;
	(void)values;
}

#endif

#define KNOWN_BIND	(VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE | \
			 SHIM_BIND_F_PROCESS | SHIM_BIND_F_CPU)

static struct shim_instance *find_number(struct shim_perf_set *set, pid_t tid, bool cpu)
{
	struct shim_instance *inst = shim_instance__find(set->latest, tid, cpu);

	if (!inst)
		inst = shim_instance__find(set->instances, tid, cpu);
	if (inst)
		set->latest = inst;
	return inst;
}

static struct shim_instance *instance_find(struct shim_perf_set *set, pid_t tid, bool cpu)
{
	struct shim_instance *own;

	if (tid || cpu)
		return find_number(set, tid, cpu);
	own = shim_instance__find(set->instances, gettid(), false);
	if (own)
		return own;
	return set->instances && !set->instances->next ? set->instances : NULL;
}

/*
 * Return whether an instance's pages can be unmapped because its thread cannot be reading them: the
 * thread is the caller, outside of a sample; it belongs to another process; or it has ended.
 */
static bool is_done_with(const struct shim_instance *inst)
{
	if (!inst->group.pages || !inst->known)
		return true;
	return inst->tid == gettid() ? !shim_perf__is_reading() : inst->tgid != getpid() ||
						       shim_group__has_ended(&inst->group);
}

/**
 * shim_perf__sweep() - free unbound instances that no thread is reading
 * @set: the set
 *
 * Context: the caller holds the lock.
 */
void shim_perf__sweep(struct shim_perf_set *set)
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
		shim_perf__forget(inst);
		shim_instance__free(inst, true);
	}
}

static int binding_begin(struct shim_perf_set *set, struct shim_binding *binding)
{
	bool on = !(set->flags & VCPC_SET_F_DISABLED) &&
		  !(binding->flags & VCPC_BIND_F_ENABLE_ON_EXEC);
	struct shim_instance **at = &set->instances;
	int ret = 0;

	for (struct shim_instance *inst = binding->list; inst && on && !ret; inst = inst->next)
		ret = shim_instance__start(inst);
	if (ret) {
		shim_instance__free(binding->list, true);
		/*
		 * The instances are new, so -EAGAIN can only mean that the set does not fit on the
		 * PMU.
		 */
		return ret == -EAGAIN ? -ENOSPC : ret;
	}
	while (*at)
		at = &(*at)->next;
	*at = binding->list;
	for (struct shim_instance *inst = binding->list; inst; inst = inst->next)
		if (!inst->slots)
			shim_perf__remember(set, inst);
	return 0;
}

static int bind_locked(struct shim_perf_set *set, pid_t tid, unsigned int flags, int *bad)
{
	struct shim_binding binding = {
		.reqs = set->reqs,
		.n = set->n,
		.root = tid,
		.flags = flags,
		.signal = set->signal,
		.slots = set->slots.groups ? &set->slots : NULL,
		.cgroup = set->cgroup,
		.bad = bad,
	};
	int ret;

	if (set->cgroup && !(flags & SHIM_BIND_F_CPU))
		return -EINVAL;
	shim_perf__sweep(set);
	binding.taken = set->instances;
	ret = shim_instance__bind(&binding);
	return ret ? ret : binding_begin(set, &binding);
}

/* Return whether the counted thread must handle perf's signals. */
static bool is_signaled(const struct shim_perf_set *set)
{
	for (unsigned int i = 0; i < set->n; i++)
		if (set->reqs[i].flags & VCPC_REQ_F_OVERFLOW)
			return true;
	return false;
}

int shim_perf__limit(union shim_backend_ref ref, const char *cgroup)
{
	struct shim_perf_set *set = ref.ptr;
	char *copy;
	int ret = 0;

	if (!shim_perf__is_made_here(set))
		return -EOPNOTSUPP;
	copy = strdup(cgroup);
	if (!copy)
		return -ENOMEM;
	shim_siglock__enter(&shim_perf__lock);
	if (set->cgroup || set->instances)
		ret = -EBUSY;
	else
		set->cgroup = copy;
	shim_siglock__leave(&shim_perf__lock);
	if (ret)
		free(copy);
	return ret;
}

int shim_perf__bind(union shim_backend_ref ref, pid_t tid, unsigned int flags, int *bad)
{
	struct shim_perf_set *set = ref.ptr;
	int ret;

	*bad = -1;
	/* A forked child must not open events, because the parent could not read them. */
	if (flags & VCPC_BIND_F_TRACE || !shim_perf__is_made_here(set))
		return -EOPNOTSUPP;
	if (flags & ~KNOWN_BIND || tid < 0)
		return -EINVAL;
	if (flags & SHIM_BIND_F_CPU && flags & ~SHIM_BIND_F_CPU)
		return -EINVAL;
	if (!tid && !(flags & SHIM_BIND_F_CPU))
		tid = gettid();
	/*
	 * Only threads of this process can be signaled, because only this process has the handler
	 * (perf_overflow.c).
	 */
	if (is_signaled(set) && (flags || syscall(SYS_tgkill, getpid(), tid, 0)))
		return -EOPNOTSUPP;
	shim_siglock__enter(&shim_perf__lock);
	ret = bind_locked(set, tid, flags, bad);
	shim_siglock__leave(&shim_perf__lock);
	return ret;
}

/**
 * shim_perf__is_bound() - check whether a set is bound to any target
 * @ref: the set, or NULL
 *
 * Return: true or false; false in a forked child.
 */
bool shim_perf__is_bound(union shim_backend_ref ref)
{
	const struct shim_perf_set *set = ref.ptr;

	return set && __atomic_load_n(&set->instances, __ATOMIC_RELAXED) &&
	       shim_perf__is_made_here(set);
}

/**
 * shim_perf__has() - check whether a set that is bound only to threads of this process is bound to
 * a given thread
 * @ref: the set, or NULL
 * @tid: the thread
 * @process: also check for any other thread of its process
 */
bool shim_perf__has(union shim_backend_ref ref, pid_t tid, bool process)
{
	const struct shim_perf_set *set = ref.ptr;
	bool has;

	if (!shim_perf__is_bound(ref))
		return false;
	if (process && !syscall(SYS_tgkill, getpid(), tid, 0))
		return true;
	shim_siglock__enter(&shim_perf__lock);
	has = shim_instance__find(set->instances, tid, false);
	shim_siglock__leave(&shim_perf__lock);
	return has;
}

/**
 * shim_perf__has_one() - check whether a set has exactly one instance
 * @ref: the set, or NULL
 */
bool shim_perf__has_one(union shim_backend_ref ref)
{
	const struct shim_perf_set *set = ref.ptr;
	bool has;

	if (!shim_perf__is_bound(ref))
		return false;
	shim_siglock__enter(&shim_perf__lock);
	has = set->instances && !set->instances->next;
	shim_siglock__leave(&shim_perf__lock);
	return has;
}

/**
 * shim_perf__reads_itself() - check whether the calling thread can read its instance in user mode
 * @ref: the set
 *
 * Return: true or false; false if the set is not bound to the thread, or the pages could not be
 * mapped.
 */
bool shim_perf__reads_itself(union shim_backend_ref ref)
{
	const struct shim_perf_set *set = ref.ptr;
	const struct shim_instance *own;
	bool may;

	shim_siglock__enter(&shim_perf__lock);
	own = shim_instance__find(set->instances, gettid(), false);
	may = own && own->plan;
	/*
	 * The caller is running, so counting events are on the PMU and their pages have an index.
	 */
	for (unsigned int i = 0; may && i < set->n; i++)
		may = own->group.pages[i]->cap_user_rdpmc &&
		      (!own->on || own->group.pages[i]->index);
	shim_siglock__leave(&shim_perf__lock);
	return may;
}

/**
 * shim_perf__is_meant() - check whether an operation applies to an instance
 * @inst: the instance
 * @one: the result of shim_perf__pick()
 * @all: true if the operation applies to all instances of the bind that created @one, or, if @one
 *	is NULL, to all instances of the set; otherwise it applies only to @one
 */
bool shim_perf__is_meant(const struct shim_instance *inst, const struct shim_instance *one,
			 bool all)
{
	if (!all)
		return inst == one;
	/* A thread and a CPU may have the same number. */
	return !one || (inst->root == one->root &&
			shim_instance__is_cpu(inst) == shim_instance__is_cpu(one));
}

/*
 * Find any instance of the bind on @root.  The instance need not be on that thread: the first
 * thread of a process may have ended before the process was bound.
 */
static struct shim_instance *one_of(const struct shim_perf_set *set, pid_t root, bool cpu)
{
	for (struct shim_instance *inst = set->instances; inst; inst = inst->next)
		if (inst->root == root && shim_instance__is_cpu(inst) == cpu)
			return inst;
	return NULL;
}

/**
 * shim_perf__pick() - find the instance to which an operation applies
 * @set: the set
 * @tid: a thread or CPU; 0: the caller's instance if it has one, otherwise the only
 *	instance
 * @flags: flags of the operation
 * @all: the flag that means all instances
 * @one: set to the instance, or on success to NULL for all instances of the set
 *
 * Return: 0, -EINVAL, or -EBADF in a forked child.
 */
int shim_perf__pick(struct shim_perf_set *set, pid_t tid, unsigned int flags,
		    unsigned int all, struct shim_instance **one)
{
	*one = NULL;
	if (!shim_perf__is_made_here(set))
		return -EBADF;
	if (flags & ~(all | SHIM_TARGET_F_CPU))
		return -EINVAL;
	if (!(flags & all) || tid)
		*one = instance_find(set, tid, flags & SHIM_TARGET_F_CPU);
	if (!*one && flags & all && tid)
		*one = one_of(set, tid, flags & SHIM_TARGET_F_CPU);
	return *one || (flags & all && !tid && set->instances) ? 0 : -EINVAL;
}

static void take_off(struct shim_perf_set *set, struct shim_instance *inst)
{
	shim_instance__halt(inst);
	shim_perf__forget(inst);
	if (set->latest == inst)
		set->latest = NULL;
	inst->next = set->gone;
	set->gone = inst;
}

int shim_perf__unbind(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct shim_perf_set *set = ref.ptr;
	struct shim_instance **at, *one;
	bool all = flags & SHIM_TARGET_F_ALL;
	int ret;

	shim_siglock__enter(&shim_perf__lock);
	ret = shim_perf__pick(set, tid, flags, SHIM_TARGET_F_ALL, &one);
	for (at = &set->instances; *at && !ret; ) {
		struct shim_instance *inst = *at;

		if (!shim_perf__is_meant(inst, one, all)) {
			at = &inst->next;
			continue;
		}
		*at = inst->next;
		take_off(set, inst);
		if (inst == one && !all)
			break;
	}
	if (!ret)
		shim_perf__sweep(set);
	shim_siglock__leave(&shim_perf__lock);
	return ret;
}

static int turn(struct shim_perf_set *set, pid_t tid, unsigned int flags, bool on)
{
	bool all = flags & SHIM_TARGET_F_ALL;
	struct shim_instance *one;
	int ret;

	shim_siglock__enter(&shim_perf__lock);
	ret = shim_perf__pick(set, tid, flags, SHIM_TARGET_F_ALL, &one);
	for (struct shim_instance *inst = set->instances; inst && !ret; inst = inst->next)
		if (shim_perf__is_meant(inst, one, all))
			ret = shim_instance__turn(inst, on, all);
	shim_siglock__leave(&shim_perf__lock);
	return ret;
}

int shim_perf__enable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return turn(ref.ptr, tid, flags, true);
}

int shim_perf__disable(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	return turn(ref.ptr, tid, flags, false);
}

int shim_perf__restart(union shim_backend_ref ref, pid_t tid, unsigned int flags)
{
	struct shim_perf_set *set = ref.ptr;
	bool all = flags & SHIM_TARGET_F_ALL;
	struct shim_instance *one;
	int ret;

	shim_siglock__enter(&shim_perf__lock);
	ret = shim_perf__pick(set, tid, flags, SHIM_TARGET_F_ALL, &one);
	for (struct shim_instance *inst = set->instances; inst && !ret; inst = inst->next)
		if (shim_perf__is_meant(inst, one, all))
			ret = shim_instance__restart(inst);
	shim_siglock__leave(&shim_perf__lock);
	return ret;
}

int shim_perf__preset(union shim_backend_ref ref, pid_t tid, unsigned int request, __u64 value)
{
	struct shim_perf_set *set = ref.ptr;
	struct shim_instance *one;
	int ret;

	shim_siglock__enter(&shim_perf__lock);
	ret = request < set->n ? shim_perf__pick(set, tid, 0, 0, &one) : -EINVAL;
	if (!ret)
		one->preset[request] = value;
	shim_siglock__leave(&shim_perf__lock);
	return ret;
}

static __u32 state_of(struct shim_instance *inst)
{
	struct shim_group_counts counts;
	int ret = shim_instance__read(inst, &counts);

	return (inst->on ? VCPC_STATE_COUNTING : 0) |
	       (shim_instance__has_ended(inst) ? VCPC_STATE_EXITED : 0) |
	       (inst->offline ? SHIM_STATE_F_OFFLINE : 0) | (ret ? VCPC_STATE_INVALID : 0);
}

static void list_one(struct shim_instance *inst, bool state, struct vcpc_instance_info *info)
{
	*info = (struct vcpc_instance_info) {
		.tid = inst->tid,
		.tgid = inst->tgid,
		.root = inst->root,
		.bind_flags = inst->flags,
		.state = state ? state_of(inst) : 0,
	};
}

int shim_perf__list(union shim_backend_ref ref, struct vcpc_instances_args *args)
{
	struct vcpc_instance_info *info = (void *)(uintptr_t)args->info;
	struct shim_perf_set *set = ref.ptr;

	if (!shim_perf__is_made_here(set))
		return -EBADF;
	args->nr = args->folded = args->pending = args->lost = 0;
	shim_siglock__enter(&shim_perf__lock);
	for (struct shim_instance *inst = set->instances; inst; inst = inst->next) {
		if (args->nr < args->room)
			list_one(inst, !(args->flags & SHIM_LIST_F_STATELESS),
				 &info[args->nr]);
		args->nr++;
	}
	shim_siglock__leave(&shim_perf__lock);
	return 0;
}
