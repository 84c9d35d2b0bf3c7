// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages of a program (pmprintf() to stderr or a file, and pmNotifyErr()), and its log file:
 * redirect a stream to it, and write a first and a last line.
 *
 * Threads: the process has one message under construction.  A lock guards this message and the
 * setting of pmSyslog().  Another lock guards the list of streams that get a last line when the
 * program ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"

#define MOST	16	/* maximum number of streams that get a last line */

SHIM_FORK_LOCK(message_lock, 2);
static char *message;		/* the message so far */
static size_t length;
static bool to_syslog;

static int message_append(const char *fmt, va_list args)
{
	char *text, *longer;
	int n = vasprintf(&text, fmt, args);

	if (n < 0)
		return -ENOMEM;
	longer = realloc(message, length + n + 1);
	if (longer) {
		memcpy(longer + length, text, (size_t)n + 1);
		message = longer;
		length += n;
	}
	free(text);
	return longer ? n : -ENOMEM;
}

/**
 * pmprintf() - append to the message that pmflush() prints
 * @fmt: as for printf(3)
 *
 * Return: the number of bytes, -ENOMEM.
 */
SHIM_API int pmprintf(const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	shim_fork_lock__enter(&message_lock);
	n = message_append(fmt, args);
	shim_fork_lock__leave(&message_lock);
	va_end(args);
	return n;
}

/*
 * Write to the file in PCP_STDERR, otherwise to stderr.  DISPLAY, which means a window in PCP, also
 * means stderr here.
 */
static int show(const char *text, size_t len)
{
	const char *name = shim_environ__get("PCP_STDERR");
	FILE *f = NULL;
	bool bad;

	if (name && *name && strcmp(name, "DISPLAY"))
		f = fopen(name, "ae");
	bad = fwrite(text, 1, len, f ? f : stderr) < len;
	bad |= f ? fclose(f) : fflush(stderr);
	return bad ? -1 : 0;
}

/**
 * pmflush() - print the message, and start a new one
 *
 * Return: 0, or -1 if it could not be written.
 */
SHIM_API int pmflush(void)
{
	int err = 0;

	shim_fork_lock__enter(&message_lock);
	if (length)
		err = show(message, length);
	free(message);
	message = NULL;
	length = 0;
	shim_fork_lock__leave(&message_lock);
	return err;
}

static const char *level_name(int priority)
{
	static const char *const names[] = {
		[LOG_EMERG] = "Emergency", [LOG_ALERT] = "Alert", [LOG_CRIT] = "Critical",
		[LOG_ERR] = "Error", [LOG_WARNING] = "Warning", [LOG_NOTICE] = "Notice",
		[LOG_INFO] = "Info", [LOG_DEBUG] = "Debug",
	};
	unsigned int i = (unsigned int)priority;

	return i < sizeof(names) / sizeof(names[0]) ? names[i] : "???";
}

static void notify(int priority, const char *text)
{
	size_t len = strlen(text);
	time_t now = time(NULL);
	char date[32] = "";
	struct tm tm;

	if (localtime_r(&now, &tm))
		strftime(date, sizeof(date), "%a %b %e %H:%M:%S", &tm);
	pmprintf("[%s] %s(%d) %s: %s%s", date, pmGetProgname(), (int)getpid(),
		 level_name(priority), text, len && text[len - 1] == '\n' ? "" : "\n");
	pmflush();
}

/**
 * pmNotifyErr() - print a message with the time, the program, and the priority
 * @priority: LOG_ERR, LOG_WARNING etc. from <syslog.h>
 * @fmt: as for printf(3)
 *
 * The message is written to the same place as by pmprintf(), and also to syslog if pmSyslog() has
 * enabled that.
 */
SHIM_API void pmNotifyErr(int priority, const char *fmt, ...)
{
	va_list args;
	char *text;
	bool both;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	if (n < 0)
		return;
	shim_fork_lock__enter(&message_lock);
	both = to_syslog;
	shim_fork_lock__leave(&message_lock);
	if (both)
		syslog(priority, "%s", text);
	notify(priority, text);
	free(text);
}

/** pmSyslog() - set whether pmNotifyErr() also writes to syslog; off by default */
SHIM_API void pmSyslog(int onoff)
{
	shim_fork_lock__enter(&message_lock);
	if (onoff && !to_syslog)
		openlog(pmGetProgname(), LOG_PID, LOG_DAEMON);
	else if (!onoff && to_syslog)
		closelog();
	to_syslog = onoff;
	shim_fork_lock__leave(&message_lock);
}

/**
 * pmNoMem() - report that memory could not be allocated
 * @where: purpose of the allocation
 * @size: number of bytes
 * @fatal: PM_FATAL_ERR to end the program
 */
SHIM_API void pmNoMem(const char *where, size_t size, int fatal)
{
	pmNotifyErr(fatal == PM_FATAL_ERR ? LOG_ERR : LOG_WARNING, "%s: malloc(%zu) failed: %s",
		    where, size, strerror(errno));
	if (fatal == PM_FATAL_ERR)
		exit(1);
}

SHIM_FORK_LOCK(streams_lock, 2);
static FILE *streams[MOST];
static unsigned int nstreams;

static void time_text(char *buf, size_t size)
{
	time_t t = time(NULL);
	struct tm tm;

	*buf = '\0';
	if (localtime_r(&t, &tm))
		strftime(buf, size, "%a %b %e %H:%M:%S %Y", &tm);
}

/* Called by exit().  It takes no lock. */
static void message_finish(void)
{
	char date[32];

	time_text(date, sizeof(date));
	for (unsigned int i = 0; i < nstreams; i++) {
		fprintf(streams[i], "\nLog finished %s\n", date);
		fflush(streams[i]);
	}
}

static void remember(FILE *f)
{
	bool known = false;

	shim_fork_lock__enter(&streams_lock);
	for (unsigned int i = 0; i < nstreams; i++)
		known |= streams[i] == f;
	if (!nstreams)
		atexit(message_finish);
	if (!known && nstreams < MOST)
		streams[nstreams++] = f;
	shim_fork_lock__leave(&streams_lock);
}

/*
 * Rename an existing file to NAME.prev, as PCP does since 6.2.  A character device such as
 * /dev/null is not renamed, because that would remove it for the whole machine.
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
	 * Do this before the file may get the stream's descriptor, because the buffered data does
	 * not belong in the log.
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
 * @status: set to 1, or to 0 if the file could not be created, in which case the stream is
 *   unchanged
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
	time_text(date, sizeof(date));
	fprintf(oldstream, "Log for %s on %s started %s\n\n", progname, host, date);
	fflush(oldstream);
	remember(oldstream);
	return oldstream;
}
