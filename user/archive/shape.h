/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records that have nothing that a scan looks for, recognised by their shape.
 *
 * A logger writes the same metrics again and again, so that most records have
 * their value sets at the same places as one before.  To compare these is much
 * less than to look each metric up.
 */
#ifndef SHIM_ARCHIVE_SHAPE_H
#define SHIM_ARCHIVE_SHAPE_H

#include "reader.h"

#define SHIM_SHAPES	8	/* loggers have a few groups of metrics */

/*
 * struct shim_shape - where a record's value sets are
 * @scan: number of the scan that found nothing in such a record
 * @len, @npmids: of the record
 * @sets: distance of each value set from the record's start, and its metric and number of values
 */
struct shim_shape {
	uint32_t scan;
	uint32_t len;
	uint32_t npmids;
	size_t room;
	struct shim_shape_set {
		uint32_t at;
		uint8_t head[8];
	} *sets;
};

struct shim_shapes {
	struct shim_shape all[SHIM_SHAPES];
};

/* Whether a record is like one that had nothing for this scan */
bool shim_shapes__has(const struct shim_shapes *shapes, const struct shim_record *rec,
		      uint32_t scan);
/* It had nothing; memory that is short only makes the next one slower. */
void shim_shapes__note(struct shim_shapes *shapes, const struct shim_record *rec, uint32_t scan);
void shim_shapes__fini(struct shim_shapes *shapes);

#endif /* SHIM_ARCHIVE_SHAPE_H */
