// SPDX-License-Identifier: GPL-2.0-or-later
/* Trace to an agent with both protocols, and with tracing off, while system calls fail. */
#include <dlfcn.h>

#include "fail/shared/sweep.h"
#include "trace/agent_fake.h"

#define WAIT_MS	2000	/* timeout for an event to arrive */

enum kind { TRANSACTION = 1, POINT, OBSERVATION, COUNTER };

static struct agent *agent;
static pid_t agent_pid;
static int had[5];	/* number of events of each kind that have arrived */
static unsigned long long lost;
static time_t skipped;

/*
 * Skip the time for which the library does not connect after a failure.  The function must be
 * visible to replace the C library's clock.
 */
__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, struct timespec *now)
{
	static int (*real)(clockid_t, struct timespec *);
	int err;

	if (!real)
		real = (typeof(real))dlsym(RTLD_NEXT, "clock_gettime");
	err = real(clock, now);
	if (!err && clock == CLOCK_MONOTONIC)
		now->tv_sec += skipped;
	return err;
}

static void serve(void)
{
	setenv("PCP_TRACE_RECONNECT", "1", 1);
	agent = agent_start_apart((struct agent_manners) { 0 }, &agent_pid);
	if (!agent)
		_exit(1);
}

static void serve_asynchronous(void)
{
	serve();
	if (pmtracestate(PMTRACE_STATE_ASYNC) < 0)
		_exit(1);
}

static void serve_nobody(void)
{
	serve();
	setenv("SHIM_TRACE", "none", 1);
}

static void stop_serving(void)
{
	agent_stop_apart(agent, agent_pid);
	say("connections %d, broken events %d\n", agent->connections > 0, agent->bad);
}

/* Wait until an event arrives, because later connections are made in the background. */
static void reconnect(void)
{
	unsigned long long before;

	skipped += 2;
	for (int i = 0; i < 400; i++) {
		before = shim_trace_lost();
		if (!pmtracepoint("again") && shim_trace_lost() == before)
			break;
		usleep(5000);
	}
	lost = shim_trace_lost();
}

/* Return a call's result, or an error if events of a lost connection were counted as lost. */
static long told(long err)
{
	if (!err && shim_trace_lost() != lost)
		err = -EPIPE;
	if (err < 0)
		reconnect();
	return err;
}

/*
 * Begin and end a transaction.  The transaction has ended even if the end event could not be sent.
 */
static long transact(void)
{
	long err = pmtracebegin("transaction");

	return told(err ? err : pmtraceend("transaction"));
}

/*
 * Wait for an event.  Send other events, because the rest of a partly sent event is sent with the
 * next one.
 */
static bool arrives(enum kind kind)
{
	for (int i = 0; i < WAIT_MS && agent->kinds[kind] <= had[kind]; i++) {
		usleep(1000);
		if (i % 50 != 49)
			continue;
		if (kind == POINT)
			pmtraceobs("nudge", 0);
		else
			pmtracepoint("nudge");
	}
	if (agent->kinds[kind] <= had[kind])
		return false;
	for (int i = 1; i < 5; i++)
		had[i] = agent->kinds[i];
	return true;
}

static void trace(void)
{
	for (int i = 0; i < 2; i++) {
		say("transaction %ld", TRY(transact()));
		say(" arrives %d\n", arrives(TRANSACTION));
		say("point %ld", TRY(told(pmtracepoint("point"))));
		say(" arrives %d\n", arrives(POINT));
		say("observation %ld", TRY(told(pmtraceobs("observation", 7))));
		say(" arrives %d\n", arrives(OBSERVATION));
		say("counter %ld", TRY(told(pmtracecounter("counter", 8))));
		say(" arrives %d\n", arrives(COUNTER));
	}
}

static void trace_nothing(void)
{
	say("transaction %ld\n", TRY(transact()));
	say("point %ld\n", TRY(pmtracepoint("point")));
	say("observation %ld\n", TRY(pmtraceobs("observation", 7)));
	say("counter %ld\n", TRY(pmtracecounter("counter", 8)));
	say("events %d\n", agent->events);
}

static const struct sweep_case cases[] = {
	{ .name = "agent", .before = serve, .run = trace, .after = stop_serving },
	{ .name = "async", .before = serve_asynchronous, .run = trace, .after = stop_serving },
	{ .name = "off", .before = serve_nobody, .run = trace_nothing, .after = stop_serving },
};

int main(void)
{
	return sweep(cases, sizeof(cases) / sizeof(cases[0]));
}
