// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Permission and installation are one step: who was allowed to count a process, and is not any
 * more when the counters are installed, does not count it.
 *
 * The attacker is nobody and traces a process of his.  While one of his threads is in BIND, with
 * as many requests as a set may have, another detaches the process, which then executes a program
 * that gains privileges.  What that program does must not be counted.  ATTACK_BINDS in the
 * environment says how often.
 */
#include <sys/ptrace.h>

#include "attack.h"
#include "vcpc_test.h"

#define PAGES	100

/* After execve: says whether it has privileges, and touches pages whenever it is told to. */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	char byte = status_number(getpid(), "CapPrm", "%llx") ? 'r' : 'n';

	if (argc != 2 || strcmp(argv[1], "--victim"))
		return;
	while (write(1, &byte, 1) == 1 && read(0, &byte, 1) == 1) {
		touch(PAGES);
		byte = 'd';
	}
	_exit(0);
}

/*
 * struct tracee - the process that is counted
 * @pid: its number
 * @say: what it waits for
 * @hear: what it says
 */
struct tracee {
	pid_t pid;
	int say, hear;
};

static void start_tracee(struct tracee *t, const char *program)
{
	int to[2], from[2];
	char byte;

	if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC))
		abort();
	t->pid = fork();
	if (!t->pid) {
		dup2(to[0], 0);
		dup2(from[1], 1);
		close(to[1]);
		/* Until it is detached; then its program must not be stopped by anybody. */
		if (read(0, &byte, 1) == 1)
			execl(program, program, "--victim", NULL);
		_exit(3);
	}
	close(to[0]);
	close(from[1]);
	t->say = to[1];
	t->hear = from[0];
	if (t->pid < 0 || ptrace(PTRACE_SEIZE, t->pid, NULL, NULL))
		abort();
}

static void detach(const struct tracee *t)
{
	int status;

	if (ptrace(PTRACE_INTERRUPT, t->pid, NULL, NULL) || waitpid(t->pid, &status, 0) != t->pid ||
	    ptrace(PTRACE_DETACH, t->pid, NULL, NULL))
		abort();
}

/* A byte that it says, 0 if it says no more */
static char hear(const struct tracee *t)
{
	char byte = 0;

	return read(t->hear, &byte, 1) == 1 ? byte : 0;
}

/*
 * struct binder - the thread that binds
 * @set: what
 * @pid: to which process
 * @begin: it may begin
 * @begun: when it began
 * @took: how long it was in BIND
 * @ret: what BIND gave
 */
struct binder {
	int set;
	pid_t pid;
	volatile bool begin;
	volatile __u64 begun;
	__u64 took;
	int ret;
};

static void *binds(void *arg)
{
	struct binder *b = arg;

	run_on_cpu(1);
	while (!b->begin)
		;
	b->begun = now();
	b->ret = set_bind(b->set, 0, b->pid);
	b->took = now() - b->begun;
	return NULL;
}

/* As many requests as it takes, of events that are there everywhere */
static int large_set(void)
{
	static struct vcpc_request requests[2048];
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device = device_open(), set;
	unsigned int i, nr;

	if (call(device, VCPC_IOC_INFO, &info))
		return -EIO;
	nr = info.max_requests / 2;
	for (i = 0; i < nr; i++)
		requests[i] = page_faults;
	do {
		set = set_create(device, requests, nr, 0);
		nr /= 2;
	} while (nr && set < 0);
	close(device);
	return set;
}

struct large_room {
	struct vcpc_sample sample;
	__u64 values[2048];
};

static int large_sample(int set, pid_t tid, struct large_room *room)
{
	struct vcpc_sample_args args = {
		.size = sizeof(args), .tid = tid, .buf_size = sizeof(*room), .buf = pointer(room),
	};

	return call(set, VCPC_IOC_SAMPLE, &args);
}

