// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who does what to whom, while what: a table of callers, calls and states of a target, each with
 * the answer that the contract has for it, and what must be true afterwards.
 *
 * Each cell is a target of its own, a process of nobody's that has bound the set to itself (but for
 * BIND, where it has not), is brought into the state, and one call by a process of the caller's
 * kind.  After it the target is alive if it was, goes on, has not been sent the set's signal, and is
 * not counted any more if it has gained privileges.  The kernel's log says which row was the last
 * one, should the machine stop.
 */
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>

#include "attack.h"
#include "overflow.h"

#define OTHER_USER	(NOBODY - 1)
#define PAGES		50
/* How many that the first request counts lead to its overflow: only the frozen come so far */
#define FAR		(1ULL << 40)
#define NEAR		10

/* Which states of the target there are */
enum state {
	RUNNING, SLEEPING, STOPPED, FROZEN, CGROUP_FROZEN, DEAD, DEAD_LEADER, DYING,
	EXECUTING, EXECUTING_SUID, EXECUTING_FCAP, STATES,
};

static const char *const state_names[STATES] = {
	"running on another CPU", "sleeping", "stopped", "frozen by an overflow", "frozen by a cgroup",
	"dead", "a dead first thread", "dying", "executing", "executing set-user-ID",
	"executing with file capabilities",
};

/* Who calls */
enum who { ROOT, SAME_USER, ANOTHER_USER, TRACER, RECEIVER, USER_NAMESPACE, PID_NAMESPACE, WHOS };

static const char *const who_names[WHOS] = {
	"root", "the same user", "another user", "a tracer", "one who was passed the descriptor",
	"root of a user namespace", "a process in a pid namespace",
};

/* What is called */
enum deed {
	BIND, SAMPLE, TOTAL, PRESET, RESTART, ENABLE, DISABLE, OVERFLOWS, INSTANCES, UNBIND, CLOSE,
	DEEDS,
};

static const char *const deed_names[DEEDS] = {
	"BIND", "SAMPLE", "TOTAL", "PRESET", "RESTART", "ENABLE", "DISABLE", "OVERFLOWS", "INSTANCES",
	"UNBIND", "close",
};

/* Answers, as bits: in some states more than one is right. */
enum { OK = 1, INVAL = 2, ACCES = 4, SRCH = 8, OTHER = 64 };

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
	[OVERFLOWS] = { OK, OK, OK, OK, OK, OK, OK, OK, OK, OK, OK },
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

/* After execve: says whether it has privileges, and touches pages whenever it is told to. */
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

/*
 * struct shared - what all processes of a cell see
 * @ready: the target is as far as it can get by itself
 * @go: it shall do what it dies or executes by
 * @leave: who runs or sleeps shall go on to the end
 * @told: signals that it was sent
 */
struct shared {
	volatile bool ready, go, leave;
	volatile int told;
};

/*
 * struct cell - one row and column of the table
 * @who, @deed, @state: which
 * @set: the set
 * @program: what it executes
 * @shared: see there
 * @pid: the target
 * @say, @hear: to it and from it, after execve
 */
struct cell {
	enum who who;
	enum deed deed;
	enum state state;
	int set;
	const char *program;
	struct shared *shared;
	pid_t pid;
	int say, hear;
};

static struct shared *told_shared;

static void is_told(int sig)
{
	(void)sig;
	told_shared->told++;
}

static void *stays(void *arg)
{
	const struct cell *c = arg;

	c->shared->ready = true;
	while (!c->shared->leave)
		usleep(1000);
	_exit(0);
}

static bool is_executing(enum state state)
{
	return state == EXECUTING || state == EXECUTING_SUID || state == EXECUTING_FCAP;
}

/* The target's part of each state; the rest is the director's. */
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
	case EXECUTING:
	case EXECUTING_SUID:
	case EXECUTING_FCAP:
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
	struct sigaction sa = { .sa_handler = is_told, .sa_flags = SA_RESTART };

	told_shared = c->shared;
	run_on_cpu(1);
	if (sigaction(SIGUSR1, &sa, NULL) || become_user(NOBODY))
		_exit(23);
	dup2(to[0], 0);
	dup2(from[1], 1);
	close(to[1]);
	close(from[0]);
	if (c->deed != BIND && (set_bind(c->set, 0, 0) ||
				set_preset(c->set, 0, -(c->state == FROZEN ? NEAR : FAR)) ||
				set_target(c->set, VCPC_IOC_RESTART, 0)))
		_exit(24);
	/* Only the others have the descriptor. */
	close(c->set);
	be_target(c);
}

