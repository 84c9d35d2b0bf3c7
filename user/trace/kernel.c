// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Send events through the module: open connections, and get handles of tags.
 *
 * A connection is a descriptor of /dev/vcpc with a generation, because handles of tags are valid
 * only on the connection that returned them.  A connection is lost if the program closes the
 * descriptor; the next event connects again.
 *
 * Locking: the process's lock is held to connect and to get handles; no lock is needed to send an
 * event.
 */
#include <errno.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "env.h"
#include "open.h"
#include "transport.h"

static uint32_t generation_of(uint64_t pair)
{
	return pair >> 32;
}

/*
 * Close a forked child's copy of its parent's descriptor, which would keep the parent's file open.
 */
static void kernel_close_inherited(struct shim_inherited *inherited)
{
	int fd = atomic_exchange(&inherited->fd, 0) - 1;

	if (fd >= 0 && shim_tracedev__is(fd))
		shim_tracedev__close(fd);
}

static int try_connect(struct shim_process *p, uint64_t *connection)
{
	struct shim_inherited *inherited = shim_process__inherited();
	uint32_t generation = generation_of(atomic_load(&p->connection));
	int fd, err;

	if (!generation)
		kernel_close_inherited(inherited);
	err = shim_tracedev__open(&fd);
	shim_say(PMTRACE_STATE_COMMS, "/dev/vcpc", err);
	if (err)
		return err;
	shim_process__settle(inherited);
	/* All connections have the same page, and its mapping outlives a lost descriptor. */
	if (!atomic_load(&p->page))
		atomic_store(&p->page, shim_tracedev__map(fd));
	atomic_store(&inherited->fd, fd + 1);
	*connection = (uint64_t)(generation + 1) << 32 | (uint32_t)(fd + 1);
	atomic_store(&p->connection, *connection);
	return 0;
}

/* Get a connection.  Return 0, or the error of the last attempt.  The caller holds the lock. */
static int kernel_connect_locked(struct shim_process *p, uint64_t *connection)
{
	*connection = atomic_load(&p->connection);
	if (shim_kernel__fd(*connection) >= 0)
		return 0;
	if (shim_retry__is_early(&p->retry))
		return p->retry.error;
	return shim_retry__see(&p->retry, try_connect(p, connection));
}

static int kernel_verdict(struct shim_process *p, int err)
{
	return shim_process__verdict(generation_of(atomic_load(&p->connection)), err);
}

static int kernel_connect(struct shim_process *p)
{
	uint64_t connection;
	int err;

	shim_lock__enter(&p->lock);
	err = kernel_connect_locked(p, &connection);
	shim_lock__leave(&p->lock);
	return kernel_verdict(p, err);
}

static int ask_handle(int fd, uint64_t connection, struct shim_tag *tag)
{
	uint32_t handle;
	int err = shim_tracedev__tag(fd, tag->name, tag->len, &handle);

	if (!err)
		atomic_store(&tag->handle, (connection & ~0xffffffffull) | handle);
	return err;
}

/* Mark a connection as lost, unless another thread has already reconnected. */
static void connection_lose(struct shim_process *p, uint64_t connection)
{
	if (atomic_compare_exchange_strong(&p->connection, &connection,
					   connection & ~0xffffffffull)) {
		atomic_store(&shim_process__inherited()->fd, 0);
		shim_say(PMTRACE_STATE_COMMS, "connection lost", 0);
	}
}

/* Get a connection and the tag's handle on it.  Reconnect if the connection was lost. */
static int prepare(struct shim_process *p, struct shim_tag *tag, uint64_t *connection)
{
	int err = 0;

	shim_lock__enter(&p->lock);
	for (int tries = 0; tries < 2; tries++) {
		err = kernel_connect_locked(p, connection);
		if (err)
			break;
		if (generation_of(atomic_load(&tag->handle)) == generation_of(*connection))
			break;
		err = ask_handle(shim_kernel__fd(*connection), *connection, tag);
		if (!shim_kernel__is_lost(err))
			break;
		connection_lose(p, *connection);
	}
	shim_lock__leave(&p->lock);
	return err;
}

static int prepare_tag(struct shim_process *p, struct shim_tag *tag)
{
	uint64_t connection;
	int err = prepare(p, tag, &connection);

	return shim_kernel__fd(connection) >= 0 ? err : kernel_verdict(p, err);
}

/**
 * shim_kernel__fire_anew() - get a connection and a handle if necessary, and send an
 * event
 * @p: process
 * @tag: tag
 * @op: VCPC_TRACE_*, with or without VCPC_TRACE_F_COUNTS
 * @value: as in struct vcpc_trace_write
 * @thread: as for shim_kernel__fire()
 * @lost: the connection that was found to be lost, or 0 if the tag was not ready
 *
 * Return: as for shim_kernel__fire().
 */
