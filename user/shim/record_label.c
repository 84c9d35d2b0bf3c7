// SPDX-License-Identifier: LGPL-2.1-or-later
/* What an archive says of itself: this host and its time zone. */
#include <ctype.h>
#include <stdio.h>

#include "archive/local_zone.h"
#include "record.h"

/**
 * shim_rec_label__fill() - say who writes an archive, and where
 * @label: host and zones are filled in; it has no start, so that the first record is it
 */
void shim_rec_label__fill(struct shim_label *label)
{
	shim_local_zone__fill(label);
}

/**
 * shim_rec_label__context() - say the host also as PCP's tools show it beside values
 * @w: to where
 * @host: its name
 * @stamp: from when on
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_label__context(struct shim_writer *w, const char *host, struct shim_ts stamp)
{
	char text[sizeof(((struct shim_label *)NULL)->host) + 20];
	const char *json = text;
	const struct shim_labels labels = {
		.stamp = stamp,
		.level = SHIM_LEVEL_CONTEXT,
		.ident = SHIM_INDOM_NULL,
		.n = 1,
		.json = &json,
	};

	/* what cannot stand in quotes is no host's name */
	for (const char *p = host; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return 0;
	snprintf(text, sizeof(text), "{\"hostname\":\"%s\"}", host);
	return shim_writer__labels(w, &labels);
}
