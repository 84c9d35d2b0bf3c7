// SPDX-License-Identifier: GPL-2.0-or-later
/* Make the target of a cell enter its state, and check it after the call. */
#include <linux/seccomp.h>
#include <sys/ptrace.h>

#include "table.h"

#define STACK	(256 * 1024)

/* Run this after execve: print whether the program has privileges, and touch pages on command. */
static void speak(int hear, int say)
{
	char byte = status_number(getpid(), "CapPrm", "%llx") ? 'r' : 'n';

	while (write(say, &byte, 1) == 1 && read(hear, &byte, 1) == 1) {
		touch(PAGES);
		byte = 'd';
	}
	_exit(0);
}

__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--target"))
		speak(0, 1);
}

static struct shared *handler_shared;

static void count_signal(int sig)
{
	(void)sig;
	handler_shared->signals++;
}

static void *stays(void *arg)
{
	const struct cell *c = arg;

	c->shared->ready = true;
	while (!c->shared->leave)
		usleep(1000);
	_exit(0);
}

bool is_executing(enum state state)
{
	return state == EXECUTING || state == EXECUTING_SUID || state == EXECUTING_FCAP ||
	       state == EXECUTING_UNREADABLE;
}

bool dies_meanwhile(enum state state)
{
	return state == DYING || state == KILLED_IN_SIGNAL || state == KILLED_BY_SECCOMP;
}

