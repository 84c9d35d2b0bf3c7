// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If any single allocation in a call fails, the call returns ENOMEM and changes nothing, and the
 * next attempt succeeds.
 */
#include <pthread.h>
#include <sched.h>

#include "failslab.h"
#include "inherited.h"
#include "overflow.h"
#include "tracing.h"
#include "vcpc_test.h"

static int open_device(void *arg)
{
	int fd = open("/dev/vcpc", O_RDWR | O_CLOEXEC);

	(void)arg;
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

TEST_F(failslab, open)
{
	NEEDS_FAILSLAB();
	EXPECT_GT(each_allocation(self->nth, open_device, NULL), 0);
}

static int log_allocations(pid_t tid)
{
	char filter[64];

	snprintf(filter, sizeof(filter), "common_pid == %d", tid);
	return put(TRACING "trace", "") ?: put(TRACING "events/kmem/kmalloc/filter", filter) ?:
	       put(TRACING "events/kmem/kmalloc/enable", "1");
}

/* Count the module's allocations in the log.  In @waiting count those that may wait. */
static int logged_allocations(int *waiting)
{
	FILE *trace = fopen(TRACING "trace", "re");
	char line[512];
	int n = 0;

	while (trace && fgets(line, sizeof(line), trace)) {
		if (!strstr(line, "[vcpc]"))
			continue;
		n++;
		*waiting += !strstr(line, "gfp_flags=GFP_ATOMIC");
	}
	return trace && !fclose(trace) ? n : -1;
}

/*
 * The module's two allocations do not wait, because the kernel calls it under a mutex of all
 * miscellaneous devices.
 */
TEST_F(failslab, open_without_waiting)
{
	int ret, waiting = 0;

	NEEDS_FAILSLAB();
	ASSERT_EQ(0, log_allocations(own_tid()));
	ret = open_device(NULL);
	ASSERT_EQ(0, put(TRACING "events/kmem/kmalloc/enable", "0"));
	EXPECT_EQ(0, ret);
	EXPECT_EQ(2, logged_allocations(&waiting));
	EXPECT_EQ(0, waiting);
}

struct creation {
	int device;
	__u32 flags, overflow;
	int signal;
};

static int create(void *arg)
{
	struct vcpc_request requests[2] = { page_faults, task_clock };
	struct vcpc_set_create_args args = create_args(requests, 2);
	const struct creation *c = arg;
	int set;

	requests[0].flags |= c->overflow;
	args.flags = c->flags;
	args.signal = c->signal;
	set = call(c->device, VCPC_IOC_SET_CREATE, &args);
	if (set >= 0)
		close(set);
	return set;
}

TEST_F(failslab, set_create)
{
	struct creation kinds[] = {
		{ 0 },
		{ .overflow = VCPC_REQ_F_OVERFLOW, .signal = SIGURG },
		{ .overflow = VCPC_REQ_F_OVERFLOW },
	};
	unsigned int i;

	NEEDS_FAILSLAB();
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		kinds[i].device = self->device;
		EXPECT_GT(each_allocation(self->nth, create, &kinds[i]), 0);
	}
}

struct binding {
	int set;
	__u32 flags;
};

static int bind(void *arg)
{
	struct binding *b = arg;
	int ret = set_bind(b->set, b->flags);

	/* The set is bound after a success, but not after a failure. */
	if (set_own(b->set, VCPC_IOC_UNBIND) != (ret ? -EINVAL : 0))
		return -EPROTO;
	return ret;
}

TEST_F(failslab, bind)
{
	struct vcpc_request requests[2] = { page_faults, task_clock };
	struct binding b = { .set = set_create(self->device, requests, 2, 0) };

	NEEDS_FAILSLAB();
	ASSERT_GE(b.set, 0);
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
	b.flags = VCPC_BIND_F_INHERIT;
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
	b.flags = VCPC_BIND_F_ENABLE_ON_EXEC;
	EXPECT_GT(each_allocation(self->nth, bind, &b), 0);
}

/* Create a set whose flags and signal need additional events. */
static int watched_set(__u32 flags, int signal)
{
	struct vcpc_request requests[2] = { page_faults, overflowing(&page_faults, 1000) };

	return overflow_set(requests, 2, flags, signal);
}

