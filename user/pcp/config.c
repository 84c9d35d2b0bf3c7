// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Configuration: variables of the environment and of pcp.conf, the features of this library, and
 * the program's name and user.
 *
 * Threads: the file is read once, under a lock.  As in the original, its variables become part of
 * the environment.  In a set-user-ID program the environment is foreign, that is, set by a less
 * privileged user.  The file's values then replace the environment's values, and variables that the
 * file does not set are treated as unset.
 *
 * As the interface requires, the process has one name; it is read and written atomically.  A
 * program may also assign to pmProgname.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <pcp/deprecated.h>
#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/lines.h"
#include "base/process.h"
#include "base/vec.h"
#include "config.h"

#define VERSION(a, b, c)	((a) << 16 | (b) << 8 | (c))

SHIM_FORK_LOCK(config_lock, 2);
static bool was_read;

static FILE *open_file(void)
{
	const char *path = shim_environ__get("PCP_CONF"), *dir = shim_environ__get("PCP_DIR");
	char *made;
	FILE *f;

	if (path && *path)
		return fopen(path, "re");
	if (!dir)
		return fopen("/etc/pcp.conf", "re");
	if (asprintf(&made, "%s/etc/pcp.conf", dir) < 0)
		return NULL;
	f = fopen(made, "re");
	free(made);
	return f;
}

static char *unquoted(char *value)
{
	size_t len = strlen(value);

	if (len < 2 || (value[0] != '"' && value[0] != '\'') || value[len - 1] != value[0])
		return value;
	value[len - 1] = '\0';
	return value + 1;
}

/* The variables from the file, in the format of the environment: NAME=value */
static char **set;
static size_t nset, set_room;
/*
 * The environment with these variables.  It is kept after the program's next setenv(3), because
 * another thread may still read it.
 */
static char **published __attribute__((used));

static size_t name_len(const char *entry)
{
	return strcspn(entry, "=");
}

static bool is_same_name(const char *a, const char *b)
{
	return name_len(a) == name_len(b) && !memcmp(a, b, name_len(a));
}

static bool is_of_file(const char *variable)
{
	for (size_t i = 0; i < nset; i++)
		if (is_same_name(set[i], variable))
			return true;
	return false;
}

/*
 * Read a variable from a line NAME=value.  Only the first line of a name is used.  A value that is
 * already in the environment is kept, unless the environment is foreign.  Return 0 or -ENOMEM.
 */
static int take_line(char *line)
{
	char *value = strchr(line, '='), *entry;

	line[strcspn(line, "\n")] = '\0';
	if (*line == '#' || *line == '=' || !value)
		return 0;
	*value++ = '\0';
	if (is_of_file(line) || (!shim_environ__is_foreign() && getenv(line)))
		return 0;
	if (shim_vec__room(set, &set_room, nset) || asprintf(&entry, "%s=%s", line, unquoted(value)) < 0)
		return -ENOMEM;
	set[nset++] = entry;
	return 0;
}

/*
 * Other threads may read the environment at any time, and each setenv(3) could move it while they
 * read.  Therefore build a new environment with all variables and leave the old one unchanged.
 */
static bool config_publish(void)
{
	size_t n = 0, kept = 0;
	char **all;

	while (environ && environ[n])
		n++;
	if (!nset)
		return true;
	all = malloc((n + nset + 1) * sizeof(*all));
	if (!all)
		return false;
	published = all;
	for (size_t i = 0; i < n; i++)
		if (!is_of_file(environ[i]))
			all[kept++] = environ[i];
	memcpy(&all[kept], set, nset * sizeof(*set));
	all[kept + nset] = NULL;
	__atomic_store_n(&environ, all, __ATOMIC_RELEASE);
	return true;
}

/*
 * Read the file once.  Return 0, even if there is no file, or -errno, in which case the next call
 * tries again.
 */
