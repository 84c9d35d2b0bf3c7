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

#define VALUE_MAX	4096	/* bytes; PCP limits all labels of an archive to 64 kB in total */
#define LABELS_MAX	32768

/**
 * shim_rec_label__fill() - fill in the host and the time zone
 * @label: the label; its start is not set, so it becomes the time of the first record
 */
void shim_rec_label__fill(struct shim_label *label)
{
	shim_local_zone__fill(label);
}

/* Whether PCP accepts a label with this name.  The host's name is written to each archive. */
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

/* Whether a text can be a JSON string: it has no control characters and is not too long */
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
 * shim_record_label() - add a label to the archive, such as the command's name
 * @rec: the recorder, before its first record
 * @name: letters, digits and underscores; not "hostname", which every archive has
 * @value: up to 4096 bytes of UTF-8 without control characters
 *
 * PCP's tools show labels of the context with each metric.  Archives that continue this one have
 * the same labels.
 *
 * Return: 0, -EINVAL (invalid name or value), -EEXIST (the label exists), -EBUSY (a record was
 * already written), -ENOSPC (too many labels), or -ENOMEM.
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
 * shim_rec_label__context() - write the labels that PCP's tools show with values
 * @w: the archive's writer
 * @host: name of the host
 * @more: the program's labels: members of a JSON object, each after a comma; or NULL
 * @stamp: time from which the labels apply
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

	/* Write no label for an invalid host name that would need escapes in JSON. */
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
