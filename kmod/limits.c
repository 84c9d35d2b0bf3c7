// SPDX-License-Identifier: GPL-2.0
/*
 * Limit the resources of each user: module parameters and accounts.  If another user closes the
 * last copy of a descriptor, a worker of the creator's account releases the object.  In debugfs,
 * root can read the accounts (vcpc/users) and the module's statistics (vcpc/stats).
 *
 * Locking: users_lock guards the list of accounts and sharers.  It is a spin lock because a thread
 * must not wait for another user's preempted thread.  The amounts in an account are atomic.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/hashtable.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>
#include <linux/workqueue.h>

#include "limits.h"

static unsigned int max_user[VCPC_LIMIT_NR] = {
	[VCPC_LIMIT_SETS] = 1024,
	[VCPC_LIMIT_COUNTERS] = 4096,
	[VCPC_LIMIT_TAGS] = 2048,
};

module_param_named(max_user_sets, max_user[VCPC_LIMIT_SETS], uint, 0644);
MODULE_PARM_DESC(max_user_sets, "maximum number of sets that one user may have open (default 1024)");
module_param_named(max_user_counters, max_user[VCPC_LIMIT_COUNTERS], uint, 0644);
MODULE_PARM_DESC(max_user_counters, "maximum number of counters in one user's bound sets (default 4096)");
module_param_named(max_user_tags, max_user[VCPC_LIMIT_TAGS], uint, 0644);
MODULE_PARM_DESC(max_user_tags, "maximum number of trace tags of one user, including idle ones (default 2048)");

static unsigned int max_thread_counters = 32;
module_param(max_thread_counters, uint, 0644);
MODULE_PARM_DESC(max_thread_counters, "maximum number of counters of one thread without CAP_PERFMON (default 32): perf handles each of them with interrupts disabled when the thread is scheduled");

static const char *const limit_names[VCPC_LIMIT_NR] = {
	[VCPC_LIMIT_SETS] = "sets (max_user_sets)",
	[VCPC_LIMIT_COUNTERS] = "counters (max_user_counters)",
	[VCPC_LIMIT_TAGS] = "trace tags (max_user_tags)",
};

static const char *const stat_names[VCPC_STAT_NR] = {
	[VCPC_STAT_LATE] = "late_overflows",
	[VCPC_STAT_UNSIGNALED] = "overflows_not_signaled",
	[VCPC_STAT_INVALID] = "invalid_instances",
	[VCPC_STAT_UNINHERITED] = "not_inherited",
	[VCPC_STAT_REFUSED] = "refused_by_limit",
};

static DEFINE_RATELIMIT_STATE(refused, 60 * HZ, 1);
static DEFINE_HASHTABLE(users, 8);	/* a user can have thousands of accounts */
static DEFINE_SPINLOCK(users_lock);
static unsigned int sharers[VCPC_SHARES];	/* number of accounts that have each share */
static atomic64_t stats[VCPC_STAT_NR];
static struct dentry *folder;
static struct workqueue_struct *releasers;

static u32 key(const struct vcpc_user *user)
{
	return __kuid_val(user->uid) + user->ns;
}

static bool is_same(const struct vcpc_user *user, const struct vcpc_user *as)
{
	return uid_eq(user->uid, as->uid) && user->ns == as->ns && user->root == as->root;
}

static struct vcpc_user *find_account(const struct vcpc_user *as)
{
	struct vcpc_user *user;

	lockdep_assert_held(&users_lock);
	hash_for_each_possible(users, user, node, key(as))
		if (is_same(user, as))
			return user;
	return NULL;
}

/* Return the share of the fewest accounts; root's share is never given to another account. */
static unsigned int find_share(const struct vcpc_user *user)
{
	unsigned int share = !user->root, i;

	lockdep_assert_held(&users_lock);
	for (i = share + 1; !user->root && i < VCPC_SHARES; i++)
		if (sharers[i] < sharers[share])
			share = i;
	return share;
}

/* Reaching a limit is not a permission failure, so do not write it to the audit log. */
static bool is_privileged(void)
{
	return ns_capable_noaudit(&init_user_ns, CAP_PERFMON) ||
	       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
}

/*
 * The owner of a user namespace can have many users through subordinate IDs.  All of them are
 * charged to the owner's account.  A namespace that root owns has its own account, because root
 * creates namespaces for others.
 */
