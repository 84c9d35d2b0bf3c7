// SPDX-License-Identifier: GPL-2.0-or-later
/* Compute the part of an archive's time span that PCP's standard options select. */
#define _GNU_SOURCE
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "text.h"
#include "vcpc.h"
#include "window.h"

#define LONGEST_NS	9e18

int64_t vcpc_ns_of(struct timespec t)
{
	return (int64_t)t.tv_sec * VCPC_NSEC_PER_SEC + t.tv_nsec;
}

struct timespec vcpc_of_ns(int64_t ns)
{
	struct timespec t = { ns / VCPC_NSEC_PER_SEC, ns % VCPC_NSEC_PER_SEC };

	if (t.tv_nsec < 0) {
		t.tv_nsec += VCPC_NSEC_PER_SEC;
		t.tv_sec--;
	}
	return t;
}

double vcpc_seconds(struct timespec t)
{
	return (double)t.tv_sec + t.tv_nsec / 1e9;
}

/* Return the nanoseconds of a unit, @bare if the unit is empty, or 0 if it is unknown. */
static double unit_ns(char *unit, size_t len, double bare)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {
		{ "s", 1e9 },	 { "sec", 1e9 },  { "second", 1e9 },
		{ "ms", 1e6 },	{ "msec", 1e6 }, { "millisecond", 1e6 },
		{ "us", 1e3 },	{ "usec", 1e3 }, { "microsecond", 1e3 },
		{ "ns", 1 },	{ "nsec", 1 },	 { "nanosecond", 1 },
		{ "m", 60e9 },	{ "min", 60e9 }, { "minute", 60e9 },
		{ "h", 3600e9 }, { "hr", 3600e9 }, { "hour", 3600e9 },
		{ "d", 86400e9 }, { "day", 86400e9 },
	};

	if (!len)
		return bare;
	if (len > 2 && unit[len - 1] == 's')
		unit[len - 1] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcasecmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

int vcpc_parse_interval(const char *text, int64_t *ns)
{
	return vcpc_parse_time(text, 1e9, ns);
}

int vcpc_parse_time(const char *text, double bare, int64_t *ns)
{
	double sum = 0;

	while (*text) {
		char unit[16] = "";
		char *end;
		double factor, number = strtod(text, &end);
		size_t len;

		if (end == text || !(number >= 0))
			return -EINVAL;
		text = end + strspn(end, " \t");
		len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (len >= sizeof(unit))
			return -EINVAL;
		memcpy(unit, text, len);
		text += len + strspn(text + len, " \t");
		factor = unit_ns(unit, len, bare);
		if (factor == 0)
			return -EINVAL;
		sum += number * factor;
	}
	if (!(sum >= 1 && sum < LONGEST_NS))
		return -EINVAL;
	*ns = llround(sum);
	return 0;
}

/* Print the library's message, which marks the position of the error, without its last newline. */
static int no_time(char *message)
{
	size_t len = message ? strlen(message) : 0;
	int status;

	if (len && message[len - 1] == '\n')
		message[len - 1] = '\0';
	status = vcpc_usage("invalid time:\n%s", message ? message : "");
	free(message);
	return status;
}

struct seconds {
	char text[48];
};

/*
 * Convert an interval, with or without a sign, to seconds, and leave any other text unchanged.
 * PMAPI knows fewer units than -t: it parses "500ms" as 500 minutes.
 */
static const char *in_seconds(const char *text, struct seconds *s)
{
	int sign = text && (*text == '+' || *text == '-');
	int64_t ns;

	if (!text || vcpc_parse_interval(text + sign, &ns))
		return text;
	snprintf(s->text, sizeof(s->text), "%.*s%lld.%09lldsec", sign, text,
		 (long long)(ns / VCPC_NSEC_PER_SEC), (long long)(ns % VCPC_NSEC_PER_SEC));
	return s->text;
}

