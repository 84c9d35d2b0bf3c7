// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A host as a source of metrics: connections to its pmcd (sockets, ports, proxies, the handshake),
 * requests, and the table of operations.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "base/now.h"
#include "base/process.h"
#include "base/real.h"
#include "context.h"
#include "host.h"

#define PMCD_PORT	44321
#define PROXY_PORT	44322
#define PDU_VERSION	2
#define NSEC_PER_SEC	1000000000LL

/* Get the comma-separated ports in variable @name, or port @usual if it is unset or malformed */
static int default_ports(const char *name, int usual, struct shim_host_name *to)
{
	const char *list = shim_environ__get(name);
	int *ports, n = 0;
	char *end;

	ports = calloc(list ? strlen(list) / 2 + 1 : 1, sizeof(*ports));
	if (!ports)
		return -ENOMEM;
	for (; list && *list; list = *end ? end + 1 : end) {
		long port = strtol(list, &end, 10);

		if (end == list || port <= 0 || port > 0xffff || (*end && *end != ',')) {
			n = 0;	/* not a list of ports */
			break;
		}
		ports[n++] = (int)port;
	}
	if (!n)
		ports[n++] = usual;
	to->ports = ports;
	to->nports = n;
	return 0;
}

/* Return the PMAPI code for a connection failure. */
static int lost(int err)
{
	switch (err) {
	case -ETIMEDOUT:
		return PM_ERR_TIMEOUT;
	case -ENOMEM:
		return err;
	}
	return PM_ERR_IPC;
}

/*
 * Determine the features to request from the server, and set *@flags on success.  Return 0 or an
 * error.
 */
static int negotiate(const struct shim_host *host, bool local, uint32_t *flags)
{
	const uint32_t unsupported = PM_CTXFLAG_SECURE | PM_CTXFLAG_COMPRESS | PM_CTXFLAG_AUTH;

	*flags = 0;
	if ((host->features & SHIM_FEATURE_CERT_REQD) && !local)
		return PM_ERR_NEEDCLIENTCERT;
	if (host->spec.flags & unsupported)
		return -EOPNOTSUPP;
	if (host->features & SHIM_FEATURE_CREDS_REQD) {
		/* The kernel passes the credentials of a UNIX socket's peer to pmcd. */
		if (!host->wire.local)
			return PM_ERR_PERMISSION;
		*flags |= SHIM_FEATURE_CREDS_REQD;
	}
	if (host->spec.flags & PM_CTXFLAG_CONTAINER) {
		if (!(host->features & SHIM_FEATURE_CONTAINER))
			return -EOPNOTSUPP;
		if (!host->spec.container)
			return -ESRCH;
		*flags |= SHIM_FEATURE_CONTAINER;
	}
	return 0;
}

/*
 * Receive pmcd's first PDU, which rejects the connection or announces pmcd's version and features.
 */
static int hear_greeting(struct shim_host *host)
{
	unsigned int version;
	struct shim_pdu pdu;
	int32_t status;
	int err;

	err = shim_wire__receive(&host->wire, &pdu);
	if (err)
		return lost(err);
	if (pdu.type != SHIM_PDU_ERROR ||
	    shim_pdu_error__decode_greeting(&pdu, &status, &version, &host->features))
		return PM_ERR_IPC;
	if (status < 0)
		return status;
	return status > 0 || version != PDU_VERSION ? PM_ERR_IPC : 0;
}

static int send_out(struct shim_host *host)
{
	int err = shim_wire__send(&host->wire);

	return err ? lost(err) : 0;
}

static int agree(struct shim_host *host, bool local)
{
	uint32_t flags;
	int err = hear_greeting(host);

	if (!err)
		err = negotiate(host, local, &flags);
	if (err)
		return err;
	shim_pdu_creds__encode(&host->wire.out, host->wire.from, flags);
	err = send_out(host);
	if (err || !(flags & SHIM_FEATURE_CONTAINER))
		return err;
	shim_pdu_attr__encode(&host->wire.out, host->wire.from, SHIM_ATTR_CONTAINER,
			      host->spec.container);
	return send_out(host);
}

/* Perform the handshake on a connected socket.  On error, close the socket. */
static int handshake(struct shim_host *host, bool local)
{
	int err = agree(host, local);

	if (err) {
		shim_wire__close(&host->wire);
		return err;
	}
	shim_wire__expect(&host->wire, host->request_ns);
	host->profile_sent = false;
	return 0;
}

