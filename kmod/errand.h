/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_ERRAND_H
#define VCPC_ERRAND_H

struct vcpc_errand;
struct vcpc_instance;

typedef void (*vcpc_errand_fn)(struct vcpc_instance *inst);

int vcpc_errand_init(void);
void vcpc_errand_exit(void);
struct vcpc_errand *vcpc_errand_create(struct vcpc_instance *inst, vcpc_errand_fn fn);
void vcpc_errand_close(struct vcpc_errand *e);
void vcpc_errand_go(struct vcpc_errand *e);

#endif
