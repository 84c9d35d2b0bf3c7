// SPDX-License-Identifier: GPL-2.0-or-later
/* Perform acts that call the module with valid or invalid arguments, and check the results. */
#include <poll.h>
#include <sys/epoll.h>

#include "../../vcpc/fuzz/contract.h"
#include "../../vcpc/signaled.h"
#include "world.h"

#define MAX_ARGS	128
/* A signal that this program handles, but that terminates a program after execve */
#define ENDS_OTHERS	SIGPROF
/* Offset of the buffers in the arena, where they follow the arguments */
#define BUFFER		4096

enum { SIZE_SAME, SIZE_NONE, SIZE_SHORT, SIZE_LONGER, SIZE_LONGER_USED, SIZE_PAGE, SIZE_BUFFER,
       SIZE_BIT };
enum { PLACE_EDGE, PLACE_HALF, PLACE_READ_ONLY, PLACE_NULL, PLACE_HOLE, PLACE_KERNEL };

static bool hostile(const struct act *a)
{
	return a->how >= HOSTILE;
}

static void *address(const struct act *a, size_t at, size_t len)
{
	switch (a->how >> 3 & 7) {
	case PLACE_EDGE: return arena + ARENA - len;
	case PLACE_HALF: return arena + ARENA - len / 2;
	case PLACE_READ_ONLY: return arena_ro + at;
	case PLACE_NULL: return NULL;
	case PLACE_HOLE: return arena + ARENA + 64;
	case PLACE_KERNEL: return (void *)(0xffff800008000000UL + at);
	default: return arena + at;
	}
}

/*
 * Return a buffer of @len bytes, to which an argument points.  Some hostile acts place it at a bad
 * address.
 */
static void *buffer(const struct act *a, size_t len)
{
	if (hostile(a) && (a->how & 7) == SIZE_BUFFER)
		return address(a, BUFFER, len);
	return arena + BUFFER;
}

/* Make an argument nearly valid: change its size, one of its bits, or its address. */
static void *spoil(const struct act *a, unsigned char *image, size_t *len)
{
	__u32 size = *len;

	switch (a->how & 7) {
	case SIZE_NONE: size = 0; break;
	case SIZE_SHORT: size -= 4; break;
	case SIZE_LONGER: size = *len += 8; break;
	case SIZE_LONGER_USED: image[*len + 3] = 1; size = *len += 8; break;
	case SIZE_PAGE: size = 4097; break;
	case SIZE_BIT: image[4 + (a->value >> 8) % (*len - 4)] ^= 1 << a->value % 8; break;
	}
	memcpy(image, &size, sizeof(size));
	return (a->how & 7) == SIZE_BUFFER ? arena : address(a, 0, *len);
}

/* Call the ioctl with its argument in the arena, and copy the output to @args. */
static long fire(const struct act *a, int fd, enum op op, void *args, size_t len)
{
	unsigned char image[MAX_ARGS] = { 0 };
	size_t whole = len;
	__u32 size = len;
	void *at = arena;
	long ret;

	memcpy(image, args, len);
	memcpy(image, &size, sizeof(size));
	if (hostile(a))
		at = spoil(a, image, &whole);
	if (at >= (void *)arena && (unsigned char *)at < arena + ARENA)
		memcpy(at, image, at + whole > (void *)arena + ARENA ?
		       (size_t)((void *)arena + ARENA - at) : whole);
	else
		memcpy(arena, image, whole);
	ret = call(fd, contract[op].cmd, at);
	if (at == arena)
		memcpy(args, arena, len);
	return ret;
}

/*
 * After a call that can change the values of a set, a sample must not be compared with an earlier
 * one.  The lower half of a set's epoch counts starts and ends of these calls, and the upper half
 * counts calls in progress.
 */
#define UNDER_WAY	0x10000U

static void disturb(const struct file *f, unsigned int how)
{
	if (f->set >= 0)
		__atomic_fetch_add(&shared->epochs[f->set], how, __ATOMIC_SEQ_CST);
}

static unsigned int epoch(const struct file *f)
{
	unsigned int all = __atomic_load_n(&shared->restarts, __ATOMIC_SEQ_CST);

	return f->set < 0 ? 0 : all + __atomic_load_n(&shared->epochs[f->set], __ATOMIC_SEQ_CST);
}

