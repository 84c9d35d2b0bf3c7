// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Messages of a program: pmprintf() to stderr or a file, and pmNotifyErr().
 *
 * Threads: the process has one message under construction.  A lock guards it, and the setting of
 * pmSyslog().
 */
#define _GNU_SOURCE	/* for vasprintf */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"

static struct shim_lock lock = SHIM_LOCK_INITIALIZER;
static char *message;		/* length so far */
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
 * pmprintf() - append to the message that pmflush() shows
 * @fmt: as for printf(3)
 *
 * Return: the number of bytes, -ENOMEM.
 */
SHIM_API int pmprintf(const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	shim_lock__enter(&lock);
	n = message_append(fmt, args);
	shim_lock__leave(&lock);
	va_end(args);
	return n;
}

/*
 * Write to the file in PCP_STDERR, otherwise to stderr.  DISPLAY, which means a window in PCP, also
 * means stderr.
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
 * pmflush() - show the message, and start a new one
 *
 * Return: 0, or -1 if it could not be written.
 */
SHIM_API int pmflush(void)
{
	int err = 0;

	shim_lock__enter(&lock);
	if (length)
		err = show(message, length);
	free(message);
	message = NULL;
	length = 0;
	shim_lock__leave(&lock);
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
 * pmNotifyErr() - show a message with the time, the program, and the priority
 * @priority: LOG_ERR, LOG_WARNING etc. from <syslog.h>
 * @fmt: as for printf(3)
 *
 * It is written to the same place as pmprintf(), and also to syslog if pmSyslog() has enabled that.
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
	shim_lock__enter(&lock);
	both = to_syslog;
	shim_lock__leave(&lock);
	if (both)
		syslog(priority, "%s", text);
	notify(priority, text);
	free(text);
}

/** pmSyslog() - set whether pmNotifyErr() also writes to syslog; off by default */
SHIM_API void pmSyslog(int onoff)
{
	shim_lock__enter(&lock);
	if (onoff && !to_syslog)
		openlog(pmGetProgname(), LOG_PID, LOG_DAEMON);
	else if (!onoff && to_syslog)
		closelog();
	to_syslog = onoff;
	shim_lock__leave(&lock);
}

/**
 * pmNoMem() - report that memory could not be allocated
 * @where: purpose of the allocation
 * @size: number of bytes
 * @fatal: PM_FATAL_ERR ends the program
 */
SHIM_API void pmNoMem(const char *where, size_t size, int fatal)
{
	pmNotifyErr(fatal == PM_FATAL_ERR ? LOG_ERR : LOG_WARNING, "%s: malloc(%zu) failed: %s",
		    where, size, strerror(errno));
	if (fatal == PM_FATAL_ERR)
		exit(1);
}
