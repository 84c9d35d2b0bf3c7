/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognize records without any value that a scan is searching for, by their layout.
 *
 * A logger writes the same metrics repeatedly, so most records have their value sets at the same
 * places as an earlier one.  Comparing the places is much cheaper than looking up each metric.
 */
#ifndef SHIM_ARCHIVE_SCAN_SKIP_H
#define SHIM_ARCHIVE_SCAN_SKIP_H

#include "reader.h"

#define SHIM_SKIP_LAYOUTS	8	/* loggers have a few groups of metrics, one layout each */

/*
 * struct shim_skip_layout - the locations of a record's value sets
 * @scan: number of the scan that found nothing in such a record
 * @len, @npmids: length and number of metrics of the record
 * @sets: distance of each value set from the record's start, and its metric and number of values
 */
struct shim_skip_layout {
	uint32_t scan;
	uint32_t len;
	uint32_t npmids;
	size_t room;
	struct shim_skip_set {
		uint32_t at;
		uint8_t head[8];
	} *sets;
};

struct shim_scan_skip {
	struct shim_skip_layout all[SHIM_SKIP_LAYOUTS];
};

/* Whether a record has the layout of one without values for this scan */
bool shim_scan_skip__has(const struct shim_scan_skip *skip, const struct shim_record *rec,
			 uint32_t scan);
/* Remember that a record had no value for this scan.  If memory runs out, the scan is slower. */
void shim_scan_skip__note(struct shim_scan_skip *skip, const struct shim_record *rec,
			  uint32_t scan);
void shim_scan_skip__fini(struct shim_scan_skip *skip);

#endif /* SHIM_ARCHIVE_SCAN_SKIP_H */
