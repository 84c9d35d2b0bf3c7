/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations that the fuzzer chooses from, good and bad, and what each
 * may do.
 */
#ifndef VCPC_FUZZ_OPS_H
#define VCPC_FUZZ_OPS_H

#include <time.h>

#include "fuzz_call.h"

#define THREADS		2
#define OWN		4	/* sets that only one thread uses */
#define COMMON		8	/* files that all threads of a process use */
#define TAGS		6

struct own_set {
	int fd;
	unsigned int nr;
	__u64 presets[MAX_VALUES];
};

/* A process of the run; its threads share the files. */
struct process {
	struct verdicts *verdicts;
	int common[COMMON];
	int null;
	pid_t tids[THREADS];
	bool root, software;
	unsigned int max_requests;
	unsigned long calls;
	__u64 seed;
};

struct worker {
	struct fuzzer f;
	struct process *process;
	int device;
	struct own_set own[OWN];
	__u32 tags[TAGS];
	pid_t child, dead;
};

/* A file that only this thread uses, or one that anybody may close meanwhile. */
static int strange_fd(struct worker *w)
{
	struct process *p = w->process;

	if (one_in(&w->f, 30))
		return one_in(&w->f, 2) ? p->null : (int)below(&w->f, 1 << 20) - 10;
	return __atomic_load_n(&p->common[below(&w->f, COMMON)], __ATOMIC_RELAXED);
}

static struct own_set *choose_set(struct worker *w, struct hostile *h)
{
	struct own_set *own = &w->own[below(&w->f, OWN)];

	h->strange_fd = one_in(&w->f, 3);
	h->fd = h->strange_fd ? strange_fd(w) : own->fd;
	return h->strange_fd ? NULL : own;
}

static void choose_device(struct worker *w, struct hostile *h)
{
	h->strange_fd = one_in(&w->f, 5);
	h->fd = h->strange_fd ? strange_fd(w) : w->device;
}

static pid_t some_tid(struct worker *w)
{
	switch (below(&w->f, 12)) {
	case 0: return own_tid();
	case 1: return w->child;
	case 2: return w->dead;
	case 3: return w->process->tids[below(&w->f, THREADS)];
	case 4: return getppid();
	case 5: return 1;
	case 6: return (pid_t)draw(&w->f);
	case 7: return w->child;
	default: return 0;
	}
}

static void do_info(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_INFO], .must = MUST_WORK };
	struct vcpc_info_args info;

	choose_device(w, &h);
	if (fire(&w->f, &h) || h.strange_fd)
		return;
	memcpy(&info, h.image, sizeof(info));
	if (info.abi != VCPC_ABI_VERSION || info.max_requests != w->process->max_requests)
		wrong(&w->f, h.op->name, "values", info.abi, info.max_requests);
}

static struct vcpc_request some_request(struct worker *w, int *must)
{
	struct fuzzer *f = &w->f;
	struct vcpc_request r = page_faults;

	if (one_in(f, 2))
		r.config = below(f, PERF_COUNT_SW_MAX + 2);
	if (one_in(f, 8)) {
		r.type = one_in(f, 4) ? (__u32)draw(f) : below(f, 12);
		r.config = one_in(f, 2) ? draw(f) : below(f, 16);
	}
	if (one_in(f, 8)) {
		r.config1 = draw(f);
		r.config2 = draw(f);
	}
	if (one_in(f, 2))
		r.preset = draw(f);
	if (one_in(f, 6))
		r.flags = below(f, 4);
	if (one_in(f, 20))
		r.flags |= 1U << below(f, 32);
	if (one_in(f, 10))
		r.flags |= VCPC_REQ_F_OVERFLOW;
	if (one_in(f, 30))
		r.reserved[below(f, 2)] = draw(f) | 1;
	if (one_in(f, 60))
		r.reserved0 = draw(f) | 1;
	if (!(r.flags & 3U) || r.flags & ~7U || r.reserved0 || r.reserved[0] || r.reserved[1])
		*must = MUST_FAIL;
	if (r.flags & VCPC_REQ_F_KERNEL && !w->process->root)
		*must = MUST_FAIL;
	return r;
}

