// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test connections of host contexts: forks, threads, signals, and the order of requests, but not
 * values.  A small server in this test replies.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/time.h>
#include <time.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "host_fixture.h"

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* A forked child uses its own connection, and the parent's connection continues to work. */
TEST_F(host, fork)
{
	unsigned int before;
	int status, fds = descriptors();
	pid_t pid;

	EXPECT_EQ(fetch_word(), 3);
	before = self->fake.lies->connections;
	pid = fork();
	if (!pid) {
		int inherited = descriptors();

		_exit(inherited == fds - 1 && fetch_word() == 3 && fetch_word() == 3 &&
		      descriptors() == fds ? 0 : 1);
	}
	EXPECT_EQ(fetch_word(), 3);
	waitpid(pid, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(fetch_word(), 3);
	EXPECT_EQ(self->fake.lies->connections, before + 1);
}

/* A forked child inherits the parent's instance profile. */
TEST_F(host, fork_profile)
{
	unsigned int before;
	int status;
	pid_t pid;

	EXPECT_EQ(fetch_word(), 3);
	before = self->fake.lies->profiles;
	pid = fork();
	if (!pid)
		_exit(fetch_word() == 3 ? 0 : 1);
	waitpid(pid, &status, 0);
	EXPECT_EQ(status, 0);
	EXPECT_EQ(self->fake.lies->profiles, before + 1);
}

TEST_F(host, no_descriptor_for_other_programs)
{
	int sockets = 0;

	for (int fd = 3; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD), type;
		socklen_t len = sizeof(type);

		if (flags < 0 || getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len))
			continue;
		sockets++;
		EXPECT_TRUE(flags & FD_CLOEXEC);
	}
	EXPECT_EQ(sockets, 1);
}

static int socket_number(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		int type;
		socklen_t len = sizeof(type);

		if (!getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len))
			return fd;
	}
	return -1;
}

/*
 * Create two connected sockets, as socketpair(2) does, but with TCP, the other transport of host
 * connections.
 */
static int tcp_pair(int pair[2])
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int listener = socket(AF_INET, SOCK_STREAM, 0);

	pair[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (struct sockaddr *)&at, len) || listen(listener, 1) ||
	    getsockname(listener, (struct sockaddr *)&at, &len) ||
	    connect(pair[0], (struct sockaddr *)&at, len))
		return -1;
	pair[1] = accept(listener, NULL, NULL);
	close(listener);
	return pair[1] < 0 ? -1 : 0;
}

/* Close all descriptors, and give the connection's number to a socket of the program. */
static bool take_its_number(int pair[2], bool tcp)
{
	int fd = socket_number();

	return fd >= 0 && !close_range(3, ~0u, 0) &&
	       !(tcp ? tcp_pair(pair) : socketpair(AF_UNIX, SOCK_STREAM, 0, pair)) &&
	       dup2(pair[0], fd) == fd && !close(pair[0]) && (pair[0] = fd);
}

