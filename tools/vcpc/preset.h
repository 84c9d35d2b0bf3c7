/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics that people want to see together, by one name. */
#ifndef VCPC_PRESET_H
#define VCPC_PRESET_H

#include "series.h"

/* What is chosen if nothing is named */
#define VCPC_PRESET_DEFAULT	":default"

/* Adds those of @name, ":counts" for one, that the archive has: 0, or the exit status after a message */
int vcpc_preset_add(struct vcpc_series *s, const char *name);
/* For help: a line each */
void vcpc_preset_help(void);

#endif /* VCPC_PRESET_H */