/* Connect to a port.  The timeout applies twice: to connecting the socket, and to the handshake. */
static int by_port(struct shim_host *host, const char *name, int port)
{
	int err = shim_wire__connect_host(&host->wire, name, port, host->connect_ns);

	if (err)
		return err;
	shim_wire__start(&host->wire, host->connect_ns);
	return handshake(host, strstr(name, "localhost"));
}

static int by_path(struct shim_host *host)
{
	int err = shim_wire__connect_path(&host->wire, host->spec.hosts[0].name, host->connect_ns);

	if (err)
		return err;
	shim_wire__start(&host->wire, host->connect_ns);
	return handshake(host, true);
}

/* Request the destination from a proxy; pmcd's greeting then arrives through the proxy. */
static int instruct(struct shim_host *host, const char *name, int port)
{
	static const char hello[] = "pmproxy-client 1\n";
	char line[SHIM_WIRE_LINE_MAX];
	struct shim_wire *w = &host->wire;
	int err;

	shim_buf__reset(&w->out);
	shim_buf__put(&w->out, hello, strlen(hello));
	err = send_out(host);
	if (err)
		return err;
	err = shim_wire__receive_line(w, line);
	if (err)
		return lost(err);
	if (strcmp(line, "pmproxy-server 1"))
		return PM_ERR_IPC;
	shim_buf__reset(&w->out);
	shim_buf__put(&w->out, name, strlen(name));
	snprintf(line, sizeof(line), " %d\n", port);
	shim_buf__put(&w->out, line, strlen(line));
	return send_out(host);
}

static int by_proxy(struct shim_host *host, const struct shim_host_name *proxy, int port)
{
	const char *name = host->spec.hosts[0].name;
	int err = shim_wire__connect_host(&host->wire, proxy->name, proxy->ports[0],
					  host->connect_ns);

	if (err)
		return err;
	shim_wire__start(&host->wire, host->connect_ns);
	err = instruct(host, name, port);
	if (err) {
		shim_wire__close(&host->wire);
		return err;
	}
	return handshake(host, strstr(proxy->name, "localhost"));
}

/* Try the ports in order until one works.  If none does, return the error of the last one. */
static int by_ports(struct shim_host *host, const char *name, const struct shim_host_name *ports,
		    const struct shim_host_name *proxy)
{
	int err = -ECONNREFUSED;

	for (unsigned int i = 0; i < ports->nports; i++) {
		err = proxy ? by_proxy(host, proxy, ports->ports[i]) :
			      by_port(host, name, ports->ports[i]);
		if (!err)
			break;
	}
	return err;
}

/*
 * Get the first proxy of the specification, otherwise the proxy from the environment. *@out is set
 * to NULL if there is none.
 */
static int find_proxy(const struct shim_host *host, struct shim_host_name *own,
		      const struct shim_host_name **out)
{
	char *name = host->spec.nhosts > 1 ? host->spec.hosts[1].name : shim_environ__get("PMPROXY_HOST");

	*out = NULL;
	if (!name || host->spec.kind != SHIM_HOST_TCP)
		return 0;
	if (host->spec.nhosts > 1 && host->spec.hosts[1].nports) {
		*out = &host->spec.hosts[1];
		return 0;
	}
	own->name = name;
	*out = own;
	return default_ports("PMPROXY_PORT", PROXY_PORT, own);
}

static int by_tcp(struct shim_host *host, const char *name, const struct shim_host_name *ports)
{
	struct shim_host_name own_proxy = { 0 }, own_ports = { 0 };
	const struct shim_host_name *proxy;
	int err = find_proxy(host, &own_proxy, &proxy);

	if (!err && !ports->nports) {
		err = default_ports("PMCD_PORT", PMCD_PORT, &own_ports);
		ports = &own_ports;
	}
	if (!err)
		err = by_ports(host, name, ports, proxy);
	free(own_proxy.ports);
	free(own_ports.ports);
	return err;
}

/* Connect and perform the handshake.  Return 0 or a PMAPI code. */
static int host_connect(struct shim_host *host)
{
	static const struct shim_host_name any_port;
	const struct shim_host_name *first = &host->spec.hosts[0];
	int err;

	if (host->spec.kind == SHIM_HOST_TCP)
		return by_tcp(host, first->name, first);
	err = by_path(host);
	if (err && host->spec.kind == SHIM_HOST_LOCAL)
		err = by_tcp(host, "localhost", &any_port);
	return err;
}

