/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_BIND_H
#define VCPC_BIND_H

struct vcpc_bind_args;
struct vcpc_set;

int vcpc_bind_set(struct vcpc_set *set, const struct vcpc_bind_args *args, int *bad);

#endif
