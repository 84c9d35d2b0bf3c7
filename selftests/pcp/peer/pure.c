// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make calls that need no archive, with random arguments, and print all results.  The program is
 * built with libshim and with PCP's own library.
 *
 * usage: pure WHAT SEED TIMES
 */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "calls.h"

/* Print a number, but not the sign and payload of a NaN, which depend on the compiler. */
static void show_real(double d)
{
	if (d != d)
		printf(" nan");
	else
		printf(" %a", d);
}

/* Choose scales that do not overflow 64 bits; other scales are a documented difference. */
static pmUnits random_units(int space, int time, int count)
{
	pmUnits u = { .dimSpace = space, .dimTime = time, .dimCount = count };

	u.scaleSpace = random_below(space ? 3 : 16);
	u.scaleTime = random_below(20) ? 2 + random_below(3) : 6 + random_below(10);
	if (time < -1 || time > 1)
		u.scaleTime = PM_TIME_SEC;
	u.scaleCount = count ? (int)random_below(3) - 1 : 0;
	return u;
}

static void conv_scale(void)
{
	int space = (int)random_below(3) - 1, time = (int)random_below(4) - 2;
	int count = (int)random_below(3) - 1, type = (int)random_below(8) - 1;
	pmUnits in = random_units(space, time, count);
	pmUnits out = random_below(10) ? random_units(space, time, count) :
					 random_units(random_below(2), random_below(2), 0);
	pmAtomValue value = { .ull = 0 }, result = { .ull = 0 };
	int code;

	switch (type) {
	case PM_TYPE_FLOAT:
		value.f = (float)random_real();
		break;
	case PM_TYPE_DOUBLE:
		value.d = random_real();
		break;
	case PM_TYPE_32:
	case PM_TYPE_U32:
		value.ul = (uint32_t)random_bits() >> random_below(32);
		break;
	default:
		/* The product of the value and the multiplier must fit. */
		value.ull = random_bits() >> (50 + random_below(14));
	}
	if (type == PM_TYPE_64 && random_below(2))
		value.ll = -value.ll;
	code = pmConvScale(type, &value, &in, &result, &out);
	printf("%d", code);
	if (code == 0 && type == PM_TYPE_FLOAT)
		show_real(result.f);
	else if (code == 0 && type == PM_TYPE_DOUBLE)
		show_real(result.d);
	else if (code == 0)
		printf(" %llx", (unsigned long long)result.ull);
}

/* Return a limit of the product of the factors from and to base units, as a power of two. */
static unsigned int product_bits(const pmUnits *a, const pmUnits *b)
{
	static const unsigned int space[] = { 20, 10, 0, 10, 20, 30, 40 };
	static const unsigned int time[] = { 30, 20, 10, 0, 6, 12 };
	unsigned int bits = 0;

	if (a->dimSpace)
		bits += space[a->scaleSpace] + space[b->scaleSpace];
	if (a->dimTime)
		bits += time[a->scaleTime] + time[b->scaleTime];
	return bits + 4 * (unsigned int)(abs(a->scaleCount) + abs(b->scaleCount));
}

static void show_pair(const pmUnits *a, const pmUnits *b)
{
	unsigned int bits = product_bits(a, b);

	/* If 64 bits overflow, the original's result is arbitrary. */
	if (bits > 62)
		return;
	printf("%x %x:", a->scaleSpace << 4 | a->scaleTime, b->scaleSpace << 4 | b->scaleTime);
	for (int type = PM_TYPE_32; type <= PM_TYPE_DOUBLE; type++) {
		/* The product with the value must also fit. */
		unsigned int width = 62 - bits;
		pmAtomValue in = { .ull = 0 }, out = { .ull = 0 };
		int code;

		if (width > 31 && type < PM_TYPE_64)
			width = 31;
		if (width)
			in.ull = random_bits() >> (64 - width + random_below(width));
		if (type == PM_TYPE_FLOAT)
			in.f = (float)random_real();
		if (type == PM_TYPE_DOUBLE)
			in.d = random_real();
		code = pmConvScale(type, &in, a, &out, b);
		if (type == PM_TYPE_FLOAT)
			show_real(out.f);
		else if (type == PM_TYPE_DOUBLE)
			show_real(out.d);
		else
			printf(" %llx", (unsigned long long)out.ull);
		if (code)
			printf(" (%d)", code);
	}
	putchar(';');
}

