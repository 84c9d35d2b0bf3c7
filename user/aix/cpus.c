// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Binds the system's context to the processors that are online.  A processor that comes online
 * later is added at the next call on that context.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "state.h"

/*
 * Reads the kernel's list of online CPUs as text; a list that does not fit is cut off.  Without the
 * list, the text is empty, and the next call looks for CPUs again.
 */
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
	int ret = shim_counters__bind(ctx->counters, cpu, SHIM_BIND_F_CPU, &bad);

	/* It has gone offline meanwhile. */
	return ret == -ENODEV ? 0 : ret;
}

/**
 * shim_aix_cpus__bind() - bind a context to all processors that are online
 * @ctx: the system's, not a process tree's
 *
 * Return: 0 or a core error.
 */
int shim_aix_cpus__bind(struct shim_aix_context *ctx)
{
	read_online(ctx->online);
	return shim_aix_target__each_cpu(bind_cpu, ctx);
}

/* A CPU to which the set is bound already answers -EBUSY: that is no error here. */
static int bind_late(void *arg, int cpu)
{
	struct shim_aix_context *ctx = arg;
	int bad;
	int ret = shim_counters__bind(ctx->counters, cpu, SHIM_BIND_F_CPU, &bad);

	if (!ret && ctx->on)
		ret = shim_counters__enable_at(ctx->counters, cpu, SHIM_TARGET_F_CPU);
	return ret == -ENODEV || ret == -EBUSY ? 0 : ret;
}

/**
 * shim_aix_cpus__follow() - bind a context to processors that have come online
 * @ctx: the system's, not a process tree's
 *
 * If a CPU cannot be bound, the next call tries again.
 */
void shim_aix_cpus__follow(struct shim_aix_context *ctx)
{
	char online[AIX_ONLINE];

	read_online(online);
	if (strcmp(online, ctx->online) && !shim_aix_target__each_cpu(bind_late, ctx))
		strcpy(ctx->online, online);
}
