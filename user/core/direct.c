// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Write a program's trace statistics into a BPF map that the program itself has mapped.
 *
 * Locking: none, because each thread has its own slots (direct_slots.c).
 */
#include <errno.h>
#include <linux/vcpc.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/nap.h"
#include "base/process.h"
#include "counted.h"
#include "counters.h"
#include "direct.h"
#include "traced.h"

/* Calibrate the CPU's counter against the kernel's clock. */

#if defined(__x86_64__)
#include <cpuid.h>
#endif


#define CALIBRATE_NS	50000000

#if defined(__x86_64__)
/*
 * Return whether the kernel uses the TSC as its clock.  If so, the TSC is the same on all CPUs and
 * runs at a constant rate.
 */
static int kernel_trusts_it(void)
{
	char name[32] = "";
	FILE *f = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");

	if (!f)
		return 0;
	if (!fgets(name, sizeof(name), f))
		name[0] = '\0';
	fclose(f);
	return !strncmp(name, "tsc", 3) || !strncmp(name, "kvm-clock", 9);
}

static int is_steady(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8 && kernel_trusts_it();
}
#else
static int is_steady(void)
{
#if defined(__aarch64__)
	return 1;
#else
	return 0;
#endif
}
#endif

/* Read both clocks at almost the same time: use the shortest of ten tries. */
static void read_both(const struct vc_tick *tick, uint64_t *ticks, uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 10; i++) {
		uint64_t before = shim_clock__ns();
		uint64_t now = shim_tick__now(tick);
		uint64_t after = shim_clock__ns();

		if (after - before >= best)
			continue;
		best = after - before;
		*ticks = now;
		*ns = before + (after - before) / 2;
	}
}

/**
 * shim_tick__calibrate() - measure the length of a tick
 * @tick: its @mult and @usable are set
 *
 * This takes 50 ms and is accurate to a few parts per million.
 */
void shim_tick__calibrate(struct vc_tick *tick)
{
	uint64_t ticks[2], ns[2];

	tick->usable = is_steady();
	if (!tick->usable)
		return;
	read_both(tick, &ticks[0], &ns[0]);
	shim_nap(CALIBRATE_NS);
	read_both(tick, &ticks[1], &ns[1]);
	tick->usable = ticks[1] > ticks[0];
	if (tick->usable)
		tick->mult = ((unsigned __int128)(ns[1] - ns[0]) << 32) / (ticks[1] - ticks[0]);
}

static inline uint64_t monotonic(const struct shim_direct *d, uint64_t ticks)
{
	return d->ns_anchor + shim_tick__to_ns(d->tick, ticks - d->tick_anchor);
}

/* Like shim_traced__read(), but without a function call if the counters can be read in user mode */
static inline bool read_counters(__u64 *values)
{
	const struct shim_counters *counters = shim_traced__own.counters;
	__u64 tick;

	if (counters && counters->nr <= VC_MAX_COUNTERS &&
	    shim_counters__read_own(counters, 0, values, VC_MAX_COUNTERS, &tick))
		return true;
	return shim_traced__read(values);
}

/*
 * Return a number that identifies the bind of the thread's set and changes when the set is changed;
 * never 0.
 */
static inline __u64 bind_of(const struct shim_counters *counters)
{
	return (__u64)shim_traced__own.serial << 32 |
	       atomic_load_explicit(&counters->changes, memory_order_relaxed);
}

/*
 * Return the calling thread's slot for the counts of a tag, or NULL.  @slot is its current slot, or
 * NULL.
 */
static inline struct vc_direct *counted_slot(struct shim_direct *d, struct shim_direct_tag tag,
					     struct vc_direct *slot,
					     const struct shim_counters *counters)
{
	__u64 bind = bind_of(counters);

	if (slot && slot->bound == bind)
		return slot;
	return slot ? shim_direct__find_counted(d, tag, counters->events, bind) : NULL;
}

/**
 * shim_direct__begin_counted() - record the thread's counts when a transaction is about to begin
 * @d: the mapping
 * @tag: its tag
 *
 * If a signal handler begins and ends a transaction of the same tag before this one ends, the
 * counts of this one are unknown.
 *
 * Context: the thread has a set, see shim_traced__any().
 * Return: the start time by shim_tick__now().
 */
