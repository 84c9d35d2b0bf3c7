// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The program's name and user, and calls that always return the same here.
 *
 * Threads: the process has one name, as the interface demands; it is read and written atomically.
 * A program may also assign to pmProgname.
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/deprecated.h>

#include "base/api.h"

SHIM_API char *pmProgname = "pcp";

/**
 * pmSetProgname() - name the program in messages
 * @program: a path, of which the last part is used; it must stay where it is.
 *	NULL for "pcp", the default
 */
SHIM_API void pmSetProgname(const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL;

	__atomic_store_n(&pmProgname, (char *)(slash ? slash + 1 : program ? program : "pcp"),
			 __ATOMIC_SEQ_CST);
}

/** __pmSetProgname() - pmSetProgname() by its older name; returns 0 */
SHIM_API int __pmSetProgname(const char *program)
{
	pmSetProgname(program);
	return 0;
}

/**
 * pmGetProgname() - what pmSetProgname() was given
 *
 * Return: the name, without a path.
 */
SHIM_API char *pmGetProgname(void)
{
	return __atomic_load_n(&pmProgname, __ATOMIC_SEQ_CST);
}

/**
 * pmPathSeparator() - the character between the parts of a path
 *
 * Return: a slash.
 */
SHIM_API int pmPathSeparator(void)
{
	return '/';
}

/**
 * pmSetProcessIdentity() - become another user
 * @username: the user; root only
 *
 * Sets the user's group, its supplementary groups and the user ID, in that order.
 *
 * Return: 0, or a negated errno; -ESRCH if there is no such user.
 */
SHIM_API int pmSetProcessIdentity(const char *username)
{
	struct passwd entry, *found;
	char buf[4096];
	int err;

	if (!username)
		return -EINVAL;
	err = getpwnam_r(username, &entry, buf, sizeof(buf), &found);
	if (err || !found)
		return err ? -err : -ESRCH;
	if (setgid(entry.pw_gid) || initgroups(username, entry.pw_gid) || setuid(entry.pw_uid))
		return -errno;
	return 0;
}

/**
 * pmSpecLocalPMDA() - name agents for PM_CONTEXT_LOCAL
 * @spec: which
 *
 * libshim does not load agents into a program, so there is none to be named.
 *
 * Return: an error message, always.
 */
SHIM_API char *pmSpecLocalPMDA(const char *spec)
{
	static char none[] = "there are no local agents in this library";

	(void)spec;
	return none;
}

/**
 * pmDiscoverServices() - look for PCP's servers in the network
 * @service: PM_SERVER_x_SPEC
 * @mechanism: how; NULL for any
 * @urls: untouched
 *
 * libshim has no discovery of services.
 *
 * Return: -EOPNOTSUPP, always.
 */
SHIM_API int pmDiscoverServices(const char *service, const char *mechanism, char ***urls)
{
	(void)service;
	(void)mechanism;
	(void)urls;
	return -EOPNOTSUPP;
}
