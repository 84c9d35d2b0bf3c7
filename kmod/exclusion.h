/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VCPC_EXCLUSION_H
#define VCPC_EXCLUSION_H

#include <linux/types.h>

int vcpc_exclusion_thread(void);
void vcpc_exclusion_thread_done(void);
int vcpc_exclusion_cpu(int cpu, bool yield);
void vcpc_exclusion_cpu_done(int cpu);
bool vcpc_exclusion_cpus(void);
bool vcpc_exclusion_wanted(void);

#endif