#define CGROUPS	"/tmp/vcpc-cgroups"

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

/* Where the state is none that the target gets into by itself */
static int bring_into_state(const struct cell *c)
{
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
		usleep(10000);
		return 0;
	default:
		return 0;
	}
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
	case OVERFLOWS:	return overflows_in(set, tid) == ~0ULL ? -EINVAL : 0;
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

static int call_as(const struct cell *c, __u64 random)
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

static bool says(const struct cell *c, char *byte)
{
	return read(c->hear, byte, 1) == 1;
}

/* Of what has gained privileges nothing is counted any more. */
static const char *wrong_with_program(const struct cell *c)
{
	struct room before = { 0 }, after = { 0 };
	bool counted;
	char rights, byte;

	if (!says(c, &rights))
		return "the program does not run";
	counted = c->deed != CLOSE && !set_sample(c->set, c->pid, &before);
	if (write(c->say, "x", 1) != 1 || !says(c, &byte) || byte != 'd')
		return "the program does not run on";
	/* Root may bind it all the same. */
	if (c->deed == BIND && c->who == ROOT)
		counted = false;
	if (rights == 'r' && counted && !set_sample(c->set, c->pid, &after) &&
	    after.sample.values[0] != before.sample.values[0])
		return "it is counted with privileges";
	/* Who traces it keeps it from gaining any, and has gone or has not by then. */
	if (rights != 'r' && c->state != EXECUTING && c->who != TRACER)
		return "the program has no privileges";
	return NULL;
}

/* How the target is afterwards; NULL if all is well */
static const char *wrong_with_target(const struct cell *c)
{
	const char *wrong = NULL;
	int status;

	if (c->state == CGROUP_FROZEN)
		write_file(CGROUPS "/target/cgroup.freeze", "0");
	if (c->state == STOPPED)
		kill(c->pid, SIGCONT);
	if (is_executing(c->state))
		wrong = wrong_with_program(c);
	c->shared->leave = true;
	close(c->say);
	if (waitpid(c->pid, &status, 0) != c->pid)
		return "it cannot be waited for";
	if (WIFSIGNALED(status))
		return "a signal killed it";
	if (WEXITSTATUS(status))
		return "it ended with another status";
	/* Whoever is frozen by an overflow was told of that one. */
	if (c->shared->told != (c->state == FROZEN && c->deed != BIND))
		return wrong ?: "it was sent the signal, or was not";
	return wrong;
}

static void start_target(struct cell *c)
{
	int to[2], from[2];

	memset(c->shared, 0, sizeof(*c->shared));
	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		abort();
	c->pid = fork();
	if (!c->pid)
		target(c, to, from);
	if (c->pid < 0)
		abort();
	close(to[0]);
	close(from[1]);
	c->say = to[1];
	c->hear = from[0];
}

static int expected(const struct cell *c)
{
	if (c->deed == BIND)
		return answer_of_bind(c->who, c->state);
	/* A thread's number means nothing there; without one it is all the same. */
	if (c->who == PID_NAMESPACE && c->deed != INSTANCES && c->deed != CLOSE)
		return INVAL;
	return answers[c->deed][c->state];
}

FIXTURE(table) {
	mode_t mode;
	char plain[32], suid[32], fcap[32];
	bool has_fcap, has_cgroups;
	struct shared *shared;
	int log;
	unsigned int cells, left_out;
	__u64 random;
};

static const char *program_for(FIXTURE_DATA(table) *self, enum state state)
{
	if (state == EXECUTING_SUID)
		return self->suid;
	return state == EXECUTING_FCAP ? self->fcap : self->plain;
}

FIXTURE_SETUP(table)
{
	self->mode = device_mode(0666);
	self->shared = shared_memory(sizeof(*self->shared));
	self->log = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);
	self->random = 1;
	strcpy(self->plain, "/tmp/vcpc-plain-XXXXXX");
	strcpy(self->suid, "/tmp/vcpc-suid-XXXXXX");
	strcpy(self->fcap, "/tmp/vcpc-fcap-XXXXXX");
	ASSERT_EQ(0, copy_program(self->plain, 0755));
	ASSERT_EQ(0, copy_program(self->suid, 04755));
	ASSERT_EQ(0, copy_program(self->fcap, 0755));
	self->has_fcap = !give_capability(self->fcap, CAP_NET_RAW);
	mkdir(CGROUPS, 0700);
	self->has_cgroups = !mount("cgroup2", CGROUPS, "cgroup2", 0, NULL);
	if (self->has_cgroups)
		ASSERT_EQ(0, mkdir(CGROUPS "/target", 0700));
}