/* After every fourth overflow, restart the set, regardless of which set it is. */
static void on_overflow(int sig, siginfo_t *info, void *context)
{
	static unsigned int n;
	int saved = errno;

	(void)sig;
	(void)context;
	if (info->si_code == VCPC_SI_OVERFLOW && n++ % 4 == 0) {
		__atomic_fetch_add(&shared->restarts, UNDER_WAY + 1, __ATOMIC_SEQ_CST);
		set_own(info->si_fd, VCPC_IOC_RESTART);
		__atomic_fetch_sub(&shared->restarts, UNDER_WAY - 1, __ATOMIC_SEQ_CST);
	}
	errno = saved;
}

void acts_open(void)
{
	struct sigaction sa = { .sa_sigaction = on_overflow, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (sigaction(OVERFLOW_SIGNAL, &sa, NULL) || sigaction(ENDS_OTHERS, &sa, NULL))
		abort();
}

pid_t target_tid(const struct act *a)
{
	switch (a->target) {
	case TARGET_NONE: return 0;
	case TARGET_MAIN: return getpid();
	case TARGET_INIT: return 1;
	case TARGET_DEAD: return shared->dead;
	case TARGET_ODD: return (pid_t)a->value;
	default: return shared->actors[a->target - TARGET_ACTOR].tid;
	}
}

static const struct vcpc_request kinds[] = {
	[FAULTS] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	[TASK_CLOCK] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	[CYCLES] = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES },
	[SWITCHES] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
	[CPU_CLOCK] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK },
	[INSTRUCTIONS] = { .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_INSTRUCTIONS },
	[RAW] = { .type = PERF_TYPE_RAW, .config = 0x11 },
	[TRACEPOINT] = { .type = PERF_TYPE_TRACEPOINT, .config = 1 },
};

/*
 * Return a preset.  PRESET_SOON makes page faults overflow soon, but clocks only after other code
 * has run.
 */
static __u64 some_preset(const struct vcpc_request *r, enum preset preset, __u64 value)
{
	bool rare = r->type == PERF_TYPE_SOFTWARE && r->config == PERF_COUNT_SW_PAGE_FAULTS;

	switch (preset) {
	case PRESET_NONE: return 0;
	case PRESET_SOON: return rare ? -1 - value % 4 : -5000000 - value % 10000000;
	case PRESET_FAR: return 1ULL << 63 | value;
	default: return value;
	}
}

static void make_odd(const struct create_plan *plan, struct vcpc_request *r, unsigned int nr)
{
	switch (plan->odd) {
	case 15: r[0].reserved[0] = 1; break;
	case 14: r[nr - 1].reserved[2] = 1ULL << 63; break;
	case 13: r[nr - 1].type = plan->rest >> 4; break;
	case 12: r[0].config = plan->rest; break;
	case 11: r[0].config1 = plan->rest; break;
	case 10: r[0].flags = plan->rest; break;
	}
}

static void some_requests(const struct create_plan *plan, struct vcpc_request *r)
{
	unsigned int nr = plan_nr(plan), i;

	for (i = 0; i < nr; i++) {
		r[i] = kinds[plan_kind(plan, i)];
		r[i].flags = VCPC_REQ_F_USER | (plan->kernel ? VCPC_REQ_F_KERNEL : 0);
		if (plan->overflow >> i % 4 & 1)
			r[i].flags |= VCPC_REQ_F_OVERFLOW;
		r[i].preset = some_preset(&r[i], plan->presets, plan->rest);
	}
	make_odd(plan, r, nr);
}