uint64_t shim_direct__begin_counted(struct shim_direct *d, struct shim_direct_tag tag)
{
	__u64 begin, expected = VC_NOT_BEGUN;
	const struct shim_counters *counters;
	struct vc_direct *slot = NULL;

	shim_traced__enter();
	counters = shim_traced__own.counters;
	if (counters)
		slot = counted_slot(d, tag, shim_direct__peek(d, tag), counters);
	if (slot) {
		slot->begun = VC_NOT_BEGUN;
		atomic_signal_fence(memory_order_seq_cst);
		if (!read_counters(slot->from))
			slot->begun = 0;
	}
	begin = shim_tick__now(d->tick);
	if (slot)
		__atomic_compare_exchange_n(&slot->begun, &expected, begin, 0, __ATOMIC_RELAXED,
					    __ATOMIC_RELAXED);
	shim_traced__leave();
	return begin;
}

/*
 * Add the thread's counts since the transaction began.  Nothing is added if a counter went
 * backwards, or if the start time recorded in the slot is not @begin.  In that case another thread
 * began the transaction, it began with another set, or a signal handler has just begun and ended a
 * transaction of the same tag.
 */
static inline void add_counts(struct vc_direct *slot, __u64 *values, uint32_t nr, __u64 begin)
{
	__u64 any = 0;

	/* Do not use the number of events in the slot, because other processes can write to it. */
	for (uint32_t i = 0; i < nr; i++) {
		values[i] -= slot->from[i];
		any |= values[i];
	}
	if (!__atomic_compare_exchange_n(&slot->begun, &begin, 0, 0, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED) || any >> 63)
		return;
	for (uint32_t i = 0; i < nr; i++)
		slot->count.sum[i] += values[i];
	/* Release order: a reader that sees the count also sees the events. */
	__atomic_store_n(&slot->count.count, slot->count.count + 1, __ATOMIC_RELEASE);
}

static inline __attribute__((always_inline)) void
add_end(const struct shim_direct *d, struct vc_direct *slot, uint64_t begin, uint64_t now)
{
	/* The counters of two CPUs may differ slightly. */
	uint64_t spent = now > begin ? shim_tick__to_ns(d->tick, now - begin) : 0;
	uint32_t bucket = vc_hist_slot(spent, 63 - __builtin_clzll(spent | 1));

	vc_stat_end(&slot->stat, monotonic(d, now), spent);
	slot->stat.hist[bucket]++;
}

/* End a transaction in a thread that has a set. */
static __attribute__((noinline)) void end_counted(struct shim_direct *d, struct shim_direct_tag tag,
						  uint64_t begin, uint64_t now)
{
	struct vc_direct *slot = shim_direct__slot(d, tag, VC_TRANSACT), *counted;
	const struct shim_counters *counters;
	__u64 values[VC_MAX_COUNTERS];

	if (!slot)
		return;
	shim_traced__enter();
	counters = shim_traced__own.counters;
	if (counters && read_counters(values)) {
		counted = counted_slot(d, tag, slot, counters);
		if (!counted)
			__atomic_fetch_add(&d->tick->not_counted, 1, __ATOMIC_RELAXED);
		else
			add_counts(counted, values, counters->events->nr, begin);
	}
	shim_traced__leave();
	add_end(d, slot, begin, now);
}

/**
 * shim_direct__end() - add a transaction that has ended
 * @d: the mapping
 * @tag: its tag
 * @begin: its start time by shim_tick__now()
 */
void shim_direct__end(struct shim_direct *d, struct shim_direct_tag tag, uint64_t begin)
{
	uint64_t now = shim_tick__now(d->tick);
	struct vc_direct *slot;

	if (shim_traced__any()) {
		end_counted(d, tag, begin, now);
		return;
	}
	slot = shim_direct__slot(d, tag, VC_TRANSACT);
	if (slot)
		add_end(d, slot, begin, now);
}

/**
 * shim_direct__abort() - count an aborted transaction
 * @d: the mapping
 * @tag: its tag
 */
void shim_direct__abort(struct shim_direct *d, struct shim_direct_tag tag)
{
	struct vc_direct *slot = shim_direct__slot(d, tag, VC_TRANSACT);

	if (slot)
		slot->stat.aborted++;
}

