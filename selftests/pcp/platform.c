// SPDX-License-Identifier: GPL-2.0-or-later
/* The features that <pcp/platform_defs.h> declares exist: functions, types, members and headers. */
#include <pcp/platform_defs.h>

#include <dlfcn.h>
#include <execinfo.h>
#include <grp.h>
#include <malloc.h>
#include <math.h>
#include <pthread.h>
#include <pwd.h>
#include <regex.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>

#include <kselftest_harness.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"	/* for sighold() and sigrelse() */

/* If a macro is undefined, this does not compile; if a function is missing, it does not link. */
#define FUNCTION(macro, function) { 1 / (HAVE_##macro == 1), #function, (void *)(function) }

static const struct {
	int have;
	const char *name;
	void *at;
} functions[] = {
	FUNCTION(ATEXIT, atexit),
	FUNCTION(BACKTRACE, backtrace),
	FUNCTION(BASENAME, basename),
	FUNCTION(BRK, brk),
	FUNCTION(CFMAKERAW, cfmakeraw),
	FUNCTION(CHOWN, chown),
	FUNCTION(CLOCK_GETTIME, clock_gettime),
	FUNCTION(DIRNAME, dirname),
	FUNCTION(DLOPEN, dlopen),
	FUNCTION(FCHMOD, fchmod),
	FUNCTION(FCHOWN, fchown),
	FUNCTION(FCNTL, fcntl),
	FUNCTION(GETCWD, getcwd),
	FUNCTION(GETDOMAINNAME, getdomainname),
	FUNCTION(GETGID, getgid),
	FUNCTION(GETGRENT, getgrent),
	FUNCTION(GETGRENT_R, getgrent_r),
	FUNCTION(GETGRGID, getgrgid),
	FUNCTION(GETGRGID_R, getgrgid_r),
	FUNCTION(GETGRNAM, getgrnam),
	FUNCTION(GETGRNAM_R, getgrnam_r),
	FUNCTION(GETHOSTNAME, gethostname),
	FUNCTION(GETPWENT, getpwent),
	FUNCTION(GETPWENT_R, getpwent_r),
	FUNCTION(GETPWNAM, getpwnam),
	FUNCTION(GETPWNAM_R, getpwnam_r),
	FUNCTION(GETPWUID, getpwuid),
	FUNCTION(GETPWUID_R, getpwuid_r),
	FUNCTION(GETRESUID, getresuid),
	FUNCTION(GETRUSAGE, getrusage),
	FUNCTION(GETUID, getuid),
	FUNCTION(IOCTL, ioctl),
	FUNCTION(KILL, kill),
	FUNCTION(MEMALIGN, memalign),
	FUNCTION(MKSTEMP, mkstemp),
	FUNCTION(MKTIME, mktime),
	FUNCTION(NANOSLEEP, nanosleep),
	FUNCTION(PIPE2, pipe2),
	FUNCTION(POSIX_MEMALIGN, posix_memalign),
	FUNCTION(POW, pow),
	FUNCTION(PRCTL, prctl),
	FUNCTION(RECVMSG, recvmsg),
	FUNCTION(REGCOMP, regcomp),
	FUNCTION(REGEXEC, regexec),
	FUNCTION(SBRK, sbrk),
	FUNCTION(SCANDIR, scandir),
	FUNCTION(SELECT, select),
	FUNCTION(SENDMSG, sendmsg),
	FUNCTION(SETLINEBUF, setlinebuf),
	FUNCTION(SETNS, setns),
	FUNCTION(SIGHOLD, sighold),
	FUNCTION(SIGNAL, signal),
	FUNCTION(SIGRELSE, sigrelse),
	FUNCTION(SOCKET, socket),
	FUNCTION(STRCASESTR, strcasestr),
	FUNCTION(STRCHRNUL, strchrnul),
	FUNCTION(STRNDUP, strndup),
	FUNCTION(STRSEP, strsep),
	FUNCTION(STRTOD, strtod),
	FUNCTION(STRTOL, strtol),
	FUNCTION(STRTOLL, strtoll),
	FUNCTION(STRTOULL, strtoull),
	FUNCTION(SYSINFO, sysinfo),
	FUNCTION(SYSLOG, syslog),
	FUNCTION(TCGETATTR, tcgetattr),
	FUNCTION(UNAME, uname),
	FUNCTION(UNSETENV, unsetenv),
	FUNCTION(USLEEP, usleep),
	FUNCTION(VALLOC, valloc),
	FUNCTION(VPRINTF, vprintf),
	FUNCTION(WAIT3, wait3),
	FUNCTION(WAITPID, waitpid),
	FUNCTION(__CLONE, clone),
};

