// SPDX-License-Identifier: GPL-2.0-or-later
/* Run the user's command under a set of counters, and wait for its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "vcpc.h"

static const int watched[] = { SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM };

/*
 * The child's report to its parent: first the result of binding the set, then, if execve(2) fails,
 * its error
 */
struct child_report {
	int err;
};

/* Write or read all of @size bytes.  Return 1, 0 at the end of the pipe, or -errno. */
static int move(int fd, void *data, size_t size, bool out)
{
	for (size_t done = 0; done < size; ) {
		char *at = (char *)data + done;
		ssize_t n = out ? write(fd, at, size - done) : read(fd, at, size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : 0;
		done += (size_t)n;
	}
	return 1;
}

static int bind_self(const struct vcpc_child *child, struct shim_set *set)
{
	return set ? shim_set_bind(set, 0, SHIM_BIND_ON_EXEC | SHIM_BIND_TREE | child->flags) : 0;
}

/*
 * Bind the set.  If perf does not support the caller's flags (counts in transactions), retry
 * without them.
 */
static int bind_child(const struct vcpc_child *child, struct shim_set *set)
{
	const unsigned int flags = SHIM_BIND_ON_EXEC | SHIM_BIND_TREE;
	int ret = shim_set_bind(set, child->pid, flags | child->flags);

	return ret == -EOPNOTSUPP && child->flags ? shim_set_bind(set, child->pid, flags) : ret;
}

/*
 * With the module, any child can bind the set to itself.  With perf, only the process that created
 * the set can bind it: the child then reports EOPNOTSUPP.  In both cases it executes the command
 * only after its parent has answered.
 */
static void become(struct vcpc_child *child, struct shim_set *set, char **argv, int report,
		   const int *answer)
{
	struct child_report message = { .err = bind_self(child, set) };
	char go;

	close(answer[1]);	/* close it, so read(2) returns when the parent exits */
	if (move(report, &message, sizeof(message), true) <= 0 ||
	    move(answer[0], &go, sizeof(go), false) <= 0)
		_exit(126);
	sigprocmask(SIG_SETMASK, &child->mask, NULL);
	signal(SIGCHLD, child->inherited);
	execvp(argv[0], argv);
	message.err = errno;
	_exit(move(report, &message, sizeof(message), true) < 0 ? 126 : 127);
}

/*
 * Return 1 if there was a report, 0 at the end of the pipe, which a successful execve(2) closes, or
 * -errno.
 */
static int next_report(int report, struct child_report *message)
{
	return move(report, message, sizeof(*message), false);
}

/* Ensure that the set is bound, and run the caller's preparations for the command. */
static int child_prepare(struct vcpc_child *child, struct shim_set *set, int report,
			 const char *command)
{
	struct child_report message = { .err = -ECHILD };

	if (next_report(report, &message) > 0 && message.err == -EOPNOTSUPP)
		message.err = bind_child(child, set);
	if (message.err)
		return vcpc_fail_counters(message.err, "cannot count '%s'", command);
	return child->ready ? child->ready(child->arg, child->pid) : 0;
}

static int refuse_command(const char *command, int err)
{
	vcpc_fail(0, "cannot run '%s': %s", command, strerror(err));
	return err == ENOENT ? VCPC_EXIT_NO_COMMAND : VCPC_EXIT_NOT_EXECUTABLE;
}

/* Return 0 if @path is a file that may be executed, otherwise an error number. */
static int check_file(const char *path)
{
	struct stat file;

	if (access(path, X_OK) || stat(path, &file))
		return errno;
	return S_ISREG(file.st_mode) ? 0 : EACCES;
}

/*
 * Find the command's file as execvp(3) does: a non-executable file does not hide one in a later
 * directory.  Return 0 or an error number.
 */
static int find_command(const char *command, char path[PATH_MAX])
{
	const char *folder = strchr(command, '/') ? "" : getenv("PATH");
	int err = ENOENT;

	if (!folder)
		folder = "/bin:/usr/bin";
	while (*command) {
		size_t n = strcspn(folder, ":");
		int one = ENAMETOOLONG;

		if (snprintf(path, PATH_MAX, "%.*s%s%s", (int)n, folder, n ? "/" : "", command) < PATH_MAX)
			one = check_file(path);
		if (!one)
			return 0;
		err = one == EACCES || strchr(command, '/') ? one : err;
		if (!folder[n])
			break;
		folder += n + 1;
	}
	return err;
}

/**
 * vcpc_child_check() - check that a command can be executed, before any changes are made for it
 * @command: its name, or its path
 * @path: its file
 *
 * Return: 0, or an exit status, after a message: 127 if the command does not exist, 126 if it
 * cannot be executed.
 */
int vcpc_child_check(const char *command, char path[PATH_MAX])
{
	int err = find_command(command, path);

	return err ? refuse_command(command, err) : 0;
}

/**
 * vcpc_child_ends_counting() - find out whether the kernel stops counting a process that executes a file
 * @path: the file
 *
 * It does if the process of this user gains privileges, or if the user may not read the file.
 */
bool vcpc_child_ends_counting(const char *path)
{
	struct stat st;

	if (access(path, R_OK))
		return true;
	return !stat(path, &st) &&
	       ((st.st_mode & S_ISUID && st.st_uid != geteuid()) ||
		(st.st_mode & S_ISGID && st.st_gid != getegid()) ||
		(geteuid() && getxattr(path, "security.capability", NULL, 0) > 0));
}

/*
 * Make the child execute the command.  Return 0, or the exit status that shells use for the
 * failure.
 */
static int child_release(int report, int answer, const char *command)
{
	struct child_report message;
	char go = 0;

	int err = move(answer, &go, sizeof(go), true);

	if (err > 0)
		err = next_report(report, &message);
	if (err < 0)
		return vcpc_fail(err, "cannot start '%s'", command);
	if (!err)
		return 0;
	return refuse_command(command, message.err);
}

/*
 * Prepare the child, and make it execute the command.  After a failure, closing @answer ends the
 * child.
 */
static int await_exec(struct vcpc_child *child, struct shim_set *set, int report, int *answer,
		      const char *command)
{
	int ret = child_prepare(child, set, report, command);

	if (!ret)
		ret = child_release(report, *answer, command);
	close(*answer);
	*answer = -1;
	if (ret)
		waitpid(child->pid, NULL, 0);
	return ret;
}

static int watch_signals(struct vcpc_child *child)
{
	sigset_t set;

	/* While SIGCHLD is ignored, the kernel discards exit statuses. */
	child->inherited = signal(SIGCHLD, SIG_DFL);
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
 * vcpc_child_start() - start a command that is counted from its first instruction
 * @child: for vcpc_child_wait(); the caller sets its @flags, @ready and @arg
 * @set: bound to the command and all processes it will start, or NULL
 * @argv: the command, ended by NULL
 *
 * Return: 0, or an exit status, after a message: 127 if the command does not exist, 126 if it
 * cannot be executed.
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
		become(child, set, argv, report[1], answer);
	close(report[1]);
	report[1] = -1;
	if (child->pid < 0)
		ret = vcpc_fail(errno, errno == EAGAIN ? "cannot start a process: the limit is reached (ulimit -u, or pids.max of the container)" :
							 "cannot start a process");
	else
		ret = await_exec(child, set, report[0], &answer[1], argv[0]);
	if (ret)
		unwatch_signals(child);
out:
	close(answer[0]);
	if (answer[1] >= 0)
		close(answer[1]);
	close(report[0]);
	if (report[1] >= 0)
		close(report[1]);
	return ret;
}

/*
 * Forward a signal to the command, unless the terminal sent it, in which case the command has
 * already received it.
 */
static void pass_on(struct vcpc_child *child, const struct signalfd_siginfo *info)
{
	if (info->ssi_signo != SIGCHLD && info->ssi_code != SI_KERNEL)
		kill(child->pid, info->ssi_signo);
}

/* Return whether the command has ended.  If so, set *@status to its exit status as in a shell. */
static int ended(struct vcpc_child *child, int *status)
{
	int raw;

	if (waitpid(child->pid, &raw, WNOHANG) != child->pid)
		return 0;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw) : 128 + WTERMSIG(raw);
	return 1;
}

