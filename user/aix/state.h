/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The API's state of this process: its tables, and its contexts. */
#ifndef SHIM_AIX_STATE_H
#define SHIM_AIX_STATE_H

#include <stdatomic.h>

#include "program.h"

#define AIX_ONLINE	256

/*
 * struct shim_aix_sums - accumulated counts
 * @time: the time of the read
 * @state: VCPC_STATE_*
 * @tick: the target's time while counting
 * @values: one value for each request
 * @turns: one element for each set; NULL for a program of AIX_PLAIN
 */
struct shim_aix_sums {
	__u64 time;
	__u32 state;
	__u64 tick;
	__u64 *values;
	struct shim_group_sample *turns;
};

/*
 * struct shim_aix_context - a program that is set
 * @next: next context in the process's list
 * @at: the pointer to this context in the list
 * @refs: held by the list, and by each thread that has it
 * @removed: true once it has been removed from the list
 * @number: unique within the process
 * @root: the thread for which the program was set; 0 for the system
 * @since: the time when it was set, from shim_aix_target__tick(); threads that started earlier did
 *   not inherit it
 * @scope: AIX_SYSTEM, AIX_THREAD or AIX_GROUP
 * @bind: VCPC_BIND_F_* and SHIM_BIND_F_* used for binding its threads
 * @remote: true if it is controlled from outside the threads that it counts
 * @tree: for the system: it counts only a process and its descendants
 * @online: for the system: the online processors when it was last bound, as the list in /sys
 * @on: for a group and the system: true while counting
 * @process: a group of all a process's threads
 * @stopped: the time when it was last stopped, if not @on
 * @base: counts before the last reset, which are subtracted; or NULL
 */
struct shim_aix_context {
	struct shim_aix_context *next, **at;
	atomic_uint refs;
	atomic_bool removed;
	unsigned long long number;
	pid_t root;
	__u64 since;
	enum shim_aix_scope scope;
	struct shim_aix_program program;
	struct shim_counters *counters;
	unsigned int bind;
	bool remote;
	bool tree;
	char online[AIX_ONLINE];
	bool on;
	bool process;
	__u64 stopped;
	struct shim_aix_sums *base;
};

/*
 * struct shim_aix_state - the process's state
 * @initialised: events of the classes in @filter may be counted
 * @views: the tables that pm_init() and pm_initialize() have returned, by filter
 * @nprograms: number of contexts created, the source of their numbers
 * @generation: changes when another thread's call may have given a context to a thread that had
 *   none
 */
struct shim_aix_state {
	struct shim_session *session;
	struct shim_aix_table table;
	bool has_table;
	bool initialised;
	int filter;
	struct shim_aix_view *views[AIX_CLASSES + 1];
	struct shim_aix_context *contexts;
	unsigned int nthreads;
	unsigned long long nprograms;
	unsigned int generation;
};

/*
 * struct shim_aix_call - a call in progress on an existing context
 * @tid: the thread or CPU
 */
struct shim_aix_call {
	struct shim_aix_state *state;
	struct shim_aix_who who;
	struct shim_aix_context *ctx;
	pid_t tid;
};

int shim_aix_state__call(struct shim_aix_who who, int (*fn)(struct shim_aix_call *call, void *arg),
			 void *arg);

/* init.c: tables as returned by pm_init() and pm_initialize() */
struct shim_aix_view;

struct shim_aix_state *shim_aix_state__lock(void);
int shim_aix_state__enter(struct shim_aix_state **state);
void shim_aix_state__leave(struct shim_aix_state *state);
int shim_aix_state__session(struct shim_aix_state *state);

int shim_aix_state__find(struct shim_aix_state *state, struct shim_aix_who who,
			 struct shim_aix_context **ctx, pid_t *tid);
int shim_aix_state__of_thread(struct shim_aix_state *state, pid_t tid,
			      struct shim_aix_context **ctx);
int shim_aix_state__claim(struct shim_aix_state *state, enum shim_aix_scope scope);
void shim_aix_state__unclaim(struct shim_aix_state *state, enum shim_aix_scope scope);
int shim_aix_state__search(const struct shim_aix_state *state, pid_t tid,
			   struct shim_aix_context **found);
void shim_aix_state__add(struct shim_aix_state *state, struct shim_aix_context *ctx, bool own);
void shim_aix_state__remove(struct shim_aix_state *state, struct shim_aix_context *ctx);
void shim_aix_context__get(struct shim_aix_context *ctx);
void shim_aix_context__put(struct shim_aix_context *ctx);
int shim_aix_state__deserted(const struct shim_aix_context *ctx, pid_t but);
bool shim_aix_state__is_member(const struct shim_aix_call *call);
int shim_aix_state__members(const struct shim_aix_context *ctx, unsigned int *members);

/* self.c */
int shim_aix_self__context(struct shim_aix_state *state, struct shim_aix_context **ctx);
void shim_aix_self__has(struct shim_aix_state *state, struct shim_aix_context *ctx);
void shim_aix_self__lost(struct shim_aix_state *state, const struct shim_aix_context *ctx);
bool shim_aix_self__forked(void);

/* target.c: a thread's start time, which is read only once from /proc */
struct shim_aix_start {
	bool known;
	__u64 tick;
};

__u64 shim_aix_target__tick(void);
__u64 shim_aix_target__start(struct shim_aix_start *start, pid_t tid);
int shim_aix_target__check(struct shim_aix_who who, pid_t *tid);
bool shim_aix_target__is_in(pid_t tid, pid_t process);
int shim_aix_target__nth_cpu(int n);
int shim_aix_target__each_cpu(int (*fn)(void *arg, int cpu), void *arg);
int shim_aix_target__each_thread(pid_t tid, int (*fn)(void *arg, pid_t tid), void *arg);

/* target.c */
int shim_aix_cpus__bind(struct shim_aix_context *ctx);
void shim_aix_cpus__follow(struct shim_aix_context *ctx);

/* set.c */
int shim_aix_sums__read(const struct shim_aix_context *ctx, pid_t tid, unsigned int flags,
			struct shim_aix_sums **sums);
int shim_aix_sums__state(const struct shim_aix_context *ctx, pid_t tid, __u32 *state);
void shim_aix_sums__subtract(const struct shim_aix_context *ctx, struct shim_aix_sums *sums,
			     const struct shim_aix_sums *base);

int shim_aix_turn__on(const struct shim_aix_context *ctx, pid_t tid);

#endif /* SHIM_AIX_STATE_H */
