/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Solaris' sysinfo(2), which returns strings that describe the machine, all from uname(2).
 *
 * The C library has another call with that name and one argument, so this one is a macro.
 */
#ifndef SHIM_SYS_SYSTEMINFO_H
#define SHIM_SYS_SYSTEMINFO_H

#include <errno.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>

#define SI_SYSNAME	1
#define SI_HOSTNAME	2
#define SI_RELEASE	3
#define SI_VERSION	4
#define SI_MACHINE	5
#define SI_ARCHITECTURE	6
#define SI_PLATFORM	513

static __inline__ const char *shim_sysinfo_word(int command, const struct utsname *name)
{
	switch (command) {
	case SI_SYSNAME:
		return name->sysname;
	case SI_HOSTNAME:
		return name->nodename;
	case SI_RELEASE:
		return name->release;
	case SI_VERSION:
		return name->version;
	case SI_MACHINE:
	case SI_ARCHITECTURE:
	case SI_PLATFORM:
		return name->machine;
	default:
		return NULL;
	}
}

/*
 * Return the length of the string with its NUL, and store at most @count bytes of it.  Return -1
 * and set errno to EINVAL for an unknown @command.
 */
static __inline__ int shim_sysinfo(int command, char *buf, long count)
{
	struct utsname name;
	const char *word;
	size_t len;

	if (uname(&name))
		return -1;
	word = shim_sysinfo_word(command, &name);
	if (!word) {
		errno = EINVAL;
		return -1;
	}
	len = strlen(word);
	if (count > 0) {
		size_t room = (size_t)count - 1 < len ? (size_t)count - 1 : len;

		memcpy(buf, word, room);
		buf[room] = '\0';
	}
	return (int)len + 1;
}

#define sysinfo(command, buf, count)	shim_sysinfo(command, buf, count)

#endif /* SHIM_SYS_SYSTEMINFO_H */
