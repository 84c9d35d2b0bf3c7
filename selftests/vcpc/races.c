// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run all operations at the same time: sets are bound, sampled, enabled, disabled, unbound and
 * closed while their targets fork, exec, exit and migrate, CPUs go offline and online, and a
 * process tries to unload the module.  All results are as documented, and the sets still work
 * afterwards.
 *
 * RACES_SECONDS and RACES_SEED in the environment change the duration and the order.
 */
#include <pthread.h>

#include "inherited.h"
#include "races/acts.h"
#include "signaled.h"
#include "vcpc_test.h"

static const struct {
	const char *name;
	void (*fn)(struct actor *a);
	unsigned int weight;
} acts[] = {
	{ "bind", do_bind, 200 }, { "unbind", do_unbind, 80 }, { "turn", do_turn, 120 },
	{ "preset", do_preset, 60 },
	{ "sample", do_sample, 250 }, { "read", do_read, 100 }, { "list", do_list, 40 },
	{ "replace", do_replace, 40 }, { "target", do_target, 30 }, { "thread", do_thread, 30 },
	{ "move", do_move, 20 }, { "cpu", do_cpu, 6 }, { "unload", do_unload, 10 },
};
#define ACTS	(sizeof(acts) / sizeof(acts[0]))

static void *play(void *arg)
{
	struct actor *a = arg;
	unsigned int i, n, sum = 0;

	for (i = 0; i < ACTS; i++)
		sum += acts[i].weight;
	while (!stopped(a->world)) {
		n = below(a, sum);
		for (i = 0; n >= acts[i].weight; i++)
			n -= acts[i].weight;
		acts[i].fn(a);
		__atomic_fetch_add(&a->world->done[i], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static bool all_done(struct world *w)
{
	unsigned int i;

	for (i = 0; i < ACTS; i++)
		if (!__atomic_load_n(&w->done[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

FIXTURE(races) {
	struct world world;
	int device;
};

FIXTURE_SETUP(races)
{
	struct actor maker = { &self->world, 0, 1 };
	unsigned int i;

	catch_overflows();
	self->device = device_open();
	ASSERT_GE(self->device, 0);
	for (i = 0; i < SETS; i++)
		self->world.sets[i] = set_of(&page_faults, 0);
	for (i = 0; i < 20; i++)
		do_replace(&maker);
}

FIXTURE_TEARDOWN(races)
{
	close(self->device);
}

static bool left(int set)
{
	struct vcpc_instances_args args = set_count(set);

	return args.nr == ~0U || args.nr || args.pending;
}

TEST_F_TIMEOUT(races, all_at_once, 100000)
{
	unsigned long seconds = number("RACES_SECONDS", 4), seed = number("RACES_SEED", 1), again;
	struct actor actors[ACTORS];
	pthread_t threads[ACTORS];
	unsigned int i;

	TH_LOG("seed %lu, %lu s", seed, seconds);
	for (i = 0; i < ACTORS; i++) {
		actors[i] = (struct actor) { &self->world, i, seed * 64 + i };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, play, &actors[i]));
	}
	/* On slow machines, continue until each operation has been performed. */
	for (again = seconds; again || !all_done(&self->world); again -= !!again)
		sleep(1);
	__atomic_store_n(&self->world.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ACTORS; i++)
		pthread_join(threads[i], NULL);

	for (i = 0; i < ACTS; i++)
		TH_LOG("%s: %lu", acts[i].name, self->world.done[i]);
	EXPECT_EQ(0, self->world.wrong)
		TH_LOG("the first: %s", self->world.first_wrong);
	/* All sets must still work after the run. */
	for (i = 0; i < SETS; i++)
		set_unbind_all(self->world.sets[i]);
	for (i = 0; i < SETS; i++) {
		EXPECT_FALSE(left(self->world.sets[i]));
		EXPECT_EQ(0, set_bind(self->world.sets[i], 0));
		EXPECT_EQ(0, set_own(self->world.sets[i], VCPC_IOC_UNBIND));
		close(self->world.sets[i]);
	}
}

TEST_HARNESS_MAIN
