// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test one cell of the table in a process that becomes the cell's caller, makes the call, and
 * compares the result with the documented one.
 */
#include <sys/ptrace.h>
#include <sys/socket.h>

#include "table.h"

static int answer(int ret)
{
	switch (ret) {
	case 0:		return OK;
	case -EINVAL:	return INVAL;
	default:	return OTHER;
	}
}

/*
 * The results for any process that holds the descriptor, regardless of the target's state.  The
 * holder can read and close everything.  Calls on an instance fail, because the caller has none.
 */
static const int answers[DEEDS] = {
	[BIND] = OK,
	[SAMPLE] = OK,
	[TOTAL] = OK,
	[PRESET] = INVAL,
	[RESTART] = INVAL,
	[ENABLE] = INVAL,
	[DISABLE] = INVAL,
	[INSTANCES] = OK,
	[UNBIND] = INVAL,
	[UNBIND_ALL] = OK,
	[CLOSE] = OK,
};

int expected(const struct cell *c)
{
	/* The target's thread ID does not exist in the new namespace. */
	if (c->who == PID_NAMESPACE && c->deed == SAMPLE)
		return INVAL;
	return answers[c->deed];
}

static int instances(int set)
{
	struct vcpc_instance_info info[4];
	struct vcpc_instances_args args = {
		.size = sizeof(args), .info = pointer(info), .info_size = sizeof(info[0]), .room = 4,
	};

	return call(set, VCPC_IOC_INSTANCES, &args);
}

static int do_deed(enum deed deed, int set, pid_t tid)
{
	struct room room;

	switch (deed) {
	case BIND:	return set_bind(set, 0);
	case SAMPLE:	return set_sample(set, tid, &room);
	case TOTAL:	return set_total(set, &room);
	case PRESET:	return set_preset(set, 0, -FAR);
	case RESTART:	return set_own(set, VCPC_IOC_RESTART);
	case ENABLE:	return set_own(set, VCPC_IOC_ENABLE);
	case DISABLE:	return set_own(set, VCPC_IOC_DISABLE);
	case INSTANCES:	return instances(set);
	case UNBIND:	return set_own(set, VCPC_IOC_UNBIND);
	case UNBIND_ALL: return set_unbind_all(set);
	case CLOSE:	return close(set);
	default:	return -ENOSYS;
	}
}

/* Send a descriptor through a socket. */
static void pass(int socket, int fd)
{
	union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control = { 0 };
	struct iovec iov = { .iov_base = "x", .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *head = CMSG_FIRSTHDR(&msg);

	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	if (sendmsg(socket, &msg, 0) != 1)
		abort();
}

static int receive(int socket)
{
	union { struct cmsghdr align; char bytes[CMSG_SPACE(sizeof(int))]; } control;
	char byte;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	int fd;

	if (recvmsg(socket, &msg, 0) != 1 || !CMSG_FIRSTHDR(&msg))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
	return fd;
}

/* Become the caller.  Return 0, or CANNOT if this machine does not support this kind of caller. */
static int become_who(enum who who, pid_t tid)
{
	pid_t pid;
	int status;

	switch (who) {
	case ROOT:
		return 0;
	case ANOTHER_USER:
		return become_user(OTHER_USER) ? CANNOT : 0;
	case USER_NAMESPACE:
		return become_user(NOBODY) || unshare(CLONE_NEWUSER) ? CANNOT : 0;
	case PID_NAMESPACE:
		if (unshare(CLONE_NEWPID))
			return CANNOT;
		/* Continue in a child, because only children are in the new namespace. */
		pid = fork();
		if (pid > 0 && waitpid(pid, &status, 0) == pid)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT);
		return become_user(NOBODY) ? CANNOT : 0;
	case TRACER:
		if (become_user(NOBODY))
			return CANNOT;
		/* Ignore errors, because a dead process cannot be traced. */
		(void)ptrace(PTRACE_SEIZE, tid, NULL, NULL);
		return 0;
	default:
		return become_user(NOBODY) ? CANNOT : 0;
	}
}

/* Run the caller's process.  Its exit status is the result. */
static void caller(const struct cell *c, int socket, __u64 random)
{
	int set = c->set, ret;

	run_on_cpu(0);
	if (c->who == RECEIVER) {
		close(set);
		set = receive(socket);
	}
	ret = become_who(c->who, c->pid);
	if (set < 0 || ret)
		_exit(CANNOT);
	if (dies_meanwhile(c->state) || is_executing(c->state)) {
		c->shared->go = true;
		spin_until(now() + random % (500 * USEC));
	}
	_exit(answer(do_deed(c->deed, set, c->pid)));
}

int call_as(const struct cell *c, __u64 random)
{
	int sockets[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		abort();
	pid = fork();
	if (!pid)
		caller(c, sockets[1], random);
	if (c->who == RECEIVER)
		pass(sockets[0], c->set);
	/* Close the other copies of the descriptor, because the caller must close the last one. */
	if (c->deed == CLOSE)
		close(c->set);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	close(sockets[0]);
	close(sockets[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