/* Share memory with a vfork child until the test allows the child to continue. */
static void wait_in_vfork(const struct cell *c)
{
	pid_t pid = vfork();

	if (!pid) {
		c->shared->ready = true;
		while (!c->shared->leave)
			usleep(1000);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

/* Enter the state as far as the target can do this itself; bring_into_state() does the rest. */
static void be_target(const struct cell *c)
{
	pthread_t thread;

	switch (c->state) {
	case FROZEN:
		touch(NEAR * 2);
		break;
	case DEAD:
		c->shared->ready = true;
		_exit(0);
	case DEAD_LEADER:
		if (pthread_create(&thread, NULL, stays, (void *)c))
			_exit(21);
		syscall(SYS_exit, 0);
		break;
	case DYING:
		c->shared->ready = true;
		while (!c->shared->go)
			;
		_exit(0);
	case KILLED_BY_SECCOMP:
		c->shared->ready = true;
		while (!c->shared->go)
			;
		/* In strict mode, this call is not permitted and kills the target. */
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
		syscall(SYS_getppid);
		_exit(21);
	case IN_VFORK:
		wait_in_vfork(c);
		_exit(0);
	case EXECUTING:
	case EXECUTING_SUID:
	case EXECUTING_FCAP:
	case EXECUTING_UNREADABLE:
	case ENDED_ALIVE:
		c->shared->ready = true;
		while (!c->shared->go)
			;
		execl(c->program, c->program, "--target", NULL);
		_exit(22);
	default:
		break;
	}
	c->shared->ready = true;
	while (!c->shared->leave)
		if (c->state != RUNNING)
			usleep(1000);
	_exit(0);
}

static void target(const struct cell *c, const int to[2], const int from[2])
{
	struct sigaction sa = { .sa_handler = count_signal, .sa_flags = SA_RESTART };

	handler_shared = c->shared;
	run_on_cpu(1);
	if (sigaction(SIGUSR1, &sa, NULL) || become_user(NOBODY))
		_exit(23);
	dup2(to[0], 0);
	dup2(from[1], 1);
	close(to[1]);
	close(from[0]);
	if (set_bind(c->set, 0) ||
	    set_preset(c->set, 0, -(c->state == FROZEN ? NEAR : FAR)) ||
	    set_own(c->set, VCPC_IOC_RESTART))
		_exit(24);
	/* Close the target's copy of the descriptor, because only other processes must have it. */
	close(c->set);
	be_target(c);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

static bool is_frozen_by_cgroup(void)
{
	char text[64] = "";
	int fd = open(CGROUPS "/target/cgroup.events", O_RDONLY | O_CLOEXEC);
	bool frozen = fd >= 0 && read(fd, text, sizeof(text) - 1) > 0 && strstr(text, "frozen 1");

	close(fd);
	return frozen;
}

static int freeze(pid_t pid)
{
	char text[16];
	int tries;

	snprintf(text, sizeof(text), "%d", pid);
	if (write_file(CGROUPS "/target/cgroup.procs", text) ||
	    write_file(CGROUPS "/target/cgroup.freeze", "1"))
		return -EIO;
	for (tries = 0; tries < 5000 && !is_frozen_by_cgroup(); tries++)
		usleep(1000);
	return tries < 5000 ? 0 : -ETIME;
}

static bool says(const struct cell *c, char *byte)
{
	return read(c->hear, byte, 1) == 1;
}

/* As a tracer, stop the target when a signal is about to be delivered, and kill it there. */
static void kill_in_signal(const struct cell *c)
{
	int status;

	if (ptrace(PTRACE_SEIZE, c->pid, NULL, NULL) || kill(c->pid, SIGUSR2) ||
	    waitpid(c->pid, &status, __WALL) != c->pid || !WIFSTOPPED(status))
		_exit(1);
	c->shared->pid = c->pid;
	while (!c->shared->go)
		;
	kill(c->pid, SIGKILL);
	waitpid(c->pid, &status, __WALL);
	_exit(0);
}

static int start_tracer(struct cell *c)
{
	int tries;

	c->helper = fork();
	if (!c->helper)
		kill_in_signal(c);
	for (tries = 0; tries < 5000 && !c->shared->pid; tries++)
		usleep(1000);
	return tries < 5000 ? 0 : -ETIME;
}

/* Bring the target into a state that it cannot enter by itself. */
int bring_into_state(struct cell *c)
{
	char rights;

	__u64 limit = now() + 10 * SECOND;
	siginfo_t info;
	int status;

	while (!c->shared->ready) {
		if (now() > limit)
			return -ETIME;
		usleep(100);
	}
	switch (c->state) {
	case STOPPED:
		kill(c->pid, SIGSTOP);
		return waitpid(c->pid, &status, WUNTRACED) == c->pid ? 0 : -errno;
	case CGROUP_FROZEN:
		return freeze(c->pid);
	case DEAD:
		return waitid(P_PID, c->pid, &info, WEXITED | WNOWAIT) ? -errno : 0;
	case SLEEPING:
	case DEAD_LEADER:
	case IN_VFORK:
	case SHARES_MEMORY:
		usleep(10000);
		return 0;
	case KILLED_IN_SIGNAL:
		return start_tracer(c);
	case ENDED_ALIVE:
		c->shared->go = true;
		if (!says(c, &rights))
			return -ECHILD;
		c->shared->rights = rights;
		return 0;
	default:
		return 0;
	}
}

/* Check that the program is no longer counted if it has gained privileges or cannot be read. */
static const char *wrong_with_program(const struct cell *c)
{
	bool unreadable = c->state == EXECUTING_UNREADABLE || c->state == ENDED_ALIVE;
	struct room before = { 0 }, after = { 0 };
	char rights = c->shared->rights, byte;
	bool counted;

	if (!rights && !says(c, &rights))
		return "the program does not run";
	counted = c->deed != CLOSE && !set_sample(c->set, c->pid, &before);
	if (write(c->say, "x", 1) != 1 || !says(c, &byte) || byte != 'd')
		return "the program does not run on";
	if ((rights == 'r' || unreadable) && counted && !set_sample(c->set, c->pid, &after) &&
	    after.sample.values[0] != before.sample.values[0])
		return "it is counted after its end";
	/*
	 * A target gains no privileges while the caller traces it, but may gain them if the caller
	 * has exited.  Therefore do not require privileges of a tracer's target.
	 */
	if (rights != 'r' && (c->state == EXECUTING_SUID || c->state == EXECUTING_FCAP) &&
	    c->who != TRACER)
		return "the program has no privileges";
	return NULL;
}

static bool ended_as_it_should(const struct cell *c, int status)
{
	if (c->state == KILLED_IN_SIGNAL || c->state == KILLED_BY_SECCOMP)
		return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Check the target after the call.  Return NULL if it is correct, otherwise what is wrong. */
const char *wrong_with_target(const struct cell *c)
{
	const char *wrong = NULL;
	int status;

	if (c->state == CGROUP_FROZEN)
		write_file(CGROUPS "/target/cgroup.freeze", "0");
	if (c->state == STOPPED)
		kill(c->pid, SIGCONT);
	if (is_executing(c->state) || c->state == ENDED_ALIVE)
		wrong = wrong_with_program(c);
	c->shared->leave = true;
	close(c->say);
	if (waitpid(c->pid, &status, 0) != c->pid)
		return "it cannot be waited for";
	if (c->helper)
		waitpid(c->helper, NULL, 0);
	if (!ended_as_it_should(c, status))
		return WIFSIGNALED(status) ? "a signal killed it" : "it ended with another status";
	/* Only a target that an overflow has frozen must have received the signal. */
	if (c->shared->signals != (c->state == FROZEN))
		return wrong ?: "it was sent the signal, or was not";
	return wrong;
}

/* The target thread's ends of the pipes */
struct ends {
	const struct cell *cell;
	int to[2], from[2];
};

static int target_that_shares(void *arg)
{
	const struct ends *ends = arg;

	target(ends->cell, ends->to, ends->from);
	return 0;
}

/* Run a process that shares the target's memory.  It is not one of the target's threads. */
static void share_memory(struct ends *ends)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct shared *shared = ends->cell->shared;

	if (stack == MAP_FAILED)
		_exit(1);
	shared->pid = clone(target_that_shares, stack + STACK, CLONE_VM | CLONE_PARENT | SIGCHLD,
			    ends);
	while (!shared->leave)
		usleep(1000);
	_exit(0);
}

void start_target(struct cell *c)
{
	struct ends ends = { .cell = c };

	memset(c->shared, 0, sizeof(*c->shared));
	if (pipe2(ends.to, O_CLOEXEC) || pipe2(ends.from, O_CLOEXEC))
		abort();
	c->pid = fork();
	if (!c->pid && c->state == SHARES_MEMORY)
		share_memory(&ends);
	if (!c->pid)
		target(c, ends.to, ends.from);
	if (c->pid < 0)
		abort();
	if (c->state == SHARES_MEMORY) {
		c->helper = c->pid;
		while (!c->shared->pid)
			usleep(100);
		c->pid = c->shared->pid;
	}
	close(ends.to[0]);
	close(ends.from[1]);
	c->say = ends.to[1];
	c->hear = ends.from[0];
}