/* Seconds before the next reconnect, after each failure; the last number is repeated */
static const int usual_pauses[] = { 5, 10, 20, 40, 80 };

/*
 * Return a timeout from the environment, in seconds with an optional fraction, or @usual seconds.
 */
static int64_t timeout_ns(const char *name, int64_t usual)
{
	const char *value = shim_environ__get(name);
	double seconds;
	char *end;

	if (!value)
		return usual * NSEC_PER_SEC;
	seconds = shim_real__parse(value, &end);
	if (end != value && !*end && seconds > 0 && seconds < 1e9)
		return (int64_t)(seconds * NSEC_PER_SEC);
	pmNotifyErr(LOG_WARNING, "ignored bad %s = '%s'\n", name, value);
	return usual * NSEC_PER_SEC;
}

static int host_begin(struct shim_host *host)
{
	host->connect_ns = timeout_ns("PMCD_CONNECT_TIMEOUT", 5);
	host->request_ns = timeout_ns("PMCD_REQUEST_TIMEOUT", 10);
	return host_connect(host);
}

static struct shim_host *host_alloc(void)
{
	struct shim_host *host = calloc(1, sizeof(*host));

	if (host)
		shim_wire__init(&host->wire);
	return host;
}

static void host_close(struct shim_host *host)
{
	shim_wire__fini(&host->wire);
	shim_host_spec__fini(&host->spec);
	free(host);
}

static int hand_out(struct shim_host *host, int err, struct shim_host **out)
{
	if (err)
		host_close(host);
	else
		*out = host;
	return err;
}

int shim_host__new(const char *text, unsigned int flags, struct shim_host **out)
{
	struct shim_host *host = host_alloc();
	char *error = NULL;
	int err;

	if (!host)
		return -ENOMEM;
	err = shim_host_spec__parse(text, flags, &host->spec, &error);
	if (error) {
		pmprintf("pmNewContext: bad host specification\n%s", error);
		pmflush();
		free(error);
	}
	return hand_out(host, err ? err : host_begin(host), out);
}

/* Copy @host, with its own connection. */
static int host_clone(const struct shim_host *from, struct shim_host **out)
{
	struct shim_host *host = host_alloc();
	int err;

	if (!host)
		return -ENOMEM;
	err = shim_host_spec__copy(&host->spec, &from->spec);
	return hand_out(host, err ? err : host_begin(host), out);
}

/* Return the @n-th number in a list of seconds, or the last one; 0 if the list is malformed. */
static int listed_pause(const char *list, unsigned int n)
{
	int pause = 0;

	for (;;) {
		char *end;
		long seconds = strtol(list, &end, 10);

		if (end == list || seconds <= 0 || seconds > 1000000 || (*end && *end != ','))
			return 0;
		if (n) {
			pause = (int)seconds;
			n--;
		}
		if (!*end || !end[1])
			return pause;
		list = end + 1;
	}
}

static int pause_after(unsigned int failures)
{
	const unsigned int n = sizeof(usual_pauses) / sizeof(usual_pauses[0]);
	const char *list = shim_environ__get("PMCD_RECONNECT_TIMEOUT");
	int pause = list ? listed_pause(list, failures) : 0;

	if (pause)
		return pause;
	if (list && *list)
		pmNotifyErr(LOG_WARNING, "pmReconnectContext: ignored bad %s = '%s'\n",
			    "PMCD_RECONNECT_TIMEOUT", list);
	return usual_pauses[failures < n ? failures - 1 : n - 1];
}

static int host_connect_again(struct shim_host *host)
{
	if (host->failures && shim_now_ns() < host->retry_ns)
		return -ETIMEDOUT;
	shim_wire__close(&host->wire);
	if (!host_connect(host)) {
		host->failures = 0;
		return 0;
	}
	host->failures++;
	host->retry_ns = shim_now_ns() + pause_after(host->failures) * NSEC_PER_SEC;
	return -ETIMEDOUT;
}

int shim_host__lose(struct shim_host *host, int err)
{
	shim_wire__close(&host->wire);
	return lost(err);
}

