// SPDX-License-Identifier: LGPL-2.1-or-later
/* The layout of a record, used to recognize other records with the same layout */
#include <stdlib.h>
#include <string.h>

#include "record.h"

/* A vector type of the compiler, so that 16 bytes are compared in one step */
typedef uint64_t lanes __attribute__((vector_size(16)));

static void fix(struct shim_record_layout *layout, size_t from, size_t len)
{
	memset(layout->mask + from, 0xff, len);
}

static int fix_set(struct shim_record_layout *layout, const struct shim_record *rec,
		   const struct shim_vset *vset)
{
	bool in_place = vset->valfmt == SHIM_VAL_INSITU;

	for (int32_t i = 0; i < vset->numval; i++) {
		struct shim_value raw;

		fix(layout, vset->vlist + (size_t)i * SHIM_VALUE_LEN - rec->data,
		    in_place ? SHIM_VALUE_LEN / 2 : SHIM_VALUE_LEN);
		if (in_place)
			continue;
		if (shim_vset__raw(rec, vset, i, &raw))
			return -EBADMSG;
		fix(layout, (const uint8_t *)raw.bytes - rec->data - SHIM_BLOCK_HEAD,
		    SHIM_BLOCK_HEAD);
	}
	return 0;
}

/*
 * Mark all bytes that describe how values are stored as fixed, even if they are also values of
 * another set, as is possible in a forged record.
 */
static int fix_all(struct shim_record_layout *layout, const struct shim_record *rec)
{
	const uint8_t *at = rec->sets;
	struct shim_vset vset = shim_record__sets(rec);
	int err;

	fix(layout, layout->head - 4, 4);
	while (!(err = shim_record__step(rec, &vset))) {
		fix(layout, at - rec->data, vset.numval > 0 ? SHIM_VLIST_HEAD : SHIM_SET_HEAD);
		err = fix_set(layout, rec, &vset);
		if (err)
			return err;
		at = vset.next;
	}
	return err == -ENOENT ? 0 : err;
}

static lanes lanes_load(const uint8_t *p)
{
	lanes v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static void copy_step(struct shim_record_layout *layout, const uint8_t *data, uint32_t at)
{
	lanes v = lanes_load(data + at) & lanes_load(layout->mask + at);

	memcpy(layout->bits + at, &v, sizeof(v));
}

/*
 * Copy the fixed bytes in steps.  Every record is longer than a step, so the last step may overlap
 * the previous one.
 */
static void copy_fixed(struct shim_record_layout *layout, const uint8_t *data)
{
	uint32_t last = layout->len - sizeof(lanes);

	for (uint32_t at = 0; at < last; at += sizeof(lanes))
		copy_step(layout, data, at);
	copy_step(layout, data, last);
}

int shim_record_layout__make(struct shim_record_layout *layout, const struct shim_record *rec)
{
	struct shim_record_layout made = {
		.len = rec->len, .head = (uint32_t)(rec->sets - rec->data),
	};
	int err;

	made.mask = calloc(2, rec->len);
	if (!made.mask)
		return -ENOMEM;
	made.bits = made.mask + rec->len;
	err = fix_all(&made, rec);
	if (err) {
		free(made.mask);
		return err;
	}
	copy_fixed(&made, rec->data);
	*layout = made;
	return 0;
}

static lanes differ(const struct shim_record_layout *layout, const uint8_t *data, uint32_t at)
{
	return (lanes_load(data + at) & lanes_load(layout->mask + at)) ^
	lanes_load(layout->bits + at);
}

bool shim_record_layout__fits(const struct shim_record_layout *layout,
			      const struct shim_record *rec)
{
	uint32_t last = layout->len - sizeof(lanes);
	lanes any = { 0 };

	if (!layout->len || rec->len != layout->len || rec->sets - rec->data != layout->head)
		return false;
	for (uint32_t at = 0; at < last; at += sizeof(lanes))
		any |= differ(layout, rec->data, at);
	any |= differ(layout, rec->data, last);
	return !(any[0] | any[1]);
}

void shim_record_layout__fini(struct shim_record_layout *layout)
{
	free(layout->mask);
	*layout = (struct shim_record_layout){ 0 };
}
