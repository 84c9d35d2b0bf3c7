// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whoever has sets with groups pays for their rotation himself: a thread that has lowered its
 * priority takes no more of a CPU from another one with a hundred sets than with none.
 */
#include <poll.h>
#include <sys/resource.h>

#include "attack.h"
#include "groups.h"
#include "vcpc_test.h"

#define SETS		100
#define GROUPS		2
#define ROUNDS		3
#define ROUND		(SECOND / 5)
/* How long the neighbor may take to begin, and to die */
#define TO_BEGIN_MS	100000
#define TO_DIE		(100 * SECOND)
/* Where it is 1, each session is one task for the scheduler, whatever its threads' priorities. */
#define SESSIONS	"/proc/sys/kernel/sched_autogroup_enabled"
/* Per cent of what the bystander has beside a neighbor without sets */
#define AT_LEAST	90

/*
 * The neighbor, on the same CPU as the bystander, until it is killed: in a session of its own, as
 * another user's is, to which the scheduler may give half of the CPU
 */
static void be_in_the_way(bool with_sets, int niceness, int said)
{
	int i, set;

	run_on_cpu(0);
	if (setsid() < 0 || become_user(NOBODY) || setpriority(PRIO_PROCESS, 0, niceness))
		_exit(1);
	for (i = 0; with_sets && i < SETS; i++) {
		set = groups_set(&page_faults, GROUPS, 1, VCPC_SLOT_MIN, 0);
		if (set < 0 || set_bind(set, 0, 0))
			_exit(2);
	}
	if (write(said, "x", 1) != 1)
		_exit(3);
	for (;;)
		spin(1000000);
}

/* What the calling thread gets of its CPU in a round, in thousandths */
static unsigned int part_of_cpu(void)
{
	__u64 begun = now(), before = cpu_time();

	spin_until(begun + ROUND);
	return (cpu_time() - before) * 1000 / (now() - begun);
}

/* End the neighbor; false if it does not die although nothing keeps it from its CPU. */
static bool end(pid_t pid)
{
	__u64 limit = now() + TO_DIE;
	int status = 0;
	pid_t ret;

	kill(pid, SIGKILL);
	while (!(ret = waitpid(pid, &status, WNOHANG)) && now() < limit)
		usleep(10000);
	if (ret == pid && WIFEXITED(status))
		remark("the neighbor ended with status %d", WEXITSTATUS(status));
	return ret == pid && WIFSIGNALED(status);
}

/*
 * ... beside a neighbor; ~0 if there is none, or it cannot be killed.  That it does not come so
 * far as to say that it has begun is its own affair: it may have its hands full with its sets.
 */
static unsigned int part_beside(bool with_sets, int niceness)
{
	struct pollfd begun = { .events = POLLIN };
	unsigned int part;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = fork();
	if (!pid)
		be_in_the_way(with_sets, niceness, ends[1]);
	close(ends[1]);
	begun.fd = ends[0];
	if (poll(&begun, 1, TO_BEGIN_MS) == 0)
		remark("the neighbor has not begun in time");
	part = part_of_cpu();
	close(ends[0]);
	if (end(pid))
		return part;
	remark("the neighbor could not be killed");
	return ~0U;
}

/* Write one digit and give what was there, or 0 if there is no such file. */
static char exchange(const char *path, char value)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	char before = 0;

	if (fd < 0)
		return 0;
	if (pread(fd, &before, 1, 0) != 1 || pwrite(fd, &value, 1, 0) != 1)
		abort();
	close(fd);
	return before;
}

FIXTURE(bystander) {
	mode_t mode;
	char sessions;
};

FIXTURE_SETUP(bystander)
{
	self->mode = device_mode(0666);
	self->sessions = exchange(SESSIONS, '1');
}

FIXTURE_TEARDOWN(bystander)
{
	if (self->sessions)
		exchange(SESSIONS, self->sessions);
	device_mode(self->mode);
}

/* The part of the CPU that the bystander keeps, in per cent of what it has beside no sets */
static unsigned int kept(int niceness)
{
	unsigned int sum[2] = { 0, 0 }, part, i;

	run_on_cpu(0);
	for (i = 0; i < ROUNDS * 2; i++) {
		part = part_beside(i % 2, niceness);
		if (part == ~0U)
			return 0;
		sum[i % 2] += part;
	}
	remark("nice %d: of 1000 parts of the CPU %u beside a neighbor without sets, %u beside one with %d",
	       niceness, sum[0] / ROUNDS, sum[1] / ROUNDS, SETS);
	return sum[1] * 100 / sum[0];
}

/* A busy host takes the guest's CPUs away from one of the two, and from the end of the other. */
#define NEEDS_ITS_TIME()							\
	do {									\
		if (!getenv("VM_ICOUNT") && !getenv("ATTACK_ROUNDS"))		\
			SKIP(return, "time is not counted in instructions");	\
	} while (0)

TEST_F_TIMEOUT(bystander, of_a_nice_neighbor, 1200)
{
	NEEDS_ITS_TIME();
	EXPECT_LE(AT_LEAST, kept(19));
}

TEST_F_TIMEOUT(bystander, of_an_equal_neighbor, 1200)
{
	NEEDS_ITS_TIME();
	EXPECT_LE(AT_LEAST, kept(0));
}

TEST_HARNESS_MAIN
