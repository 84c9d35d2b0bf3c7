/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_LIMITS_H
#define VCPC_LIMITS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/workqueue.h>

/* Maximum number of requests per set, independent of the module's parameters */
#define VCPC_REQUESTS_CAP	2048

/* Parts of the BPF programs' array of open transactions; share 0 is root's (see bpf/trace.h) */
#define VCPC_SHARES	16

enum vcpc_limit {
	VCPC_LIMIT_SETS,	/* open sets */
	VCPC_LIMIT_COUNTERS,	/* perf events of all bound sets */
	VCPC_LIMIT_TAGS,	/* trace tags, held or idle */
	VCPC_LIMIT_NR,
};

/* The module's own statistics since it was loaded, shown in debugfs */
enum vcpc_stat {
	VCPC_STAT_LATE,		/* overflows found at a context switch */
	VCPC_STAT_UNSIGNALED,	/* overflows whose signal was not sent */
	VCPC_STAT_INVALID,	/* instances found invalid */
	VCPC_STAT_UNINHERITED,	/* new threads without an instance due to an error */
	VCPC_STAT_REFUSED,	/* calls rejected because of a limit */
	VCPC_STAT_NR,
};

/**
 * struct vcpc_user - an account: the objects that one user has open
 * @node: node in the table of accounts
 * @refs: files, sets and tags that are charged to it
 * @uid: the user; includes the users of the user namespaces that this user created
 * @ns: inode number of the user namespace if the account belongs to a namespace that root
 *	created; otherwise 0
 * @root: the account of root; user 0 without capabilities has an ordinary account
 * @share: less than VCPC_SHARES; no other account has it unless there are more accounts than shares
 * @releases: a struct vcpc_release for each object that @releaser must release, last one first
 * @releaser: holds a reference while it is queued
 * @used: the amount charged, for each limit
 * @idle_tags: tags that no file holds
 * @nr_idle: number of idle tags
 * @idle_node: node in the list of accounts with idle tags; the tags' lock guards it, @idle_tags
 *	and @nr_idle
 */
struct vcpc_user {
	struct hlist_node node;
	refcount_t refs;
	kuid_t uid;
	unsigned int ns;
	bool root;
	unsigned int share;
	struct llist_head releases;
	struct work_struct releaser;
	atomic_t used[VCPC_LIMIT_NR];
	struct list_head idle_tags;
	unsigned int nr_idle;
	struct list_head idle_node;
};

/**
 * struct vcpc_release - an object to be released by its account's worker
 * @node: node in the account's list
 * @fn: releases the object
 */
struct vcpc_release {
	struct llist_node node;
	void (*fn)(struct vcpc_release *release);
};

int vcpc_limits_init(void);
void vcpc_limits_exit(void);
struct vcpc_user *vcpc_limits_get(void);
void vcpc_limits_put(struct vcpc_user *user);
void vcpc_limits_release(struct vcpc_user *user, kuid_t creator, struct vcpc_release *release,
			 void (*fn)(struct vcpc_release *release));
int vcpc_limits_try(struct vcpc_user *user, enum vcpc_limit limit, int nr);
int vcpc_limits_refuse(const struct vcpc_user *user, enum vcpc_limit limit);
int vcpc_limits_charge(struct vcpc_user *user, enum vcpc_limit limit, int nr);
void vcpc_limits_uncharge(struct vcpc_user *user, enum vcpc_limit limit, int nr);

unsigned int vcpc_limits_requests(void);
unsigned int vcpc_limits_max(enum vcpc_limit limit);
unsigned int vcpc_limits_thread(void);

void vcpc_stats_count(enum vcpc_stat which);

#endif
