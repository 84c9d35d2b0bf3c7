// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Build and split identifiers of metrics and instance domains.  Format identifiers, numbers, and
 * the flags of event records as short texts.
 */
#include <langinfo.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "archive/types.h"
#include "base/text.h"
#include "texts.h"

_Static_assert(PM_INDOM_NULL == SHIM_INDOM_NULL, "null instance domain");
_Static_assert((int)PM_IN_NULL == SHIM_IN_NULL, "null instance");

#define FLAGS_TEXT	26	/* the size that PCP's library requires; all flags need one more */
#define LENGTH(a) (sizeof(a) / sizeof((a)[0]))

SHIM_API pmID pmID_build(unsigned int domain, unsigned int cluster, unsigned int item)
{
	return (domain & 0x1ff) << 22 | (cluster & 0xfff) << 10 | (item & 0x3ff);
}

SHIM_API unsigned int pmID_domain(pmID pmid)
{
	return pmid >> 22 & 0x1ff;
}

SHIM_API unsigned int pmID_cluster(pmID pmid)
{
	return pmid >> 10 & 0xfff;
}

SHIM_API unsigned int pmID_item(pmID pmid)
{
	return pmid & 0x3ff;
}

SHIM_API pmInDom pmInDom_build(unsigned int domain, unsigned int serial)
{
	return (domain & 0x1ff) << 22 | (serial & 0x3fffff);
}

SHIM_API unsigned int pmInDom_domain(pmInDom indom)
{
	return indom >> 22 & 0x1ff;
}

SHIM_API unsigned int pmInDom_serial(pmInDom indom)
{
	return indom & 0x3fffff;
}

/**
 * pmIDStr_r() - format a metric identifier
 * @pmid: the identifier
 * @buf: buffer of @buflen bytes; 20 are always enough
 * @buflen: at least 1
 *
 * Return: @buf.
 */
SHIM_API char *pmIDStr_r(pmID pmid, char *buf, int buflen)
{
	struct shim_text text = shim_text__in(buf, buflen);

	if (pmid == PM_ID_NULL) {
		shim_text__add(&text, "PM_ID_NULL");
	} else if (IS_DYNAMIC_ROOT(pmid)) {
		shim_text__number(&text, pmID_cluster(pmid));
		shim_text__add(&text, ".*.*");
	} else {
		shim_text__number(&text, pmID_domain(pmid));
		shim_text__add(&text, ".");
		shim_text__number(&text, pmID_cluster(pmid));
		shim_text__add(&text, ".");
		shim_text__number(&text, pmID_item(pmid));
	}
	return buf;
}

SHIM_API const char *pmIDStr(pmID pmid)
{
	struct shim_texts *texts = shim_texts();

	return pmIDStr_r(pmid, texts->pmid, sizeof(texts->pmid));
}

/**
 * pmInDomStr_r() - format an instance domain identifier
 * @indom: the identifier
 * @buf: buffer of @buflen bytes; 20 are always enough
 * @buflen: at least 1
 *
 * Return: @buf.
 */
SHIM_API char *pmInDomStr_r(pmInDom indom, char *buf, int buflen)
{
	struct shim_text text = shim_text__in(buf, buflen);

	if (indom == PM_INDOM_NULL) {
		shim_text__add(&text, "PM_INDOM_NULL");
	} else {
		shim_text__number(&text, pmInDom_domain(indom));
		shim_text__add(&text, ".");
		shim_text__number(&text, pmInDom_serial(indom));
	}
	return buf;
}

SHIM_API const char *pmInDomStr(pmInDom indom)
{
	struct shim_texts *texts = shim_texts();

	return pmInDomStr_r(indom, texts->indom, sizeof(texts->indom));
}

static const struct {
	double unit;
	char suffix;
} magnitudes[] = {
	{ 1, ' ' }, { 1e3, 'K' }, { 1e6, 'M' }, { 1e9, 'G' }, { 1e12, 'T' },
};

/*
 * Return a number in hundredths, rounded like printf(3).  If the product is halfway between two
 * integers only because it was itself rounded, the error of the product decides.
 */
static uint64_t hundredths(double v)
{
	double product = v * 100, whole = rint(product), rest = product - whole;

	if (fabs(rest) == 0.5 && rest * fma(v, 100, -product) > 0)
		whole += 2 * rest;
	return (uint64_t)whole;
}

/* Format like printf("%6.2f"), but faster */
static void put_fixed(struct shim_text *t, double v)
{
	const char *point = nl_langinfo(RADIXCHAR);
	char text[SHIM_DECIMAL_ROOM + 4], *at = text;
	uint64_t n = hundredths(fabs(v));
	size_t len, point_len = strlen(point);

	if (v < 0)
		*at++ = '-';
	at += shim_decimal__unsigned(at, n / 100);
	len = (size_t)(at - text) + point_len + 2;
	if (len < 6)
		shim_text__bytes(t, "      ", 6 - len);
	shim_text__bytes(t, text, (size_t)(at - text));
	shim_text__bytes(t, point, point_len);
	shim_text__bytes(t, (const char[]){ '0' + n / 10 % 10, '0' + n % 10 }, 2);
}

/**
 * pmNumberStr_r() - format a number in seven characters
 * @value: a number
 * @buf: @buflen bytes
 * @buflen: 8 for the whole text; it is truncated if there is less space
 *
 * Return: @buf.
 */
SHIM_API char *pmNumberStr_r(double value, char *buf, int buflen)
{
	/* A sign takes the place of a digit. */
	double limit = value < 0 ? 99.995 : 999.995, size = fabs(value);
	struct shim_text text = shim_text__in(buf, buflen);

	/* NaN, and values that round to zero, are printed as zero without a sign */
	if (isnan(value) || (value < 0 && value > -0.005) || value == 0)
		value = size = 0;
	for (unsigned int i = 0; i < LENGTH(magnitudes); i++) {
		if (size >= limit * magnitudes[i].unit)
			continue;
		put_fixed(&text, value / magnitudes[i].unit);
		shim_text__bytes(&text, &magnitudes[i].suffix, 1);
		return buf;
	}
	shim_text__add(&text, value < 0 ? "-inf?  " : " inf?  ");
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
 * Return: @buf, or NULL if @buflen is too small.
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
