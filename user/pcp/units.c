// SPDX-License-Identifier: LGPL-2.1-or-later
/* Format types, semantics and units as text. */
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "archive/types.h"
#include "base/api.h"
#include "texts.h"
#include "units_extra.h"

_Static_assert(PM_TYPE_NOSUPPORT == SHIM_TYPE_NOSUPPORT && PM_TYPE_32 == SHIM_TYPE_32 &&
	       PM_TYPE_U32 == SHIM_TYPE_U32 && PM_TYPE_64 == SHIM_TYPE_64 &&
	       PM_TYPE_U64 == SHIM_TYPE_U64 && PM_TYPE_FLOAT == SHIM_TYPE_FLOAT &&
	       PM_TYPE_DOUBLE == SHIM_TYPE_DOUBLE && PM_TYPE_STRING == SHIM_TYPE_STRING &&
	       PM_TYPE_AGGREGATE == SHIM_TYPE_AGGREGATE &&
	       PM_TYPE_AGGREGATE_STATIC == SHIM_TYPE_AGGREGATE_STATIC &&
	       PM_TYPE_EVENT == SHIM_TYPE_EVENT &&
	       PM_TYPE_HIGHRES_EVENT == SHIM_TYPE_HIGHRES_EVENT, "types are those on disk");
_Static_assert(PM_SEM_COUNTER == SHIM_SEM_COUNTER && PM_SEM_INSTANT == SHIM_SEM_INSTANT &&
	       PM_SEM_DISCRETE == SHIM_SEM_DISCRETE, "semantics are those on disk");

static const char *const type_names[] = {
	[PM_TYPE_32] = "32",
	[PM_TYPE_U32] = "U32",
	[PM_TYPE_64] = "64",
	[PM_TYPE_U64] = "U64",
	[PM_TYPE_FLOAT] = "FLOAT",
	[PM_TYPE_DOUBLE] = "DOUBLE",
	[PM_TYPE_STRING] = "STRING",
	[PM_TYPE_AGGREGATE] = "AGGREGATE",
	[PM_TYPE_AGGREGATE_STATIC] = "AGGREGATE_STATIC",
	[PM_TYPE_EVENT] = "EVENT",
	[PM_TYPE_HIGHRES_EVENT] = "HIGHRES_EVENT",
};

static const char *const sem_names[] = {
	[PM_SEM_COUNTER] = "counter",
	[PM_SEM_INSTANT] = "instant",
	[PM_SEM_DISCRETE] = "discrete",
};

static const char *const space_names[] = {
	"byte", "Kbyte", "Mbyte", "Gbyte", "Tbyte", "Pbyte", "Ebyte", "Zbyte", "Ybyte",
};

static const char *const time_names[] = {
	"nanosec", "microsec", "millisec", "sec", "min", "hour",
};

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const char *name_in(const char *const *names, unsigned int n, int i)
{
	return i >= 0 && (unsigned int)i < n && names[i] ? names[i] : "???";
}

/*
 * pmTypeStr() and pmSemStr() return constants rather than a buffer: programs print two of their
 * results in one call, which PCP's library allows.
 */
SHIM_API const char *pmTypeStr(int type)
{
	if (type == PM_TYPE_NOSUPPORT)
		return "NO_SUPPORT";
	if (type == PM_TYPE_UNKNOWN)
		return "UNKNOWN";
	return name_in(type_names, LENGTH(type_names), type);
}

SHIM_API char *pmTypeStr_r(int type, char *buf, int buflen)
{
	snprintf(buf, buflen, "%s", pmTypeStr(type));
	return buf;
}

SHIM_API const char *pmSemStr(int sem)
{
	return name_in(sem_names, LENGTH(sem_names), sem);
}

SHIM_API char *pmSemStr_r(int sem, char *buf, int buflen)
{
	snprintf(buf, buflen, "%s", pmSemStr(sem));
	return buf;
}

/* Append a unit with its exponent to buf, after a blank unless buf is empty. */
static void append_term(char *buf, size_t size, const char *unit, int exponent)
{
	size_t len = strlen(buf);
	const char *blank = len ? " " : "";

	if (exponent == 1)
		snprintf(buf + len, size - len, "%s%s", blank, unit);
	else
		snprintf(buf + len, size - len, "%s%s^%d", blank, unit, exponent);
}

static void scale_name(char *buf, size_t size, const char *const *names, unsigned int n,
		       const char *dimension, unsigned int scale)
{
	if (scale < n)
		snprintf(buf, size, "%s", names[scale]);
	else
		snprintf(buf, size, "%s-%u", dimension, scale);
}

static void count_name(char *buf, size_t size, const char *what, int scale)
{
	if (scale == 0)
		snprintf(buf, size, "%s", what);
	else if (scale == 1)
		snprintf(buf, size, "%s%sx 10", what, *what ? " " : "");
	else
		snprintf(buf, size, "%s%sx 10^%d", what, *what ? " " : "", scale);
}

static void extra_name(char *buf, size_t size, const pmUnits *u)
{
	int unit = u->extraUnit < 0 ? -u->extraUnit : u->extraUnit;
	const char *name = shim_extra__unit(unit), *scale = shim_extra__scale(unit, u->extraScale);

	if (!name)
		snprintf(buf, size, "extra-%d", unit);
	else if (!scale)
		snprintf(buf, size, "%s (scale-%u)", name, u->extraScale);
	else
		snprintf(buf, size, "%s (%s)", name, scale);
}

/* Append the terms above the slash (positive dimension), or with a negative sign those below. */
static void terms(char *buf, size_t size, const pmUnits *u, int sign)
{
	char unit[24];

	if (u->extraUnit * sign > 0) {
		extra_name(unit, sizeof(unit), u);
		append_term(buf, size, unit, 1);
	}
	if (u->dimSpace * sign > 0) {
		scale_name(unit, sizeof(unit), space_names, LENGTH(space_names), "space",
			   u->scaleSpace);
		append_term(buf, size, unit, u->dimSpace * sign);
	}
	if (u->dimTime * sign > 0) {
		scale_name(unit, sizeof(unit), time_names, LENGTH(time_names), "time",
			   u->scaleTime);
		append_term(buf, size, unit, u->dimTime * sign);
	}
	if (u->dimCount * sign > 0) {
		count_name(unit, sizeof(unit), "count", u->scaleCount);
		append_term(buf, size, unit, u->dimCount * sign);
	}
}

/**
 * pmUnitsStr_r() - format units, such as "Kbyte / sec"
 * @units: the units
 * @buf: @buflen bytes
 * @buflen: at least 60; with an extra unit in the text at most 79 bytes are used
 *
 * Return: @buf, or NULL if it is too small.
 */
SHIM_API char *pmUnitsStr_r(const pmUnits *units, char *buf, int buflen)
{
	char below[80] = "";
	char above[80] = "";

	if (buflen < 60)
		return NULL;
	terms(above, sizeof(above), units, 1);
	terms(below, sizeof(below), units, -1);
	if (!units->dimSpace && !units->dimTime && !units->dimCount && !units->extraUnit)
		count_name(above, sizeof(above), "", units->scaleCount);
	snprintf(buf, buflen, "%s%s%s%s", above, *above && *below ? " " : "",
		 *below ? "/ " : "", below);
	return buf;
}

/**
 * pmUnitsStr() - format units
 * @units: the units
 *
 * Return: the text, valid until this thread's next call.
 */
SHIM_API const char *pmUnitsStr(const pmUnits *units)
{
	struct shim_texts *texts = shim_texts();

	return pmUnitsStr_r(units, texts->units, sizeof(texts->units));
}
