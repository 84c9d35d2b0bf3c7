// SPDX-License-Identifier: GPL-2.0-or-later
/* The module's parameter paranoid: what needs CAP_PERFMON at each level. */
#include <linux/capability.h>
#include <pthread.h>
#include <sys/ptrace.h>

#include "cpu.h"

#define PARAMETER	"/sys/module/vcpc/parameters/paranoid"
#define PERFS		"/proc/sys/kernel/perf_event_paranoid"

static int number_in(const char *path, const char *mode, int *value)
{
	FILE *f = fopen(path, mode);
	int n;

	if (!f)
		return -errno;
	n = *mode == 'r' ? fscanf(f, "%d", value) == 1 : fprintf(f, "%d\n", *value) > 0;
	return fclose(f) || !n ? -EIO : 0;
}

static int parameter(const char *mode, int *value)
{
	return number_in(PARAMETER, mode, value);
}

/* What is allowed, as bits */
enum { OWN_USER = 1, OWN_KERNEL = 2, SAME_USER = 4, OTHER_USER = 8, HIDDEN = 16, SIBLING = 32,
       A_CPU = 64 };

static pid_t start(uid_t uid, int dumpable)
{
	int pipes[2];
	char byte;
	pid_t pid;

	if (pipe(pipes))
		abort();
	pid = fork();
	if (!pid) {
		if (uid && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			    setresuid(uid, uid, uid)))
			abort();
		prctl(PR_SET_DUMPABLE, dumpable);
		if (write(pipes[1], "x", 1) == 1)
			pause();
		_exit(0);
	}
	if (read(pipes[0], &byte, 1) != 1)
		abort();
	close(pipes[0]);
	close(pipes[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void *binds_leader(void *arg)
{
	return (void *)(long)set_bind(*(int *)arg, 0, getpid());
}

static int binds_sibling(int set)
{
	pthread_t thread;
	void *ret;

	if (pthread_create(&thread, NULL, binds_leader, &set) || pthread_join(thread, &ret))
		abort();
	return (long)ret;
}

struct others {
	pid_t same, other, hidden;
};

static int what_is_allowed(const struct others *others)
{
	struct vcpc_request kernel = page_faults;
	int set, may = 0;

	kernel.flags |= VCPC_REQ_F_KERNEL;
	set = set_of(&kernel, 0);
	if (set >= 0 && !set_bind(set, 0, 0))
		may |= OWN_KERNEL;
	set = set_of(&page_faults, 0);
	if (set < 0)
		return may;
	may |= !set_bind(set, 0, others->same) ? SAME_USER : 0;
	may |= !set_bind(set, 0, others->other) ? OTHER_USER : 0;
	may |= !set_bind(set, 0, others->hidden) ? HIDDEN : 0;
	may |= !cpu_bind(set_of(&page_faults, 0), 0, 0) ? A_CPU : 0;
	may |= !binds_sibling(set) ? SIBLING : 0;
	set_target(set, VCPC_IOC_UNBIND, getpid());
	may |= !set_bind(set, 0, 0) ? OWN_USER : 0;
	return may;
}

static int what_nobody_may(void *arg)
{
	return become_nobody() ? 128 : what_is_allowed(arg);
}

FIXTURE(paranoid)
{
	int before, perfs;
	struct others others;
};

FIXTURE_SETUP(paranoid)
{
	ASSERT_EQ(0, parameter("r", &self->before));
	ASSERT_EQ(0, number_in(PERFS, "r", &self->perfs));
	self->others.same = start(NOBODY, 1);
	self->others.other = start(NOBODY - 1, 1);
	self->others.hidden = start(NOBODY, 0);
}

FIXTURE_TEARDOWN(paranoid)
{
	parameter("w", &self->before);
	number_in(PERFS, "w", &self->perfs);
	end(self->others.same);
	end(self->others.other);
	end(self->others.hidden);
}

TEST_F(paranoid, is_two)
{
	EXPECT_EQ(2, self->before);
}

TEST_F(paranoid, levels)
{
	static const struct {
		int level, may;
	} levels[] = {
		{ 4, 0 },
		{ 3, 0 },
		{ 2, OWN_USER | SIBLING },
		{ 1, OWN_USER | SIBLING | OWN_KERNEL },
		{ 0, OWN_USER | SIBLING | OWN_KERNEL | A_CPU },
		{ -1, OWN_USER | SIBLING | OWN_KERNEL | A_CPU | SAME_USER },
		{ -2, OWN_USER | SIBLING | OWN_KERNEL | A_CPU | SAME_USER },
	};
	int open = -1;
	size_t i;

	/* The sysctl allows everything. */
	ASSERT_EQ(0, number_in(PERFS, "w", &open));
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		int level = levels[i].level;

		ASSERT_EQ(0, parameter("w", &level));
		EXPECT_EQ(levels[i].may, in_child(what_nobody_may, &self->others)) {
			TH_LOG("at level %d", level);
		}
	}
}

/* The stricter of the two decides what goes beyond one's own threads in user mode. */
TEST_F(paranoid, the_sysctl_is_asked_too)
{
	static const struct {
		int sysctl, may;
	} levels[] = {
		{ 3, OWN_USER | SIBLING },
		{ 2, OWN_USER | SIBLING },
		{ 1, OWN_USER | SIBLING | OWN_KERNEL },
		{ 0, OWN_USER | SIBLING | OWN_KERNEL | A_CPU },
		{ -1, OWN_USER | SIBLING | OWN_KERNEL | A_CPU | SAME_USER },
	};
	int level = -1, sysctl;
	size_t i;

	ASSERT_EQ(0, parameter("w", &level));
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		sysctl = levels[i].sysctl;
		ASSERT_EQ(0, number_in(PERFS, "w", &sysctl));
		EXPECT_EQ(levels[i].may, in_child(what_nobody_may, &self->others)) {
			TH_LOG("at sysctl %d", sysctl);
		}
	}
}

