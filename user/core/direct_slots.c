// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find and claim slots for the program's own statistics, in a BPF map that the program has mapped.
 *
 * Threads: each thread has its own slots, one for each tag and kind that it uses, and finds them by
 * the tag's number.  A slot keeps its name.  After its thread has ended, the next thread that needs
 * a slot with that name takes it over and adds to it.
 *
 * Locking: a thread's list of slots is private to the thread; signals are blocked while it changes.
 * The mapping's lock is held while searching for a slot.
 *
 * The map is shared with other programs, so the contents of their slots are not trusted.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/process.h"
#include "bpf_pins.h"
#include "direct.h"

/* Minimum number of tags in a thread's list; with this number the list and its head fill a page */
#define LEAST_TAGS	510

__thread struct shim_own_slots shim_own_slots
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static size_t size_of(uint32_t n)
{
	return sizeof(struct shim_slot_list) + n * sizeof(uintptr_t);
}

static void give_back(struct shim_slot_list *list)
{
	while (list) {
		struct shim_slot_list *shorter = list->shorter;

		munmap(list, size_of(list->n));
		list = shorter;
	}
}

/*
 * Mark the slots of an ending thread as free.  Other threads can then take them over at once,
 * although the kernel still knows the thread's ID for a while.
 */
static void disown_slots(const struct shim_slot_list *list)
{
	for (uint32_t i = 0; list && i < list->n; i++) {
		struct vc_direct *slot = (struct vc_direct *)list->at[i];

		if (slot && !(list->at[i] & 1))
			__atomic_store_n(&slot->owner, VC_OWNER_ENDED, __ATOMIC_RELEASE);
	}
}

/*
 * Return whether the thread's slots are mapped in this process.  A forked child, regardless of the
 * call that created it, has a copy of the forking thread's lists but not the mapping.
 */
static bool are_mapped(void)
{
	return shim_own_slots.epoch >> 32 == (uint64_t)getpid() &&
	       shim_own_slots.generation == shim_fork__generation();
}

static void thread_exits(void *unused)
{
	sigset_t all, mask;

	(void)unused;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	for (int kind = 0; kind < VC_COUNTER; kind++) {
		if (are_mapped())
			disown_slots(shim_own_slots.of_kind[kind]);
		give_back(shim_own_slots.of_kind[kind]);
		shim_own_slots.of_kind[kind] = NULL;
	}
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
}

static struct shim_thread_end at_end = { .fn = thread_exits };

static int slots_map(const char *path, size_t value, void **memory, size_t *n)
{
	int err = shim_bpf_array__map(path, value, PROT_READ | PROT_WRITE, memory, n);

	/* A forked child does not inherit the mapping and must create its own. */
	if (!err)
		madvise(*memory, value * *n, MADV_DONTFORK);
	return err;
}

static void *memory_of(size_t size)
{
	void *room = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return room == MAP_FAILED ? NULL : room;
}

static uint64_t pid_namespace(void)
{
	struct stat st;

	return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

/*
 * Return how far CLOCK_MONOTONIC in the process's time namespace is ahead of the host's.  The file
 * contains the offsets of the namespace for children, so the result is wrong in a process that has
 * created a time namespace without entering it.
 */
static uint64_t ahead_of_host(void)
{
	int fd = open("/proc/self/timens_offsets", O_RDONLY | O_CLOEXEC);
	char text[128];
	int64_t seconds, ns;
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "monotonic %" SCNd64 " %" SCNd64, &seconds, &ns) != 2)
		return 0;
	return seconds * 1000000000 + ns;
}

/*
 * Allocate a struct shim_direct with its hash table of slots by name: the heads of the chains, and
 * for each slot the next slot in its chain.
 */
static struct shim_direct *make_room(size_t n)
{
	struct shim_direct *d;
	size_t nheads, size;

	for (nheads = 64; nheads < n; nheads *= 2)
		;
	size = sizeof(*d) + (nheads + n) * sizeof(uint32_t);
	d = memory_of(size);
	if (!d)
		return NULL;
	madvise(d, size, MADV_DONTFORK);
	*d = (struct shim_direct) {
		.size = size,
		.n = n,
		.nheads = nheads,
		.heads = d->words,
		.next = d->words + nheads,
	};
	return d;
}

static int map_tick(struct shim_direct *d)
{
	void *tick;
	size_t one;
	int err = d->n < 2 ? -EOPNOTSUPP :
		  slots_map(VC_PIN_DIR "/vc_tick", sizeof(struct vc_tick), &tick, &one);

	if (!err)
		d->tick = tick;
	return err;
}

static void describe_process(struct shim_direct *d)
{
	static _Atomic uint32_t opened;

	d->epoch = (uint64_t)getpid() << 32 | ++opened;
	d->pidns = pid_namespace();
	d->user = getuid();
}

