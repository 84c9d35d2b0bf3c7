// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading, and what the module says of itself.
 */
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/vcpc.h>

#include "chardev.h"
#include "compat/tested.h"
#include "deferred.h"
#include "hardware.h"
#include "hotplug.h"
#include "inherit.h"
#include "internals.h"
#include "listing.h"
#include "policy.h"
#include "trace/page.h"
#include "trace/tag.h"
#include "tracecounts.h"

static void want_begins(bool wanted)
{
	if (wanted)
		vcpc_tracepage_want_begins();
	else
		vcpc_tracepage_unwant_begins();
}

static int __init vcpc_init(void)
{
	int ret;

	ret = vcpc_internals_check();
	if (ret)
		return ret;
	vcpc_policy_init();
	vcpc_hardware_init();
	ret = vcpc_tracepage_init();
	if (ret)
		goto err_tracepage;
	vcpc_tracecounts_init(want_begins);
	ret = vcpc_deferred_init();
	if (ret)
		goto err_deferred;
	ret = vcpc_hotplug_init();
	if (ret)
		goto err_hotplug;
	vcpc_inherit_init();
	vcpc_listing_init();
	ret = vcpc_chardev_register();
	if (ret)
		goto err_chardev;
	vcpc_internals_try_task_work();
	pr_info("version %s, ABI %u, %u hardware counters\n", VCPC_VERSION, VCPC_ABI_VERSION,
		vcpc_hardware_slots());
	return 0;

err_chardev:
	vcpc_listing_exit();
	vcpc_hotplug_exit();
err_hotplug:
	vcpc_deferred_exit();
err_deferred:
	vcpc_tracepage_exit();
err_tracepage:
	vcpc_policy_exit();
	return ret;
}

static void __exit vcpc_exit(void)
{
	vcpc_chardev_unregister();
	vcpc_listing_exit();
	vcpc_hotplug_exit();
	vcpc_inherit_exit();
	/* New threads and rotations may have put the module, and not yet returned. */
	vcpc_internals_exit();
	vcpc_deferred_exit();
	vcpc_tag_exit();
	vcpc_tracepage_exit();
	vcpc_policy_exit();
}

module_init(vcpc_init);
module_exit(vcpc_exit);

MODULE_DESCRIPTION("Virtual performance counters and transaction tracing");
MODULE_VERSION(VCPC_VERSION);
MODULE_LICENSE("GPL");
