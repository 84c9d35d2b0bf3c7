// SPDX-License-Identifier: GPL-2.0-or-later
/* A CPU that goes offline keeps its values, and counts on when it is back. */
#include "cpu.h"
#include "groups.h"

#define CPU	1

static int set_online(int on)
{
	char path[64];
	int fd, ok;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", CPU);
	fd = open(path, O_WRONLY);
	ok = fd >= 0 && write(fd, on ? "1" : "0", 1) == 1;
	close(fd);
	return ok ? 0 : -1;
}

/* It comes back a little later than the CPU does. */
static int sample_online(int set, struct room *room)
{
	int tries, ret = 0;

	for (tries = 0; tries < 1000; tries++) {
		ret = cpu_sample(set, CPU, room);
		if (ret || !(room->sample.state & VCPC_STATE_OFFLINE))
			break;
		usleep(10000);
	}
	return ret;
}

#define NEED_TWO()	do {						\
	if (sysconf(_SC_NPROCESSORS_CONF) < 2)				\
		SKIP(return, "there is only one CPU");			\
} while (0)

FIXTURE(offline) {
	int set;
};

FIXTURE_SETUP(offline)
{
	self->set = set_of(&cpu_clock, 0);
	ASSERT_GE(self->set, 0);
}

FIXTURE_TEARDOWN(offline)
{
	if (sysconf(_SC_NPROCESSORS_CONF) > 1)
		set_online(1);
	close(self->set);
}

TEST_F(offline, values_stay_and_go_on)
{
	struct room before, off, later, on;

	NEED_TWO();
	ASSERT_EQ(0, cpu_bind(self->set, 0, CPU));
	usleep(20000);
	ASSERT_EQ(0, cpu_sample(self->set, CPU, &before));
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, cpu_sample(self->set, CPU, &off));
	EXPECT_EQ(VCPC_STATE_OFFLINE | VCPC_STATE_COUNTING, off.sample.state);
	EXPECT_GE(off.sample.values[0], before.sample.values[0]);
	usleep(20000);
	ASSERT_EQ(0, cpu_sample(self->set, CPU, &later));
	EXPECT_EQ(off.sample.values[0], later.sample.values[0]);
	EXPECT_EQ(off.sample.tick, later.sample.tick);
	EXPECT_EQ(off.sample.time, later.sample.time);

	ASSERT_EQ(0, set_online(1));
	ASSERT_EQ(0, sample_online(self->set, &on));
	EXPECT_EQ(VCPC_STATE_COUNTING, on.sample.state);
	usleep(20000);
	ASSERT_EQ(0, cpu_sample(self->set, CPU, &later));
	EXPECT_GE(later.sample.values[0], off.sample.values[0] + 15000000);
	/* The time between is not in it. */
	EXPECT_LT(later.sample.values[0] - off.sample.values[0],
		  later.sample.time - off.sample.time);
	EXPECT_GE(later.sample.tick, off.sample.tick + 15000000);
}

/* What is counted there by whoever runs there */
static __u64 cycles_there(int set)
{
	struct room room;

	if (run_on(CPU))
		abort();
	spin(1000000);
	if (run_on(0) || cpu_sample(set, CPU, &room))
		return 0;
	return room.sample.values[0];
}

TEST_F(offline, hardware)
{
	struct room off, on;
	__u64 before;
	int set;

	NEED_TWO();
	if (!hw_slots())
		SKIP(return, "no hardware counters");
	set = set_of(&cycles, 0);
	ASSERT_EQ(0, cpu_bind(set, 0, CPU));
	before = cycles_there(set);
	EXPECT_LE(100000, before);
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, cpu_sample(set, CPU, &off));
	EXPECT_LE(before, off.sample.values[0]);
	ASSERT_EQ(0, set_online(1));
	ASSERT_EQ(0, sample_online(set, &on));
	EXPECT_EQ(VCPC_STATE_COUNTING, on.sample.state);
	EXPECT_LE(off.sample.values[0] + 100000, cycles_there(set));
	close(set);
}

static __u64 ticks(const struct grouped *g)
{
	return g->group[0].tick + g->group[1].tick;
}

/* Turns stand still while it is away, and go on with the next group. */
TEST_F(offline, groups)
{
	int set = groups_set(&cpu_clock, 2, 1, 10 * MS, 0), tries;
	struct grouped off, later;
	struct room room;

	NEED_TWO();
	ASSERT_EQ(0, cpu_bind(set, 0, CPU));
	usleep(50000);
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_CPU, CPU, 2, &off));
	EXPECT_TRUE(off.room.sample.state & VCPC_STATE_OFFLINE);
	EXPECT_LT(0, ticks(&off));
	usleep(50000);
	ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_CPU, CPU, 2, &later));
	EXPECT_EQ(0, memcmp(off.group, later.group, 2 * sizeof(off.group[0])));

	ASSERT_EQ(0, set_online(1));
	ASSERT_EQ(0, sample_online(set, &room));
	for (tries = 0; tries < 1000; tries++) {
		ASSERT_EQ(0, groups_sample(set, VCPC_SAMPLE_F_CPU, CPU, 2, &later));
		if (later.group[0].rounds >= off.group[0].rounds + 3)
			break;
		usleep(10000);
	}
	EXPECT_LE(off.group[0].rounds + 3, later.group[0].rounds);
	EXPECT_LT(off.group[0].tick, later.group[0].tick);
	EXPECT_LT(off.group[1].tick, later.group[1].tick);
	/* What was counted is of the time that its group had; none had the time between. */
	EXPECT_GE(later.room.sample.time - off.room.sample.time - 40 * MS,
		  ticks(&later) - ticks(&off));
	close(set);
}