/* Requests in the arena, some of them bad, or not wholly there. */
static void some_requests(struct worker *w, struct vcpc_set_create_args *args, int *must,
			  __u64 *presets)
{
	struct arena *a = &w->f.data;
	enum place place = some_place(&w->f);
	struct vcpc_request request;
	size_t len, there, at;
	unsigned int i, group = 0;

	len = args->nr_requests * sizeof(request);
	at = lay(&w->f, place, len, &there);
	for (i = 0; i < args->nr_requests; i++) {
		request = some_request(w, must);
		if (args->flags & VCPC_SET_F_GROUPS)
			request.group = i && one_in(&w->f, 3) ? ++group : group;
		if (one_in(&w->f, 50)) {
			request.group += 2 + below(&w->f, 1 << 30);
			*must = MUST_FAIL;
		}
		if (args->flags & VCPC_SET_F_GROUPS && request.flags & VCPC_REQ_F_OVERFLOW)
			*must = MUST_FAIL;
		presets[i] = request.preset;
		if ((i + 1) * sizeof(request) <= there)
			memcpy(a->rw + at + i * sizeof(request), &request, sizeof(request));
	}
	args->requests = pointer(address(a, place, at));
	if (there < len || place >= PLACE_NULL)
		*must = MUST_FAIL;
}

static void some_slot(struct worker *w, struct vcpc_set_create_args *args, int *must)
{
	if (args->flags & VCPC_SET_F_GROUPS && one_in(&w->f, 2))
		args->slot = VCPC_SLOT_MIN + draw(&w->f) % (VCPC_SLOT_MAX - VCPC_SLOT_MIN + 1);
	if (one_in(&w->f, 40)) {
		args->slot = one_in(&w->f, 2) ? 1 + below(&w->f, VCPC_SLOT_MIN - 1) :
						VCPC_SLOT_MAX + 1 + below(&w->f, 1 << 30);
		*must = MUST_FAIL;
	}
}

/* The samples of a set with groups are longer than those of others. */
static void use_set(struct worker *w, int fd, unsigned int nr, const __u64 *presets, bool groups)
{
	struct own_set *own;
	int old;

	if (groups || one_in(&w->f, 3)) {
		old = __atomic_exchange_n(&w->process->common[below(&w->f, COMMON)], fd,
					  __ATOMIC_RELAXED);
		close(old);
		return;
	}
	own = &w->own[below(&w->f, OWN)];
	close(own->fd);
	own->fd = fd;
	own->nr = nr;
	memcpy(own->presets, presets, nr * sizeof(*presets));
}

