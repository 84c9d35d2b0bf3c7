/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The declarations of a writer: metrics, their names, and the current state of instance domains. */
#ifndef SHIM_ARCHIVE_DECLARE_H
#define SHIM_ARCHIVE_DECLARE_H

#include "base/buf.h"
#include "base/hash.h"
#include "record.h"

/*
 * struct shim_declared_indom - an instance domain that is being written
 * @now: its current state; the group owns the instances and names
 * @used: for each instance, the serial number of the last value set that contained it
 * @recorded: a full record has been written, so a delta can follow
 * @entries: total number of entries in all states since that record; a reader must expand all of
 *	them to get the last state
 */
struct shim_declared_indom {
	struct shim_hnode node;
	struct shim_declared_indom *next;
	struct shim_indom now;
	uint64_t *used;
	void *memory;
	bool recorded;
	uint64_t entries;
};

/*
 * struct shim_declared_metric - a metric that is being written
 * @used: the serial number of the last record that contained it
 * @follower: the metric after it in that record or an earlier one; NULL if none is known
 */
struct shim_declared_metric {
	struct shim_hnode node;
	uint32_t pmid;
	int32_t type;
	uint32_t indom;
	int32_t sem;
	uint32_t units;
	uint64_t used;
	struct shim_declared_indom *group;
	struct shim_declared_metric *follower;
};

struct shim_declared {
	struct shim_arena arena;
	struct shim_hash metrics;
	struct shim_hash names;
	struct shim_hash groups;
	struct shim_declared_indom *group_list;
};

void shim_declared__init(struct shim_declared *d);
void shim_declared__free(struct shim_declared *d);

/* These functions append the required metadata records to @out, or nothing on error. */
int shim_declared__desc(struct shim_declared *d, const struct shim_desc *desc,
			struct shim_buf *out);
int shim_declared__any(struct shim_declared *d, const struct shim_desc *desc, struct shim_buf *out);
int shim_declared__indom(struct shim_declared *d, const struct shim_format *f,
			 const struct shim_indom *indom, struct shim_buf *out);

bool shim_declared__units_ok(uint32_t units);

/* Return NULL if the metric was not declared. */
struct shim_declared_metric *shim_declared__metric(const struct shim_declared *d, uint32_t pmid);
struct shim_declared_indom *shim_declared__group(const struct shim_declared *d, uint32_t indom);
bool shim_declared_indom__search(const struct shim_declared_indom *g, int32_t inst,
				 unsigned int *at);

/* Find an instance in its group.  *@hint is its expected index, and is set to the actual index. */
static inline bool shim_declared_indom__find(const struct shim_declared_indom *g, int32_t inst,
					     unsigned int *hint)
{
	if (*hint < g->now.n && g->now.inst[*hint] == inst)
		return true;
	return shim_declared_indom__search(g, inst, hint);
}

#endif /* SHIM_ARCHIVE_DECLARE_H */
