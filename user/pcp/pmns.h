/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tree of an archive's metric names. */
#ifndef SHIM_PCP_PMNS_H
#define SHIM_PCP_PMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/reader.h"

struct shim_pmns;

/* Metrics that every context has: they describe unpacked event records. */
const struct shim_desc *shim_pmns__builtin(uint32_t pmid);

int shim_pmns__new(const struct shim_archive *ar, struct shim_pmns **out);
void shim_pmns__free(struct shim_pmns *pmns);

#endif /* SHIM_PCP_PMNS_H */
