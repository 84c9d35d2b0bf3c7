#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program for Solaris that uses libcpc in a thread compiles, links and runs, in C++ and in C.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

cat >"$dir/source" <<'END'
#include <sys/types.h>
#include <libcpc.h>
#include <sys/processor.h>
#include <sys/procset.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static uint_t told;

static void errors(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)fmt;
	(void)ap;
	told += subcode;
}

/* Where there are no counters, a program goes on without. */
static void *thread(void *arg)
{
	cpc_t *cpc = (cpc_t *)arg;
	cpc_set_t *set = cpc_set_create(cpc);
	cpc_attr_t attr;
	cpc_buf_t *buf;

	attr.ca_name = (char *)"picnum";
	attr.ca_val = 0;
	if (cpc)
		cpc_seterrhndlr(cpc, errors);
	if (cpc_set_add_request(cpc, set, "sw::page-faults", 0, CPC_COUNT_USER, 1, &attr) == 0) {
		buf = cpc_buf_create(cpc, set);
		if (cpc_bind_curlwp(cpc, set, CPC_BIND_LWP_INHERIT) || cpc_set_sample(cpc, set, buf) ||
		    cpc_unbind(cpc, set))
			return arg;
	}
	return NULL;
}

int main(void)
{
	hrtime_t before = gethrtime();
	processorid_t bound = PBIND_NONE;
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);
	pthread_t other;

	if (!cpc && errno != ENOSYS)
		return 1;
	if (pthread_create(&other, NULL, thread, cpc) || pthread_join(other, NULL))
		return 2;
	if (processor_bind(P_LWPID, P_MYID, PBIND_QUERY, &bound) || gethrtime() < before)
		return 3;
	if (cpc_version(CPC_VER_NONE) != CPC_VER_CURRENT || SIGEMT == 0 || EMT_CPCOVF == 0)
		return 4;
	return cpc && cpc_close(cpc) ? 5 : (int)told;
}
END
# runs LANGUAGE COMPILER: check that the program compiles without a warning and returns 0
runs() {
	if ! command -v "$2" >/dev/null; then
		skip "in $1" "no $2"
		return
	fi
	"$2" -x "$1" -Wall -Wextra -Werror -I"$top/user/include/cpc" "$dir/source" -x none -o "$dir/program" \
		-L"$build/lib" -Wl,-rpath,"$build/lib" -lshim -lpthread && "$dir/program"
	result "in $1"
}
runs c gcc
runs c++ g++
done_testing
