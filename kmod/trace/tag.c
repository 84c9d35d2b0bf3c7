// SPDX-License-Identifier: GPL-2.0
/*
 * Map the names of a user's trace tags to IDs, within limits.
 *
 * A name belongs to its user: if two users register the same name, they get two tags.  A tag that
 * no file holds is idle.  It is kept so that a restarted program continues its statistics.
 *
 * An account can have max_user_tags tags, held or idle; if it needs another, its oldest idle tag is
 * removed.  If all accounts together have more than max_idle_tags idle tags, the oldest idle tag of
 * the account with the most idle tags is removed.  Listeners of vcpc:vcpc_tag_put then also remove
 * the tag.
 *
 * Locking: table_lock, nested inside a holder's mutex, guards the table, the holders and the idle
 * lists.  It is a spin lock because a thread must not wait for another user's preempted thread.
 * Memory is allocated and freed, and tracepoints are fired, without it.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/moduleparam.h>
#include <linux/once.h>
#include <linux/preempt.h>
#include <linux/random.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "limits.h"
#include "trace/events.h"
#include "trace/tag.h"

static unsigned int max_idle_tags = 4096;
module_param(max_idle_tags, uint, 0644);
MODULE_PARM_DESC(max_idle_tags, "maximum number of trace tags that are kept while no program uses them (default 4096)");

static DEFINE_SPINLOCK(table_lock);
static DEFINE_HASHTABLE(table, 10);
static LIST_HEAD(idle_users);	/* accounts that have idle tags */
static unsigned int nr_idle;
static u64 last_id;

/* Hash a name with a secret key, so that users cannot choose names that collide. */
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

/* Make a tag idle when the last file that holds it is closed. */
static void make_idle(struct vcpc_tag *tag)
{
	lockdep_assert_held(&table_lock);
	nr_idle++;
	if (!tag->user->nr_idle++)
		list_add_tail(&tag->user->idle_node, &idle_users);
	list_add_tail(&tag->idle, &tag->user->idle_tags);
}

static void make_busy(struct vcpc_tag *tag)
{
	lockdep_assert_held(&table_lock);
	nr_idle--;
	list_del_init(&tag->idle);
	if (!--tag->user->nr_idle)
		list_del(&tag->user->idle_node);
}

/*
 * Remove the account's oldest idle tag from the table.  The caller must call free_forgotten()
 * without the lock.
 */
static void forget_oldest(struct vcpc_user *user, struct list_head *forgotten)
{
	struct vcpc_tag *tag = list_first_entry(&user->idle_tags, struct vcpc_tag, idle);

	hash_del(&tag->node);
	make_busy(tag);
	vcpc_limits_uncharge(user, VCPC_LIMIT_TAGS, 1);
	list_add_tail(&tag->idle, forgotten);
}

static void forget_idle(unsigned int keep, struct list_head *forgotten)
{
	struct vcpc_user *user, *most;

	while (nr_idle > keep) {
		most = list_first_entry(&idle_users, struct vcpc_user, idle_node);
		list_for_each_entry(user, &idle_users, idle_node)
			if (user->nr_idle > most->nr_idle)
				most = user;
		forget_oldest(most, forgotten);
	}
}

static void free_tag(struct vcpc_tag *tag)
{
	if (!tag)
		return;
	vcpc_limits_put(tag->user);
	kfree(tag);
}

static void free_forgotten(struct list_head *forgotten)
{
	struct vcpc_tag *tag, *next;

	list_for_each_entry_safe(tag, next, forgotten, idle) {
		preempt_disable();
		trace_vcpc_tag_put(tag->id);
		preempt_enable();
		free_tag(tag);
		cond_resched();
	}
}

static struct vcpc_tag *alloc_tag(const struct vcpc_tag_holder *holder, const char *name)
{
	size_t size = strlen(name) + 1;
	struct vcpc_tag *tag = kzalloc(struct_size(tag, name, size), GFP_KERNEL_ACCOUNT);

	if (!tag)
		return NULL;
	refcount_inc(&holder->user->refs);
	tag->user = holder->user;
	tag->uid = holder->uid;
	memcpy(tag->name, name, size);
	return tag;
}

/* Charge the account for a tag; remove its oldest idle tags if the limit is reached. */
static int charge(struct vcpc_user *user, struct list_head *forgotten)
{
	int ret;

	while ((ret = vcpc_limits_try(user, VCPC_LIMIT_TAGS, 1)) && user->nr_idle)
		forget_oldest(user, forgotten);
	return ret;
}

