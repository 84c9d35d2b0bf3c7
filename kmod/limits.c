// SPDX-License-Identifier: GPL-2.0
/*
 * What one user may have open: the module's parameters, and the accounts.
 *
 * Locking: users_lock guards the list of accounts and their reference counts.
 * The amounts in an account are atomic and need no lock.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/user_namespace.h>

#include "limits.h"
#include "stats.h"

static unsigned int max_requests = VCPC_REQUESTS_CAP;
module_param(max_requests, uint, 0644);
MODULE_PARM_DESC(max_requests, "requests one set may have, at most and by default 2048");

static unsigned int max_user[VCPC_LIMIT_NR] = {
	[VCPC_LIMIT_SETS] = 1024,
	[VCPC_LIMIT_COUNTERS] = 4096,
};

module_param_named(max_user_sets, max_user[VCPC_LIMIT_SETS], uint, 0644);
MODULE_PARM_DESC(max_user_sets, "sets one user may have open (default 1024)");
module_param_named(max_user_counters, max_user[VCPC_LIMIT_COUNTERS], uint, 0644);
MODULE_PARM_DESC(max_user_counters, "counters one user's bound sets may have, of 1.7 kB each (default 4096)");

static unsigned int max_thread_counters = 1024;
module_param(max_thread_counters, uint, 0644);
MODULE_PARM_DESC(max_thread_counters, "counters that may count at a time on one thread or CPU (default 1024)");

static unsigned int max_ended = 256;
module_param(max_ended, uint, 0644);
MODULE_PARM_DESC(max_ended, "ended threads of one BIND that can be read singly (default 256)");

static const char *const limit_names[VCPC_LIMIT_NR] = {
	[VCPC_LIMIT_SETS] = "sets (max_user_sets)",
	[VCPC_LIMIT_COUNTERS] = "counters (max_user_counters)",
};

static DEFINE_RATELIMIT_STATE(refused, 60 * HZ, 1);
static LIST_HEAD(users);
static DEFINE_SPINLOCK(users_lock);

static struct vcpc_user *find_account(kuid_t uid)
{
	struct vcpc_user *user;

	lockdep_assert_held(&users_lock);
	list_for_each_entry(user, &users, node)
		if (uid_eq(user->uid, uid))
			return user;
	return NULL;
}

/*
 * Who makes a user namespace has many users there, by subordinate ids; what they have is his.  But
 * root makes namespaces for others.
 */
static kuid_t responsible_user(void)
{
	const struct user_namespace *ns;
	kuid_t uid = current_uid();

	for (ns = current_user_ns(); ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

/**
 * vcpc_limits_get() - the calling user's account
 *
 * Return: the account, for vcpc_limits_put(); or ERR_PTR(-ENOMEM).
 */
struct vcpc_user *vcpc_limits_get(void)
{
	struct vcpc_user *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
	struct vcpc_user *user;

	if (!fresh)
		return ERR_PTR(-ENOMEM);
	fresh->uid = responsible_user();
	mutex_init(&fresh->rehearsal);
	INIT_LIST_HEAD(&fresh->idle_tags);

	spin_lock(&users_lock);
	user = find_account(fresh->uid);
	if (!user) {
		user = fresh;
		fresh = NULL;
		list_add(&user->node, &users);
	}
	user->refs++;
	spin_unlock(&users_lock);

	kfree(fresh);
	return user;
}

/**
 * vcpc_limits_share() - one more reference to an account
 * @user: the account
 *
 * Return: @user.
 */
struct vcpc_user *vcpc_limits_share(struct vcpc_user *user)
{
	spin_lock(&users_lock);
	user->refs++;
	spin_unlock(&users_lock);
	return user;
}

/**
 * vcpc_limits_put() - give an account back
 * @user: the account; freed with its last reference
 */
void vcpc_limits_put(struct vcpc_user *user)
{
	bool last;

	spin_lock(&users_lock);
	last = !--user->refs;
	if (last)
		list_del(&user->node);
	spin_unlock(&users_lock);

	if (!last)
		return;
	mutex_destroy(&user->rehearsal);
	kfree(user);
}

/**
 * vcpc_limits_charge() - take some of what a user may have
 * @user: the account
 * @limit: of what
 * @nr: how many
 *
 * Return: 0, or -EUSERS if that is more than the user may have.
 */
int vcpc_limits_charge(struct vcpc_user *user, enum vcpc_limit limit, int nr)
{
	int used = atomic_add_return(nr, &user->used[limit]);

	if (used > 0 && (unsigned int)used <= READ_ONCE(max_user[limit]))
		return 0;
	atomic_sub(nr, &user->used[limit]);
	vcpc_stats_count(VCPC_STAT_REFUSED);
	/* One line in a while, as it may be a program's fault, or too low a limit. */
	if (__ratelimit(&refused))
		pr_warn("user %u is at a limit of %u %s\n",
			from_kuid_munged(&init_user_ns, user->uid), READ_ONCE(max_user[limit]),
			limit_names[limit]);
	return -EUSERS;
}

/**
 * vcpc_limits_uncharge() - give back what was taken
 * @user: the account
 * @limit: of what
 * @nr: how many
 */
void vcpc_limits_uncharge(struct vcpc_user *user, enum vcpc_limit limit, int nr)
{
	atomic_sub(nr, &user->used[limit]);
}

/**
 * vcpc_limits_show() - what each user has, one line a user, for root
 * @m: the file
 *
 * Nobody's sets are waited for.
 */
void vcpc_limits_show(struct seq_file *m)
{
	struct vcpc_user *user;

	spin_lock(&users_lock);
	list_for_each_entry(user, &users, node)
		seq_printf(m, "user %u sets %d counters %d tags %u\n",
			   from_kuid(&init_user_ns, user->uid),
			   atomic_read(&user->used[VCPC_LIMIT_SETS]),
			   atomic_read(&user->used[VCPC_LIMIT_COUNTERS]),
			   READ_ONCE(user->nr_tags));
	spin_unlock(&users_lock);
}

/**
 * vcpc_limits_requests() - how many requests one set may have
 *
 * Return: 0..VCPC_REQUESTS_CAP.
 */
unsigned int vcpc_limits_requests(void)
{
	return min_t(unsigned int, READ_ONCE(max_requests), VCPC_REQUESTS_CAP);
}

/**
 * vcpc_limits_sets() - how many sets one user may have open
 *
 * Return: the number.
 */
unsigned int vcpc_limits_sets(void)
{
	return READ_ONCE(max_user[VCPC_LIMIT_SETS]);
}

/**
 * vcpc_limits_thread() - how many counters may count at a time on one thread or CPU
 *
 * perf looks at all of them, with interrupts off, whenever the thread comes and goes.
 *
 * Return: the number.
 */
unsigned int vcpc_limits_thread(void)
{
	return READ_ONCE(max_thread_counters);
}

/**
 * vcpc_limits_ended() - how many ended threads of a binding are kept apart
 *
 * Return: the number; about so many, as they are looked for now and then.
 */
unsigned int vcpc_limits_ended(void)
{
	return READ_ONCE(max_ended);
}
