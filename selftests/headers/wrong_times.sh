#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program whose times would be misread, because it was written for another PMAPI_VERSION, does not
# compile.  This needs no compiler option.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"

# statement VERSION TEXT: compile a function that contains the statement TEXT for this version
statement() {
	cat >"$dir/program.c" <<END
#include <pcp/pmapi.h>
void f(void);
void f(void)
{
	struct timespec ts = { 0, 0 };
	struct timeval tv = { 0, 0 };
	char *e;
	pmFG fg = 0;
	(void)ts, (void)tv, (void)e, (void)fg;
	$2;
}
END
	gcc -w -DPMAPI_VERSION="$1" -I"$top/user/include" -c -o "$dir/program.o" "$dir/program.c" 2>"$dir/errors"
}

# only VERSION TEXT: check that TEXT compiles with this version, and not with the other
only() {
	other=$((6 - $1))
	statement "$1" "$2" && ! statement $other "$2" && grep -q 'wrong_time_see_PMAPI_VERSION' "$dir/errors"
	result "only version $1: $2"
}

# neither TEXT: check that TEXT compiles with neither version
neither() {
	! statement 2 "$1" && ! statement 4 "$1"
	result "refused: $1"
}

# both TEXT: check that TEXT compiles with both versions
both() {
	statement 2 "$1" && statement 4 "$1"
	result "any version: $1"
}

only 4 'pmSetMode(PM_MODE_INTERP, &ts, NULL)'
only 4 'pmSetMode(PM_MODE_INTERP, NULL, &ts)'
only 4 'pmParseInterval("1", &ts, &e)'
only 4 'pmGetArchiveEnd(&ts)'
only 4 'pmParseTimeWindow(0, 0, 0, 0, &ts, &ts, &ts, &ts, &ts, &e)'
only 2 'pmSetMode(PM_MODE_INTERP, &tv, 0)'
only 2 'pmParseInterval("1", &tv, &e)'
only 2 'pmGetArchiveEnd(&tv)'
only 2 'pmParseTimeWindow(0, 0, 0, 0, &tv, &tv, &tv, &tv, &tv, &e)'
neither 'pmtimespecSub(&tv, &ts)'
neither 'pmtimevalToReal(&ts)'
neither 'pmtimespecPrint(stdout, &tv)'
neither 'pmPrintStamp(stdout, &ts)'
neither 'pmExtendFetchGroup_timespec(fg, &tv)'
neither 'pmExtendFetchGroup_timeval(fg, &ts)'
both 'pmSetMode(PM_MODE_FORW, NULL, 0)'
both 'pmtimevalTotimespec(&tv, &ts), pmtimespecTotimeval(&ts, &tv)'
both 'pmPrintStamp(stdout, &tv), pmPrintHighResStamp(stdout, &ts), pmtimevalPrint(stdout, &tv)'
both 'pmSetModeHighRes(PM_MODE_INTERP, &ts, &ts), pmSetMode_v2(PM_MODE_INTERP, &tv, 1)'
both 'int (*set_mode)() = pmSetMode; (void)set_mode'
# A time may be a compound literal, whose commas must not separate the arguments of a macro.
only 2 'pmSetMode(PM_MODE_INTERP, &(struct timeval){ 5, 0 }, 1000)'
only 2 'pmGetArchiveEnd(&(struct timeval){ 5, 0 })'
only 4 'pmSetMode(PM_MODE_INTERP, &(struct timespec){ 5, 0 }, &(struct timespec){ 1, 0 })'
only 4 'pmParseInterval("1", &(struct timespec){ 5, 0 }, &e)'
both 'pmtimevalInc(&tv, &(struct timeval){ 5, 0 }), pmtimespecDec(&ts, &(struct timespec){ 5, 0 })'
both 'pmtimevalTotimespec(&(struct timeval){ 5, 0 }, &ts)'
done_testing
