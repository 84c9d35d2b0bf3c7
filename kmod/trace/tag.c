// SPDX-License-Identifier: GPL-2.0
/*
 * Trace tags: from a user's name to an id, counted and bounded.
 *
 * A name belongs to its user: the same name of another user is another tag.  A tag that no file
 * holds is idle; it stays known, so that a program that starts again finds its statistics.
 *
 * A user has a share of tags, held or idle, and loses the oldest idle one when it needs one
 * more.  All users except root share all tags except root's reserve; when these are full, the
 * user with the most idle ones loses its oldest.  Root and processes with CAP_SYS_ADMIN have no
 * share, and may use the reserve.  Listeners to vcpc:vcpc_tag_put forget the tag, too.
 *
 * Locking: a holder's mutex, and in it table_lock, which guards the table, who holds what, and
 * what is idle.  It is a spin lock, so that nobody waits for another user's thread that the
 * scheduler has set aside; memory is allocated and freed, and tracepoints fire, outside it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/once.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/random.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "limits.h"
#include "trace/events.h"
#include "trace/tag.h"

static unsigned int max_tags = 4096;
module_param(max_tags, uint, 0644);
MODULE_PARM_DESC(max_tags, "trace tags that can exist at a time (default 4096)");

static unsigned int max_user_tags = 1024;
module_param(max_user_tags, uint, 0644);
MODULE_PARM_DESC(max_user_tags, "trace tags of one user but root, in use or remembered (default 1024)");

static unsigned int root_tags = 512;
module_param(root_tags, uint, 0644);
MODULE_PARM_DESC(root_tags, "of max_tags, those that only root can have (default 512)");

static DEFINE_RATELIMIT_STATE(refused, 60 * HZ, 1);
static DEFINE_SPINLOCK(table_lock);
static DEFINE_HASHTABLE(table, 10);
static LIST_HEAD(idle_users);	/* users who have idle tags */
static unsigned int nr_tags, nr_root_tags;
static u64 last_id;

/* Keyed, so that nobody can choose names that are all in one place. */
static u32 key(u32 uid, const char *name)
{
	static u32 secret;

	get_random_once(&secret, sizeof(secret));
	return jhash(name, strlen(name), secret ^ uid);
}

static struct vcpc_tag *find_same(const struct vcpc_tag *as)
{
	struct vcpc_tag *tag;

	lockdep_assert_held(&table_lock);
	hash_for_each_possible(table, tag, node, key(as->uid, as->name))
		if (tag->user == as->user && tag->uid == as->uid && !strcmp(tag->name, as->name))
			return tag;
	return NULL;
}

/* The file that held it last is closed, or it is just being made. */
static void make_idle(struct vcpc_tag *tag)
{
	struct vcpc_user *user = tag->user;

	lockdep_assert_held(&table_lock);
	if (!user->nr_idle++)
		list_add_tail(&user->idle_node, &idle_users);
	list_add_tail(&tag->idle, &user->idle_tags);
}

static void make_busy(struct vcpc_tag *tag)
{
	struct vcpc_user *user = tag->user;

	lockdep_assert_held(&table_lock);
	list_del_init(&tag->idle);
	if (!--user->nr_idle)
		list_del(&user->idle_node);
}

static void count(const struct vcpc_tag *tag, int by)
{
	lockdep_assert_held(&table_lock);
	WRITE_ONCE(tag->user->nr_tags, tag->user->nr_tags + by);
	nr_tags += by;
	if (tag->user->root)
		nr_root_tags += by;
}

/* Take it out of the table; free_forgotten() is to follow, without the lock. */
static void forget_oldest(struct vcpc_user *user, struct list_head *forgotten)
{
	struct vcpc_tag *tag = list_first_entry(&user->idle_tags, struct vcpc_tag, idle);

	hash_del(&tag->node);
	make_busy(tag);
	count(tag, -1);
	list_add_tail(&tag->idle, forgotten);
}

static void free_forgotten(struct list_head *forgotten)
{
	struct vcpc_tag *tag, *next;

	list_for_each_entry_safe(tag, next, forgotten, idle) {
		preempt_disable();
		trace_vcpc_tag_put(tag->id);
		preempt_enable();
		vcpc_limits_put(tag->user);
		kfree(tag);
		cond_resched();
	}
}

