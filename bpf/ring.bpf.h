/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Send individual events through a ring.  Each account except root's has a limited share of the
 * ring.  Lost events are counted per account.
 *
 * The number of an account's unread records in the ring is unknown; only the position up to which
 * the ring has been read is known.  Therefore an account sends its records in batches, each of half
 * its share.  It fills the second batch while the first is being read, and begins the next batch
 * when the previous one has been read completely.
 */
#ifndef VCPC_BPF_RING_H
#define VCPC_BPF_RING_H

#include "maps.bpf.h"

/* Size of a record in bytes, including the ring's header */
#define VC_RING_RECORD	(sizeof(struct vc_record) + 8)

/* Add one record to a batch of @size.  Return 0, or -1 if the batch is full. */
static __always_inline int vc_take_share(struct vc_share *share, __u64 size)
{
	for (int i = 0; i < 3; i++) {
		__u64 lot = __sync_fetch_and_add(&share->lot, 1) + 1;
		__u64 was_read;

		if (lot <= size)
			return 0;
		was_read = bpf_ringbuf_query(&vc_ring, BPF_RB_CONS_POS) >= share->end;
		/*
		 * If another CPU has added a record, it may have begun the next batch, so try
		 * again.
		 */
		if (was_read && __sync_val_compare_and_swap(&share->lot, lot, 1) == lot) {
			share->end = bpf_ringbuf_query(&vc_ring, BPF_RB_PROD_POS);
			return 0;
		}
		__sync_fetch_and_add(&share->lot, -1);
		if (!was_read)
			break;
	}
	return -1;
}

/* Return whether an account may add another record to the ring. */
static __always_inline int vc_has_share(__u64 account, struct vc_user *own)
{
	__u64 records = vc_ring_bytes / VC_RING_RECORD;
	__u64 everybody = VC_USER_ALL;
	struct vc_user *all;

	if (!account)
		return 1;
	all = bpf_map_lookup_elem(&vc_user, &everybody);
	if (!all || !own || vc_take_share(&own->ring, records / 8))
		return 0;
	if (!vc_take_share(&all->ring, (records - records / 8) / 2))
		return 1;
	__sync_fetch_and_add(&own->ring.lot, -1);
	return 0;
}

static __always_inline void vc_ring_put(struct vc_event *ev, __u32 op, __u64 now, __u64 start,
					__u64 value)
{
	struct vc_record *record = NULL;
	struct vc_user *own;
	__u64 account, ids;

	if (!vc_ring_bytes)
		return;
	account = vc_payer(ev->tag);
	own = bpf_map_lookup_elem(&vc_user, &account);
	if (vc_has_share(account, own))
		record = bpf_ringbuf_reserve(&vc_ring, sizeof(*record), 0);
	if (!record) {
		vc_count_drop(VC_DROP_RING_FULL);
		if (own)
			__sync_fetch_and_add(&own->ring.lost, 1);
		return;
	}
	ids = bpf_get_current_pid_tgid();
	record->ns = now;
	record->start_ns = start;
	record->value = value;
	record->tag = ev->tag;
	record->op = op;
	record->tgid = ids >> 32;
	record->tid = ids;
	record->reserved = 0;
	bpf_ringbuf_submit(record, 0);
}

#endif /* VCPC_BPF_RING_H */
