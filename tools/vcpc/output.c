// SPDX-License-Identifier: GPL-2.0-or-later
/* Writes output into a temporary file, and renames it to the user's when it is complete. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"
#include "vcpc.h"

/* The mode of the file that is replaced, or of a new one under the umask */
static mode_t mode_for(const char *name)
{
	struct stat st;
	mode_t mask;

	if (!stat(name, &st))
		return st.st_mode & 07777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static int open_temporary(struct vcpc_output *output)
{
	int fd;

	if (asprintf(&output->temporary, "%s.XXXXXX", output->name) < 0) {
		output->temporary = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd < 0) {
		int err = errno;

		free(output->temporary);
		output->temporary = NULL;
		return -err;
	}
	fchmod(fd, mode_for(output->name));
	output->file = fdopen(fd, "w");
	if (!output->file) {
		int err = errno;

		close(fd);
		unlink(output->temporary);
		free(output->temporary);
		output->temporary = NULL;
		return -err;
	}
	return 0;
}

int vcpc_output_open(struct vcpc_output *output, const char *name)
{
	struct stat st;
	int err = 0;

	*output = (struct vcpc_output){ .file = stdout };
	if (!name || !strcmp(name, "-"))
		return 0;
	output->name = name;
	if (!lstat(name, &st) && !S_ISREG(st.st_mode)) {
		output->file = fopen(name, "we");
		err = output->file ? 0 : -errno;
	} else {
		err = open_temporary(output);
	}
	return err ? vcpc_fail(err, "cannot write '%s'", name) : 0;
}

/* Return 0 or a negated errno */
static int settle(struct vcpc_output *output)
{
	int err = ferror(output->file) ? -EIO : 0;

	if (fclose(output->file))
		err = -errno;
	if (!err && output->temporary && rename(output->temporary, output->name))
		err = -errno;
	return err;
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
	if (output->temporary && (status || err))
		unlink(output->temporary);
	free(output->temporary);
	return err ? vcpc_fail(err, "cannot write '%s'", output->name) : status;
}
