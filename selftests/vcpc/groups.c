// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups that take turns: times, rounds, stops, and how a set of them is made. */
#include <pthread.h>
#include <sys/resource.h>

#include "cpu.h"
#include "groups.h"
#include "heirs.h"

static __u64 sum_of_ticks(const struct grouped *g, unsigned int groups)
{
	__u64 sum = 0;
	unsigned int i;

	for (i = 0; i < groups; i++)
		sum += g->group[i].tick;
	return sum;
}

TEST(slot_limits)
{
	static const struct {
		__u64 slot;
		int ok;
	} rows[] = {
		{ 0, 1 }, { 1, 0 }, { MS - 1, 0 }, { MS, 1 }, { 10 * MS, 1 }, { 100 * MS, 1 },
		{ 30000 * MS, 1 }, { 30000 * MS + 1, 0 }, { ~0ULL, 0 },
	};
	unsigned int i;
	int set;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		set = groups_set(&page_faults, 2, 1, rows[i].slot, 0);
		if (rows[i].ok) {
			EXPECT_GE(set, 0);
			close(set);
		} else {
			EXPECT_EQ(-EINVAL, set);
		}
	}
}

static int create(const unsigned int *groups, unsigned int nr, __u32 flags, __u64 slot, int *bad)
{
	struct vcpc_request requests[MAX_VALUES];
	struct vcpc_set_create_args args = create_args(requests, nr);
	int device = device_open();
	unsigned int i;
	int set;

	for (i = 0; i < nr; i++) {
		requests[i] = page_faults;
		requests[i].group = groups[i];
	}
	args.flags = flags;
	args.slot = slot;
	args.bad_request = -77;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	*bad = args.bad_request;
	close(device);
	if (set >= 0)
		close(set);
	return set < 0 ? set : 0;
}

TEST(order_of_groups)
{
	static const struct {
		unsigned int groups[4];
		int bad;
	} rows[] = {
		{ { 0, 0, 0, 0 }, -77 }, { { 0, 1, 2, 3 }, -77 }, { { 0, 0, 1, 1 }, -77 },
		{ { 1, 1, 1, 1 }, 0 }, { { 0, 2, 2, 2 }, 1 }, { { 0, 1, 0, 1 }, 2 },
		{ { 0, 1, 1, 3 }, 3 }, { { 0, 1, 2, ~0U }, 3 },
	};
	unsigned int i;
	int bad;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		EXPECT_EQ(rows[i].bad == -77 ? 0 : -EINVAL,
			  create(rows[i].groups, 4, VCPC_SET_F_GROUPS, 0, &bad));
		EXPECT_EQ(rows[i].bad, bad);
	}
}

TEST(not_without_the_flag)
{
	static const unsigned int none[2], two[2] = { 0, 1 };
	int bad;

	EXPECT_EQ(0, create(none, 2, 0, 0, &bad));
	EXPECT_EQ(-EINVAL, create(two, 2, 0, 0, &bad));
	EXPECT_EQ(1, bad);
	EXPECT_EQ(-EINVAL, create(none, 2, 0, 100 * MS, &bad));
	EXPECT_EQ(-1, bad);
}

TEST(buffer_holds_the_groups_too)
{
	int set = groups_set(&page_faults, 3, 2, 0, 0);
	size_t size = groups_size(6, 3);
	unsigned char bytes[512];
	struct vcpc_sample_args args = {
		.size = sizeof(args), .buf_size = size, .buf = pointer(bytes),
	};

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(size, read(set, bytes, sizeof(bytes)));
	EXPECT_EQ(size, read(set, bytes, size));
	EXPECT_EQ(-1, read(set, bytes, size - 1));
	memset(bytes, 0x5a, sizeof(bytes));
	EXPECT_EQ(0, call(set, VCPC_IOC_SAMPLE, &args));
	EXPECT_EQ(0x5a, bytes[size]);
	/* However long it says that it is, no more is written. */
	args.buf_size = ~0U;
	EXPECT_EQ(0, call(set, VCPC_IOC_SAMPLE, &args));
	EXPECT_EQ(0x5a, bytes[size]);
	args.buf_size = size - 1;
	EXPECT_EQ(-EINVAL, call(set, VCPC_IOC_SAMPLE, &args));
	args.buf_size++;
	args.buf = 8;
	EXPECT_EQ(-EFAULT, call(set, VCPC_IOC_SAMPLE, &args));
	close(set);
}

