// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Volumes of a limited size: when a record reaches the limit, the next record starts a new volume.
 */
#define _GNU_SOURCE	/* for asprintf */
#include <stdio.h>
#include <stdlib.h>

#include "base/api.h"
#include "importer.h"

#define VOLUME_SIZE_MIN 1000

/* Finish a volume that is full.  Returns its path, or NULL if it remains in use. */
static char *finish_volume(struct shim_importer *imp)
{
	char *path;
	int number;

	if (!imp->volume_size || !imp->writer ||
	    shim_writer__volume(imp->writer, &number) < imp->volume_size)
		return NULL;
	if (asprintf(&path, "%s.%d", imp->base, number) < 0)
		return NULL;
	if (!shim_writer__next_volume(imp->writer))
		return path;
	free(path);
	return NULL;
}

/* The callback is called without the lock, so it may call LOGIMPORT. */
int shim_import__leave_record(struct shim_importer *imp, int result)
{
	char *path = result ? NULL : finish_volume(imp);
	void (*done)(const char *path) = imp->volume_done;

	result = shim_import__leave(imp, result);
	if (path && done)
		done(path);
	free(path);
	return result;
}

/**
 * pmiSetVolumeSize() - limit the size of the current archive's volumes
 * @size: a volume that has at least this many bytes after a record is finished; 0 for no limit
 * @done: called with the path of each volume finished in this way; NULL for none
 *
 * If the new volume cannot be created, writing continues in the old one, and creation is tried
 * again after the next record.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_CONV for a size below 1000.
 */
SHIM_API int pmiSetVolumeSize(size_t size, void (*done)(const char *path))
{
	SHIM_IMPORT_ENTER(imp);
	if (size && size < VOLUME_SIZE_MIN)
		return shim_import__leave(imp, PM_ERR_CONV);
	imp->volume_size = size;
	imp->volume_done = done;
	return shim_import__leave(imp, 0);
}
