// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If the module is loaded and perf's pages are readable, perf counts a thread's own hardware events
 * and other targets, and the module counts inherited events.  Both return the same values.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/vcpc.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/shim.h"
#include "kselftest_harness.h"

#ifdef __aarch64__
#define USER_ACCESS	"/proc/sys/kernel/perf_user_access"
#else
#define USER_ACCESS	"/sys/bus/event_source/devices/cpu/rdpmc"
#endif
#define ROUNDS		100000

static int write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;

	close(fd);
	return ret;
}

static unsigned int hardware_counters(void)
{
	struct vcpc_info_args info = { .size = sizeof(info) };
	int fd = open("/dev/vcpc", O_RDWR | O_CLOEXEC);
	int ret = fd < 0 ? -1 : ioctl(fd, VCPC_IOC_INFO, &info);

	close(fd);
	return ret ? 0 : info.hw_slots;
}

FIXTURE(best) {
	const char *missing;
	struct shim_handle *handle;
	struct shim_set *set;
};

static struct shim_set *make(struct shim_handle *handle)
{
	const char *events[] = { "cycles:u", "instructions:u" };
	struct shim_set *set = NULL;

	shim_set_create(handle, events, 2, NULL, &set);
	return set;
}

FIXTURE_SETUP(best)
{
	if (!hardware_counters())
		self->missing = "no PMU counts here, or the module is not loaded";
	else if (write_to(USER_ACCESS, "1"))
		self->missing = "only root may let threads read their counters";
	else
		ASSERT_EQ(0, shim_open(&self->handle));
	if (self->handle) {
		self->set = make(self->handle);
		ASSERT_NE(NULL, self->set);
	}
}

FIXTURE_TEARDOWN(best)
{
	if (self->missing)
		return;
	shim_set_destroy(self->set);
	shim_close(self->handle);
	write_to(USER_ACCESS, "0");
}

#define UNLESS_MISSING() \
	do { if (self->missing) SKIP(return, "%s", self->missing); } while (0)

static void work(unsigned int rounds)
{
	for (unsigned int i = 0; i < rounds; i++)
		__asm__ volatile("" ::: "memory");
}

/*
 * Return the number of instructions of @rounds rounds, counted by a set that is bound to the
 * caller.
 */
static uint64_t instructions_of(struct shim_set *set, unsigned int rounds)
{
	struct shim_sample a, b;

	if (shim_set_sample(set, 0, &a))
		return 0;
	work(rounds);
	return shim_set_sample(set, 0, &b) ? 0 : b.values[1] - a.values[1];
}

TEST_F(best, who_counts)
{
	char why[SHIM_WHY_MAX];

	UNLESS_MISSING();
	EXPECT_STREQ("vcpc", shim_backend(self->handle));
	EXPECT_EQ(0, shim_backend_why(self->handle, why, sizeof(why)));
	EXPECT_NE(NULL, strstr(why, "through perf's mmap pages"));
	EXPECT_STREQ("vcpc", shim_set_backend(self->set));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_STREQ("perf", shim_set_backend(self->set));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, 0, SHIM_BIND_THREADS));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, getpid(), SHIM_BIND_PROCESS));
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	EXPECT_STREQ("vcpc", shim_set_backend(self->set));
	EXPECT_EQ(-EINVAL, shim_set_unbind(self->set, 0));
}

static const struct {
	const char *events[2];
	unsigned int flags;
	const char *by;
} rows[] = {
	{ { "cycles:u", "instructions:u" }, 0, "perf" },
	{ { "cycles:u", "page-faults:u" }, 0, "vcpc" },
	{ { "cycles:u", "instructions:u" }, SHIM_BIND_THREADS, "vcpc" },
	{ { "cycles:u", "instructions:u" }, SHIM_BIND_TREE, "vcpc" },
	{ { "cycles:u", "instructions:u" }, SHIM_BIND_TRACE, "vcpc" },
	{ { "cycles:u", "instructions:u" }, SHIM_BIND_PROCESS, "perf" },
	{ { "cycles:u", "instructions:u" }, SHIM_BIND_CPU, "perf" },
};

TEST_F(best, each_target_has_its_back_end)
{
	UNLESS_MISSING();
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const unsigned int flags = rows[i].flags;
		struct shim_sample sample;
		struct shim_set *set;

		ASSERT_EQ(0, shim_set_create(self->handle, rows[i].events, 2, NULL, &set));
		ASSERT_EQ(0, shim_set_bind(set, flags & SHIM_BIND_CPU ? 0 : getpid(), flags)) {
			TH_LOG("flags %#x", flags);
		}
		EXPECT_STREQ(rows[i].by, shim_set_backend(set)) {
			TH_LOG("flags %#x", flags);
		}
		work(ROUNDS);
		EXPECT_EQ(0, shim_set_total(set, 0, &sample));
		EXPECT_LT(0, sample.values[0]);
		shim_set_destroy(set);
	}
}

