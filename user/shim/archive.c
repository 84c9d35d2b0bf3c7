// SPDX-License-Identifier: LGPL-2.1-or-later
/* The check of archives as a public call, for programs without the internal headers. */
#include <errno.h>
#include <stddef.h>

#include <shim/archive.h>

#include "archive/check.h"
#include "base/api.h"

/**
 * shim_archive_check() - look for all that is wrong with an archive
 * @archive: its base name, or that of one of its files
 * @watch: callbacks for problems and progress
 *
 * Readers of archives tolerate much of what is reported here.
 *
 * Return: the number of problems; -EINVAL, -ENOENT if there is no such archive, or what reading
 * failed with.
 */
SHIM_API int shim_archive_check(const char *archive, const struct shim_archive_watch *watch)
{
	struct shim_check check;

	if (!archive || !watch || watch->size < sizeof(*watch) || watch->reserved ||
	    !watch->problem)
		return -EINVAL;
	check.problem = watch->problem;
	check.progress = watch->progress;
	check.arg = watch->arg;
	return shim_archive__check(archive, &check);
}
