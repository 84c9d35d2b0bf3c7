#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs written for Solaris, AIX and PCP find the other headers that they include,
# and link with the library names in their makefiles.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"

# program WHAT FOLDER LIBRARIES...: check that the program on standard input compiles without a
# warning, links with only these libraries, and returns 0
program() {
	what=$1 folder=$2
	shift 2
	cat >"$dir/program.c"
	# shellcheck disable=SC2086
	gcc -Wall -Wextra -Werror -I"$top/user/include" ${folder:+-I"$top/user/include/$folder"} "$dir/program.c" \
		-o "$dir/program" -L"$build/lib/compat" "$@" -Wl,-rpath,"$build/lib" -lpthread && "$dir/program"
	result "$what"
}

program "Solaris: threads, processors and their sets, words, strings, registers" cpc -lcpc -lpctx <<'END'
#include <sys/types.h>
#include <sys/time.h>
hrtime_t begin;
#include <sys/processor.h>
#include <sys/procset.h>
#include <sys/pset.h>
#include <sys/lwp.h>
#include <sys/systeminfo.h>
#include <thread.h>
#include <synch.h>
#include <libcpc.h>

static mutex_t lock;
static cond_t cond = DEFAULTCV;
static int seen;

static void *count(void *arg)
{
	(void)arg;
	mutex_lock(&lock);
	seen++;
	cond_signal(&cond);
	mutex_unlock(&lock);
	return &seen;
}

static int threads(void)
{
	struct timespec past = { 0, 0 };
	thread_t other = 0, gone;
	void *status;

	if (mutex_init(&lock, USYNC_THREAD, NULL) || cond_init(&cond, USYNC_THREAD, NULL) ||
	    mutex_init(&lock, 77, NULL) != EINVAL)
		return 1;
	mutex_lock(&lock);
	if (thr_create(NULL, 0, count, NULL, THR_BOUND | THR_NEW_LWP, &other))
		return 2;
	while (!seen)
		cond_wait(&cond, &lock);
	if (cond_timedwait(&cond, &lock, &past) != ETIME || mutex_unlock(&lock))
		return 3;
	if (thr_join(other, &gone, &status) || gone != other || status != &seen)
		return 4;
	if (thr_create(NULL, 0, count, NULL, THR_SUSPENDED, &other) || thr_continue(other))
		return 5;
	while (thr_join(0, &gone, NULL) == 0)
		;
	return gone != other || seen != 2 ? 6 : 0;
}

static int processors(void)
{
	processor_info_t info;
	psetid_t mine = 0, its = 0;

	if (processor_info(0, &info) || info.pi_state != p_online(0, P_STATUS) || !info.pi_processor_type[0] ||
	    info.pi_clock < 0)
		return 11;
	if (!processor_info(-1, &info) || errno != EINVAL || !processor_info(0, NULL) || errno != EFAULT)
		return 12;
	switch (info.pi_state) {
	case P_OFFLINE: case P_POWEROFF: case P_FAULTED: case P_SPARE: case P_NOINTR:
		return 13;
	}
	if (pset_bind(PS_QUERY, P_PID, P_MYID, &mine) || pset_assign(PS_QUERY, 0, &its) || mine != its || mine != PS_NONE)
		return 14;
	if (!pset_bind(1, P_PID, P_MYID, NULL) || errno != EINVAL || !pset_assign(PS_NONE, -1, NULL) ||
	    !pset_bind(PS_QUERY, P_PID, 0x7ffffffe, &mine) || errno != ESRCH)
		return 15;
	return sysconf(_SC_CPUID_MAX) < 1 ? 16 : 0;
}

static int words(void)
{
	char word[257], cut[4];
	int len = sysinfo(SI_SYSNAME, word, sizeof(word));

	if (len != 6 || strcmp(word, "Linux") || sysinfo(SI_SYSNAME, cut, sizeof(cut)) != 6 || strcmp(cut, "Lin"))
		return 21;
	if (sysinfo(9999, word, sizeof(word)) != -1 || errno != EINVAL)
		return 22;
	if (strlcpy(cut, "four", sizeof(cut)) != 4 || strcmp(cut, "fou") || strlcpy(cut, "a", sizeof(cut)) != 1 ||
	    strcmp(cut, "a") || strlcpy(cut, "bcd", 0) != 3 || *cut != 'a')
		return 23;
	return 0;
}

static void *volatile at, *volatile stack;

static void handler(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)sig;
	(void)info;
	at = (void *)(uintptr_t)uc->uc_mcontext.gregs[PC];
	stack = (void *)(uintptr_t)uc->uc_mcontext.gregs[REG_SP];
	if (uc->uc_mcontext.gregs[REG_PC] != uc->uc_mcontext.gregs[PC])
		at = NULL;
}

