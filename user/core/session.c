// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open a back end, and store its features. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"
#include "backend_both.h"
#include "perf_group.h"
#include "pmus.h"
#include "session.h"

/* Kernel settings that determine which events a program can count, and how */

/**
 * shim_sysctl__number() - read a number from a kernel file
 * @path: the file
 *
 * Return: the number, or -1 if the file cannot be read.
 */
long shim_sysctl__number(const char *path)
{
	char text[32];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = '\0';
	return strtol(text, NULL, 10);
}

/*
 * Select the back end, and explain the selection.
 *
 * The environment variable SHIM_BACKEND selects the back end.  The default is the module, or perf
 * if the module is not loaded.
 *
 * shim_session__backend() is weak: a test that is linked with the static library selects another
 * back end by defining the function.
 */

static const struct shim_backend_ops *const known[] = {
	&shim_backend__both,
	&shim_backend__perf,
};

static const char *wish(void)
{
	const char *name = shim_environ__get("SHIM_BACKEND");

	return name && *name ? name : NULL;
}

/**
 * shim_session__backend() - get the back end for sessions
 *
 * Return: the back end that SHIM_BACKEND names, or the module's back end if it is not set; NULL if
 * the name is unknown.
 */
__attribute__((weak)) const struct shim_backend_ops *shim_session__backend(void)
{
	const char *name = wish();

	if (!name)
		return known[0];
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i]->name, name))
			return known[i];
	return NULL;
}

/**
 * shim_session__next() - get the back end to try next
 * @ops: the back end that is not available or has a different version
 *
 * Return: another back end, or NULL.
 */
const struct shim_backend_ops *shim_session__next(const struct shim_backend_ops *ops)
{
	return ops == &shim_backend__both && !wish() ? &shim_backend__perf : NULL;
}

static int tell_how_read(char *buf, size_t size)
{
	long access = shim_sysctl__number(SHIM_USER_ACCESS);

	if (!shim_group__slots())
		return snprintf(buf, size,
				"no PMU is available to the caller, so only software events are counted");
	if (shim_pmus__several())
		return snprintf(
			buf, size,
			"each sample takes a system call because there are several kinds of core");
	if (access < 0)
		return snprintf(buf, size,
				"each sample takes a system call because the kernel lacks %s",
				SHIM_USER_ACCESS_IS);
	return snprintf(buf, size, "%s is %ld: %s", SHIM_USER_ACCESS_IS, access,
			access ? "a thread reads its own hardware counters without a system call" :
				 "each sample takes a system call");
}

/* Return whether a system call filter, for example a container's, is active for this process. */
static bool is_filtered(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];
	int mode = 0;

	while (f && !mode && fgets(line, sizeof(line), f))
		sscanf(line, "Seccomp: %d", &mode);
	if (f)
		fclose(f);
	return mode != 0;
}

static int tell_perf_refuses(int err, char *buf, size_t size)
{
	long paranoid = shim_sysctl__number(SHIM_PARANOID);

	if (is_filtered() && (err == -EACCES || err == -EPERM || err == -ENOSYS))
		return snprintf(buf, size,
				"perf_event_open(2) fails with '%s', and a system call filter "
				"(seccomp) is active, for example a container's",
				strerror(-err));
	switch (err) {
	case -EACCES:
		if (paranoid > 2)
			return snprintf(buf, size,
					"perf_event_open(2) is not permitted: "
					"kernel.perf_event_paranoid is %ld; "
					"to permit users to count their own processes in user mode, "
					"run 'sysctl kernel.perf_event_paranoid=2' as root",
					paranoid);
		return snprintf(
			buf, size,
			"perf_event_open(2) is not allowed, although kernel.perf_event_paranoid is "
			"%ld; a security module's policy may forbid it",
			paranoid);
	case -EPERM:
		return snprintf(buf, size,
				"perf_event_open(2) is forbidden, for example by a security "
				"module's policy");
	case -ENOSYS:
		return snprintf(buf, size, "this kernel has no perf_event_open(2)");
	default:
		return snprintf(buf, size, "perf_event_open(2) fails: %s", strerror(-err));
	}
}

