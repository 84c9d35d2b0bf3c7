/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Configuration from the environment and from pcp.conf, for calls that can return an error */
#ifndef SHIM_PCP_CONFIG_H
#define SHIM_PCP_CONFIG_H

/*
 * Get a variable as pmGetOptionalConfig() does, in @value, which is NULL if it is not set.  Return
 * 0, or -errno if pcp.conf exists but cannot be read.
 */
int shim_config__get(const char *variable, const char **value);

#endif /* SHIM_PCP_CONFIG_H */