/* An address in the program or the C library, and one near a local variable */
static int registers(void)
{
	struct sigaction act = { 0 };
	char here;

	act.sa_sigaction = handler;
	act.sa_flags = SA_SIGINFO;
	sigaction(SIGEMT, &act, NULL);
	raise(SIGEMT);
	return !at || (char *)stack > &here + 4096 || (char *)stack < &here - 65536 ? 31 : 0;
}

int main(void)
{
	pctx_t *none = pctx_capture(-1, NULL, 0, NULL);
	int ret = threads();

	begin = gethrtime();
	ret = ret ? ret : processors();
	ret = ret ? ret : words();
	ret = ret ? ret : registers();
	return ret || none || cpc_open(0) ? ret + 100 : 0;
}
END

program "a program for Solaris that defines the same names" cpc -lcpc <<'END'
#define SHIM_NO_HRTIME
#define SHIM_NO_REGSET
#define SHIM_NO_STRLCPY
#include <stdint.h>
typedef uint64_t hrtime_t;
enum { SP = 1, PC = 2 };
#include <sys/time.h>
#include <libcpc.h>
static hrtime_t gethrtime(void) { return 5; }
#if __GLIBC_PREREQ(2, 38) /* <string.h> declares another one */
#define strlcpy(dst, src, size) (size)
#else
static size_t strlcpy(char *dst, const char *src, size_t size) { (void)dst; (void)src; return size; }
#endif
int main(void)
{
	return strlcpy(NULL, NULL, (size_t)gethrtime()) != 5 || SP + PC != 3 || cpc_buf_hrtime(NULL, NULL);
}
END

program "Solaris: the oldest C, a thread that does not return, the C library's sysinfo() together with Solaris'" cpc -lcpc \
	-std=c89 -D_GNU_SOURCE <<'END'
#include <sys/systeminfo.h>
#include <sys/sysinfo.h>
#include <thread.h>
#include <synch.h>
#include <libcpc.h>
static int leave(void *status)
{
	thr_exit(status);
}
static void *other(void *arg)
{
	leave(arg);
	return NULL;
}
int main(void)
{
	struct sysinfo info;
	thread_t thread;
	void *status;
	char word[8];

	if ((sysinfo)(&info) || sysinfo(SI_SYSNAME, word, sizeof(word)) != 6)
		return 1;
	return thr_create(NULL, 0, other, word, 0, &thread) || thr_join(thread, NULL, &status) || status != word;
}
END

program "a program for Solaris with <termcap.h>'s names, which are registers', too" cpc -lcpc -DSHIM_NO_REGSET <<'END'
#include <libcpc.h>
extern char PC;
char PC = 5;
int main(void)
{
	return PC != 5;
}
END

program "AIX: processors, the machine, statuses" aix -lpmapi <<'END'
#include <pmapi.h>
#include <sys/m_wait.h>
#include <sys/processor.h>
#include <sys/systemcfg.h>
int main(void)
{
	cpu_t cpu = PROCESSOR_CLASS_ANY;

	return WIFEXITED(1) || cpu != -1 || _system_configuration.version || _system_configuration.implementation ||
	       _system_configuration.ncpus < 1 || pm_stop_mythread() != Pmapi_NoInit;
}
END

program "PCP: reading, importing and tracing" "" -lpcp -lpcp_import -lpcp_trace <<'END'
#include <pcp/pmapi.h>
#include <pcp/import.h>
#include <pcp/trace.h>
#include <string.h>
int main(void)
{
	return pmNewContext(PM_CONTEXT_ARCHIVE, "/nonexistent") >= 0 || pmiStart("/nonexistent/a", 0) < 0 ||
	       !strlen(pmtraceerrstr(PMTRACE_ERR_TAGNAME));
}
END
evidence=$dir/needed
readelf -d "$dir/program" | grep NEEDED >"$evidence"
grep -q 'libshim\.so\.1' "$evidence" && ! grep -q libpcp "$evidence"
result "programs are linked with this library, under its own name"

if command -v aarch64-linux-gnu-gcc >/dev/null; then
	echo '#include <libcpc.h>
unsigned long long where(ucontext_t *uc);
unsigned long long where(ucontext_t *uc) { return uc->uc_mcontext.gregs[PC] + uc->uc_mcontext.gregs[SP]; }' |
		aarch64-linux-gnu-gcc -x c -O2 -Wall -Wextra -Werror -I"$top/user/include/cpc" -S -o "$dir/arm64.s" -
	grep -qw 32 "$dir/arm64.s" && grep -qw 31 "$dir/arm64.s"
	result "registers on arm64 are found by number"
else
	skip "registers on arm64" "no compiler for it"
fi
done_testing