/* After the administrator has denied access to the pages, new sets use only the module. */
TEST_F(best, only_where_it_is_allowed)
{
	struct shim_set *set;

	UNLESS_MISSING();
	ASSERT_EQ(0, write_to(USER_ACCESS, "0"));
	set = make(self->handle);
	ASSERT_NE(NULL, set);
	EXPECT_EQ(0, shim_set_bind(set, 0, 0));
	EXPECT_STREQ("vcpc", shim_set_backend(set));
	EXPECT_LE(ROUNDS, instructions_of(set, ROUNDS));
	shim_set_destroy(set);
	/* A set that was created before tries perf first, and then uses the module. */
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_STREQ("vcpc", shim_set_backend(self->set));
	EXPECT_LE(ROUNDS, instructions_of(self->set, ROUNDS));
	ASSERT_EQ(0, write_to(USER_ACCESS, "1"));
}

/* The values equal the module's values for the same work.  Only the cost of reading differs. */
TEST_F(best, same_values)
{
	const char *events[] = { "cycles:u", "instructions:u", "page-faults:u" };
	struct shim_sample a, b;
	struct shim_set *beside;
	uint64_t by_perf;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_create(self->handle, events, 3, NULL, &beside));
	ASSERT_EQ(0, shim_set_bind(beside, 0, 0));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_STREQ("vcpc", shim_set_backend(beside));
	ASSERT_STREQ("perf", shim_set_backend(self->set));
	by_perf = instructions_of(self->set, 2 * ROUNDS) - instructions_of(self->set, ROUNDS);
	ASSERT_EQ(0, shim_set_sample(beside, 0, &a));
	instructions_of(self->set, ROUNDS);
	ASSERT_EQ(0, shim_set_sample(beside, 0, &b));
	EXPECT_LE(by_perf, b.values[1] - a.values[1]);
	EXPECT_GT(by_perf + 10000, b.values[1] - a.values[1]);
	shim_set_destroy(beside);
}

TEST_F(best, stops_and_goes_on)
{
	struct shim_sample a, b;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EINVAL, shim_set_enable(self->set, 0));
	ASSERT_EQ(0, shim_set_disable(self->set, 0));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &a));
	work(ROUNDS);
	ASSERT_EQ(0, shim_set_sample(self->set, gettid(), &b));
	EXPECT_EQ(a.values[1], b.values[1]);
	ASSERT_EQ(0, shim_set_enable(self->set, gettid()));
	EXPECT_LE(ROUNDS, instructions_of(self->set, ROUNDS));
}

struct other {
	pthread_t thread;
	pthread_barrier_t bound, done;
	struct shim_set *set;
	pid_t tid;
	int ret;
};

/* Bind the set to this thread, and work until the test requests the end. */
static void *bind_itself(void *arg)
{
	struct other *other = arg;

	other->tid = gettid();
	other->ret = shim_set_bind(other->set, 0, 0);
	work(ROUNDS);
	pthread_barrier_wait(&other->bound);
	pthread_barrier_wait(&other->done);
	return NULL;
}

/* Bind the set with inheritance, so that the module counts this thread. */
static void *binds_with_inheritance(void *arg)
{
	struct other *other = arg;

	other->tid = gettid();
	other->ret = shim_set_bind(other->set, 0, SHIM_BIND_THREADS);
	pthread_barrier_wait(&other->bound);
	pthread_barrier_wait(&other->done);
	work(ROUNDS);
	pthread_barrier_wait(&other->bound);
	pthread_barrier_wait(&other->done);
	return NULL;
}

static void start(struct other *other, struct shim_set *set, void *(*fn)(void *))
{
	other->set = set;
	pthread_barrier_init(&other->bound, NULL, 2);
	pthread_barrier_init(&other->done, NULL, 2);
	pthread_create(&other->thread, NULL, fn, other);
	pthread_barrier_wait(&other->bound);
}

static void end(struct other *other)
{
	pthread_barrier_wait(&other->done);
	pthread_join(other->thread, NULL);
}

/*
 * If each thread binds itself, perf counts each instance.  Other threads can read an instance, and
 * the total.
 */
TEST_F(best, threads_that_bind_themselves)
{
	struct shim_sample own, of_other, sum;
	struct other other;

	UNLESS_MISSING();
	start(&other, self->set, bind_itself);
	EXPECT_EQ(0, other.ret);
	/* A thread without an instance reads the only instance. */
	EXPECT_EQ(0, shim_set_sample(self->set, 0, &of_other));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	work(2 * ROUNDS);
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &own));
	ASSERT_EQ(0, shim_set_sample(self->set, other.tid, &of_other));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &sum));
	EXPECT_LE(2 * ROUNDS, own.values[1]);
	EXPECT_LE(ROUNDS, of_other.values[1]);
	EXPECT_LE(own.values[1] + of_other.values[1], sum.values[1]);
	EXPECT_STREQ("perf", shim_set_backend(self->set));
	end(&other);
}

