// SPDX-License-Identifier: GPL-2.0
/* Load and unload the module, and declare its metadata. */
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/vcpc.h>

#include "chardev.h"
#include "hardware.h"
#include "inherit.h"
#include "internals.h"
#include "limits.h"
#include "set.h"
#include "trace/events.h"
#include "trace/tag.h"

static int __init vcpc_init(void)
{
	int ret;

	ret = vcpc_internals_check();
	if (ret)
		return ret;
	vcpc_hardware_init();
	ret = vcpc_tracepage_init();
	if (ret)
		goto err_tracepage;
	ret = vcpc_limits_init();
	if (ret)
		goto err_limits;
	vcpc_inherit_init();
	ret = vcpc_chardev_register();
	if (ret)
		goto err_chardev;
	vcpc_internals_try_task_work();
	pr_info("version %s, ABI %u, %u hardware counters\n", VCPC_VERSION, VCPC_ABI_VERSION,
		vcpc_hardware_slots());
	return 0;

err_chardev:
	vcpc_inherit_exit();
	vcpc_limits_exit();
err_limits:
	vcpc_tracepage_exit();
err_tracepage:
	vcpc_hardware_exit();
	return ret;
}

static void __exit vcpc_exit(void)
{
	vcpc_chardev_unregister();
	vcpc_limits_exit();
	vcpc_hardware_exit();
	vcpc_inherit_exit();
	/* Task work puts its module reference before it returns. */
	vcpc_internals_exit();
	vcpc_tag_exit();
	vcpc_tracepage_exit();
}

module_init(vcpc_init);
module_exit(vcpc_exit);

MODULE_DESCRIPTION("Virtual performance counters and transaction tracing");
MODULE_VERSION(VCPC_VERSION);
MODULE_LICENSE("GPL");