static int open_timer(uint64_t delay, uint64_t interval)
{
	struct itimerspec spec = {
		.it_interval = { interval / 1000000000, interval % 1000000000 },
		.it_value = { delay / 1000000000, delay % 1000000000 },
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
 * @interval: nanoseconds between two calls to @tick; 0 for none
 * @tick: called at each interval; it is no longer called after its first nonzero result, but the
 *   command continues
 * @arg: argument of @tick
 *
 * Return: the command's exit status, or 128 + n if signal n ended it.  If the command succeeded but
 * the timer for @tick could not be created, return VCPC_EXIT_FAILURE after printing a message.
 */
int vcpc_child_wait(struct vcpc_child *child, uint64_t interval, vcpc_tick_fn *tick, void *arg)
{
	uint64_t first = child->delay ? child->delay : interval;
	struct pollfd fds[2] = {
		{ .fd = child->signals, .events = POLLIN },
		{ .fd = first ? open_timer(first, interval) : -1, .events = POLLIN },
	};
	int status = VCPC_EXIT_FAILURE, failed = 0;
	uint64_t expired;

	if (first && fds[1].fd < 0)
		failed = vcpc_fail(errno, "cannot create a timer; only the first and the last values are recorded");
	while (!ended(child, &status)) {
		if (poll(fds, 2, -1) < 0)
			continue;
		read_signals(child);
		if (fds[1].fd < 0 || read(fds[1].fd, &expired, sizeof(expired)) != sizeof(expired))
			continue;
		if (tick(arg, expired - 1)) {
			close(fds[1].fd);
			fds[1].fd = -1;
		}
	}
	if (fds[1].fd >= 0)
		close(fds[1].fd);
	unwatch_signals(child);
	return status ? status : failed;
}
