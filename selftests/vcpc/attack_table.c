// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For each combination of a caller, a call and a state of the target, the call returns the
 * documented result, and the target is unharmed.
 *
 * Each cell of the table has a separate target, an unprivileged process that has bound the set to
 * itself and enters the state, and a process of the caller's kind, which makes the call.  After the
 * call, the target must still run if it ran before, must not have received the set's signal, and
 * must no longer be counted if it has gained privileges or executes a program that the caller
 * cannot read.  The row is logged in the kernel log, in case the machine hangs.
 */
#include <sys/mount.h>

#include "attack_table/table.h"
#include "vcpc_test.h"

static const char *const state_names[STATES] = {
	"running on another CPU", "sleeping", "stopped", "frozen by an overflow", "frozen by a cgroup",
	"dead", "a dead first thread", "dying", "killed inside a signal", "killed by seccomp",
	"in vfork", "sharing another process's memory", "executing", "executing set-user-ID",
	"executing with file capabilities", "executing what may not be read",
	"ended by execve, and alive",
};

static const char *const who_names[WHOS] = {
	"root", "the same user", "another user", "a tracer", "one who was passed the descriptor",
	"root of a user namespace", "a process in a pid namespace",
};

static const char *const deed_names[DEEDS] = {
	"BIND", "SAMPLE", "TOTAL", "PRESET", "RESTART", "ENABLE", "DISABLE", "INSTANCES",
	"UNBIND", "UNBIND of all", "close",
};

FIXTURE(table) {
	mode_t mode;
	char plain[32], suid[32], fcap[32], unreadable[32];
	bool has_fcap, has_cgroups, has_seccomp;
	struct shared *shared;
	int log;
	unsigned int cells, left_out;
	__u64 random;
};

static const char *program_for(FIXTURE_DATA(table) *self, enum state state)
{
	if (state == EXECUTING_SUID)
		return self->suid;
	if (state == EXECUTING_UNREADABLE || state == ENDED_ALIVE)
		return self->unreadable;
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
	strcpy(self->unreadable, "/tmp/vcpc-unread-XXXXXX");
	ASSERT_EQ(0, copy_program(self->plain, 0755));
	ASSERT_EQ(0, copy_program(self->suid, 04755));
	ASSERT_EQ(0, copy_program(self->fcap, 0755));
	ASSERT_EQ(0, copy_program(self->unreadable, 0111));
	self->has_seccomp = prctl(PR_GET_SECCOMP) == 0;
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
	unlink(self->unreadable);
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
	if (state == KILLED_BY_SECCOMP)
		return self->has_seccomp;
	return state != CGROUP_FROZEN || self->has_cgroups;
}

static int new_set(void)
{
	struct vcpc_request req = overflowing(&page_faults, FAR);

	return overflow_set(&req, 1, 0, SIGUSR1);
}

/* Test one cell.  Return NULL if the result is correct, otherwise what is wrong. */
static const char *try_cell(FIXTURE_DATA(table) *self, struct cell *c, int *got)
{
	const char *wrong;

	c->set = new_set();
	if (c->set < 0)
		return "there is no set";
	c->program = program_for(self, c->state);
	c->shared = self->shared;
	start_target(c);
	if (bring_into_state(c)) {
		wrong = "it is not in that state";
		c->shared->leave = true;
		kill(c->pid, SIGKILL);
		waitpid(c->pid, NULL, 0);
		if (c->helper)
			waitpid(c->helper, NULL, 0);
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
		remark("the kernel log cannot be written");
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
	remark("%s: %u cells, %u omitted because this machine lacks a feature", who_names[who],
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
