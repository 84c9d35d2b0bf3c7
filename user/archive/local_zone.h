/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a label that describe the machine that writes the archive. */
#ifndef SHIM_ARCHIVE_LOCAL_ZONE_H
#define SHIM_ARCHIVE_LOCAL_ZONE_H

#include "types.h"

/* Set process, host and time zone of @label; the zone is that of @label->start, or of now if 0. */
void shim_local_zone__fill(struct shim_label *label);

#endif /* SHIM_ARCHIVE_LOCAL_ZONE_H */
