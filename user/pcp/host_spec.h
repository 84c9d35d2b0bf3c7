/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The address of a host's pmcd, as specified by programs and users. */
#ifndef SHIM_PCP_HOST_SPEC_H
#define SHIM_PCP_HOST_SPEC_H

#include <stdbool.h>
#include <stddef.h>

enum shim_host_kind {
	SHIM_HOST_TCP,		/* a host, possibly through a proxy */
	SHIM_HOST_UNIX,		/* a socket's path */
	SHIM_HOST_LOCAL,	/* a socket's path, otherwise this host by TCP */
};

struct shim_host_name {
	char *name;
	int *ports;		/* NULL for the default ports */
	unsigned int nports;
	size_t ports_room;
};

/*
 * struct shim_host_spec - a parsed specification
 * @hosts: the host, followed by the proxies; for a socket, one entry whose name is the path
 * @flags: PM_CTXFLAG_*
 * @container: its name, or NULL, also if the attribute has no value
 */
struct shim_host_spec {
	enum shim_host_kind kind;
	struct shim_host_name *hosts;
	unsigned int nhosts;
	size_t hosts_room;
	unsigned int flags;
	char *container;
};

/*
 * Parse a specification.  Returns 0; PM_ERR_GENERIC, with a message to free in *@error;
 * PM_ERR_NOTHOST if it names no host; -ENOMEM.  On error there is nothing to free in @spec.
 */
int shim_host_spec__parse(const char *text, unsigned int flags, struct shim_host_spec *spec,
			  char **error);
/* Returns 0 or -ENOMEM. */
int shim_host_spec__copy(struct shim_host_spec *to, const struct shim_host_spec *from);
void shim_host_spec__fini(struct shim_host_spec *spec);

#endif /* SHIM_PCP_HOST_SPEC_H */
