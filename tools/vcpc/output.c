// SPDX-License-Identifier: GPL-2.0-or-later
/* Write output to a temporary file, and rename it to the requested name when it is complete. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "vcpc.h"

/* Return the mode of a new file under the umask. */
static mode_t mode_new(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int make_temporary(struct vcpc_output *output, mode_t mode)
{
	int fd = mkostemp(output->temporary, O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (fchmod(fd, mode) || !(output->file = fdopen(fd, "w"))) {
		err = -errno;
		close(fd);
		unlink(output->temporary);
	}
	return err;
}

static int open_temporary(struct vcpc_output *output, mode_t mode)
{
	int err = -ENOMEM;

	if (asprintf(&output->temporary, "%s.XXXXXX", output->name) >= 0) {
		err = make_temporary(output, mode);
		if (err)
			free(output->temporary);
	}
	if (err)
		output->temporary = NULL;
	return err;
}

/*
 * Open a link or a device directly, because it must not be replaced.  Fail if it is unknown whether
 * the name is a link.
 */
static int open_name(struct vcpc_output *output)
{
	struct stat st;

	if (lstat(output->name, &st))
		return errno == ENOENT ? open_temporary(output, mode_new()) : -errno;
	if (S_ISREG(st.st_mode))
		return open_temporary(output, st.st_mode & 07777);
	output->file = fopen(output->name, "we");
	return output->file ? 0 : -errno;
}

int vcpc_output_open(struct vcpc_output *output, const char *name)
{
	int err;

	*output = (struct vcpc_output){ .file = stdout };
	if (!name || !strcmp(name, "-"))
		return 0;
	output->name = name;
	err = open_name(output);
	return err ? vcpc_fail(err, "cannot write '%s'", name) : 0;
}

/*
 * Return why an earlier write failed.  The C library forgets that, so write another byte; the file is
 * incomplete anyway.
 */
static int lost(FILE *file)
{
	return putc('\n', file) == EOF || fflush(file) ? -errno : -EIO;
}

/* Complete the file and rename it.  Return 0 or a negated errno. */
static int settle(struct vcpc_output *output)
{
	int err = ferror(output->file) ? lost(output->file) : 0;

	if (fclose(output->file))
		err = -errno;
	if (!err && output->temporary && rename(output->temporary, output->name))
		err = -errno;
	return err;
}

/* After a failure, remove the temporary file unless it must be kept and is not empty. */
static void give_up(const struct vcpc_output *output, int err)
{
	struct stat st;

	if (err && output->keep && !stat(output->temporary, &st) && st.st_size)
		vcpc_fail(0, "the incomplete output is in '%s'", output->temporary);
	else
		unlink(output->temporary);
}

int vcpc_output_close(struct vcpc_output *output, int status)
{
	int err = 0;

	if (!output->name)
		return status ? status : vcpc_flush();
	if (status)
		fclose(output->file);
	else
		err = settle(output);
	if (err)
		vcpc_fail(err, "cannot write '%s'", output->name);
	if (output->temporary && (status || err))
		give_up(output, err);
	free(output->temporary);
	return err ? VCPC_EXIT_FAILURE : status;
}
