/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TRACE_TAG_H
#define VCPC_TRACE_TAG_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/types.h>

struct vcpc_user;

/**
 * struct vcpc_tag - a name of one user's transactions
 * @node: in the table of names
 * @idle: if no file holds it, in the list of its user's, oldest first
 * @user: on whose account it is; a reference
 * @holders: how many files hold it
 * @id: given to this name only, never to another
 * @uid: whose name it is, by the initial namespace
 * @name: without a length, because the tracepoints want a string
 *
 * @node, @idle and @holders are under the table's lock; the others do not change.
 */
struct vcpc_tag {
	struct hlist_node node;
	struct list_head idle;
	struct vcpc_user *user;
	unsigned int holders;
	u32 uid;
	u64 id;
	char name[];
};

/**
 * struct vcpc_tag_list - the tags that an open file holds, by handle
 * @smaller: the list that it replaced, which may still be looked at
 * @room: entries of @at
 * @at: NULL where there is no tag: at 0, and behind the last
 */
struct vcpc_tag_list {
	struct vcpc_tag_list *smaller;
	unsigned int room;
	struct vcpc_tag *at[];
};

/**
 * struct vcpc_tag_holder - what one open file holds
 * @user: on whose account
 * @uid: whose names it gives, by the initial namespace
 * @lock: taken to hold one more
 * @list: the tags; NULL before the first
 * @nr: how many (@lock)
 */
struct vcpc_tag_holder {
	struct vcpc_user *user;
	u32 uid;
	struct mutex lock;	/* while one more is taken */
	struct vcpc_tag_list *list;
	unsigned int nr;
};

void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user);
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder);
int vcpc_tag_hold(struct vcpc_tag_holder *holder, const char *name, u32 *handle);
unsigned int vcpc_tag_share(void);
void vcpc_tag_exit(void);

/**
 * vcpc_tag_find() - a tag that the file holds
 * @holder: what it holds
 * @handle: what vcpc_tag_hold() gave, or anything else
 *
 * Takes no lock: a list is complete when it can be seen, and stays until the file is closed.
 *
 * Return: the tag, valid while the file is open, or NULL.
 */
static __always_inline const struct vcpc_tag *vcpc_tag_find(const struct vcpc_tag_holder *holder,
							    u32 handle)
{
	const struct vcpc_tag_list *list = READ_ONCE(holder->list);

	if (unlikely(!list || handle >= list->room))
		return NULL;
	return READ_ONCE(list->at[array_index_nospec(handle, list->room)]);
}

#endif