TEST(each_group_has_its_turn)
{
	int set = groups_set(&task_clock, 3, 1, 10 * MS, 0);
	struct grouped g;
	__u64 sum;
	int i;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, burn_rounds(set, 0, 3, 4, &g));
	sum = sum_of_ticks(&g, 3);
	EXPECT_TRUE(rounds_take_time(&g, 3, 10 * MS));
	EXPECT_GE(g.room.sample.tick, sum);
	/* Changing over takes a slow machine long. */
	EXPECT_GE(sum, share(g.room.sample.tick, 99, 50));
	for (i = 0; i < 3; i++) {
		EXPECT_EQ(g.group[0].rounds, g.group[i].rounds);
		EXPECT_EQ(0, g.group[i].voids);
		EXPECT_GE(g.group[i].tick, 30 * MS);
		/* An emulated machine's clocks drift apart. */
		EXPECT_GE(g.group[i].time, share(g.group[i].tick, 99, 50));
		/* What it counts is the very time that it counted. */
		EXPECT_GE(g.room.sample.values[i], share(g.group[i].tick, 99, 95));
		EXPECT_LE(g.room.sample.values[i], share(g.group[i].tick, 101, 105));
	}
	close(set);
}

TEST(a_turn_is_cpu_time)
{
	int set = groups_set(&task_clock, 2, 1, 300 * MS, 0), i;
	struct grouped g;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, set_bind(set, 0, 0));
	/* Asleep it does not get on. */
	usleep(300000);
	ASSERT_EQ(0, groups_sample(set, 0, 0, 2, &g));
	EXPECT_EQ(0, g.group[1].tick);
	EXPECT_EQ(0, g.group[0].rounds);
	EXPECT_GE(g.group[0].time, 300 * MS);
	EXPECT_LT(g.group[0].tick, 300 * MS);
	/* A busy host may keep the alarm of the turn's end from coming in time. */
	for (i = 0; i < 100 && !g.group[1].tick; i++) {
		burn(i ? 10 * MS : 330 * MS);
		ASSERT_EQ(0, groups_sample(set, 0, 0, 2, &g));
	}
	EXPECT_GT(g.group[1].tick, 0);
	EXPECT_TRUE(i == 1 || !getenv("VM_ICOUNT"));
	close(set);
}

TEST(stop_and_start_keep_the_turn)
{
	int set = groups_set(&task_clock, 2, 1, 100 * MS, VCPC_SET_F_DISABLED);
	__u64 before, at_most = 0;
	struct grouped g;
	int i;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, run_on(0));
	ASSERT_EQ(0, set_bind(set, 0, 0));
	/* Stretches far shorter than a slot, with work between them that is not counted. */
	for (i = 0; i < 16; i++) {
		before = cpu_time();
		ASSERT_EQ(0, set_target(set, VCPC_IOC_ENABLE, 0));
		burn(10 * MS);
		ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, 0));
		at_most += cpu_time() - before;
		burn(5 * MS);
		ASSERT_EQ(0, groups_sample(set, 0, 0, 2, &g));
		/* The host may take the CPU away between two looks at clocks, any number of times. */
		EXPECT_LE(g.room.sample.tick, share(at_most, 101, 200) + share(100 * MS, 1, 50));
		if (g.room.sample.tick < 98 * MS)
			EXPECT_EQ(0, g.group[1].tick);
	}
	EXPECT_EQ(0, g.room.sample.state);
	EXPECT_GE(g.room.sample.tick, share(160 * MS, 100, 60));
	EXPECT_GE(g.group[0].tick, share(100 * MS, 98, 50));
	EXPECT_GE(g.group[1].tick, share(100 * MS, 35, 5));
	EXPECT_GE(g.group[0].tick + g.group[1].tick, g.room.sample.tick * 9 / 10);
	close(set);
}

