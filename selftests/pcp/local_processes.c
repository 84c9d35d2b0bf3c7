// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Count selected processes in local contexts.  Test how processes are selected, how users share
 * counters, and how counting recovers after a loss.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <shim/shim.h>
#include "kselftest_harness.h"
#include "local.h"

#define CHOSEN_PAGES	2000

/*
 * A process that has the selected command name and touches several new pages for each byte on @pipe
 */
struct chosen {
	pid_t pid;
	int pipe;
};

static void *rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* Start a process that has @threads idle threads in addition to its first thread. */
static struct chosen start_chosen_of(uid_t user, const char *command, int threads)
{
	struct chosen chosen = { .pid = -1 };
	int pipes[2], ready[2];
	char byte;

	if (pipe(pipes) || pipe(ready))
		return chosen;
	chosen.pid = fork();
	if (!chosen.pid) {
		if (user && setuid(user))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, command);
		close(pipes[1]);
		for (pthread_t thread; threads; threads--)
			if (pthread_create(&thread, NULL, rest, NULL))
				_exit(1);
		do {
			char *p = mmap(NULL, CHOSEN_PAGES * 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			/* Avoid huge pages, because a huge page causes only one fault. */
			madvise(p, CHOSEN_PAGES * 4096, MADV_NOHUGEPAGE);
			for (int i = 0; i < CHOSEN_PAGES; i++)
				p[i * 4096] = 1;
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
		} while (read(pipes[0], &byte, 1) == 1);
		_exit(0);
	}
	close(pipes[0]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		chosen.pid = -1;
	close(ready[0]);
	chosen.pipe = pipes[1];
	return chosen;
}

static struct chosen start_chosen(const char *command)
{
	return start_chosen_of(0, command, 0);
}

static void end_chosen(struct chosen chosen)
{
	close(chosen.pipe);
	kill(chosen.pid, SIGKILL);
	waitpid(chosen.pid, NULL, 0);
}

/* Return a process's value of a metric, or -1 if it has none. */
static long long value_for(const char *metric, pid_t pid)
{
	pmID pmid = find(metric);
	long long found = -1;
	pmResult *r;

	if (pmFetch(1, &pmid, &r))
		return -2;
	for (int i = 0; i < r->vset[0]->numval; i++) {
		pmAtomValue v;

		if (r->vset[0]->vlist[i].inst == pid &&
		    !pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[i], PM_TYPE_U64, &v,
				    PM_TYPE_U64))
			found = (long long)v.ull;
	}
	if (r->vset[0]->numval == PM_ERR_PERMISSION || r->vset[0]->numval == PM_ERR_AGAIN)
		found = -3;
	pmFreeResult(r);
	return found;
}

FIXTURE(processes) {
	char config[64];
	int handle;
};

FIXTURE_SETUP(processes)
{
	strcpy(self->config, "/tmp/vcpc-local-XXXXXX");
	close(mkstemp(self->config));
	write_config(self->config, "processes vcpc-chosen-* task-clock page-faults\n"
				   "cpus cpu-clock\n"
				   "processes vcpc-chosen-a context-switches page-faults # of one\n");
	setenv("VCPC_CONFIG", self->config, 1);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
}

FIXTURE_TEARDOWN(processes)
{
	pmDestroyContext(self->handle);
	unlink(self->config);
}

TEST_F(processes, have_metrics_with_texts)
{
	struct names names = { 0 };

	EXPECT_EQ(4, pmTraversePMNS_r("vcpc.process", see_name, &names));
	EXPECT_EQ(0, names.wrong);
	EXPECT_EQ(pmID_build(450, 7, 0), find("vcpc.process.cpu_time"));
	EXPECT_EQ(6, pmID_cluster(find("vcpc.process.count.page_faults")));
}

/*
 * Each process with the selected name has its own counts.  Processes with this name can start and
 * exit.
 */
