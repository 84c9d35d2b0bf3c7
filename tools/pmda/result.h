/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result type of PCP's agent library: its callbacks and pmcd use struct timeval.
 *
 * PCP 6 calls it pmResult.  In PCP 7 (PMAPI_VERSION 4) pmResult has a struct timespec; agents
 * keep the older layout, which pmapi.h names pmResult_v2 and pmda.h pmdaResult.
 */
#ifndef VCPC_PMDA_RESULT_H
#define VCPC_PMDA_RESULT_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>

#ifdef pmdaResult
typedef pmdaResult agent_result;
#else
typedef pmResult agent_result;
#endif

#endif
