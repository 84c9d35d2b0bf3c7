/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of local contexts and the agent: the events that they count on every CPU. */
#ifndef SHIM_LIVE_CONFIG_H
#define SHIM_LIVE_CONFIG_H

#include <stddef.h>

#define SHIM_CONFIG_FILE	"/etc/vcpc.conf"
#define SHIM_CONFIG_EVENTS	16	/* in a line; they count together */
#define SHIM_CONFIG_LINES	64

/* Events that are counted together, on every CPU */
struct shim_config_line {
	char *events[SHIM_CONFIG_EVENTS];
	unsigned int n;
};

struct shim_config {
	struct shim_config_line lines[SHIM_CONFIG_LINES];
	unsigned int n;
};

int shim_config__read(struct shim_config *config, const char *path, unsigned int *line);
void shim_config__fini(struct shim_config *config);

#endif /* SHIM_LIVE_CONFIG_H */
