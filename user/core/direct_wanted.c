// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Count what the tracing session wants, in threads that write their statistics themselves.
 *
 * The whole process shares one set, which each thread binds to itself.  A thread that has its own
 * set for transactions keeps that set.  At most ten times per second, a thread that begins a
 * transaction checks whether the session wants something else.
 *
 * Locking: a lock that keeps signal handlers out guards the set.  Making and binding a set
 * allocates memory.  So if a signal handler can interrupt malloc(3) while the session wants counts,
 * it must not be the first to begin a transaction in its thread.
 *
 * A forked child forgets this state and makes its own set.
 */
#include <errno.h>
#include <stddef.h>

#include <linux/vcpc.h>

#include "base/process.h"
#include "counters.h"
#include "direct_wanted.h"
#include "traced.h"
#include "wanted.h"

#define ASK_AGAIN	100000000ull

__thread struct shim_direct_wanted shim_direct_wanted__own
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

static void in_child(void);

/* The session's set, or NULL if it cannot be made.  @id: ID of the session; 0: not queried yet */
static struct {
	struct shim_siglock lock;
	struct shim_counters *counters;
	uint64_t id;
} wanted = { .lock = SHIM_SIGLOCK_INITIALIZER(0, in_child) };

static void in_child(void)
{
	wanted.counters = NULL;
	wanted.id = 0;
}

static void forget(void)
{
	shim_traced__unset(shim_direct_wanted__own.bound);
	shim_direct_wanted__own = (struct shim_direct_wanted) { .bound = NULL };
}

static struct shim_fork_hook hook = { .in_child = forget };

static int create(struct shim_session *session, bool user_only, struct shim_counters **out)
{
	struct vcpc_request reqs[VC_MAX_COUNTERS];
	unsigned int n;
	int bad, err = shim_wanted__read(reqs, &n, user_only);

	return err ? err : shim_counters__create(session, reqs, n, 0, &bad, out);
}

static int make_set(struct shim_counters **out)
{
	struct shim_session *session;
	int err = shim_session__open(&session);

	if (err)
		return err;
	err = create(session, false, out);
	if (err == -EACCES)
		err = create(session, true, out);
	shim_session__close(session);
	return err;
}

/* Get the set of this session; NULL if it cannot be made.  Called with the lock held. */
static struct shim_counters *set_of(uint64_t id)
{
	if (wanted.id == id)
		return wanted.counters;
	shim_counters__put(wanted.counters);
	wanted.id = id;
	if (make_set(&wanted.counters))
		wanted.counters = NULL;
	return wanted.counters;
}

static int bind(struct shim_counters *counters)
{
	int bad, err = shim_counters__bind(counters, 0, 0, &bad);

	if (err)
		return err;
	err = shim_traced__set(counters);
	if (err)
		shim_counters__unbind(counters, 0);
	return err;
}

static void leave(struct shim_direct_wanted *own)
{
	if (!own->bound)
		return;
	shim_traced__unset(own->bound);
	shim_counters__unbind(own->bound, 0);
	shim_counters__put(own->bound);
	own->bound = NULL;
}

static void follow(struct shim_direct *d, struct shim_direct_wanted *own, uint64_t id)
{
	struct shim_counters *counters;

	shim_siglock__enter(&wanted.lock);
	leave(own);
	own->session = id;
	if (id && !shim_traced__any()) {
		counters = set_of(id);
		if (counters && !bind(counters))
			own->bound = shim_counters__get(counters);
		else
			__atomic_fetch_add(&d->tick->refused, 1, __ATOMIC_RELAXED);
	}
	shim_siglock__leave(&wanted.lock);
}

static uint64_t ticks_of(const struct vc_tick *tick, uint64_t ns)
{
	return tick->usable && tick->mult ? ((unsigned __int128)ns << 32) / tick->mult : ns;
}

/* Check what the session wants: bind it to the calling thread, or unbind what it wanted before. */
void shim_direct_wanted__look(struct shim_direct *d)
{
	struct shim_direct_wanted own = shim_direct_wanted__own;
	int before = errno;
	uint64_t id;

	own.last = shim_tick__now(d->tick);
	own.until = own.last + ticks_of(d->tick, ASK_AGAIN);
	/* Prevent a signal handler that interrupts this function from checking as well. */
	shim_direct_wanted__own = own;
	id = shim_wanted__id();
	if (id != own.session && !shim_fork__wait_for(&wanted.lock) && !shim_fork__hook(&hook))
		follow(d, &own, id);
	shim_direct_wanted__own = own;
	errno = before;
}
