// SPDX-License-Identifier: LGPL-2.1-or-later
/* The label of an archive: this host and its time zone. */
#include <ctype.h>
#include <stdio.h>

#include "archive/local_zone.h"
#include "record.h"

/**
 * shim_rec_label__fill() - fill in the host and the time zone
 * @label: these are filled in; its start is left empty, so that it is the first record's time
 */
void shim_rec_label__fill(struct shim_label *label)
{
	shim_local_zone__fill(label);
}

/**
 * shim_rec_label__context() - write the host's name as a label, which PCP's tools show with values
 * @w: the archive
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

	/* No host has a name that would have to be escaped in JSON: write no label then. */
	for (const char *p = host; *p; p++)
		if (*p == '"' || *p == '\\' || iscntrl((unsigned char)*p))
			return 0;
	snprintf(text, sizeof(text), "{\"hostname\":\"%s\"}", host);
	return shim_writer__labels(w, &labels);
}
