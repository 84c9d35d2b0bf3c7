// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse a metric with its source and instances: host:metric[one,two], archive/metric. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "texts.h"

#define LOCAL_SOURCE "@"
#define SHORT_TEXT 256

/*
 * struct spec - the parsed parts
 * @source: the source in the text or, if the text has none, the caller's source
 * @literal: @source was passed by the caller, so backslashes in it are not escapes, and it may be
 *	NULL
 * @metric: part of the text
 * @instances: copies, each terminated by a NUL, up to @end
 */
struct spec {
	const char *source, *metric;
	bool literal;
	size_t source_len, metric_len;
	int isarch;
	char *instances, *end;
	int ninst;
};

static const char *skip_blanks(const char *s)
{
	while (isspace((unsigned char)*s))
		s++;
	return s;
}

/* Return whether a character, such as a letter, has no meaning of its own. */
static bool is_plain(char c)
{
	return (c >= '-' && c <= 'Z') || (c >= '^' && c <= '~');
}

static const char *skip_plain(const char *s)
{
	while (is_plain(*s))
		s++;
	return s;
}

/* Return the last ':' or '/' before the instances. */
static const char *find_separator(const char *text)
{
	size_t len = (size_t)(strchrnul(text, '[') - text);
	const char *colon = memrchr(text, ':', len), *slash = memrchr(text, '/', len);

	return !colon || (slash && slash > colon) ? slash : colon;
}

static const char *take_source(const char **at, struct spec *spec)
{
	const char *separator = find_separator(*at);

	if (!separator)
		return NULL;
	spec->source = *at;
	spec->literal = false;
	spec->source_len = (size_t)(separator - *at);
	while (spec->source_len && isspace((unsigned char)spec->source[spec->source_len - 1]))
		spec->source_len--;
	spec->isarch = *separator == '/';
	if (!spec->source_len)
		return spec->isarch ? "archive name expected" : "host name expected";
	if (!spec->isarch && spec->source_len == 1 && *spec->source == *LOCAL_SOURCE)
		spec->isarch = 2;
	*at = skip_blanks(separator + 1);
	return NULL;
}

static const char *take_metric(const char **at, struct spec *spec)
{
	const char *s = *at;

	for (s = skip_plain(s); *s && !strchr("[],", *s) && !isspace((unsigned char)*s);)
		s = skip_plain(s + (*s == '\\' && s[1] ? 2 : 1));
	spec->metric = *at;
	spec->metric_len = (size_t)(s - *at);
	*at = s;
	if (*s == ']' || *s == ',')
		return "unexpected character in metric name";
	return spec->metric_len ? NULL : "performance metric name expected";
}

/*
 * Find the closing bracket that is neither quoted nor escaped.  If there is none, return NULL and
 * set *@wrong to the message.
 */
static const char *find_bracket(const char **at, const char **wrong)
{
	const char *s = *at;
	int quoted = 0;

	for (s = skip_plain(s); *s && (quoted || *s != ']'); s = skip_plain(s + 1)) {
		if (*s == '"')
			quoted = !quoted;
		if (*s == '\\' && s[1])
			s++;
	}
	*at = s;
	*wrong = quoted ? "closing \" and ] expected" : "closing ] expected";
	return *s ? s : NULL;
}

/* Parse one instance, in quotes or up to a blank or comma that is not escaped.  Return its end. */
static const char *take_instance(const char *s, const char *end, struct spec *spec)
{
	int quoted = *s == '"';

	for (s += quoted; s < end; s++) {
		if (is_plain(*s)) {
			*spec->end++ = *s;
			continue;
		}
		if (quoted ? *s == '"' : isspace((unsigned char)*s) || *s == ',')
			break;
		if (*s == '\\' && s + 1 < end)
			s++;
		*spec->end++ = *s;
	}
	*spec->end++ = '\0';
	spec->ninst++;
	return s < end ? s + quoted : end;
}

/*
 * Parse the instances after the bracket.  The text before a first comma is an instance even if it
 * is empty.
 */
static const char *take_instances(const char **at, struct spec *spec)
{
	const char *s = *at, *wrong, *end = find_bracket(at, &wrong);

	if (!end)
		return wrong;
	s = skip_blanks(s);
	while (s < end) {
		s = take_instance(s, end, spec);
		while (s < end && (isspace((unsigned char)*s) || *s == ','))
			s++;
	}
	(*at)++;
	return NULL;
}

