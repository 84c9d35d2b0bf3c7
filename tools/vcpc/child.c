// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs the user's command under a set of counters, and waits for its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vcpc.h"

static const int watched[] = { SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/* The child's report to its parent of what failed before it became the command */
struct failure {
	int binding;	/* otherwise it was execve */
	int err;
};

/*
 * With the module, any child can bind the set to itself.  With perf, only the process that made the
 * set can bind it: the child reports EOPNOTSUPP then, and waits until its parent has bound it.
 */
static int bind_self(const struct vcpc_child *child, struct shim_set *set, int report, int answer)
{
	struct failure failure = { .binding = 1 };
	int ret = shim_set_bind(set, 0, SHIM_BIND_ON_EXEC | SHIM_BIND_TREE | child->flags);

	if (ret != -EOPNOTSUPP)
		return ret;
	failure.err = ret;
	if (write(report, &failure, sizeof(failure)) < 0 ||
	    read(answer, &ret, sizeof(ret)) != sizeof(ret))
		_exit(126);
	return ret;
}

/* Bind the set; if perf cannot count along with transactions, do so without the caller's flags. */
static int bind_child(const struct vcpc_child *child, struct shim_set *set)
{
	const unsigned int flags = SHIM_BIND_ON_EXEC | SHIM_BIND_TREE;
	int ret = shim_set_bind(set, child->pid, flags | child->flags);

	return ret == -EOPNOTSUPP && child->flags ? shim_set_bind(set, child->pid, flags) : ret;
}

static void become(struct vcpc_child *child, struct shim_set *set, char **argv, int report,
		   int answer)
{
	struct failure failure = { .binding = 1 };

	failure.err = set ? bind_self(child, set, report, answer) : 0;
	if (!failure.err) {
		sigprocmask(SIG_SETMASK, &child->mask, NULL);
		execvp(argv[0], argv);
		failure = (struct failure) { .err = errno };
	}
	_exit(write(report, &failure, sizeof(failure)) < 0 ? 126 : 127);
}

/* 1 if there was a report, 0 at the end of the pipe, which a successful execve(2) closes */
static int next_report(int report, struct failure *failure)
{
	ssize_t n;

	do {
		n = read(report, failure, sizeof(*failure));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*failure);
}

static int await_exec(struct vcpc_child *child, struct shim_set *set, const int *pipes,
		      const char *command)
{
	struct failure failure;
	int failed = next_report(pipes[0], &failure);

	if (failed && failure.binding && failure.err == -EOPNOTSUPP) {
		int ret = bind_child(child, set);

		failed = write(pipes[1], &ret, sizeof(ret)) < 0 || next_report(pipes[0], &failure);
	}
	if (!failed)
		return 0;
	waitpid(child->pid, NULL, 0);
	if (failure.binding)
		return vcpc_fail_counters(failure.err, "cannot count '%s'", command);
	return vcpc_fail(0, "cannot run '%s': %s", command, strerror(failure.err));
}

static int watch_signals(struct vcpc_child *child)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(watched) / sizeof(watched[0]); i++)
		sigaddset(&set, watched[i]);
	child->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (child->signals < 0)
		return vcpc_fail(errno, "signalfd");
	sigprocmask(SIG_BLOCK, &set, &child->mask);
	return 0;
}

static void unwatch_signals(struct vcpc_child *child)
{
	close(child->signals);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
}

/**
 * vcpc_child_start() - start a command, counted from its first instruction on
 * @child: for vcpc_child_wait(); its @flags are the caller's
 * @set: bound to the command and all it will start, or NULL
 * @argv: the command, ended by NULL
 *
 * Return: 0, or an exit status, after a message.
 */
int vcpc_child_start(struct vcpc_child *child, struct shim_set *set, char **argv)
{
	int report[2], answer[2];
	int ret;

	if (pipe2(report, O_CLOEXEC))
		return vcpc_fail(errno, "pipe");
	if (pipe2(answer, O_CLOEXEC)) {
		ret = vcpc_fail(errno, "pipe");
		close(report[0]);
		close(report[1]);
		return ret;
	}
	ret = watch_signals(child);
	if (ret)
		goto out;
	child->pid = fork();
	if (!child->pid)
		become(child, set, argv, report[1], answer[0]);
	close(report[1]);
	report[1] = -1;
	if (child->pid < 0)
		ret = vcpc_fail(errno, "cannot start a process");
	else
		ret = await_exec(child, set, (int [2]){ report[0], answer[1] }, argv[0]);
	if (ret)
		unwatch_signals(child);
out:
	close(answer[0]);
	close(answer[1]);
	close(report[0]);
	if (report[1] >= 0)
		close(report[1]);
	return ret;
}

/* Forward a signal to the command, unless the terminal sent it: then the command got it already. */
static void pass_on(struct vcpc_child *child, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo != SIGCHLD && info->ssi_code != SI_KERNEL)
		kill(child->pid, info->ssi_signo);
}

/* Whether the command has ended; *status then is its exit status as a shell has it. */
static int ended(struct vcpc_child *child, int *status)
{
	int raw;

	if (waitpid(child->pid, &raw, WNOHANG) != child->pid)
		return 0;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
	return 1;
}

static int open_timer(uint64_t interval)
{
	struct itimerspec spec = {
		.it_interval = { interval / 1000000000, interval % 1000000000 },
		.it_value = { interval / 1000000000, interval % 1000000000 },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd >= 0 && timerfd_settime(fd, 0, &spec, NULL)) {
		close(fd);
		return -1;
	}
	return fd;
}

static void read_signals(struct vcpc_child *child)
{
	struct signalfd_siginfo info;

	while (read(child->signals, &info, sizeof(info)) == sizeof(info))
		pass_on(child, &info);
}

/**
 * vcpc_child_wait() - wait for the command's end
 * @child: started by vcpc_child_start()
 * @interval: nanoseconds between two calls of @tick; 0 for none
 * @tick: its first value that is not 0 ends the calls, not the command
 * @arg: for @tick
 *
 * Return: the command's exit status, 128 + n if signal n ended it.
 */
int vcpc_child_wait(struct vcpc_child *child, uint64_t interval, int (*tick)(void *arg), void *arg)
{
	struct pollfd fds[2] = {
		{ .fd = child->signals, .events = POLLIN },
		{ .fd = interval ? open_timer(interval) : -1, .events = POLLIN },
	};
	int status = VCPC_EXIT_FAILURE;
	uint64_t missed;

	if (interval && fds[1].fd < 0)
		vcpc_fail(errno, "no timer; only the first and the last values are taken");
	while (!ended(child, &status)) {
		if (poll(fds, 2, -1) < 0)
			continue;
		read_signals(child);
		if (fds[1].fd < 0 || read(fds[1].fd, &missed, sizeof(missed)) != sizeof(missed))
			continue;
		if (tick(arg)) {
			close(fds[1].fd);
			fds[1].fd = -1;
		}
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	unwatch_signals(child);
	return status;
}
