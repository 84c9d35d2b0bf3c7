// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An instance can end while its thread continues to run: execve of a file that the caller cannot
 * read ends the thread's perf events.  Nothing may refer to the instance afterwards.
 *
 * In the first test, the thread returns late to user mode, because execve closes a socket whose
 * data are never read (SO_LINGER).  Work that the module has queued for the thread, such as the
 * signal of an overflow during execve, runs only then.  At the same time, the parent starts
 * threads, which makes the module free ended instances.  KASAN reports an access to freed memory.
 */
#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "attack.h"
#include "exec_child.h"
#include "inherited.h"
#include "overflow.h"
#include "trace_calls.h"
#include "vcpc_test.h"

#define THREADS		40
/* A longer time than kfree_rcu() takes to free memory */
#define LINGER_SECONDS	12
#define ARGUMENTS	100000

/* Descriptors of a set and a device that the program still has after execve */
#define SET	50
#define DEVICE	51
/* Number of requests that, with the other counters of an instance, reach the limit of a thread */
#define REQUESTS	31

static void *does_nothing(void *arg)
{
	return arg;
}

static char failed_at(int step)
{
	return 'a' + step;
}

/* Return 'x' if nothing remains of the old instance and the set can be bound again. */
static char try_everything(void)
{
	static const unsigned long calls[] = {
		VCPC_IOC_ENABLE, VCPC_IOC_DISABLE, VCPC_IOC_RESTART,
	};
	struct vcpc_info_args info = { .size = sizeof(info) };
	int handle = tag_handle(DEVICE, "vcpc-test-ended"), i;
	struct room before, after;
	pthread_t thread;

	if (call(DEVICE, VCPC_IOC_INFO, &info) || info.counted)
		return failed_at(0);
	if (fire(DEVICE, VCPC_TRACE_BEGIN | VCPC_TRACE_F_COUNTS, handle, 0))
		return failed_at(1);
	for (i = 0; i < 3; i++)
		if (set_own(SET, calls[i]) != -EINVAL)
			return failed_at(2);
	/* The overflow's signal, which would have killed the process, was not sent. */
	if (set_sample(SET, 0, &before) || !(before.sample.state & VCPC_STATE_EXITED))
		return failed_at(3);
	touch(500);
	if (set_sample(SET, 0, &after) || after.sample.values[0] != before.sample.values[0])
		return failed_at(4);
	if (pthread_create(&thread, NULL, does_nothing, NULL) || pthread_join(thread, NULL))
		return failed_at(5);
	if (set_count(SET).nr != 1 || set_count(SET).pending || set_count(SET).lost)
		return failed_at(6);
	if (set_bind(SET, VCPC_BIND_F_TRACE))
		return failed_at(7);
	if (set_sample(SET, 0, &after) || after.sample.state != VCPC_STATE_COUNTING)
		return failed_at(8);
	if (call(DEVICE, VCPC_IOC_INFO, &info) || !info.counted)
		return failed_at(9);
	if (set_own(SET, VCPC_IOC_UNBIND) || set_unbind_all(SET))
		return failed_at(10);
	return set_sample(SET, 0, &after) == -EINVAL ? 'x' : failed_at(11);
}

/*
 * Bind the maximum number of counters of a thread.  If @set is not 0, it is the number of the set's
 * descriptor.
 */
static bool bind_all(int set)
{
	struct vcpc_request requests[REQUESTS];
	int device = device_open(), all, i;

	for (i = 0; i < REQUESTS; i++)
		requests[i] = page_faults;
	all = set_create(device, requests, REQUESTS, 0);
	if (set && dup2(all, set) != set)
		return false;
	return !set_bind(all, 0);
}

