/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Format a value with its unit: "12.34 ms", "2.1 M", "1500". */
#ifndef VCPC_VALUE_H
#define VCPC_VALUE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Write a time with @digits significant digits and its unit, or a number with one more digit and its
 * prefix.  Whole numbers below a million are exact.
 */
void vcpc_value_text(char *buf, size_t size, double v, bool seconds, int digits);
/*
 * Remove the sign of a number that was rounded to zero, such as "-0.000".  A single "-" is not a
 * number.
 */
void vcpc_value_zero(char *text);
/* Return whether an event, or its metric, counts nanoseconds, such as task-clock and cpu_clock_u. */
bool vcpc_is_clock(const char *event);

#endif /* VCPC_VALUE_H */
