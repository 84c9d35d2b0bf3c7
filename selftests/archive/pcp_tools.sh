#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Performance Co-Pilot's own tools read every value and every mark of our archives without an error.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
write_read=$build/tests/archive/write_read
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0 failed=0

# check WHAT COMMAND...: check that the command succeeds
check() {
	what=$1
	shift
	n=$((n + 1))
	if "$@" >"$work/log" 2>&1; then
		echo "ok $n - $what"
	else
		echo "not ok $n - $what"
		head -n 20 "$work/log" | sed 's/^/# /'
		failed=1
	fi
}

# silent ARCHIVE: check that pmlogcheck reports nothing about it
silent() {
	pmlogcheck "$1" >"$work/out" 2>&1 && [ ! -s "$work/out" ] && return
	cat "$work/out"
	return 1
}

# Convert pmdumplog's output to the format of write_read.
dumped() {
	pmdumplog -Z UTC "$1" | awk '
		/^[0-9:]+\.[0-9]+ / { time = substr($1, 1, 15); if ($2 == "<mark>") print time, "mark"; next }
		/^ +[0-9.]+ \(.*\): *(value .*)?$/ {
			metric = $2; gsub(/[():]/, "", metric)
			if ($3 == "value") say("-", $0)
			next
		}
		/^ +inst \[/ { split($0, part, "\""); say(part[2], $0); next }
		/not supported/ { metric = $2; gsub(/[():]/, "", metric); print time, metric, "- error" }
		# pmdumplog prints an aggregate in interpreted form, then as bytes; keep the bytes.
		function say(inst, line) {
			sub(/^.* value /, "", line)
			if (line ~ /\[[0-9a-f]*\]$/) sub(/^.*\[/, "[", line)
			print time, metric, inst, line
		}'
}

same_values() {
	dumped "$1" >"$work/dumped"
	diff "$2" "$work/dumped"
}

# same_by_pmval ARCHIVE FILE METRIC INSTANCE: compare pmval's output with FILE, the output of
# write_read; INSTANCE is "-" if there is none
same_by_pmval() {
	set -- "$1" "$2" "$3" "$4" "$([ "$4" = - ] || echo "-i $4")"
	# shellcheck disable=SC2086
	pmval -Z UTC -rU "$1" -f 6 -w 24 $5 "$3" 2>/dev/null |
		awk '/^[0-9:]+\.[0-9]+ / && NF == 2 && $2 != "?" { print substr($1, 1, 12), $2 }' >"$work/pmval"
	awk -v metric="$3" -v inst="$4" '$2 == metric && $3 == inst && $4 != "error" {
			print substr($1, 1, 12), $4 }' "$2" >"$work/want"
	# Compare as numbers, because pmval prints a fixed number of digits.
	[ -s "$work/want" ] && paste -d' ' "$work/want" "$work/pmval" | awk '
		$1 != $3 || NF != 4 { print; bad = 1; next }
		$2 != $4 && ($2 + 0 != $2 || $2 - $4 > 1e-6 || $4 - $2 > 1e-6) { print; bad = 1 }
		END { exit bad }'
}

same_label() {
	pmdumplog -Z UTC -L "$1" >"$work/label"
	cat "$work/label"
	grep -q "Format Version $2" "$work/label" && grep -q 'host h1$' "$work/label" &&
		grep -q 'commencing Sun Sep  9 01:46:40.123456' "$work/label" &&
		grep -q 'ending     Sun Sep  9 01:54:58.123456' "$work/label"
}

# Compare both kinds of help texts, and the merged labels of the context and of the instances.
same_notes() {
	pminfo -tT -l -a "$1" demo.set.count >"$work/info"
	cat "$work/info"
	grep -q '^demo.set.count \[packets\]$' "$work/info" && grep -q '^of each$' "$work/info" &&
		grep -q 'eth0"\] labels {"host":"h1","role":\[1,2\],"speed":1}$' "$work/info" &&
		grep -q '\[3 or .*\] labels {"host":"h1","role":\[1,2\],"speed":3}$' "$work/info" &&
		grep -q 'lo"\] labels {"host":"h1","role":\[1,2\]}$' "$work/info" &&
		pmdumplog -h "$1" | grep -q 'the interfaces'
}

extracted() {
	pmlogextract "$1" "$1.extracted" && silent "$1.extracted" && same_values "$1.extracted" "$2"
}

# If the last record, a mark, is truncated, everything before it is still printed.
cut_short() {
	size=$(stat -c %s "$1.2")
	for file in meta index 0 1; do cp "$1.$file" "$work/cut.$file"; done
	head -c $((size - 10)) "$1.2" >"$work/cut.2"
	dumped "$work/cut" 2>/dev/null >"$work/dumped"
	lines=$(wc -l <"$work/dumped")
	[ "$lines" = $(($(wc -l <"$2") - 1)) ] && head -n "$lines" "$2" | diff - "$work/dumped"
}

if ! command -v pmdumplog >/dev/null; then
	echo "1..1"
	echo "ok 1 # SKIP the package pcp is not installed"
	exit 0
fi
if ! [ -x "$write_read" ]; then
	echo "1..1"
	echo "not ok 1 - $write_read is not built"
	exit 1
fi
echo "1..38"
for version in 2 3; do
	archive=$work/v$version
	said=$work/said$version
	check "version $version is written" sh -c "$write_read $archive $version >$said"
	check "version $version: pmlogcheck reports nothing" silent "$archive"
	check "version $version: pmdumplog prints every value" same_values "$archive" "$said"
	check "version $version: pmdumplog prints the label and the end" same_label "$archive" $version
	check "version $version: pminfo prints texts and labels" same_notes "$archive"
	check "version $version: pmlogextract copies every value" extracted "$archive" "$said"
	check "version $version: if the archive is truncated, all records except the last are printed" cut_short "$archive" "$said"
	for metric in i32 u32 i64 u64 float double; do
		check "version $version: pmval prints demo.$metric" same_by_pmval "$archive" "$said" demo.$metric -
	done
	for inst in eth0 wlan0 lo; do
		check "version $version: pmval prints demo.set.count of $inst" \
			same_by_pmval "$archive" "$said" demo.set.count $inst
		check "version $version: pmval prints demo.set.name of $inst" \
			same_by_pmval "$archive" "$said" demo.set.name $inst
	done
done
exit $failed
