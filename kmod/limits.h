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

/* Requests that a set can have, whatever the administrator allows */
#define VCPC_REQUESTS_CAP	2048

enum vcpc_limit {
	VCPC_LIMIT_SETS,	/* open sets */
	VCPC_LIMIT_COUNTERS,	/* perf events of all bound sets */
	VCPC_LIMIT_TAGS,	/* trace tags, held or idle */
	VCPC_LIMIT_NR,
};

/* What the module counts of itself since it was loaded; the files of debugfs show it. */
enum vcpc_stat {
	VCPC_STAT_LATE,		/* overflows found when their thread left its CPU */
	VCPC_STAT_UNSIGNALED,	/* overflows not signaled: the program had gone */
	VCPC_STAT_INVALID,	/* instances found invalid */
	VCPC_STAT_UNINHERITED,	/* new threads that could not be given an instance */
	VCPC_STAT_REFUSED,	/* calls refused by a limit */
	VCPC_STAT_NR,
};

/**
 * struct vcpc_user - an account: what one user has open
 * @node: in the list of accounts
 * @refs: files, sets and tags that are charged here
 * @uid: the user; includes the users of user namespaces that he has made
 * @ns: inode number of the user namespace, if root made it: it is one account; otherwise 0
 * @root: it is root's; user 0 without its capabilities has an account like anybody
 * @releases: what @releaser closes for it, the last one first: struct vcpc_release
 * @releaser: holds a reference while it is queued
 * @used: how much of each limit is taken
 * @idle_tags: tags that no file holds
 * @nr_idle: their number
 * @idle_node: in the list of accounts that have any; these three under the tags' lock
 */
struct vcpc_user {
	struct list_head node;
	refcount_t refs;
	kuid_t uid;
	unsigned int ns;
	bool root;
	struct llist_head releases;
	struct work_struct releaser;
	atomic_t used[VCPC_LIMIT_NR];
	struct list_head idle_tags;
	unsigned int nr_idle;
	struct list_head idle_node;
};

/**
 * struct vcpc_release - closes something of an account
 * @node: in the account's list
 * @fn: closes it
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

void vcpc_debugfs_init(void);
void vcpc_debugfs_exit(void);

#endif