/**
 * shim_direct__open() - map vc_direct and vc_tick
 * @out: set to the mapping
 *
 * The mapping stays until the process ends; a forked child does not inherit it.
 *
 * Return: 0; -ENOENT if tracing is off, -EOPNOTSUPP if it is on without direct tracing, -EPERM if
 *	the caller has no permission to write to the maps, -EPROTO, or another errno.
 */
int shim_direct__open(struct shim_direct **out)
{
	struct shim_direct *d;
	void *slots;
	size_t n;
	int err = shim_fork__watch();

	if (!err)
		err = slots_map(VC_PIN_DIR "/vc_direct", sizeof(struct vc_direct), &slots, &n);
	if (err)
		return err;
	d = make_room(n < UINT32_MAX ? n : UINT32_MAX - 1);
	err = d ? map_tick(d) : -ENOMEM;
	if (err) {
		munmap(slots, n * sizeof(struct vc_direct));
		if (d)
			munmap(d, d->size);
		return err;
	}
	d->slots = slots;
	shim_siglock__init(&d->lock);
	describe_process(d);
	d->ns_anchor = shim_clock__ns() - ahead_of_host();
	d->tick_anchor = shim_tick__now(d->tick);
	*out = d;
	return 0;
}

static int is_ours(const struct shim_direct *d, const struct vc_direct *slot, const char *name,
		   uint32_t kind)
{
	return slot->kind == kind && slot->pidns == d->pidns && slot->user == d->user &&
	       !strncmp(slot->name, name, sizeof(slot->name));
}

static uint32_t *head_of(const struct shim_direct *d, const char *name, uint32_t kind)
{
	static const struct shim_hash without_seed;
	size_t len = strnlen(name, VC_TAG_LEN - 1);

	return &d->heads[(shim_hash__bytes(&without_seed, name, len) + kind) & (d->nheads - 1)];
}

/* Add a slot to the chain of its name. */
static void slot_note(struct shim_direct *d, uint32_t i)
{
	char name[VC_TAG_LEN];
	uint32_t *head;

	/* Copy the name, because another program could change it while it is read. */
	memcpy(name, d->slots[i].name, sizeof(name));
	name[sizeof(name) - 1] = '\0';
	head = head_of(d, name, d->slots[i].kind);
	d->next[i] = *head;
	*head = i + 1;
}

/*
 * Add the slots that have been claimed since the last call to the chains.  Slots are claimed in
 * order and keep their names, so slots in the chains need not be examined again.
 */
static void note_new(struct shim_direct *d)
{
	for (; d->noted < d->n; d->noted++) {
		const struct vc_direct *slot = &d->slots[d->noted];

		if (!__atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE))
			break;
		/* A slot without a kind is being claimed by another process.  Skip it. */
		if (__atomic_load_n(&slot->kind, __ATOMIC_ACQUIRE))
			slot_note(d, d->noted);
	}
}

/* Return whether a slot can be taken over: its owner is the caller or has ended. */
static bool has_ended(uint32_t owner, uint32_t tid)
{
	return owner == tid || owner == VC_OWNER_ENDED || (kill(owner, 0) && errno == ESRCH);
}

/* Return whether a slot can be used for counts of these events. */
static bool fits(const struct vc_direct *slot, const struct vc_events *events)
{
	return !slot->events.nr || !memcmp(&slot->events, events, sizeof(*events));
}

/*
 * Take over a slot with this name whose thread has ended.  If @events is not NULL, the slot must
 * fit these events.
 */
static struct vc_direct *adopt(struct shim_direct *d, const char *name, uint32_t kind, uint32_t tid,
			       const struct vc_events *events)
{
	note_new(d);
	for (uint32_t i = *head_of(d, name, kind); i; i = d->next[i - 1]) {
		struct vc_direct *slot = &d->slots[i - 1];
		uint32_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);

		if (!owner || !is_ours(d, slot, name, kind) || !has_ended(owner, tid) ||
		    (events && !fits(slot, events)))
			continue;
		if (!__atomic_compare_exchange_n(&slot->owner, &owner, tid, 0, __ATOMIC_ACQ_REL,
						 __ATOMIC_RELAXED))
			continue;
		/* Forget a transaction that the previous owner began. */
		slot->bound = 0;
		return slot;
	}
	return NULL;
}

