/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Limit the number of rows of each account, so that no user can fill the maps.
 *
 * An account belongs to a user and includes all user IDs of the user namespaces that this user
 * created, or it belongs to a user namespace that root created and includes everything in it.  An
 * account has at most half of a map's rows.  All accounts except root's together leave 1/8 of the
 * rows to root, which is not limited.  User 0 without capabilities shares the account of users that
 * do not fit in vc_user.
 *
 * All rows of a tag are charged to the account of the first task that used the tag, so an account
 * without a tag has no rows and is closed.
 */
#ifndef VCPC_BPF_USERS_H
#define VCPC_BPF_USERS_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "trace.h"

/*
 * account -> number of rows; VC_USER_ALL -> number of rows of all accounts except root's.  The
 * loader creates VC_USER_*.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, VC_MAX_USERS);
	__type(key, __u64);
	__type(value, struct vc_user);
} vc_user SEC(".maps");

/* individual events (struct vc_record) until a reader reads them; each account has a share */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);
} vc_ring SEC(".maps");

/*
 * Offsets of members of the kernel's structs; all are 0 if the loader could not determine them.
 * They are not relocations, because a program with relocations cannot be loaded on a kernel without
 * BTF.
 */
const volatile struct vc_offsets vc_offsets;

static const struct vc_user vc_no_rows;

/* The kernel's maximum depth of user namespaces, plus one */
#define VC_MAX_NESTED	33

/* Added to vc_user.rows[VC_ROWS_TAG] while the account is being closed */
#define VC_CLOSING	(1ull << 62)

static __always_inline __u64 vc_read_word(__u64 from)
{
	__u64 word = 0;

	bpf_probe_read_kernel(&word, sizeof(word), (const void *)from);
	return word;
}

static __always_inline __u32 vc_read_half(__u64 from)
{
	__u32 half = 0;

	bpf_probe_read_kernel(&half, sizeof(half), (const void *)from);
	return half;
}

/* CAP_SYS_ADMIN or CAP_PERFMON: without one of them, user 0 is not treated as root */
#define VC_ROOTS_CAPS	(1ull << 21 | 1ull << 38)

static __noinline __u64 vc_cred(void)
{
	return vc_read_word(bpf_get_current_task() + vc_offsets.task_cred);
}

static long vc_to_parent(__u32 i, __u64 *ns)
{
	(void)i;
	if (vc_read_half(*ns + vc_offsets.user_ns_level) <= 1)
		return 1;
	*ns = vc_read_word(*ns + vc_offsets.user_ns_parent);
	return 0;
}

/*
 * Return the outermost user namespace of the credentials below the initial one, or the initial one
 * itself; 0 if it is unknown.
 */
static __noinline __u64 vc_outermost(__u64 cred)
{
	__u64 ns = vc_read_word(cred + vc_offsets.cred_user_ns);

	bpf_loop(VC_MAX_NESTED, vc_to_parent, &ns, 0);
	return ns;
}

/*
 * Return the account of the current task.  @user is the task's user, unless the task is in a nested
 * user namespace.
 */
static __always_inline __u64 vc_account_of(__u32 user)
{
	__u64 cred, ns;
	__u32 owner;

	if (!vc_offsets.task_cred)
		return user;
	cred = vc_cred();
	ns = vc_outermost(cred);
	if (!vc_read_half(ns + vc_offsets.user_ns_level)) {
		if (user || vc_read_word(cred + vc_offsets.cred_caps) & VC_ROOTS_CAPS)
			return user;
		return VC_USER_OTHERS;
	}
	owner = vc_read_half(ns + vc_offsets.user_ns_owner);
	return owner ? owner : VC_ACCOUNT_NS | vc_read_half(ns + vc_offsets.user_ns_inum);
}

/* Open the account of the current task, or use the shared account if the map is full. */
static __always_inline __u64 vc_open_account(__u32 user)
{
	__u64 account = vc_account_of(user);

	if (!account || bpf_map_lookup_elem(&vc_user, &account))
		return account;
	bpf_map_update_elem(&vc_user, &account, &vc_no_rows, BPF_NOEXIST);
	return bpf_map_lookup_elem(&vc_user, &account) ? account : VC_USER_OTHERS;
}

static __always_inline int vc_take_row(struct vc_user *user, enum vc_rows which, __s64 limit)
{
	/* The number exceeds the limit while VC_CLOSING is set. */
	if ((__s64)__sync_fetch_and_add(&user->rows[which], 1) < limit)
		return 0;
	__sync_fetch_and_add(&user->rows[which], -1);
	return -1;
}

/*
 * Charge one more row, in a map of @max rows, to an account.  Return 0, or -1 if the account, or
 * all accounts except root's together, would exceed the limit, or if the account is being closed.
 */
static __always_inline int vc_charge(__u64 account, enum vc_rows which, __u32 max)
{
	__s64 shared = max - max / 8, share = (max + 1) / 2;
	__u64 everybody = VC_USER_ALL;
	struct vc_user *own, *all;

	if (!account)
		return 0;
	all = bpf_map_lookup_elem(&vc_user, &everybody);
	own = bpf_map_lookup_elem(&vc_user, &account);
	if (!all || !own || vc_take_row(all, which, shared))
		return -1;
	if (!vc_take_row(own, which, share))
		return 0;
	__sync_fetch_and_add(&all->rows[which], -1);
	return -1;
}

/*
 * Delete an account that has no rows, and no losses that a reader may need to report.  If another
 * CPU charges the account at the same time, that charge fails.
 */
static __always_inline void vc_close_account(__u64 account, struct vc_user *own)
{
	__u64 rows = own->ring.lost;

	/*
	 * Keep the account while the ring has unread events, because a new account would receive a
	 * new share of the ring.
	 */
	if (own->ring.lot)
		rows |= bpf_ringbuf_query(&vc_ring, BPF_RB_AVAIL_DATA);

#pragma unroll
	for (__u32 which = 0; which < VC_ROWS_NR; which++)
		rows |= own->rows[which];
	if (!rows && account != VC_USER_OTHERS &&
	    !__sync_val_compare_and_swap(&own->rows[VC_ROWS_TAG], 0, VC_CLOSING))
		bpf_map_delete_elem(&vc_user, &account);
}

/* Undo vc_charge() for a row that was deleted or could not be created. */
static __always_inline void vc_refund(__u64 account, enum vc_rows which)
{
	__u64 everybody = VC_USER_ALL;
	struct vc_user *own, *all;

	if (!account)
		return;
	all = bpf_map_lookup_elem(&vc_user, &everybody);
	own = bpf_map_lookup_elem(&vc_user, &account);
	if (all)
		__sync_fetch_and_add(&all->rows[which], -1);
	if (!own)
		return;
	__sync_fetch_and_add(&own->rows[which], -1);
	if (which == VC_ROWS_TAG)
		vc_close_account(account, own);
}

/*
 * Create a row of @map and charge it to an account, unless the account is at its limit.  Another
 * CPU may create the same row at the same time, so the caller must look it up again.
 */
#define VC_NEW_ROW(account, map, key, value, which, max) do {			\
	if (vc_charge(account, which, max))					\
		break;								\
	if (bpf_map_update_elem(map, key, value, BPF_NOEXIST))			\
		vc_refund(account, which);					\
} while (0)

#endif /* VCPC_BPF_USERS_H */
