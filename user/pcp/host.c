// SPDX-License-Identifier: LGPL-2.1-or-later
/* A host as a source of metrics: its connection, its requests, and its operations table. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"
#include "base/real.h"
#include "context.h"
#include "host.h"

#define NSEC_PER_SEC	1000000000LL

/* Seconds before the next reconnect, after each failure; the last one is repeated */
static const int usual_pauses[] = { 5, 10, 20, 40, 80 };

/* A timeout from the environment, in seconds with an optional fraction; otherwise @usual seconds */
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
	return shim_host__connect(host);
}

static struct shim_host *host_alloc(void)
{
	struct shim_host *host = calloc(1, sizeof(*host));

	if (host)
		shim_wire__init(&host->wire);
	return host;
}

void shim_host__free(struct shim_host *host)
{
	shim_wire__fini(&host->wire);
	shim_host_spec__fini(&host->spec);
	free(host);
}

static int hand_out(struct shim_host *host, int err, struct shim_host **out)
{
	if (err)
		shim_host__free(host);
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

int shim_host__clone(const struct shim_host *from, struct shim_host **out)
{
	struct shim_host *host = host_alloc();
	int err;

	if (!host)
		return -ENOMEM;
	err = shim_host_spec__copy(&host->spec, &from->spec);
	return hand_out(host, err ? err : host_begin(host), out);
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* The @n-th number in a list of seconds, or the last one; 0 if the list is malformed */
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

int shim_host__reconnect(struct shim_host *host)
{
	if (host->failures && now_ns() < host->retry_ns)
		return -ETIMEDOUT;
	shim_wire__close(&host->wire);
	if (!shim_host__connect(host)) {
		host->failures = 0;
		return 0;
	}
	host->failures++;
	host->retry_ns = now_ns() + pause_after(host->failures) * NSEC_PER_SEC;
	return -ETIMEDOUT;
}

int shim_host__lose(struct shim_host *host, int err)
{
	shim_wire__close(&host->wire);
	switch (err) {
	case -ETIMEDOUT:
		return PM_ERR_TIMEOUT;
	case -ENOMEM:
		return err;
	}
	return PM_ERR_IPC;
}

int shim_host__begin(struct shim_host *host)
{
	/* after fork(), the child's copy of the connection was closed, so connect again */
	if (host->wire.fd.nr < 0 && host->wire.forked)
		shim_host__reconnect(host);
	if (host->wire.fd.nr < 0)
		return PM_ERR_IPC;
	shim_wire__start(&host->wire, host->request_ns);
	return 0;
}

int shim_host__send(struct shim_host *host)
{
	int err = host->wire.out.err;

	/* the request could not be encoded; nothing was sent, so the connection stays open */
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
	shim_host__free(ctx->host);
}

static int host_dup(struct shim_context *to, struct shim_context *from)
{
	return shim_host__clone(from->host, &to->host);
}

/*
 * The name reported by pmcd, otherwise this machine's for a local connection, otherwise the one in
 * the specification
 */
static void host_name(struct shim_context *ctx, char *buf, size_t size)
{
	const struct shim_host_spec *spec = &ctx->host->spec;
	const char *name = spec->hosts[0].name;

	if (!shim_host_source__string(ctx, "pmcd.hostname", buf, size))
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
	/* prefer the name of the zone to a value of TZ, because it implies daylight saving rules */
	if (!shim_host_source__string(ctx, "pmcd.zoneinfo", buf, size) && *buf)
		return 0;
	return shim_host_source__string(ctx, "pmcd.timezone", buf, size);
}

static int host_reconnect(struct shim_context *ctx)
{
	return shim_host__reconnect(ctx->host);
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

const struct shim_source shim_host_source = {
	.names_at = PMNS_REMOTE,
	.free = host_free,
	.dup = host_dup,
	.host = host_name,
	.zone = host_zone,
	.reconnect = host_reconnect,
	.set_mode = host_set_mode,
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
