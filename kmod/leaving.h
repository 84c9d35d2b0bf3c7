/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_LEAVING_H
#define VCPC_LEAVING_H

struct vcpc_overflow;

int vcpc_leaving_init(void);
void vcpc_leaving_exit(void);
int vcpc_leaving_open(struct vcpc_overflow *o);
void vcpc_leaving_close(struct vcpc_overflow *o);
void vcpc_leaving_look(struct vcpc_overflow *o);

#endif
