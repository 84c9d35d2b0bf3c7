// SPDX-License-Identifier: GPL-2.0-or-later
/* Take a CPU offline and online, and try to unload the module. */
#include "acts.h"

/* Take CPU 1 offline or online, if the kernel supports this. */
void do_cpu(struct actor *a)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || below(a, 4))
		goto out;
	if (write(fd, "0", 1) == 1)
		usleep(below(a, 2000));
	while (write(fd, "1", 1) != 1 && errno == EBUSY)
		usleep(1000);
out:
	if (fd >= 0)
		close(fd);
}

/* Try to unload the module.  This must fail, because a descriptor is always open. */
void do_unload(struct actor *a)
{
	static const int says[] = { EWOULDBLOCK, 0 };
	int ret = syscall(SYS_delete_module, "vcpc", O_NONBLOCK) ? -errno : -EEXIST;

	check(a->world, "unloading", ret, says);
}