/* Explain why the module counts, and whether threads read their counters through perf's pages. */
static void tell_module(const char *name, char *buf, size_t size)
{
	long access = shim_sysctl__number(SHIM_USER_ACCESS);

	snprintf(buf, size, "%s; a thread reads its own hardware counters %s",
		 name ? "SHIM_BACKEND selects it" : "/dev/vcpc exists",
		 shim_group__slots() && access > 0 && !shim_pmus__several()
			 ? "through perf's mmap pages, without a system call"
			 : "with a system call");
}

/* Explain why the module does not count. */
static int tell_no_module(bool asked, char *buf, size_t size)
{
	int abi = asked ? 0 : shim_vcpc__abi();

	if (abi > 0 && abi != VCPC_ABI_VERSION)
		return snprintf(buf, size,
				"the loaded vcpc module has interface version %d, but this "
				"library requires version %d; ", abi, VCPC_ABI_VERSION);
	return snprintf(buf, size, "%s; ", asked ? "SHIM_BACKEND selects perf" :
			access("/dev/vcpc", F_OK) ? "the vcpc module is not loaded" :
						    "/dev/vcpc cannot be used");
}

/**
 * shim_session__why() - explain why a back end is used, or why none is available
 * @ops: the back end that was opened, or NULL
 * @buf: a text without a newline, truncated to @size
 * @size: size of @buf, not 0
 */
void shim_session__why(const struct shim_backend_ops *ops, char *buf, size_t size)
{
	const char *name = wish();
	int perf = shim_group__why();
	size_t n;

	if (!ops && !shim_session__backend()) {
		snprintf(buf, size, "unknown SHIM_BACKEND '%s' (use vcpc or perf)", name);
		return;
	}
	if (ops == &shim_backend__both) {
		tell_module(name, buf, size);
		return;
	}
	n = tell_no_module(name && ops, buf, size);
	if (n >= size)
		return;
	if (!ops && name && strcmp(name, shim_backend__perf.name))
		snprintf(buf + n, size - n, "SHIM_BACKEND is '%s', so perf is not tried",
			 name);
	else if (perf)
		tell_perf_refuses(perf, buf + n, size - n);
	else
		tell_how_read(buf + n, size - n);
}

struct shim_session {
	const struct shim_backend_ops *ops;
	union shim_backend_ref dev;
	struct vcpc_info_args info;
};

/*
 * Open the selected back end, or the next one if the module is not loaded or its version differs.
 */
static int open_backend(struct shim_session *session)
{
	const struct shim_backend_ops *next;
	int ret;

	session->ops = shim_session__backend();
	if (!session->ops)
		return -EINVAL;
	ret = session->ops->open(&session->dev, &session->info);
	next = ret == -ENODEV || ret == -EPROTONOSUPPORT ? shim_session__next(session->ops) : NULL;
	if (!next)
		return ret;
	session->ops = next;
	return next->open(&session->dev, &session->info);
}

/**
 * shim_session__open() - open the back end
 * @out: the session, to be closed with shim_session__close()
 *
 * Return: 0; -ENODEV if the module is not loaded and perf is not available; -EACCES if the caller
 * has no permission to open the module's device, or to use perf instead; -EPROTONOSUPPORT if
 * SHIM_BACKEND names the module and its version differs; -EINVAL if SHIM_BACKEND names no back end;
 * -ENOMEM; or an error from open(2).
 */
int shim_session__open(struct shim_session **out)
{
	struct shim_session *session = calloc(1, sizeof(*session));
	int ret;

	if (!session || shim_fork__watch()) {
		free(session);
		return -ENOMEM;
	}
	ret = shim_pmus__load();
	if (!ret)
		ret = open_backend(session);
	if (ret) {
		free(session);
		return ret;
	}
	*out = session;
	return 0;
}

/**
 * shim_session__close() - close the back end
 * @session: freed; counters created from it continue to exist
 */
void shim_session__close(struct shim_session *session)
{
	session->ops->close(session->dev);
	free(session);
}

const struct vcpc_info_args *shim_session__info(const struct shim_session *session)
{
	return &session->info;
}

const struct shim_backend_ops *shim_session__ops(const struct shim_session *session)
{
	return session->ops;
}

union shim_backend_ref shim_session__dev(const struct shim_session *session)
{
	return session->dev;
}
