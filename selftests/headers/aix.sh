#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A C++ program, and a program that calls pm_init() with two arguments, compile and link.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"

# program NAME COMPILER OPTION: compile standard input, and check that the program returns 0
program() {
	cat >"$dir/source"
	# shellcheck disable=SC2086
	"$2" $3 -Wall -Wextra -Werror -I"$top/user/include/aix" "$dir/source" -x none -o "$dir/program" \
		-L"$build/lib" -Wl,-rpath,"$build/lib" -lshim && "$dir/program"
	result "$1"
}

program "two arguments" gcc "-x c" <<'END'
#define PMAPI_OLD_PM_INIT
#include <pmapi.h>
int main(void) { pm_info_t info; return pm_init(PM_VERIFIED, &info) == Pmapi_NoInit; }
END
program "three arguments" gcc "-x c" <<'END'
#include <pmapi.h>
int main(void)
{
	pm_info_t info;
	pm_groups_info_t groups;
	return pm_init(PM_VERIFIED | PM_GET_GROUPS, &info, &groups) == Pmapi_NoInit;
}
END
if command -v g++ >/dev/null; then
	program "C++" g++ "-x c++" <<'END'
#include <pmapi.h>
#include <sys/systemcfg.h>
int main()
{
	pm_prog_t prog = pm_prog_t();
	prog.mode.b.user = 1;
	pm_error("main", Pmapi_NoInit);
	return prog.mode.w != PM_USER || _system_configuration.ncpus < 1;
}
END
else
	skip "C++" "no g++"
fi
done_testing
