// SPDX-License-Identifier: GPL-2.0-or-later
/* Find out why /dev/vcpc could not be opened: no module, no node, or no permission. */
#include <errno.h>
#include <unistd.h>

#include "device.h"

#define NODE	"/dev/vcpc"
#define MODULE	"/sys/module/vcpc"

const char *device_hint(int err)
{
	if (err == ENODEV || err == ENOSYS) {
		if (access(MODULE, F_OK))
			return "the vcpc module is not loaded; as root: modprobe vcpc";
		if (access(NODE, F_OK))
			return "the vcpc module is loaded, but " NODE " is missing; for a container, start it with --device " NODE "; otherwise, as root: udevadm trigger --name-match=vcpc";
		return NULL;
	}
	if ((err == EACCES || err == EPERM) && !access(NODE, F_OK) && access(NODE, R_OK | W_OK))
		return "no permission to open " NODE "; as root: usermod -aG vcpc USER, then log in again";
	return NULL;
}
