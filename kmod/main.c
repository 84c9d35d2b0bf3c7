// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading, and what the module says of itself.
 */
#include <linux/module.h>

#include "caps.h"
#include "chardev.h"
#include "errand.h"
#include "heirs.h"
#include "hotplug.h"
#include "leaving.h"
#include "listing.h"
#include "trace/page.h"
#include "trace/tag.h"

static int __init vcpc_init(void)
{
	int ret;

	vcpc_caps_init();
	ret = vcpc_tracepage_init();
	if (ret)
		return ret;
	ret = vcpc_errand_init();
	if (ret)
		goto err_errand;
	ret = vcpc_leaving_init();
	if (ret)
		goto err_leaving;
	ret = vcpc_hotplug_init();
	if (ret)
		goto err_hotplug;
	vcpc_heirs_init();
	vcpc_listing_init();
	ret = vcpc_chardev_register();
	if (ret)
		goto err_chardev;
	return 0;

err_chardev:
	vcpc_listing_exit();
	vcpc_hotplug_exit();
err_hotplug:
	vcpc_leaving_exit();
err_leaving:
	vcpc_errand_exit();
err_errand:
	vcpc_tracepage_exit();
	return ret;
}

static void __exit vcpc_exit(void)
{
	vcpc_chardev_unregister();
	vcpc_listing_exit();
	vcpc_hotplug_exit();
	vcpc_leaving_exit();
	vcpc_errand_exit();
	vcpc_heirs_exit();
	vcpc_tag_exit();
	vcpc_tracepage_exit();
}

module_init(vcpc_init);
module_exit(vcpc_exit);

MODULE_DESCRIPTION("Virtual performance counters and transaction tracing");
MODULE_LICENSE("GPL");
