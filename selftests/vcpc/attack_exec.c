// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a counter overflows while the thread executes a program that gains privileges, this program
 * must not receive the set's signal, which the attacker is not permitted to send.
 *
 * The attacker runs as an unprivileged user.  A child of the attacker binds the set, whose signal
 * is SIGKILL, to itself.  Its counter overflows when it executes a set-user-ID program of root,
 * while the attacker holds the set's lock.  ATTACK_TRIES in the environment sets the number of
 * children.
 */
#include "attack.h"
#include "overflow.h"
#include "vcpc_test.h"

#define CROWD	200
/* Time for which the privileged program runs, long enough for a late signal to arrive */
#define LIFE_US	20000

/* Run this in the program after execve: print whether it has privileges, sleep, and exit. */
__attribute__((constructor)) static void after_exec(int argc, char **argv)
{
	__u64 rights;

	if (argc != 2 || strcmp(argv[1], "--victim"))
		return;
	rights = status_number(getpid(), "CapPrm", "%llx");
	if (write(1, rights ? "r" : "n", 1) != 1)
		_exit(1);
	usleep(LIFE_US);
	_exit(0);
}

/*
 * struct attack - an attack's parameters
 * @program: the program that gains privileges
 * @set: the attacker's set
 * @tries: number of attempts
 * @moment: when the child executes the program; in shared memory
 */
struct attack {
	const char *program;
	int set;
	unsigned long tries;
	struct moment *moment;
};

/* Results of all attempts */
struct outcome {
	unsigned int survived, killed_before, killed_after, killed_and_spoke, no_rights, errors;
};

/* Execute the program, in the child. */
static void execute(const struct attack *a, int said)
{
	run_on_cpu(1);
	dup2(said, 1);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(1);
	if (set_bind(a->set, 0) || set_preset(a->set, 0, -a->moment->events))
		_exit(2);
	moment_wait(a->moment, a->set);
	execl(a->program, a->program, "--victim", NULL);
	_exit(3);
}

/* Record how the child ended, and whether it had privileges, which a zombie still shows. */
static void note_end(pid_t pid, char said, struct aim *aim, struct outcome *sum)
{
	siginfo_t info;
	bool had_rights;

	if (waitid(P_PID, pid, &info, WEXITED | WNOWAIT))
		abort();
	had_rights = said == 'r' || status_number(pid, "CapPrm", "%llx");
	waitpid(pid, NULL, 0);
	if (info.si_code == CLD_KILLED && info.si_status == SIGKILL) {
		sum->killed_before += !had_rights;
		sum->killed_after += had_rights;
		sum->killed_and_spoke += said == 'r';
	} else if (info.si_code == CLD_EXITED && !info.si_status) {
		sum->survived += said == 'r';
		sum->no_rights += said != 'r';
	} else {
		sum->errors++;
		return;
	}
	/* A child that was not killed has executed the program before the overflow. */
	aim_next(aim, info.si_code == CLD_EXITED, USEC);
}

static void execute_one(const struct attack *a, struct aim *aim, struct outcome *sum)
{
	char said = 0;
	int ends[2];
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = fork();
	if (!pid)
		execute(a, ends[1]);
	close(ends[1]);
	if (moment_begin(a->moment))
		kill(pid, SIGTERM);
	if (pid < 0 || read(ends[0], &said, 1) < 0)
		abort();
	close(ends[0]);
	moment_over(a->moment);
	note_end(pid, said, aim, sum);
}

static int execute_many(const struct attack *a, struct holder *holder)
{
	struct aim aims[MOMENTS] = MOMENTS_AIMS;
	struct outcome sum = { 0 };
	unsigned long i;

	run_on_cpu(0);
	for (i = 0; i < a->tries; i++) {
		moment_choose(a->moment, i % MOMENTS, &aims[i % MOMENTS], holder);
		execute_one(a, &aims[i % MOMENTS], &sum);
	}
	remark("%lu programs: %u survived, %u killed before they gained privileges, %u after (%u had begun to run), %u gained none; %u calls failed",
	       a->tries, sum.survived, sum.killed_before, sum.killed_after, sum.killed_and_spoke,
	       sum.no_rights, sum.errors);
	if (sum.killed_after)
		return 10;
	if (sum.no_rights || sum.errors > a->tries / 10)
		return 5;
	/* If one of these is 0, overflow and execve never coincided. */
	return sum.survived && sum.killed_before ? 0 : 6;
}

static int attacks(void *arg)
{
	struct vcpc_request req = overflowing(&cycles, 0);
	struct holder *holder = shared_memory(sizeof(*holder));
	struct attack *a = arg;

	if (become_user(NOBODY))
		return 1;
	a->set = overflow_set(&req, 1, 0, SIGKILL);
	a->moment = shared_memory(sizeof(*a->moment));
	if (a->set < 0)
		return 2;
	*holder = (struct holder) { .set = a->set, .cpu = 2, .rests = true };
	/* The crowd's process exits when this one does. */
	if (start_crowd(holder, CROWD))
		return 3;
	return execute_many(a, holder);
}

FIXTURE(execs) {
	mode_t mode;
	char program[32];
	unsigned long tries;
};

FIXTURE_SETUP(execs)
{
	self->mode = device_mode(0666);
	self->tries = number("ATTACK_TRIES", 200);
	strcpy(self->program, "/tmp/vcpc-attack-XXXXXX");
}

FIXTURE_TEARDOWN(execs)
{
	unlink(self->program);
	device_mode(self->mode);
}

TEST_F_TIMEOUT(execs, overflow_beside_set_user_id, 100000)
{
	struct attack a = { .program = self->program, .tries = self->tries };

	NEED_TWO_CPUS();
	if (!hw_slots())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, copy_program(self->program, 04755));
	EXPECT_EQ(0, in_child(attacks, &a));
}

/* File capabilities are another way to gain privileges. */
TEST_F_TIMEOUT(execs, overflow_beside_file_capabilities, 100000)
{
	struct attack a = { .program = self->program, .tries = self->tries };
	int ret;

	NEED_TWO_CPUS();
	if (!hw_slots())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, copy_program(self->program, 0755));
	ret = give_capability(self->program, CAP_NET_RAW);
	if (ret == -EOPNOTSUPP)
		SKIP(return, "no file capabilities on /tmp");
	ASSERT_EQ(0, ret);
	EXPECT_EQ(0, in_child(attacks, &a));
}

TEST_HARNESS_MAIN
