// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Send events to a trace agent: PCP's own, or another one that uses its protocol.
 *
 * In the synchronous protocol the caller waits for the agent's acknowledgement of each event.  In
 * the asynchronous protocol it does not wait, and an event that does not fit into the socket's
 * buffer is rejected.
 *
 * Locking: all functions are called under the process's lock, because all threads send on one
 * stream.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "env.h"
#include "transport.h"

static int is_async(void)
{
	return atomic_load(&shim_process__inherited()->protocol) == SHIM_ASYNC;
}

/* Close a forked child's copy of its parent's socket, which would keep the connection open. */
static void agent_close_inherited(struct shim_process *p, struct shim_inherited *inherited)
{
	int fd = atomic_exchange(&inherited->fd, 0) - 1;

	if (fd >= 0 && !p->link.was_up && shim_link__inode(fd) == atomic_load(&inherited->inode))
		close(fd);
}

static int agent_verdict(const struct shim_process *p, int err)
{
	return shim_process__verdict(p->link.was_up, err);
}

static int agent_connect_locked(struct shim_process *p)
{
	struct shim_inherited *inherited = shim_process__inherited();
	int up = p->link.phase == SHIM_LINK_UP;
	int err;

	if (!p->link.was_up)
		agent_close_inherited(p, inherited);
	err = shim_link__up(&p->link);
	atomic_store(&p->agent_up, !err && p->link.phase == SHIM_LINK_UP);
	if (!err && !up) {
		shim_say_buffer(SHIM_PDU_ACK_SIZE, p->link.in, sizeof(p->link.in));
		shim_say(PMTRACE_STATE_COMMS, "connected to the agent", 0);
		shim_process__settle(inherited);
		atomic_store(&inherited->inode, p->link.inode);
		atomic_store(&inherited->fd, p->link.fd + 1);
	} else if (err && p->link.phase == SHIM_LINK_DOWN) {
		shim_say(PMTRACE_STATE_COMMS, "no agent", err);
	}
	return err;
}

static int agent_connect(struct shim_process *p)
{
	int err;

	shim_lock__enter(&p->lock);
	err = agent_verdict(p, agent_connect_locked(p));
	shim_lock__leave(&p->lock);
	return err;
}

static int check_tag(struct shim_process *p, struct shim_tag *tag)
{
	(void)p;
	return tag->len > SHIM_PDU_MAX_TAG ? PMTRACE_ERR_TAGLENGTH : 0;
}

static bool agent_is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	return atomic_load_explicit(&p->agent_up, memory_order_relaxed) &&
	       tag->len <= SHIM_PDU_MAX_TAG;
}

static int kind_of(uint32_t op, enum shim_pdu_kind *kind)
{
	switch (op) {
	case VCPC_TRACE_END:		*kind = SHIM_PDU_TRANSACTION; return 1;
	case VCPC_TRACE_POINT:		*kind = SHIM_PDU_POINT; return 1;
	case VCPC_TRACE_OBSERVE:	*kind = SHIM_PDU_OBSERVATION; return 1;
	case VCPC_TRACE_COUNTER:	*kind = SHIM_PDU_COUNTER; return 1;
	}
	return 0;
}

static void agent_lose(struct shim_process *p, int err)
{
	shim_link__lose(&p->link, err);
	atomic_store(&p->agent_up, 0);
	shim_say(PMTRACE_STATE_COMMS, "connection lost", err);
}

/* Send an event, and wait for the agent's acknowledgement. */
static int exchange(struct shim_process *p, const unsigned char *bytes, size_t size,
		    enum shim_pdu_kind kind)
{
	int32_t value;
	int err = shim_link__send(&p->link, bytes, size);

	if (!err) {
		shim_say_buffer(SHIM_PDU_ACK_SIZE, p->link.in, sizeof(p->link.in));
		err = shim_link__answer(&p->link, &value);
	}
	if (!err)
		shim_say_pdu("received", p->link.in, SHIM_PDU_ACK_SIZE);
	if (!err && value < 0)
		return value;
	if (!err && value != (int32_t)kind)
		err = -EPROTO;
	if (!err)
		return 0;
	agent_lose(p, err);
	return err == PMTRACE_ERR_TIMEOUT ? err : agent_verdict(p, err);
}

static int offer(struct shim_process *p, const unsigned char *bytes, size_t size)
{
	int err = shim_link__offer(&p->link, bytes, size);

	if (p->link.rest_len)
		shim_say(PMTRACE_STATE_PDUBUF, "part of an event remains to be sent", 0);
	if (!err || err == -EAGAIN)
		return err;
	agent_lose(p, err);
	return PMTRACE_ERR_IPC;
}

static int send_locked(struct shim_process *p, struct shim_pdu_event *event)
{
	unsigned char bytes[SHIM_PDU_MAX_SIZE];
	uint64_t lost_with = p->link.retry.failures;
	size_t size;
	int err = agent_connect_locked(p);

	if (err || p->link.phase != SHIM_LINK_UP) {
		atomic_fetch_add(&p->lost, 1);
		return agent_verdict(p, err);
	}
	if (!p->pid)
		p->pid = getpid();
	event->pid = p->pid;
	event->sync = !is_async();
	size = shim_pdu__encode(bytes, event);
	shim_say_buffer(size, bytes, sizeof(bytes));
	shim_say_pdu("sent", bytes, size);
	err = event->sync ? exchange(p, bytes, size, event->kind) : offer(p, bytes, size);
	if (err || p->link.retry.failures != lost_with)
		atomic_fetch_add(&p->lost, 1);
	return err;
}

/*
 * Send one event.  @value is the duration of a transaction in seconds, or the observed or counted
 * value.  Return the agent's answer, or an error if it does not answer.  In the asynchronous
 * protocol, return -EAGAIN if the agent is too slow.
 */
static int agent_value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value)
{
	struct shim_pdu_event event = {
		.value = op == VCPC_TRACE_POINT ? -1 : value,
		.tag = tag->name,
		.tag_len = tag->len,
	};
	int err;

	if (!kind_of(op, &event.kind))
		return 0;
	shim_lock__enter(&p->lock);
	err = send_locked(p, &event);
	shim_lock__leave(&p->lock);
	return err;
}

static uint64_t agent_begin_ns(const struct shim_process *p, const struct shim_tag *tag)
{
	(void)p;
	(void)tag;
	return shim_clock__now();
}

static uint64_t agent_end_ns(const struct shim_process *p)
{
	(void)p;
	return shim_clock__now();
}

static int agent_end(struct shim_process *p, struct shim_tag *tag, const struct shim_begun *begun,
		    uint64_t end_ns)
{
	return agent_value(p, tag, VCPC_TRACE_END, (end_ns - begun->ns) / 1e9);
}

const struct shim_transport shim_agent__transport = {
	.name = "agent",
	.is_automatic = shim_transport__always,
	.connect = agent_connect,
	.prepare = check_tag,
	.is_ready = agent_is_ready,
	.begin_ns = agent_begin_ns,
	.end_ns = agent_end_ns,
	.end = agent_end,
	.value = agent_value,
};
