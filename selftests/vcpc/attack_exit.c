// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If an overflow is handled late, while its thread is exiting, the module must not access the
 * thread.
 *
 * The attacker runs as an unprivileged user.  A thread's counter overflows when the thread exits,
 * while another thread holds the set's lock by computing totals over many instances, so the
 * overflow is handled late.  ATTACK_TRIES in the environment sets the number of threads.
 */
#include "attack.h"
#include "overflow.h"
#include "vcpc_test.h"

#define CROWD	200

static int signaled_threads;

static void count_signal(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_code == VCPC_SI_OVERFLOW)
		__atomic_fetch_add(&signaled_threads, 1, __ATOMIC_RELAXED);
}

/*
 * struct victim - a thread that exits
 * @set: the set that it binds to itself
 * @tid: its thread ID, once it has bound the set
 * @failed: one of its calls failed
 * @moment: when it exits
 */
struct victim {
	int set;
	volatile pid_t tid;
	bool failed;
	struct moment moment;
};

static void *lives_for_a_moment(void *arg)
{
	struct victim *v = arg;

	run_on_cpu(1);
	v->failed = set_bind(v->set, 0) || set_preset(v->set, 0, -v->moment.events);
	v->tid = own_tid();
	moment_wait(&v->moment, v->set);
	/* Exit without the C library's cleanup, which takes time. */
	syscall(SYS_exit, 0);
	return NULL;
}

/* Results of all attempts */
struct outcome {
	unsigned int early, late, signaled, lost, errors;
};

/* Find out from the final value whether the thread exited before or after the overflow. */
static void look_at(const struct victim *v, struct aim *aim, struct outcome *sum)
{
	struct room room;
	bool early;

	if (set_sample(v->set, v->tid, &room)) {
		sum->lost++;
		return;
	}
	early = room.sample.values[0] > 1ULL << 63;
	sum->early += early;
	sum->late += !early;
	aim_next(aim, early, USEC);
}

static void end_one(struct victim *v, struct aim *aim, struct outcome *sum)
{
	int signaled = __atomic_load_n(&signaled_threads, __ATOMIC_RELAXED);
	pthread_t thread;

	v->tid = 0;
	if (pthread_create(&thread, NULL, lives_for_a_moment, v))
		abort();
	if (moment_begin(&v->moment))
		abort();
	pthread_join(thread, NULL);
	moment_over(&v->moment);

	sum->errors += v->failed;
	sum->signaled += signaled != __atomic_load_n(&signaled_threads, __ATOMIC_RELAXED);
	look_at(v, aim, sum);
}

static int end_many(struct victim *v, struct holder *holder, unsigned long tries)
{
	struct aim aims[MOMENTS] = MOMENTS_AIMS;
	struct outcome sum = { 0 };
	unsigned long i;

	run_on_cpu(0);
	for (i = 0; i < tries; i++) {
		moment_choose(&v->moment, i % MOMENTS, &aims[i % MOMENTS], holder);
		end_one(v, &aims[i % MOMENTS], &sum);
	}
	remark("%lu exits: %u before the overflow, %u after it, %u signaled; "
	       "%u samples lost, %u calls failed",
	       tries, sum.early, sum.late, sum.signaled, sum.lost, sum.errors);
	if (sum.lost + sum.errors > tries / 10)
		return 5;
	/* If one of these is 0, overflow and exit never coincided. */
	return sum.early && sum.late ? 0 : 6;
}

static int attacks(void *arg)
{
	struct sigaction sa = { .sa_sigaction = count_signal, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct vcpc_request req = overflowing(&cycles, 0);
	struct holder *holder = shared_memory(sizeof(*holder));
	struct victim victim = { 0 };

	if (become_user(NOBODY) || sigaction(SIGUSR1, &sa, NULL))
		return 1;
	victim.set = overflow_set(&req, 1, 0, SIGUSR1);
	if (victim.set < 0)
		return 2;
	*holder = (struct holder) { .set = victim.set, .cpu = 2, .rests = true };
	/* The crowd's process exits when this one does. */
	if (start_crowd(holder, CROWD))
		return 3;
	return end_many(&victim, holder, *(unsigned long *)arg);
}

FIXTURE(exits) {
	mode_t mode;
};

FIXTURE_SETUP(exits)
{
	self->mode = device_mode(0666);
}

FIXTURE_TEARDOWN(exits)
{
	device_mode(self->mode);
}

TEST_F_TIMEOUT(exits, overflow_beside_exit, 100000)
{
	unsigned long tries = number("ATTACK_TRIES", 200);

	NEED_TWO_CPUS();
	if (!hw_slots())
		SKIP(return, "no hardware counters");
	EXPECT_EQ(0, in_child(attacks, &tries));
}

TEST_HARNESS_MAIN