static void do_create(struct worker *w)
{
	struct vcpc_set_create_args args = { .request_size = sizeof(struct vcpc_request) };
	struct hostile h = { .op = &contract[OP_SET_CREATE] };
	__u64 presets[MAX_VALUES];
	int fd, before = 0x5a5a5a5a;

	choose_device(w, &h);
	args.bad_request = before;
	args.flags = below(&w->f, 2);
	if (one_in(&w->f, 4))
		args.flags |= VCPC_SET_F_GROUPS;
	if (args.flags & VCPC_SET_F_GROUPS && one_in(&w->f, 4)) {
		args.flags |= VCPC_SET_F_SHUFFLE;
		args.seed = draw(&w->f);
	}
	some_slot(w, &args, &h.must);
	args.nr_requests = one_in(&w->f, 10) ? 1 + below(&w->f, MAX_VALUES) : 1 + below(&w->f, 4);
	some_requests(w, &args, &h.must, presets);
	if (one_in(&w->f, 20)) {
		args.request_size = below(&w->f, 64);
		h.must = EINVAL;
	}
	if (args.nr_requests > w->process->max_requests)
		h.must = EINVAL;
	if (one_in(&w->f, 40)) {
		args.nr_requests = one_in(&w->f, 2) ? 0 : ~below(&w->f, 1 << 20);
		h.must = EINVAL;
	}
	if (one_in(&w->f, 20)) {
		args.flags |= 4U << below(&w->f, 30);
		if (args.flags & ~(VCPC_SET_F_DISABLED | VCPC_SET_F_GROUPS | VCPC_SET_F_SHUFFLE |
				   VCPC_SET_F_COUNT_OVERFLOWS) ||
		    (args.flags & VCPC_SET_F_SHUFFLE && !(args.flags & VCPC_SET_F_GROUPS)))
			h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fd = fire(&w->f, &h);
	memcpy(&args, h.image, sizeof(args));
	if (fd >= 0 && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		wrong(&w->f, h.op->name, "kept at exec", fd, 0);
	if (fd < 0 && args.bad_request != before && args.bad_request != -1 &&
	    (__u32)args.bad_request >= args.nr_requests)
		wrong(&w->f, h.op->name, "bad_request", args.bad_request, args.nr_requests);
	if (fd >= 0)
		use_set(w, fd, args.nr_requests, presets, args.flags & VCPC_SET_F_GROUPS);
}

#define BIND_KNOWN	(VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |	\
			 VCPC_BIND_F_PROCESS | VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD |		\
			 VCPC_BIND_F_TRACE)

static __u32 unknown_flag(struct worker *w, __u32 known)
{
	__u32 flag;

	do {
		flag = 1U << below(&w->f, 32);
	} while (flag & known);
	return flag;
}

static void do_bind(struct worker *w)
{
	struct vcpc_bind_args args = { .tid = some_tid(w), .bad_request = -7 };
	struct hostile h = { .op = &contract[OP_BIND] };

	choose_set(w, &h);
	args.flags = one_in(&w->f, 2) ? 0 : below(&w->f, 16);
	if (one_in(&w->f, 5))
		args.flags |= VCPC_BIND_F_TRACE;
	if (args.tid == 1 && !w->process->root)
		h.must = EACCES;
	if (args.tid < 0)
		h.must = ESRCH;
	if (one_in(&w->f, 10)) {
		args.flags = VCPC_BIND_F_CPU | (one_in(&w->f, 2) ? VCPC_BIND_F_YIELD : 0);
		args.tid = one_in(&w->f, 10) ? (int)draw(&w->f) : (int)below(&w->f, 3);
		h.must = w->process->root ? 0 : MUST_FAIL;
	}
	if (one_in(&w->f, 20)) {
		args.flags |= unknown_flag(w, BIND_KNOWN);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

static void do_target(struct worker *w)
{
	struct vcpc_target_args args = { .tid = some_tid(w) };
	struct hostile h = { .op = &contract[OP_UNBIND + below(&w->f, 3)] };

	choose_set(w, &h);
	if (one_in(&w->f, 5))
		args.flags = VCPC_TARGET_F_ALL;
	if (one_in(&w->f, 10)) {
		args.flags |= VCPC_TARGET_F_CPU;
		args.tid = below(&w->f, 3);
	}
	if (one_in(&w->f, 20)) {
		args.flags |= 4U << below(&w->f, 30);
		h.must = EINVAL;
	} else if (one_in(&w->f, 20)) {
		args.reserved = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

/* Is this a sample, of the set as it was made? */
static void check_sample(struct worker *w, const char *name, const struct own_set *own,
			 const void *from)
{
	struct timespec now;
	struct room room;
	unsigned int i;
	__u64 ns;

	memcpy(&room.sample, from, sizeof(room.sample));
	if (!room.sample.nr || room.sample.nr > MAX_VALUES ||
	    (own && room.sample.nr != own->nr)) {
		wrong(&w->f, name, "number of values", room.sample.nr, own ? own->nr : 0);
		return;
	}
	memcpy(&room, from, sizeof(room.sample) + room.sample.nr * 8);
	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	if (room.sample.state & ~(VCPC_STATE_COUNTING | VCPC_STATE_EXITED | VCPC_STATE_OFFLINE))
		wrong(&w->f, name, "state", room.sample.state, 0);
	if (room.sample.enabled != room.sample.running)
		wrong(&w->f, name, "times", room.sample.enabled, room.sample.running);
	if (!room.sample.time || room.sample.time > ns || room.sample.tick > ns * 64)
		wrong(&w->f, name, "time", room.sample.time, room.sample.tick);
	/* No event of software's happened a thousand billion times. */
	for (i = 0; own && w->process->software && i < own->nr; i++)
		if (room.sample.values[i] - own->presets[i] > 1ULL << 40)
			wrong(&w->f, name, "value", room.sample.values[i], own->presets[i]);
}

/* After a sample of @len bytes at @at: were those written, and no others? */
static void check_buffer(struct worker *w, const char *name, const struct own_set *own, long ret,
			 size_t at, size_t there)
{
	unsigned char *buf = w->f.data.rw + at;
	struct vcpc_sample head;
	size_t i, end = 0;

	if (ret >= 0) {
		check_sample(w, name, own, buf);
		memcpy(&head, buf, sizeof(head));
		end = sizeof(head) + (size_t)head.nr * 8;
		/* A set of somebody else's may have groups, and only read() says how many. */
		if (!own)
			end = ret ? (size_t)ret : there;
	}
	for (i = 0; i < 64; i++)
		if (at > i && buf[-1 - (long)i] != PATTERN)
			break;
	if (i < 64 && at > i)
		wrong(&w->f, name, "wrote before the buffer", i, ret);
	for (i = end; ret != -EFAULT && i < there; i++)
		if (buf[i] != PATTERN) {
			wrong(&w->f, name, "wrote after the sample", i, ret);
			break;
		}
}

static size_t some_room(struct worker *w, const struct own_set *own)
{
	size_t need = sizeof(struct vcpc_sample) + 8 * (own ? own->nr : 1 + below(&w->f, 8));

	switch (below(&w->f, 6)) {
	case 0: return below(&w->f, need + 1);
	case 1: return need + below(&w->f, 64);
	case 2: return 1024;
	default: return need;
	}
}

static int sample_must(const struct own_set *own, size_t size, enum place place)
{
	if (own && size < sizeof(struct vcpc_sample) + 8 * own->nr)
		return EINVAL;
	return place >= PLACE_READ_ONLY ? MUST_FAIL : MAY_ANY;
}

static void do_sample(struct worker *w)
{
	struct vcpc_sample_args args = { .tid = some_tid(w) };
	struct hostile h = { .op = &contract[OP_SAMPLE] };
	const struct own_set *own = choose_set(w, &h);
	size_t size = some_room(w, own), there, at;
	enum place place = some_place(&w->f);
	long ret;

	if (place == PLACE_HALF && !size)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, size, &there);
	h.must = sample_must(own, size, place);
	args.buf = pointer(address(&w->f.data, place, at));
	args.buf_size = size;
	if (one_in(&w->f, 4))
		args.flags = VCPC_SAMPLE_F_TOTAL;
	if (one_in(&w->f, 10)) {
		args.flags |= VCPC_SAMPLE_F_CPU;
		args.tid = below(&w->f, 3);
	}
	if (one_in(&w->f, 20)) {
		args.flags |= 4U << below(&w->f, 30);
		h.must = EINVAL;
	}
	memset(w->f.data.rw, PATTERN, PAGES * PAGE);
	memcpy(h.image, &args, sizeof(args));
	ret = fire(&w->f, &h);
	/* The presets are in a total as often as there are instances. */
	check_buffer(w, h.op->name, args.flags ? NULL : own, ret, at, there);
}

static void do_instances(struct worker *w)
{
	struct vcpc_instances_args args = { .info_size = sizeof(struct vcpc_instance_info) };
	struct hostile h = { .op = &contract[OP_INSTANCES] };
	enum place place = some_place(&w->f);
	size_t there, at;

	choose_set(w, &h);
	args.room = below(&w->f, 4);
	if (one_in(&w->f, 4))
		args.info_size += below(&w->f, 64);
	if (place == PLACE_HALF && !args.room)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, (size_t)args.room * args.info_size, &there);
	args.info = pointer(address(&w->f.data, place, at));
	/* Nothing is written where nothing is bound. */
	if (one_in(&w->f, 20))
		args.room = place < PLACE_READ_ONLY ? args.room : (__u32)draw(&w->f);
	if (one_in(&w->f, 20)) {
		args.info_size = below(&w->f, sizeof(struct vcpc_instance_info));
		h.must = EINVAL;
	}
	if (one_in(&w->f, 20)) {
		args.flags = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

static void do_read(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_READ] };
	const struct own_set *own = choose_set(w, &h);
	size_t size = some_room(w, own), there, at;
	enum place place = some_place(&w->f);
	long ret;

	if (place == PLACE_HALF && !size)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, size, &there);
	h.must = sample_must(own, size, place);
	if (h.must == EINVAL && place >= PLACE_NULL)
		h.must = MUST_FAIL;
	if (one_in(&w->f, 50)) {
		size = draw(&w->f) | 1UL << 63;
		h.must = MUST_FAIL;
	}
	memset(w->f.data.rw, PATTERN, PAGES * PAGE);
	ret = read(h.fd, address(&w->f.data, place, at), size);
	ret = ret < 0 ? -errno : ret;
	/* What is no set gives nothing. */
	if (h.strange_fd && !ret)
		return;
	judge(&w->f, &h, h.must, ret);
	check_buffer(w, h.op->name, own, ret, at, there);
	if (own && ret >= 0 && ret != (long)(sizeof(struct vcpc_sample) + 8 * own->nr))
		wrong(&w->f, h.op->name, "length", ret, own->nr);
}

static void do_tag(struct worker *w)
{
	struct vcpc_trace_tag_args args = { .name_len = 1 + below(&w->f, 12) };
	struct hostile h = { .op = &contract[OP_TRACE_TAG], .must = MUST_WORK };
	enum place place = some_place(&w->f);
	size_t there, at;

	choose_device(w, &h);
	if (one_in(&w->f, 10))
		args.name_len = one_in(&w->f, 2) ? below(&w->f, 300) : (__u32)draw(&w->f);
	at = lay(&w->f, place, args.name_len < 300 && args.name_len ? args.name_len : 1, &there);
	memset(w->f.data.rw + at, 'a' + below(&w->f, 8), there);
	if (place == PLACE_HALF || place >= PLACE_NULL)
		h.must = EFAULT;
	else if (there && one_in(&w->f, 20)) {
		w->f.data.rw[at + below(&w->f, there)] = '\0';
		h.must = EINVAL;
	}
	args.name = pointer(address(&w->f.data, place, at));
	if (args.name_len >= VCPC_TAG_LEN)
		h.must = ENAMETOOLONG;
	if (!args.name_len)
		h.must = EINVAL;
	if (one_in(&w->f, 20)) {
		args.flags = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	if (fire(&w->f, &h) < 0)
		return;
	memcpy(&args, h.image, sizeof(args));
	if (!args.tag)
		wrong(&w->f, h.op->name, "no id", 0, 0);
	if (!h.strange_fd)
		w->tags[below(&w->f, TAGS)] = args.tag;
}

static int trace_must(const struct vcpc_trace_args *args)
{
	bool transaction = args->op >= VCPC_TRACE_BEGIN && args->op <= VCPC_TRACE_ABORT;
	bool value = args->op == VCPC_TRACE_OBSERVE || args->op == VCPC_TRACE_COUNTER;

	if (!transaction && !value && args->op != VCPC_TRACE_POINT)
		return EINVAL;
	if (args->flags & ~(transaction ? VCPC_TRACE_F_THREAD : 0))
		return EINVAL;
	/* An end says when its transaction began. */
	value |= args->op == VCPC_TRACE_END || args->op == VCPC_TRACE_ABORT;
	return args->value && !value ? EINVAL : MAY_ANY;
}

/* An event, mostly a good one */
static struct vcpc_trace_args some_event(struct worker *w, struct hostile *h)
{
	struct vcpc_trace_args args = { .op = 1 + below(&w->f, 6) };

	choose_device(w, h);
	if (args.op <= VCPC_TRACE_ABORT)
		args.flags = below(&w->f, 2);
	if (args.op >= VCPC_TRACE_OBSERVE)
		args.value = draw(&w->f);
	if (one_in(&w->f, 20))
		args.op = (__u32)draw(&w->f);
	if (one_in(&w->f, 20))
		args.flags = 1U << below(&w->f, 32);
	if (one_in(&w->f, 20))
		args.value = draw(&w->f);
	args.tag = w->tags[below(&w->f, TAGS)];
	h->must = trace_must(&args);
	if (one_in(&w->f, 20)) {
		args.tag = (__u32)draw(&w->f) | 1U << 31;
		h->must = h->must ?: ENOENT;
	} else if (!h->must && !h->strange_fd) {
		h->must = args.tag ? MUST_WORK : ENOENT;
	}
	return args;
}

static void do_trace(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_TRACE] };
	struct vcpc_trace_args args = some_event(w, &h);

	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

/* The same, without an argument in memory; what is no device may not like it. */
static void do_advise(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_ADVISE] };
	struct vcpc_trace_args args = some_event(w, &h);
	int advice = VCPC_TRACE_ADVICE ^ args.op;

	if (one_in(&w->f, 20)) {
		advice = one_in(&w->f, 2) ? (int)below(&w->f, 8) : (int)draw(&w->f) | 1 << 24;
		h.must = EINVAL;
	}
	/* Files of other kinds take advice of other kinds. */
	if (h.strange_fd)
		h.must = advice >= 0 && advice < 8 ? MAY_ANY : h.must ? MUST_FAIL : MAY_ANY;
	judge(&w->f, &h, h.must,
	      -posix_fadvise(h.fd, args.tag | (__u64)args.flags << 32, args.value, advice));
}