int shim_host__begin(struct shim_host *host)
{
	/* After fork(), the child's copy of the connection was closed, so connect again. */
	if (host->wire.fd.nr < 0 && host->wire.forked)
		host_connect_again(host);
	if (host->wire.fd.nr < 0)
		return PM_ERR_IPC;
	shim_wire__start(&host->wire, host->request_ns);
	return 0;
}

int shim_host__send(struct shim_host *host)
{
	int err = host->wire.out.err;

	/* The request could not be encoded.  Nothing was sent, so the connection stays open. */
	if (err)
		return err == -ENOMEM ? err : PM_ERR_TOOBIG;
	err = shim_wire__send(&host->wire);
	return err ? shim_host__lose(host, err) : 0;
}

int shim_host__receive(struct shim_host *host, struct shim_pdu *pdu)
{
	int err = shim_wire__receive(&host->wire, pdu);

	return err ? shim_host__lose(host, err) : 0;
}

int shim_host__ask(struct shim_host *host, enum shim_pdu_type type, struct shim_pdu *pdu)
{
	int32_t code;
	int err = shim_host__send(host);

	if (!err)
		err = shim_host__receive(host, pdu);
	if (err || pdu->type == type)
		return err;
	if (pdu->type == SHIM_PDU_ERROR && !shim_pdu_error__decode(pdu, &code) && code < 0)
		return code;
	return shim_host__lose(host, -EBADMSG);
}

static void host_free(struct shim_context *ctx)
{
	shim_pmns_tree__free(ctx->pmns);
	host_close(ctx->host);
}

static int host_dup(struct shim_context *to, struct shim_context *from)
{
	return host_clone(from->host, &to->host);
}

/*
 * Get the name reported by pmcd.  If there is none, use this machine's name for a local connection,
 * otherwise the name in the specification.  The result is empty if there is no memory for the
 * request to pmcd.
 */
static void host_name(struct shim_context *ctx, char *buf, size_t size)
{
	const struct shim_host_spec *spec = &ctx->host->spec;
	const char *name = spec->hosts[0].name;
	int err = shim_host_source__string(ctx, "pmcd.hostname", buf, size);

	if (err == -ENOMEM)
		*buf = '\0';
	if (!err || err == -ENOMEM)
		return;
	if (spec->kind != SHIM_HOST_TCP || !strncmp(name, "localhost", strlen("localhost"))) {
		gethostname(buf, size);
		buf[size - 1] = '\0';
		return;
	}
	strncpy(buf, name, size - 1);
	buf[size - 1] = '\0';
}

static int host_zone(struct shim_context *ctx, char *buf, size_t size)
{
	/*
	 * Prefer the name of the zone to a value of TZ, because the name implies daylight saving
	 * rules.
	 */
	if (!shim_host_source__string(ctx, "pmcd.zoneinfo", buf, size) && *buf)
		return 0;
	return shim_host_source__string(ctx, "pmcd.timezone", buf, size);
}

static int host_reconnect(struct shim_context *ctx)
{
	return host_connect_again(ctx->host);
}

static int host_set_mode(struct shim_context *ctx, int mode, const struct shim_ts *when,
			 struct shim_ts delta)
{
	(void)ctx;
	(void)when;
	(void)delta;
	return mode == PM_MODE_LIVE ? 0 : PM_ERR_MODE;
}

static int host_record(struct shim_context *ctx, struct shim_ts *stamp, pmResult **out)
{
	(void)ctx;
	(void)stamp;
	(void)out;
	return PM_ERR_NOTARCHIVE;
}

static void host_profile_changed(struct shim_context *ctx)
{
	ctx->host->profile_sent = false;
}

const struct shim_source shim_host_source = {
	.names_at = PMNS_REMOTE,
	.derived_last = true,
	.free = host_free,
	.dup = host_dup,
	.host = host_name,
	.zone = host_zone,
	.reconnect = host_reconnect,
	.set_mode = host_set_mode,
	.profile_changed = host_profile_changed,
	.fetch = shim_host_source__fetch,
	.record = host_record,
	.store = shim_host_source__store,
	.desc = shim_host_source__desc,
	.descs = shim_host_source__descs,
	.text = shim_host_source__text,
	.labels = shim_host_source__labels,
	.instances = shim_host_source__instances,
	.instance_name = shim_host_source__instance_name,
	.instance = shim_host_source__instance,
	.metrics = shim_host_source__metrics,
	.children = shim_host_source__children,
	.leaves = shim_host_source__leaves,
	.names = shim_host_source__names,
};
