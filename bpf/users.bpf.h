/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Limits how many rows each user has in the maps, so that no user can fill them.
 *
 * A user has at most half of a map's rows, and all users but root together leave an eighth
 * to root, who has no limit.  A row is on the account of its tag's user.
 */
#ifndef VCPC_BPF_USERS_H
#define VCPC_BPF_USERS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "trace.h"

/* user -> rows; VC_USER_ALL: those of all users but root */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_USERS);
	__type(key, __u32);
	__type(value, struct vc_user);
} vc_user SEC(".maps");

static const struct vc_user vc_no_rows;

static __always_inline struct vc_user *vc_user_of(__u32 user)
{
	struct vc_user *row = bpf_map_lookup_elem(&vc_user, &user);

	if (row)
		return row;
	bpf_map_update_elem(&vc_user, &user, &vc_no_rows, BPF_NOEXIST);
	return bpf_map_lookup_elem(&vc_user, &user);
}

/*
 * A user for whom vc_user has no room shares the row VC_USER_OTHERS with all other such users.
 * That row is made first, as it would be too late once the map is full.
 */
static __always_inline struct vc_user *vc_user_or_others(__u32 user)
{
	struct vc_user *others = vc_user_of(VC_USER_OTHERS);
	struct vc_user *row = vc_user_of(user);

	return row ? row : others;
}

static __always_inline int vc_take_row(struct vc_user *user, enum vc_rows which, __s64 limit)
{
	if ((__s64)__sync_fetch_and_add(&user->rows[which], 1) < limit)
		return 0;
	__sync_fetch_and_add(&user->rows[which], -1);
	return -1;
}

/*
 * Charges one more row, in a map of @max rows, to a user: 0, or -1 if the user, or all users but
 * root together, would have too many.
 */
static __always_inline int vc_charge(__u32 user, enum vc_rows which, __u32 max)
{
	__s64 shared = max - max / 8, share = (max + 1) / 2;
	struct vc_user *own, *all;

	if (!user)
		return 0;
	all = vc_user_of(VC_USER_ALL);
	own = vc_user_or_others(user);
	if (!all || !own || vc_take_row(all, which, shared))
		return -1;
	if (!vc_take_row(own, which, share))
		return 0;
	__sync_fetch_and_add(&all->rows[which], -1);
	return -1;
}

/* Undoes vc_charge() for a row that is gone, or was not made. */
static __always_inline void vc_refund(__u32 user, enum vc_rows which)
{
	struct vc_user *own, *all;

	if (!user)
		return;
	all = vc_user_of(VC_USER_ALL);
	own = vc_user_or_others(user);
	if (all)
		__sync_fetch_and_add(&all->rows[which], -1);
	if (own)
		__sync_fetch_and_add(&own->rows[which], -1);
}

#endif /* VCPC_BPF_USERS_H */