static void bind_watched(struct __test_metadata *_metadata, int nth, int set)
{
	struct binding b = { .set = set };

	ASSERT_GE(b.set, 0);
	EXPECT_GT(each_allocation(nth, bind, &b), 0);
	b.flags = VCPC_BIND_F_INHERIT | VCPC_BIND_F_TRACE;
	EXPECT_GT(each_allocation(nth, bind, &b), 0);
	close(b.set);
}

TEST_F(failslab, bind_with_overflow)
{
	NEEDS_FAILSLAB();
	bind_watched(_metadata, self->nth, watched_set(0, SIGURG));
}

TEST_F(failslab, bind_with_hardware_overflow)
{
	struct vcpc_request request = overflowing(&cycles, 1ULL << 40);

	NEEDS_FAILSLAB();
	if (!hw_slots())
		SKIP(return, "no hardware counters");
	bind_watched(_metadata, self->nth, overflow_set(&request, 1, 0, SIGURG));
}

static int sample(void *arg)
{
	int set = *(int *)arg;
	struct room room;
	int ret = set_sample(set, 0, &room) ?: set_own(set, VCPC_IOC_DISABLE);

	return ret ?: set_own(set, VCPC_IOC_ENABLE);
}

/* Calls on a bound set do not allocate memory. */
TEST_F(failslab, sample_disable_enable)
{
	int set = set_of(&page_faults, 0);

	NEEDS_FAILSLAB();
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, each_allocation(self->nth, sample, &set));
}

static int restart(void *arg)
{
	int set = *(int *)arg, ret = set_own(set, VCPC_IOC_RESTART);

	return ret ?: is_frozen(set, 0) ? -EPROTO : 0;
}

TEST_F(failslab, restart)
{
	int set = watched_set(0, 0);

	NEEDS_FAILSLAB();
	ASSERT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, each_allocation(self->nth, restart, &set));
}

/* Bind the set and change a preset.  The first such change of an instance needs an allocation. */
static int bind_and_preset(void *arg)
{
	struct vcpc_preset_args args = { .size = sizeof(args), .preset = 77 };
	int set = *(int *)arg, ret = set_bind(set, 0);

	if (ret)
		return ret;
	ret = call(set, VCPC_IOC_PRESET, &args);
	if (set_own(set, VCPC_IOC_RESTART) || first_value(set, 0) != (ret ? 0 : 77))
		ret = -EPROTO;
	return set_own(set, VCPC_IOC_UNBIND) ?: ret;
}

TEST_F(failslab, preset)
{
	int set = set_of(&page_faults, 0);

	NEEDS_FAILSLAB();
	EXPECT_GT(each_allocation(self->nth, bind_and_preset, &set), 0);
}

static int sample_and_list(void *arg)
{
	struct vcpc_instance_info info[4];
	struct vcpc_instances_args args;
	struct room room;
	int set = *(int *)arg, ret = set_total(set, &room);

	return ret ?: set_instances(set, info, 4, &args);
}

TEST_F(failslab, total_and_list)
{
	int set = set_of(&page_faults, 0);

	NEEDS_FAILSLAB();
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT));
	EXPECT_GT(each_allocation(self->nth, sample_and_list, &set), 0);
}

/*
 * A new thread opens its instance before it enters user mode.  Parent and thread share a CPU, so
 * the thread does not run until the parent sleeps.  Before that, the parent selects which of the
 * thread's allocations fails.
 */
struct inheritor {
	volatile pid_t tid;
	volatile bool go;
};

static void *run_inheritor(void *arg)
{
	struct inheritor *h = arg;

	h->tid = own_tid();
	while (!h->go)
		sched_yield();
	touch(10);
	return NULL;
}

static int start_on_own_cpu(void)
{
	struct sched_param param = { .sched_priority = 1 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus) ?: sched_setscheduler(0, SCHED_FIFO, &param);
}

/* Open a file in the /proc directory of the next thread, by predicting the thread's ID. */
static int open_of_other(const char *name)
{
	pid_t tid = own_tid();
	char path[64];
	int fd = -1;

	while (fd < 0 && tid++ < own_tid() + 1000) {
		snprintf(path, sizeof(path), "/proc/self/task/%d/%s", tid, name);
		fd = open(path, O_RDWR | O_CLOEXEC);
	}
	return fd;
}

