/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of PCP's platform header that programs rely on: other headers, and names that differ
 * between the systems on which PCP runs.  <pcp/pmapi.h> includes it.
 */
#ifndef PCP_PLATFORM_DEFS_H
#define PCP_PLATFORM_DEFS_H

#include <arpa/inet.h>
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/types.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <pcp/platform_have.h>

#define IS_LINUX	1

#define PCP_CALL
#define PCP_DATA

#define PM_VERSION(a, b, c)	(((a) << 16) | ((b) << 8) | (c))
#define PM_VERSION_CURRENT	PM_VERSION(6, 3, 8)	/* the version of PCP with this interface */

/* Types of struct timeval's members */
#define PM_SIZEOF_TIME_T	__SIZEOF_LONG__
#define PM_SIZEOF_SUSECONDS_T	__SIZEOF_LONG__

#define FMT_INT64	PRId64
#define FMT_UINT64	PRIu64
#define FMT_PID		"d"
#define FMT_SIZE	"zu"
#define FMT_PTHREAD	"lu"
#define PRINTF_P_PFX	""	/* printf() prints 0x for %p */

#ifndef LONGLONG_MAX
#define LONGLONG_MAX	LLONG_MAX
#define ULONGLONG_MAX	ULLONG_MAX
#endif
#ifndef WORD_BIT
#define WORD_BIT	32
#endif
#ifndef MAXNAMELEN
#define MAXNAMELEN	FILENAME_MAX
#endif
#ifndef MAXDOMAINNAMELEN
#define MAXDOMAINNAMELEN	64
#endif
#ifndef MAXMACHINEIDLEN
#define MAXMACHINEIDLEN		256
#endif

#define strtoint64	strtoll
#define strtouint64	strtoull

/* Errors of the system, the network, and host names */
#define setoserror(code)	(errno = (code))
#define oserror()		errno
#define osstrerror()		strerror(errno)
#define osstrerror_r(buf, len)	pmErrStr_r(-errno, buf, len)
#define neterror()		errno
#define netstrerror()		strerror(errno)
#define netstrerror_r(buf, len)	pmErrStr_r(-errno, buf, len)
#define hosterror()		h_errno
#define hoststrerror()		hstrerror(h_errno)

#define const_dirent		const struct dirent
#define mkdir2(path, mode)	mkdir(path, mode)
#define rename2(from, to)	rename(from, to)
#define pipe1(fds)		pipe(fds)

typedef void (*SIG_PF)(int);
typedef long __psint_t;	/* as wide as a pointer */

#endif /* PCP_PLATFORM_DEFS_H */