FIXTURE_TEARDOWN(table)
{
	unlink(self->plain);
	unlink(self->suid);
	unlink(self->fcap);
	rmdir(CGROUPS "/target");
	if (self->has_cgroups)
		umount(CGROUPS);
	rmdir(CGROUPS);
	close(self->log);
	device_mode(self->mode);
}

static bool can_be(FIXTURE_DATA(table) *self, enum state state)
{
	if (state == EXECUTING_FCAP)
		return self->has_fcap;
	return state != CGROUP_FROZEN || self->has_cgroups;
}

static int new_set(enum deed deed)
{
	struct vcpc_request req = overflowing(&page_faults, FAR);

	/* Nobody but root may have others sent signals. */
	return overflow_set(&req, 1, 0, deed == BIND ? 0 : SIGUSR1);
}

/* One cell; NULL if all is well */
static const char *try_cell(FIXTURE_DATA(table) *self, struct cell *c, int *got)
{
	const char *wrong;

	c->set = new_set(c->deed);
	if (c->set < 0)
		return "there is no set";
	c->program = program_for(self, c->state);
	c->shared = self->shared;
	start_target(c);
	if (bring_into_state(c)) {
		kill(c->pid, SIGKILL);
		wrong = "it is not in that state";
		waitpid(c->pid, NULL, 0);
	} else {
		*got = call_as(c, chance(&self->random));
		wrong = wrong_with_target(c);
		if (*got == CANNOT)
			self->left_out++;
		else if (!(*got & expected(c)) || *got & ~expected(c))
			wrong = wrong ?: "the answer is not the contract's";
	}
	close(c->hear);
	if (c->deed != CLOSE)
		close(c->set);
	self->cells++;
	return wrong;
}

static unsigned int try_row(FIXTURE_DATA(table) *self, enum who who, enum deed deed)
{
	unsigned int state, bad = 0;
	char line[128];
	int len = snprintf(line, sizeof(line), "attack_table: %s: %s", who_names[who],
			   deed_names[deed]);

	if (write(self->log, line, len) < 0)
		remark("the kernel's log cannot be written");
	for (state = 0; state < STATES; state++) {
		struct cell c = { .who = who, .deed = deed, .state = state };
		const char *wrong;
		int got = 0;

		if (!can_be(self, state)) {
			self->left_out++;
			continue;
		}
		wrong = try_cell(self, &c, &got);
		if (!wrong)
			continue;
		bad++;
		remark("%s: %s: %s: %s (answer %#x, expected %#x)", who_names[who],
		       deed_names[deed], state_names[state], wrong, got, expected(&c));
	}
	return bad;
}

static unsigned int try_who(FIXTURE_DATA(table) *self, enum who who)
{
	unsigned long tries = number("ATTACK_ROUNDS", 1);
	unsigned int deed, bad = 0;

	while (tries--)
		for (deed = 0; deed < DEEDS; deed++)
			bad += try_row(self, who, deed);
	remark("%s: %u cells, %u left out as this machine has no such thing", who_names[who],
	       self->cells, self->left_out);
	return bad;
}

TEST_F_TIMEOUT(table, root, 10000)
{
	EXPECT_EQ(0, try_who(self, ROOT));
}

TEST_F_TIMEOUT(table, same_user, 10000)
{
	EXPECT_EQ(0, try_who(self, SAME_USER));
}

TEST_F_TIMEOUT(table, another_user, 10000)
{
	EXPECT_EQ(0, try_who(self, ANOTHER_USER));
}

TEST_F_TIMEOUT(table, tracer, 10000)
{
	EXPECT_EQ(0, try_who(self, TRACER));
}

TEST_F_TIMEOUT(table, passed_descriptor, 10000)
{
	EXPECT_EQ(0, try_who(self, RECEIVER));
}

TEST_F_TIMEOUT(table, user_namespace, 10000)
{
	EXPECT_EQ(0, try_who(self, USER_NAMESPACE));
}

TEST_F_TIMEOUT(table, pid_namespace, 10000)
{
	EXPECT_EQ(0, try_who(self, PID_NAMESPACE));
}

TEST_HARNESS_MAIN
