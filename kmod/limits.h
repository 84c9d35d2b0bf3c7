/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_LIMITS_H
#define VCPC_LIMITS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/uidgid.h>

/* Requests that a set can have, whatever the administrator allows: 256 groups of 8 */
#define VCPC_REQUESTS_CAP	2048

struct seq_file;

enum vcpc_limit {
	VCPC_LIMIT_SETS,	/* open sets */
	VCPC_LIMIT_COUNTERS,	/* counters of all bound sets */
	VCPC_LIMIT_NR,
};

/**
 * struct vcpc_user - what one user has open
 * @node: in the list of users
 * @refs: files and sets that are accounted here; both under the list's lock
 * @uid: who it is; users whom he has made in namespaces of his own are he, too
 * @rehearsal: held while a worker tries something for this user
 * @used: how much of each limit is taken
 * @nr_tags: how many tags there are of this user
 * @idle_tags: those that nobody holds now
 * @nr_idle: how many
 * @idle_node: in the list of users who have any; these four under the tags' lock
 */
struct vcpc_user {
	struct list_head node;
	unsigned int refs;
	kuid_t uid;
	struct mutex rehearsal;	/* see above */
	atomic_t used[VCPC_LIMIT_NR];
	unsigned int nr_tags;
	struct list_head idle_tags;
	unsigned int nr_idle;
	struct list_head idle_node;
};

struct vcpc_user *vcpc_limits_get(void);
struct vcpc_user *vcpc_limits_share(struct vcpc_user *user);
void vcpc_limits_put(struct vcpc_user *user);
int vcpc_limits_charge(struct vcpc_user *user, enum vcpc_limit limit, int nr);
void vcpc_limits_uncharge(struct vcpc_user *user, enum vcpc_limit limit, int nr);

void vcpc_limits_show(struct seq_file *m);

unsigned int vcpc_limits_requests(void);
unsigned int vcpc_limits_sets(void);
unsigned int vcpc_limits_thread(void);
unsigned int vcpc_limits_ended(void);

#endif
