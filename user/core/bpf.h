/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turn tracing through BPF on and off, and read the pinned maps. */
#ifndef SHIM_CORE_BPF_H
#define SHIM_CORE_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"

/* The transport of events to the BPF programs */
enum shim_bpf_transport {
	SHIM_BPF_ANY,		/* through the module if it is loaded */
	SHIM_BPF_MODULE,
	SHIM_BPF_PROBES,	/* through probes on this library's functions */
};

/* The source of the time at which a transaction begins */
enum shim_bpf_begins {
	SHIM_BPF_BEGINS_DEFAULT,	/* KERNEL through the module, USER through probes */
	SHIM_BPF_BEGINS_KERNEL,		/* the start of each transaction is an event */
	SHIM_BPF_BEGINS_USER,		/* the program sends the time with the end */
};

/**
 * struct shim_bpf_options - what to trace, and sizes of the maps; 0 is the default
 * @transport: the transport
 * @begins: the source of the time at which a transaction begins
 * @processes: also keep statistics per process
 * @tags: rows of names, and of statistics
 * @open: rows of open transactions
 * @ring: size of the ring of individual events in bytes; 0: do not keep them
 * @direct: rows for programs that write their statistics themselves; 0: none
 */
struct shim_bpf_options {
	enum shim_bpf_transport transport;
	enum shim_bpf_begins begins;
	int processes;
	uint32_t tags;
	uint32_t open;
	uint32_t ring;
	uint32_t direct;
};

/* A label is a name, possibly followed by "@" and a user ID. */
#define SHIM_LABEL_LEN	(VC_TAG_LEN + 11)

/**
 * struct shim_bpf_tag - a tag, as seen by a reader
 * @name: its name in the program
 * @label: unique among the reader's tags: @name, or "name@user" if the reader has seen tags of
 *	several users with this name, or if @name itself ends in "@" and digits
 * @user: user ID of the tag's owner
 */
struct shim_bpf_tag {
	char name[VC_TAG_LEN];
	char label[SHIM_LABEL_LEN];
	uint32_t user;
};

/**
 * struct shim_bpf_stat - statistics of one tag and kind, summed over all CPUs
 * @tag: the tag
 * @key: tag ID and kind
 * @total: sums and extremes over all CPUs, and the newest value
 * @slots: range of the used buckets of @total's histogram; all others are 0
 * @rests: private to the reader: two consecutive reads found the same values, so @total need not be
 *	added up again until the kernel's row changes
 * @version: if the row at this index had the same version in an earlier read by this reader, it has
 *	not changed
 */
struct shim_bpf_stat {
	const struct shim_bpf_tag *tag;
	struct vc_stat_key key;
	struct {
		uint32_t first, end;
	} slots;
	uint32_t rests;
	uint64_t version;
	struct vc_stat total;
};

/**
 * struct shim_bpf_count - event counts of one tag's transactions, summed over all CPUs
 * @id: the tag's ID
 * @events_key: key of @events in the kernel's table
 * @version: as in struct shim_bpf_stat
 * @events: the events that were counted
 * @total: number of transactions, and sums
 */
struct shim_bpf_count {
	uint64_t id;
	uint64_t events_key;
	uint64_t version;
	struct vc_events events;
	struct vc_count total;
};

/**
 * struct shim_bpf_process - statistics of one process's transactions of a tag
 * @tag: the tag, valid until the next read of statistics or shim_bpf_reader__forget()
 * @id: the tag's ID
 * @pid: process ID in the initial PID namespace; 0: the sum over all programs that write their
 *	statistics themselves
 * @signature: identifies the counted events; 0: none
 * @total: statistics of completed transactions
 * @events: the events in @sum; none if nothing was counted
 * @sum: the sum of each event
 * @command: name of the thread that ended the first of these transactions; "" if @pid is 0
 *
 * There is one row per tag, process and signature.
 */
struct shim_bpf_process {
	const struct shim_bpf_tag *tag;
	uint64_t id;
	uint32_t pid;
	uint64_t signature;
	struct vc_stat total;
	struct vc_events events;
	uint64_t sum[VC_MAX_COUNTERS];
	char command[VC_COMMAND_LEN];
};

struct shim_bpf_reader;

bool shim_bpf__may_have_module(void);
int shim_bpf__on(const struct shim_bpf_options *options);
int shim_bpf__memory(const struct shim_bpf_options *options, uint64_t *bytes);
int shim_bpf__off(void);
int shim_bpf__status(void);

int shim_bpf_reader__open(bool apart, struct shim_bpf_reader **out);
void shim_bpf_reader__has_ended(struct shim_bpf_reader *r);
int shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **stats,
			   size_t *n);
int shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **counts,
			    size_t *n);
int shim_bpf_reader__processes(struct shim_bpf_reader *r,
			       const struct shim_bpf_process **processes, size_t *n);
int shim_bpf_reader__check(const struct shim_bpf_reader *r);
int shim_bpf_reader__drops(struct shim_bpf_reader *r, uint64_t drops[VC_DROP_NR]);
uint64_t shim_bpf_reader__refused(const struct shim_bpf_reader *r);
void shim_bpf_reader__hold(struct shim_bpf_reader *r);
void shim_bpf_reader__release(struct shim_bpf_reader *r);
void shim_bpf_reader__forget(struct shim_bpf_reader *r);
int shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id, const struct shim_bpf_tag **tag);
void shim_bpf__label(char label[SHIM_LABEL_LEN], const char *name, uint32_t user, int several);
void shim_bpf_reader__close(struct shim_bpf_reader *r);

#endif /* SHIM_CORE_BPF_H */