/* Convert between all scales of space and time, with random exponents and scales of counts. */
static void conv_pairs(void)
{
	static unsigned int pair;
	int space = (int)random_below(3) - 1, time = (int)random_below(3) - 1, count = 0;
	int scale_a = 0, scale_b = 0;

	if (random_below(4) == 0) {
		count = (int)random_below(3) - 1;
		scale_a = (int)random_below(8) - 4;
		scale_b = (int)random_below(8) - 4;
	}
	for (unsigned int i = 0; i < 36; i++) {
		pmUnits a = { .dimSpace = space, .dimTime = time, .dimCount = count };
		pmUnits b = a;

		a.scaleSpace = pair % 7;
		b.scaleSpace = pair / 7 % 7;
		a.scaleTime = i % 6;
		b.scaleTime = i / 6;
		a.scaleCount = scale_a;
		b.scaleCount = scale_b;
		show_pair(&a, &b);
	}
	pair++;
}

/* Print numbers of all types, often limits, in both formats and with random widths. */
static void numbers(void)
{
	static const uint64_t limits[] = {
		0, 1, INT32_MAX, INT32_MAX + 1ull, UINT32_MAX, UINT32_MAX + 1ull, INT64_MAX,
		INT64_MAX + 1ull, UINT64_MAX,
	};
	static const double odd[] = { NAN, INFINITY, -INFINITY };
	int type = (int)random_below(6), width = (int)random_below(120) - 30;
	uint64_t bits = random_below(2) ? limits[random_below(9)] : random_bits() >> random_below(64);
	double d = random_below(8) ? random_real() : odd[random_below(3)];
	union {
		pmValueBlock block;
		char bytes[16];
	} u = { { .vlen = PM_VAL_HDR_SIZE + 8, .vtype = (unsigned int)type } };
	pmValue value = { .value.pval = &u.block };
	pmAtomValue atom = { .ull = bits };
	char text[40] = "unchanged";

	if (type == PM_TYPE_FLOAT)
		atom.f = (float)d;
	else if (type == PM_TYPE_DOUBLE)
		atom.d = d;
	if (type == PM_TYPE_FLOAT)
		u.block.vlen = PM_VAL_HDR_SIZE + 4;
	memcpy(u.block.vbuf, &atom, sizeof(atom));
	show_text(pmAtomStr_r(&atom, type, text, 1 + (int)random_below(sizeof(text))));
	show_text(pmAtomStr(&atom, type));
	putchar(' ');
	if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		value.value.lval = atom.l;
	pmPrintValue(stdout, type == PM_TYPE_32 || type == PM_TYPE_U32 ? PM_VAL_INSITU : PM_VAL_DPTR,
		     type, &value, width);
}

/* Print texts of all lengths with random widths. */
static void texts(void)
{
	static const char *const words[] = { "a", "bcd", "efghijklmnopqrstuvwxyz", "\xc3\xa4", "\"", " " };
	static union {
		pmValueBlock block;
		char bytes[600];
	} u;
	pmValue value = { .value.pval = &u.block };
	const char *text = RANDOM_TEXT(words, 12);
	pmAtomValue atom = { .cp = (char *)text };

	u.block.vtype = PM_TYPE_STRING;
	u.block.vlen = PM_VAL_HDR_SIZE + (unsigned int)strlen(text) + 1;
	strcpy(u.block.vbuf, text);
	show_text(pmAtomStr(&atom, PM_TYPE_STRING));
	putchar(' ');
	pmPrintValue(stdout, PM_VAL_DPTR, PM_TYPE_STRING, &value, (int)random_below(120) - 20);
}

