// SPDX-License-Identifier: GPL-2.0
/*
 * Loading and unloading, and what the module says of itself.
 */
#include <linux/module.h>

#include "caps.h"
#include "chardev.h"
#include "heirs.h"
#include "listing.h"
#include "tag.h"
#include "tracepage.h"

static int __init vcpc_init(void)
{
	int ret;

	vcpc_caps_init();
	ret = vcpc_tracepage_init();
	if (ret)
		return ret;
	vcpc_heirs_init();
	vcpc_listing_init();
	ret = vcpc_chardev_register();
	if (ret) {
		vcpc_listing_exit();
		vcpc_tracepage_exit();
	}
	return ret;
}

static void __exit vcpc_exit(void)
{
	vcpc_chardev_unregister();
	vcpc_listing_exit();
	vcpc_heirs_exit();
	vcpc_tag_exit();
	vcpc_tracepage_exit();
}

module_init(vcpc_init);
module_exit(vcpc_exit);

MODULE_DESCRIPTION("Virtual performance counters and transaction tracing");
MODULE_LICENSE("GPL");