static int count_one(void *arg, pid_t tid, const struct shim_sample *sample)
{
	(void)tid;
	(void)sample;
	++*(unsigned int *)arg;
	return 0;
}

/* If perf counts one instance of a set and the module counts another, operations find both. */
TEST_F(best, both_in_one_set)
{
	struct shim_sample own, of_other, sum;
	unsigned int n = 0;
	struct other other;

	UNLESS_MISSING();
	start(&other, self->set, binds_with_inheritance);
	ASSERT_EQ(0, other.ret);
	EXPECT_STREQ("vcpc", shim_set_backend(self->set));
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	EXPECT_EQ(-EBUSY, shim_set_bind(self->set, other.tid, 0));
	EXPECT_EQ(-EOPNOTSUPP, shim_set_disable(self->set, other.tid));
	EXPECT_STREQ("perf", shim_set_backend(self->set));
	pthread_barrier_wait(&other.done);
	pthread_barrier_wait(&other.bound);
	work(2 * ROUNDS);
	ASSERT_EQ(0, shim_set_sample(self->set, other.tid, &of_other));
	ASSERT_EQ(0, shim_set_sample(self->set, 0, &own));
	ASSERT_EQ(0, shim_set_total(self->set, 0, &sum));
	EXPECT_LE(2 * ROUNDS, own.values[1]);
	EXPECT_LE(ROUNDS, of_other.values[1]);
	EXPECT_GT(own.values[1], of_other.values[1]);
	EXPECT_LE(own.values[1] + of_other.values[1], sum.values[1]);
	EXPECT_EQ(SHIM_STATE_COUNTING, sum.state);
	EXPECT_EQ(0, shim_set_walk(self->set, count_one, &n));
	EXPECT_EQ(2, n);
	ASSERT_EQ(0, shim_set_unbind(self->set, 0));
	EXPECT_STREQ("vcpc", shim_set_backend(self->set));
	EXPECT_EQ(0, shim_set_sample(self->set, other.tid, &of_other));
	end(&other);
}

/* If a thread uses many sets in turn, each sample belongs to the right set. */
TEST_F(best, sets_in_turn)
{
	struct shim_set *sets[20];
	struct shim_sample before, after;

	UNLESS_MISSING();
	for (int i = 0; i < 20; i++) {
		sets[i] = make(self->handle);
		ASSERT_NE(NULL, sets[i]);
		ASSERT_EQ(0, shim_set_bind(sets[i], 0, 0));
		shim_set_disable(sets[i], 0);
	}
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, shim_set_enable(sets[i], 0));
		work(i * ROUNDS / 10);
		ASSERT_EQ(0, shim_set_disable(sets[i], 0));
	}
	for (int i = 1; i < 20; i++) {
		ASSERT_EQ(0, shim_set_sample(sets[i - 1], 0, &before));
		ASSERT_EQ(0, shim_set_sample(sets[i], 0, &after));
		EXPECT_LT(before.values[1] + ROUNDS / 20, after.values[1]);
		shim_set_destroy(sets[i - 1]);
	}
	shim_set_destroy(sets[19]);
}

/* If a child binds itself, the module counts the child, and the parent can read the values. */
TEST_F(best, forked_child)
{
	struct shim_sample sample;
	int ready[2], go[2];
	pid_t child;
	char c = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_set_bind(self->set, 0, 0));
	ASSERT_EQ(0, pipe(ready) | pipe(go));
	child = fork();
	if (!child) {
		if (shim_set_sample(self->set, 0, &sample) != -EINVAL)
			c = 1;
		if (!c && shim_set_bind(self->set, 0, 0))
			c = 2;
		work(ROUNDS);
		if (!c && shim_set_sample(self->set, 0, &sample))
			c = 3;
		if (!c && sample.values[1] < ROUNDS)
			c = 4;
		if (write(ready[1], &c, 1) != 1 || read(go[0], &c, 1) != 1)
			_exit(1);
		_exit(0);
	}
	ASSERT_EQ(1, read(ready[0], &c, 1));
	EXPECT_EQ(0, c);
	EXPECT_EQ(0, shim_set_sample(self->set, child, &sample));
	EXPECT_LE(ROUNDS, sample.values[1]);
	EXPECT_STREQ("perf", shim_set_backend(self->set));
	EXPECT_LE(ROUNDS, instructions_of(self->set, ROUNDS));
	ASSERT_EQ(1, write(go[1], "x", 1));
	waitpid(child, NULL, 0);
}

TEST_HARNESS_MAIN
