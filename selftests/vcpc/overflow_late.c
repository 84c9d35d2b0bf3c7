// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An overflow that occurs while the thread is being switched out is noticed, even if the thread
 * sleeps afterwards.
 *
 * Overflows are set to occur after an increasing number of cycles between a thread's wakeup and its
 * next sleep, so some occur in the scheduler, where interrupts are disabled. Overflows in the very
 * last instructions before the counters are disabled are noticed at the next context switch.
 * Another set, which only counts, shows the thread's progress.
 *
 * In a VM without -icount, the emulated cycle counter follows the host's time, and advances even
 * while the emulated CPU and the PMU's timer wait on a busy host. Therefore the test always checks
 * that an overflow is noticed, but checks the delay only in a VM with -icount.
 */
#include <pthread.h>
#include <sys/ioctl.h>

#include "overflow.h"
#include "vcpc_test.h"

#define STEPS	100

struct sleeper {
	int wake[2];
	pid_t tid;
	pthread_t thread;
	pthread_barrier_t ready;
	int set;	/* this set only counts */
	int watched;	/* this set overflows */
	__u64 after;	/* number of cycles until the overflow, or 0 for none */
	int ret;
};

/* Make the counter overflow after the given number of cycles. */
static int arm(const struct sleeper *s)
{
	return set_preset(s->watched, 0, -s->after) ?: set_own(s->watched, VCPC_IOC_RESTART);
}

/* Arm the counter, which only the thread itself can do, just before sleeping again. */
static void *sleeper(void *arg)
{
	struct sleeper *s = arg;
	char byte;

	s->tid = own_tid();
	s->ret = set_bind(s->set, 0) ?: set_bind(s->watched, 0);
	pthread_barrier_wait(&s->ready);
	while (read(s->wake[0], &byte, 1) == 1)
		if (s->after)
			s->ret = s->ret ?: arm(s);
	return NULL;
}

/* Return whether the thread sleeps: its state in /proc follows its name in parentheses. */
static bool is_asleep(const struct sleeper *s)
{
	char path[64], line[256];
	char *end;
	int left;
	FILE *f;

	if (ioctl(s->wake[0], FIONREAD, &left) || left)
		return false;
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", s->tid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		abort();
	fclose(f);
	end = strrchr(line, ')');
	return end && end[2] == 'S';
}

/* Wait until the thread sleeps.  Return its cycle count. */
static __u64 cycles_of(const struct sleeper *s)
{
	__u64 last = 0, now = first_value(s->set, s->tid);

	while (!is_asleep(s) || now != last) {
		usleep(1000);
		last = now;
		now = first_value(s->set, s->tid);
	}
	return now;
}

/* Wake the thread.  Return its cycle count when it sleeps again. */
static __u64 wake(const struct sleeper *s)
{
	__u64 before = cycles_of(s);

	if (write(s->wake[1], "", 1) != 1)
		abort();
	return cycles_of(s) - before;
}

static __u64 least_of(const struct sleeper *s)
{
	__u64 least = ~0ULL, now;
	int i;

	for (i = 0; i < 10; i++) {
		now = wake(s);
		if (now < least)
			least = now;
	}
	return least;
}

static int start_sleeper(struct sleeper *s, int set)
{
	struct vcpc_request req = cycles;

	req.flags |= VCPC_REQ_F_KERNEL;
	s->set = set_of(&req, 0);
	s->watched = set;
	if (pipe(s->wake) || pthread_barrier_init(&s->ready, NULL, 2) ||
	    pthread_create(&s->thread, NULL, sleeper, s))
		return -1;
	pthread_barrier_wait(&s->ready);
	return s->ret;
}

static void stop_sleeper(struct sleeper *s)
{
	close(s->wake[1]);
	pthread_join(s->thread, NULL);
	close(s->wake[0]);
	close(s->set);
}

TEST(a_sleeping_thread_is_signaled)
{
	struct vcpc_request req = overflowing(&cycles, 1ULL << 40);
	int set, signaled = 0, next_time = 0, lost = 0, i;
	bool exact = getenv("VM_ICOUNT");
	__u64 whole, after, got;
	struct sleeper s = { 0 };

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	req.flags |= VCPC_REQ_F_KERNEL;
	set = overflow_set(&req, 1, 0, 0);
	ASSERT_LE(0, set);
	ASSERT_EQ(0, start_sleeper(&s, set));
	cycles_of(&s);
	s.after = 1ULL << 40;
	whole = least_of(&s);
	for (i = 0; i < STEPS && lost < 3; i++) {
		after = whole / 40 + whole * i / STEPS * 4 / 5;
		s.after = after;
		wake(&s);
		s.after = 0;
		ASSERT_EQ(0, s.ret);
		got = first_value(set, s.tid);
		/* The counter did not overflow before the thread went to sleep. */
		if (got > 1ULL << 63)
			continue;
		signaled++;
		if (!is_frozen(set, s.tid)) {
			next_time++;
			got += wake(&s);
		}
		if (!is_frozen(set, s.tid)) {
			TH_LOG("not noticed: %llu of %llu cycles", after, got);
			lost++;
			continue;
		}
		if (exact)
			EXPECT_GT(after * 2 + whole, first_value(set, s.tid));
	}
	EXPECT_EQ(0, lost);
	EXPECT_LE(10, signaled);
	if (exact)
		EXPECT_GT(signaled, 4 * next_time);
	TH_LOG("%d overflows within %llu cycles, %d noticed at the next switch", signaled, whole,
	       next_time);
	stop_sleeper(&s);
	close(set);
}

TEST_HARNESS_MAIN