/* The page that says who listens: what it says, and that it stays as it is. */
static void use_page(struct worker *w, const struct hostile *h, void *at, int prot)
{
	const volatile struct vcpc_trace_page *page = at;
	__u32 flags;

	if (prot & PROT_READ) {
		flags = page->flags;
		if (page->size != sizeof(*page) ||
		    flags & ~(VCPC_TRACE_LISTENING | VCPC_TRACE_BEGINS))
			wrong(&w->f, h->op->name, "page", page->size, flags);
	}
	if (!mprotect(at, PAGE, PROT_READ | (one_in(&w->f, 2) ? PROT_WRITE : PROT_EXEC)))
		wrong(&w->f, h->op->name, "can be made writable", prot, 0);
}

static void do_map(struct worker *w)
{
	static const int prots[] = { PROT_NONE, PROT_WRITE, PROT_EXEC, PROT_READ | PROT_WRITE };
	size_t pages = one_in(&w->f, 6) ? below(&w->f, 4) : 1;
	__u64 offset = one_in(&w->f, 8) ? (draw(&w->f) % (1U << 20)) * PAGE : 0;
	int prot = one_in(&w->f, 4) ? prots[below(&w->f, 4)] : PROT_READ;
	struct hostile h = { .op = &contract[OP_MMAP] };
	void *at, *moved;

	choose_device(w, &h);
	if (h.strange_fd)
		h.must = pages ? MAY_ANY : MUST_FAIL;
	else if (pages != 1 || offset || prot & (PROT_WRITE | PROT_EXEC))
		h.must = MUST_FAIL;
	else
		h.must = MUST_WORK;
	at = mmap(NULL, pages * PAGE, prot, one_in(&w->f, 3) ? MAP_PRIVATE : MAP_SHARED, h.fd,
		  offset);
	judge(&w->f, &h, h.must, at == MAP_FAILED ? -errno : 0);
	if (at == MAP_FAILED)
		return;
	if (!h.strange_fd)
		use_page(w, &h, at, prot);
	/* Longer than it is, and somewhere else: nothing is behind it, and all goes. */
	moved = one_in(&w->f, 4) ? mremap(at, pages * PAGE, (pages + 1) * PAGE, MREMAP_MAYMOVE) :
				   MAP_FAILED;
	if (moved == MAP_FAILED)
		munmap(at, pages * PAGE);
	else
		munmap(moved, (pages + 1) * PAGE);
}

static void do_unknown(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_UNKNOWN] };
	unsigned long cmd;

	/* Any size and direction, and numbers that are not given. */
	cmd = _IOC(below(&w->f, 4), VCPC_IOC_TYPE, 0x20 + below(&w->f, 224), below(&w->f, 512));
	if (one_in(&w->f, 2))
		cmd = _IOC(1 + below(&w->f, 3), VCPC_IOC_TYPE, below(&w->f, 0x15), 24);
	h.fd = one_in(&w->f, 2) ? w->device : w->own[below(&w->f, OWN)].fd;
	judge(&w->f, &h, ENOTTY, call(h.fd, cmd, w->f.args.rw));
	/* A set is no device, and a device no set. */
	if (one_in(&w->f, 2))
		judge(&w->f, &h, ENOTTY, call(w->device, VCPC_IOC_BIND + below(&w->f, 5),
					      w->f.args.rw));
	else
		judge(&w->f, &h, ENOTTY, call(w->own[below(&w->f, OWN)].fd,
					      VCPC_IOC_INFO + below(&w->f, 4), w->f.args.rw));
}

#endif