static int compute(struct vcpc_window *w)
{
	struct seconds start, finish, align, offset;
	char *message = NULL;
	int code = pmParseHighResTimeWindow(in_seconds(w->start, &start),
					    in_seconds(w->finish, &finish),
					    in_seconds(w->align, &align),
					    in_seconds(w->offset, &offset), &w->label.start,
					    &w->end, &w->from, &w->to, &w->origin, &message);

	if (code < 0)
		return no_time(message);
	/* If @code is 0, the start could not be aligned and is unchanged; print no message. */
	if (code == 0)
		free(message);
	if (vcpc_ns_of(w->from) > vcpc_ns_of(w->end) || vcpc_ns_of(w->to) < vcpc_ns_of(w->from))
		return vcpc_fail(0, "the archive has no records in this window");
	return 0;
}

bool vcpc_window_option(struct vcpc_window *w, int c, const char *arg)
{
	switch (c) {
	case 'a':
		w->archive = arg;
		return true;
	case 'S':
		w->start = arg;
		return true;
	case 'T':
		w->finish = arg;
		return true;
	case 'A':
		w->align = arg;
		return true;
	case 'O':
		w->offset = arg;
		return true;
	case 'Z':
		w->zone = arg;
		return true;
	case 'z':
		w->host_zone = true;
		return true;
	default:
		return false;
	}
}

const char *vcpc_window_archive(const struct vcpc_window *w, char **argv)
{
	if (w->archive)
		return w->archive;
	if (!argv[optind])
		vcpc_usage("an archive is required");
	return argv[optind] ? argv[optind++] : NULL;
}

/*
 * Return the text after a zone's name, or NULL.  A name has at least three letters or is in angle
 * brackets.
 */
static const char *behind_name(const char *text)
{
	size_t len;

	if (*text == '<') {
		const char *end = strchr(text, '>');

		return end ? end + 1 : NULL;
	}
	len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
	return len >= 3 ? text + len : NULL;
}

/*
 * Return whether this is a POSIX rule: a name and an offset from UTC.  The rest of the text is not
 * checked.
 */
static bool is_rule(const char *zone)
{
	const char *offset = behind_name(zone);

	return offset && offset[strspn(offset, "+-")] >= '0' && offset[strspn(offset, "+-")] <= '9';
}

static bool is_zone_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char head[4] = "";
	bool is = f && fread(head, 1, sizeof(head), f) == sizeof(head) && !memcmp(head, "TZif", 4);

	if (f)
		fclose(f);
	return is;
}

/* Return whether the zone exists.  The C library silently treats an unknown zone as UTC. */
static bool is_zone(const char *zone)
{
	const char *folder = getenv("TZDIR");
	char path[4096];

	zone += *zone == ':';
	if (!*zone || !strcmp(zone, "UTC") || !strcmp(zone, "GMT") || is_rule(zone))
		return true;
	if (*zone == '/')
		folder = "";
	snprintf(path, sizeof(path), "%s/%s", folder ? folder : "/usr/share/zoneinfo", zone);
	return is_zone_file(path);
}

/* Return whether the C library reads only zone files if a label's zone is set as TZ. */
static bool is_harmless(const char *zone)
{
	zone += *zone == ':';
	return *zone != '/' && !strstr(zone, "..");
}

/*
 * Set the zone in which times are parsed and shown.  Return 0, or an exit status after printing a
 * message.
 */
static int use_zone(const struct vcpc_window *w)
{
	if (w->zone && w->host_zone)
		return vcpc_usage("-Z and -z are mutually exclusive");
	if (w->zone && !is_zone(w->zone))
		return vcpc_usage("unknown time zone '%s' (examples: UTC, Europe/Paris, EST5EDT)", w->zone);
	if (w->host_zone && !is_harmless(w->label.timezone))
		return vcpc_fail(0, "the archive's label has a file name instead of a time zone: '%s' (try -Z UTC)",
				 vcpc_printable((char *)w->label.timezone, ""));
	if (w->zone || w->host_zone) {
		if (setenv("TZ", w->zone ? w->zone : w->label.timezone, 1))
			return vcpc_fail(errno, "cannot use the time zone");
		tzset();
	}
	return 0;
}

int vcpc_window_set(struct vcpc_window *w, const char *archive)
{
	int err = pmGetHighResArchiveLabel(&w->label);

	if (!err)
		err = pmGetHighResArchiveEnd(&w->end);
	if (err)
		return vcpc_fail_pm(err, archive);
	err = use_zone(w);
	return err ? err : compute(w);
}