static void number(void)
{
	char buf[16];
	double d = random_real();

	show_text(pmNumberStr(d));
	show_text(pmNumberStr_r(d, buf, 1 + (int)random_below(15)));
}

static void event_flags(void)
{
	int flags = (int)(random_below(4) ? random_below(64) : random_bits());
	char buf[40];

	show_text(pmEventFlagsStr(flags));
	show_text(pmEventFlagsStr_r(flags & ~4, buf, (int)random_below(40)));
}

static void units(void)
{
	static const char *const words[] = {
		"byte", "bytes", "Kbyte", "KB", "kib", "Mbytes", "gigabyte", "tebibytes", "EB",
		"zb", "yobibyte", "space-9", "space-15", "nanosec", "ns", "usec", "us",
		"milliseconds", "ms", "msec", "sec", "s", "Seconds", "min", "minute", "hour", "hr",
		"h", "time-7", "count", "counts", "count x 10", "count x 10^3", "count x 10^-4",
		"x 10^6", "^2", "^-1", "^7", "^8", "^0", "^16", "/", "/", "/", "/ ", " ", "  ",
		"\t", "1", "2", "10", "7.5", "2.5e2", ".5", "-3", "1e400", "0x1f", "0", "inf",
		"nan", "-inf", "-", "foo", "b", "m", " / sec", "^", "e", ".",
	};
	const char *text = RANDOM_TEXT(words, 6);
	char *error = NULL;
	double factor;
	pmUnits u;
	int code;

	/* The original aborts when it converts a time with dimension 0. */
	if (strcasestr(text, "time-") && strpbrk(text, "/^"))
		return;
	show_text(text);
	code = pmParseUnitsStr(text, &u, &factor, &error);
	printf(" %d %d,%d,%d %d,%d,%d", code, u.dimSpace, u.dimTime, u.dimCount, u.scaleSpace,
	       u.scaleTime, u.scaleCount);
	show_real(factor);
	if (code)
		show_text(error);
	if (code)
		free(error);
}

/* Print random units, and parse the text with pmParseUnitsStr(), which must accept it. */
static void units_again(void)
{
	char buf[64], *error = NULL;
	pmUnits u = { 0 }, back;
	double factor;

	u.dimSpace = (int)random_below(4) - 2;
	u.dimTime = (int)random_below(4) - 2;
	u.dimCount = (int)random_below(4) - 2;
	u.scaleSpace = random_below(9);
	u.scaleTime = random_below(6);
	u.scaleCount = (int)random_below(16) - 8;
	pmUnitsStr_r(&u, buf, sizeof(buf));
	printf("%d", pmParseUnitsStr(buf, &back, &factor, &error));
	show_text(buf);
	show_text(pmUnitsStr(&back));
	if (error)
		free(error);
}

/* Use numbers for which neither library's seconds overflow. */
static void interval(void)
{
	static const char *const words[] = {
		"1", "2", "10", "0", "1.5", ".25", "0.9999996", "0.9999999996", "1e3", "0x10",
		"1e40", "-1", "-", "+", "+5", "s", "sec", "secs", "second", "seconds", "ss", "m",
		"ms", "min", "mins", "minute", "h", "hr", "hrs", "hour", "HOURS", "d", "day",
		"days", "msec", "millisecond", "usec", "microseconds", "NSEC", "1nanosecond", "us",
		"week", "foo", " ", "\t", "inf", ",", "\n", ".", "1e-9", "123456789.123456789",
		"infinity", "e3", "1e", "0.0000005", "2.5e-7",
	};
	const char *text = RANDOM_TEXT(words, 6);
	struct timespec ts = { 7, 8 };
	struct timeval tv = { 7, 8 };
	char *error = NULL;
	int code = pmParseInterval(text, &tv, &error);

	show_text(text);
	printf(" %d %ld %ld", code, (long)tv.tv_sec, (long)tv.tv_usec);
	if (code)
		show_text(error);
	if (code)
		free(error);
	code = pmParseHighResInterval(text, &ts, &error);
	printf(" %d %ld %ld", code, (long)ts.tv_sec, (long)ts.tv_nsec);
	if (code)
		free(error);
}

