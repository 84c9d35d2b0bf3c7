// SPDX-License-Identifier: LGPL-2.1-or-later
/* The label of an archive: this host and its time zone. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/local_zone.h"
#include "base/api.h"
#include "record.h"
#include "recorder.h"

#define VALUE_MAX	4096	/* bytes; PCP limits all labels of an archive together to 64 kB */
#define LABELS_MAX	32768

/**
 * shim_rec_label__fill() - fill in the host and the time zone
 * @label: these are filled in; its start is left empty, so that it is the first record's time
 */
void shim_rec_label__fill(struct shim_label *label)
{
	shim_local_zone__fill(label);
}

/* Whether PCP accepts a label of this name; the host's name is written for each archive */
static bool is_name(const char *name)
{
	size_t len = strlen(name);

	if (!len || len > 250 || isdigit((unsigned char)*name) || !strcmp(name, "hostname"))
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

/* Whether a text can be a string of JSON: no control characters */
static bool is_value(const char *value)
{
	if (strlen(value) > VALUE_MAX)
		return false;
	for (; *value; value++)
		if (iscntrl((unsigned char)*value))
			return false;
	return true;
}

static bool is_used(const char *labels, const char *name)
{
	char member[260];

	snprintf(member, sizeof(member), ",\"%s\":", name);
	return labels && strstr(labels, member);
}

/* Write @value to @out with the escapes of a JSON string. */
static void escape(char *out, const char *value)
{
	for (; *value; value++) {
		if (*value == '"' || *value == '\\')
			*out++ = '\\';
		*out++ = *value;
	}
	*out = '\0';
}

/**
 * shim_record_label() - describe the recording by a label of the archive, such as the command's name
 * @rec: the recorder, before its first record
 * @name: letters, digits and underscores; not "hostname", which each archive has
 * @value: up to 4096 bytes of UTF-8 without control characters
 *
 * PCP's tools show labels of the context with each metric.  An archive that continues this one has
 * the same labels.
 *
 * Return: 0, -EINVAL (name or value), -EEXIST (there is such a label), -EBUSY (a record was written),
 * -ENOSPC (too many labels), or -ENOMEM.
 */
SHIM_API int shim_record_label(struct shim_recorder *rec, const char *name, const char *value)
{
	char escaped[2 * VALUE_MAX + 1];
	char *labels;

	if (!rec || !name || !value || !is_name(name) || !is_value(value))
		return -EINVAL;
	if (rec->records)
		return -EBUSY;
	if (is_used(rec->labels, name))
		return -EEXIST;
	escape(escaped, value);
	if ((rec->labels ? strlen(rec->labels) : 0) + strlen(name) + strlen(escaped) > LABELS_MAX)
		return -ENOSPC;
	if (asprintf(&labels, "%s,\"%s\":\"%s\"", rec->labels ? rec->labels : "", name, escaped) < 0)
		return -ENOMEM;
	free(rec->labels);
	rec->labels = labels;
	return 0;
}

/**
 * shim_rec_label__context() - write the host's name and the program's labels, which PCP's tools show with values
 * @w: the archive
 * @host: its name
 * @more: members of a JSON object, each after a comma, or NULL
 * @stamp: from when on
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_label__context(struct shim_writer *w, const char *host, const char *more, struct shim_ts stamp)
{
	char *text;
	struct shim_labels labels = {
		.stamp = stamp,
		.level = SHIM_LEVEL_CONTEXT,
		.ident = SHIM_INDOM_NULL,
		.n = 1,
	};
	int ret;

	/* No host has a name that would have to be escaped in JSON: write no label then. */
	for (const char *p = host; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return 0;
	if (asprintf(&text, "{\"hostname\":\"%s\"%s}", host, more ? more : "") < 0)
		return -ENOMEM;
	labels.json = (const char *const *)&text;
	ret = shim_writer__labels(w, &labels);
	free(text);
	return ret;
}
