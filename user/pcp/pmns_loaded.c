// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The name space that a program has loaded to replace those of its contexts.
 *
 * Threads: the process has one loaded name space, as in PCP's library.  A lock guards the pointer
 * to it and its reference count.
 */
#define _GNU_SOURCE	/* for asprintf */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"
#include "pmns_loaded.h"

static struct shim_lock lock = SHIM_LOCK_INITIALIZER;
static struct shim_pmns_file *loaded;
static bool asked;	/* a load was requested, even if it failed */

int shim_pmns_loaded__get(struct shim_pmns_file **out)
{
	int err;

	shim_lock__enter(&lock);
	*out = loaded;
	if (loaded)
		loaded->refs++;
	err = asked && !loaded ? PM_ERR_NOPMNS : 0;
	shim_lock__leave(&lock);
	return err;
}

void shim_pmns_loaded__put(struct shim_pmns_file *names)
{
	bool last;

	if (!names)
		return;
	shim_lock__enter(&lock);
	last = --names->refs == 0;
	shim_lock__leave(&lock);
	if (last)
		shim_pmns_file__free(names);
}

void shim_pmns_loaded__replace(struct shim_pmns_file *old, struct shim_pmns_file *names)
{
	bool current;

	names->refs = 1;
	shim_lock__enter(&lock);
	current = loaded == old;
	if (current)
		loaded = names;
	shim_lock__leave(&lock);
	if (current)
		shim_pmns_loaded__put(old);	/* the process's reference */
	else
		shim_pmns_file__free(names);
	shim_pmns_loaded__put(old);
}

/* The file in PMNS_DEFAULT, or PCP's own */
static char *default_path(void)
{
	const char *path = pmGetOptionalConfig("PMNS_DEFAULT");
	char *made;

	if (path && *path)
		return strdup(path);
	return asprintf(&made, "%s/pmns/root", pmGetConfig("PCP_VAR_DIR")) < 0 ? NULL : made;
}

/* Print the message that PCP's library prints */
static void load_complain(const char *path, int err, const char *what)
{
	if (err == PM_ERR_PMNS)
		pmprintf("Error Parsing ASCII PMNS: %s: %s\n", path, what);
	else
		pmprintf("Error Parsing ASCII PMNS: Cannot open \"%s\"\n", path);
	pmflush();
}

static int load_uncancelled(const char *filename, bool dups)
{
	char *path = filename ? strdup(filename) : default_path();
	struct shim_pmns_file *names = NULL;
	const char *what;
	int err;

	if (!path)
		return -ENOMEM;
	err = shim_pmns_file__read(path, dups, &names, &what);
	if (err)
		load_complain(path, err, what);
	free(path);
	shim_lock__enter(&lock);
	asked = true;
	if (loaded && !err) {
		err = PM_ERR_DUPPMNS;
	} else if (!err) {
		names->refs = 1;
		loaded = names;
		names = NULL;
	}
	shim_lock__leave(&lock);
	shim_pmns_file__free(names);
	return err;
}

/*
 * Cancellation is disabled, because reading a file and printing messages are cancellation points.
 */
static int load(const char *filename, bool dups)
{
	int before = shim_cancel__off();
	int err = load_uncancelled(filename, dups);

	shim_cancel__restore(before);
	return err;
}

static bool is_loaded(void)
{
	bool is;

	shim_lock__enter(&lock);
	is = loaded;
	shim_lock__leave(&lock);
	return is;
}

/**
 * pmLoadASCIINameSpace() - use the names in a file instead of those of the contexts
 * @filename: the file; PM_NS_DEFAULT means the file in PMNS_DEFAULT, or PCP's own
 * @dupok: 0 if no metric may have two names
 *
 * An error in the file is reported through pmprintf().
 *
 * Return: 0; PM_ERR_DUPPMNS if one is already loaded, which remains; PM_ERR_PMNS for a malformed
 * file; -errno for a file that cannot be read.  If loading failed, there are no names until
 * pmUnloadNameSpace().
 */
SHIM_API int pmLoadASCIINameSpace(const char *filename, int dupok)
{
	return is_loaded() ? PM_ERR_DUPPMNS : load(filename, dupok);
}

/** pmLoadNameSpace() - like pmLoadASCIINameSpace(), but metrics may have two names */
SHIM_API int pmLoadNameSpace(const char *filename)
{
	return pmLoadASCIINameSpace(filename, 1);
}

/** pmUnloadNameSpace() - use the contexts' own names again */
SHIM_API void pmUnloadNameSpace(void)
{
	struct shim_pmns_file *names;

	shim_lock__enter(&lock);
	names = loaded;
	loaded = NULL;
	asked = false;
	shim_lock__leave(&lock);
	shim_pmns_loaded__put(names);
}
