/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Features of the system, under the names of PCP's platform header, for programs with conditional
 * code. Headers and sizes are detected when a program is compiled. The rest is the same on every
 * Linux system with the C library that libshim requires.
 *
 * Macros about the build of another library are omitted: HAVE_SECURE_SOCKETS, HAVE_STATIC_PROBES,
 * HAVE_PMA_QUERY_VIA, HAVE_UV_PIPE_CHMOD, HAVE_LIBIBMAD, HAVE_LIBIBUMAD, HAVE_SET_ESCDELAY,
 * HAVE_GETMOUSE.
 */
#ifndef PCP_PLATFORM_HAVE_H
#define PCP_PLATFORM_HAVE_H

#include <features.h>

/* Sizes and byte order */
#if __SIZEOF_LONG__ == 8
#define HAVE_64BIT_LONG 1
#else
#define HAVE_32BIT_LONG 1
#endif
#if __SIZEOF_POINTER__ == 8
#define HAVE_64BIT_PTR 1
#else
#define HAVE_32BIT_PTR 1
#endif
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define HAVE_NETWORK_BYTEORDER 1
#endif

/* Functions */
#define HAVE_ATEXIT 1
#define HAVE_BACKTRACE 1
#define HAVE_BASENAME 1
#define HAVE_BRK 1
#define HAVE_CFMAKERAW 1
#define HAVE_CHOWN 1
#define HAVE_CLOCK_GETTIME 1
#define HAVE_DIRNAME 1
#define HAVE_DLOPEN 1
#define HAVE_FCHMOD 1
#define HAVE_FCHOWN 1
#define HAVE_FCNTL 1
#define HAVE_FPCLASSIFY 1
#define HAVE_GETCWD 1
#define HAVE_GETDOMAINNAME 1
#define HAVE_GETGID 1
#define HAVE_GETGRENT 1
#define HAVE_GETGRENT_R 1
#define HAVE_GETGRGID 1
#define HAVE_GETGRGID_R 1
#define HAVE_GETGRNAM 1
#define HAVE_GETGRNAM_R 1
#define HAVE_GETHOSTNAME 1
#define HAVE_GETPWENT 1
#define HAVE_GETPWENT_R 1
#define HAVE_GETPWNAM 1
#define HAVE_GETPWNAM_R 1
#define HAVE_GETPWUID 1
#define HAVE_GETPWUID_R 1
#define HAVE_GETRESUID 1
#define HAVE_GETRUSAGE 1
#define HAVE_GETUID 1
#define HAVE_IOCTL 1
#define HAVE_KILL 1
#define HAVE_MEMALIGN 1
#define HAVE_MKSTEMP 1
#define HAVE_MKTIME 1
#define HAVE_NANOSLEEP 1
#define HAVE_PIPE2 1
#define HAVE_POSIX_MEMALIGN 1
#define HAVE_POW 1
#define HAVE_PRCTL 1
#define HAVE_RECVMSG 1
#define HAVE_REGCOMP 1
#define HAVE_REGEXEC 1
#define HAVE_SBRK 1
#define HAVE_SCANDIR 1
#define HAVE_SELECT 1
#define HAVE_SENDMSG 1
#define HAVE_SETLINEBUF 1
#define HAVE_SETNS 1
#define HAVE_SIGHOLD 1
#define HAVE_SIGNAL 1
#define HAVE_SIGRELSE 1
#define HAVE_SOCKET 1
#define HAVE_STRCASESTR 1
#define HAVE_STRCHRNUL 1
#define HAVE_STRNDUP 1
#define HAVE_STRSEP 1
#define HAVE_STRTOD 1
#define HAVE_STRTOL 1
#define HAVE_STRTOLL 1
#define HAVE_STRTOULL 1
#define HAVE_SYSINFO 1
#define HAVE_SYSLOG 1
#define HAVE_TCGETATTR 1
#define HAVE_UNAME 1
#define HAVE_UNSETENV 1
#define HAVE_USLEEP 1
#define HAVE_VALLOC 1
#define HAVE_VPRINTF 1
#define HAVE_WAIT3 1
#define HAVE_WAITPID 1
#define HAVE___CLONE 1
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
#define HAVE_CLOSEFROM 1
#endif
#ifdef __USE_GNU
#define HAVE_STRERROR_R_PTR 1
#endif

