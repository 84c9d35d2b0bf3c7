// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A program's log file: redirect a stream to a file, and write a first and a last line.
 *
 * Threads: a lock guards the list of streams that get a last line when the program ends.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"

#define MOST	16	/* streams; further streams get no last line */

static struct shim_lock lock = SHIM_LOCK_INITIALIZER;
static FILE *streams[MOST];
static unsigned int nstreams;

static void now(char *buf, size_t size)
{
	time_t t = time(NULL);
	struct tm tm;

	*buf = '\0';
	if (localtime_r(&t, &tm))
		strftime(buf, size, "%a %b %e %H:%M:%S %Y", &tm);
}

/* Called by exit(); takes no lock */
static void finish(void)
{
	char date[32];

	now(date, sizeof(date));
	for (unsigned int i = 0; i < nstreams; i++) {
		fprintf(streams[i], "\nLog finished %s\n", date);
		fflush(streams[i]);
	}
}

static void remember(FILE *f)
{
	bool known = false;

	shim_lock__enter(&lock);
	for (unsigned int i = 0; i < nstreams; i++)
		known |= streams[i] == f;
	if (!nstreams)
		atexit(finish);
	if (!known && nstreams < MOST)
		streams[nstreams++] = f;
	shim_lock__leave(&lock);
}

/*
 * Rename an existing file to NAME.prev, as PCP does since 6.2.  A character device such as
 * /dev/null is not renamed: that would remove it for the whole machine.
 *
 * Return: flags for open(), or an error.
 */
static int keep_previous(const char *name)
{
	char previous[PATH_MAX];
	struct stat st;

	if (lstat(name, &st))
		return errno == ENOENT ? O_CREAT | O_EXCL : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (S_ISBLK(st.st_mode))
		return -EINVAL;
	if (S_ISCHR(st.st_mode))
		return O_NOCTTY;
	if (snprintf(previous, sizeof(previous), "%s.prev", name) >= (int)sizeof(previous) ||
	    rename(name, previous)) {
		if (unlink(name))
			return -errno;
	}
	return O_CREAT | O_EXCL;
}

/* Create the file, and redirect the stream's descriptor to it. */
static int redirect(FILE *f, const char *name)
{
	int fd, err = 0, flags = keep_previous(name);

	if (flags < 0)
		return flags;
	/*
	 * do this before the file may get the stream's descriptor, because the buffered data does
	 * not belong in the log
	 */
	fflush(f);
	fd = open(name, O_WRONLY | O_CLOEXEC | O_APPEND | flags, 0644);
	if (fd < 0)
		return -errno;
	/* If the program had closed the stream's descriptor, the new one already has its number. */
	if (fd == fileno(f))
		return fcntl(fd, F_SETFD, 0) < 0 ? -errno : 0;
	if (dup2(fd, fileno(f)) < 0)
		err = -errno;
	close(fd);
	return err;
}

/**
 * pmOpenLog() - redirect a stream to a log file
 * @progname: the program's name, for the first line and for a message
 * @logname: the file; if it exists, it is renamed to LOGNAME.prev, except a device
 * @oldstream: the stream, often stderr
 * @status: 1, or 0 if the file could not be created, in which case the stream is unchanged
 *
 * A line with the program, the host and the time is written to the stream, and another one when the
 * program ends.
 *
 * Return: @oldstream.
 */
SHIM_API FILE *pmOpenLog(const char *progname, const char *logname, FILE *oldstream, int *status)
{
	char host[256] = "unknown", date[32];
	int err = redirect(oldstream, logname);

	if (err)
		pmprintf("%s: cannot open log \"%s\" for writing : %s\n", progname, logname,
			 strerror(-err));
	if (err)
		pmflush();
	*status = err ? 0 : 1;
	gethostname(host, sizeof(host) - 1);
	now(date, sizeof(date));
	fprintf(oldstream, "Log for %s on %s started %s\n\n", progname, host, date);
	fflush(oldstream);
	remember(oldstream);
	return oldstream;
}
