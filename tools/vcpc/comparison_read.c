// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads the runs of both sides of a comparison. */
#include <errno.h>
#include <stdlib.h>

#include "archives.h"
#include "comparison.h"
#include "vcpc.h"

static int read_side(struct vcpc_comparison *c, int side, const struct vcpc_archives *archives,
		     const struct vcpc_window *options, char **names)
{
	int status = 0;

	c->runs[side] = calloc(archives->n + 1, sizeof(**c->runs));
	if (!c->runs[side])
		return vcpc_fail(ENOMEM, "runs");
	for (size_t i = 0; i < archives->n && !status; i++) {
		status = vcpc_run_read(&c->runs[side][i], archives->names[i], options, names);
		c->nruns[side] = i + 1;
	}
	return status;
}

int vcpc_comparison_read(struct vcpc_comparison *c, const struct vcpc_window *options, char **sides, char **names)
{
	int status = 0;

	for (int side = 0; side < VCPC_SIDES && !status; side++) {
		struct vcpc_archives archives = { 0 };
		int err = vcpc_archives_add(&archives, sides[side]);

		if (err == -ENOENT)
			status = vcpc_fail(0, "the folder '%s' has no archives", sides[side]);
		else if (err)
			status = vcpc_fail(err, "%s", sides[side]);
		else
			status = read_side(c, side, &archives, options, names);
		vcpc_archives_free(&archives);
	}
	return status;
}
