/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_CHARDEV_H
#define VCPC_CHARDEV_H

int vcpc_chardev_register(void);
void vcpc_chardev_unregister(void);

#endif
