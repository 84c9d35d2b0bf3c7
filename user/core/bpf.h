/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The machine's tracing: BPF programs and their pinned maps, on, off and read. */
#ifndef SHIM_CORE_BPF_H
#define SHIM_CORE_BPF_H

#include <stddef.h>
#include <stdint.h>

#include "bpf/trace.h"

/* How events come to the BPF programs. */
enum shim_bpf_way {
	SHIM_BPF_ANY,		/* through the module if it is there */
	SHIM_BPF_MODULE,
	SHIM_BPF_PROBES,	/* by probes on this library's functions */
};

/**
 * struct shim_bpf_options - what is wanted, and sizes of the maps; 0 is the default
 * @way: how events come in
 * @begins: whether begins are wanted, too, as they happen
 * @processes: whether each process's transactions are wanted
 * @tags: names, and rows of statistics
 * @open: rows of open transactions
 * @ring: bytes for single events, 0: none
 * @direct: slots for programs that write their statistics themselves, 0: none
 */
struct shim_bpf_options {
	enum shim_bpf_way way;
	int begins;
	int processes;
	uint32_t tags;
	uint32_t open;
	uint32_t ring;
	uint32_t direct;
};

/* A label is a name, and may have "@" and a user's number behind it. */
#define SHIM_LABEL_LEN	(VC_TAG_LEN + 11)

/**
 * struct shim_bpf_tag - a tag as a reader knows it
 * @name: what its program calls it
 * @label: that, or "name@user" where the reader knows of several users' tags of this
 *	name; a name that ends in "@" and digits is always labeled so, for labels to
 *	tell all tags apart
 * @user: whose it is
 */
struct shim_bpf_tag {
	char name[VC_TAG_LEN];
	char label[SHIM_LABEL_LEN];
	uint32_t user;
};

/**
 * struct shim_bpf_stat - statistics of one tag and kind, all CPUs together
 * @tag: the tag; belongs to the reader, lives as long
 * @key: tag id and kind
 * @total: sums, extremes, and of @value the newest
 * @rests: the reader's own: the kernel's had not changed when it was added up
 */
struct shim_bpf_stat {
	const struct shim_bpf_tag *tag;
	struct vc_stat_key key;
	uint32_t rests;
	struct vc_stat total;
};

/**
 * struct shim_bpf_count - what one tag's transactions have counted, all CPUs together
 * @id: tag id
 * @events: which events the sums are of; the reader's, until the next read
 * @total: number and sums
 */
struct shim_bpf_count {
	uint64_t id;
	struct vc_events events;
	struct vc_count total;
};

/**
 * struct shim_bpf_process - what one process's transactions of a tag did
 * @tag: the tag; belongs to the reader, lives as long
 * @id: its id
 * @pid: process, as the first PID namespace knows it; 0: those that write by themselves, together
 * @signature: of its counters; rows of a tag and process differ in it
 * @total: of the transactions that ended
 * @events: which counters @sum is of; none where they counted nothing
 * @sum: what each of them counted
 * @command: of a thread of the process, when it ended its first; "" if @pid is 0
 *
 * Transactions with different counters are different rows.
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

int shim_bpf__on(const struct shim_bpf_options *options);
int shim_bpf__off(void);
int shim_bpf__status(void);

int shim_bpf_reader__open(struct shim_bpf_reader **out);
void shim_bpf_reader__keep_apart(struct shim_bpf_reader *r);
int shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **stats,
			   size_t *n);
int shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **counts,
			    size_t *n);
int shim_bpf_reader__processes(struct shim_bpf_reader *r,
			       const struct shim_bpf_process **processes, size_t *n);
int shim_bpf_reader__check(const struct shim_bpf_reader *r);
int shim_bpf_reader__drops(struct shim_bpf_reader *r, uint64_t drops[VC_DROP_NR]);
int shim_bpf_reader__tag(struct shim_bpf_reader *r, uint64_t id, const struct shim_bpf_tag **tag);
void shim_bpf__label(char label[SHIM_LABEL_LEN], const char *name, uint32_t user, int several);
void shim_bpf_reader__close(struct shim_bpf_reader *r);

#endif /* SHIM_CORE_BPF_H */
