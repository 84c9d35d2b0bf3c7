/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Find values of instances for which no record contains a name, and count them per metric. */
#ifndef SHIM_ARCHIVE_NAMELESS_H
#define SHIM_ARCHIVE_NAMELESS_H

#include <stddef.h>
#include <stdint.h>

#include "pmidmap.h"
#include "record.h"

/*
 * struct shim_nameless_metric - a metric with such values
 * @volume, @offset: the record of the first one
 * @values: number of values
 */
struct shim_nameless_metric {
	uint32_t pmid;
	int volume;
	uint64_t offset;
	uint64_t values;
};

/*
 * struct shim_nameless - zero-initialized
 * @domains: position of each instance domain in @named
 * @named: the named instances of each domain, at any time
 * @metrics: position of each metric in @all
 * @all: the metrics found, in the order of their first such value
 */
struct shim_nameless {
	struct shim_pmidmap domains;
	struct shim_pmidmap *named;
	size_t ndomains, named_room;
	struct shim_pmidmap metrics;
	struct shim_nameless_metric *all;
	size_t n, room;
};

/* Record the instances that a record names; returns 0 or -ENOMEM. */
int shim_nameless__name(struct shim_nameless *nameless, const struct shim_rec_indom *rec);
/* Count a value of the metric at @at, unless its instance has a name.  Returns 0 or -ENOMEM. */
int shim_nameless__value(struct shim_nameless *nameless, uint32_t indom, int32_t inst,
			 const struct shim_nameless_metric *at);
void shim_nameless__fini(struct shim_nameless *nameless);

#endif /* SHIM_ARCHIVE_NAMELESS_H */
