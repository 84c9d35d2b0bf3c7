/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A host as a source of metrics: its pmcd, over a connection that belongs to one context.
 *
 * Threads: guarded by the context's lock.  Hosts share no data, so threads with different contexts
 * never wait for each other.
 */
#ifndef SHIM_PCP_HOST_H
#define SHIM_PCP_HOST_H

#include "host_spec.h"
#include "pdu/pdu.h"
#include "pdu/wire.h"
#include "context.h"

/*
 * struct shim_host - a host
 * @features: SHIM_FEATURE_* of its pmcd
 * @profile_sent: pmcd knows the context's instance profile
 * @failures: failed reconnects since the last successful one
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

/* host.c: the connection */
int shim_host__new(const char *text, unsigned int flags, struct shim_host **out);
void shim_host__free(struct shim_host *host);
/* Copy @host, with its own connection. */
int shim_host__clone(const struct shim_host *host, struct shim_host **out);
int shim_host__reconnect(struct shim_host *host);

/*
 * To make a request, call begin(), which returns 0, or PM_ERR_IPC if there is no connection.  Then
 * encode the request into wire.out, and send it.  ask() also waits for the reply.  It returns 0 if
 * that is a PDU of @type, or the code of an ERROR PDU.  If the connection fails, or any other PDU
 * arrives, the connection is closed.
 */
int shim_host__begin(struct shim_host *host);
int shim_host__ask(struct shim_host *host, enum shim_pdu_type type, struct shim_pdu *pdu);
int shim_host__send(struct shim_host *host);
/* Receive the next PDU, which may be an ERROR. */
int shim_host__receive(struct shim_host *host, struct shim_pdu *pdu);
/* Close the connection because the wire or a decoder returned @err.  Returns the PMAPI code. */
int shim_host__lose(struct shim_host *host, int err);

/* host_connect.c: connecting and the handshake; 0 or a PMAPI code */
int shim_host__connect(struct shim_host *host);

/* host_fetch.c */
int shim_host_source__fetch(struct shim_context *ctx, int n, const pmID *pmids,
			    struct shim_ts *stamp, pmResult **out);
/* Get a metric's only value, a string, truncated to @size - 1 bytes.  Returns 0 or an error. */
int shim_host_source__string(struct shim_context *ctx, const char *metric, char *buf, size_t size);

/* host_store.c */
int shim_host_source__store(struct shim_context *ctx, int n, pmValueSet *const *sets);

/* host_meta.c */
int shim_host_source__desc(struct shim_context *ctx, pmID pmid, pmDesc *out);
int shim_host_source__descs(struct shim_context *ctx, int n, const pmID *pmids, pmDesc *out);
int shim_host_source__text(struct shim_context *ctx, unsigned int about, unsigned int ident,
			   int level, char **out);
int shim_host_source__instances(struct shim_context *ctx, pmInDom indom, int **instlist,
				char ***namelist);
int shim_host_source__instance_name(struct shim_context *ctx, pmInDom indom, int inst,
				    char **name);
int shim_host_source__instance(struct shim_context *ctx, pmInDom indom, const char *name);

/* host_labels.c */
int shim_host_source__labels(struct shim_context *ctx, unsigned int level, unsigned int ident,
			     struct shim_label_sets *sets);

/* host_names.c */
int shim_host_source__metrics(struct shim_context *ctx, int n, const char *const *names,
			      pmID *pmids);
int shim_host_source__children(struct shim_context *ctx, const char *name, char ***offspring,
			       int **status);
int shim_host_source__leaves(struct shim_context *ctx, const char *name, char ***names);
int shim_host_source__names(struct shim_context *ctx, pmID pmid, char ***nameset);

#endif /* SHIM_PCP_HOST_H */