/* Hold the existing tag with @fresh's name, or add @fresh and set it to NULL. */
static int tag_take(struct vcpc_tag **fresh, struct vcpc_tag **taken)
{
	struct vcpc_user *user = (*fresh)->user;
	LIST_HEAD(forgotten);
	struct vcpc_tag *tag;

	spin_lock(&table_lock);
	tag = find_same(*fresh);
	if (tag && !tag->holders) {
		make_busy(tag);
	} else if (!tag && !charge(user, &forgotten)) {
		tag = *fresh;
		*fresh = NULL;
		tag->id = ++last_id;
		hash_add(table, &tag->node, key(tag->uid, tag->name));
	}
	if (tag)
		tag->holders++;
	*taken = tag;
	spin_unlock(&table_lock);
	free_forgotten(&forgotten);
	return tag ? 0 : vcpc_limits_refuse(user, VCPC_LIMIT_TAGS);
}

/* Drop a holder of @tag, unless it is NULL, and remove idle tags until @keep are left. */
static void drop(struct vcpc_tag *tag, unsigned int keep)
{
	LIST_HEAD(forgotten);

	spin_lock(&table_lock);
	if (tag && !--tag->holders)
		make_idle(tag);
	forget_idle(keep, &forgotten);
	spin_unlock(&table_lock);
	free_forgotten(&forgotten);
}

static int grow(struct vcpc_tag_holder *holder)
{
	unsigned int nr = holder->nr + 1;
	const struct vcpc_tag **chunk;

	lockdep_assert_held(&holder->lock);
	if (nr >= VCPC_TAG_HANDLES)
		return -ENOSPC;
	if (holder->chunks[nr / VCPC_TAG_CHUNK])
		return 0;
	chunk = kcalloc(VCPC_TAG_CHUNK, sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	/* A reader that sees the array also sees that it is empty. */
	smp_store_release(&holder->chunks[nr / VCPC_TAG_CHUNK], chunk);
	return 0;
}

/* Return the tag with @as's name if any file holds it.  The caller must not access the tag. */
static const struct vcpc_tag *held_by_any(const struct vcpc_tag *as)
{
	const struct vcpc_tag *tag;

	spin_lock(&table_lock);
	tag = find_same(as);
	if (tag && !tag->holders)
		tag = NULL;
	spin_unlock(&table_lock);
	return tag;
}

/*
 * Return the handle if the file already holds the tag, otherwise 0.  Most new tags are held by no
 * file, so that the file's tags need not be searched.
 */
static u32 known_handle(const struct vcpc_tag_holder *holder, const struct vcpc_tag *as)
{
	const struct vcpc_tag *tag = held_by_any(as);
	unsigned int handle;

	for (handle = tag ? holder->nr : 0; handle; handle--) {
		if (vcpc_tag_find(holder, handle) == tag)
			return handle;
		if (handle % VCPC_TAG_CHUNK == 0)
			cond_resched();
	}
	return 0;
}

static int hold_locked(struct vcpc_tag_holder *holder, struct vcpc_tag **fresh, u32 *handle)
{
	struct vcpc_tag *tag;
	int ret;

	*handle = known_handle(holder, *fresh);
	if (*handle)
		return 0;
	ret = grow(holder) ?: tag_take(fresh, &tag);
	if (ret)
		return ret;
	*handle = ++holder->nr;
	/* A reader that sees the tag also sees its name and ID. */
	smp_store_release(&holder->chunks[*handle / VCPC_TAG_CHUNK][*handle % VCPC_TAG_CHUNK],
			  tag);
	return 0;
}

/**
 * vcpc_tag_hold() - look up or create a name's tag and hold it until the file is closed
 * @holder: the file's holder
 * @name: shorter than VCPC_TAG_LEN
 * @handle: set to a handle for vcpc_tag_find(), never 0; the same name always has the
 *	same handle
 *
 * Context: sleeps.
 * Return: 0, -EUSERS, -ENOSPC (the file holds too many tags), -ENOMEM or -EINTR.
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
 * vcpc_tag_holder_init() - initialize the holder of a new file
 * @holder: the holder
 * @user: the account to charge
 *
 * Its names belong to the calling user.
 */
void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user)
{
	*holder = (struct vcpc_tag_holder) {
		.user = user,
		.uid = from_kuid(&init_user_ns, current_uid()),
	};
	mutex_init(&holder->lock);
}

/**
 * vcpc_tag_holder_release() - release all tags of a closed file
 * @holder: the file's holder
 *
 * Context: sleeps.
 */
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder)
{
	unsigned int handle;

	for (handle = 1; handle <= holder->nr; handle++) {
		drop((struct vcpc_tag *)vcpc_tag_find(holder, handle), READ_ONCE(max_idle_tags));
		cond_resched();
	}
	for (handle = 0; handle < ARRAY_SIZE(holder->chunks); handle++)
		kfree(holder->chunks[handle]);
	mutex_destroy(&holder->lock);
}

/**
 * vcpc_tag_exit() - remove all tags
 *
 * Context: sleeps; at unload, when no file is open.
 */
void vcpc_tag_exit(void)
{
	drop(NULL, 0);
}