static struct vcpc_user *most_idle(bool may_be_root)
{
	struct vcpc_user *user, *most = NULL;

	lockdep_assert_held(&table_lock);
	list_for_each_entry(user, &idle_users, idle_node)
		if ((may_be_root || !user->root) && (!most || user->nr_idle > most->nr_idle))
			most = user;
	return most;
}

/* Is all taken that is not kept for root? */
static bool others_are_full(void)
{
	unsigned int max = READ_ONCE(max_tags);

	return nr_tags - nr_root_tags >= max - min(READ_ONCE(root_tags), max);
}

/* An idle tag of whom has to go before @user can have one more?  0: none; or why none can */
static int who_makes_room(struct vcpc_user *user, bool as_root, struct vcpc_user **victim)
{
	int ret = -ENOSPC;

	lockdep_assert_held(&table_lock);
	if (!as_root && user->nr_tags >= READ_ONCE(max_user_tags)) {
		*victim = user->nr_idle ? user : NULL;
		ret = -EUSERS;
	} else if (!as_root && others_are_full()) {
		*victim = most_idle(false);
	} else if (nr_tags >= READ_ONCE(max_tags)) {
		*victim = most_idle(true);
	} else {
		*victim = NULL;
		return 0;
	}
	return *victim ? 0 : ret;
}

static int make_room(struct vcpc_user *user, bool as_root, struct list_head *forgotten)
{
	struct vcpc_user *victim;
	int ret;

	while (!(ret = who_makes_room(user, as_root, &victim)) && victim)
		forget_oldest(victim, forgotten);
	return ret;
}

static struct vcpc_tag *alloc_tag(const struct vcpc_tag_holder *holder, const char *name)
{
	size_t size = strlen(name) + 1;
	struct vcpc_tag *tag = kzalloc(struct_size(tag, name, size), GFP_KERNEL_ACCOUNT);

	if (!tag)
		return NULL;
	tag->user = vcpc_limits_share(holder->user);
	tag->uid = holder->uid;
	memcpy(tag->name, name, size);
	return tag;
}

static void free_tag(struct vcpc_tag *tag)
{
	if (!tag)
		return;
	vcpc_limits_put(tag->user);
	kfree(tag);
}

/* The tag of @fresh's name, held once more: another, or @fresh itself, which is then NULL */
static int take_locked(struct vcpc_tag **fresh, bool as_root, struct list_head *forgotten,
		       struct vcpc_tag **taken)
{
	struct vcpc_tag *tag = find_same(*fresh);
	int ret;

	if (!tag) {
		tag = *fresh;
		ret = make_room(tag->user, as_root, forgotten);
		if (ret)
			return ret;
		tag->id = ++last_id;
		hash_add(table, &tag->node, key(tag->uid, tag->name));
		count(tag, 1);
		make_idle(tag);
		*fresh = NULL;
	}
	if (!tag->holders++)
		make_busy(tag);
	*taken = tag;
	return 0;
}

static int take(struct vcpc_tag **fresh, struct vcpc_tag **taken)
{
	bool as_root = (*fresh)->user->root ||
		       ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	LIST_HEAD(forgotten);
	int ret;

	spin_lock(&table_lock);
	ret = take_locked(fresh, as_root, &forgotten, taken);
	spin_unlock(&table_lock);
	free_forgotten(&forgotten);
	if (ret)
		vcpc_stats_count(VCPC_STAT_TAGS_REFUSED);
	/* One line in a while, as it may be a program's fault, or too low a limit. */
	if (ret && __ratelimit(&refused))
		pr_warn("user %u is refused a trace tag (%s)\n", (*fresh)->uid,
			ret == -EUSERS ? "max_user_tags" : "max_tags");
	return ret;
}

static void drop(struct vcpc_tag *tag)
{
	spin_lock(&table_lock);
	if (!--tag->holders)
		make_idle(tag);
	spin_unlock(&table_lock);
}

