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
 * struct vcpc_tag - the name of a user's transactions
 * @node: node in the table of names
 * @idle: node in the account's list of idle tags, oldest first, while no file holds the
 *	tag
 * @user: the account that it is charged to; holds a reference
 * @holders: number of files that hold it
 * @id: its ID, never reused
 * @uid: the user who owns the name, in the initial namespace
 * @name: NUL-terminated, for the tracepoints
 *
 * The table's lock guards @node, @idle and @holders; the others do not change.
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
 * struct vcpc_tag_holder - the tags that one open file holds
 * @user: the account to charge
 * @uid: the user whose names it looks up, in the initial namespace
 * @lock: held while a tag is added
 * @chunks: the tags by handle, in arrays of VCPC_TAG_CHUNK; unused entries are NULL
 * @nr: number of tags; guarded by @lock
 */
struct vcpc_tag_holder {
	struct vcpc_user *user;
	u32 uid;
	struct mutex lock;	/* held while a tag is added */
	const struct vcpc_tag **chunks[VCPC_TAG_HANDLES / VCPC_TAG_CHUNK];
	unsigned int nr;
};

void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user);
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder);
int vcpc_tag_hold(struct vcpc_tag_holder *holder, const char *name, u32 *handle);
void vcpc_tag_exit(void);

/**
 * vcpc_tag_find() - find a tag that the file holds
 * @holder: the file's holder
 * @handle: a handle from vcpc_tag_hold(), or any other number
 *
 * This takes no lock: an array is complete before it becomes visible, and is freed only when the
 * file is closed.
 *
 * Return: the tag, valid while the file is open, or NULL.
 */
static __always_inline const struct vcpc_tag *vcpc_tag_find(const struct vcpc_tag_holder *holder,
							    u64 handle)
{
	const struct vcpc_tag **chunk;

	if (unlikely(handle >= VCPC_TAG_HANDLES))
		return NULL;
	handle = array_index_nospec(handle, VCPC_TAG_HANDLES);
	chunk = READ_ONCE(holder->chunks[handle / VCPC_TAG_CHUNK]);
	return likely(chunk) ? READ_ONCE(chunk[handle % VCPC_TAG_CHUNK]) : NULL;
}

#endif
