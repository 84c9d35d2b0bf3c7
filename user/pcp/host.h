/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A host as a source of metrics: its pmcd, over a connection that belongs to one context.
 *
 * Threads: the context's lock guards everything here.  Hosts share no data, so threads with
 * different contexts never wait for each other.
 */
#ifndef SHIM_PCP_HOST_H
#define SHIM_PCP_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "context.h"
#include "pdu/pdu.h"
#include "pdu/wire.h"

enum shim_host_kind {
	SHIM_HOST_TCP,		/* a host, possibly through a proxy */
	SHIM_HOST_UNIX,		/* a socket's path */
	SHIM_HOST_LOCAL,	/* a socket's path or, if that fails, this host through TCP */
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
 * @container: the container's name; NULL if the attribute is missing or has no value
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
 * Parse a specification.  Return 0; PM_ERR_GENERIC, with a message to free in *@error;
 * PM_ERR_NOTHOST if it names no host; -ENOMEM.  On error there is nothing to free in @spec.
 */
int shim_host_spec__parse(const char *text, unsigned int flags, struct shim_host_spec *spec,
			  char **error);
/* Return 0 or -ENOMEM. */
int shim_host_spec__copy(struct shim_host_spec *to, const struct shim_host_spec *from);
void shim_host_spec__fini(struct shim_host_spec *spec);

/*
 * struct shim_host - a host
 * @features: SHIM_FEATURE_* of its pmcd
 * @profile_sent: pmcd knows the context's instance profile
 * @failures: number of failed reconnects since the last successful one
 * @retry_ns: CLOCK_MONOTONIC time of the next allowed reconnect
 */
struct shim_host {
	struct shim_host_spec spec;
	struct shim_wire wire;
	uint32_t features;
	bool profile_sent;
	unsigned int failures;
	int64_t retry_ns;
	int64_t connect_ns, request_ns;
};

/* Functions in host.c: the connection */
int shim_host__new(const char *text, unsigned int flags, struct shim_host **out);

/*
 * To make a request, call begin(), which returns 0, or PM_ERR_IPC if there is no connection.  Then
 * encode the request into wire.out, and send it.  ask() also waits for the reply.  It returns 0 if
 * the reply is a PDU of @type, or the code in an ERROR PDU.  If the connection fails, or any other
 * PDU arrives, the connection is closed.
 */
int shim_host__begin(struct shim_host *host);
int shim_host__ask(struct shim_host *host, enum shim_pdu_type type, struct shim_pdu *pdu);
int shim_host__send(struct shim_host *host);
/* Receive the next PDU, which may be an ERROR. */
int shim_host__receive(struct shim_host *host, struct shim_pdu *pdu);
/* Close the connection because the wire or a decoder returned @err.  Return the PMAPI code. */
int shim_host__lose(struct shim_host *host, int err);

/* Operations in host_fetch.c */
int shim_host_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			    struct shim_ts *stamp, pmResult **out);
/* Get a metric's only value, a string, truncated to @size - 1 bytes.  Return 0 or an error. */
int shim_host_source__string(struct shim_context *ctx, const char *metric, char *buf, size_t size);
int shim_host_source__store(struct shim_context *ctx, int n, pmValueSet *const *sets);

/* Operations in host_meta.c */
int shim_host_source__desc(struct shim_context *ctx, pmID pmid, pmDesc *out);
int shim_host_source__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out);
int shim_host_source__text(struct shim_context *ctx, unsigned int about, unsigned int ident,
			   int level, char **out);
int shim_host_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				char ***namelist);
int shim_host_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				    char **name);
int shim_host_source__instance(struct shim_context *ctx, pmInDom indom, const char *name);
int shim_host_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
			     struct shim_label_sets *sets);

/* Operations in host_names.c */
int shim_host_source__metrics(struct shim_context *ctx, int n, const char *const *names,
			      pmID *pmids);
int shim_host_source__children(struct shim_context *ctx, const char *name, char ***offspring,
			       int **status);
int shim_host_source__leaves(struct shim_context *ctx, const char *name, char ***names);
int shim_host_source__names(struct shim_context *ctx, pmID pmid, char ***nameset);

#endif /* SHIM_PCP_HOST_H */