static void set_responsible(struct vcpc_user *user)
{
	const struct user_namespace *ns;

	user->uid = current_uid();
	for (ns = current_user_ns(); ns->parent; ns = ns->parent) {
		user->uid = ns->owner;
		user->ns = uid_eq(ns->owner, GLOBAL_ROOT_UID) ? ns->ns.inum : 0;
	}
	user->root = uid_eq(user->uid, GLOBAL_ROOT_UID) && !user->ns && is_privileged();
}

/* Each account has its own worker, so a user's descriptors do not wait for another user's. */
static void release_all(struct work_struct *work)
{
	struct vcpc_user *user = container_of(work, struct vcpc_user, releaser);
	struct llist_node *all = llist_reverse_order(llist_del_all(&user->releases));
	struct vcpc_release *release, *next;

	llist_for_each_entry_safe(release, next, all, node) {
		release->fn(release);
		/* vcpc_limits_exit() waits until this function has returned. */
		module_put(THIS_MODULE);
		cond_resched();
	}
	vcpc_limits_put(user);
}

/**
 * vcpc_limits_get() - get a reference to the calling user's account
 *
 * Context: process; does not sleep.
 * Return: the account, to be released with vcpc_limits_put(); NULL if out of memory.
 */
struct vcpc_user *vcpc_limits_get(void)
{
	struct vcpc_user *fresh = kzalloc(sizeof(*fresh), GFP_ATOMIC | __GFP_ACCOUNT);
	struct vcpc_user *user;

	if (!fresh)
		return NULL;
	set_responsible(fresh);
	refcount_set(&fresh->refs, 1);
	INIT_LIST_HEAD(&fresh->idle_tags);
	init_llist_head(&fresh->releases);
	INIT_WORK(&fresh->releaser, release_all);

	spin_lock(&users_lock);
	user = find_account(fresh);
	if (user) {
		refcount_inc(&user->refs);
	} else {
		user = fresh;
		fresh = NULL;
		hash_add(users, &user->node, key(user));
		user->share = find_share(user);
		sharers[user->share]++;
	}
	spin_unlock(&users_lock);

	kfree(fresh);
	return user;
}

/**
 * vcpc_limits_put() - drop a reference to an account
 * @user: the account; freed with its last reference
 */
void vcpc_limits_put(struct vcpc_user *user)
{
	if (refcount_dec_and_lock(&user->refs, &users_lock)) {
		hlist_del(&user->node);
		sharers[user->share]--;
		spin_unlock(&users_lock);
		kfree(user);
	}
}

/* Compare the account as well as the user ID, because user 0 of a container is not root. */
static bool is_own(const struct vcpc_user *user, kuid_t creator)
{
	struct vcpc_user own = { };

	set_responsible(&own);
	return uid_eq(current_euid(), creator) && is_same(user, &own);
}

/**
 * vcpc_limits_release() - release an object when the last copy of its descriptor is closed
 * @user: the account
 * @creator: the user who created the object
 * @release: the object's struct vcpc_release, not in use yet
 * @fn: frees the object and drops its reference to the account
 *
 * Another user, a set-user-ID program or the kernel can hold the last copy.  They do not wait: a
 * worker of the account calls @fn.
 *
 * Context: sleeps.
 */
void vcpc_limits_release(struct vcpc_user *user, kuid_t creator, struct vcpc_release *release,
			 void (*fn)(struct vcpc_release *release))
{
	if (!(current->flags & PF_KTHREAD) && is_own(user, creator)) {
		fn(release);
		return;
	}
	/* The descriptor's reference to the module can be the last one. */
	__module_get(THIS_MODULE);
	release->fn = fn;
	refcount_inc(&user->refs);
	llist_add(&release->node, &user->releases);
	if (!queue_work(releasers, &user->releaser))
		vcpc_limits_put(user);
}

/**
 * vcpc_limits_max() - get the maximum per user
 * @limit: the limit
 *
 * Return: the maximum.
 */
unsigned int vcpc_limits_max(enum vcpc_limit limit)
{
	return READ_ONCE(max_user[limit]);
}

/**
 * vcpc_limits_try() - charge an account unless this would exceed its limit
 * @user: the account
 * @limit: the limit
 * @nr: the amount
 *
 * Context: any.
 * Return: 0 or -EUSERS.
 */