TEST_F(processes, come_and_go)
{
	struct chosen a = start_chosen("vcpc-chosen-a"), b = start_chosen("vcpc-chosen-b"), c;
	struct chosen other = start_chosen("vcpc-other");
	long long before, after, of_b;
	char name[64], **names;
	int *insts;
	pmDesc desc;

	before = value_for("vcpc.process.count.page_faults", a.pid);
	if (before == -3)
		SKIP(return, "this machine's CPUs may not be counted");
	ASSERT_LE(0, before);
	of_b = value_for("vcpc.process.count.page_faults", b.pid);
	EXPECT_EQ(-1, value_for("vcpc.process.count.page_faults", other.pid));
	EXPECT_LE(0, value_for("vcpc.process.count.context_switches", a.pid));
	EXPECT_EQ(-1, value_for("vcpc.process.count.context_switches", b.pid));
	ASSERT_EQ(1, write(a.pipe, "x", 1));
	for (int i = 0; i < 400; i++) {
		after = value_for("vcpc.process.count.page_faults", a.pid);
		if (after >= before + CHOSEN_PAGES)
			break;
		usleep(10000);
	}
	EXPECT_LE(before + CHOSEN_PAGES, after);
	EXPECT_GT(of_b + CHOSEN_PAGES / 2, value_for("vcpc.process.count.page_faults", b.pid));
	EXPECT_LT(0, value_for("vcpc.process.cpu_time", a.pid));

	ASSERT_EQ(0, pmLookupDesc(find("vcpc.process.cpu_time"), &desc));
	ASSERT_EQ(2, pmGetInDom(desc.indom, &insts, &names));
	snprintf(name, sizeof(name), "%06d vcpc-chosen-%c", insts[0], insts[0] == a.pid ? 'a' : 'b');
	EXPECT_STREQ(name, names[0]);
	EXPECT_EQ(insts[1], pmLookupInDom(desc.indom, names[1]));
	free(insts);
	free(names);

	end_chosen(b);
	c = start_chosen("vcpc-chosen-\n\33");
	usleep(1100000);	/* /proc is searched once per second */
	EXPECT_EQ(-1, value_for("vcpc.process.count.page_faults", b.pid));
	EXPECT_LE(0, value_for("vcpc.process.count.page_faults", c.pid));
	EXPECT_LE(after, value_for("vcpc.process.count.page_faults", a.pid));
	ASSERT_EQ(2, pmGetInDom(desc.indom, &insts, &names));
	/* Control characters in a name are replaced. */
	snprintf(name, sizeof(name), "%06d vcpc-chosen-??", c.pid);
	EXPECT_STREQ(name, names[insts[0] == c.pid ? 0 : 1]);
	free(insts);
	free(names);
	end_chosen(a);
	end_chosen(c);
	end_chosen(other);
}

static int lowest_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

/*
 * perf needs descriptors for each thread.  The library leaves some descriptors to the program,
 * regardless of how many processes match.
 */
TEST_F(processes, leave_descriptors)
{
	struct chosen many = start_chosen_of(0, "vcpc-chosen-many", 25);
	struct chosen one = start_chosen("vcpc-chosen-one");
	struct rlimit before, few;

	ASSERT_LT(0, many.pid);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
	few = before;
	few.rlim_cur = (rlim_t)lowest_descriptor() + 100;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	for (int i = 0; i < 3; i++) {
		long long got = value_for("vcpc.process.count.page_faults", one.pid);

		if (got == -3)
			break;
		EXPECT_LE(0, got);
		EXPECT_GE((int)few.rlim_cur - 64, lowest_descriptor());
		usleep(1100000);
	}
	setrlimit(RLIMIT_NOFILE, &before);
	end_chosen(many);
	end_chosen(one);
}

#define STRANGER	1001	/* a user that starts many processes */
#define PLACES		256	/* maximum number of counted processes */
/* If there are too few descriptors, they are shared among the users whose processes are counted. */
TEST_F(processes, share_counters)
{
	struct chosen many, one, small;
	struct rlimit before, few;

	write_config(self->config, "processes vcpc-chosen-* page-faults\n");
	pmDestroyContext(self->handle);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	many = start_chosen_of(STRANGER, "vcpc-chosen-many", 25);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
	few = before;
	few.rlim_cur = (rlim_t)lowest_descriptor() + 64 + 35;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	if (value_for("vcpc.process.count.page_faults", many.pid) != -3) {
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", many.pid));
		one = start_chosen_of(0, "vcpc-chosen-one", 12);
		usleep(1100000);
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", one.pid));
		EXPECT_EQ(-1, value_for("vcpc.process.count.page_faults", many.pid));
		/* The remaining descriptors are used as well. */
		small = start_chosen_of(STRANGER, "vcpc-chosen-small", 1);
		usleep(1100000);
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", small.pid));
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", one.pid));
		end_chosen(one);
		end_chosen(small);
		one.pid = 0;
	} else {
		one.pid = -3;
	}
	setrlimit(RLIMIT_NOFILE, &before);
	end_chosen(many);
	if (one.pid == -3)
		SKIP(return, "this machine's CPUs may not be counted");
}

/* Start a process of @user that does nothing. */
static pid_t start_idle(uid_t user, const char *command)
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe(ready))
		return -1;
	pid = fork();
	if (!pid) {
		if (setuid(user))
			_exit(1);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, command);
		if (write(ready[1], "x", 1) != 1)
			_exit(1);
		rest(NULL);
	}
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		pid = -1;
	close(ready[0]);
	return pid;
}

