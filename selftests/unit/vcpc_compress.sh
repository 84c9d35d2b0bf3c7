#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record --compress compresses complete archives.  PCP's tools can read them, and their values
# are unchanged.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC PCP_DERIVED_CONFIG=''
vcpc=$build/bin/vcpc
evidence="$dir/log"
cd "$dir" || exit 1
command -v xz >/dev/null || { echo "1..0 # SKIP xz is not installed"; exit 4; }

"$vcpc" record --compress -e page-faults,context-switches -I 10ms -o one -- sleep 0.5 2>log
[ -s one.0.xz ] && [ ! -e one.0 ] && [ ! -e one.0.xz.part ] && [ -s one.meta ] && [ -s one.index ]
result "an archive's volume is compressed at the end"

mkdir plain && cp one.meta plain/ && cp one.index plain/ && xz -dc one.0.xz >plain/one.0
"$vcpc" dump one >packed.out 2>log && (cd plain && "$vcpc" dump one) >plain.out 2>>log &&
	[ -s packed.out ] && cmp packed.out plain.out >>log
result "the archive has the same values as the uncompressed one"
"$vcpc" check one >log 2>&1
result "vcpc check reports no problem"
[ "$(stat -c %a one.meta)" = "$(stat -c %a one.0.xz)" ]
result "the mode of the file is kept"

if command -v pmdumplog >/dev/null; then
	pmdumplog -a one >packed.out 2>log && (cd plain && pmdumplog -a one) >plain.out 2>>log &&
		[ -s packed.out ] && cmp packed.out plain.out >>log
	result "PCP's tools read it"
fi

"$vcpc" record --compress --rotate 4K --keep 3 -e page-faults -I 5ms -o folder -- sleep 1 2>log
[ "$(find folder -name '*.0.xz' | wc -l)" = 3 ] && [ "$(find folder -name '*.meta' | wc -l)" = 3 ] &&
	[ "$(find folder -type f | wc -l)" = 9 ]
result "--rotate and --keep: three archives are kept, each is compressed, and nothing else remains"
"$vcpc" replay folder >out 2>log && [ -s out ] && [ ! -s log ]
result "a directory of them is replayed"

mkdir killed
cp one.meta one.index plain/one.0 killed/
: >killed/one.0.xz.part
"$vcpc" check killed >log 2>&1 &&
	grep -q '^one.0.xz.part: 0: incomplete: an unfinished compressed copy; remove it' log
result "vcpc check reports the file that remains if the compression is killed"

mkdir other
: >other/b.0.xz.part
"$vcpc" record --compress -e page-faults -I 10ms -o other/b -- sleep 0.1 2>log
[ $? = 1 ] && grep -q -- '--compress: cannot compress other/b; it stays uncompressed: File exists' log &&
	[ -s other/b.0 ] && [ ! -e other/b.0.xz ] && "$vcpc" check other/b >>log 2>&1
result "if it cannot be compressed, the archive is unchanged, and the exit status is 1"
done_testing