/* Types, members, constants, linker symbols, and properties */
#define HAVE_AI_ADDRCONFIG 1
#define HAVE_CAST_U64_DOUBLE 1
#define HAVE_CONST_DIRENT 1
#define HAVE_CONST_LONGLONG 1
#define HAVE_DIRENT_D_OFF 1
#define HAVE_ETEXT 1
#define HAVE_FNDELAY 1
#define HAVE_GID_T 1
#define HAVE_LIBM 1
#define HAVE_PRINTF_P_PFX 1
#define HAVE_PR_SET_PDEATHSIG 1
#define HAVE_PTHREAD_BARRIER_T 1
#define HAVE_PTHREAD_MUTEX_T 1
#define HAVE_PTRDIFF_T 1
#define HAVE_SA_SIGINFO 1
#define HAVE_SIGBUS 1
#define HAVE_SIGHUP 1
#define HAVE_SIGPIPE 1
#define HAVE_SOCKLEN_T 1
#define HAVE_STAT_TIMESPEC 1
#define HAVE_STRFTIME_z 1
#define HAVE_STRUCT_SOCKADDR_UN 1
#define HAVE_STRUCT_TIMESPEC 1
#define HAVE_STRUCT_UCRED 1
#define HAVE_TERMIO_SIGNALS 1
#define HAVE_UID_T 1
#define HAVE_WAIT_INCLUDES_SIGNAL 1
#define HAVE__ETEXT 1
#define HAVE___ETEXT 1
#define HAVE___EXECUTABLE_START 1
#define HAVE___THREAD 1

/* Archives may be compressed: libshim reads xz and other formats */
#define HAVE_LZMA_DECOMPRESSION 1
#define HAVE_TRANSPARENT_DECOMPRESSION 1

