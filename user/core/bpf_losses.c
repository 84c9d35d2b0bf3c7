// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lost events by account. */
#include <linux/bpf.h>

#include "bpf_losses.h"
#include "bpf_table.h"

struct losses {
	shim_bpf_loss_fn *fn;
	void *arg;
};

static int give_loss(void *arg, const void *key, const void *value)
{
	const struct losses *to = arg;
	const struct vc_user *user = value;

	return user->ring.lost ? to->fn(to->arg, *(const __u64 *)key, user->ring.lost) : 0;
}

/**
 * shim_bpf_losses__ring() - walk over the accounts that have lost single events
 * @fn: called for each; a value other than 0 ends the walk
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, or a negative errno.
 */
int shim_bpf_losses__ring(shim_bpf_loss_fn *fn, void *arg)
{
	struct losses to = { .fn = fn, .arg = arg };
	struct shim_bpf_table t = { .fd = -1 };
	int ret = shim_bpf_table__open(&t, VC_PIN_DIR "/vc_user", BPF_MAP_TYPE_HASH, sizeof(__u64),
				       sizeof(struct vc_user));

	if (!ret)
		ret = shim_bpf_table__read(&t, give_loss, &to);
	shim_bpf_table__close(&t);
	return ret;
}
