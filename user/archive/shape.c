// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records that have nothing that a scan looks for, recognised by their shape. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "shape.h"

static unsigned int slot_of(const struct shim_record *rec)
{
	return (rec->len / 4 + rec->npmids * 5) % SHIM_SHAPES;
}

bool shim_shapes__has(const struct shim_shapes *shapes, const struct shim_record *rec,
		      uint32_t scan)
{
	const struct shim_shape *s = &shapes->all[slot_of(rec)];

	if (s->scan != scan || s->len != rec->len || s->npmids != rec->npmids)
		return false;
	for (uint32_t i = 0; i < s->npmids; i++)
		if (memcmp(rec->data + s->sets[i].at, s->sets[i].head, sizeof(s->sets[i].head)))
			return false;
	return true;
}

void shim_shapes__note(struct shim_shapes *shapes, const struct shim_record *rec, uint32_t scan)
{
	struct shim_shape *s = &shapes->all[slot_of(rec)];
	const uint8_t *at = rec->sets;
	struct shim_vset vset;
	uint32_t n = 0;
	int err;

	s->scan = 0;
	if (shim_vec__reserve(s->sets, &s->room, rec->npmids))
		return;
	for (err = shim_record__first(rec, &vset); !err; err = shim_record__next(rec, &vset)) {
		s->sets[n].at = (uint32_t)(at - rec->data);
		memcpy(s->sets[n++].head, at, sizeof(s->sets[0].head));
		at = vset.next;
	}
	if (n != rec->npmids)
		return;
	s->scan = scan;
	s->len = rec->len;
	s->npmids = n;
}

void shim_shapes__fini(struct shim_shapes *shapes)
{
	for (unsigned int i = 0; i < SHIM_SHAPES; i++)
		free(shapes->all[i].sets);
}
