// SPDX-License-Identifier: LGPL-2.1-or-later
/* Format types, semantics and units as text, and convert values of extra units. */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "archive/types.h"
#include "base/text.h"
#include "texts.h"
#include "units.h"

_Static_assert(PM_TYPE_NOSUPPORT == SHIM_TYPE_NOSUPPORT && PM_TYPE_32 == SHIM_TYPE_32 &&
	       PM_TYPE_U32 == SHIM_TYPE_U32 && PM_TYPE_64 == SHIM_TYPE_64 &&
	       PM_TYPE_U64 == SHIM_TYPE_U64 && PM_TYPE_FLOAT == SHIM_TYPE_FLOAT &&
	       PM_TYPE_DOUBLE == SHIM_TYPE_DOUBLE && PM_TYPE_STRING == SHIM_TYPE_STRING &&
	       PM_TYPE_AGGREGATE == SHIM_TYPE_AGGREGATE &&
	       PM_TYPE_AGGREGATE_STATIC == SHIM_TYPE_AGGREGATE_STATIC &&
	       PM_TYPE_EVENT == SHIM_TYPE_EVENT &&
	       PM_TYPE_HIGHRES_EVENT == SHIM_TYPE_HIGHRES_EVENT, "types are those on disk");

_Static_assert(PM_SEM_COUNTER == SHIM_SEM_COUNTER && PM_SEM_INSTANT == SHIM_SEM_INSTANT &&
	       PM_SEM_DISCRETE == SHIM_SEM_DISCRETE, "semantics must equal those on disk");

#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

/* @per is the number of units of this scale that equal one base unit; 0 for a temperature. */
struct scale {
	const char *name;
	double per;
};

static const struct {
	const char *name;
	struct scale scales[SHIM_EXTRA_SCALES];
} extras[SHIM_EXTRA_UNITS] = {
	[PM_UNIT_TEMPERATURE] = { "temperature", {
		[PM_TEMPERATURE_C] = { "C", 0 },
		[PM_TEMPERATURE_F] = { "F", 0 },
		[PM_TEMPERATURE_K] = { "K", 0 } } },
	[PM_UNIT_VOLTAGE] = { "voltage", {
		[PM_VOLTAGE_V] = { "V", 1 },
		[PM_VOLTAGE_mV] = { "mV", 1e3 },
		[PM_VOLTAGE_uV] = { "uV", 1e6 } } },
	[PM_UNIT_CURRENT] = { "current", {
		[PM_CURRENT_A] = { "A", 1 },
		[PM_CURRENT_mA] = { "mA", 1e3 },
		[PM_CURRENT_uA] = { "uA", 1e6 } } },
	[PM_UNIT_POWER] = { "power", {
		[PM_POWER_kW] = { "kW", 1 },
		[PM_POWER_W] = { "W", 1e3 },
		[PM_POWER_mW] = { "mW", 1e6 },
		[PM_POWER_uW] = { "uW", 1e9 } } },
};

/* Return NULL if @unit is unknown.  @unit must be positive. */
static const char *extra_unit(int unit)
{
	return unit > 0 && unit < SHIM_EXTRA_UNITS ? extras[unit].name : NULL;
}

static const char *extra_scale(int unit, unsigned int scale)
{
	return extra_unit(unit) && scale < SHIM_EXTRA_SCALES ? extras[unit].scales[scale].name :
							       NULL;
}

/*
 * Match "(mW)", ignoring case.  A capital M is mega, which no scale has.  Return the end, or NULL.
 */
static const char *match_scale(const char *text, const char *name)
{
	size_t len = strlen(name);

	if (text[0] != '(' || strncasecmp(text + 1, name, len) || text[1 + len] != ')')
		return NULL;
	if (name[0] == 'm' && text[1] == 'M')
		return NULL;
	return text + len + 2;
}

const char *shim_extra__parse(const char *text, int *unit, unsigned int *scale)
{
	for (int u = 1; u < SHIM_EXTRA_UNITS; u++) {
		size_t len = strlen(extras[u].name);

		if (strncasecmp(text, extras[u].name, len) || text[len] != ' ')
			continue;
		for (unsigned int s = 0; s < SHIM_EXTRA_SCALES; s++) {
			const char *name = extras[u].scales[s].name;
			const char *end = name ? match_scale(text + len + 1, name) : NULL;

			if (!end)
				continue;
			*unit = u;
			*scale = s;
			return end;
		}
	}
	return NULL;
}

bool shim_extra__convertible(const pmUnits *from, const pmUnits *to)
{
	if (from->extraUnit == 0 || from->extraScale == to->extraScale)
		return true;
	return extra_scale(from->extraUnit, from->extraScale) &&
	       extra_scale(to->extraUnit, to->extraScale);
}

