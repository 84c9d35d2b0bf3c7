/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why /dev/vcpc could not be opened, and what to do about it. */
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

/*
 * Return advice for the user after opening /dev/vcpc has failed.  @err is a positive errno: ENODEV
 * or ENOSYS (no device), EACCES or EPERM (no permission).  NULL if the device is not the cause.
 */
const char *device_hint(int err);

#endif /* COMMON_DEVICE_H */