static const char *metric_parse(const char **at, struct spec *spec)
{
	const char *wrong;

	*at = skip_blanks(*at);
	wrong = take_source(at, spec);
	if (!wrong)
		wrong = take_metric(at, spec);
	if (wrong)
		return wrong;
	*at = skip_blanks(*at);
	if (**at == '[') {
		(*at)++;
		wrong = take_instances(at, spec);
		if (wrong)
			return wrong;
	}
	*at = skip_blanks(*at);
	return **at ? "unexpected extra characters" : NULL;
}

/* Copy a text without its backslashes, each of which escapes one character */
static char *text_put(char *to, const char *s, size_t len)
{
	if (!memchr(s, '\\', len)) {
		memcpy(to, s, len);
		to[len] = '\0';
		return to + len + 1;
	}
	for (const char *end = s + len; s < end; s++) {
		if (*s == '\\' && s + 1 < end)
			s++;
		*to++ = *s;
	}
	*to = '\0';
	return to + 1;
}

/* Make the result in one allocation, so that one free() releases all of it. */
static pmMetricSpec *make(const struct spec *spec)
{
	size_t names = (size_t)(spec->end - spec->instances);
	size_t pointers = sizeof(pmMetricSpec) + (size_t)spec->ninst * sizeof(char *);
	pmMetricSpec *made = malloc(pointers + spec->source_len + spec->metric_len + 2 + names);
	char *to;

	if (!made)
		return NULL;
	to = (char *)made + pointers;
	made->isarch = spec->isarch;
	made->ninst = spec->ninst;
	made->inst[0] = NULL;
	made->source = spec->source ? to : NULL;
	if (spec->literal)
		to = stpcpy(to, spec->source ? spec->source : "") + 1;
	else
		to = text_put(to, spec->source, spec->source_len);
	made->metric = to;
	to = text_put(to, spec->metric, spec->metric_len);
	memcpy(to, spec->instances, names);
	for (int i = 0; i < spec->ninst; i++) {
		made->inst[i] = to;
		to += strlen(to) + 1;
	}
	return made;
}

/**
 * pmParseMetricSpec() - parse a metric with its source and instances
 * @string: metric, host:metric or archive/metric, optionally followed by [instance,...]
 * @isarch: type of @source, which is used if the text has no source: 0 for a host, 1 for an
 *	archive, 2 for the local context
 * @source: a host or archive, which is not parsed, or NULL
 * @rslt: the parsed parts, to be freed with pmFreeMetricSpec()
 * @errmsg: on error, a message with the reason and the position, to be freed by the caller
 *
 * Return: 0, PM_ERR_GENERIC, or -ENOMEM (without a message).
 */
SHIM_API int pmParseMetricSpec(const char *string, int isarch, char *source, pmMetricSpec **rslt,
			       char **errmsg)
{
	struct spec spec = { .source = source, .literal = true, .isarch = isarch };
	const char *at = string ? string : "", *wrong;
	char few[2 * SHORT_TEXT], *many = NULL;
	size_t len = strlen(at);
	pmMetricSpec *made;

	if (!rslt || !errmsg)
		return -EINVAL;
	spec.source_len = source ? strlen(source) : 0;
	/* An instance is at most as long as its text, plus a NUL. */
	if (len >= SHORT_TEXT) {
		many = malloc(len * 2 + 1);
		if (!many)
			return -ENOMEM;
	}
	spec.instances = spec.end = many ? many : few;
	wrong = metric_parse(&at, &spec);
	made = wrong ? NULL : make(&spec);
	free(many);
	if (wrong) {
		string = string ? string : "";
		*errmsg = shim_caret__message(string, (size_t)(at - string), wrong);
		return PM_ERR_GENERIC;
	}
	if (!made)
		return -ENOMEM;
	*rslt = made;
	return 0;
}

/**
 * pmFreeMetricSpec() - free a result of pmParseMetricSpec()
 * @spec: the result, or NULL
 */
SHIM_API void pmFreeMetricSpec(pmMetricSpec *spec)
{
	free(spec);
}
