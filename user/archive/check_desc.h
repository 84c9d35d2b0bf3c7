/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check one metric's description. */
#ifndef SHIM_ARCHIVE_CHECK_DESC_H
#define SHIM_ARCHIVE_CHECK_DESC_H

#include "record.h"

/* The name of the first field that no writer can have intended, for a message; or NULL */
const char *shim_check_desc__damage(const struct shim_rec_desc *rec);
/* The name of the first field that only a newer PCP or a faulty agent writes; or NULL */
const char *shim_check_desc__unknown(const struct shim_rec_desc *rec);

#endif /* SHIM_ARCHIVE_CHECK_DESC_H */