int vcpc_limits_try(struct vcpc_user *user, enum vcpc_limit limit, int nr)
{
	int used = atomic_add_return(nr, &user->used[limit]);

	if (used > 0 && (unsigned int)used <= vcpc_limits_max(limit))
		return 0;
	atomic_sub(nr, &user->used[limit]);
	return -EUSERS;
}

/**
 * vcpc_limits_refuse() - count and log that a call fails because of a limit
 * @user: the account
 * @limit: the limit
 *
 * Return: -EUSERS.
 */
int vcpc_limits_refuse(const struct vcpc_user *user, enum vcpc_limit limit)
{
	vcpc_stats_count(VCPC_STAT_REFUSED);
	/* Log at most one line per minute: a faulty program can cause this any number of times. */
	if (__ratelimit(&refused))
		pr_warn("user %u has reached the limit of %u %s\n",
			from_kuid_munged(&init_user_ns, user->uid), vcpc_limits_max(limit),
			limit_names[limit]);
	return -EUSERS;
}

/**
 * vcpc_limits_charge() - charge an account, and log a refusal
 * @user: the account
 * @limit: the limit
 * @nr: the amount
 *
 * Return: 0 or -EUSERS.
 */
int vcpc_limits_charge(struct vcpc_user *user, enum vcpc_limit limit, int nr)
{
	return vcpc_limits_try(user, limit, nr) ? vcpc_limits_refuse(user, limit) : 0;
}

/**
 * vcpc_limits_uncharge() - undo vcpc_limits_charge()
 * @user: the account
 * @limit: the limit
 * @nr: the amount
 */
void vcpc_limits_uncharge(struct vcpc_user *user, enum vcpc_limit limit, int nr)
{
	atomic_sub(nr, &user->used[limit]);
}

/**
 * vcpc_limits_thread() - get the calling thread's limit on counters
 *
 * Return: the limit; with CAP_PERFMON, the maximum that a set can have.
 */
unsigned int vcpc_limits_thread(void)
{
	unsigned int max = READ_ONCE(max_thread_counters);

	return is_privileged() ? max(max, VCPC_REQUESTS_CAP + 1U) : max;
}

/**
 * vcpc_limits_requests() - get the caller's limit on requests per set
 *
 * Return: 0..VCPC_REQUESTS_CAP.
 */
unsigned int vcpc_limits_requests(void)
{
	unsigned int thread = vcpc_limits_thread();

	/* A set needs one more counter than it has requests. */
	return min(thread - !!thread, VCPC_REQUESTS_CAP + 0U);
}

/**
 * vcpc_stats_count() - increment one of the module's statistics
 * @which: the statistic
 *
 * Context: any.
 */
void vcpc_stats_count(enum vcpc_stat which)
{
	atomic64_inc(&stats[which]);
}

static int stats_show(struct seq_file *m, void *unused)
{
	unsigned int i;

	for (i = 0; i < VCPC_STAT_NR; i++)
		seq_printf(m, "%s %llu\n", stat_names[i], (u64)atomic64_read(&stats[i]));
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(stats);

static int users_show(struct seq_file *m, void *unused)
{
	struct vcpc_user *user;
	unsigned int i;

	spin_lock(&users_lock);
	hash_for_each(users, i, user, node)
		seq_printf(m, "user %u namespace %u sets %d counters %d tags %d\n",
			   from_kuid(&init_user_ns, user->uid), user->ns,
			   atomic_read(&user->used[VCPC_LIMIT_SETS]),
			   atomic_read(&user->used[VCPC_LIMIT_COUNTERS]),
			   atomic_read(&user->used[VCPC_LIMIT_TAGS]));
	spin_unlock(&users_lock);
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(users);

/**
 * vcpc_limits_init() - create the workqueue, and the files in debugfs, at load
 *
 * Nothing depends on the files, so a failure to create them is ignored.
 *
 * Return: 0 or -ENOMEM.
 */
int vcpc_limits_init(void)
{
	releasers = alloc_workqueue("vcpc", WQ_UNBOUND, 0);
	if (!releasers)
		return -ENOMEM;
	folder = debugfs_create_dir("vcpc", NULL);
	debugfs_create_file("stats", 0400, folder, NULL, &stats_fops);
	debugfs_create_file("users", 0400, folder, NULL, &users_fops);
	return 0;
}

/**
 * vcpc_limits_exit() - wait until readers have left the files and descriptors are closed, at unload
 */
void vcpc_limits_exit(void)
{
	debugfs_remove(folder);
	destroy_workqueue(releasers);
}
