// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints a value with its unit: "12.34 ms", "2.1 M", "1500". */
#include <math.h>
#include <stdio.h>

#include "value.h"

struct unit {
	double from;
	const char *name;
};

static const struct unit times[] = { { 1, " s" }, { 1e-3, " ms" }, { 1e-6, " us" }, { 0, " ns" } };
static const struct unit numbers[] = { { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" }, { 0, "" } };

static const struct unit *unit_of(const struct unit *units, double v)
{
	while (fabs(v) < units->from)
		units++;
	return units;
}

/* @v with @digits significant digits, but never with an exponent */
static void put(char *buf, size_t size, double v, int digits, const char *unit)
{
	if (fabs(v) < pow(10, digits) - 0.5)
		snprintf(buf, size, "%.*g%s", digits, v, unit);
	else
		snprintf(buf, size, "%.0f%s", v, unit);
}

void vcpc_value_text(char *buf, size_t size, double v, bool seconds, int digits)
{
	const struct unit *u = unit_of(seconds ? times : numbers, v);

	if (!isfinite(v))
		snprintf(buf, size, "-");
	else if (v == 0)
		snprintf(buf, size, seconds ? "0 s" : "0");
	else if (seconds)
		put(buf, size, v / (u->from > 0 ? u->from : 1e-9), digits, u->name);
	else if (v == round(v) && fabs(v) < 1e6)
		snprintf(buf, size, "%.0f", v);
	else
		snprintf(buf, size, "%.*g%s", digits + 1, v / (u->from > 0 ? u->from : 1), u->name);
}
