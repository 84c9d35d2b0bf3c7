/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Presets: names for groups of metrics that are often used together. */
#ifndef VCPC_PRESET_H
#define VCPC_PRESET_H

#include "series.h"

/* The preset used if no metric is named */
#define VCPC_PRESET_DEFAULT	":default"

/*
 * Add the metrics of the preset @name, such as ":counts", that the archive has.  Return 0, or an
 * exit status after printing a message.
 */
int vcpc_preset_add(struct vcpc_series *s, const char *name);
/* Print a line for each preset, for --help. */
void vcpc_preset_help(void);

#endif /* VCPC_PRESET_H */
