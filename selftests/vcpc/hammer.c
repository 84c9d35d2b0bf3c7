// SPDX-License-Identifier: GPL-2.0-or-later
/* If many threads use one set, all results are as documented, and nothing crashes. */
#include <pthread.h>
#include <time.h>

#include "accounts.h"
#include "vcpc_test.h"

#define THREADS		8
/* In a VM with -icount, fewer races are possible and guest time passes slowly. */
#define SECONDS		(getenv("VM_ICOUNT") ? 1 : 2)

struct hammer {
	int device, set;
	bool stop;
	pid_t tids[THREADS];
	unsigned long wrong;
};

static void expect(struct hammer *h, int ret, const int *allowed)
{
	for (; *allowed; allowed++)
		if (ret == *allowed)
			return;
	if (ret < 0)
		__atomic_fetch_add(&h->wrong, 1, __ATOMIC_RELAXED);
}

static bool stopped(struct hammer *h)
{
	return __atomic_load_n(&h->stop, __ATOMIC_RELAXED);
}

static const int bind_says[] = { -EBUSY, -ENOSPC, -EUSERS, 0 };
static const int other_says[] = { -EINVAL, -EAGAIN, -EBUSY, 0 };

static void *short_life(void *arg)
{
	struct hammer *h = arg;
	struct room room;
	int i;

	expect(h, set_bind(h->set, 0), bind_says);
	for (i = 0; i < 20; i++)
		expect(h, set_sample(h->set, 0, &room), other_says);
	if (own_tid() % 2)
		expect(h, set_own(h->set, VCPC_IOC_UNBIND), other_says);
	return NULL;
}

/* Start short-lived threads that bind the set.  Some of them do not unbind their instance. */
static void *comes_and_goes(void *arg)
{
	struct hammer *h = arg;
	pthread_t thread;

	while (!stopped(h))
		if (!pthread_create(&thread, NULL, short_life, h))
			pthread_join(thread, NULL);
	return NULL;
}

struct resident {
	struct hammer *h;
	int slot;
};

/* Use a long-lived thread's own instance, and sample those of other threads. */
static void *resident(void *arg)
{
	struct resident *r = arg;
	struct hammer *h = r->h;
	unsigned int seed = r->slot + 1;
	struct room room;
	pid_t other;

	__atomic_store_n(&h->tids[r->slot], own_tid(), __ATOMIC_RELAXED);
	while (!stopped(h)) {
		other = __atomic_load_n(&h->tids[rand_r(&seed) % THREADS], __ATOMIC_RELAXED);
		switch (rand_r(&seed) % 8) {
		case 0: expect(h, set_bind(h->set, 0), bind_says); break;
		case 1: expect(h, set_own(h->set, VCPC_IOC_RESTART), other_says); break;
		case 2: expect(h, set_own(h->set, VCPC_IOC_UNBIND), other_says); break;
		case 3: expect(h, set_own(h->set, VCPC_IOC_DISABLE), other_says); break;
		case 4: expect(h, set_own(h->set, VCPC_IOC_ENABLE), other_says); break;
		case 5: expect(h, set_sample(h->set, other, &room), other_says); break;
		default: expect(h, set_sample(h->set, 0, &room), other_says); break;
		}
	}
	return NULL;
}

static unsigned long run(const struct vcpc_request *requests, unsigned int nr)
{
	struct hammer h = { 0 };
	struct resident residents[THREADS];
	pthread_t threads[THREADS], goer;
	int i;

	h.device = device_open();
	h.set = set_create(h.device, requests, nr, 0);
	if (h.set < 0)
		return 1000000;
	for (i = 0; i < THREADS; i++) {
		residents[i] = (struct resident) { &h, i };
		if (pthread_create(&threads[i], NULL, resident, &residents[i]))
			abort();
	}
	if (pthread_create(&goer, NULL, comes_and_goes, &h))
		abort();
	sleep(SECONDS);
	__atomic_store_n(&h.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(goer, NULL);
	close(h.set);
	close(h.device);
	return h.wrong + !has_nothing_soon(0, 5000);
}

TEST(software_events)
{
	struct vcpc_request requests[3] = { page_faults, task_clock, page_faults };

	EXPECT_EQ(0, run(requests, 3));
}

TEST(hardware_events)
{
	struct vcpc_request requests[3] = { cycles, page_faults, cycles };

	if (hw_slots() < 2)
		SKIP(return, "fewer than two hardware counters");
	EXPECT_EQ(0, run(requests, 3));
}

/* Sample a set until its last user closes it. */
static void *samples_until_gone(void *arg)
{
	int set = *(int *)arg;
	struct room room;

	while (set_sample(set, 0, &room) != -EBADF)
		;
	return NULL;
}

TEST(closed_while_sampled)
{
	pthread_t threads[3];
	int i, t, set;

	for (i = 0; i < 50; i++) {
		set = set_of(&task_clock, 0);
		ASSERT_GE(set, 0);
		ASSERT_EQ(0, set_bind(set, 0));
		for (t = 0; t < 3; t++)
			ASSERT_EQ(0, pthread_create(&threads[t], NULL, samples_until_gone, &set));
		usleep(1000);
		close(set);
		for (t = 0; t < 3; t++)
			pthread_join(threads[t], NULL);
	}
}

FIXTURE(hammer) {
};

FIXTURE_SETUP(hammer)
{
}

FIXTURE_TEARDOWN(hammer)
{
}

/*
 * If a target is killed while it is sampled, its last values remain.  The test has a longer
 * timeout, because debug kernels and emulation are slow.
 */
TEST_F_TIMEOUT(hammer, target_dies_while_sampled, 1200)
{
	struct room room, last;
	int i, set, status, ret;
	pid_t pid;

	for (i = 0; i < 100; i++) {
		set = set_of(i % 2 && hw_slots() ? &cycles : &task_clock, 0);
		ASSERT_GE(set, 0);
		pid = fork();
		if (!pid) {
			if (set_bind(set, 0))
				_exit(1);
			spin(10000 + i * 1000);
			_exit(0);
		}
		memset(&last, 0, sizeof(last));
		do {
			ret = set_sample(set, 0, &room);
			/* The call fails only until the target has bound the set. */
			if (ret && !last.sample.nr) {
				ASSERT_EQ(-EINVAL, ret);
				continue;
			}
			ASSERT_EQ(0, ret);
			ASSERT_GE(room.sample.values[0], last.sample.values[0]);
			ASSERT_GE(room.sample.tick, last.sample.tick);
			last = room;
		} while (!(last.sample.state & VCPC_STATE_EXITED));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
		ASSERT_EQ(last.sample.values[0], first_value(set, pid));
		close(set);
	}
}

TEST_HARNESS_MAIN
