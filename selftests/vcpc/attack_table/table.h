/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cells of the table, each with a caller, a call and a state of the target */
#ifndef ATTACK_TABLE_TABLE_H
#define ATTACK_TABLE_TABLE_H

#include "../attack.h"
#include "../overflow.h"

#define OTHER_USER	(NOBODY - 1)
#define PAGES		50
/* Number of events until the first request overflows.  Only targets that must freeze use NEAR. */
#define FAR		(1ULL << 40)
#define NEAR		10

enum state {
	RUNNING, SLEEPING, STOPPED, FROZEN, CGROUP_FROZEN, DEAD, DEAD_LEADER, DYING,
	KILLED_IN_SIGNAL, KILLED_BY_SECCOMP, IN_VFORK, SHARES_MEMORY,
	EXECUTING, EXECUTING_SUID, EXECUTING_FCAP, EXECUTING_UNREADABLE, ENDED_ALIVE, STATES,
};

enum who { ROOT, SAME_USER, ANOTHER_USER, TRACER, RECEIVER, USER_NAMESPACE, PID_NAMESPACE, WHOS };

enum deed {
	BIND, SAMPLE, TOTAL, PRESET, RESTART, ENABLE, DISABLE, INSTANCES, UNBIND, UNBIND_ALL,
	CLOSE, DEEDS,
};

/* Possible results as bits, because several results are correct in some states */
enum { OK = 1, INVAL = 2, OTHER = 64 };

/*
 * struct shared - memory shared by all processes of a cell
 * @ready: the target has finished its part of the preparation
 * @go: the target must now exit or execute the program
 * @leave: running or sleeping processes must finish
 * @signals: number of received signals
 * @pid: the target's PID, if fork() does not return it
 * @rights: the output of a program executed before the call: 'r' if it has privileges
 */
struct shared {
	volatile bool ready, go, leave;
	volatile int signals;
	volatile pid_t pid;
	volatile char rights;
};

/*
 * struct cell - one cell of the table
 * @who, @deed, @state: its caller, call and state
 * @set: the set
 * @program: the program that the target executes
 * @shared: see struct shared
 * @pid: the target
 * @helper: another process that the state needs, or 0
 * @say, @hear: pipes to and from the target after execve
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

/* Mount point of the cgroup hierarchy that some states need */
#define CGROUPS	"/tmp/vcpc-cgroups"

#endif /* ATTACK_TABLE_TABLE_H */
