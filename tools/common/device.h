/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find out why /dev/vcpc could not be opened, and advise what to do. */
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

/*
 * Return advice for a failure to open /dev/vcpc, or NULL if the device is not the cause.  @err is a
 * positive errno: ENODEV or ENOSYS (no device), EACCES or EPERM (no permission).
 */
const char *device_hint(int err);

#endif /* COMMON_DEVICE_H */
