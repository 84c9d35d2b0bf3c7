/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_POLICY_H
#define VCPC_POLICY_H

struct vcpc_request;

void vcpc_policy_init(void);
void vcpc_policy_exit(void);
int vcpc_policy_request(const struct vcpc_request *req);

#endif