static long do_create(const struct act *a, int device)
{
	const struct create_plan plan = plan_of(a->value);
	struct vcpc_request r[40];
	struct vcpc_set_create_args args = {
		.request_size = sizeof(r[0]), .nr_requests = plan_nr(&plan),
	};
	struct file made;
	long ret;

	args.flags = a->flags & (hostile(a) ? ~0U : VCPC_SET_F_DISABLED);
	some_requests(&plan, r);
	if (plan.signal)
		args.signal = plan.fatal ? ENDS_OTHERS : OVERFLOW_SIGNAL;
	args.requests = pointer(buffer(a, args.nr_requests * sizeof(r[0])));
	memcpy(arena + BUFFER, r, args.nr_requests * sizeof(r[0]));
	ret = fire(a, device, OP_SET_CREATE, &args, sizeof(args));
	if (ret < 0)
		return ret;
	made = (struct file) {
		.fd = ret, .nr = args.nr_requests, .overflows = plan.overflow,
		.set = __atomic_fetch_add(&shared->sets_made, 1, __ATOMIC_RELAXED),
	};
	/* A hostile act may have flipped a bit in one of these fields, so the set is unknown. */
	if (made.set >= MAX_SETS_MADE || hostile(a))
		made.set = -1;
	file_put(a->target % SETS, &made);
	return ret;
}

static long do_bind(const struct act *a, const struct file *f)
{
	struct vcpc_bind_args args = { .flags = a->flags };

	if (!hostile(a))
		args.flags &= VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE |
			      VCPC_BIND_F_TRACE;
	return fire(a, f->fd, OP_BIND, &args, sizeof(args));
}

static long do_own(const struct act *a, const struct file *f, enum op op)
{
	struct vcpc_own_args args = { 0 };

	if (op == OP_UNBIND || hostile(a))
		args.flags = a->flags & VCPC_OWN_F_ALL;
	return fire(a, f->fd, op, &args, sizeof(args));
}

static long do_preset(const struct act *a, const struct file *f)
{
	struct vcpc_preset_args args = { .request = a->flags % 8 };

	/*
	 * The event of the request is unknown here, so use a distance that is long enough for
	 * clocks.
	 */
	args.preset = some_preset(&kinds[args.request ? TASK_CLOCK : FAULTS], a->value & 3, a->value >> 2);
	return fire(a, f->fd, OP_PRESET, &args, sizeof(args));
}

static long do_instances(const struct act *a, const struct file *f)
{
	struct vcpc_instances_args args = {
		.info_size = sizeof(struct vcpc_instance_info), .room = a->value % 8,
	};

	if (hostile(a))
		args.info_size += a->value >> 8 & 31;
	args.info = pointer(buffer(a, args.room * args.info_size));
	return fire(a, f->fd, OP_INSTANCES, &args, sizeof(args));
}

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

/* The last sample that this thread has read through each descriptor, and its target */
static __thread struct {
	bool any;
	int set;
	unsigned int epoch, target;
	pid_t tid;
	__u64 tick, values[8];
} last[FILES];

/*
 * Check that no value has decreased since the last sample.  Compare modulo 2^64, because presets
 * are arbitrary.
 */
static void compare(const struct act *a, const struct file *f, const struct vcpc_sample *s,
		    unsigned int before)
{
	unsigned int i, n = s->nr < 8 ? s->nr : 8, target = a->op == ACT_READ ? 0 : a->target;
	pid_t tid = a->op == ACT_READ ? 0 : target_tid(a);
	typeof(last[0]) *l = &last[a->fd];

	if (before >= UNDER_WAY || before != epoch(f))
		return;
	if (l->any && l->set == f->set && l->epoch == before && l->target == target &&
	    l->tid == tid) {
		if (s->tick < l->tick)
			wrong(a, "CPU time decreased", l->tick, s->tick);
		for (i = 0; i < n; i++)
			if ((__s64)(s->values[i] - l->values[i]) < 0)
				wrong(a, "value decreased", l->values[i], s->values[i]);
	}
	l->any = true;
	l->set = f->set;
	l->epoch = before;
	l->target = target;
	l->tid = tid;
	l->tick = s->tick;
	memcpy(l->values, s->values, n * sizeof(l->values[0]));
}