/* Claim an unused slot.  All slots below @noted have been claimed. */
static struct vc_direct *claim(struct shim_direct *d, const char *name, uint32_t kind, uint32_t tid)
{
	for (size_t i = d->noted; i < d->n; i++) {
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

/*
 * Clear the thread's lists, because their slots belong to another mapping or to the parent process.
 */
static void slots_forget(void)
{
	for (int kind = 0; kind < VC_COUNTER; kind++) {
		struct shim_slot_list *list = shim_own_slots.of_kind[kind];

		if (list)
			memset(list->at, 0, list->n * sizeof(list->at[0]));
	}
}

static struct shim_slot_list *make_list(struct shim_slot_list *shorter, uint32_t index)
{
	struct shim_slot_list *list;
	uint32_t n = LEAST_TAGS;

	while (n <= index)
		n *= 2;
	list = memory_of(size_of(n));
	if (!list)
		return NULL;
	if (shim_thread_end__arm(&at_end, &shim_own_slots)) {
		munmap(list, size_of(n));
		return NULL;
	}
	list->shorter = shorter;
	list->n = n;
	if (shorter)
		memcpy(list->at, shorter->at, shorter->n * sizeof(list->at[0]));
	return list;
}

/* Find the entry for a tag and kind in the calling thread's lists; NULL if out of memory. */
static uintptr_t *place_of(uint32_t kind, uint32_t index)
{
	struct shim_slot_list **list = &shim_own_slots.of_kind[kind - 1];

	if (!*list || index >= (*list)->n) {
		struct shim_slot_list *longer = make_list(*list, index);

		if (!longer)
			return NULL;
		*list = longer;
	}
	return &(*list)->at[index];
}

/*
 * Return whether to search for a slot for a tag that had none: only if the number of events that
 * the tag has lost is 0 or a power of two.
 */
static int search_pays_off(uintptr_t place)
{
	uintptr_t missed = place >> 1;

	return !(missed & (missed - 1));
}

static struct vc_direct *find_locked(struct shim_direct *d, struct shim_direct_tag tag,
				     uint32_t kind, bool is_event)
{
	uint32_t tid = syscall(SYS_gettid);
	struct vc_direct *slot = NULL;
	uintptr_t *place;

	if (shim_own_slots.epoch != d->epoch) {
		slots_forget();
		shim_own_slots.epoch = d->epoch;
		shim_own_slots.generation = shim_fork__generation();
	}
	place = place_of(kind, tag.index);
	if (place && *place && !(*place & 1))
		return (struct vc_direct *)*place;
	if (!place || search_pays_off(*place))
		slot = adopt(d, tag.name, kind, tid, NULL);
	if (!slot && (!place || search_pays_off(*place)))
		slot = claim(d, tag.name, kind, tid);
	if (place)
		*place = slot ? (uintptr_t)slot : ((*place >> 1) + is_event) << 1 | 1;
	return slot;
}

/*
 * The slow path of shim_direct__slot() and shim_direct__peek(), for a thread without a slot.  If no
 * slot is found and @is_event is set, count a lost event.  The lock also blocks signal handlers.
 */
struct vc_direct *shim_direct__find_slot(struct shim_direct *d, struct shim_direct_tag tag,
					 uint32_t kind, bool is_event)
{
	struct vc_direct *slot;

	shim_siglock__enter(&d->lock);
	slot = find_locked(d, tag, kind, is_event);
	shim_siglock__leave(&d->lock);
	return slot;
}

/*
 * Prepare the slot for @events, or find another one if the slot has different events.  Return NULL
 * if no slot is available.
 */
static struct vc_direct *make_counted(struct shim_direct *d, struct shim_direct_tag tag,
				      struct vc_direct *slot, const struct vc_events *events)
{
	uint32_t tid = syscall(SYS_gettid);
	uintptr_t *place;

	if (!fits(slot, events)) {
		slot = adopt(d, tag.name, VC_TRANSACT, tid, events);
		if (!slot)
			slot = claim(d, tag.name, VC_TRANSACT, tid);
		if (!slot)
			return NULL;
		/* The thread remains the owner of the previous slot and can find it again. */
		place = place_of(VC_TRANSACT, tag.index);
		if (place)
			*place = (uintptr_t)slot;
	}
	if (!slot->events.nr)
		slot->events = *events;
	return slot;
}

/*
 * Find the calling thread's slot of a tag for transactions that count @events, if the current slot
 * does not yet belong to this @bind.  If no slot is available, record this in @bound, so that the
 * next event does not search again.
 */
struct vc_direct *shim_direct__find_counted(struct shim_direct *d, struct shim_direct_tag tag,
					    const struct vc_events *events, uint64_t bind)
{
	struct vc_direct *slot = shim_direct__peek(d, tag), *counted;

	if (!slot || slot->bound == ~bind)
		return NULL;
	shim_siglock__enter(&d->lock);
	counted = make_counted(d, tag, slot, events);
	if (counted)
		counted->begun = 0;
	(counted ? counted : slot)->bound = counted ? bind : ~bind;
	shim_siglock__leave(&d->lock);
	return counted;
}
