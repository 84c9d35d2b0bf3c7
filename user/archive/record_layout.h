/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The layout of a record, to recognize other records that have the same one.
 *
 * A logger writes the same metrics with the same instances again and again.  Of
 * two records that agree in all but their stamps and the bytes of their values,
 * each value is at the same place in both, so what was found out about one
 * record holds for the other.
 */
#ifndef SHIM_ARCHIVE_RECORD_LAYOUT_H
#define SHIM_ARCHIVE_RECORD_LAYOUT_H

#include "reader.h"

/*
 * struct shim_record_layout - the bytes that all records of a layout have in common
 * @len, @head: bytes of a record, and before its first value set; 0: there is no layout
 * @mask: @len bytes: ones where records must have the bits of @bits
 * @bits: @len bytes: those bits, zeros elsewhere
 */
struct shim_record_layout {
	uint32_t len;
	uint32_t head;
	uint8_t *mask;
	uint8_t *bits;
};

/* 0, -ENOMEM, or -EBADMSG if the record is not well-formed; on error @layout is left alone */
int shim_record_layout__make(struct shim_record_layout *layout, const struct shim_record *rec);
/* Whether a record has the same layout as the one that the layout was made of */
bool shim_record_layout__fits(const struct shim_record_layout *layout,
			      const struct shim_record *rec);
void shim_record_layout__fini(struct shim_record_layout *layout);

#endif /* SHIM_ARCHIVE_RECORD_LAYOUT_H */