static void strings(void)
{
	static const char *const words[] = { "a", "bcd", "\n", "", "efghijklmnop", "\xc3\xa4" };
	char buf[24] = "############", from[600];
	size_t size = 1 + random_below(sizeof(buf) - 2);
	int code;

	strcpy(from, RANDOM_TEXT(words, 4));
	code = pmstrncpy(buf, size, from);
	printf("%d", code);
	show_text(buf);
	strcpy(buf, "start");
	strcpy(from, RANDOM_TEXT(words, 4));
	code = pmstrncat(buf, 6 + size % 16, from);
	printf(" %d", code);
	show_text(buf);
	code = pmsprintf(buf, size, "%s%d", from, (int)random_below(1000) - 500);
	printf(" %d", code);
	show_text(buf);
	printf(" %zu", pmstrlen(random_below(3) ? from : NULL));
}

static void file_words(void)
{
	static const char *const words[] = {
		"a", "bcd", "\n", " ", "\t", "\r\n", "efghijklmnopqrstuvwxyzefghijklmnopqrstuvwxyz",
		"\v", "\xff",
	};
	char text[512], *word;
	ssize_t len = 0;
	FILE *f;

	strcpy(text, RANDOM_TEXT(words, 12));
	show_text(text);
	f = fmemopen(text, strlen(text) + !*text, "r");
	while (f && len >= 0) {
		word = NULL;
		len = pmfstring(f, &word);
		printf(" %zd", len);
		if (len > 0)
			show_text(word);
		free(word);
	}
	if (f)
		fclose(f);
}

static void debug_options(void)
{
	static const char *const words[] = {
		"all", "fetch", "LOG", "appl3", "dev2", "tls", "desperate", "nope", ",", ",", ",",
		",", "5", "-1", "0", "4096", "1x", "", "qa",
	};
	const int *options = (const int *)&pmDebugOptions;

	const char *text = RANDOM_TEXT(words, 5);

	show_text(text);
	printf(" %d", pmSetDebug(text));
	text = RANDOM_TEXT(words, 3);
	show_text(text);
	printf(" %d ", pmClearDebug(text));
	/* Print the debugging options that all versions of PCP have. */
	for (size_t i = 0; i <= offsetof(pmdebugoptions_t, tls) / sizeof(int); i++)
		putchar('0' + options[i]);
	pmClearDebug("all");
}

static void names(void)
{
	static const char *const words[] = { "/", "a", "bin", "pm.val", "", " " };
	static char name[600];

	strcpy(name, RANDOM_TEXT(words, 5));
	pmSetProgname(random_below(8) ? name : NULL);
	show_text(pmGetProgname());
	printf(" %c", pmPathSeparator());
}

static void metric_spec(void)
{
	static const char *const words[] = {
		"host", "metric", "sample.bin", ":", ":", "/", "arch", "@", "[", "[", "]", "]", "one",
		"two words", "\"three, four\"", ",", " ", "\\,", "\\]", "\"", "[1,2 3]", "[\"a b\"]",
		"'", "[x]", "local:", "host:m[i]", "a/b.c",
	};
	const char *text = RANDOM_TEXT(words, 6);
	int isarch = (int)random_below(3), code;
	char backslashes[] = "so\\ur\\\\ce", plain[] = "source", *error = NULL;
	char *const sources[] = { plain, backslashes, NULL }, *source = sources[random_below(3)];
	pmMetricSpec *spec = NULL;

	show_text(text);
	code = pmParseMetricSpec(text, isarch, source, &spec, &error);
	printf(" %d", code);
	if (code) {
		show_text(error);
		free(error);
		return;
	}
	printf(" %d", spec->isarch);
	show_text(spec->source ? spec->source : "no source");
	show_text(spec->metric);
	for (int i = 0; i < spec->ninst; i++)
		show_text(spec->inst[i]);
	pmFreeMetricSpec(spec);
}

