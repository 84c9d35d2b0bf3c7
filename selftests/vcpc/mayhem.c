// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Attack processes while their threads use sets whose descriptors they close, reuse and pass to each
 * other: trace, freeze, stop and kill the processes, and change the sysctl for permissions.
 * Afterwards, nothing is left, and the kernel has printed no report.
 */
#include "accounts.h"
#include "attack.h"
#include "vcpc_test.h"

#include <pthread.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#define SLOTS		8
#define THREADS		4
#define GROUPS		"/tmp/vcpc-groups"
#define GROUP		GROUPS "/mayhem"
#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

static int device, slots[SLOTS], sockets[2];

static void pass(int fd)
{
	char byte = 0, room[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	*c = (struct cmsghdr){ .cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS };
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	sendmsg(sockets[0], &m, MSG_DONTWAIT);
}

/* Return a descriptor that was passed, or -1. */
static int passed(void)
{
	char byte, room[CMSG_SPACE(sizeof(int))];
	struct iovec iov = { &byte, 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof(room) };
	struct cmsghdr *c;
	int fd;

	if (recvmsg(sockets[1], &m, MSG_DONTWAIT) < 0)
		return -1;
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}

static void renew(int slot)
{
	const struct vcpc_request requests[] = { page_faults, task_clock };
	int set = set_create(device, requests, 2, 0);

	if (set < 0)
		return;
	dup2(set, slot);
	close(set);
}

static void receive(int slot)
{
	int fd = passed();

	if (fd < 0)
		return;
	dup2(fd, slot);
	close(fd);
}

static void *nothing(void *arg)
{
	return arg;
}

static void start_thread(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, nothing, NULL))
		pthread_join(thread, NULL);
}

static void act(int slot, unsigned int what)
{
	static const __u32 binds[] = { 0, VCPC_BIND_F_INHERIT, VCPC_BIND_F_TREE, VCPC_BIND_F_TRACE };
	static const unsigned long owns[] = { VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_RESTART, VCPC_IOC_UNBIND };
	struct room room;

	switch (what % 16) {
	case 0:
	case 1:
		renew(slot);
		break;
	case 2:
		close(slot);
		break;
	case 3:
		pass(slot);
		break;
	case 4:
		receive(slot);
		break;
	case 5:
		set_unbind_all(slot);
		break;
	case 6:
		set_total(slot, &room);
		break;
	case 7:
		start_thread();
		break;
	case 8:
	case 9:
		(void)!read(slot, &room, sizeof(room));
		break;
	case 10:
	case 11:
		set_own(slot, owns[what / 16 % 4]);
		break;
	default:
		set_bind(slot, binds[what / 16 % 4]);
	}
}

static void *hurry(void *arg)
{
	__u64 state = (uintptr_t)arg;

	for (;;) {
		__u64 n = chance(&state);

		act(slots[n % SLOTS], n >> 8);
	}
	return NULL;
}

/* The process that is attacked, an unprivileged user's */
static int victim(void *arg)
{
	pthread_t thread;
	uintptr_t i;

	(void)arg;
	if (become_nobody() || socketpair(AF_UNIX, SOCK_DGRAM, 0, sockets))
		return 1;
	device = device_open();
	if (device < 0)
		return 2;
	for (i = 0; i < SLOTS; i++)
		slots[i] = fcntl(device, F_DUPFD, 100 + i);
	for (i = 1; i < THREADS; i++)
		pthread_create(&thread, NULL, hurry, (void *)(i + (uintptr_t)time(NULL) * 10));
	hurry((void *)i);
	return 0;
}

static bool write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

/* Write a text into a file of the group.  Return whether this succeeded. */
static bool put(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), GROUP "/%s", file);
	return write_text(path, text);
}

static bool group_is_there(void)
{
	mkdir(GROUPS, 0700);
	mount("none", GROUPS, "cgroup2", 0, NULL);
	return !mkdir(GROUP, 0700) || errno == EEXIST;
}

static bool enter_group(pid_t pid)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", pid);
	return put("cgroup.procs", text);
}

/* Trace a thread, stop it wherever it is, and detach from it. */
static void trace(pid_t tid)
{
	int status;

	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL))
		return;
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	if (waitpid(tid, &status, __WALL) == tid && WIFSTOPPED(status))
		ptrace(PTRACE_DETACH, tid, NULL, NULL);
}

static void disturb(pid_t pid, unsigned int what)
{
	static const char *const levels[] = { "2", "3", "-1", "1" };

	switch (what % 6) {
	case 0:
		put("cgroup.freeze", "1");
		usleep(what / 8 % 2000);
		put("cgroup.freeze", "0");
		break;
	case 1:
		kill(pid, SIGSTOP);
		usleep(what / 8 % 2000);
		kill(pid, SIGCONT);
		break;
	case 2:
		write_text(PARANOID, levels[what / 8 % 4]);
		break;
	default:
		trace(pid + what / 8 % THREADS);
	}
}

TEST(processes_that_are_disturbed_and_killed)
{
	unsigned long rounds = number("MAYHEM_ROUNDS", 2);
	__u64 state = number("MAYHEM_SEED", 1);
	bool grouped = group_is_there(), had_sets = false;

	write_text(PARANOID, "2");
	for (unsigned long i = 0; i < rounds; i++) {
		pid_t pid = fork();
		int status;

		ASSERT_LE(0, pid);
		if (!pid)
			_exit(victim(NULL));
		grouped = grouped && enter_group(pid);
		for (int n = 0; n < 200; n++) {
			disturb(pid, chance(&state));
			usleep(chance(&state) % 3000);
			had_sets = had_sets || account_of(NOBODY).counters;
		}
		if (!grouped || i % 2 || !put("cgroup.kill", "1"))
			kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) TH_LOG("status %x", status);
		EXPECT_TRUE(has_nothing_soon(NOBODY, 3000));
	}
	EXPECT_TRUE(had_sets);
	write_text(PARANOID, "2");
}

TEST_HARNESS_MAIN
