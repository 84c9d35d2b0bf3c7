#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc check prints nothing about good archives, reports each kind of damage, and agrees with pmlogcheck on the
# archives of PCP's test suite.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
vcpc=$build/bin/vcpc
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/peer/suite.sh"
export TZ=UTC LC_ALL=C PCP_DERIVED_CONFIG=''
evidence="$dir/out $dir/err"

if ! cc -O1 -o "$dir/make_archive" "$here/peer/make_archive.c"; then
	echo "1..1"
	echo "not ok 1 - make_archive compiles"
	exit 1
fi

run() {
	"$vcpc" check "$@" >"$dir/out" 2>"$dir/err"
}

for kind in vectors notes lines; do
	for version in 2 3; do
		"$dir/make_archive" "$dir/$kind$version" $version $kind
		run "$dir/$kind$version" && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
		result "$kind, version $version: no problem"
	done
done

"$dir/make_archive" "$dir/delta3" 3 delta
run "$dir/delta3" && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
result "a change to an instance domain that is not sorted: no problem"

# Copy the archive to $dir/c.
fresh() {
	rm -f "$dir"/c.*
	for suffix in 0 meta index; do
		cp "$dir/vectors3.$suffix" "$dir/c.$suffix"
	done
}

# poke FILE OFFSET OCTAL: overwrite one byte
poke() {
	printf "\\$3" | dd of="$dir/c.$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

size() {
	stat -c %s "$dir/c.$1"
}

# says FILE TEXT WHAT: check that TEXT is reported for FILE
says() {
	run "$dir/c"
	[ $? = 1 ] && grep -q "^c.$1: [0-9]*: damaged: .*$2" "$dir/out" && grep -q 'problem' "$dir/err"
	result "$3"
}

fresh
truncate -s -10 "$dir/c.0"
says 0 'ends within a record' "a cut volume"
fresh
truncate -s -10 "$dir/c.meta"
says meta 'ends within a record' "cut metadata"
fresh
truncate -s -1 "$dir/c.index"
says index 'ends within an entry' "a cut index"
fresh
rm "$dir/c.index"
run "$dir/c" && grep -q '^c.index: 0: incomplete: the file is missing' "$dir/out" && [ ! -s "$dir/err" ]
result "no index: incomplete, but not a failure"
fresh
rm "$dir/c.meta"
says meta 'missing' "no metadata"
fresh
rm "$dir/c.0"
says 0 'no volume' "no volume"
fresh
: >"$dir/c.index"
says index 'empty' "an empty index"
fresh
truncate -s 808 "$dir/c.index"
says index 'contains only a label' "an index that contains only a label"
fresh
head -c 808 "$dir/c.0" >"$dir/c.1"
poke 1 27 1
run "$dir/c" && grep -q '^c.1: 808: incomplete: the volume contains no records' "$dir/out" && [ ! -s "$dir/err" ]
result "a later volume with only a label: incomplete, but not a failure"
fresh
truncate -s 808 "$dir/c.0"
says 0 'contains only a label' "a first volume that contains only a label"
fresh
poke meta 37 101
says meta 'label' "labels that differ"
fresh
poke 0 $((808 + 3)) 377
says 0 'two length words differ' "a record's length"
fresh
# The byte is in the high half of the second record's seconds.
second=$((808 + $(od -An -tu1 -j811 -N1 "$dir/c.0") + 256 * $(od -An -tu1 -j810 -N1 "$dir/c.0")))
poke 0 $((second + 4)) 0
says 0 'older than the archive' "a time before the start"
fresh
poke 0 $((808 + 4 + 12 + 4 + 3)) 77
says 0 'not described' "a metric without a descriptor"
fresh
poke index $((808 + 31)) 1
says index 'no record begins' "an entry that does not refer to a record"
fresh
poke meta $((808 + 7)) 55
says meta 'an unknown type' "a record of an unknown type"
fresh
poke meta $((808 + 23)) 2
says meta 'bad semantics' "invalid semantics"

"$vcpc" check "$dir/nothing" >"$dir/out" 2>"$dir/err"
[ $? = 1 ] && grep -q "archive '.*' not found" "$dir/err"
result "a nonexistent archive"
"$vcpc" check >"$dir/out" 2>"$dir/err"
[ $? = 2 ]
result "no archive is given"
run "$dir/vectors2.meta" "$dir/vectors3"
result "several archives, and one by a file's name"

# Directories and lists can be checked: each archive is checked once, and damaged ones are reported
# with their directory.
mkdir "$dir/all" "$dir/none"
for archive in a b c d; do
	for suffix in 0 meta index; do
		cp "$dir/vectors3.$suffix" "$dir/all/$archive.$suffix"
	done
done
xz -k "$dir/all/d.meta"
echo text >"$dir/all/notes"
run "$dir/all" && [ ! -s "$dir/out" ] && [ ! -s "$dir/err" ]
result "a directory of good archives: no problem"
truncate -s -10 "$dir/all/b.0"
rm "$dir/all/c.meta"
run "$dir/all"
[ $? = 1 ] && grep -q "^$dir/all/b.0: [0-9]*: .*ends within a record" "$dir/out" &&
	grep -q "^$dir/all/c.meta: 0: damaged: the file is missing" "$dir/out" && ! grep -q "all/[ad]" "$dir/out" &&
	grep -q "2 of 4 archives are damaged" "$dir/err"
result "a directory with some damaged archives"
run "$dir/all/" "$dir/all/b" "$dir/vectors3"
[ $? = 1 ] && grep -q "2 of 5 archives" "$dir/err" && [ "$(grep -c 'b.0' "$dir/out")" = 1 ]
result "each once"
run "$dir/vectors2,$dir/all/b,$dir/all/a"
[ $? = 1 ] && grep -q "1 of 3 archives" "$dir/err"
result "a list with commas"
run "$dir/all/a.0" "$dir/all/d.meta.xz" && [ ! -s "$dir/err" ]
result "by the names of volumes and packed files"
run "$dir/all/a" "$dir/nothing" "$dir/all/d"
[ $? = 1 ] && grep -q "archive '$dir/nothing' not found" "$dir/err" && grep -q "1 of 3" "$dir/err"
result "if one does not exist, the others are checked"
run "$dir/none" "$dir/all/a"
[ $? = 1 ] && grep -q "the directory '$dir/none' contains no archives" "$dir/err"
result "a directory without archives"

# The check terminates if any byte is changed.
bad=0
for seed in $(seq 150); do
	fresh
	file=$(echo 0 meta index | cut -d' ' -f $((seed % 3 + 1)))
	poke "$file" $((808 + seed * 7919 % ($(size "$file") - 808))) $((seed % 3 * 100 + seed % 8 * 10 + seed % 7))
	timeout 300 "$vcpc" check "$dir/c" >/dev/null 2>"$dir/err"
	[ $? -le 1 ] || bad=1
done
[ $bad = 0 ]
result "150 damaged archives"

if [ -d "$testsuite/badarchives" ] && command -v pmlogcheck >/dev/null; then
	bad=0
	for meta in "$testsuite"/archives/*.meta "$testsuite"/badarchives/*.meta; do
		archive=${meta%.meta}
		# Ignore what pmlogcheck 6.0.3, but not 6.3.8, reports about a logger's derived
		# metrics.
		complaint=$(timeout 900 pmlogcheck -w "$archive" 2>&1 | grep -v 'domain of pmid' | head -n 1)
		[ -n "$complaint" ] || continue
		timeout 900 "$vcpc" check "$archive" >"$dir/found" 2>&1
		[ -s "$dir/found" ] || { echo "# $archive: $complaint"; bad=1; }
	done
	[ $bad = 0 ]
	result "everything that pmlogcheck reports is found"
else
	skip "everything that pmlogcheck reports is found" "pcp-testsuite is not installed"
fi
done_testing