static double double_of(uint64_t bits)
{
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/**
 * shim_direct__value() - add a point, or an observed value
 * @d: the mapping
 * @tag: its tag
 * @kind: VC_POINT, VC_OBSERVE or VC_COUNTER
 * @value: 0 for a point
 */
void shim_direct__value(struct shim_direct *d, struct shim_direct_tag tag, uint32_t kind,
			double value)
{
	struct vc_direct *slot = shim_direct__slot(d, tag, kind);
	struct vc_stat *stat;
	uint64_t bits;

	if (!slot)
		return;
	stat = &slot->stat;
	memcpy(&bits, &value, sizeof(bits));
	stat->last_ns = monotonic(d, shim_tick__now(d->tick));
	stat->value = bits;
	if (!stat->count || isnan(double_of(stat->value_min)) || value < double_of(stat->value_min))
		stat->value_min = bits;
	if (!stat->count || isnan(double_of(stat->value_max)) || value > double_of(stat->value_max))
		stat->value_max = bits;
	stat->count++;
}

/*
 * Count the events that the tracing session wants, in threads that write their statistics
 * themselves.
 *
 * The whole process shares one set, which each thread binds to itself.  A thread that has its own
 * set for transactions keeps that set.  At most ten times per second, a thread that begins a
 * transaction checks whether the session wants other events.
 *
 * Locking: the set is guarded by a lock that blocks signals while it is held.  Creating and binding
 * a set allocates memory.  Therefore, if a signal handler can interrupt malloc(3) while the session
 * wants counts, the handler must not be the first to begin a transaction in its thread.
 *
 * A forked child forgets this state and creates its own set.
 */

#define ASK_AGAIN	100000000ull

__thread struct shim_direct_wanted shim_direct_wanted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static void in_child(void);

/*
 * The session's set, or NULL if it could not be created.  @id is the session's ID, or 0 if it has
 * not been queried.
 */
static struct {
	struct shim_siglock lock;
	struct shim_counters *counters;
	uint64_t id;
} wanted = { .lock = SHIM_SIGLOCK_INITIALIZER(0, in_child) };

static void in_child(void)
{
	wanted.counters = NULL;
	wanted.id = 0;
}

static void direct_forget(void)
{
	shim_traced__unset(shim_direct_wanted__own.bound);
	shim_direct_wanted__own = (struct shim_direct_wanted) { .bound = NULL };
}

static struct shim_fork_hook hook = { .in_child = direct_forget };

static int direct_create(struct shim_session *session, bool user_only, struct shim_counters **out)
{
	struct vcpc_request reqs[VC_MAX_COUNTERS];
	unsigned int n;
	int bad, err = shim_wanted__read(reqs, &n, user_only);

	return err ? err : shim_counters__create(session, reqs, n, 0, &bad, out);
}

static int make_set(struct shim_counters **out)
{
	struct shim_session *session;
	int err = shim_session__open(&session);

	if (err)
		return err;
	err = direct_create(session, false, out);
	if (err == -EACCES)
		err = direct_create(session, true, out);
	shim_session__close(session);
	return err;
}

/* Get the set of this session, or NULL if it cannot be created.  The caller must hold the lock. */
static struct shim_counters *set_of(uint64_t id)
{
	if (wanted.id == id)
		return wanted.counters;
	shim_counters__put(wanted.counters);
	wanted.id = id;
	if (make_set(&wanted.counters))
		wanted.counters = NULL;
	return wanted.counters;
}

static int bind(struct shim_counters *counters)
{
	int bad, err = shim_counters__bind(counters, 0, 0, &bad);

	if (err)
		return err;
	err = shim_traced__set(counters);
	if (err)
		shim_counters__unbind(counters, 0);
	return err;
}

static void leave(struct shim_direct_wanted *own)
{
	if (!own->bound)
		return;
	shim_traced__unset(own->bound);
	shim_counters__unbind(own->bound, 0);
	shim_counters__put(own->bound);
	own->bound = NULL;
}

static void direct_follow(struct shim_direct *d, struct shim_direct_wanted *own, uint64_t id)
{
	struct shim_counters *counters;

	shim_siglock__enter(&wanted.lock);
	leave(own);
	own->session = id;
	if (id && !shim_traced__any()) {
		counters = set_of(id);
		if (counters && !bind(counters))
			own->bound = shim_counters__get(counters);
		else
			__atomic_fetch_add(&d->tick->refused, 1, __ATOMIC_RELAXED);
	}
	shim_siglock__leave(&wanted.lock);
}

static uint64_t ticks_of(const struct vc_tick *tick, uint64_t ns)
{
	return tick->usable && tick->mult ? ((unsigned __int128)ns << 32) / tick->mult : ns;
}

/*
 * Check which events the session wants.  Bind a set with them to the calling thread, or unbind the
 * previous set.
 */
void shim_direct_wanted__look(struct shim_direct *d)
{
	struct shim_direct_wanted own = shim_direct_wanted__own;
	int before = errno;
	uint64_t id;

	own.last = shim_tick__now(d->tick);
	own.until = own.last + ticks_of(d->tick, ASK_AGAIN);
	/* Prevent a signal handler that interrupts this function from checking as well. */
	shim_direct_wanted__own = own;
	id = shim_wanted__id();
	if (id != own.session && !shim_fork__wait_for(&wanted.lock) && !shim_fork__hook(&hook))
		direct_follow(d, &own, id);
	shim_direct_wanted__own = own;
	errno = before;
}
