/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_TAG_H
#define VCPC_TAG_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct vcpc_user;

/**
 * struct vcpc_tag - a transaction's name
 * @node: in the table of names
 * @idle: if nobody holds it, in the list of its user's, oldest first
 * @last_user: whose it is then
 * @holders: how many files hold it
 * @id: given to this name only, never to another
 * @name: without a length, because the tracepoints want a string
 *
 * All but @id and @name are under the table's lock.
 */
struct vcpc_tag {
	struct hlist_node node;
	struct list_head idle;
	struct vcpc_user *last_user;
	unsigned int holders;
	u32 id;
	char name[];
};

/**
 * struct vcpc_tag_holder - the tags that one open file holds
 * @user: whom they are accounted to
 * @tags: by id; changed under the table's lock
 */
struct vcpc_tag_holder {
	struct vcpc_user *user;
	struct xarray tags;
};

void vcpc_tag_holder_init(struct vcpc_tag_holder *holder, struct vcpc_user *user);
void vcpc_tag_holder_release(struct vcpc_tag_holder *holder);
int vcpc_tag_hold(struct vcpc_tag_holder *holder, const char *name, u32 *id);
const struct vcpc_tag *vcpc_tag_find(struct vcpc_tag_holder *holder, u32 id);
void vcpc_tag_exit(void);

#endif