int shim_kernel__fire_anew(struct shim_process *p, struct shim_tag *tag, uint32_t op,
			   uint64_t value, uint32_t thread, uint64_t lost)
{
	uint64_t connection;
	int err;

	if (lost)
		connection_lose(p, lost);
	for (int tries = lost ? 1 : 0; tries < 2; tries++) {
		err = prepare(p, tag, &connection);
		if (err)
			return shim_kernel__fd(connection) >= 0 ? err : kernel_verdict(p, err);
		err = shim_tracedev__fire(shim_kernel__fd(connection), op,
					  shim_kernel__handle(atomic_load(&tag->handle), thread),
					  value);
		if (!shim_kernel__is_lost(err))
			return err;
		connection_lose(p, connection);
	}
	return kernel_verdict(p, err);
}

static bool kernel_is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	return shim_kernel__is_ready(shim_kernel__connection(p), tag);
}

static uint64_t kernel_begin_ns(const struct shim_process *p, const struct shim_tag *tag)
{
	(void)tag;
	return shim_kernel__wanted(p) & VCPC_TRACE_LISTENING ? shim_clock__now() : 0;
}

/* Send the end or the abort of a transaction if a listener is attached. */
static int kernel_finish(struct shim_process *p, struct shim_tag *tag, uint32_t op,
			 const struct shim_begun *begun)
{
	uint32_t wanted = shim_kernel__wanted(p);

	if (!(wanted & VCPC_TRACE_LISTENING))
		return 0;
	return shim_kernel__fire(p, tag, op, begun->ns, shim_kernel__thread(wanted, begun->thread));
}

/*
 * Find out whether the thread has counts, and whether the session still wants them.  While the
 * process has a set for the session, its gate is open, so its next call reaches this function even
 * if no listener is attached.
 */
static void look_for_counts(struct shim_process *p, uint32_t wanted)
{
	bool followed = shim_counted__follows();
	uint64_t now;

	if (!(wanted & VCPC_TRACE_LISTENING)) {
		if (followed)
			shim_counted__leave();
	} else {
		now = shim_clock__now();
		if (now >= shim_counted__own.until)
			shim_counted__ask(shim_kernel__fd(shim_kernel__connection(p)), now);
	}
	if (followed != shim_counted__follows())
		shim_gate__set(p);
}

/**
 * shim_kernel__send_begin() - send a begin, if a listener wants it or the thread has counts
 * @p: the process, which has a connection
 * @tag: tag
 *
 * Return: as for shim_kernel__fire().
 */
int shim_kernel__send_begin(struct shim_process *p, struct shim_tag *tag)
{
	uint32_t wanted = shim_kernel__wanted(p);

	look_for_counts(p, wanted);
	if (!(wanted & VCPC_TRACE_BEGINS) &&
	    !(wanted & VCPC_TRACE_LISTENING && shim_counted__flag()))
		return 0;
	return shim_kernel__fire(p, tag, VCPC_TRACE_BEGIN | shim_counted__flag(), 0,
				 shim_kernel__thread(wanted, shim_open__own.me));
}

static int kernel_end(struct shim_process *p, struct shim_tag *tag, const struct shim_begun *begun,
		    uint64_t end_ns)
{
	(void)end_ns;
	return kernel_finish(p, tag, VCPC_TRACE_END | shim_counted__flag(), begun);
}

/* Do not connect: a new connection has no open transaction that could be aborted. */
static void kernel_abort(struct shim_process *p, struct shim_tag *tag,
			   const struct shim_begun *begun)
{
	if (shim_kernel__fd(shim_kernel__connection(p)) >= 0)
		kernel_finish(p, tag, VCPC_TRACE_ABORT, begun);
}

static int kernel_value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	if (!(shim_kernel__wanted(p) & VCPC_TRACE_LISTENING))
		return 0;
	return shim_kernel__fire(p, tag, op, shim_transport__bits(value), 0);
}

static const unsigned int *kernel_gate(const struct shim_process *p)
{
	const struct vcpc_trace_page *page = atomic_load(&p->page);

	return page && !shim_counted__follows() ? &page->flags : NULL;
}

const struct shim_transport shim_kernel__transport = {
	.name = "kernel",
	.is_automatic = shim_transport__always,
	.connect = kernel_connect,
	.prepare = prepare_tag,
	.is_ready = kernel_is_ready,
	.begin_ns = kernel_begin_ns,
	.begin = shim_kernel__send_begin,
	.end = kernel_end,
	.abort = kernel_abort,
	.value = kernel_value,
	.gate = kernel_gate,
};