static int read_file(void)
{
	char *line = NULL;
	size_t room = 0;
	int err = 0, more = 0;
	FILE *f = NULL;

	shim_fork_lock__enter(&config_lock);
	if (!was_read) {
		f = open_file();
		if (!f && errno != ENOENT && errno != ENOTDIR)
			err = -errno;
	}
	while (f && !err && (more = shim_lines__next(f, &line, &room)) > 0)
		err = take_line(line);
	free(line);
	if (f) {
		err = err ? err : more;
		if (!config_publish() && !err)
			err = -ENOMEM;
		fclose(f);
	}
	was_read = !err;
	shim_fork_lock__leave(&config_lock);
	return err;
}

int shim_config__get(const char *variable, const char **value)
{
	int err = 0;

	*value = shim_environ__get(variable);
	if (*value)
		return 0;
	err = read_file();
	if (!shim_environ__is_foreign() || is_of_file(variable))
		*value = getenv(variable);
	return *value ? 0 : err;
}

/**
 * pmGetOptionalConfig() - get a variable from the environment, otherwise from pcp.conf
 * @variable: name of the variable
 *
 * The file is $PCP_CONF, $PCP_DIR/etc/pcp.conf or /etc/pcp.conf; it is read once.  A set-user-ID
 * program uses /etc/pcp.conf and ignores the environment.
 *
 * Return: the value, which belongs to the environment; NULL if it is not set, or if the file cannot
 * be read, in which case the next call tries to read it again.
 */
SHIM_API char *pmGetOptionalConfig(const char *variable)
{
	const char *value;

	if (!variable)
		return NULL;
	shim_config__get(variable, &value);
	return (char *)value;
}

/**
 * pmGetConfig() - get a variable from the environment, otherwise from pcp.conf
 * @variable: name of the variable
 *
 * Return: the value; "" if it is not set.
 */
SHIM_API char *pmGetConfig(const char *variable)
{
	static char none[1];
	char *value = pmGetOptionalConfig(variable);

	return value ? value : none;
}

/* TLS and SASL are not implemented, so "secure_sockets" and "authentication" are false. */
static const struct {
	const char *feature;
	const char *value;
} features[] = {
	{ "pcp_version", "6.3.8" },
	{ "pmapi_version", "3" },
	{ "multi_threaded", "true" },
	{ "fault_injection", "false" },
	{ "secure_sockets", "false" },
	{ "ipv6", "true" },
	{ "authentication", "false" },
	{ "unix_domain_sockets", "true" },
	{ "static_probes", "false" },
	{ "service_discovery", "false" },
	{ "multi_archive_contexts", "true" },
	{ "lock_asserts", "false" },
	{ "lock_debug", "false" },
	{ "lzma_decompress", "true" },
	{ "transparent_decompress", "true" },
	{ "compress_suffixes", ".xz .lzma .bz2 .bz .gz .Z .z .zst" },
	{ "v3_archives", "true" },
	{ "archive_features", "" },
};

/**
 * pmGetAPIConfig() - query a feature of this library
 * @feature: the feature's name in PCP
 *
 * Return: "true", "false" or a text; NULL for an unknown @feature.
 */
SHIM_API const char *pmGetAPIConfig(const char *feature)
{
	for (size_t i = 0; feature && i < sizeof(features) / sizeof(features[0]); i++)
		if (!strcmp(features[i].feature, feature))
			return features[i].value;
	return NULL;
}

/** pmGetVersion() - get the version of PCP's library that this one implements: 0x060308 is 6.3.8 */
SHIM_API int pmGetVersion(void)
{
	return VERSION(6, 3, 8);
}

/**
 * pmGetUsername() - get the user that runs PCP's services
 * @username: set to PCP_USER of the configuration, or "pcp"
 *
 * Return: 1 if the configuration names a user, 0 if @username is the default.
 */
SHIM_API int pmGetUsername(char **username)
{
	static char usual[] = "pcp";
	char *value = pmGetOptionalConfig("PCP_USER");
	int said = value && *value;

	if (!username)
		return -EINVAL;
	*username = said ? value : usual;
	return said;
}

SHIM_API char *pmProgname = "pcp";

/**
 * pmSetProgname() - set the program's name for messages
 * @program: a path, whose last part is used; it is not copied, so it must remain valid; NULL for
 *	the default, "pcp"
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
 * This sets the user's group, supplementary groups and user ID, in that order.
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
 * libshim does not load agents into a program, so only "clear", which removes all agents, is
 * supported.
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
