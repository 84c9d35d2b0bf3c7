/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_LISTING_H
#define VCPC_LISTING_H

struct vcpc_instances_args;
struct vcpc_set;

void vcpc_listing_init(void);
void vcpc_listing_exit(void);
int vcpc_listing_instances(struct vcpc_set *set, struct vcpc_instances_args *args);

#endif
