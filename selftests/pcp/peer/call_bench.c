// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure calls that need no archive.  The program is built with libshim and with PCP's own
 * library; selftests/bench/archive.sh runs both alternately.
 *
 * usage: call_bench WHAT [ROUNDS]
 *
 * Print the CPU seconds per call, the number of calls, the peak memory in kB, and a checksum of
 * all results, which must be equal in both builds.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <pcp/pmapi.h>

#define LENGTH(a)	(sizeof(a) / sizeof((a)[0]))
#define ROUNDS		20000

static uint64_t sum;
static bool measured;

static double now(void)
{
	struct timespec t;

	/* Measure CPU time, because the machine is shared. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static void add(uint64_t value)
{
	sum = sum * 31 + value;
}

/* Add a text; during the measurement only its start, because the sum must cost little. */
static void add_text(const char *s)
{
	do
		add((unsigned char)*s);
	while (*s++ && !measured);
}

/* Add the error text of a failed call, and free it. */
static void add_error(int code, char *error)
{
	add((uint64_t)code);
	if (!code)
		return;
	add_text(error);
	free(error);
}

#define SPACE(scale)	{ .dimSpace = 1, .scaleSpace = (scale) }
#define TIME(scale)	{ .dimTime = 1, .scaleTime = (scale) }
#define COUNT(scale)	{ .dimCount = 1, .scaleCount = (scale) }
#define SPEED(space, time) \
	{ .dimSpace = 1, .dimTime = -1, .scaleSpace = (space), .scaleTime = (time) }
#define RATE(scale, time) \
	{ .dimCount = 1, .dimTime = -1, .scaleCount = (scale), .scaleTime = (time) }

static const pmUnits pairs[][2] = {
	{ SPACE(PM_SPACE_BYTE), SPACE(PM_SPACE_KBYTE) },
	{ SPACE(PM_SPACE_KBYTE), SPACE(PM_SPACE_MBYTE) },
	{ SPACE(PM_SPACE_GBYTE), SPACE(PM_SPACE_BYTE) },
	{ TIME(PM_TIME_MSEC), TIME(PM_TIME_SEC) },
	{ TIME(PM_TIME_HOUR), TIME(PM_TIME_USEC) },
	{ COUNT(0), COUNT(3) },
	{ COUNT(0), COUNT(0) },
	{ SPEED(PM_SPACE_BYTE, PM_TIME_SEC), SPEED(PM_SPACE_MBYTE, PM_TIME_SEC) },
	{ SPEED(PM_SPACE_KBYTE, PM_TIME_MSEC), SPEED(PM_SPACE_BYTE, PM_TIME_MIN) },
	{ RATE(0, PM_TIME_SEC), RATE(0, PM_TIME_MIN) },
};

static long conv_scale(void)
{
	pmAtomValue in, out = { .ull = 0 };
	long n = 0;

	for (size_t i = 0; i < LENGTH(pairs); i++) {
		for (int type = PM_TYPE_32; type <= PM_TYPE_DOUBLE; type++, n++) {
			in.ull = 1234567;
			if (type == PM_TYPE_FLOAT)
				in.f = 1234.5f;
			else if (type == PM_TYPE_DOUBLE)
				in.d = 1234.5;
			add((uint64_t)pmConvScale(type, &in, &pairs[i][0], &out, &pairs[i][1]));
			add(type == PM_TYPE_64 || type == PM_TYPE_U64 || type == PM_TYPE_DOUBLE ?
			    out.ull : out.ul);
		}
	}
	return n;
}

/* The options -S, -T, -A and -O of PCP's tools */
static const char *const windows[][4] = {
	{ NULL, NULL, NULL, NULL },
	{ "5min", "+1hour", NULL, NULL },
	{ "-30min", "-1min", "10min", NULL },
	{ "1hour 30min", NULL, "5min", "2hour" },
	{ "@ 14:00", "@ 15:30", NULL, NULL },
	{ "@Mon Sep 14 10:00:00 2020", "@Mon Sep 14 11:30:00 2020", NULL, NULL },
	{ "@Sep 14 10:00", "@Sep 14 11:00", "1min", NULL },
	{ "2020-09-14 10:00", "2020-09-14 11:30:30", NULL, NULL },
	{ "@2020-09-14 10:00", NULL, "1hour", NULL },
	{ "2 hours ago", NULL, NULL, NULL },
	{ "@yesterday 10:00", NULL, NULL, NULL },
	{ "5mins", "foo", NULL, NULL },
};

static long parse_window(void)
{
	static const struct timeval from = { 1600000000, 500000 }, to = { 1600100000, 250000 };

	for (size_t i = 0; i < LENGTH(windows); i++) {
		const char *const *w = windows[i];
		struct timeval v[3] = { { 0, 0 } };
		char *error = NULL;
		int code = pmParseTimeWindow(w[0], w[1], w[2], w[3], &from, &to, &v[0], &v[1],
					     &v[2], &error);

		add((uint64_t)code);
		for (int j = 0; j < 3 && code >= 0; j++)
			add((uint64_t)v[j].tv_sec * 1000000 + (uint64_t)v[j].tv_usec);
		if (code < 0) {
			add_text(error);
			free(error);
		}
	}
	return LENGTH(windows);
}

static long parse_metric_spec(void)
{
	static const char *const specs[] = {
		"sample.bin", "kernel.all.load[1 minute]", "disk.dev.read[sda,sdb,sdc]",
		"host.example.com:mem.util.free", "/var/log/pcp/archive/mem.util.free",
		"proc.psinfo.rss[\"000001 init\", \"000002 kthreadd\"]",
		"  local:network.interface.in.bytes [ eth0 , lo ]  ", "hinv.ncpu[",
	};

	for (size_t i = 0; i < LENGTH(specs); i++) {
		char source[] = "localhost", *error = NULL;
		pmMetricSpec *spec = NULL;
		int code = pmParseMetricSpec(specs[i], 0, source, &spec, &error);

		add_error(code, error);
		if (code)
			continue;
		add_text(spec->source);
		add_text(spec->metric);
		for (int j = 0; j < spec->ninst; j++)
			add_text(spec->inst[j]);
		pmFreeMetricSpec(spec);
	}
	return LENGTH(specs);
}

static long parse_interval(void)
{
	static const char *const texts[] = {
		"1", "10sec", "1.5", "250msec", "5min", "1hour 30min", "2 days", "1day 2hours 3mins",
		"0.25 seconds", "10x",
	};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		struct timeval tv = { 0, 0 };
		char *error = NULL;
		int code = pmParseInterval(texts[i], &tv, &error);

		add_error(code, error);
		add((uint64_t)tv.tv_sec * 1000000 + (uint64_t)tv.tv_usec);
	}
	return LENGTH(texts);
}