/* Room for one more handle.  Who looks a handle up may have the smaller list in hand. */
static int grow_list(struct vcpc_tag_holder *holder)
{
	struct vcpc_tag_list *old = holder->list, *list;
	unsigned int room = old ? 2 * old->room : 16;

	lockdep_assert_held(&holder->lock);
	if (old && holder->nr + 1 < old->room)
		return 0;
	list = kvzalloc(struct_size(list, at, room), GFP_KERNEL_ACCOUNT);
	if (!list)
		return -ENOMEM;
	list->room = room;
	list->smaller = old;
	if (old)
		memcpy(list->at, old->at, old->room * sizeof(old->at[0]));
	/* Who sees the list sees what is in it: vcpc_tag_find() loads through it. */
	smp_store_release(&holder->list, list);
	return 0;
}

/* The handle by which the file holds it already, or 0 */
static u32 known_handle(const struct vcpc_tag_holder *holder, const struct vcpc_tag *tag)
{
	unsigned int handle;

	for (handle = holder->nr; handle; handle--)
		if (holder->list->at[handle] == tag)
			return handle;
	return 0;
}

static int hold_locked(struct vcpc_tag_holder *holder, struct vcpc_tag **fresh, u32 *handle)
{
	struct vcpc_tag *tag;
	int ret = grow_list(holder);

	if (!ret)
		ret = take(fresh, &tag);
	if (ret)
		return ret;
	*handle = known_handle(holder, tag);
	if (*handle) {
		drop(tag);
		return 0;
	}
	*handle = ++holder->nr;
	/* Who sees the tag sees its name and id. */
	smp_store_release(&holder->list->at[*handle], tag);
	return 0;
}

/**
 * vcpc_tag_hold() - a name's tag, held until the file is closed
 * @holder: what the file holds
 * @name: shorter than VCPC_TAG_LEN
 * @handle: for vcpc_tag_find(), never 0; the same for the same name
 *
 * Context: sleeps.
 * Return: 0, -EUSERS, -ENOSPC, -ENOMEM or -EINTR.
 */
int vcpc_tag_hold(struct vcpc_tag_holder *holder, const char *name, u32 *handle)
{
	struct vcpc_tag *fresh = alloc_tag(holder, name);
	int ret = -EINTR;

	if (!fresh)
		return -ENOMEM;
	if (!mutex_lock_killable(&holder->lock)) {
		ret = hold_locked(holder, &fresh, handle);
		mutex_unlock(&holder->lock);
	}
	free_tag(fresh);
	return ret;
}

/**
 * vcpc_tag_holder_init() - a new file, which holds nothing yet
 * @holder: what it holds
 * @user: on whose account
 *
 * Its names are the calling user's.
 */
void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user)
{
	*holder = (struct vcpc_tag_holder) {
		.user = user,
		.uid = from_kuid(&init_user_ns, current_uid()),
	};
	mutex_init(&holder->lock);
}

static void free_lists(struct vcpc_tag_list *list)
{
	struct vcpc_tag_list *smaller;

	for (; list; list = smaller) {
		smaller = list->smaller;
		kvfree(list);
	}
}

/**
 * vcpc_tag_holder_release() - the file is closed
 * @holder: what it holds
 *
 * Context: sleeps.
 */
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder)
{
	unsigned int handle;

	for (handle = 1; handle <= holder->nr; handle++) {
		drop(holder->list->at[handle]);
		cond_resched();
	}
	free_lists(holder->list);
	mutex_destroy(&holder->lock);
}

/**
 * vcpc_tag_share() - how many tags one user can have
 *
 * Return: the number.
 */
unsigned int vcpc_tag_share(void)
{
	return READ_ONCE(max_user_tags);
}

/**
 * vcpc_tag_exit() - forget all tags
 *
 * Context: sleeps; at unload, when no file is open.
 */
void vcpc_tag_exit(void)
{
	LIST_HEAD(forgotten);
	struct vcpc_user *most;

	spin_lock(&table_lock);
	while ((most = most_idle(true)))
		forget_oldest(most, &forgotten);
	spin_unlock(&table_lock);
	free_forgotten(&forgotten);
}