TEST(one_group_has_rounds_too)
{
	int set = groups_set(&task_clock, 1, 2, 10 * MS, 0);
	struct grouped g;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	ASSERT_EQ(0, burn_rounds(set, 0, 1, 5, &g));
	EXPECT_TRUE(rounds_take_time(&g, 1, 10 * MS));
	close(set);
}

TEST(unmeasured_is_told)
{
	struct vcpc_request with_preset = page_faults;
	struct grouped g;
	int set;

	with_preset.preset = 1000;
	set = groups_set(&with_preset, 4, 1, 1000 * MS, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(50);
	ASSERT_EQ(0, groups_sample(set, 0, 0, 4, &g));
	EXPECT_GE(g.room.sample.values[0], 1050);
	EXPECT_LE(g.room.sample.values[0], 1060);
	EXPECT_EQ(1000, g.room.sample.values[1]);
	EXPECT_EQ(0, g.group[1].tick);
	EXPECT_EQ(0, g.group[3].time);
	close(set);
}

/* In any order all have their turns, and none is more than a tenth off its slot. */
TEST(shuffled_rounds)
{
	static const unsigned int seeds[] = { 0, 1, 77 };
	struct vcpc_request requests[5];
	struct vcpc_set_create_args args = create_args(requests, 5);
	struct grouped g;
	int device = device_open(), i, set;

	ASSERT_EQ(0, run_on(0));
	for (i = 0; i < 5; i++) {
		requests[i] = task_clock;
		requests[i].group = i;
	}
	args.flags = VCPC_SET_F_GROUPS | VCPC_SET_F_SHUFFLE;
	args.slot = 10 * MS;
	for (i = 0; i < 3; i++) {
		args.seed = seeds[i];
		set = call(device, VCPC_IOC_SET_CREATE, &args);
		ASSERT_GE(set, 0);
		ASSERT_EQ(0, set_bind(set, 0, 0));
		ASSERT_EQ(0, burn_rounds(set, 0, 5, 4, &g));
		EXPECT_TRUE(rounds_take_time(&g, 5, 9 * MS));
		EXPECT_GE(sum_of_ticks(&g, 5), share(g.room.sample.tick, 99, 50));
		close(set);
	}
	close(device);
}

struct watch {
	pid_t tid;
	int set, failed;
	unsigned int looks;
	volatile bool stop;
};

/* From another thread: nothing ever goes back. */
static void *watch(void *arg)
{
	struct watch *w = arg;
	struct grouped last = { 0 }, g;
	int i;

	while (!w->stop) {
		if (groups_sample(w->set, 0, w->tid, 4, &g)) {
			w->failed = 1;
			break;
		}
		for (i = 0; i < 4; i++)
			if (g.room.sample.values[i] < last.room.sample.values[i] ||
			    g.group[i].tick < last.group[i].tick ||
			    g.group[i].time < last.group[i].time ||
			    g.group[i].rounds < last.group[i].rounds || g.group[i].voids)
				w->failed = 2;
		last = g;
		w->looks++;
		usleep(1000);
	}
	return NULL;
}

TEST(sampled_while_rotating)
{
	struct watch w = {
		.tid = own_tid(), .set = groups_set(&task_clock, 4, 2, 10 * MS, 0),
	};
	pthread_t thread;
	struct grouped g;

	ASSERT_GE(w.set, 0);
	ASSERT_EQ(0, set_bind(w.set, 0, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, watch, &w));
	EXPECT_EQ(0, burn_rounds(w.set, 0, 4, 4, &g));
	w.stop = true;
	pthread_join(thread, NULL);
	EXPECT_EQ(0, w.failed);
	EXPECT_GE(w.looks, 3);
	close(w.set);
}

static void *burns(void *arg UNUSED)
{
	burn(30 * MS);
	return NULL;
}

TEST(heirs_begin_with_other_groups)
{
	int set = groups_set(&task_clock, 3, 1, VCPC_SLOT_MAX, 0), i;
	pthread_t thread[2];
	struct grouped own, all;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&thread[i], NULL, burns, NULL));
	for (i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_join(thread[i], NULL));
	ASSERT_EQ(0, groups_sample(set, 0, own_tid(), 3, &own));
	ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_TOTAL, 0, 3, &all));
	/* All are in their first turns, itself in the first group's, each heir in another's. */
	EXPECT_EQ(0, own.group[1].tick);
	EXPECT_GE(all.group[1].tick, share(30 * MS, 97, 50));
	EXPECT_GE(all.group[2].tick, share(30 * MS, 97, 50));
	EXPECT_GE(all.group[0].tick, own.group[0].tick);
	EXPECT_GE(all.room.sample.values[2], share(30 * MS, 94, 50));
	close(set);
}

