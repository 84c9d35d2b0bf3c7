// SPDX-License-Identifier: GPL-2.0-or-later
/* Read the runs of both sides of a comparison. */
#include <errno.h>
#include <stdlib.h>

#include "archives.h"
#include "comparison.h"
#include "vcpc.h"

int vcpc_comparison_archives(struct vcpc_archives *archives, const char *side)
{
	int err = vcpc_archives_add(archives, side);

	if (err == -ENOENT)
		return vcpc_fail(0, "the directory '%s' contains no archives", side);
	return err ? vcpc_fail(err, "%s", side) : 0;
}

static int read_side(struct vcpc_comparison *c, int side, const struct vcpc_archives *archives,
		     const struct vcpc_window *options, char **names)
{
	struct vcpc_run *runs = reallocarray(c->runs[side], archives->n + 1, sizeof(*runs));
	int status = 0;

	if (!runs)
		return vcpc_fail(ENOMEM, "runs");
	c->runs[side] = runs;
	for (size_t i = c->nruns[side]; i < archives->n && !status; i++) {
		runs[i] = (struct vcpc_run){ NULL };
		status = vcpc_run_read(&runs[i], archives->names[i], options, names);
		c->nruns[side] = i + 1;
	}
	return status;
}

int vcpc_comparison_read(struct vcpc_comparison *c, const struct vcpc_window *options, char **sides, char **names)
{
	int status = 0;

	for (int side = 0; side < VCPC_SIDES && !status; side++) {
		struct vcpc_archives archives = { 0 };

		status = vcpc_comparison_archives(&archives, sides[side]);
		if (!status)
			status = read_side(c, side, &archives, options, names);
		vcpc_archives_free(&archives);
	}
	return status;
}
