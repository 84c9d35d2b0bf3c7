/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a host's pmcd is, as programs and users write it. */
#ifndef SHIM_PCP_HOST_SPEC_H
#define SHIM_PCP_HOST_SPEC_H

#include <stdbool.h>
#include <stddef.h>

enum shim_host_kind {
	SHIM_HOST_TCP,		/* a host, perhaps by way of a proxy */
	SHIM_HOST_UNIX,		/* a socket's path */
	SHIM_HOST_LOCAL,	/* a socket's path, or else this host by TCP */
};

struct shim_host_name {
	char *name;
	int *ports;		/* none: the default ones */
	unsigned int nports;
	size_t ports_room;
};

/*
 * struct shim_host_spec - a specification taken apart
 * @hosts: the host, and then proxies on the way to it; for a socket, one whose name is the path
 * @flags: PM_CTXFLAG_*
 * @container: its name, NULL also if it was asked for without a name
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
 * PM_ERR_NOTHOST if it names no host; -ENOMEM.  After an error there is nothing to free in @spec.
 */
int shim_host_spec__parse(const char *text, unsigned int flags, struct shim_host_spec *spec,
			  char **error);
/* 0 or -ENOMEM */
int shim_host_spec__copy(struct shim_host_spec *to, const struct shim_host_spec *from);
void shim_host_spec__fini(struct shim_host_spec *spec);

#endif /* SHIM_PCP_HOST_SPEC_H */
