// SPDX-License-Identifier: LGPL-2.1-or-later
/* Recognize records without any value that a scan is searching for, by their layout. */
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "scan_skip.h"

static unsigned int slot_of(const struct shim_record *rec)
{
	return (rec->len / 4 + rec->npmids * 5) % SHIM_SKIP_LAYOUTS;
}

bool shim_scan_skip__has(const struct shim_scan_skip *skip, const struct shim_record *rec,
			 uint32_t scan)
{
	const struct shim_skip_layout *s = &skip->all[slot_of(rec)];

	if (s->scan != scan || s->len != rec->len || s->npmids != rec->npmids)
		return false;
	for (uint32_t i = 0; i < s->npmids; i++)
		if (memcmp(rec->data + s->sets[i].at, s->sets[i].head, sizeof(s->sets[i].head)))
			return false;
	return true;
}

void shim_scan_skip__note(struct shim_scan_skip *skip, const struct shim_record *rec, uint32_t scan)
{
	struct shim_skip_layout *s = &skip->all[slot_of(rec)];
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

void shim_scan_skip__fini(struct shim_scan_skip *skip)
{
	for (unsigned int i = 0; i < SHIM_SKIP_LAYOUTS; i++)
		free(skip->all[i].sets);
}