static bool is_open_and_untouched(const int pair[2])
{
	char byte;

	return recv(pair[1], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN &&
	       send(pair[0], "x", 1, 0) == 1 && recv(pair[1], &byte, 1, 0) == 1 && byte == 'x';
}

/*
 * Check in a child that the program's socket is not touched, because the harness needs its own
 * descriptors.  Return 0, or the number of the step that failed.
 */
static int in_a_child_of_its_own(bool tcp)
{
	int pair[2], again, status;
	pid_t grandchild;

	/* This fetch opens the child's own connection. */
	if (fetch_word() != 3 || !take_its_number(pair, tcp))
		return 1;
	grandchild = fork();
	if (!grandchild)
		_exit(is_open_and_untouched(pair) ? 0 : 1);
	if (waitpid(grandchild, &status, 0) < 0 || status)
		return 2;
	if (fetch_word() != PM_ERR_IPC || !is_open_and_untouched(pair))
		return 3;
	again = pmReconnectContext(pmWhichContext());
	if (again < 0 || fetch_word() != 3)
		return 4;
	close(pair[0]);
	close(pair[1]);
	if (!take_its_number(pair, tcp))
		return 5;
	pmDestroyContext(pmWhichContext());
	return is_open_and_untouched(pair) ? 0 : 6;
}

TEST_F(host, a_file_of_the_program_with_its_number)
{
	for (int tcp = 0; tcp < 2; tcp++) {
		char spec[32];
		int status;
		pid_t server = fake_start_tcp(&self->fake, spec, sizeof(spec)), pid;

		ASSERT_LT(0, server);
		pid = fork();
		if (!pid)
			_exit(tcp && pmNewContext(PM_CONTEXT_HOST, spec) < 0 ? 99 :
									   in_a_child_of_its_own(tcp));
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		EXPECT_EQ(0, status) TH_LOG("tcp %d: %d", tcp, WEXITSTATUS(status));
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	EXPECT_EQ(fetch_word(), 3);
}

TEST_F(host, descriptors)
{
	int handles[200], fds = descriptors();

	for (int i = 0; i < 200; i++) {
		handles[i] = i % 2 ? pmDupContext() : pmNewContext(PM_CONTEXT_HOST, self->fake.spec);
		ASSERT_GE(handles[i], 0);
	}
	EXPECT_EQ(descriptors(), fds + 200);
	for (int i = 0; i < 200; i++)
		EXPECT_EQ(pmDestroyContext(handles[i]), 0);
	EXPECT_EQ(descriptors(), fds);
	for (int i = 0; i < 20; i++)
		EXPECT_LT(pmNewContext(PM_CONTEXT_HOST, "unix:/nonexistent"), 0);
	self->fake.lies->features |= 0x80;
	EXPECT_EQ(pmNewContext(PM_CONTEXT_HOST | PM_CTXFLAG_COMPRESS, self->fake.spec), -EOPNOTSUPP);
	EXPECT_EQ(descriptors(), fds);
}

/* The profile is sent once, and again only after it has changed. */
TEST_F(host, profile_when_changed)
{
	int inst[] = { 2 };

	for (int i = 0; i < 3; i++)
		fetch_word();
	EXPECT_EQ(self->fake.lies->profiles, 1);
	pmAddProfile(FAKE_INDOM, 1, inst);
	for (int i = 0; i < 3; i++)
		fetch_word();
	EXPECT_EQ(self->fake.lies->profiles, 2);
	EXPECT_EQ(pmReconnectContext(self->handle), self->handle);
	fetch_word();
	EXPECT_EQ(self->fake.lies->profiles, 3);
}

/* In a thread, wait for a server that does not reply. */
static void *wait_in_vain(void *arg)
{
	static int result;

	result = pmNewContext(PM_CONTEXT_HOST, arg);
	return &result;
}

TEST_F(host, threads_do_not_wait)
{
	int handle, *result;
	double before;
	pthread_t thread;

	setenv("PMCD_CONNECT_TIMEOUT", "3", 1);
	self->fake.lies->stall = true;
	pthread_create(&thread, NULL, wait_in_vain, self->fake.spec);
	usleep(200000);
	self->fake.lies->stall = false;
	before = now();
	handle = pmNewContext(PM_CONTEXT_HOST, self->fake.spec);
	EXPECT_GE(handle, 0);
	for (int i = 0; i < 10; i++)
		EXPECT_EQ(fetch_word(), 3);
	pmUseContext(self->handle);
	EXPECT_EQ(fetch_word(), 3);
	EXPECT_LT(now() - before, 2.5);
	pthread_join(thread, (void **)&result);
	EXPECT_EQ(*result, PM_ERR_TIMEOUT);
	pmDestroyContext(handle);
}

static void *fetch_often(void *arg)
{
	long good = 0;

	if (pmNewContext(PM_CONTEXT_HOST, arg) < 0)
		return NULL;
	for (int i = 0; i < 200; i++)
		good += fetch_word() == 3;
	pmDestroyContext(pmWhichContext());
	return (void *)good;
}

TEST_F(host, many_threads)
{
	pthread_t threads[8];
	void *good;

	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, fetch_often, self->fake.spec);
	for (int i = 0; i < 8; i++) {
		pthread_join(threads[i], &good);
		EXPECT_EQ((long)good, 200);
	}
}

static volatile sig_atomic_t signals;

static void count_signal(int sig)
{
	(void)sig;
	signals++;
}

/* The program's signals do not interrupt a wait, and are not mistaken for a lost connection. */
TEST_F(host, signals)
{
	struct sigaction action = { .sa_handler = count_signal };
	struct itimerval often = { { 0, 2000 }, { 0, 2000 } }, never = { 0 };
	int handle;

	sigaction(SIGALRM, &action, NULL);
	sigaction(SIGPIPE, &action, NULL);
	setenv("PMCD_CONNECT_TIMEOUT", "0.5", 1);
	self->fake.lies->stall = true;
	setitimer(ITIMER_REAL, &often, NULL);
	EXPECT_EQ(pmNewContext(PM_CONTEXT_HOST, self->fake.spec), PM_ERR_TIMEOUT);
	self->fake.lies->stall = false;
	for (int i = 0; i < 300; i++)
		EXPECT_EQ(fetch_word(), 3);
	setitimer(ITIMER_REAL, &never, NULL);
	EXPECT_GT(signals, 20);
	signals = 0;
	setenv("PMCD_CONNECT_TIMEOUT", "60", 1);
	handle = pmNewContext(PM_CONTEXT_HOST, self->fake.spec);
	EXPECT_GE(handle, 0);
	kill(self->fake.pid, SIGKILL);
	waitpid(self->fake.pid, NULL, 0);
	usleep(100000);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(fetch_word(), PM_ERR_IPC);
	EXPECT_EQ(signals, 0);
	pmDestroyContext(handle);
}

/*
 * After a failure, the library does not reconnect until the time in PMCD_RECONNECT_TIMEOUT has
 * passed.
 */
TEST_F(host, reconnect_pauses)
{
	double before;

	self->fake.lies->status = -1044;	/* an error in PCP 1's numbering */
	before = now();
	EXPECT_EQ(pmReconnectContext(self->handle), -ETIMEDOUT);
	self->fake.lies->status = 0;
	EXPECT_EQ(fetch_word(), PM_ERR_IPC);
	while (pmReconnectContext(self->handle) == -ETIMEDOUT && now() - before < 30)
		usleep(20000);
	EXPECT_GE(now() - before, 0.99);
	EXPECT_LT(now() - before, 20);
	EXPECT_EQ(fetch_word(), 3);
	EXPECT_EQ(pmReconnectContext(self->handle), self->handle);
}

/*
 * A server with a full backlog.  The kernel drops the client's first SYN, and the client repeats it
 * after a second.
 */
static int full_server(char *spec, size_t size)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	int server = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);

	if (server < 0 || bind(server, (struct sockaddr *)&at, sizeof(at)) || listen(server, 0) ||
	    getsockname(server, (struct sockaddr *)&at, &len))
		return -1;
	snprintf(spec, size, "127.0.0.1:%d", ntohs(at.sin_port));
	for (int i = 0; i < 3; i++)
		connect(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), (struct sockaddr *)&at, len);
	return server;
}