#define ALL	(OWN_USER | SIBLING | OWN_KERNEL | A_CPU | SAME_USER | OTHER_USER | HIDDEN)

/* To have just these capabilities */
static int have_only(__u64 which)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	int i;

	for (i = 0; i < 2; i++) {
		data[i].effective = which >> 32 * i;
		data[i].permitted = which >> 32 * i;
		data[i].inheritable = 0;
	}
	return syscall(SYS_capset, &head, data) ? -errno : 0;
}

static int what_root_may(void *arg)
{
	return what_is_allowed(arg);
}

/* Nor with CAP_SYS_ADMIN, which the kernel takes for it */
static int what_root_may_without_it(void *arg)
{
	return have_only((1ULL << CAP_SYS_ADMIN) - 1) ? 128 : what_is_allowed(arg);
}

static int what_nobody_may_with_it(void *arg)
{
	if (prctl(PR_SET_KEEPCAPS, 1) || become_nobody() || have_only(1ULL << CAP_PERFMON))
		return 128;
	return what_is_allowed(arg);
}

/* It is that capability, and not who one is. */
TEST_F(paranoid, who_has_cap_perfmon_may_all)
{
	int level = 3;

	ASSERT_EQ(0, parameter("w", &level));
	EXPECT_EQ(ALL, in_child(what_root_may, &self->others));
	EXPECT_EQ(ALL, in_child(what_nobody_may_with_it, &self->others));
	EXPECT_EQ(0, in_child(what_root_may_without_it, &self->others));
	level = 2;
	ASSERT_EQ(0, parameter("w", &level));
	EXPECT_EQ(OWN_USER | SIBLING, in_child(what_root_may_without_it, &self->others));
}

/* Who traces a process may count it as its own; kernel mode is another matter. */
static int what_a_tracer_may(void *arg)
{
	const struct others *others = arg;
	struct vcpc_request kernel = page_faults;
	int set, status;

	if (become_nobody())
		return 128;
	kernel.flags |= VCPC_REQ_F_KERNEL;
	set = set_of(&page_faults, 0);
	if (set_bind(set, 0, others->same) != -EACCES)
		return 1;
	if (ptrace(PTRACE_SEIZE, others->same, NULL, NULL))
		return 2;
	if (set_bind(set, 0, others->same) || set_bind(set, 0, others->other) != -EACCES)
		return 3;
	if (set_of(&kernel, 0) != -EACCES)
		return 4;
	/* Let go, it is another's again. */
	set_target(set, VCPC_IOC_UNBIND, others->same);
	if (ptrace(PTRACE_INTERRUPT, others->same, NULL, NULL) ||
	    waitpid(others->same, &status, __WALL) != others->same ||
	    ptrace(PTRACE_DETACH, others->same, NULL, NULL))
		return 5;
	return set_bind(set, 0, others->same) == -EACCES ? 0 : 6;
}

TEST_F(paranoid, a_tracer_may_count_what_it_traces)
{
	EXPECT_EQ(0, in_child(what_a_tracer_may, &self->others));
}

static int binds_with_a_set(void *arg)
{
	if (become_nobody())
		return 128;
	return set_bind(*(int *)arg, 0, 0) == -EACCES ? 0 : 1;
}

/* A set that was made when more was allowed: asked again when it is bound */
TEST_F(paranoid, asked_again_at_bind)
{
	int set = set_of(&page_faults, 0);
	int level = 3;

	ASSERT_GE(set, 0);
	ASSERT_EQ(0, parameter("w", &level));
	EXPECT_EQ(0, in_child(binds_with_a_set, &set));
}

TEST_HARNESS_MAIN