/*
 * Start a thread whose @n-th allocation fails, or none if @n is 0.  Return 1 if an allocation
 * failed, 0 if none did, or -1 if this could not be tried.
 */
static int start_inheritor(int n)
{
	struct inheritor h = { 0 };
	pthread_t thread;
	int fd, failed;

	if (pthread_create(&thread, NULL, run_inheritor, &h))
		return -1;
	fd = open_of_other(n ? "fail-nth" : "make-it-fail");
	if (fd < 0 || h.tid || fail_nth(fd, n ? n : 1))
		return -1;
	while (!h.tid)
		usleep(1000);
	failed = !n || has_failed(fd);
	fail_nth(fd, 0);
	close(fd);
	h.go = true;
	pthread_join(thread, NULL);
	return failed;
}

/* Return the total of a set with a thread of start_inheritor(), including its page faults. */
static int total_with_inheritor(int n, int *failed, int *lost)
{
	int set = watched_set(0, 0), ret;
	struct room room;
	__u64 own;

	if (set_bind(set, VCPC_BIND_F_INHERIT))
		return -EPROTO;
	*failed = start_inheritor(n);
	ret = *failed < 0 ? -EPROTO : set_total(set, &room);
	own = first_value(set, own_tid());
	if (!ret && room.sample.values[0] < own + 10)
		ret = -EPROTO;
	*lost = set_count(set).lost;
	close(set);
	return ret;
}

/* After -ENOMEM, the thread tries to open its instance once more. */
TEST_F(failslab, inherited_instances_allocate_again)
{
	int n, failed = 1, lost;

	NEEDS_FAILSLAB();
	touch(1);
	ASSERT_EQ(0, start_on_own_cpu());
	for (n = 1; failed && n < ENOUGH; n++) {
		ASSERT_EQ(0, total_with_inheritor(n, &failed, &lost));
		ASSERT_EQ(0, lost);
	}
	EXPECT_EQ(0, failed);
	/* There must be at least this many, for the events, the overflow event and the instance. */
	EXPECT_GT(n, 6);
	TH_LOG("%d allocations", n - 2);
}

/*
 * If the instance of a thread cannot be created, totals fail because they would be incomplete, and
 * the next thread gets an instance.
 */
TEST_F(failslab, an_inherited_instance_without_memory_is_known)
{
	int failed, lost;

	NEEDS_FAILSLAB();
	touch(1);
	ASSERT_EQ(0, start_on_own_cpu());
	ASSERT_EQ(0, put(FAILSLAB "task-filter", "Y"));
	ASSERT_EQ(0, put(FAILSLAB "times", "-1"));
	ASSERT_EQ(0, put(FAILSLAB "probability", "100"));
	EXPECT_EQ(-EAGAIN, total_with_inheritor(0, &failed, &lost));
	EXPECT_EQ(1, lost);
	ASSERT_EQ(0, put(FAILSLAB "probability", "0"));
	EXPECT_EQ(0, total_with_inheritor(ENOUGH, &failed, &lost));
	EXPECT_EQ(0, lost);
}

static int tag_and_begin(void *arg)
{
	struct vcpc_trace_tag_args tag = { .size = sizeof(tag), .name_len = 13 };
	struct vcpc_trace_write begin = { .op = VCPC_TRACE_BEGIN };
	int device = *(int *)arg;
	char name[16];
	int ret;

	/* Use a new name each time, because a known name needs no allocation. */
	snprintf(name, sizeof(name), "vcpc-fail-%03d", rand() % 1000);
	tag.name = pointer(name);
	ret = call(device, VCPC_IOC_TRACE_TAG, &tag);
	begin.handle = tag.handle;
	return ret ?: write(device, &begin, sizeof(begin)) == sizeof(begin) ? 0 : -errno;
}

static int trace(void *arg)
{
	int device = device_open(), ret;

	(void)arg;
	if (device < 0)
		return -errno;
	ret = tag_and_begin(&device);
	close(device);
	return ret;
}

TEST_F(failslab, trace)
{
	NEEDS_FAILSLAB();
	EXPECT_GT(each_allocation(self->nth, tag_and_begin, &self->device), 0);
	EXPECT_GT(each_allocation(self->nth, trace, NULL), 0);
}

TEST_HARNESS_MAIN