/* Headers */
#if __has_include(<arpa/inet.h>)
#define HAVE_ARPA_INET_H 1
#endif
#if __has_include(<avahi-common/alternative.h>)
#define HAVE_AVAHI_COMMON_ALTERNATIVE_H 1
#endif
#if __has_include(<bits/wordsize.h>)
#define HAVE_BITS_WORDSIZE_H 1
#endif
#if __has_include(<curses.h>)
#define HAVE_CURSES_H 1
#endif
#if __has_include(<dirent.h>)
#define HAVE_DIRENT_H 1
#endif
#if __has_include(<dlfcn.h>)
#define HAVE_DLFCN_H 1
#endif
#if __has_include(<endian.h>)
#define HAVE_ENDIAN_H 1
#endif
#if __has_include(<execinfo.h>)
#define HAVE_EXECINFO_H 1
#endif
#if __has_include(<fcntl.h>)
#define HAVE_FCNTL_H 1
#endif
#if __has_include(<fts.h>)
#define HAVE_FTS_H 1
#endif
#if __has_include(<grp.h>)
#define HAVE_GRP_H 1
#endif
#if __has_include(<infiniband/mad.h>)
#define HAVE_INFINIBAND_MAD_H 1
#endif
#if __has_include(<infiniband/umad.h>)
#define HAVE_INFINIBAND_UMAD_H 1
#endif
#if __has_include(<infiniband/verbs.h>)
#define HAVE_INFINIBAND_VERBS_H 1
#endif
#if __has_include(<inttypes.h>)
#define HAVE_INTTYPES_H 1
#endif
#if __has_include(<libgen.h>)
#define HAVE_LIBGEN_H 1
#endif
#if __has_include(<limits.h>)
#define HAVE_LIMITS_H 1
#endif
#if __has_include(<linux/perf_event.h>)
#define HAVE_LINUX_PERF_EVENT_H 1
#endif
#if __has_include(<lzma.h>)
#define HAVE_LZMA_H 1
#endif
#if __has_include(<malloc.h>)
#define HAVE_MALLOC_H 1
#endif
#if __has_include(<math.h>)
#define HAVE_MATH_H 1
#endif
#if __has_include(<ncursesw/curses.h>)
#define HAVE_NCURSESW_CURSES_H 1
#endif
#if __has_include(<ncursesw/term.h>)
#define HAVE_NCURSESW_TERM_H 1
#endif
#if __has_include(<ncurses.h>)
#define HAVE_NCURSES_H 1
#endif
#if __has_include(<netdb.h>)
#define HAVE_NETDB_H 1
#endif
#if __has_include(<netinet/in.h>)
#define HAVE_NETINET_IN_H 1
#endif
#if __has_include(<netinet/tcp.h>)
#define HAVE_NETINET_TCP_H 1
#endif
#if __has_include(<net/if.h>)
#define HAVE_NET_IF_H 1
#endif
#if __has_include(<perfmon/pfmlib_perf_event.h>)
#define HAVE_PERFMON_PFMLIB_PERF_EVENT_H 1
#endif
#if __has_include(<poll.h>)
#define HAVE_POLL_H 1
#endif
#if __has_include(<pthread.h>)
#define HAVE_PTHREAD_H 1
#endif
#if __has_include(<pwd.h>)
#define HAVE_PWD_H 1
#endif
#if __has_include(<regex.h>)
#define HAVE_REGEX_H 1
#endif
#if __has_include(<sched.h>)
#define HAVE_SCHED_H 1
#endif
#if __has_include(<stddef.h>)
#define HAVE_STDDEF_H 1
#endif
#if __has_include(<stdint.h>)
#define HAVE_STDINT_H 1
#endif
#if __has_include(<stdlib.h>)
#define HAVE_STDLIB_H 1
#endif
#if __has_include(<strings.h>)
#define HAVE_STRINGS_H 1
#endif
#if __has_include(<string.h>)
#define HAVE_STRING_H 1
#endif
#if __has_include(<syslog.h>)
#define HAVE_SYSLOG_H 1
#endif
#if __has_include(<systemd/sd-daemon.h>)
#define HAVE_SYSTEMD_SD_DAEMON_H 1
#endif
#if __has_include(<sys/ioctl.h>)
#define HAVE_SYS_IOCTL_H 1
#endif
#if __has_include(<sys/mman.h>)
#define HAVE_SYS_MMAN_H 1
#endif
#if __has_include(<sys/mount.h>)
#define HAVE_SYS_MOUNT_H 1
#endif
#if __has_include(<sys/prctl.h>)
#define HAVE_SYS_PRCTL_H 1
#endif
#if __has_include(<sys/resource.h>)
#define HAVE_SYS_RESOURCE_H 1
#endif
#if __has_include(<sys/select.h>)
#define HAVE_SYS_SELECT_H 1
#endif
#if __has_include(<sys/socket.h>)
#define HAVE_SYS_SOCKET_H 1
#endif
#if __has_include(<sys/statfs.h>)
#define HAVE_SYS_STATFS_H 1
#endif
#if __has_include(<sys/statvfs.h>)
#define HAVE_SYS_STATVFS_H 1
#endif
#if __has_include(<sys/stat.h>)
#define HAVE_SYS_STAT_H 1
#endif
#if __has_include(<sys/sysinfo.h>)
#define HAVE_SYS_SYSINFO_H 1
#endif
#if __has_include(<sys/termios.h>)
#define HAVE_SYS_TERMIOS_H 1
#endif
#if __has_include(<sys/times.h>)
#define HAVE_SYS_TIMES_H 1
#endif
#if __has_include(<sys/types.h>)
#define HAVE_SYS_TYPES_H 1
#endif
#if __has_include(<sys/un.h>)
#define HAVE_SYS_UN_H 1
#endif
#if __has_include(<sys/wait.h>)
#define HAVE_SYS_WAIT_H 1
#endif
#if __has_include(<termios.h>)
#define HAVE_TERMIOS_H 1
#endif
#if __has_include(<termio.h>)
#define HAVE_TERMIO_H 1
#endif
#if __has_include(<term.h>)
#define HAVE_TERM_H 1
#endif
#if __has_include(<unistd.h>)
#define HAVE_UNISTD_H 1
#endif
#if __has_include(<values.h>)
#define HAVE_VALUES_H 1
#endif
#if __has_include(<readline/readline.h>)
#define HAVE_LIBREADLINE 1
#define HAVE_READLINE 1
#endif

#endif /* PCP_PLATFORM_HAVE_H */
