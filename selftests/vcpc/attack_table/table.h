/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cells of the table: their targets, the targets' states, and the callers. */
#ifndef ATTACK_TABLE_TABLE_H
#define ATTACK_TABLE_TABLE_H

#include "../attack.h"
#include "../overflow.h"

#define OTHER_USER	(NOBODY - 1)
#define PAGES		50
/* How many that the first request counts lead to its overflow: only the frozen come so far */
#define FAR		(1ULL << 40)
#define NEAR		10

/* Which states of the target there are */
enum state {
	RUNNING, SLEEPING, STOPPED, FROZEN, CGROUP_FROZEN, DEAD, DEAD_LEADER, DYING,
	KILLED_IN_SIGNAL, KILLED_BY_SECCOMP, IN_VFORK, SHARES_MEMORY,
	EXECUTING, EXECUTING_SUID, EXECUTING_FCAP, EXECUTING_UNREADABLE, ENDED_ALIVE, STATES,
};

/* Who calls */
enum who { ROOT, SAME_USER, ANOTHER_USER, TRACER, RECEIVER, USER_NAMESPACE, PID_NAMESPACE, WHOS };

/* What is called */
enum deed {
	BIND, SAMPLE, TOTAL, PRESET, RESTART, ENABLE, DISABLE, INSTANCES, UNBIND, UNBIND_ALL,
	CLOSE, DEEDS,
};

/* Answers, as bits: in some states more than one is right. */
enum { OK = 1, INVAL = 2, OTHER = 64 };

/*
 * struct shared - shared by all processes of a cell
 * @ready: the target has prepared everything it can do by itself
 * @go: it must now exit or execute
 * @leave: running or sleeping processes must finish
 * @told: number of received signals
 * @pid: the target's PID, if it is not the result of fork()
 * @rights: the output of a program executed before the call: 'r' if it has privileges
 */
struct shared {
	volatile bool ready, go, leave;
	volatile int told;
	volatile pid_t pid;
	volatile char rights;
};

/*
 * struct cell - one row and column of the table
 * @who, @deed, @state: which
 * @set: the set
 * @program: what it executes
 * @shared: see there
 * @pid: the target
 * @helper: another process that the state needs, or 0
 * @say, @hear: to it and from it, after execve
 */
struct cell {
	enum who who;
	enum deed deed;
	enum state state;
	int set;
	const char *program;
	struct shared *shared;
	pid_t pid, helper;
	int say, hear;
};

bool is_executing(enum state state);
bool dies_meanwhile(enum state state);
void start_target(struct cell *c);
int bring_into_state(struct cell *c);
int expected(const struct cell *c);
int call_as(const struct cell *c, __u64 random);
const char *wrong_with_target(const struct cell *c);

/* The tree of cgroups that those cells need, mounted there */
#define CGROUPS	"/tmp/vcpc-cgroups"

#endif /* ATTACK_TABLE_TABLE_H */
