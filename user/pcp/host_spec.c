// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The address of a host's pmcd, as specified by programs and users:
 *
 *	[pcp://|pcps://]HOST[:PORT[,PORT]...][@PROXY[:PORT]][?ATTRIBUTE[=VALUE][&...]]
 *	unix:[PATH][?...], local:[PATH][?...]
 *
 * HOST and PROXY may be in brackets; IPv6 addresses must be.  Text after a final slash is ignored,
 * as are unknown attributes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/process.h"
#include "base/vec.h"
#include "texts.h"
#include "host.h"

/* The text to parse, which messages show in full, and the position in it */
struct cursor {
	const char *text;
	const char *at;
	char **error;
	bool pcps;
	char *secure;
};

static const struct {
	const char *prefix;
	enum shim_host_kind kind;
	bool pcps;
} protocols[] = {
	{ "pcp:", SHIM_HOST_TCP, false },
	{ "pcps:", SHIM_HOST_TCP, true },
	{ "local:", SHIM_HOST_LOCAL, false },
	{ "unix:", SHIM_HOST_UNIX, false },
};

/* Attributes that set a context flag; uid, gid and others apply to agents only */
static const struct {
	const char *name;
	unsigned int flag;
} attributes[] = {
	{ "compress", PM_CTXFLAG_COMPRESS },
	{ "userauth", PM_CTXFLAG_AUTH }, { "authorise", PM_CTXFLAG_AUTH },
	{ "authorize", PM_CTXFLAG_AUTH }, { "user", PM_CTXFLAG_AUTH },
	{ "username", PM_CTXFLAG_AUTH }, { "realm", PM_CTXFLAG_AUTH },
	{ "authmeth", PM_CTXFLAG_AUTH }, { "method", PM_CTXFLAG_AUTH },
	{ "pass", PM_CTXFLAG_AUTH }, { "password", PM_CTXFLAG_AUTH },
	{ "container", PM_CTXFLAG_CONTAINER },
};

void shim_host_spec__fini(struct shim_host_spec *spec)
{
	for (unsigned int i = 0; i < spec->nhosts; i++) {
		free(spec->hosts[i].name);
		free(spec->hosts[i].ports);
	}
	free(spec->hosts);
	free(spec->container);
	memset(spec, 0, sizeof(*spec));
}

static int spec_complain(const struct cursor *c, const char *what)
{
	*c->error = shim_caret__message(c->text, c->at - c->text, what);
	return *c->error ? PM_ERR_GENERIC : -ENOMEM;
}

static void parse_protocol(struct cursor *c, struct shim_host_spec *spec)
{
	for (size_t i = 0; i < sizeof(protocols) / sizeof(protocols[0]); i++) {
		size_t len = strlen(protocols[i].prefix);

		if (strncmp(c->at, protocols[i].prefix, len))
			continue;
		c->at += len;
		c->at += strspn(c->at, "/");
		c->pcps = protocols[i].pcps;
		spec->kind = protocols[i].kind;
		return;
	}
}

/* Take ownership of @name. */
static int add_host(struct shim_host_spec *spec, char *name)
{
	if (!name || shim_vec__room(spec->hosts, &spec->hosts_room, spec->nhosts)) {
		free(name);
		return -ENOMEM;
	}
	spec->hosts[spec->nhosts++] = (struct shim_host_name){ .name = name };
	return 0;
}

static int add_port(struct shim_host_name *host, int port)
{
	if (shim_vec__room(host->ports, &host->ports_room, host->nports))
		return -ENOMEM;
	host->ports[host->nports++] = port;
	return 0;
}

/* Parse the comma-separated ports after the colon. */
static int parse_ports(struct cursor *c, struct shim_host_name *host)
{
	for (;;) {
		const char *start = c->at;
		unsigned int port = 0;
		int err;

		for (; *c->at >= '0' && *c->at <= '9'; c->at++)
			port = port * 10 + (*c->at - '0');
		if (*c->at && !strchr(",@/?", *c->at))
			return spec_complain(c, "non-numeric port");
		if (c->at == start)
			return spec_complain(c, "missing port");
		err = add_port(host, port & 0xffff);
		if (err || *c->at != ',')
			return err;
		c->at++;
	}
}

/* Parse the name of a host, with or without brackets, and move @c past it. */
static int parse_name(struct cursor *c, const char **start, size_t *len)
{
	*start = c->at;
	if (*c->at != '[') {
		*len = strcspn(c->at, ":@/?");
		c->at += *len;
		return 0;
	}
	*start = c->at + 1;
	*len = strcspn(*start, "]");
	c->at = *start + *len;
	if (!*c->at)
		return spec_complain(c, "missing closing ']' for host spec");
	c->at++;
	if (*c->at && !strchr(":@/?", *c->at))
		return spec_complain(c, "extra characters after host spec");
	return 0;
}

static int parse_host(struct cursor *c, struct shim_host_spec *spec)
{
	const char *start;
	size_t len;
	int err = parse_name(c, &start, &len);

	if (err)
		return err;
	if (!len)
		return spec_complain(c, "unexpected terminal character");
	err = add_host(spec, strndup(start, len));
	if (err || *c->at != ':')
		return err;
	c->at++;
	return parse_ports(c, &spec->hosts[spec->nhosts - 1]);
}

static int parse_hosts(struct cursor *c, struct shim_host_spec *spec)
{
	int err;

	if (!*c->at || *c->at == '/' || *c->at == '?')
		return 0;
	err = parse_host(c, spec);
	while (!err && *c->at == '@') {
		c->at++;
		err = parse_host(c, spec);
	}
	return err;
}

static char *default_path(void)
{
	const char *path = shim_environ__get("PMCD_SOCKET");
	char *made;

	if (path)
		return strdup(path);
	return asprintf(&made, "%s/pmcd.socket", pmGetConfig("PCP_RUN_DIR")) < 0 ? NULL : made;
}

/*
 * Parse a path.  Its leading slashes were skipped together with the protocol's, so restore one:
 * paths are absolute.
 */
static int parse_path(struct cursor *c, struct shim_host_spec *spec)
{
	size_t len = strcspn(c->at, ":?");
	char *path;

	if (!len)
		path = default_path();
	else if (asprintf(&path, "/%.*s", (int)len, c->at) < 0)
		path = NULL;
	c->at += len;
	return add_host(spec, path);
}

int shim_host_spec__copy(struct shim_host_spec *to, const struct shim_host_spec *from)
{
	int err = 0;

	*to = (struct shim_host_spec){ .kind = from->kind, .flags = from->flags };
	for (unsigned int i = 0; i < from->nhosts && !err; i++) {
		const struct shim_host_name *host = &from->hosts[i];

		err = add_host(to, strdup(host->name));
		for (unsigned int j = 0; j < host->nports && !err; j++)
			err = add_port(&to->hosts[i], host->ports[j]);
	}
	if (!err && from->container) {
		to->container = strdup(from->container);
		err = to->container ? 0 : -ENOMEM;
	}
	if (err)
		shim_host_spec__fini(to);
	return err;
}

static unsigned int flag_of(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (strlen(attributes[i].name) == len && !strncmp(attributes[i].name, name, len))
			return attributes[i].flag;
	return 0;
}

static int set_string(char **to, const char *value, size_t len)
{
	char *copy = value ? strndup(value, len) : NULL;

	if (value && !copy)
		return -ENOMEM;
	free(*to);
	*to = copy;
	return 0;
}

/* Parse name or name=value, split at the last '=' as in PCP's library. */
static int parse_attribute(struct cursor *c, struct shim_host_spec *spec, size_t len)
{
	const char *equals = memrchr(c->at, '=', len), *value = equals ? equals + 1 : NULL;
	size_t name_len = equals ? (size_t)(equals - c->at) : len;
	size_t value_len = value ? len - name_len - 1 : 0;
	unsigned int flag = flag_of(c->at, name_len);

	spec->flags |= flag;
	if (flag == PM_CTXFLAG_CONTAINER)
		return set_string(&spec->container, value, value_len);
	if (name_len == strlen("secure") && !strncmp(c->at, "secure", name_len))
		return set_string(&c->secure, value, value_len);
	return 0;
}

static int parse_attributes(struct cursor *c, struct shim_host_spec *spec)
{
	int err = 0;

	if (*c->at == '?')
		c->at++;
	while (!err && *c->at && *c->at != '/') {
		size_t len = strcspn(c->at, "&/");

		err = parse_attribute(c, spec, len);
		c->at += len;
		if (*c->at == '&')
			c->at++;
	}
	return err;
}

/* Apply PCP_CONTAINER and PCP_SECURE_SOCKETS if the specification does not set them. */
static int add_environment(const struct cursor *c, struct shim_host_spec *spec)
{
	const char *container = shim_environ__get("PCP_CONTAINER");
	const char *secure = c->pcps ? (c->secure ? c->secure : "enforce") :
				       shim_environ__get("PCP_SECURE_SOCKETS");

	if (secure && (!*secure || !strcmp(secure, "1") || !strcmp(secure, "enforce")))
		spec->flags |= PM_CTXFLAG_SECURE;
	else if (secure && !strcmp(secure, "relaxed"))
		spec->flags |= PM_CTXFLAG_RELAXED;
	if (!container || (spec->flags & PM_CTXFLAG_CONTAINER))
		return 0;
	spec->flags |= PM_CTXFLAG_CONTAINER;
	return set_string(&spec->container, container, strlen(container));
}

static int spec_parse(struct cursor *c, struct shim_host_spec *spec)
{
	int err;

	parse_protocol(c, spec);
	err = spec->kind == SHIM_HOST_TCP ? parse_hosts(c, spec) : parse_path(c, spec);
	if (err)
		return err;
	if (*c->at && *c->at != '?' && *c->at != '/')
		return spec_complain(c, "unexpected terminal character");
	err = parse_attributes(c, spec);
	if (!err && !spec->nhosts)
		err = PM_ERR_NOTHOST;
	return err ? err : add_environment(c, spec);
}

int shim_host_spec__parse(const char *text, unsigned int flags, struct shim_host_spec *spec,
			  char **error)
{
	struct cursor c = { .text = text, .at = text, .error = error };
	int err;

	*spec = (struct shim_host_spec){ .flags = flags };
	err = spec_parse(&c, spec);
	free(c.secure);
	if (err)
		shim_host_spec__fini(spec);
	return err;
}
