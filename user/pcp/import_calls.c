// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * LOGIMPORT's calls that write no values (build identifiers and units, get error texts) and the
 * calls of PCP 7.2 (flags of pmiStart(), times in nanoseconds, and a status file, read by PCP's
 * agent pmdapmimport, that identifies the tool that writes an archive).
 *
 * The texts are identical to the texts of PCP's library because programs compare them.
 *
 * Threads: pmiErrStr() has a buffer per thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/import.h>

#include "base/api.h"
#include "config.h"
#include "importer.h"
#include "pmapi_v4.h"
#include "texts.h"

#define ALL_FLAGS	(SHIM_IMPORT_INHERIT | SHIM_IMPORT_APPEND | SHIM_IMPORT_PROCESS)

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ PMI_ERR_DUPMETRICNAME, "Metric name already defined" },
	{ PMI_ERR_DUPMETRICID, "Metric pmID already defined" },
	{ PMI_ERR_DUPINSTNAME, "External instance name already defined" },
	{ PMI_ERR_DUPINSTID, "Internal instance identifer already defined" },
	{ PMI_ERR_INSTNOTNULL, "Null instance expected for a singular metric" },
	{ PMI_ERR_INSTNULL, "Null instance not allowed for a non-singular metric" },
	{ PMI_ERR_BADHANDLE, "Illegal handle" },
	{ PMI_ERR_DUPVALUE, "Value already assigned for this metric-instance" },
	{ PMI_ERR_BADTYPE, "Illegal metric type" },
	{ PMI_ERR_BADSEM, "Illegal metric semantics" },
	{ PMI_ERR_NODATA, "No data to output" },
	{ PMI_ERR_BADMETRICNAME, "Illegal metric name" },
	{ PMI_ERR_BADTIMESTAMP, "Illegal result timestamp" },
	{ PMI_ERR_BADTEXTTYPE, "Illegal text type" },
	{ PMI_ERR_BADTEXTCLASS, "Illegal text class" },
	{ PMI_ERR_BADTEXTID, "Illegal text identifier" },
	{ PMI_ERR_EMPTYTEXTCONTENT, "Text is empty" },
	{ PMI_ERR_DUPTEXT, "Help text already exists" },
	{ PMI_ERR_BADLABELTYPE, "Illegal label type" },
	{ PMI_ERR_BADLABELID, "Illegal label identifier" },
	{ PMI_ERR_BADLABELINSTANCE, "Illegal label instance" },
	{ PMI_ERR_EMPTYLABELNAME, "Label name is empty" },
	{ PMI_ERR_EMPTYLABELVALUE, "Label value is empty" },
	{ PMI_ERR_ADDLABELERROR, "Error adding label" },
	{ PMI_ERR_BADVERSION, "Illegal archive version" },
};

/**
 * pmiErrStr_r() - get the text of an error code
 * @code: the result of a call, or -1 for the result of the current context's last call
 * @buf: buffer of @buflen bytes; PMI_MAXERRMSGLEN are always enough
 * @buflen: at least 1
 *
 * Return: @buf, or NULL if @buflen is too small.
 */
SHIM_API char *pmiErrStr_r(int code, char *buf, int buflen)
{
	if (code == -1)
		code = shim_import__last_error();
	for (size_t i = 0; buf && buflen > 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].code == code) {
			snprintf(buf, buflen, "%s", texts[i].text);
			return buf;
		}
	}
	return pmErrStr_r(code, buf, buflen);
}

/**
 * pmiErrStr() - get the text of an error code
 * @code: as for pmiErrStr_r()
 *
 * Return: the text, valid until this thread's next call.
 */
SHIM_API const char *pmiErrStr(int code)
{
	struct shim_texts *texts = shim_texts();

	return pmiErrStr_r(code, texts->import_error, sizeof(texts->import_error));
}

SHIM_API pmID pmiID(int domain, int cluster, int item)
{
	return pmID_build(domain, cluster, item);
}

SHIM_API pmID pmiCluster(int domain, int cluster)
{
	return pmID_build(domain, cluster, 0);
}

SHIM_API pmInDom pmiInDom(int domain, int serial)
{
	return pmInDom_build(domain, serial);
}

