/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The check of one metric's description. */
#ifndef SHIM_ARCHIVE_CHECK_DESC_H
#define SHIM_ARCHIVE_CHECK_DESC_H

#include "record.h"

/* The part of a description that no writer can have meant, for a message; or NULL */
const char *shim_check_desc__damage(const struct shim_rec_desc *rec);
/* The part that only a newer PCP, or an agent with a bug, writes; or NULL */
const char *shim_check_desc__unknown(const struct shim_rec_desc *rec);

#endif /* SHIM_ARCHIVE_CHECK_DESC_H */
