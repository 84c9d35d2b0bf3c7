// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * LOGIMPORT's calls of PCP 7.2: flags of pmiStart(), times in nanoseconds, and a status file that
 * identifies the tool that writes an archive for PCP's agent pmdapmimport.
 */
#define _GNU_SOURCE	/* for asprintf */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/api.h"
#include "importer.h"
#include "pmapi_v4.h"

#define ALL_FLAGS	(SHIM_IMPORT_INHERIT | SHIM_IMPORT_APPEND | SHIM_IMPORT_PROCESS)

/**
 * pmiStart_v4() - pmiStart() of PMAPI version 4
 * @archive: its name; NULL for a context that only serves for inheritance
 * @flags: PMI_INHERIT: the new context has the metrics, instances and handles of the current one;
 *	PMI_APPEND: if the archive exists, records are appended to it; PMI_PROCESS:
 *	pmiSetImportProgram() records the process, and pmiEnd() removes the file
 *
 * Return: the context, which becomes the current one; -EINVAL for other flags, -ENOMEM.
 */
SHIM_API int pmiStart_v4(const char *archive, int flags)
{
	return flags & ~ALL_FLAGS ? -EINVAL : shim_import__start(archive, flags);
}

/**
 * pmiWrite_v4() - pmiWrite() of PMAPI version 4: write the values as a record
 * @sec: its time, in seconds since 1970 UTC
 * @nsec: nanoseconds of the time
 *
 * Return: as for pmiWrite().
 */
SHIM_API int pmiWrite_v4(unsigned long long sec, unsigned int nsec)
{
	if (sec <= INT64_MAX && nsec <= 999999999)
		return pmiHighResWrite((int64_t)sec, (int)nsec);
	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, PMI_ERR_BADTIMESTAMP);
}

/**
 * pmiWriteNow() - write the values as a record with the current time
 *
 * Return: as for pmiWrite().
 */
SHIM_API int pmiWriteNow(void)
{
	return pmiHighResWrite(-1, 0);
}

static int print_status(const struct shim_importer *imp, const char *const fields[3], char **out)
{
	static const char *const keys[] = { "version", "args", "archive" };
	size_t len;
	FILE *f = open_memstream(out, &len);

	if (!f)
		return -ENOMEM;
	if (imp->process)
		fprintf(f, "pid=%d\n", (int)getpid());
	for (int i = 0; i < 3; i++)
		if (fields[i] && *fields[i])
			fprintf(f, "%s=%s\n", keys[i], fields[i]);
	return fclose(f) ? -ENOMEM : 0;
}

static int write_status(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644), err = 0;
	size_t len = strlen(text);
	ssize_t done;

	if (fd < 0)
		return -errno;
	done = write(fd, text, len);
	if (done < 0)
		err = -errno;
	else if ((size_t)done < len)
		err = -ENOSPC;
	if (close(fd) && !err)
		err = -errno;
	if (err)
		unlink(path);
	return err;
}

/* Each field is one line of the file. */
static bool is_line(const char *text)
{
	return !text || !strchr(text, '\n');
}

static int status_path(const char *tool, char **path)
{
	const char *dir = pmGetOptionalConfig("PCP_IMPORTRUN_DIR");

	if (strchr(tool, '/') || tool[0] == '.')
		return -EINVAL;
	return asprintf(path, "%s/%s", dir && *dir ? dir : "/run/pmimport", tool) < 0 ? -ENOMEM : 0;
}

static int set_program(struct shim_importer *imp, const char *tool, const char *const fields[3])
{
	char *path = NULL, *text = NULL;
	int err;

	if (!tool || !*tool)
		return PM_ERR_CONV;
	if (!is_line(fields[0]) || !is_line(fields[1]) || !is_line(fields[2]))
		return -EINVAL;
	err = status_path(tool, &path);
	if (!err)
		err = print_status(imp, fields, &text);
	if (!err)
		err = write_status(path, text);
	free(text);
	if (err) {
		free(path);
		return err;
	}
	if (imp->status && strcmp(imp->status, path))
		shim_importer__forget_program(imp);
	free(imp->status);
	imp->status = path;
	return 0;
}

void shim_importer__forget_program(struct shim_importer *imp)
{
	if (imp->process && imp->status)
		unlink(imp->status);
	free(imp->status);
	imp->status = NULL;
}

/**
 * pmiSetImportProgram() - record the tool that writes the current archive in a status file
 * @tool: name of the tool and of the file, which is in PCP_IMPORTRUN_DIR (default /run/pmimport)
 * @version: its version, or NULL
 * @args: the data that it imports, or NULL
 * @archive: the archive's name, or NULL
 *
 * A later call in the same context replaces the file.  With PMI_PROCESS the file contains the
 * process ID, and pmiEnd() removes it.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_CONV without a tool; -EINVAL for a tool that is a path or
 * hidden, or for more than one line; or a negated errno.
 */
SHIM_API int pmiSetImportProgram(const char *tool, const char *version, const char *args,
				 const char *archive)
{
	const char *const fields[] = { version, args, archive };

	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, set_program(imp, tool, fields));
}
