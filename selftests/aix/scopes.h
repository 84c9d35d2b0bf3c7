/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Define one row per family of calls, so that each test covers all families. */
#ifndef AIX_SCOPES_H
#define AIX_SCOPES_H

#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "aix_test.h"

/* The calls of one family */
struct scope {
	const char *name;
	int mode;
	int (*set)(pm_prog_t *prog);
	int (*set_mx)(pm_prog_mx_t *prog);
	int (*set_mm)(pm_prog_mm_t *prog);
	int (*get)(pm_prog_t *prog);
	int (*get_mx)(pm_prog_mx_t *prog);
	int (*get_mm)(pm_prog_mm_t *prog);
	int (*start)(void);
	int (*tstart)(timebasestruct_t *when);
	int (*stop)(void);
	int (*tstop)(timebasestruct_t *when);
	int (*reset)(void);
	int (*data)(pm_data_t *data);
	int (*tdata)(pm_data_t *data, timebasestruct_t *when);
	int (*Tdata)(pm_data_t *data, pm_accu_time_t *times);
	int (*data_mx)(pm_data_mx_t *data);
	int (*tdata_mx)(pm_data_mx_t *data, timebasestruct_t *when);
	int (*drop)(void);
};

#define SCOPE(name, mode, s)						\
	{ name, mode, pm_set_program##s, pm_set_program##s##_mx,		\
	  pm_set_program##s##_mm, pm_get_program##s, pm_get_program##s##_mx,	\
	  pm_get_program##s##_mm, pm_start##s, pm_tstart##s, pm_stop##s,	\
	  pm_tstop##s, pm_reset_data##s, pm_get_data##s, pm_get_tdata##s,	\
	  pm_get_Tdata##s, pm_get_data##s##_mx, pm_get_tdata##s##_mx,		\
	  pm_delete_program##s }

/* A stopped child that this process traces; the target of calls on other processes */
static pid_t target UNUSED;

static inline void start_target(void)
{
	target = fork();
	if (!target) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (;;)
			raise(SIGSTOP);
	}
	if (target < 0 || waitpid(target, NULL, 0) != target)
		abort();
}

static inline void end_target(void)
{
	kill(target, SIGKILL);
	waitpid(target, NULL, 0);
}

/* Define functions that call @call for another thread, whose IDs are the first arguments. */
#define CALL(as, call, type, arg, ...)						\
static inline int as(type arg) { return call(__VA_ARGS__, arg); }
#define CALL_TIMED(as, call, type, second, ...)					\
static inline int as(type data, second when) { return call(__VA_ARGS__, data, when); }
#define CALL_BARE(as, call, ...)						\
static inline int as(void) { return call(__VA_ARGS__); }

#define OF_TARGET(s, ...)							\
CALL(set##s, pm_set_program##s, pm_prog_t *, prog, __VA_ARGS__)			\
CALL(set##s##_mx, pm_set_program##s##_mx, pm_prog_mx_t *, prog, __VA_ARGS__)	\
CALL(set##s##_mm, pm_set_program##s##_mm, pm_prog_mm_t *, prog, __VA_ARGS__)	\
CALL(get##s, pm_get_program##s, pm_prog_t *, prog, __VA_ARGS__)			\
CALL(get##s##_mx, pm_get_program##s##_mx, pm_prog_mx_t *, prog, __VA_ARGS__)	\
CALL(get##s##_mm, pm_get_program##s##_mm, pm_prog_mm_t *, prog, __VA_ARGS__)	\
CALL_BARE(start##s, pm_start##s, __VA_ARGS__)					\
CALL(tstart##s, pm_tstart##s, timebasestruct_t *, when, __VA_ARGS__)		\
CALL_BARE(stop##s, pm_stop##s, __VA_ARGS__)					\
CALL(tstop##s, pm_tstop##s, timebasestruct_t *, when, __VA_ARGS__)		\
CALL_BARE(reset##s, pm_reset_data##s, __VA_ARGS__)				\
CALL(data##s, pm_get_data##s, pm_data_t *, data, __VA_ARGS__)			\
CALL_TIMED(tdata##s, pm_get_tdata##s, pm_data_t *, timebasestruct_t *, __VA_ARGS__) \
CALL_TIMED(Tdata##s, pm_get_Tdata##s, pm_data_t *, pm_accu_time_t *, __VA_ARGS__) \
CALL(data##s##_mx, pm_get_data##s##_mx, pm_data_mx_t *, data, __VA_ARGS__)	\
CALL_TIMED(tdata##s##_mx, pm_get_tdata##s##_mx, pm_data_mx_t *, timebasestruct_t *, \
	   __VA_ARGS__)								\
CALL_BARE(drop##s, pm_delete_program##s, __VA_ARGS__)

OF_TARGET(_thread, target, target)
OF_TARGET(_pthread, target, target, target)
OF_TARGET(_group, target, target)
OF_TARGET(_pgroup, target, 0, target)

#define THIRD(name, mode, s)						\
	{ name, mode, set##s, set##s##_mx, set##s##_mm, get##s, get##s##_mx,	\
	  get##s##_mm, start##s, tstart##s, stop##s, tstop##s, reset##s, data##s, \
	  tdata##s, Tdata##s, data##s##_mx, tdata##s##_mx, drop##s }

static const struct scope scopes[] = {
	SCOPE("mythread", 0, _mythread),
	SCOPE("mygroup", 0, _mygroup),
	SCOPE("process", PM_PROCESS, _mygroup),
	SCOPE("system", 0,),
	SCOPE("tree", PM_PROCTREE,),
	THIRD("thread", 0, _thread),
	THIRD("pthread", 0, _pthread),
	THIRD("group", 0, _group),
	THIRD("pgroup", PM_PROCESS, _pgroup),
};

#define EACH_SCOPE(s)	\
	for (const struct scope *s = scopes; s < scopes + sizeof(scopes) / sizeof(scopes[0]); s++)

#define EXPECT_CODE(code, call)	EXPECT_EQ(code, call) TH_LOG("%s", s->name)

#endif /* AIX_SCOPES_H */