TEST(waits_for_exec)
{
	int set = groups_set(&task_clock, 2, 1, 10 * MS, 0);
	int pipes[2], status;
	struct rusage usage;
	struct grouped g;
	__u64 all;
	pid_t pid;
	char byte;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, pipe(pipes));
	pid = fork();
	if (!pid) {
		if (read(pipes[0], &byte, 1) != 1)
			_exit(1);
		burn(30 * MS);
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC, pid));
	ASSERT_EQ(1, write(pipes[1], "x", 1));
	ASSERT_EQ(pid, wait4(pid, &status, 0, &usage));
	all = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 * MS +
	      (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000ULL;
	ASSERT_EQ(0, groups_sample(set, 0, pid, 2, &g));
	EXPECT_TRUE(g.room.sample.state & VCPC_STATE_EXITED);
	EXPECT_GT(g.group[0].tick, 0);
	/* The 30 ms before are not in it. */
	EXPECT_LE(g.group[0].tick + g.group[1].tick + 29 * MS, all);
	EXPECT_GE(g.room.sample.tick, g.group[0].tick);
	close(set);
}

TEST(on_a_cpu_slots_are_wall_time)
{
	int set = groups_set(&page_faults, 2, 1, 10 * MS, 0);
	struct grouped g;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_CPU, 0));
	/* Nobody need run there. */
	usleep(205000);
	ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_CPU, 0, 2, &g));
	EXPECT_GE(g.group[0].rounds, 1);
	EXPECT_TRUE(rounds_take_time(&g, 2, 10 * MS));
	EXPECT_GE(g.room.sample.tick, 200 * MS);
	/* There changing over takes time, too, and an emulated CPU much of it. */
	EXPECT_GE(sum_of_ticks(&g, 2), share(g.room.sample.tick, 99, 25));
	EXPECT_LE(sum_of_ticks(&g, 2), g.room.sample.tick);
	close(set);
}

/* Each CPU rotates by itself; the total has their sums, but only the rounds that all have made. */
TEST(cpus_apart_and_together)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), cpu;
	int set = groups_set(&page_faults, 2, 1, 10 * MS, 0);
	struct grouped one, sum = { .group[0].rounds = ~0ULL }, total;
	unsigned int i;

	/* The first has some rounds before the others begin. */
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_CPU, cpu));
		usleep(100000);
	}
	ASSERT_EQ(0, set_all(set, VCPC_IOC_DISABLE, 0));
	for (cpu = 0; cpu < cpus; cpu++) {
		ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_CPU, cpu, 2, &one));
		EXPECT_LT(0, one.group[0].tick);
		if (one.group[0].rounds < sum.group[0].rounds)
			sum.group[0].rounds = one.group[0].rounds;
		for (i = 0; i < 2; i++) {
			sum.group[i].tick += one.group[i].tick;
			sum.group[i].time += one.group[i].time;
			sum.room.sample.values[i] += one.room.sample.values[i];
		}
	}
	ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_TOTAL, 0, 2, &total));
	for (i = 0; i < 2; i++) {
		EXPECT_EQ(sum.group[0].rounds, total.group[i].rounds);
		EXPECT_EQ(sum.group[i].tick, total.group[i].tick);
		EXPECT_EQ(sum.group[i].time, total.group[i].time);
		EXPECT_EQ(sum.room.sample.values[i], total.room.sample.values[i]);
	}
	close(set);
}

TEST_HARNESS_MAIN