static void end_idle(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/*
 * No user keeps all places.  The user with the most places loses some, but only to users that then
 * have no more places than that user.
 */
TEST_F(processes, share_places)
{
	pid_t all[PLACES + 1], late;
	char **names;
	int *insts;
	pmDesc desc;
	bool may;

	write_config(self->config, "processes vcpc-chosen-* page-faults\n");
	pmDestroyContext(self->handle);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	for (int i = 0; i < PLACES; i++)
		ASSERT_LT(0, all[i] = start_idle(STRANGER, "vcpc-chosen-fill"));
	may = value_for("vcpc.process.count.page_faults", all[0]) != -3;
	/*
	 * Read these values before more processes start, because on a slow machine each fetch may
	 * search for processes.
	 */
	if (may) {
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", all[0]));
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", all[PLACES - 1]));
	}
	all[PLACES] = start_idle(STRANGER, "vcpc-chosen-more");
	late = start_idle(0, "vcpc-chosen-late");
	if (may) {
		usleep(1100000);
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", late));
		EXPECT_EQ(-1, value_for("vcpc.process.count.page_faults", all[PLACES]));
		EXPECT_LE(0, value_for("vcpc.process.count.page_faults", all[0]));
		ASSERT_EQ(0, pmLookupDesc(find("vcpc.process.count.page_faults"), &desc));
		EXPECT_EQ(PLACES, pmGetInDom(desc.indom, &insts, &names));
		free(insts);
		free(names);
	}
	end_idle(late);
	for (int i = 0; i <= PLACES; i++)
		end_idle(all[i]);
	if (!may)
		SKIP(return, "this machine's CPUs may not be counted");
}

/*
 * A forked child counts processes itself.  The parent's counting continues, even after the child
 * has exited.
 */
TEST_F(processes, in_a_forked_child)
{
	struct chosen a = start_chosen("vcpc-chosen-a"), late;
	long long before = value_for("vcpc.process.count.page_faults", a.pid);
	int down[2], up[2], status;
	pid_t child;
	char byte;

	if (before == -3)
		SKIP(return, "this machine's CPUs may not be counted");
	ASSERT_LE(0, before);
	ASSERT_EQ(0, pipe(down) | pipe(up));
	child = fork();
	if (!child) {
		if (value_for("vcpc.process.count.page_faults", a.pid) < 0 || write(up[1], "x", 1) != 1)
			_exit(1);
		/* The child is the first to find the new process. */
		if (read(down[0], &late.pid, sizeof(late.pid)) != sizeof(late.pid))
			_exit(2);
		usleep(1100000);
		_exit(value_for("vcpc.process.count.page_faults", late.pid) < 0 ? 3 : 0);
	}
	close(up[1]);
	ASSERT_EQ(1, read(up[0], &byte, 1));
	late = start_chosen("vcpc-chosen-late");
	ASSERT_EQ((ssize_t)sizeof(late.pid), write(down[1], &late.pid, sizeof(late.pid)));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LE(0, value_for("vcpc.process.count.page_faults", late.pid));
	ASSERT_EQ(1, write(a.pipe, "x", 1));
	for (int i = 0; i < 400 && value_for("vcpc.process.count.page_faults", a.pid) < before + CHOSEN_PAGES; i++)
		usleep(10000);
	EXPECT_LE(before + CHOSEN_PAGES, value_for("vcpc.process.count.page_faults", a.pid));
	close(up[0]);
	close(down[0]);
	close(down[1]);
	end_chosen(a);
	end_chosen(late);
}

/* perf can count processes and CPUs while a thread counts with its own set. */
TEST_F(processes, cpus_and_threads_count_too)
{
	const char *const events[] = { "cycles" };
	struct shim_handle *handle = NULL;
	struct shim_set *set = NULL;
	struct shim_sample sample;
	struct chosen a = start_chosen("vcpc-chosen-a");
	const char *why = NULL;
	unsigned int bad;

	write_config(self->config, "cpus cycles\nprocesses vcpc-chosen-* cycles\n");
	pmDestroyContext(self->handle);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	if (shim_open(&handle) || shim_set_create(handle, events, 1, &bad, &set) || shim_set_bind(set, 0, 0))
		why = "needs hardware counters";
	else if (value_for("vcpc.process.count.cycles", a.pid) < 0)
		why = "cycles are not counted in processes here";
	if (!why) {
		EXPECT_LE(0, value_for("vcpc.count.cycles", 0));
		EXPECT_LE(0, value_for("vcpc.process.count.cycles", a.pid));
		EXPECT_EQ(0, shim_set_sample(set, 0, &sample));
		EXPECT_LT(0, sample.values[0]);
	}
	if (handle)
		shim_close(handle);
	end_chosen(a);
	if (why)
		SKIP(return, "%s", why);
}

/* Invalid lines of a configuration are errors. */
TEST(processes_in_configurations)
{
	static const char *const wrong[] = {
		"processes\n", "processes init\n", "process init page-faults\n",
		"processes a page-faults page-faults\n", "cpus page-faults\ncpus page-faults\n",
	};
	char path[] = "/tmp/vcpc-local-XXXXXX";

	close(mkstemp(path));
	setenv("VCPC_CONFIG", path, 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		write_config(path, wrong[i]);
		EXPECT_EQ(PM_ERR_GENERIC, pmNewContext(PM_CONTEXT_LOCAL, NULL)) {
			TH_LOG("%s", wrong[i]);
		}
	}
	unlink(path);
}

TEST_HARNESS_MAIN