/*
 * Convert every type to every other type, in place and in blocks, and with wrong lengths and types.
 */
static void extract(void)
{
	static const double odd[] = { NAN, -NAN, INFINITY, -INFINITY };
	static const unsigned int lengths[] = { 8, 8, 8, 4, 0, 3, 9, 20 };
	union {
		pmValueBlock block;
		char bytes[64];
	} u = { { .vtype = 0 } };
	int itype = (int)random_below(11), otype = (int)random_below(10), code;
	int valfmt = (int)random_below(3);
	double d = random_below(4) ? random_real() : odd[random_below(4)];
	uint64_t bits = random_bits() >> random_below(64);
	pmAtomValue out = { .ull = 7 };
	float f = (float)d;
	pmValue value;
	unsigned int length = itype == PM_TYPE_FLOAT ? 4 : 8;

	if (random_below(10) == 0)
		length = lengths[random_below(8)];
	u.block.vlen = PM_VAL_HDR_SIZE + length;
	u.block.vtype = (unsigned int)(random_below(10) ? itype : (int)random_below(10));
	if (itype == PM_TYPE_FLOAT)
		memcpy(u.block.vbuf, &f, sizeof(f));
	else if (itype == PM_TYPE_DOUBLE)
		memcpy(u.block.vbuf, &d, sizeof(d));
	else
		memcpy(u.block.vbuf, &bits, sizeof(bits));
	if (valfmt == PM_VAL_INSITU)
		memcpy(&value.value.lval, u.block.vbuf, 4);
	else
		value.value.pval = &u.block;
	code = pmExtractValue(valfmt, &value, itype, &out, otype);
	printf("%d %d %d %u %u %llx: %d", valfmt, itype, otype, u.block.vtype, length,
	       (unsigned long long)bits, code);
	if (itype == PM_TYPE_FLOAT || itype == PM_TYPE_DOUBLE)
		show_real(d);
	if (code == 0 && otype == PM_TYPE_STRING)
		show_text(out.cp);
	else if (code == 0 && otype == PM_TYPE_AGGREGATE)
		printf(" %u %u", out.vbp->vlen, out.vbp->vtype);
	else if (code == 0 && otype == PM_TYPE_FLOAT)
		show_real(out.f);
	else if (code == 0 && otype == PM_TYPE_DOUBLE)
		show_real(out.d);
	else if (code == 0)
		printf(" %llx", (unsigned long long)out.ull);
	if (code == 0 && (otype == PM_TYPE_STRING || otype == PM_TYPE_AGGREGATE))
		free(out.cp);
}

/* Print values of valid and invalid types, with valid and invalid widths. */
static void printed(void)
{
	static const int types[] = { PM_TYPE_NOSUPPORT, PM_TYPE_32, PM_TYPE_U32, -2, 99, PM_TYPE_UNKNOWN };
	static const unsigned int lengths[] = { 8, 4, 3 };
	union {
		pmValueBlock block;
		char bytes[64];
	} u = { { .vtype = 99 } };
	double d = random_below(4) ? random_real() : 1.5;
	float f = (float)d;
	pmAtomValue atom = { .ll = (int64_t)random_bits() };
	pmValue value = { .value.lval = (int)random_bits() };
	int type = types[random_below(6)], width = (int)random_below(20) - 8;
	unsigned int length = lengths[random_below(3)];
	char text[100];

	printf("%d %d %d: %s ", type, width, value.value.lval, pmAtomStr_r(&atom, type, text, sizeof(text)));
	pmPrintValue(stdout, PM_VAL_INSITU, type >= 99 ? -1 : type, &value, width);
	u.block.vlen = PM_VAL_HDR_SIZE + length;
	memcpy(u.block.vbuf, length == 4 ? (void *)&f : &d, length);
	value.value.pval = &u.block;
	putchar(' ');
	pmPrintValue(stdout, PM_VAL_DPTR, -1, &value, width);
}

