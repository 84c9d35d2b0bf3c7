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

#define VCPC_TAG_CHUNK		64
#define VCPC_TAG_HANDLES	(64 * VCPC_TAG_CHUNK)

/**
 * struct vcpc_tag_holder - what one open file holds
 * @user: on whose account
 * @uid: whose names it gives, by the initial namespace
 * @lock: taken to hold one more
 * @chunks: the tags by handle, in arrays of VCPC_TAG_CHUNK; NULL where there is none
 * @nr: how many (@lock)
 */
struct vcpc_tag_holder {
	struct vcpc_user *user;
	u32 uid;
	struct mutex lock;	/* while one more is taken */
	const struct vcpc_tag **chunks[VCPC_TAG_HANDLES / VCPC_TAG_CHUNK];
	unsigned int nr;
};

void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user);
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder);
int vcpc_tag_hold(struct vcpc_tag_holder *holder, const char *name, u32 *handle);
void vcpc_tag_exit(void);

/**
 * vcpc_tag_find() - a tag that the file holds
 * @holder: what it holds
 * @handle: what vcpc_tag_hold() gave, or anything else
 *
 * Takes no lock: an array is complete when it can be seen, and stays until the file is closed.
 *
 * Return: the tag, valid while the file is open, or NULL.
 */
static __always_inline const struct vcpc_tag *vcpc_tag_find(const struct vcpc_tag_holder *holder,
							    u32 handle)
{
	const struct vcpc_tag **chunk;

	if (unlikely(handle >= VCPC_TAG_HANDLES))
		return NULL;
	handle = array_index_nospec(handle, VCPC_TAG_HANDLES);
	chunk = READ_ONCE(holder->chunks[handle / VCPC_TAG_CHUNK]);
	return likely(chunk) ? READ_ONCE(chunk[handle % VCPC_TAG_CHUNK]) : NULL;
}

#endif