SHIM_API pmUnits pmiUnits(int dimSpace, int dimTime, int dimCount, int scaleSpace, int scaleTime,
			  int scaleCount)
{
	const pmUnits units = {
		.dimSpace = dimSpace,
		.dimTime = dimTime,
		.dimCount = dimCount,
		.scaleSpace = scaleSpace,
		.scaleTime = scaleTime,
		.scaleCount = scaleCount,
	};

	return units;
}

/**
 * pmiExtraUnits() - build units with an extra unit
 * @dimSpace: exponent of bytes
 * @dimTime: exponent of seconds
 * @dimCount: exponent of events
 * @scaleSpace: PM_SPACE_x
 * @scaleTime: PM_TIME_x
 * @scaleCount: a power of ten
 * @extraUnit: one of PM_UNIT_x, or its negation if the extra unit divides; 0 for none
 * @extraScale: one of the scales of @extraUnit
 */
SHIM_API pmUnits pmiExtraUnits(int dimSpace, int dimTime, int dimCount, unsigned int scaleSpace,
			       unsigned int scaleTime, int scaleCount, int extraUnit,
			       unsigned int extraScale)
{
	pmUnits units = pmiUnits(dimSpace, dimTime, dimCount, (int)scaleSpace, (int)scaleTime,
				 scaleCount);

	units.extraUnit = extraUnit;
	units.extraScale = extraScale;
	return units;
}

/**
 * pmiStart_v4() - pmiStart() of PMAPI version 4
 * @archive: the archive's name; NULL for a context that only passes on its metadata
 * @flags: PMI_INHERIT: the new context has the metrics, instances and handles of the current
 *	context; PMI_APPEND: if the archive exists, records are appended to it; PMI_PROCESS:
 *	pmiSetImportProgram() records the process, and pmiEnd() removes the file
 *
 * Return: -EINVAL for other flags, otherwise as for pmiStart().
 */
SHIM_API int pmiStart_v4(const char *archive, int flags)
{
	return flags & ~ALL_FLAGS ? -EINVAL : shim_import__start(archive, flags | SHIM_IMPORT_JSON);
}

/**
 * pmiWrite_v4() - pmiWrite() of PMAPI version 4: write the values as a record
 * @sec: the record's time, in seconds since 1970 UTC
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
	bool lost;

	if (!f)
		return -ENOMEM;
	if (imp->flags & SHIM_IMPORT_PROCESS)
		fprintf(f, "pid=%d\n", (int)getpid());
	for (int i = 0; i < 3; i++)
		if (fields[i] && *fields[i])
			fprintf(f, "%s=%s\n", keys[i], fields[i]);
	/* If memory runs out, *out may be NULL, and fclose() does not report earlier losses. */
	lost = ferror(f);
	return fclose(f) || lost || !*out ? -ENOMEM : 0;
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

/* Each field is stored as one line, so it must not contain a newline. */
static bool is_line(const char *text)
{
	return !text || !strchr(text, '\n');
}

static int status_path(const char *tool, char **path)
{
	const char *dir;
	int err;

	if (strchr(tool, '/') || tool[0] == '.')
		return -EINVAL;
	err = shim_config__get("PCP_IMPORTRUN_DIR", &dir);
	if (err)
		return err;
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
	imp->status_pid = getpid();
	return 0;
}

void shim_importer__forget_program(struct shim_importer *imp)
{
	if (imp->flags & SHIM_IMPORT_PROCESS && imp->status && imp->status_pid == getpid())
		unlink(imp->status);
	free(imp->status);
	imp->status = NULL;
}

/**
 * pmiSetImportProgram() - name the tool that writes the current archive, in a status file
 * @tool: name of the tool and of the file, which is in PCP_IMPORTRUN_DIR (default /run/pmimport)
 * @version: the tool's version, or NULL
 * @args: the data that it imports, or NULL
 * @archive: the archive's name, or NULL
 *
 * A later call in the same context replaces the file.  With PMI_PROCESS the file contains the
 * process ID, and pmiEnd() removes it if the same process wrote it.
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_CONV if @tool is NULL; -EINVAL for a tool that is a path
 * or a hidden name, or for a text of more than one line; or a negated errno.
 */
SHIM_API int pmiSetImportProgram(const char *tool, const char *version, const char *args,
				 const char *archive)
{
	const char *const fields[] = { version, args, archive };

	SHIM_IMPORT_ENTER(imp);
	return shim_import__leave(imp, set_program(imp, tool, fields));
}
