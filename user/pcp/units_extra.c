// SPDX-License-Identifier: LGPL-2.1-or-later
/* Extra units: their names, and conversion between their scales. */
#include <string.h>
#include <strings.h>

#include "units_extra.h"

/* @per: how many units of this scale equal one base unit; 0 for a temperature */
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

const char *shim_extra__unit(int unit)
{
	return unit > 0 && unit < SHIM_EXTRA_UNITS ? extras[unit].name : NULL;
}

const char *shim_extra__scale(int unit, unsigned int scale)
{
	return shim_extra__unit(unit) && scale < SHIM_EXTRA_SCALES ? extras[unit].scales[scale].name : NULL;
}

/*
 * Match "(mW)", ignoring case.  A capital M is mega, which no scale has.  Returns the end, or NULL.
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
	return shim_extra__scale(from->extraUnit, from->extraScale) &&
	       shim_extra__scale(to->extraUnit, to->extraScale);
}

/* All conversions go through Celsius, as in the original, so results are the same. */
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
