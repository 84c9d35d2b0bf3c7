/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace state of this process: flags, tags, and connections. */
#ifndef SHIM_TRACE_PROCESS_H
#define SHIM_TRACE_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "base/process.h"
#include "link.h"
#include "env.h"

/* The progress of a tag's transaction */
enum shim_progress {
	SHIM_NEVER_BEGUN,
	SHIM_BEGUN,
	SHIM_NOT_BEGUN,
};

/**
 * struct shim_tag - a tag that this process has used; it is kept until the process ends
 * @state: shared with programs, see <pcp/trace.h>; its progress belongs to the owner, see open.h
 * @handle: generation of the connection << 32 | the module's handle of the tag
 * @id: hash of the name, equal in all processes, used as the tag's ID for probes; this and all
 *	following members do not change once the tag is in the table
 * @hash: hash of the name
 * @len: length of the name in bytes, without the NUL
 * @index: number of tags that were added before it
 * @owner: number of the first thread that used the tag, see open.h
 * @behind: number of bits after the NUL in the name's last word
 * @name: the name, padded with zeroes to the end of its last word
 */
struct shim_tag {
	struct shim_trace_state state;
	_Atomic uint64_t handle;
	uint64_t id;
	uint32_t hash;
	uint16_t len;
	uint16_t behind;
	uint32_t index;
	uint32_t owner;
	_Alignas(uint64_t) char name[];		/* compared one word at a time */
};

/*
 * struct shim_tag_table - a hash table of tags, with 2^@bits entries
 * @bits: number of bits of a hash that select the entry
 * @shift: 32 - @bits
 */
struct shim_tag_table {
	uint32_t bits;
	uint32_t shift;
	struct shim_tag *_Atomic at[];
};

/**
 * struct shim_begun - the start of a transaction that has ended
 * @ns: the begin time, by the transport's clock
 * @thread: number of the thread that began it, with VCPC_TRACE_THREAD
 */
struct shim_begun {
	uint64_t ns;
	uint32_t thread;
};

struct shim_transport;
struct shim_open_table;

/**
 * struct shim_process - state that a forked child must not share; initially all zero
 * @lock: held to connect, to get a tag's handle, and to add a tag
 * @transport: the transport, NULL until it is chosen
 * @agent_up: true if the agent is believed to accept events
 * @lost: number of events that should have reached an agent but did not
 * @pid: ID of this process, 0 until it is needed (@lock)
 * @link: connection to the agent (@lock)
 * @connection: connection to the module: generation << 32 | descriptor + 1; the lower half is 0
 *	without a connection
 * @page: the module's page, which shows whether listeners are attached; NULL if it is not mapped
 * @gate: the word that is 0 while no listener is attached, see transport.h
 * @any: state without a particular tag, for calls that need only the gate
 * @direct: the map into which this process writes statistics itself, NULL until it is mapped;
 *	former mappings are kept, because other threads may be writing to them
 * @retry: attempts to connect to the module, or to map the statistics (@lock)
 * @room: memory for the next tag (@lock)
 * @room_left: remaining size of @room in bytes (@lock)
 * @nr_tags: number of tags (@lock)
 * @open: tables of threads' open transactions, see open.h
 * @open_epoch: distinguishes this process's tables from its parent's; 0 if there are none
 * @tags: all tags by the hash of their names, NULL if there are none; former, smaller tables are
 *	kept, because other threads may be searching them
 * @recent: a cache of tags by the address of the name, which may be outdated; former tables are
 *	also kept
 */
struct shim_process {
	struct shim_lock lock;
	const struct shim_transport *_Atomic transport;
	_Atomic int agent_up;
	_Atomic uint64_t lost;
	uint32_t pid;
	struct shim_link link;
	_Atomic uint64_t connection;
	const struct vcpc_trace_page *_Atomic page;
	const unsigned int *gate;
	struct shim_trace_state any;
	struct shim_direct *_Atomic direct;
	struct shim_retry retry;
	char *room;
	size_t room_left;
	uint32_t nr_tags;
	_Atomic uint32_t open_epoch;
	struct shim_open_table *_Atomic open;
	struct shim_tag_table *_Atomic tags;
	struct shim_tag_table *_Atomic recent;
};

/* PCP's two protocols; the first connection determines which of them is used */
enum shim_protocol {
	SHIM_UNSETTLED,
	SHIM_SYNC,
	SHIM_ASYNC,
};

/**
 * struct shim_inherited - state that a forked child keeps; independent atomics
 * @process: the rest of the state; a child has the same pages, but cleared
 * @wipes: true if the kernel has MADV_WIPEONFORK and clears @process in a child; set before
 *	@process, and inherited by children
 * @flags: PMTRACE_STATE_*
 * @protocol: enum shim_protocol
 * @fd: descriptor + 1 of the newest connection; 0: none
 * @inode: inode of @fd, if it is a socket
 */
struct shim_inherited {
	struct shim_process *_Atomic process;
	_Atomic int wipes;
	_Atomic int flags;
	_Atomic int protocol;
	_Atomic int fd;
	_Atomic uint64_t inode;
};

void shim_process__settle(struct shim_inherited *inherited);
int shim_process__verdict(bool was_connected, int err);
struct shim_process *shim_process__make(struct shim_inherited *inherited);

/* Defined in process.c.  Use it only through shim_process__inherited(). */
extern struct shim_inherited shim_process__the_inherited __attribute__((visibility("hidden")));

static inline struct shim_inherited *shim_process__inherited(void)
{
	return &shim_process__the_inherited;
}

static inline int shim_process__wipes(const struct shim_inherited *inherited)
{
	return atomic_load_explicit(&inherited->wipes, memory_order_relaxed);
}

/* Return NULL if out of memory. */
static inline struct shim_process *shim_process__get(struct shim_inherited *inherited)
{
	struct shim_process *p = atomic_load_explicit(&inherited->process, memory_order_acquire);

	return __builtin_expect(p != NULL, 1) ? p : shim_process__make(inherited);
}

#endif /* SHIM_TRACE_PROCESS_H */