static void check_sample(const struct act *a, const struct file *f, const struct vcpc_sample *s,
			 unsigned int before, bool total)
{
	const __u32 states = VCPC_STATE_COUNTING | VCPC_STATE_EXITED | VCPC_STATE_FROZEN;

	if (f->set < 0 || !file_is(a->fd, f))
		return;
	if (s->size != sizeof(*s))
		wrong(a, "size of a sample's header", s->size, sizeof(*s));
	if (s->nr != f->nr)
		wrong(a, "number of values", s->nr, f->nr);
	if (s->state & ~states)
		wrong(a, "state", s->state, 0);
	if (s->state & VCPC_STATE_FROZEN && (s->state & VCPC_STATE_COUNTING || !f->overflows))
		wrong(a, "frozen", s->state, f->overflows);
	if (s->time > now_ns())
		wrong(a, "time in the future", s->time, now_ns());
	if (!total)
		compare(a, f, s, before);
}

static long do_sample(const struct act *a, const struct file *f)
{
	const struct vcpc_sample *s = (void *)(arena + BUFFER);
	struct vcpc_sample_args args = {
		.buf_size = 4096, .flags = a->flags & VCPC_SAMPLE_F_TOTAL,
	};
	unsigned int before = epoch(f);
	long ret;

	if (!args.flags || hostile(a))
		args.tid = target_tid(a);
	if (hostile(a))
		args.buf_size = a->value % 4097;
	args.buf = pointer(buffer(a, args.buf_size));
	ret = fire(a, f->fd, OP_SAMPLE, &args, sizeof(args));
	if (ret >= 0 && !hostile(a))
		check_sample(a, f, s, before, a->flags & VCPC_SAMPLE_F_TOTAL);
	return ret;
}

static long do_read(const struct act *a, const struct file *f)
{
	size_t size = hostile(a) ? a->value % 4097 : 4096;
	unsigned int before = epoch(f);
	ssize_t ret = read(f->fd, buffer(a, size), size);

	if (ret < 0)
		return -errno;
	if (ret && !hostile(a))
		check_sample(a, f, (void *)(arena + BUFFER), before, false);
	return ret;
}

static long do_poll(const struct act *a, const struct file *f)
{
	struct pollfd fd = { .fd = f->fd, .events = POLLIN };
	int ret = poll(&fd, 1, a->value % 4);

	return ret < 0 ? -errno : ret;
}

/* Add the set to an epoll descriptor of this process, or remove it, and wait for events. */
static long do_epoll(const struct act *a, const struct file *f)
{
	struct epoll_event event = { .events = EPOLLIN | (a->flags & 1 ? EPOLLET : 0) }, got[2];
	static int epoll = -1;
	int ret;

	if (epoll < 0)
		epoll = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(epoll, a->flags & 2 ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, f->fd, &event);
	ret = epoll_wait(epoll, got, 2, a->value % 3);
	return ret < 0 ? -errno : ret;
}

long act_on_set(const struct act *a, const struct file *f)
{
	bool disturbs = a->op <= ACT_RESTART;
	long ret;

	if (disturbs)
		disturb(f, UNDER_WAY + 1);
	switch (a->op) {
	case ACT_BIND: ret = do_bind(a, f); break;
	case ACT_UNBIND: ret = do_own(a, f, OP_UNBIND); break;
	case ACT_ENABLE: ret = do_own(a, f, OP_ENABLE); break;
	case ACT_DISABLE: ret = do_own(a, f, OP_DISABLE); break;
	case ACT_RESTART: ret = do_own(a, f, OP_RESTART); break;
	case ACT_PRESET: ret = do_preset(a, f); break;
	case ACT_SAMPLE: ret = do_sample(a, f); break;
	case ACT_READ: ret = do_read(a, f); break;
	case ACT_INSTANCES: ret = do_instances(a, f); break;
	case ACT_POLL: ret = do_poll(a, f); break;
	default: ret = do_epoll(a, f); break;
	}
	if (disturbs)
		disturb(f, 1 - UNDER_WAY);
	return ret;
}

static __u32 handles[4];

static long do_tag(const struct act *a, int fd)
{
	struct vcpc_trace_tag_args args = { .name_len = 1 + a->value % 12 };
	long ret;

	if (hostile(a))
		args.name_len = a->value >> 16 & 511;
	memset(arena + BUFFER, 'a' + (a->value >> 8 & 7), 512);
	args.name = pointer(buffer(a, args.name_len));
	ret = fire(a, fd, OP_TRACE_TAG, &args, sizeof(args));
	if (!ret && !hostile(a))
		handles[a->target % 4] = args.handle;
	return ret;
}

