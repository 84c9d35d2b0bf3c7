// SPDX-License-Identifier: GPL-2.0
/*
 * Trace tags: from a name to an id, counted and bounded.
 *
 * A tag that nobody holds stays known, so that a program that starts again
 * finds its statistics; it is then an idle one of the user who held it last.
 * When there is no room for a new one, the user who has most of them loses the
 * oldest: who makes ever new tags drives out his own, and nobody's who has fewer.
 * Whoever listens to vcpc:vcpc_tag_put forgets the tag too.
 *
 * Locking: table_lock guards the table, who holds what, and whose tags are
 * idle.  Looking up a held tag by its id takes no lock: it stays as long as
 * the file that holds it is open.
 */
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "limits.h"
#include "tag.h"
#include "trace.h"

static DEFINE_MUTEX(table_lock);
static DEFINE_HASHTABLE(table, 10);
static LIST_HEAD(idle_users);	/* users who have idle tags */
static unsigned int nr_tags;
static u32 last_id;

static u32 key(const char *name)
{
	return jhash(name, strlen(name), 0);
}

static struct vcpc_tag *find_name(const char *name)
{
	struct vcpc_tag *tag;

	lockdep_assert_held(&table_lock);
	hash_for_each_possible(table, tag, node, key(name))
		if (!strcmp(tag->name, name))
			return tag;
	return NULL;
}

/* The file that held it last is closed, or it is just being made. */
static void make_idle(struct vcpc_tag *tag, struct vcpc_user *user)
{
	lockdep_assert_held(&table_lock);
	tag->last_user = vcpc_limits_share(user);
	if (!user->nr_idle++)
		list_add_tail(&user->idle_node, &idle_users);
	list_add_tail(&tag->idle, &user->idle_tags);
}

static void make_busy(struct vcpc_tag *tag)
{
	struct vcpc_user *user = tag->last_user;

	lockdep_assert_held(&table_lock);
	list_del_init(&tag->idle);
	if (!--user->nr_idle)
		list_del(&user->idle_node);
	tag->last_user = NULL;
	vcpc_limits_put(user);
}

static void forget(struct vcpc_tag *tag)
{
	lockdep_assert_held(&table_lock);
	trace_vcpc_tag_put(tag->id);
	hash_del(&tag->node);
	make_busy(tag);
	nr_tags--;
	kfree(tag);
}

static void forget_oldest(struct vcpc_user *user)
{
	forget(list_first_entry(&user->idle_tags, struct vcpc_tag, idle));
}

static struct vcpc_user *most_idle(void)
{
	struct vcpc_user *user, *most = NULL;

	lockdep_assert_held(&table_lock);
	list_for_each_entry(user, &idle_users, idle_node)
		if (!most || user->nr_idle > most->nr_idle)
			most = user;
	return most;
}

static bool make_room(void)
{
	struct vcpc_user *most;

	while (nr_tags >= vcpc_limits_tags()) {
		most = most_idle();
		if (!most)
			return false;
		forget_oldest(most);
	}
	return true;
}

static int add_name(const char *name, struct vcpc_user *user, struct vcpc_tag **tag)
{
	size_t size = strlen(name) + 1;
	struct vcpc_tag *fresh;

	lockdep_assert_held(&table_lock);
	if (last_id == U32_MAX || !make_room())
		return -ENOSPC;
	fresh = kzalloc(struct_size(fresh, name, size), GFP_KERNEL_ACCOUNT);
	if (!fresh)
		return -ENOMEM;
	memcpy(fresh->name, name, size);
	fresh->id = ++last_id;
	make_idle(fresh, user);
	hash_add(table, &fresh->node, key(name));
	nr_tags++;
	*tag = fresh;
	return 0;
}

static int hold(struct vcpc_tag_holder *holder, const char *name, u32 *id)
{
	struct vcpc_tag *tag = find_name(name);
	int ret;

	if (tag && xa_load(&holder->tags, tag->id)) {
		*id = tag->id;
		return 0;
	}
	ret = vcpc_limits_charge(holder->user, VCPC_LIMIT_TAGS, 1);
	if (ret)
		return ret;
	if (!tag)
		ret = add_name(name, holder->user, &tag);
	if (!ret)
		ret = xa_insert(&holder->tags, tag->id, tag, GFP_KERNEL_ACCOUNT);
	if (ret) {
		vcpc_limits_uncharge(holder->user, VCPC_LIMIT_TAGS, 1);
		return ret;
	}
	if (!tag->holders++)
		make_busy(tag);
	*id = tag->id;
	return 0;
}

/**
 * vcpc_tag_hold() - a name's tag, held until the file is closed
 * @holder: the file's tags
 * @name: shorter than VCPC_TAG_LEN
 * @id: set on success
 *
 * Context: sleeps.
 * Return: 0, -EUSERS, -ENOSPC or -ENOMEM.
 */
int vcpc_tag_hold(struct vcpc_tag_holder *holder, const char *name, u32 *id)
{
	int ret;

	mutex_lock(&table_lock);
	ret = hold(holder, name, id);
	mutex_unlock(&table_lock);
	return ret;
}

/**
 * vcpc_tag_find() - a tag that the file holds
 * @holder: the file's tags
 * @id: the tag's id
 *
 * Return: the tag, valid while the file is open, or NULL.
 */
const struct vcpc_tag *vcpc_tag_find(struct vcpc_tag_holder *holder, u32 id)
{
	return xa_load(&holder->tags, id);
}

/**
 * vcpc_tag_holder_init() - a new file, which holds nothing yet
 * @holder: the file's tags
 * @user: whom they are accounted to
 */
void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user)
{
	holder->user = user;
	xa_init_flags(&holder->tags, XA_FLAGS_ACCOUNT);
}

/**
 * vcpc_tag_holder_release() - the file is closed
 * @holder: the file's tags
 *
 * Context: sleeps.
 */
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder)
{
	struct vcpc_tag *tag;
	unsigned long id;

	mutex_lock(&table_lock);
	xa_for_each(&holder->tags, id, tag) {
		if (!--tag->holders)
			make_idle(tag, holder->user);
		vcpc_limits_uncharge(holder->user, VCPC_LIMIT_TAGS, 1);
	}
	mutex_unlock(&table_lock);
	xa_destroy(&holder->tags);
}

/**
 * vcpc_tag_exit() - forget all tags
 *
 * Context: sleeps; at unload, when no file is open.
 */
void vcpc_tag_exit(void)
{
	struct vcpc_user *most;

	mutex_lock(&table_lock);
	while ((most = most_idle()))
		forget_oldest(most);
	mutex_unlock(&table_lock);
}
