// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names of the debugging options, for programs that have options of their own.
 * libshim itself shows nothing for any of them.
 *
 * Threads: pmDebugOptions is the process's and has no lock, as in the original.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

#include "base/api.h"

SHIM_API pmdebugoptions_t pmDebugOptions;

/* The first ones also have a bit in a number; it is their place in the table but for the last */
#define NUMBERED 28
#define DESPERATE_BIT (1ul << 30)

/* In the structure's order */
static const char *const names[] = {
	"pdu", "fetch", "profile", "value", "context", "indom", "pdubuf", "log", "logmeta",
	"optfetch", "af", "appl0", "appl1", "appl2", "pmns", "libpmda", "timecontrol", "pmc",
	"derive", "lock", "interp", "config", "pmapi", "fault", "auth", "discovery", "attr",
	"http", "desperate",
	"deprecated", "exec", "labels", "series", "libweb", "alloc", "services", "appl3",
	"appl4", "appl5", "access", "qa", "search", "query", "compress", "dev0", "dev1", "dev2",
	"pmlc", "appl6", "appl7", "appl8", "appl9", "tls",
};

#define OPTIONS (sizeof(names) / sizeof(names[0]))

_Static_assert(sizeof(pmdebugoptions_t) == OPTIONS * sizeof(int), "each option has its name");
_Static_assert(offsetof(pmdebugoptions_t, desperate) == NUMBERED * sizeof(int) &&
	       offsetof(pmdebugoptions_t, tls) == (OPTIONS - 1) * sizeof(int), "in this order");

static int mark_number(const char *word, char marks[OPTIONS])
{
	char *end;
	unsigned long bits = strtoul(word, &end, 10);

	if (*end || end == word)
		return PM_ERR_CONV;
	for (size_t i = 0; i < NUMBERED; i++)
		if (bits & 1ul << i)
			marks[i] = 1;
	if (bits & DESPERATE_BIT)
		marks[NUMBERED] = 1;
	return 0;
}

static int mark_word(const char *word, char marks[OPTIONS])
{
	if (!strcasecmp(word, "all")) {
		memset(marks, 1, OPTIONS);
		return 0;
	}
	for (size_t i = 0; i < OPTIONS; i++) {
		if (strcasecmp(word, names[i]))
			continue;
		marks[i] = 1;
		return 0;
	}
	return mark_number(word, marks);
}

/* All of the list's options, or none */
static int set_all(const char *spec, int value)
{
	char *copy = strdup(spec), *rest = copy, marks[OPTIONS] = { 0 };
	int err = 0, *options = (int *)&pmDebugOptions;

	if (!copy)
		return -ENOMEM;
	/* nothing at all, or behind the last comma, is no option; between commas it is a wrong one */
	while (rest && *rest && !err)
		err = mark_word(strsep(&rest, ","), marks);
	free(copy);
	for (size_t i = 0; i < OPTIONS && !err; i++)
		if (marks[i])
			options[i] = value;
	return err;
}

/**
 * pmSetDebug() - switch debugging options on
 * @spec: their names, or old numbers of several, with commas between them; or "all"
 *
 * Return: 0, PM_ERR_CONV if one is unknown (then nothing is switched), -ENOMEM.
 */
SHIM_API int pmSetDebug(const char *spec)
{
	return set_all(spec, 1);
}

/**
 * pmClearDebug() - switch debugging options off
 * @spec: their names, or old numbers of several, with commas between them; or "all"
 *
 * Return: 0, PM_ERR_CONV if one is unknown (then nothing is switched), -ENOMEM.
 */
SHIM_API int pmClearDebug(const char *spec)
{
	return set_all(spec, 0);
}
