/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Description of a metric of this machine: a row of the tables that define names, numbers, types,
 * units and texts in archives, local contexts and the agent.
 */
#ifndef SHIM_LIVE_METRIC_H
#define SHIM_LIVE_METRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/types.h"

/* PCP's numbering: metrics are domain.cluster.item, instance domains are domain.serial */
#define SHIM_PMID(domain, cluster, item) \
	((uint32_t)(domain) << 22 | (uint32_t)(cluster) << 10 | (uint32_t)(item))
#define SHIM_INDOM(domain, serial)	((uint32_t)(domain) << 22 | (serial))

#define SHIM_DOMAIN_TRACE	10	/* PCP's own agent for transactions */
#define SHIM_DOMAIN_VCPC	450

/* Clusters of SHIM_DOMAIN_VCPC */
#define SHIM_CLUSTER_TIME	0
#define SHIM_CLUSTER_COUNT	1
#define SHIM_CLUSTER_TRANSACT	2
#define SHIM_CLUSTER_TRACE	3	/* the same items as PCP's trace.* */
#define SHIM_CLUSTER_CONTROL	4
#define SHIM_CLUSTER_MODULE	5
#define SHIM_CLUSTER_PROCESS	6	/* events of processes */
#define SHIM_CLUSTER_PROCESS_TIME	7
#define SHIM_CLUSTER_USER	8	/* the module's resources in use by each user */
#define SHIM_CLUSTER_LIMIT	9	/* the limits of these resources */
#define SHIM_CLUSTER_RECORD	10	/* the recorder */

/*
 * PCP's packing of units into 32 bits, four bits each from the top: the dimensions of space, time
 * and count, then their scales.
 */
#define SHIM_UNITS_NONE		0x00000000u
#define SHIM_UNITS_COUNT	0x00100000u
#define SHIM_UNITS_NSEC		0x01000000u
#define SHIM_UNITS_SEC		0x01003000u
#define SHIM_UNITS_PER_SEC	0x0f103000u	/* count/sec */
#define SHIM_UNITS_SEC_PER	0x01f03000u	/* sec/count */

/* Maximum length of an instance's name: a tag's label, a slash, an event and a NUL */
#define SHIM_LIVE_NAME_LEN	536

/**
 * struct shim_metric - one metric
 * @name: the metric's full name
 * @pmid: the metric's number
 * @indom: the metric's instance domain, or SHIM_INDOM_NULL
 * @type: enum shim_type
 * @sem: enum shim_sem
 * @units: as in struct shim_desc
 * @live_only: not in archives written by vcpc record
 * @line: one-line description
 * @help: description of several lines
 */
struct shim_metric {
	const char *name;
	uint32_t pmid;
	uint32_t indom;
	int32_t type;
	int32_t sem;
	uint32_t units;
	bool live_only;
	const char *line;
	const char *help;
};

/* One instance domain; the members are as in struct shim_metric */
struct shim_metric_indom {
	uint32_t indom;
	bool live_only;
	const char *line;
	const char *help;
};

#endif /* SHIM_LIVE_METRIC_H */
