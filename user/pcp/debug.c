// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The names of the debugging options, for programs that have options of their own.  libshim itself
 * prints messages only for "derive", about operands that cannot be bound.
 *
 * Threads: pmDebugOptions and pmDebug belong to the process and have no lock, as in the original.
 */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <pcp/deprecated.h>

#include "base/api.h"
#include "pmapi_v4.h"

SHIM_API pmdebugoptions_t pmDebugOptions;
SHIM_API shim_debug_options pmDebugOptions_v4;
SHIM_API int pmDebug;

/*
 * Options up to this index of the table also have a bit in pmDebug.  Its number is the index,
 * except for the last one, whose bit is DBG_TRACE_DESPERATE.
 */
#define NUMBERED 28

/* In the order of the members of pmdebugoptions_t; only version 4 has the last three */
static const char *const names[] = {
	"pdu", "fetch", "profile", "value", "context", "indom", "pdubuf", "log", "logmeta",
	"optfetch", "af", "appl0", "appl1", "appl2", "pmns", "libpmda", "timecontrol", "pmc",
	"derive", "lock", "interp", "config", "pmapi", "fault", "auth", "discovery", "attr",
	"http", "desperate",
	"deprecated", "exec", "labels", "series", "libweb", "alloc", "services", "appl3",
	"appl4", "appl5", "access", "qa", "search", "query", "compress", "dev0", "dev1", "dev2",
	"pmlc", "appl6", "appl7", "appl8", "appl9", "tls",
	"misc", "qed", "getopt",
};

#define OPTIONS (sizeof(names) / sizeof(names[0]))

#define OPTIONS_V2 (sizeof(pmdebugoptions_t) / sizeof(int))

_Static_assert(sizeof(shim_debug_options) == OPTIONS * sizeof(int), "each option needs a name");
_Static_assert(offsetof(pmdebugoptions_t, desperate) == NUMBERED * sizeof(int) &&
	       offsetof(pmdebugoptions_t, tls) == (OPTIONS_V2 - 1) * sizeof(int), "in this order");

/* Return the bit in pmDebug of the option at index @i, or 0 if it has none. */
static int bit_of(size_t i)
{
	if (i > NUMBERED)
		return 0;
	return i == NUMBERED ? DBG_TRACE_DESPERATE : 1 << i;
}

static void mark_bits(unsigned long bits, char marks[OPTIONS])
{
	for (size_t i = 0; i <= NUMBERED; i++)
		if (bits & (unsigned long)bit_of(i))
			marks[i] = 1;
}

static int mark_number(const char *word, char marks[OPTIONS])
{
	char *end;
	unsigned long bits = strtoul(word, &end, 10);

	if (*end || end == word)
		return PM_ERR_CONV;
	mark_bits(bits, marks);
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

/* Mark all options of a list; on error, the content of @marks is undefined. */
static int mark_all(const char *spec, char marks[OPTIONS])
{
	char *copy = strdup(spec), *rest = copy;
	int err = 0;

	if (!copy)
		return -ENOMEM;
	/* An empty list, or a comma at its end, is accepted; any other empty word is an error. */
	while (rest && *rest && !err)
		err = mark_word(strsep(&rest, ","), marks);
	free(copy);
	return err;
}

/* Set all marked options to @value.  Return their bits. */
static int switch_all(const char marks[OPTIONS], int value)
{
	int *options = (int *)&pmDebugOptions, *options_v4 = (int *)&pmDebugOptions_v4;
	int bits = 0;

	for (size_t i = 0; i < OPTIONS; i++) {
		if (!marks[i])
			continue;
		if (i < OPTIONS_V2)
			options[i] = value;
		options_v4[i] = value;
		bits |= bit_of(i);
	}
	if (!memchr(marks, 0, OPTIONS))
		bits = INT_MAX;	/* "all" also sets the bits that no option uses */
	pmDebug = value ? pmDebug | bits : pmDebug & ~bits;
	return bits;
}

static int set_all(const char *spec, int value)
{
	char marks[OPTIONS] = { 0 };
	int err = mark_all(spec, marks);

	if (!err)
		switch_all(marks, value);
	return err;
}

/**
 * pmSetDebug() - switch debugging options on
 * @spec: comma-separated names, old numbers that represent several options, or "all"
 *
 * Return: 0; PM_ERR_CONV if one is unknown, in which case no option is changed; -ENOMEM.
 */
SHIM_API int pmSetDebug(const char *spec)
{
	return spec ? set_all(spec, 1) : -EINVAL;
}

/**
 * pmClearDebug() - switch debugging options off
 * @spec: comma-separated names, old numbers that represent several options, or "all"
 *
 * Return: 0; PM_ERR_CONV if one is unknown, in which case no option is changed; -ENOMEM.
 */
SHIM_API int pmClearDebug(const char *spec)
{
	return spec ? set_all(spec, 0) : -EINVAL;
}

static bool is_on(size_t i)
{
	return ((int *)&pmDebugOptions_v4)[i] ||
	       (i < OPTIONS_V2 && ((int *)&pmDebugOptions)[i]);
}

/**
 * pmDebug_v4() - find out whether debugging options are on: pmDebug() of PMAPI version 4
 * @spec: comma-separated names, or "all"
 *
 * Return: 1 if at least one of them is on, 0, PM_ERR_CONV if one is unknown, -ENOMEM.
 */
SHIM_API int pmDebug_v4(const char *spec)
{
	char marks[OPTIONS] = { 0 };
	int err = mark_all(spec, marks);

	for (size_t i = 0; !err && i < OPTIONS; i++)
		if (marks[i] && is_on(i))
			return 1;
	return err;
}

/**
 * pmGetDebug() - list the debugging options that are on
 *
 * Return: their names, comma-separated, "all", or an empty string, to be freed by the caller; NULL
 * if out of memory.
 */
SHIM_API char *pmGetDebug(void)
{
	size_t len = sizeof("all"), count = 0;
	char *list, *at;

	for (size_t i = 0; i < OPTIONS; i++) {
		count += is_on(i);
		len += is_on(i) ? strlen(names[i]) + 1 : 0;
	}
	list = malloc(len);
	if (!list)
		return NULL;
	strcpy(list, count == OPTIONS ? "all" : "");
	if (count == OPTIONS)
		return list;
	at = list;
	for (size_t i = 0; i < OPTIONS; i++)
		if (is_on(i))
			at += sprintf(at, "%s%s", at == list ? "" : ",", names[i]);
	return list;
}

/**
 * __pmParseDebug() - switch debugging options on, as programs did before pmSetDebug()
 * @spec: as for pmSetDebug()
 *
 * Return: the bits of the options that have a bit, PM_ERR_CONV, -ENOMEM.
 */
SHIM_API int __pmParseDebug(const char *spec)
{
	char marks[OPTIONS] = { 0 };
	int err = mark_all(spec, marks);

	return err ? err : switch_all(marks, 1);
}

/**
 * __pmSetDebugBits() - switch debugging options on
 * @bits: DBG_TRACE_*; options whose bit is not set remain unchanged
 */
SHIM_API void __pmSetDebugBits(int bits)
{
	char marks[OPTIONS] = { 0 };

	mark_bits((unsigned int)bits, marks);
	switch_all(marks, 1);
}
