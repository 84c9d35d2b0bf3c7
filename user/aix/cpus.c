// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The system's context on the processors that are online; those that come later join
 * it at the next call about it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

/* What the kernel says is online, as it says it; the end of a very long list is not looked at. */
static void read_online(char text[AIX_ONLINE])
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");

	text[0] = '\0';
	if (!f)
		return;
	if (!fgets(text, AIX_ONLINE, f))
		text[0] = '\0';
	fclose(f);
}

static int bind_cpu(void *arg, int cpu)
{
	struct shim_aix_context *ctx = arg;
	int bad;
	int ret = shim_aix_both__bind(ctx, cpu, VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD, &bad);

	/* It has gone offline meanwhile. */
	return ret == -ENODEV ? 0 : ret;
}

/**
 * shim_aix_cpus__bind() - put a context on all processors that are online
 * @ctx: of the system, and no tree
 *
 * Return: 0 or core's error.
 */
int shim_aix_cpus__bind(struct shim_aix_context *ctx)
{
	read_online(ctx->online);
	return shim_aix_target__each_cpu(bind_cpu, ctx);
}

/* One that has the set already is busy. */
static int bind_late(void *arg, int cpu)
{
	struct shim_aix_context *ctx = arg;
	int bad;
	int ret = shim_aix_both__bind(ctx, cpu, VCPC_BIND_F_CPU | VCPC_BIND_F_YIELD, &bad);

	if (!ret && ctx->on)
		ret = shim_aix_both__enable(ctx, cpu, VCPC_TARGET_F_CPU);
	return ret == -ENODEV || ret == -EBUSY ? 0 : ret;
}

/**
 * shim_aix_cpus__follow() - put a context on processors that have come online
 * @ctx: of the system, and no tree
 *
 * What cannot be counted there is tried again at the next call.
 */
void shim_aix_cpus__follow(struct shim_aix_context *ctx)
{
	char online[AIX_ONLINE];

	read_online(online);
	if (strcmp(online, ctx->online) && !shim_aix_target__each_cpu(bind_late, ctx))
		strcpy(ctx->online, online);
}
