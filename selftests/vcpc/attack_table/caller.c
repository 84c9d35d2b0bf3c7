// SPDX-License-Identifier: GPL-2.0-or-later
/* The caller of a cell: it becomes who it is to be, calls, and what the contract has for an answer. */
#include <sys/ptrace.h>
#include <sys/socket.h>

#include "table.h"

static int answer(int ret)
{
	switch (ret) {
	case 0:		return OK;
	case -EINVAL:	return INVAL;
	case -EACCES:	return ACCES;
	case -ESRCH:	return SRCH;
	default:	return OTHER;
	}
}

/*
 * What those get who have the descriptor, whoever they are.  What ends or executes meanwhile may
 * have been before it or after.
 */
static const int answers[DEEDS][STATES] = {
	[SAMPLE] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
	[TOTAL] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
	[PRESET] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
	[RESTART] = { OK, OK, OK, OK, OK, INVAL, INVAL, OK | INVAL, OK, OK | INVAL, OK | INVAL },
	[ENABLE] = { INVAL, INVAL, INVAL, OK, INVAL, INVAL, INVAL, INVAL, INVAL, INVAL, INVAL },
	[DISABLE] = { OK, OK, OK, INVAL, OK, OK | INVAL, OK | INVAL, OK | INVAL, OK, OK | INVAL,
		      OK | INVAL },
	[INSTANCES] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
	[UNBIND] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
	[CLOSE] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
};

/* BIND, of a target that is nobody's, with the module's and perf's parameters at 2 */
static int answer_of_bind(enum who who, enum state state)
{
	bool gone = state == DEAD || state == DEAD_LEADER;
	bool allowed = who == ROOT || who == TRACER;

	if (who == PID_NAMESPACE)
		return SRCH;
	if (!allowed)
		return gone || state == DYING ? ACCES | SRCH : ACCES;
	if (gone)
		return SRCH | ACCES;
	/* A tracer's has ended when it does not trace any more. */
	return state == DYING ? OK | SRCH | ACCES : OK;
}

int expected(const struct cell *c)
{
	if (c->deed == BIND)
		return answer_of_bind(c->who, c->state);
	/* A thread's number means nothing there; without one it is all the same. */
	if (c->who == PID_NAMESPACE && c->deed != INSTANCES && c->deed != CLOSE)
		return INVAL;
	return answers[c->deed][c->state];
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
	case BIND:	return set_bind(set, 0, tid);
	case SAMPLE:	return set_sample(set, tid, &room);
	case TOTAL:	return set_total(set, tid, &room);
	case PRESET:	return set_preset(set, tid, -FAR);
	case RESTART:	return set_target(set, VCPC_IOC_RESTART, tid);
	case ENABLE:	return set_target(set, VCPC_IOC_ENABLE, tid);
	case DISABLE:	return set_target(set, VCPC_IOC_DISABLE, tid);
	case INSTANCES:	return instances(set);
	case UNBIND:	return set_target(set, VCPC_IOC_UNBIND, tid);
	case CLOSE:	return close(set);
	default:	return -ENOSYS;
	}
}

/* A descriptor on its way from one process to another */
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

/* Become the caller; 0, or CANNOT if this machine has no such thing */
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
		/* Only a child is in it. */
		pid = fork();
		if (pid > 0 && waitpid(pid, &status, 0) == pid)
			_exit(WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT);
		return become_user(NOBODY) ? CANNOT : 0;
	case TRACER:
		if (become_user(NOBODY))
			return CANNOT;
		/* What is dead cannot be traced. */
		(void)ptrace(PTRACE_SEIZE, tid, NULL, NULL);
		return 0;
	default:
		return become_user(NOBODY) ? CANNOT : 0;
	}
}

/* The caller's process: its status is the answer. */
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
	if (c->state == DYING || is_executing(c->state)) {
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
	/* So that a close is the last one */
	if (c->deed == CLOSE)
		close(c->set);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	close(sockets[0]);
	close(sockets[1]);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
