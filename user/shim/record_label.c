// SPDX-License-Identifier: LGPL-2.1-or-later
/* What an archive says of itself: this host, its time zone, and when the archive starts. */
#include <ctype.h>
#include <stdio.h>

#include "archive/here.h"
#include "record.h"

/**
 * shim_rec_label__fill() - say who writes an archive, where and when
 * @label: host, zones and start are filled in
 * @start: no record will be earlier
 */
void shim_rec_label__fill(struct shim_label *label, struct shim_ts start)
{
	label->start = start;
	shim_here__fill(label);
}

/**
 * shim_rec_label__context() - say the host also as PCP's tools show it beside values
 * @w: to where
 * @label: as it was filled in
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_label__context(struct shim_writer *w, const struct shim_label *label)
{
	char text[sizeof(label->host) + 20];
	const char *json = text;
	const struct shim_labels labels = {
		.stamp = label->start,
		.level = SHIM_LEVEL_CONTEXT,
		.ident = SHIM_INDOM_NULL,
		.n = 1,
		.json = &json,
	};

	/* what cannot stand in quotes is no host's name */
	for (const char *p = label->host; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return 0;
	snprintf(text, sizeof(text), "{\"hostname\":\"%s\"}", label->host);
	return shim_writer__labels(w, &labels);
}