/* Convert through Celsius, as in the original, so that results are the same. */
static double convert_temperature(double value, unsigned int from, unsigned int to)
{
	if (from == PM_TEMPERATURE_F)
		value = (value - 32) * 5 / 9;
	else if (from == PM_TEMPERATURE_K)
		value -= 273.15;
	if (to == PM_TEMPERATURE_F)
		return value * 9 / 5 + 32;
	return to == PM_TEMPERATURE_K ? value + 273.15 : value;
}

double shim_extra__convert(double value, const pmUnits *from, const pmUnits *to)
{
	const struct scale *scales = extras[from->extraUnit].scales;
	double a = scales[from->extraScale].per, b = scales[to->extraScale].per;

	if (from->extraUnit == PM_UNIT_TEMPERATURE)
		return convert_temperature(value, from->extraScale, to->extraScale);
	return b > a ? value * (b / a) : value / (a / b);
}

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

static const char *name_in(const char *const *names, unsigned int n, int i)
{
	return i >= 0 && (unsigned int)i < n && names[i] ? names[i] : "???";
}

/*
 * pmTypeStr() and pmSemStr() return constants rather than a buffer: programs print two of their
 * results in one call, which works with PCP's library.
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
	shim_text__put(buf, buflen, pmTypeStr(type));
	return buf;
}

SHIM_API const char *pmSemStr(int sem)
{
	return name_in(sem_names, LENGTH(sem_names), sem);
}

SHIM_API char *pmSemStr_r(int sem, char *buf, int buflen)
{
	shim_text__put(buf, buflen, pmSemStr(sem));
	return buf;
}

static void add_scale(struct shim_text *t, const char *const *names, unsigned int n,
		      const char *dimension, unsigned int scale)
{
	if (scale < n) {
		shim_text__add(t, names[scale]);
	} else {
		shim_text__add(t, dimension);
		shim_text__number(t, scale);
	}
}

static void add_count(struct shim_text *t, const char *what, int scale)
{
	shim_text__add(t, what);
	if (!scale)
		return;
	shim_text__add(t, *what ? " x 10" : "x 10");
	if (scale != 1) {
		shim_text__add(t, "^");
		shim_text__number(t, scale);
	}
}

static void add_extra(struct shim_text *t, const pmUnits *u)
{
	int unit = u->extraUnit < 0 ? -u->extraUnit : u->extraUnit;
	const char *name = extra_unit(unit), *scale = extra_scale(unit, u->extraScale);

	if (!name) {
		shim_text__add(t, "extra-");
		shim_text__number(t, unit);
		return;
	}
	shim_text__add(t, name);
	shim_text__add(t, scale ? " (" : " (scale-");
	if (scale)
		shim_text__add(t, scale);
	else
		shim_text__number(t, u->extraScale);
	shim_text__add(t, ")");
}

static void add_exponent(struct shim_text *t, int exponent)
{
	if (exponent == 1)
		return;
	shim_text__add(t, "^");
	shim_text__number(t, exponent);
}

/* Add @blank before the first term, and a blank before each other one. */
static void begin_term(struct shim_text *t, const char **blank)
{
	shim_text__add(t, *blank);
	*blank = " ";
}

/*
 * Add the terms above the slash (positive dimension) or, with a negative @sign, the terms below it.
 */
static void add_terms(struct shim_text *t, const char *blank, const pmUnits *u, int sign)
{
	if (u->extraUnit * sign > 0) {
		begin_term(t, &blank);
		add_extra(t, u);
	}
	if (u->dimSpace * sign > 0) {
		begin_term(t, &blank);
		add_scale(t, space_names, LENGTH(space_names), "space-", u->scaleSpace);
		add_exponent(t, u->dimSpace * sign);
	}
	if (u->dimTime * sign > 0) {
		begin_term(t, &blank);
		add_scale(t, time_names, LENGTH(time_names), "time-", u->scaleTime);
		add_exponent(t, u->dimTime * sign);
	}
	if (u->dimCount * sign > 0) {
		begin_term(t, &blank);
		add_count(t, "count", u->scaleCount);
		add_exponent(t, u->dimCount * sign);
	}
}

/**
 * pmUnitsStr_r() - format units, such as "Kbyte / sec"
 * @units: the units
 * @buf: buffer of @buflen bytes
 * @buflen: at least 60; with an extra unit in the text at most 79 bytes are used
 *
 * Return: @buf, or NULL if @buflen is too small.
 */
SHIM_API char *pmUnitsStr_r(const pmUnits *units, char *buf, int buflen)
{
	struct shim_text text;

	if (buflen < 60)
		return NULL;
	text = shim_text__in(buf, buflen);
	add_terms(&text, "", units, 1);
	add_terms(&text, *buf ? " / " : "/ ", units, -1);
	if (!units->dimSpace && !units->dimTime && !units->dimCount && !units->extraUnit)
		add_count(&text, "", units->scaleCount);
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