/* What came of all tries */
struct outcome {
	unsigned int before, refused, counted, no_rights, errors;
	__u64 longest;
};

/* The program runs with its privileges, and BIND has given its answer: is it counted? */
static void look_at(const struct binder *b, const struct tracee *t, struct outcome *sum)
{
	static struct large_room first, second;

	sum->refused += b->ret != 0;
	if (b->ret || large_sample(b->set, t->pid, &first))
		return;
	if (write(t->say, "x", 1) != 1 || hear(t) != 'd') {
		sum->errors++;
		return;
	}
	if (large_sample(b->set, t->pid, &second)) {
		sum->errors++;
		return;
	}
	if (first.sample.values[0] != second.sample.values[0] ||
	    !(second.sample.state & VCPC_STATE_EXITED))
		sum->counted++;
	else
		sum->before++;
}

/* @after: when to detach, from the beginning of BIND on */
static void bind_one(const char *program, int set, __u64 after, struct outcome *sum)
{
	struct binder b = { .set = set };
	struct tracee t;
	pthread_t thread;
	char rights;

	start_tracee(&t, program);
	b.pid = t.pid;
	if (pthread_create(&thread, NULL, binds, &b))
		abort();
	b.begin = true;
	while (!b.begun)
		;
	spin_until(b.begun + after);
	detach(&t);
	if (write(t.say, "x", 1) != 1)
		abort();
	rights = hear(&t);
	pthread_join(thread, NULL);

	if (rights == 'r')
		look_at(&b, &t, sum);
	else
		sum->no_rights++;
	if (b.took > sum->longest)
		sum->longest = b.took;
	set_target(set, VCPC_IOC_UNBIND, t.pid);
	close(t.say);
	waitpid(t.pid, NULL, 0);
	close(t.hear);
}

struct attack {
	const char *program;
	unsigned long tries;
};

static int attacks(void *arg)
{
	const struct attack *a = arg;
	struct outcome sum = { .longest = 1000 * USEC };
	__u64 random = 1;
	unsigned long i;
	int set;

	if (become_user(NOBODY))
		return 1;
	run_on_cpu(0);
	set = large_set();
	if (set < 0)
		return 2;
	for (i = 0; i < a->tries; i++)
		bind_one(a->program, set, chance(&random) % (sum.longest + sum.longest / 8), &sum);
	remark("%lu programs, BIND up to %llu us: %u bound before and ended, %u refused, %u counted with privileges; %u gained none, %u calls failed",
	       a->tries, sum.longest / USEC, sum.before, sum.refused, sum.counted, sum.no_rights,
	       sum.errors);
	if (sum.counted)
		return 10;
	return sum.no_rights || sum.errors ? 5 : 0;
}

FIXTURE(binds) {
	mode_t mode;
	char program[32];
	unsigned long tries;
};

FIXTURE_SETUP(binds)
{
	self->mode = device_mode(0666);
	self->tries = number("ATTACK_BINDS", 20);
	strcpy(self->program, "/tmp/vcpc-attack-XXXXXX");
}

FIXTURE_TEARDOWN(binds)
{
	unlink(self->program);
	device_mode(self->mode);
}

TEST_F_TIMEOUT(binds, detached_and_set_user_id, 100000)
{
	struct attack a = { .program = self->program, .tries = self->tries };

	NEED_TWO_CPUS();
	ASSERT_EQ(0, copy_program(self->program, 04755));
	EXPECT_EQ(0, in_child(attacks, &a));
}

TEST_F_TIMEOUT(binds, detached_and_file_capabilities, 100000)
{
	struct attack a = { .program = self->program, .tries = self->tries };
	int ret;

	NEED_TWO_CPUS();
	ASSERT_EQ(0, copy_program(self->program, 0755));
	ret = give_capability(self->program, CAP_NET_RAW);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no file capabilities on /tmp");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, in_child(attacks, &a));
}

TEST_HARNESS_MAIN
