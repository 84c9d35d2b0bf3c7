/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields of a label that describe the machine that writes the archive. */
#ifndef SHIM_ARCHIVE_LOCAL_ZONE_H
#define SHIM_ARCHIVE_LOCAL_ZONE_H

#include "types.h"

/* This process, this host and its time zone as of @label->start, or as of now if that is 0 */
void shim_local_zone__fill(struct shim_label *label);

#endif /* SHIM_ARCHIVE_LOCAL_ZONE_H */
