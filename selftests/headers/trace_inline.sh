#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# <pcp/trace.h> compiles without a warning in typical programs, with each compiler, language and
# warning level, and the programs link.  In optimized code, its calls are macros.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
evidence=$dir/errors

# builds COMPILER LANGUAGE SOURCE OPTIONS...: check that the program compiles without a warning,
# optimized or not, and runs
builds() {
	compiler=$1 language=$2 source=$3
	shift 3
	if ! command -v "$compiler" >/dev/null; then
		skip "$source $*" "no $compiler"
		return
	fi
	for level in -O0 -O2; do
		"$compiler" -x "$language" $level -Wall -Wextra -Werror "$@" -I"$top/user/include" "$dir/$source" \
			-o "$dir/program" -L"$build/lib" -Wl,-rpath,"$build/lib" -lshim 2>"$evidence" && "$dir/program"
		result "$source: $compiler $level $*"
	done
}

cat >"$dir/calls" <<'END_SOURCE'
#include <pcp/trace.h>
int main(void)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	return pmtracebegin("t") || pmtraceend("t") || pmtracepoint("p") || pmtraceobs("o", 1) ||
	       pmtracecounter("c", 2) || pmtraceabort("t") != PMTRACE_ERR_NOPROGRESS;
}
END_SOURCE
# A header that several source files of a program include
cat >"$dir/inline" <<'END_SOURCE'
#include <pcp/trace.h>
inline int enter(const char *other)
{
	return pmtracebegin("t") || pmtraceend("t") || pmtracepoint(other) || pmtraceobs("o", 1);
}
int main(void)
{
#ifdef __cplusplus
	pmtracestate(PMTRACE_STATE_NOAGENT);
	return enter("p");
#else
	return 0;
#endif
}
END_SOURCE
cat >"$dir/commas" <<'END_SOURCE'
#include <pcp/trace.h>
#ifdef __cplusplus
template <class A, class B> static double value(A a, B b) { return a + b; }
template <class A, class B> static const char *name(A, B) { return "t"; }
#else
struct pair { double a, b; };
#endif
int main(void)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
#ifdef __cplusplus
	return pmtraceobs("o", value<int, double>(1, 2)) || pmtracecounter("c", value<int, double>(1, 2)) ||
	       pmtracebegin(name<int, double>(1, 2)) || pmtraceend("t");
#else
	return pmtraceobs("o", (struct pair){ 1, 2 }.a) || pmtracecounter("c", (struct pair){ 1, 2 }.b) ||
	       pmtracebegin((char []){ 't', 0 }) || pmtraceend("t");
#endif
}
END_SOURCE

for compiler in gcc clang; do
	builds "$compiler" c calls -ansi -pedantic -Wno-long-long
	for std in c89 gnu89; do
		builds "$compiler" c calls -std=$std -pedantic -Wno-long-long -Wshadow
	done
	for std in gnu89 c99 gnu99 c11 gnu17; do
		builds "$compiler" c inline -std=$std -Wshadow
	done
	builds "$compiler" c commas -std=c99 -pedantic
done
for compiler in g++ clang++; do
	for std in c++11 gnu++17; do
		for source in calls inline commas; do
			builds "$compiler" c++ "$source" -std=$std -pedantic -Wshadow -Wold-style-cast \
				-Wzero-as-null-pointer-constant
		done
	done
done
done_testing