static struct vcpc_trace_write some_event(const struct act *a)
{
	struct vcpc_trace_write event = { .op = 1 + a->flags % 6, .handle = handles[a->target % 4] };
	bool valued = event.op != VCPC_TRACE_BEGIN && event.op != VCPC_TRACE_POINT;

	if (event.op <= VCPC_TRACE_END && a->flags & 128)
		event.op |= VCPC_TRACE_F_COUNTS;
	if (hostile(a) && a->flags & 64)
		event.op |= 1U << a->flags % 32;
	if (valued || (hostile(a) && a->value & 2))
		event.value = a->value;
	if (hostile(a) && a->value & 1)
		event.handle = a->value >> 1;
	return event;
}

static size_t some_size(const struct act *a, size_t size)
{
	switch (hostile(a) ? a->how & 7 : SIZE_SAME) {
	case SIZE_NONE: return 0;
	case SIZE_SHORT: return size - 4;
	case SIZE_LONGER:
	case SIZE_LONGER_USED: return size + 8;
	case SIZE_PAGE: return 4097;
	default: return size;
	}
}

/*
 * Write an event with write(2), or with pwrite(2) at the only valid position, which no other file
 * accepts.
 */
static long do_event(const struct act *a, int fd)
{
	struct vcpc_trace_write event = some_event(a);
	size_t size = some_size(a, sizeof(event));
	unsigned char *at = hostile(a) ? address(a, 0, size) : arena;
	ssize_t ret;

	memset(arena, 0, sizeof(event) + 8);
	arena[sizeof(event)] = hostile(a) && (a->how & 7) == SIZE_LONGER_USED;
	memcpy(arena, &event, sizeof(event));
	if (at > arena && at + sizeof(event) <= arena + ARENA)
		memcpy(at, &event, sizeof(event));
	ret = a->op == ACT_WRITE ? write(fd, at, size) : pwrite(fd, at, size, VCPC_TRACE_AT);
	return ret < 0 ? -errno : 0;
}

static long do_advise(const struct act *a, int fd)
{
	struct vcpc_trace_write event = some_event(a);
	__u64 handle = event.handle | (hostile(a) ? (__u64)(a->how & 7) << 32 : 0);

	return syscall(SYS_fadvise64, fd, event.value, handle, VCPC_TRACE_ADVICE + event.op) ? -errno : 0;
}

static long do_map(const struct act *a, int fd)
{
	static const int prots[] = { PROT_READ, PROT_WRITE, PROT_EXEC, PROT_NONE };
	volatile unsigned char *at = mmap(NULL, 4096UL << (a->flags >> 2 & 1), prots[a->flags & 3],
					  a->flags & 8 ? MAP_PRIVATE : MAP_SHARED, fd,
					  a->flags & 16 ? 4096 : 0);

	if (at == MAP_FAILED)
		return -errno;
	/* Only the first page is certain to be mapped, so do not touch a larger mapping. */
	if (!(a->flags & 3) && !(a->flags & 4))
		(void)at[0];
	munmap((void *)at, 4096UL << (a->flags >> 2 & 1));
	return 0;
}

long act_on_device(const struct act *a, const struct file *f)
{
	struct vcpc_info_args info = { 0 };
	struct file device;

	switch (a->op) {
	case ACT_INFO:
		return fire(a, f->fd, OP_INFO, &info, sizeof(info));
	case ACT_CREATE:
		/* Usually use a device; act.target selects the index of the new set. */
		device = file_get(SETS + a->fd % (a->fd < SETS ? DEVICES : 4));
		return do_create(a, device.fd);
	case ACT_TAG:
		return do_tag(a, f->fd);
	case ACT_WRITE:
	case ACT_PWRITE:
		return do_event(a, f->fd);
	case ACT_ADVISE:
		return do_advise(a, f->fd);
	case ACT_MAP:
		return do_map(a, f->fd);
	default:
		return call(f->fd, _IOC(a->flags & 3, VCPC_IOC_TYPE, a->value & 0xff,
					a->value >> 8 & 0xff) ^ (a->flags & 4 ? 0x100 : 0), arena);
	}
}
