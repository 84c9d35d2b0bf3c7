// SPDX-License-Identifier: GPL-2.0-or-later
/* Format a value with its unit: "12.34 ms", "2.1 M", "1500". */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "value.h"

struct unit {
	double from;
	const char *name;
};

static const struct unit times[] = { { 1, " s" }, { 1e-3, " ms" }, { 1e-6, " us" }, { 0, " ns" } };
static const struct unit numbers[] = { { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" }, { 0, "" } };

/*
 * Return the largest unit in which @v is at least 1 after rounding; for example, 999.6 us are 1 ms.
 */
static const struct unit *unit_of(const struct unit *units, double v, int digits)
{
	double rounded = 1 - 0.5 * pow(10, -digits);

	while (fabs(v) < units->from * rounded)
		units++;
	return units;
}

/* Write @v with @digits significant digits, but never with an exponent. */
static void number_put(char *buf, size_t size, double v, int digits, const char *unit)
{
	if (fabs(v) < pow(10, digits) - 0.5)
		snprintf(buf, size, "%.*g%s", digits, v, unit);
	else
		snprintf(buf, size, "%.0f%s", v, unit);
}

void vcpc_value_zero(char *text)
{
	if (*text == '-' && text[1] && !text[1 + strspn(text + 1, "0.")])
		memmove(text, text + 1, strlen(text));
}

void vcpc_value_text(char *buf, size_t size, double v, bool seconds, int digits)
{
	const struct unit *u = unit_of(seconds ? times : numbers, v, seconds ? digits : digits + 1);

	if (!isfinite(v))
		snprintf(buf, size, "-");
	else if (v == 0)
		snprintf(buf, size, seconds ? "0 s" : "0");
	else if (seconds)
		number_put(buf, size, v / (u->from > 0 ? u->from : 1e-9), digits, u->name);
	else if (v == round(v) && fabs(v) < 1e6)
		snprintf(buf, size, "%.0f", v);
	else
		snprintf(buf, size, "%.*g%s", digits + 1, v / (u->from > 0 ? u->from : 1), u->name);
}

bool vcpc_is_clock(const char *event)
{
	size_t len = !strncmp(event, "task", 4) ? 4 : !strncmp(event, "cpu", 3) ? 3 : 0;

	return len && event[len] && strchr("-_", event[len]) && !strncmp(event + len + 1, "clock", 5) &&
	       strchr(":_", event[len + 6]);
}