TEST_F(offline, not_bound_while_it_is)
{
	NEED_TWO();
	ASSERT_EQ(0, set_online(0));
	EXPECT_EQ(-ENODEV, cpu_bind(self->set, 0, CPU));
	ASSERT_EQ(0, set_online(1));
	EXPECT_EQ(0, cpu_bind(self->set, 0, CPU));
}

TEST_F(offline, stopped_and_started_meanwhile)
{
	struct room off, on;

	NEED_TWO();
	ASSERT_EQ(0, cpu_bind(self->set, 0, CPU));
	ASSERT_EQ(0, set_online(0));
	ASSERT_EQ(0, cpu_target(self->set, VCPC_IOC_DISABLE, CPU));
	EXPECT_EQ(-EINVAL, cpu_target(self->set, VCPC_IOC_DISABLE, CPU));
	ASSERT_EQ(0, cpu_sample(self->set, CPU, &off));
	EXPECT_EQ(VCPC_STATE_OFFLINE, off.sample.state);
	ASSERT_EQ(0, set_online(1));
	ASSERT_EQ(0, sample_online(self->set, &on));
	EXPECT_EQ(0, on.sample.state);
	EXPECT_EQ(off.sample.values[0], on.sample.values[0]);
	ASSERT_EQ(0, cpu_target(self->set, VCPC_IOC_ENABLE, CPU));
	usleep(10000);
	ASSERT_EQ(0, cpu_sample(self->set, CPU, &on));
	EXPECT_GT(on.sample.values[0], off.sample.values[0]);
}

TEST_F(offline, closed_meanwhile)
{
	NEED_TWO();
	ASSERT_EQ(0, cpu_bind(self->set, 0, CPU));
	ASSERT_EQ(0, set_online(0));
	EXPECT_EQ(0, cpu_target(self->set, VCPC_IOC_UNBIND, CPU));
	ASSERT_EQ(0, set_online(1));
	EXPECT_EQ(0, cpu_bind(self->set, 0, CPU));
}

TEST_F(offline, off_and_on_many_times)
{
	struct room room;
	__u64 last = 0;
	int i;

	NEED_TWO();
	ASSERT_EQ(0, cpu_bind(self->set, 0, CPU));
	for (i = 0; i < 5; i++) {
		ASSERT_EQ(0, set_online(0));
		ASSERT_EQ(0, set_online(1));
		ASSERT_EQ(0, cpu_sample(self->set, CPU, &room));
		EXPECT_GE(room.sample.values[0], last);
		last = room.sample.values[0];
	}
}

#define SETS	60

/* So many that it takes a while to open them anew; each other one is stopped */
static int bind_sets(int *sets)
{
	struct vcpc_request requests[8];
	int device = device_open(), ret = 0, i;

	for (i = 0; i < 8; i++)
		requests[i] = cpu_clock;
	for (i = 0; i < SETS; i++) {
		sets[i] = set_create(device, requests, 8, i % 2 ? VCPC_SET_F_DISABLED : 0);
		ret |= sets[i] < 0 ? sets[i] : cpu_bind(sets[i], 0, CPU);
	}
	close(device);
	return ret;
}

static int count_on(int set, __u64 *last)
{
	struct room room;
	int ret = sample_online(set, &room);

	if (ret)
		return ret;
	if (room.sample.state & VCPC_STATE_OFFLINE || room.sample.values[7] < *last)
		return -1;
	*last = room.sample.values[7];
	return 0;
}

/* It goes off once more before its counters are back, or while they are being opened. */
TEST_F(offline, off_again_at_once)
{
	int sets[SETS], i, k, lost = 0, still = 0;
	__u64 last[SETS] = { 0 };

	NEED_TWO();
	ASSERT_EQ(0, bind_sets(sets));
	for (i = 0; i < 10; i++) {
		ASSERT_EQ(0, set_online(0));
		ASSERT_EQ(0, set_online(1));
		usleep(300 * i);
		ASSERT_EQ(0, set_online(0));
		ASSERT_EQ(0, set_online(1));
		for (k = 0; k < SETS; k++)
			lost += !!count_on(sets[k], &last[k]);
	}
	EXPECT_EQ(0, lost);
	for (k = 1; k < SETS; k += 2)
		EXPECT_EQ(0, cpu_target(sets[k], VCPC_IOC_ENABLE, CPU));
	usleep(20000);
	for (k = 0; k < SETS; k++) {
		__u64 before = last[k];

		still += count_on(sets[k], &last[k]) || last[k] == before;
		close(sets[k]);
	}
	EXPECT_EQ(0, still);
}

TEST_HARNESS_MAIN
