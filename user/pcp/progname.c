// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The program's name and user, and calls that always return the same result here.
 *
 * Threads: as the interface requires, the process has one name; it is read and written atomically.
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
 * pmSetProgname() - set the program's name for messages
 * @program: a path, whose last part is used; it is not copied, so it must remain valid.  NULL for
 *	"pcp", the default
 */
SHIM_API void pmSetProgname(const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL;

	__atomic_store_n(&pmProgname, (char *)(slash ? slash + 1 : program ? program : "pcp"),
			 __ATOMIC_SEQ_CST);
}

/** __pmSetProgname() - older name of pmSetProgname(); returns 0 */
SHIM_API int __pmSetProgname(const char *program)
{
	pmSetProgname(program);
	return 0;
}

/**
 * pmGetProgname() - get the name set by pmSetProgname()
 *
 * Return: the name, without a path.
 */
SHIM_API char *pmGetProgname(void)
{
	return __atomic_load_n(&pmProgname, __ATOMIC_SEQ_CST);
}

/**
 * pmPathSeparator() - get the separator of the parts of a path
 *
 * Return: a slash.
 */
SHIM_API int pmPathSeparator(void)
{
	return '/';
}

/**
 * pmSetProcessIdentity() - change to another user
 * @username: the user; requires root
 *
 * Set the user's group, supplementary groups and user ID, in that order.
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
 * pmSpecLocalPMDA() - configure agents for PM_CONTEXT_LOCAL
 * @spec: the agents
 *
 * libshim does not load agents into a program, so only "clear" is supported: there are none.
 *
 * Return: NULL for "clear", otherwise an error message.
 */
SHIM_API char *pmSpecLocalPMDA(const char *spec)
{
	static char none[] = "there are no local agents in this library";

	return spec && !strcmp(spec, "clear") ? NULL : none;
}

/**
 * pmDiscoverServices() - find PCP's servers in the network
 * @service: PM_SERVER_x_SPEC
 * @mechanism: method of discovery; NULL for any
 * @urls: not changed
 *
 * libshim does not support service discovery.
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
