/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The configuration of local contexts and the agent: which events they count, and where. */
#ifndef SHIM_LIVE_CONFIG_H
#define SHIM_LIVE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#define SHIM_CONFIG_FILE	"/etc/vcpc.conf"
#define SHIM_CONFIG_EVENTS	16	/* per line; they count together */
#define SHIM_CONFIG_LINES	64

/*
 * struct shim_config_line - events that are counted together
 * @command: count in each process whose command matches this pattern (fnmatch(3)); NULL: on every
 *	CPU
 */
struct shim_config_line {
	char *command;
	char *events[SHIM_CONFIG_EVENTS];
	unsigned int n;
};

struct shim_config {
	struct shim_config_line lines[SHIM_CONFIG_LINES];
	unsigned int n;
};

int shim_config__read(struct shim_config *config, const char *path, unsigned int *line);
int shim_config__copy(struct shim_config *to, const struct shim_config *from, bool processes);
void shim_config__fini(struct shim_config *config);

#endif /* SHIM_LIVE_CONFIG_H */
