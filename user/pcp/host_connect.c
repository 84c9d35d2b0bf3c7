// SPDX-License-Identifier: LGPL-2.1-or-later
/* Connect to a host's pmcd: sockets, ports, proxies, and the handshake. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/process.h"
#include "host.h"

#define PMCD_PORT	44321
#define PROXY_PORT	44322
#define PDU_VERSION	2

/* The comma-separated ports in variable @name; if it is unset or malformed, the @usual one */
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

/* The PMAPI code that pmNewContext() returns for a connection failure */
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

/* Determine the features to request from the server, or an error; *@flags is set on success. */
static int negotiate(const struct shim_host *host, bool local, uint32_t *flags)
{
	const uint32_t unsupported = PM_CTXFLAG_SECURE | PM_CTXFLAG_COMPRESS | PM_CTXFLAG_AUTH;

	*flags = 0;
	if ((host->features & SHIM_FEATURE_CERT_REQD) && !local)
		return PM_ERR_NEEDCLIENTCERT;
	if (host->spec.flags & unsupported)
		return -EOPNOTSUPP;
	if (host->features & SHIM_FEATURE_CREDS_REQD) {
		/* the kernel passes the peer's credentials of a UNIX socket to pmcd */
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

/* pmcd sends the first PDU: it rejects the connection, or announces its version and features. */
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

/* Perform the handshake on a connected socket; on error, the socket is closed. */
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

/* The connect timeout is applied twice: to connecting the socket, and to the handshake. */
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

/* Request the destination from a proxy; after that, pmcd's greeting arrives through the proxy. */
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

/* Try the ports in order until one works; if none does, return the error of the last one. */
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
 * The first proxy of the specification, otherwise the one from the environment; *@out is NULL if
 * there is none
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

int shim_host__connect(struct shim_host *host)
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
