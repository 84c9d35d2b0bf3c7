// SPDX-License-Identifier: LGPL-2.1-or-later
/* Format numbers and the flags of event records as short texts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "texts.h"

#define FLAGS_TEXT	26	/* the size that PCP's library requires; all flags need one more */
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	double unit;
	char suffix;
} magnitudes[] = {
	{ 1, ' ' }, { 1e3, 'K' }, { 1e6, 'M' }, { 1e9, 'G' }, { 1e12, 'T' },
};

/**
 * pmNumberStr_r() - format a number in seven characters
 * @value: a number
 * @buf: @buflen bytes
 * @buflen: 8 for the whole text; it is truncated if there is less room
 *
 * Return: @buf.
 */
SHIM_API char *pmNumberStr_r(double value, char *buf, int buflen)
{
	/* a sign takes the place of a digit */
	double limit = value < 0 ? 99.995 : 999.995, size = fabs(value);

	/* NaN, and values that round to zero, are printed as zero without a sign */
	if (isnan(value) || (value < 0 && value > -0.005) || value == 0)
		value = size = 0;
	for (unsigned int i = 0; i < LENGTH(magnitudes); i++) {
		if (size >= limit * magnitudes[i].unit)
			continue;
		snprintf(buf, buflen, "%6.2f%c", value / magnitudes[i].unit, magnitudes[i].suffix);
		return buf;
	}
	snprintf(buf, buflen, "%s", value < 0 ? "-inf?  " : " inf?  ");
	return buf;
}

/**
 * pmNumberStr() - format a number in seven characters
 * @value: a number
 *
 * Return: the text, valid until this thread's next call.
 */
SHIM_API const char *pmNumberStr(double value)
{
	struct shim_texts *texts = shim_texts();

	return pmNumberStr_r(value, texts->number, sizeof(texts->number));
}

static const struct {
	unsigned int flag;
	const char *name;
} flag_names[] = {
	{ PM_EVENT_FLAG_POINT, "point" },
	{ PM_EVENT_FLAG_START, "start" },
	{ PM_EVENT_FLAG_END, "end" },
	{ PM_EVENT_FLAG_ID, "id" },
	{ PM_EVENT_FLAG_PARENT, "parent" },
};

/**
 * pmEventFlagsStr_r() - format the flags of an event record
 * @flags: PM_EVENT_FLAG_x, ORed
 * @buf: @buflen bytes
 * @buflen: at least 26; 27 for all flags at once
 *
 * Return: @buf, or NULL if it is too small.
 */
SHIM_API char *pmEventFlagsStr_r(int flags, char *buf, int buflen)
{
	size_t len = 0;

	if (buflen < FLAGS_TEXT)
		return NULL;
	*buf = '\0';
	if ((unsigned int)flags & PM_EVENT_FLAG_MISSED) {
		snprintf(buf, buflen, "missed");
		return buf;
	}
	for (unsigned int i = 0; i < LENGTH(flag_names); i++) {
		if (!((unsigned int)flags & flag_names[i].flag))
			continue;
		snprintf(buf + len, buflen - len, "%s%s", len ? "," : "", flag_names[i].name);
		len = strlen(buf);
	}
	return buf;
}

/**
 * pmEventFlagsStr() - format the flags of an event record
 * @flags: PM_EVENT_FLAG_x, ORed
 *
 * Return: the text, valid until this thread's next call.
 */
SHIM_API const char *pmEventFlagsStr(int flags)
{
	struct shim_texts *texts = shim_texts();

	return pmEventFlagsStr_r(flags, texts->flags, sizeof(texts->flags));
}