static long parse_units(void)
{
	static const char *const texts[] = {
		"Kbyte", "byte / sec", "2 Mbytes / sec", "count", "count / sec", "millisec",
		"microseconds / count", "100 counts / hour", "Gbyte^2 / min", "count x 10^3",
		"nanosec", "furlongs",
	};

	for (size_t i = 0; i < LENGTH(texts); i++) {
		pmUnits units;
		double factor;
		char *error = NULL;
		int code = pmParseUnitsStr(texts[i], &units, &factor, &error);

		add_error(code, error);
		add((uint64_t)units.dimSpace * 7 + (uint64_t)units.dimTime + units.scaleSpace * 16 +
		    units.scaleTime);
		add((uint64_t)(factor * 1e6));
	}
	return LENGTH(texts);
}

static const double reals[] = {
	0, 1, -1, 0.5, 0.1, 3.14159265358979, 12345.678, 1e-3, 1.5e9, 123456789012345678.0, 1e-7,
	6.02214076e23, 99.99999999999999, 1048576, -273.15, 1e100,
};

static const int64_t integers[] = {
	0, 1, -1, 42, 1000, 65536, 123456789, -98765, 2147483647, 1099511627776, 1600000000000000000,
};

static union {
	pmValueBlock block;
	char bytes[64];
} room;

/* Store a value of this type in a result's value.  Return its format. */
static int make_value(int type, size_t i, pmValue *value)
{
	double d = reals[i % LENGTH(reals)];
	int64_t n = integers[i % LENGTH(integers)];
	float f = (float)d;

	value->value.pval = &room.block;
	room.block.vtype = (unsigned int)type;
	room.block.vlen = PM_VAL_HDR_SIZE + 8;
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		value->value.lval = (int)n;
		return PM_VAL_INSITU;
	case PM_TYPE_64:
	case PM_TYPE_U64:
		memcpy(room.block.vbuf, &n, sizeof(n));
		return PM_VAL_DPTR;
	case PM_TYPE_DOUBLE:
		memcpy(room.block.vbuf, &d, sizeof(d));
		return PM_VAL_DPTR;
	case PM_TYPE_FLOAT:
		room.block.vlen = PM_VAL_HDR_SIZE + sizeof(f);
		memcpy(room.block.vbuf, &f, sizeof(f));
		return PM_VAL_DPTR;
	}
	memcpy(room.block.vbuf, "a text", 7);
	return PM_VAL_DPTR;
}

static FILE *sink;