/* Run this after execve: report that it is in user mode, wait for a byte, and exit. */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	char byte = 'x';

	if (argc < 2 || (strcmp(argv[1], "--ended") && strcmp(argv[1], "--everything") &&
			 strcmp(argv[1], "--bind")))
		return;
	touch(100);
	if (!strcmp(argv[1], "--everything"))
		byte = try_everything();
	if (!strcmp(argv[1], "--bind") && !bind_all(0))
		byte = 'a';
	if (write(1, &byte, 1) != 1 || read(0, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

/*
 * struct plan - preparations of the attack
 * @program: a program with mode 0111
 * @server: a listening socket
 * @address: address of @server
 */
struct plan {
	char program[32];
	int server;
	struct sockaddr_in address;
};

static int loopback_up(void)
{
	struct ifreq ifr = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int ret = fd < 0 || ioctl(fd, SIOCSIFFLAGS, &ifr) ? -errno : 0;

	close(fd);
	return ret;
}

static int listen_on_loopback(struct plan *p)
{
	struct sockaddr *address = (struct sockaddr *)&p->address;
	socklen_t len = sizeof(p->address);

	p->address.sin_family = AF_INET;
	p->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	p->server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (p->server < 0 || bind(p->server, address, len) || listen(p->server, 1) ||
	    getsockname(p->server, address, &len))
		return -errno;
	return 0;
}

/* Open a socket that execve closes, and that takes LINGER_SECONDS to close. */
static int open_lingering(const struct plan *p)
{
	struct linger linger = { .l_onoff = 1, .l_linger = LINGER_SECONDS };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	static char data[65536];

	if (fd < 0 || connect(fd, (const struct sockaddr *)&p->address, sizeof(p->address)) ||
	    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof(linger)))
		return -errno;
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	return fd;
}

/*
 * Execute the program, in the child.  The kernel releases the files that execve closes in reverse
 * order, so the pipe, which has the highest descriptor, is first.  When the parent sees the end of
 * the pipe, the child is about to wait for the socket.
 */
static void execute(const struct plan *p, int closed_by_exec)
{
	char **args = calloc(ARGUMENTS + 1, sizeof(*args));
	int last, i;

	if (!args || open_lingering(p) < 0)
		_exit(2);
	last = fcntl(closed_by_exec, F_DUPFD_CLOEXEC, 100);
	close(closed_by_exec);
	if (last < 0)
		_exit(3);
	for (i = 0; i < ARGUMENTS; i++)
		args[i] = "x";
	args[0] = (char *)p->program;
	args[1] = "--ended";
	execv(p->program, args);
	_exit(4);
}

static __u32 state_of(int set, pid_t tid)
{
	struct vcpc_instance_info info[THREADS + 10];
	struct vcpc_instances_args args = {
		.size = sizeof(args),
		.info = pointer(info),
		.info_size = sizeof(info[0]),
		.room = THREADS + 10,
	};
	unsigned int i;

	if (call(set, VCPC_IOC_INSTANCES, &args) || args.nr > args.room)
		return ~0U;
	for (i = 0; i < args.nr; i++)
		if (info[i].tid == tid)
			return info[i].state;
	/* An instance that is not listed has been added to the total. */
	return VCPC_STATE_EXITED;
}

static int attack(void *arg)
{
	/* These requests can overflow at any time during execve. */
	const struct vcpc_request requests[] = {
		overflowing(&task_clock, 1000000), overflowing(&page_faults, 100),
	};
	struct plan *p = arg;
	int set, ends[2], got;
	struct child c;
	char byte;

	if (become_user(NOBODY))
		return 10;
	set = overflow_set(requests, 2, 0, 0);
	if (set < 0 || set_bind(set, VCPC_BIND_F_TREE | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TRACE))
		return 11;
	if (pipe2(ends, O_CLOEXEC))
		return 12;
	if (child_fork(&c))
		execute(p, ends[1]);
	close(ends[1]);
	if (accept4(p->server, NULL, NULL, SOCK_CLOEXEC) < 0 || read(ends[0], &byte, 1))
		return 13;
	if (start_idlers(THREADS))
		return 14;
	if (!(state_of(set, c.pid) & VCPC_STATE_EXITED))
		return 15;
	got = child_hear(&c);
	if (got != 'x')
		return 16;
	/* The child is still running, but is no longer counted. */
	if (!(state_of(set, c.pid) & VCPC_STATE_EXITED))
		return 17;
	return child_end(&c) ? 18 : 0;
}

FIXTURE(ended) {
	struct plan plan;
	mode_t mode;
};

FIXTURE_SETUP(ended)
{
	self->mode = device_mode(0666);
	strcpy(self->plan.program, "/tmp/vcpc-unreadable-XXXXXX");
	ASSERT_EQ(0, copy_program(self->plan.program, 0111));
}

FIXTURE_TEARDOWN(ended)
{
	unlink(self->plan.program);
	device_mode(self->mode);
}

TEST_F_TIMEOUT(ended, while_it_waits_in_execve, 600)
{
	if (loopback_up() || listen_on_loopback(&self->plan))
		SKIP(return, "no network on the loopback device");
	EXPECT_EQ(0, in_child(attack, &self->plan));
	close(self->plan.server);
}

/* Execute the program, in the child, after binding all that could refer to the instance. */
static void execute_everything(const struct plan *p, int signal)
{
	struct vcpc_request request = overflowing(&page_faults, 1ULL << 40);
	int set = overflow_set(&request, 1, 0, signal), device = device_open();
	__u32 flags = VCPC_BIND_F_INHERIT | VCPC_BIND_F_TRACE;

	if (become_user(NOBODY))
		_exit(5);
	if (set < 0 || set_bind(set, signal ? flags : flags | VCPC_BIND_F_TREE) ||
	    set_preset(set, 0, -200ULL) || set_own(set, VCPC_IOC_RESTART))
		_exit(6);
	if (dup2(set, SET) != SET || dup2(device, DEVICE) != DEVICE)
		_exit(7);
	close(set);
	close(device);
	execl(p->program, p->program, "--everything", NULL);
	_exit(8);
}

static void nothing_is_left(struct __test_metadata *_metadata, const struct plan *p, int signal)
{
	bool listens = !listen_by_ftrace();
	struct child c;

	if (child_fork(&c))
		execute_everything(p, signal);
	EXPECT_EQ('x', child_hear(&c));
	EXPECT_EQ(0, child_end(&c));
	if (listens) {
		EXPECT_EQ(1, lines_with("vcpc_begin:", "vcpc-test-ended"));
		EXPECT_EQ(0, lines_with("vcpc_begin_counts:", "vcpc-test-ended"));
	}
	put(TRACING "events/vcpc/enable", "0");
}

TEST_F(ended, nothing_is_left)
{
	nothing_is_left(_metadata, &self->plan, 0);
}

TEST_F(ended, nothing_is_left_with_a_signal)
{
	nothing_is_left(_metadata, &self->plan, SIGKILL);
}

/* Counters that were bound before execve do not count toward the limit for the new program. */
TEST_F(ended, no_longer_counts_for_the_limit)
{
	struct child c;

	if (child_fork(&c)) {
		if (become_user(NOBODY) || !bind_all(SET))
			_exit(5);
		execl(self->plan.program, self->plan.program, "--bind", NULL);
		_exit(6);
	}
	EXPECT_EQ('x', child_hear(&c));
	EXPECT_EQ(0, child_end(&c));
}

TEST_HARNESS_MAIN
