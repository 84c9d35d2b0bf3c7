/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why /dev/vcpc could not be opened, and what to do about it. */
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

/*
 * What to do about an error of opening the device: @err is positive: ENODEV or ENOSYS (not there),
 * EACCES or EPERM (not allowed).  NULL if the device is not what the error is about.
 */
const char *device_hint(int err);

#endif /* COMMON_DEVICE_H */