static long print_value(void)
{
	long n = 0;

	for (int type = PM_TYPE_32; type <= PM_TYPE_STRING; type++) {
		for (size_t i = 0; i < LENGTH(reals); i++, n++) {
			pmValue value;
			int format = make_value(type, i, &value);

			pmPrintValue(sink, format, type, &value, 8);
			putc('\n', sink);
		}
	}
	return n;
}

static long atom_text(void)
{
	char buf[80];
	long n = 0;

	for (int type = PM_TYPE_32; type <= PM_TYPE_STRING; type++) {
		for (size_t i = 0; i < LENGTH(reals); i++, n++) {
			char text[] = "a text";
			pmAtomValue v = { .ll = integers[i % LENGTH(integers)] };

			if (type == PM_TYPE_FLOAT)
				v.f = (float)reals[i];
			else if (type == PM_TYPE_DOUBLE)
				v.d = reals[i];
			else if (type == PM_TYPE_STRING)
				v.cp = text;
			add_text(pmAtomStr_r(&v, type, buf, sizeof(buf)));
		}
	}
	return n;
}

#define FIRST_TIME	1600000000	/* September 13, 2020 */
#define TIMES		10

static long print_stamp(void)
{
	for (int i = 0; i < TIMES; i++) {
		struct timespec ts = { FIRST_TIME + i * 3601, 123456789 + i };

		pmPrintHighResStamp(sink, &ts);
	}
	return TIMES;
}

static long local_time(void)
{
	struct tm tm;

	for (int i = 0; i < TIMES; i++) {
		time_t t = FIRST_TIME + i * 3601;

		add((uint64_t)pmLocaltime(&t, &tm)->tm_min);
	}
	return TIMES;
}

static long date_text(void)
{
	char buf[32];

	for (int i = 0; i < TIMES; i++) {
		time_t t = FIRST_TIME + i * 3601;

		add_text(pmCtime(&t, buf));
	}
	return TIMES;
}

static long units_text(void)
{
	char buf[64];

	for (size_t i = 0; i < LENGTH(pairs); i++)
		add_text(pmUnitsStr_r(&pairs[i][1], buf, sizeof(buf)));
	return LENGTH(pairs);
}

static long id_text(void)
{
	char buf[64];

	for (int i = 0; i < TIMES; i++) {
		add_text(pmIDStr_r(pmID_build(60, 8 + i, 100 * i), buf, sizeof(buf)));
		add_text(pmInDomStr_r(pmInDom_build(60, 1000 * i), buf, sizeof(buf)));
	}
	return 2 * TIMES;
}

static long number_text(void)
{
	char buf[16];

	for (size_t i = 0; i < LENGTH(reals); i++)
		add_text(pmNumberStr_r(reals[i], buf, sizeof(buf)));
	return LENGTH(reals);
}

static long error_text(void)
{
	char buf[PM_MAXERRMSGLEN];

	for (int i = 0; i < TIMES; i++) {
		add_text(pmErrStr_r(-1 - i, buf, sizeof(buf)));
		add_text(pmErrStr_r(PM_ERR_GENERIC - 4 * i, buf, sizeof(buf)));
	}
	return 2 * TIMES;
}

static const struct {
	const char *name;
	long (*round)(void);
} kinds[] = {
	{ "conv-scale", conv_scale },
	{ "parse-window", parse_window },
	{ "parse-metricspec", parse_metric_spec },
	{ "parse-interval", parse_interval },
	{ "parse-units", parse_units },
	{ "print-value", print_value },
	{ "atom-text", atom_text },
	{ "print-stamp", print_stamp },
	{ "local-time", local_time },
	{ "date-text", date_text },
	{ "units-text", units_text },
	{ "id-text", id_text },
	{ "number-text", number_text },
	{ "error-text", error_text },
};

/* Add the text that a first round writes, and discard those of the others. */
static void run(long (*round)(void), long rounds)
{
	char *text = NULL;
	struct rusage usage;
	size_t size = 0;
	double begun;
	long n = 0;

	sink = open_memstream(&text, &size);
	if (!sink)
		exit(2);
	round();
	fclose(sink);
	add_text(text);
	free(text);
	sink = fopen("/dev/null", "w");
	if (!sink)
		exit(2);
	measured = true;
	begun = now();
	for (long i = 0; i < rounds; i++)
		n += round();
	begun = now() - begun;
	fclose(sink);
	getrusage(RUSAGE_SELF, &usage);
	printf("%.9f %ld %ld %016llx\n", n ? begun / n : 0, n, usage.ru_maxrss,
	       (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < LENGTH(kinds); i++) {
		if (strcmp(kinds[i].name, argv[1]))
			continue;
		run(kinds[i].round, argc > 2 ? atol(argv[2]) : ROUNDS);
		return 0;
	}
	return 2;
}
