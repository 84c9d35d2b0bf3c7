// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Variables, for example those of derived metrics, which are latencies in cycles.  They come from
 * lines NAME=VALUE of the file HPM_flags.env in the working directory, otherwise from the
 * environment.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hpm.h"

const char *const hpm_variables[] = {
	"HPM_MEM_LATENCY", "HPM_L1_LATENCY", "HPM_L2_LATENCY", "HPM_L25_LATENCY",
	"HPM_L275_LATENCY", "HPM_L3_LATENCY", "HPM_L35_LATENCY", "HPM_AVG_L2_LATENCY",
	"HPM_AVG_L3_LATENCY", "HPM_TLB_LATENCY", "HPM_DIV_WEIGHT",
};

const size_t hpm_nvariables = sizeof(hpm_variables) / sizeof(hpm_variables[0]);

bool hpm_variable_known(const char *name)
{
	for (size_t i = 0; i < hpm_nvariables; i++)
		if (!strcmp(hpm_variables[i], name))
			return true;
	return false;
}

/* Return the variable's value in the file, or NULL.  It is valid until the next call. */
static const char *from_file(const char *name)
{
	static char line[256];
	size_t len = strlen(name);
	const char *value = NULL;
	FILE *f = fopen("HPM_flags.env", "re");

	if (!f && errno != ENOENT)
		hpm_die_reading("HPM_flags.env");
	if (!f)
		return NULL;
	while (!value && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\r\n")] = '\0';
		if (!strncmp(line, name, len) && line[len] == '=')
			value = line + len + 1;
	}
	if (ferror(f))
		hpm_die_reading("HPM_flags.env");
	fclose(f);
	return value;
}

/* Return a variable's value, or NULL.  It is valid until the next call. */
const char *hpm_variable(const char *name)
{
	const char *value = from_file(name);

	return value ? value : getenv(name);
}

/* Return a copy of a variable's value, which the caller frees, or NULL. */
char *hpm_variable_copy(const char *name)
{
	const char *value = hpm_variable(name);
	char *copy = value ? strdup(value) : NULL;

	if (value && !copy)
		hpm_die(name, errno);
	return copy;
}

/*
 * Return the factor from a metric's variable: 1 if it has none, negative if the variable has no
 * valid value.
 */
double hpm_factor(const struct hpm_metric *metric)
{
	const char *value = metric->variable ? hpm_variable(metric->variable) : "1";
	char *end;
	double factor;

	if (!value || !*value)
		return -1;
	factor = strtod(value, &end);
	return *end || !(factor >= 0 && factor < 1e9) ? -1 : factor;
}