/* Format counts of events and the numbers of domains, which may be invalid. */
static void signs(void)
{
	union {
		pmValueBlock block;
		char bytes[8];
	} u = { { .vlen = sizeof(u), .vtype = PM_TYPE_EVENT } };
	pmAtomValue atom = { .vbp = &u.block };
	char json[] = "{}";
	pmLabelSet set = { .json = json, .jsonlen = 2 };
	int count = (int)random_bits() >> random_below(32);

	memcpy(u.block.vbuf, &count, sizeof(count));
	show_text(pmAtomStr(&atom, PM_TYPE_EVENT + (int)random_below(2)));
	pmPrintLabelSets(stdout, count, PM_LABEL_DOMAIN, &set, 1);
}

/* Format identifiers of all kinds, also in buffers that are too small, and error codes. */
static void identifiers(void)
{
	pmID pmid = random_below(4) ? (pmID)random_bits() : 511u << 22 | random_below(4096) << 10;
	pmInDom indom = random_below(9) ? (pmInDom)random_bits() : PM_INDOM_NULL;
	int size = random_below(3) ? 30 : 1 + (int)random_below(30), code = (int)random_below(200);
	char buf[128];

	/* A metric identifier has no 32nd bit, except in PM_ID_NULL. */
	show_text(pmIDStr_r(random_below(9) ? pmid & 0x7fffffff : PM_ID_NULL, buf, size));
	show_text(pmInDomStr_r(indom == PM_INDOM_NULL ? indom : indom & 0x7fffffff, buf, size));
	show_text(pmTypeStr_r((int)random_below(16) - 3, buf, size));
	show_text(pmSemStr_r((int)random_below(6) - 1, buf, size));
	/* Newer C libraries have texts for larger error numbers. */
	show_text(pmErrStr_r(random_below(2) ? -code % 134 : -PM_ERR_BASE - code, buf, sizeof(buf)));
}

/* Print times in the C library's zone and in others. */
static void times_of_day(void)
{
	static const char *const zones[] = { "UTC", "EST5EDT", "Asia/Kolkata" };
	time_t t = (time_t)(random_bits() >> (26 + random_below(30)));
	struct timespec ts = { t, random_below(1000000000) };
	struct timeval tv = { t, random_below(1000000) };
	char buf[32];

	if (random_below(4) == 0)
		pmNewZone(zones[random_below(3)]);
	pmPrintStamp(stdout, &tv);
	putchar(' ');
	pmPrintHighResStamp(stdout, &ts);
	if (t < 253402000000)	/* PCP's library returns an undefined text for years of five digits. */
		show_text(pmCtime(&t, buf));
}

static const struct call calls[] = {
	{ "convscale", conv_scale },
	{ "convpairs", conv_pairs },
	{ "number", number },
	{ "numbers", numbers },
	{ "texts", texts },
	{ "eventflags", event_flags },
	{ "units", units },
	{ "unitsagain", units_again },
	{ "interval", interval },
	{ "identifiers", identifiers },
	{ "times", times_of_day },
	{ "strings", strings },
	{ "words", file_words },
	{ "debug", debug_options },
	{ "names", names },
	{ "metricspec", metric_spec },
	{ "extract", extract },
	{ "printed", printed },
	{ "signs", signs },
};

int main(int argc, char **argv)
{
	return MAKE_CALLS(argc, argv, calls);
}