TEST(functions_are_there)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		EXPECT_NE(NULL, functions[i].at) {
			TH_LOG("%s", functions[i].name);
		}
	}
}

#define HAS(macro, expression) _Static_assert(HAVE_##macro == 1 && (expression), #macro)

HAS(AI_ADDRCONFIG, AI_ADDRCONFIG != 0);
HAS(DIRENT_D_OFF, sizeof(((struct dirent *)0)->d_off) > 0);
HAS(FNDELAY, FNDELAY != 0);
HAS(GID_T, sizeof(gid_t) > 0);
HAS(PR_SET_PDEATHSIG, PR_SET_PDEATHSIG > 0);
HAS(PTHREAD_BARRIER_T, sizeof(pthread_barrier_t) > 0);
HAS(PTHREAD_MUTEX_T, sizeof(pthread_mutex_t) > 0);
HAS(PTRDIFF_T, sizeof(ptrdiff_t) > 0);
HAS(SA_SIGINFO, SA_SIGINFO != 0);
HAS(SIGBUS, SIGBUS > 0);
HAS(SOCKLEN_T, sizeof(socklen_t) > 0);
HAS(STAT_TIMESPEC, sizeof(((struct stat *)0)->st_mtim.tv_nsec) > 0);
HAS(STRUCT_SOCKADDR_UN, sizeof(struct sockaddr_un) > 0);
HAS(STRUCT_TIMESPEC, sizeof(struct timespec) > 0);
HAS(STRUCT_UCRED, sizeof(struct ucred) > 0);
HAS(UID_T, sizeof(uid_t) > 0);
HAS(STRERROR_R_PTR, _Generic(strerror_r(0, (char *)1, 0), char *: 1, default: 0));
_Static_assert(sizeof(__psint_t) == sizeof(void *), "__psint_t");
#ifdef HAVE_64BIT_LONG
_Static_assert(sizeof(long) == 8, "HAVE_64BIT_LONG");
#else
_Static_assert(HAVE_32BIT_LONG && sizeof(long) == 4, "HAVE_32BIT_LONG");
#endif

extern char etext, _etext, __etext, __executable_start;

TEST(properties_hold)
{
	static __thread int of_thread;
	char text[32];
	time_t now = 0;
	struct tm tm;

	EXPECT_EQ(1, HAVE___THREAD + of_thread);
	EXPECT_EQ(1, HAVE_ETEXT * HAVE__ETEXT * HAVE___ETEXT * HAVE___EXECUTABLE_START);
	EXPECT_EQ(&etext, &_etext);
	EXPECT_EQ(&etext, &__etext);
	EXPECT_LT(&__executable_start, &etext);
	snprintf(text, sizeof(text), "%p", (void *)16);
	EXPECT_EQ(1, HAVE_PRINTF_P_PFX);
	EXPECT_STREQ("0x10", text);
	gmtime_r(&now, &tm);
	EXPECT_LT(0, strftime(text, sizeof(text), "%z", &tm));
	EXPECT_EQ(1, HAVE_STRFTIME_z);
	EXPECT_STREQ("+0000", text);
	snprintf(text, sizeof(text), "%" FMT_SIZE, sizeof(long));
	EXPECT_EQ(sizeof(long), strtoul(text, NULL, 10));
	EXPECT_EQ((double)(1ULL << 63), (double)(uint64_t)(1ULL << 63) * HAVE_CAST_U64_DOUBLE);
}

TEST(headers_are_found)
{
#ifndef HAVE_SYS_RESOURCE_H
	EXPECT_TRUE(false);
#endif
#ifndef HAVE_TERMIOS_H
	EXPECT_TRUE(false);
#endif
#ifndef HAVE_STDDEF_H
	EXPECT_TRUE(false);
#endif
#ifdef HAVE_WINSOCK2_H
	EXPECT_TRUE(false);
#endif
}

TEST_HARNESS_MAIN
