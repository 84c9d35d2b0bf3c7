// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the environment variables of the trace calls.
 *
 * They are read when a connection is opened.  For an invalid value, a warning is written to
 * standard error and the default is used.
 */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/process.h"
#include "base/real.h"
#include "env.h"

#define DEFAULT_PORT		4323
#define DEFAULT_CONNECT_S	3
#define DEFAULT_ANSWER_S	10
#define LONGEST_S		86400

/*
 * Return whether a variable is reported for the first time.  The array contains all variables that
 * this file reads.
 */
static bool is_first(const char *name)
{
	static const char *_Atomic named[8];

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		const char *other = NULL;

		if (atomic_compare_exchange_strong(&named[i], &other, name))
			return true;
		if (!strcmp(other, name))
			return false;
	}
	return false;
}

/*
 * Warn that a variable's value is invalid and that the default is used.  The warning is printed
 * once per process, because calls read the environment again until one of them connects.
 */
void shim_env__warn(const char *name, const char *value)
{
	if (!is_first(name))
		return;
	fprintf(stderr, "pmtrace: %s=\"%s\" is invalid; the default is used\n", name,
		value);
}

static const char *get(const char *name)
{
	const char *value = shim_environ__get(name);

	return value && *value ? value : NULL;
}

/**
 * shim_env__transport() - get the transport that the user selected (SHIM_TRACE)
 *
 * Return: the variable's value, or NULL if it is not set.
 */
const char *shim_env__transport(void)
{
	return get("SHIM_TRACE");
}

/**
 * shim_env__host() - get the agent's host (PCP_TRACE_HOST)
 *
 * Return: the host's name; NULL means this host.
 */
const char *shim_env__host(void)
{
	return get("PCP_TRACE_HOST");
}

/**
 * shim_env__port() - get the agent's port (PCP_TRACE_PORT)
 *
 * Return: the port.
 */
uint16_t shim_env__port(void)
{
	const char *value = get("PCP_TRACE_PORT");
	unsigned long port;
	char *end;

	if (!value)
		return DEFAULT_PORT;
	errno = 0;
	port = strtoul(value, &end, 0);
	if (!errno && !*end && !strchr(value, '-') && port && port <= UINT16_MAX)
		return port;
	shim_env__warn("PCP_TRACE_PORT", value);
	return DEFAULT_PORT;
}

static uint64_t seconds(const char *name, double otherwise)
{
	const char *value = get(name);
	double s = otherwise;
	char *end;

	if (value) {
		s = shim_real__parse(value, &end);
		if (end == value || *end || !isfinite(s) || s <= 0) {
			shim_env__warn(name, value);
			s = otherwise;
		}
	}
	return (s < LONGEST_S ? s : LONGEST_S) * 1e9;
}

/**
 * shim_env__connect_ns() - get the timeout for connecting and for the greeting (PCP_TRACE_TIMEOUT)
 *
 * Return: nanoseconds.
 */
uint64_t shim_env__connect_ns(void)
{
	return seconds("PCP_TRACE_TIMEOUT", DEFAULT_CONNECT_S);
}

/**
 * shim_env__answer_ns() - get the timeout for an answer (PCP_TRACE_REQTIMEOUT)
 *
 * Return: nanoseconds.
 */
uint64_t shim_env__answer_ns(void)
{
	return seconds("PCP_TRACE_REQTIMEOUT", DEFAULT_ANSWER_S);
}

/**
 * shim_env__retry_ns() - get the time to wait before connecting again
 * @failures: number of consecutive failures, at least 1
 *
 * PCP_TRACE_RECONNECT is a list of seconds; the last number is repeated.
 *
 * Return: nanoseconds.
 */
uint64_t shim_env__retry_ns(unsigned int failures)
{
	static const unsigned long defaults[] = { 5, 10, 20, 40, 80 };
	const unsigned int n = sizeof(defaults) / sizeof(defaults[0]);
	const char *list = get("PCP_TRACE_RECONNECT");
	unsigned long wait = 0;

	for (unsigned int i = 0; list && *list && i < failures; i++) {
		char *end;
		unsigned long number = strtoul(list, &end, 10);

		if (end == list || *list == '-' || !number || (*end && *end != ','))
			break;
		wait = number < LONGEST_S ? number : LONGEST_S;
		list = end + (*end == ',');
	}
	if (!wait)
		wait = defaults[failures < n ? failures - 1 : n - 1];
	return wait * 1000000000ull;
}
