/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layout of a record, used to recognize other records with the same layout.
 *
 * A logger writes the same metrics with the same instances repeatedly.  If two records differ only
 * in their stamps and the bytes of their values, each value is at the same place in both.  So what
 * was found out about one record applies to the other.
 */
#ifndef SHIM_ARCHIVE_RECORD_LAYOUT_H
#define SHIM_ARCHIVE_RECORD_LAYOUT_H

#include "reader.h"

/*
 * struct shim_record_layout - the bytes that all records of a layout share
 * @len, @head: length of a record, and bytes before its first value set; 0 if there is no layout
 * @mask: @len bytes: bits set where records must match @bits
 * @bits: @len bytes: the bits to match, zero elsewhere
 */
struct shim_record_layout {
	uint32_t len;
	uint32_t head;
	uint8_t *mask;
	uint8_t *bits;
};

/*
 * Returns 0, -ENOMEM, or -EBADMSG if the record is not well-formed; on error @layout is unchanged.
 */
int shim_record_layout__make(struct shim_record_layout *layout, const struct shim_record *rec);
/* Whether a record has this layout */
bool shim_record_layout__fits(const struct shim_record_layout *layout,
			      const struct shim_record *rec);
void shim_record_layout__fini(struct shim_record_layout *layout);

#endif /* SHIM_ARCHIVE_RECORD_LAYOUT_H */
