// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Trace statistics that a program writes itself, into a BPF map that it has mapped.
 *
 * Threads: each thread has slots of its own, one for each tag and kind that it
 * uses, and remembers the last ones.  A slot keeps its name; when its thread is
 * gone, the next thread that needs one of that name takes it and goes on.
 *
 * The map is shared with other programs: what is in others' slots is not trusted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bpf_array.h"
#include "direct.h"

#define REMEMBERED	16

/* The slot that a thread used last for a tag and kind; NULL if it got none */
struct memory {
	uint64_t epoch;
	const void *key;
	uint32_t kind;
	struct vc_direct *slot;
};

static __thread struct memory memories[REMEMBERED]
	__attribute__((tls_model("initial-exec")));

static int map(const char *path, size_t value, void **memory, size_t *n)
{
	int err = shim_bpf_array__map(path, value, PROT_READ | PROT_WRITE, memory, n);

	/* A child maps it for itself. */
	if (!err)
		madvise(*memory, value * *n, MADV_DONTFORK);
	return err;
}

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

/**
 * shim_direct__open() - map the machine's map
 * @d: filled in
 *
 * The mapping stays for the process's life.
 *
 * Return: 0; -ENOENT if tracing is off, -EOPNOTSUPP if it is on without this,
 *	-EPERM if the caller may not, -EPROTO, or another errno.
 */
int shim_direct__open(struct shim_direct *d)
{
	static _Atomic uint32_t opened;
	void *slots, *tick;
	size_t n, one;
	int err = map(VC_PIN_DIR "/vc_direct", sizeof(struct vc_direct), &slots, &n);

	if (err)
		return err;
	err = n < 2 ? -EOPNOTSUPP : map(VC_PIN_DIR "/vc_tick", sizeof(struct vc_tick), &tick, &one);
	if (err) {
		munmap(slots, n * sizeof(struct vc_direct));
		return err;
	}
	*d = (struct shim_direct) {
		.slots = slots,
		.n = n,
		.tick = tick,
		.epoch = (uint64_t)getpid() << 32 | ++opened,
		.pidns = pid_namespace(),
		.user = getuid(),
		.ns_anchor = shim_tick__ns(),
	};
	d->tick_anchor = shim_tick__now(tick);
	return 0;
}

static int is_ours(const struct shim_direct *d, const struct vc_direct *slot, const char *name,
		   uint32_t kind)
{
	return slot->kind == kind && slot->pidns == d->pidns && slot->user == d->user &&
	       !strncmp(slot->name, name, sizeof(slot->name));
}

/* Take a slot of this name whose thread is gone. */
static struct vc_direct *adopt(struct shim_direct *d, const char *name, uint32_t kind, uint32_t tid)
{
	for (size_t i = 0; i < d->n; i++) {
		struct vc_direct *slot = &d->slots[i];
		uint32_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);

		if (!owner)
			break;
		if (!is_ours(d, slot, name, kind))
			continue;
		if (owner != tid && (!kill(owner, 0) || errno != ESRCH))
			continue;
		if (__atomic_compare_exchange_n(&slot->owner, &owner, tid, 0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return slot;
	}
	return NULL;
}

/* Take a slot that nobody has had yet; they are given out in order. */
static struct vc_direct *claim(struct shim_direct *d, const char *name, uint32_t kind, uint32_t tid)
{
	for (size_t i = 0; i < d->n; i++) {
		struct vc_direct *slot = &d->slots[i];
		uint32_t nobody = 0;

		if (!__atomic_compare_exchange_n(&slot->owner, &nobody, tid, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		slot->pidns = d->pidns;
		slot->user = d->user;
		strncpy(slot->name, name, sizeof(slot->name) - 1);
		__atomic_store_n(&slot->kind, kind, __ATOMIC_RELEASE);
		return slot;
	}
	return NULL;
}

static __attribute__((noinline)) struct vc_direct *find_slot(struct shim_direct *d,
							     struct shim_direct_tag tag,
							     uint32_t kind, struct memory *memory)
{
	uint32_t tid = syscall(SYS_gettid);
	struct vc_direct *slot = adopt(d, tag.name, kind, tid);

	if (!slot)
		slot = claim(d, tag.name, kind, tid);
	*memory = (struct memory) { d->epoch, tag.key, kind, slot };
	return slot;
}

static inline struct vc_direct *slot_of(struct shim_direct *d, struct shim_direct_tag tag,
					uint32_t kind)
{
	uintptr_t hash = ((uintptr_t)tag.key >> 4) + kind;
	struct memory *memory = &memories[(hash ^ hash >> 5) % REMEMBERED];
	struct vc_direct *slot;

	if (memory->key == tag.key && memory->epoch == d->epoch && memory->kind == kind)
		slot = memory->slot;
	else
		slot = find_slot(d, tag, kind, memory);
	if (!slot)
		__atomic_fetch_add(&d->tick->lost, 1, __ATOMIC_RELAXED);
	return slot;
}

static inline uint64_t monotonic(const struct shim_direct *d, uint64_t ticks)
{
	return d->ns_anchor + shim_tick__to_ns(d->tick, ticks - d->tick_anchor);
}

/**
 * shim_direct__end() - a transaction has ended
 * @d: where to
 * @tag: its tag
 * @begin: when it began, by shim_tick__now()
 */
void shim_direct__end(struct shim_direct *d, struct shim_direct_tag tag, uint64_t begin)
{
	uint64_t now = shim_tick__now(d->tick), spent;
	struct vc_direct *slot = slot_of(d, tag, VC_TRANSACT);
	struct vc_stat *stat;

	if (!slot)
		return;
	stat = &slot->stat;
	/* Counters of two CPUs may differ by a little. */
	spent = now > begin ? shim_tick__to_ns(d->tick, now - begin) : 0;
	stat->count++;
	stat->sum_ns += spent;
	if (stat->count == 1 || spent < stat->min_ns)
		stat->min_ns = spent;
	if (spent > stat->max_ns)
		stat->max_ns = spent;
	stat->last_ns = monotonic(d, now);
	stat->last_took_ns = spent;
	stat->hist[vc_hist_slot(spent, 63 - __builtin_clzll(spent | 1))]++;
}

/**
 * shim_direct__abort() - a transaction was aborted
 * @d: where to
 * @tag: its tag
 */
void shim_direct__abort(struct shim_direct *d, struct shim_direct_tag tag)
{
	struct vc_direct *slot = slot_of(d, tag, VC_TRANSACT);

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
 * shim_direct__value() - a point was passed, or a value seen
 * @d: where to
 * @tag: its tag
 * @kind: VC_POINT, VC_OBSERVE or VC_COUNTER
 * @value: 0 for a point
 */
void shim_direct__value(struct shim_direct *d, struct shim_direct_tag tag, uint32_t kind,
			double value)
{
	struct vc_direct *slot = slot_of(d, tag, kind);
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