static void *close_later(void *server)
{
	usleep(300000);
	close(*(int *)server);
	return NULL;
}

TEST_F(host, refused_while_connecting)
{
	pthread_t thread;
	char spec[64];
	int server = full_server(spec, sizeof(spec));

	ASSERT_LE(0, server);
	ASSERT_EQ(0, pthread_create(&thread, NULL, close_later, &server));
	EXPECT_EQ(-ECONNREFUSED, pmNewContext(PM_CONTEXT_HOST, spec));
	pthread_join(thread, NULL);
}

/* The time limit of the connection has passed, so the client does not also wait for a greeting. */
TEST_F(host, no_connection)
{
	double before = now();
	char spec[64];
	int server = full_server(spec, sizeof(spec));

	ASSERT_LE(0, server);
	setenv("PMCD_CONNECT_TIMEOUT", "2", 1);
	EXPECT_EQ(-ETIMEDOUT, pmNewContext(PM_CONTEXT_HOST, spec));
	EXPECT_LT(now() - before, 3.9);
	close(server);
}

TEST_F(host, greetings)
{
	static const struct {
		uint32_t features;
		int32_t status;
		unsigned int flags;
		int code;
	} rows[] = {
		{ 0, 0, 0, 0 },
		{ 0, -1042, 0, PM_ERR_PERMISSION },
		{ 0, -1043, 0, PM_ERR_CONNLIMIT },
		{ 0, -12389, 0, PM_ERR_AGAIN },
		{ 0, -13, 0, -EACCES },
		{ 0, 1, 0, PM_ERR_IPC },
		{ 0x80, 0, 0, 0 },	/* the UNIX socket needs no certificate */
		{ 0x08, 0, 0, 0 },	/* a UNIX socket passes the caller's credentials */
		{ 0x01, 0, PM_CTXFLAG_SECURE, -EOPNOTSUPP },
		{ 0x01, 0, PM_CTXFLAG_RELAXED, 0 },
		{ 0x02, 0, PM_CTXFLAG_COMPRESS, -EOPNOTSUPP },
		{ 0x04, 0, PM_CTXFLAG_AUTH, -EOPNOTSUPP },
		{ 0x40, 0, PM_CTXFLAG_CONTAINER, -ESRCH },
		{ 0x00, 0, PM_CTXFLAG_CONTAINER, -EOPNOTSUPP },
		{ 0, 0, PM_CTXFLAG_EXCLUSIVE | PM_CTXFLAG_SHALLOW, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int handle;

		self->fake.lies->features = rows[i].features;
		self->fake.lies->status = rows[i].status;
		handle = pmNewContext(PM_CONTEXT_HOST | rows[i].flags, self->fake.spec);
		EXPECT_EQ(handle < 0 ? handle : 0, rows[i].code)
			TH_LOG("row %zu", i);
		if (handle >= 0)
			pmDestroyContext(handle);
		else
			EXPECT_EQ(pmWhichContext(), self->handle);
		pmUseContext(self->handle);
	}
	EXPECT_EQ(pmNewContext(PM_CONTEXT_HOST, NULL), PM_ERR_NOCONTEXT);
}

/* A request that exceeds pmcd's limit is rejected before it is sent. */
TEST_F(host, too_big)
{
	static pmID many[20000];
	static pmDesc descs[20000];
	pmResult *r;

	for (int i = 0; i < 20000; i++)
		many[i] = FAKE_WORD;
	EXPECT_EQ(pmFetch(20000, many, &r), PM_ERR_TOOBIG);
	EXPECT_EQ(fetch_word(), 3);
	EXPECT_EQ(pmLookupDescs(20000, many, descs), 20000);
	EXPECT_EQ(descs[19999].pmid, FAKE_WORD);
	EXPECT_EQ(self->fake.lies->connections, 1);
}

/* A block whose length does not match its type cannot be stored, and neither can event records. */
TEST_F(host, bad_stores)
{
	struct {
		pmValueBlock block;
		char more[16];
	} value = { .block = { .vtype = PM_TYPE_64, .vlen = 8 } };
	pmValueSet set = { .pmid = FAKE_WIDE, .numval = 1, .valfmt = PM_VAL_DPTR };
	pmResult r = { .numpmid = 1, .vset = { &set } };
	unsigned int before = self->fake.lies->requests;

	set.vlist[0].value.pval = &value.block;
	EXPECT_EQ(pmStore(&r), PM_ERR_BADSTORE);
	value.block.vlen = 3;
	value.block.vtype = PM_TYPE_STRING;
	EXPECT_EQ(pmStore(&r), PM_ERR_BADSTORE);
	value.block.vlen = 12;
	value.block.vtype = PM_TYPE_EVENT;
	EXPECT_EQ(pmStore(&r), PM_ERR_TYPE);
	set.vlist[0].value.pval = NULL;
	EXPECT_EQ(pmStore(&r), PM_ERR_BADSTORE);
	set.vlist[0].value.lval = 13;
	for (int format = 3; format <= 100; format += 74) {
		set.valfmt = format;
		EXPECT_EQ(pmStore(&r), PM_ERR_BADSTORE);
	}
	set.valfmt = -1;
	EXPECT_EQ(pmStore(&r), PM_ERR_BADSTORE);
	set.valfmt = PM_VAL_DPTR;
	set.numval = -1;
	EXPECT_EQ(pmStore(&r), PM_ERR_VALUE);
	set.numval = 1;
	EXPECT_EQ(self->fake.lies->requests, before);
	value.block.vtype = PM_TYPE_64;
	set.vlist[0].value.pval = &value.block;
	EXPECT_EQ(pmStore(&r), 0);
}

TEST_F(host, copies)
{
	int inst[] = { 2 }, copy;

	fetch_word();
	pmAddProfile(FAKE_INDOM, 1, inst);
	copy = pmDupContext();
	EXPECT_GT(copy, self->handle);
	EXPECT_EQ(pmWhichContext(), copy);
	EXPECT_EQ(fetch_word(), 3);
	EXPECT_EQ(self->fake.lies->connections, 2);
	EXPECT_EQ(self->fake.lies->profiles, 2);
	EXPECT_EQ(pmDestroyContext(copy), 0);
	pmUseContext(self->handle);
	EXPECT_EQ(fetch_word(), 3);
	EXPECT_EQ(pmGetPMNSLocation(), PMNS_REMOTE);
}

TEST_HARNESS_MAIN
