// SPDX-License-Identifier: GPL-2.0-or-later
/* Check that the synthetic PMUs have the counts, constraints and overflows that tests expect. */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "kselftest_harness.h"
#include "synthetic.h"

#define MOVES	1000

static volatile sig_atomic_t signals;

static void on_signal(int sig)
{
	(void)sig;
	signals++;
}

static int open_event(struct perf_event_attr *attr, int leader)
{
	attr->size = sizeof(*attr);
	return syscall(SYS_perf_event_open, attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

static int open_code(unsigned int type, unsigned long long config, int leader)
{
	struct perf_event_attr attr = { .type = type, .config = config };

	return open_event(&attr, leader);
}

static long long value_of(int fd)
{
	long long value = -1;

	return read(fd, &value, sizeof(value)) == sizeof(value) ? value : -1;
}

FIXTURE(pmu) {
	unsigned int core, atom;
};

FIXTURE_SETUP(pmu)
{
	if (!is_loaded())
		return;
	self->core = type_of(is_hybrid() ? "cpu_core" : "cpu");
	self->atom = is_hybrid() ? type_of("cpu_atom") : self->core;
	ASSERT_TRUE(move_to(0));
	ASSERT_TRUE(set_manual(true));
}

FIXTURE_TEARDOWN(pmu)
{
	if (is_loaded())
		set_manual(false);
}

#define NEED(what) do { if (!(what)) SKIP(return, "needs VM_PMU=hybrid"); } while (0)

TEST_F(pmu, counts_exactly)
{
	int fd, moves = 0;
	long long ticks[2] = { 0 };
	int atom;

	NEED(is_hybrid());
	fd = open_code(self->core, 0xc0, -1);
	atom = open_code(self->atom, 0xc0, -1);
	ASSERT_LE(0, fd);
	ASSERT_LE(0, atom);
	for (; moves < MOVES; moves++) {
		ASSERT_TRUE(move_to(moves % 2));
		ASSERT_TRUE(make_ticks(1000 + moves));
		ticks[moves % 2] += 1000 + moves;
	}
	EXPECT_EQ(ticks[0] * CORE_INSTRUCTIONS, value_of(fd));
	EXPECT_EQ(ticks[1] * ATOM_INSTRUCTIONS, value_of(atom));
	close(fd);
	close(atom);
}

/* Counts can exceed the width of a 48-bit counter. */
TEST_F(pmu, wraps)
{
	const unsigned long long ticks = 3ULL << 46;
	int fd;

	NEED(is_loaded());
	fd = open_code(self->core, 0x3c, -1);
	ASSERT_LE(0, fd);
	ASSERT_TRUE(make_ticks(ticks));
	EXPECT_EQ(ticks * CORE_CYCLES, value_of(fd));
	close(fd);
}

TEST_F(pmu, constraints)
{
	int lead, one, two;

	NEED(is_loaded());
	/* Branch misses need two programmable counters, and reference cycles a fixed one. */
	lead = open_code(self->core, 0xc5, -1);
	one = open_code(self->core, 0xc5, lead);
	ASSERT_LE(0, lead);
	ASSERT_LE(0, one);
	EXPECT_EQ(-1, open_code(self->core, 0xc5, lead));
	EXPECT_EQ(EINVAL, errno);
	two = open_code(self->core, 0x300, lead);
	EXPECT_LE(0, two);
	EXPECT_EQ(-1, open_code(self->core, 0x300, lead));
	EXPECT_EQ(-1, open_code(self->core, 0xff, -1));
	close(two);
	close(one);
	close(lead);
}

/* Each of a thousand overflows sends a signal. */
TEST_F(pmu, overflows)
{
	struct perf_event_attr attr = {
		.type = self->core, .config = 0x3c, .sample_period = CORE_CYCLES * 1000,
		.disabled = 1, .wakeup_events = 1,
	};
	int fd;

	NEED(is_loaded());
	signal(SIGIO, on_signal);
	fd = open_event(&attr, -1);
	ASSERT_LE(0, fd);
	ASSERT_EQ(0, fcntl(fd, F_SETOWN, getpid()));
	ASSERT_EQ(0, fcntl(fd, F_SETFL, O_ASYNC));
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_ENABLE, 0));
	signals = 0;
	for (int i = 0; i < 1000; i++)
		ASSERT_TRUE(make_ticks(1000));
	EXPECT_EQ(1000, signals);
	EXPECT_EQ(1000 * 1000 * CORE_CYCLES, value_of(fd));
	/* Repeat this with ticks that the clock generates at 4 GHz. */
	signals = 0;
	ASSERT_EQ(0, ioctl(fd, PERF_EVENT_IOC_PERIOD, &(uint64_t){ 4000000 }));
	ASSERT_TRUE(set_manual(false));
	usleep(1);
	for (volatile long i = 0; i < 300000000 && signals < 10; i++)
		;
	EXPECT_EQ(10, signals);
	close(fd);
}

TEST_F(pmu, groups_are_read_at_one_instant)
{
	struct perf_event_attr attr = {
		.type = self->core, .config = 0x3c, .read_format = PERF_FORMAT_GROUP,
	};
	uint64_t values[3];
	int lead, other;

	NEED(is_loaded());
	lead = open_event(&attr, -1);
	attr.config = 0xc0;
	ASSERT_LE(0, lead);
	other = open_event(&attr, lead);
	ASSERT_LE(0, other);
	ASSERT_EQ(0, ioctl(lead, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP));
	ASSERT_TRUE(set_manual(false));
	for (int i = 0; i < 1000; i++) {
		uint64_t before = i ? values[1] : 0;

		ASSERT_EQ(sizeof(values), (size_t)read(lead, values, sizeof(values)));
		if (i) {
			EXPECT_LT(before, values[1]);
		}
	}
	close(other);
	close(lead);
}

TEST_HARNESS_MAIN
