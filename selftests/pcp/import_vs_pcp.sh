#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An importer creates the same archive with libshim and with PCP's own library, and PCP's tools
# accept the archive of libshim.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
needs_pcp import.h libpcp-import1-dev
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
export TZ=UTC PCP_DERIVED_CONFIG=''
evidence="$dir/log"
echo 'global { hostname -> other.example }' >"$dir/rules"
rewrite=/usr/lib/pcp/bin/pmlogrewrite

# Use the original's header and library unmodified.
cc_shim -Wall -o "$dir/shim" "$here/peer/import_demo.c" >"$dir/log" 2>&1 &&
	cc -O1 -o "$dir/pcp" "$here/peer/import_demo.c" -lpcp_import -lpcp >>"$dir/log" 2>&1
result "one source compiles with both headers" || exit 1

# Print the contents of an archive without the writer's PID.  Sort lines whose order is undefined.
described() {
	pmdumplog -Z UTC -d "$1" | grep -v '^PID for' | paste -d' ' - - - | sort
	pmdumplog -Z UTC -e "$1" | grep -v '^PID for'
	# Our library writes a new instance with the next record, PCP's library with the next record
	# of one of its metrics.
	pmdumplog -i "$1" | awk '/^InDom/ { indom = $2 } / or "/ { print indom, $0 }' | sort -u
	pminfo -tT -a "$1" 2>/dev/null
}

silent() {
	"$@" >"$dir/log" 2>&1 && [ ! -s "$dir/log" ]
}

for version in 2 3; do
	for seed in 1 2 3; do
		a=$dir/a$version$seed b=$dir/b$version$seed
		"$dir/shim" "$a" $version $seed >"$dir/said.a"
		"$dir/pcp" "$b" $version $seed >"$dir/said.b"
		[ -s "$dir/said.a" ] && diff "$dir/said.a" "$dir/said.b" >"$dir/log"
		result "version $version, seed $seed: every call returns the same"
		pmdumplog -Z UTC "$a" | tail -n +2 >"$dir/dump.a"
		pmdumplog -Z UTC "$b" | tail -n +2 >"$dir/dump.b"
		[ "$(wc -l <"$dir/dump.a")" -gt 400 ] && diff "$dir/dump.a" "$dir/dump.b" >"$dir/log"
		result "version $version, seed $seed: every value and mark is the same"
		described "$a" >"$dir/desc.a"
		described "$b" >"$dir/desc.b"
		[ "$(wc -l <"$dir/desc.a")" -gt 40 ] && diff "$dir/desc.a" "$dir/desc.b" >"$dir/log"
		result "version $version, seed $seed: metrics, labels, instances, texts are the same"
		silent pmlogcheck -w "$a"
		result "version $version, seed $seed: pmlogcheck reports nothing"
	done

	pmloglabel -l "$a" >"$dir/log" 2>&1 && grep -q 'demo.example' "$dir/log"
	result "version $version: pmloglabel prints the label"
	silent pmloglabel "$a"
	result "version $version: pmloglabel finds that all labels match"
	pmlogsummary -ay "$a" 2>&1 | grep -v '^PID' >"$dir/log"
	pmlogsummary -ay "$b" 2>&1 | grep -v '^PID' >"$dir/summary"
	[ "$(wc -l <"$dir/summary")" -gt 10 ] && cmp -s "$dir/log" "$dir/summary"
	result "version $version: pmlogsummary calculates the same"
	pmval -Z UTC -rU "$a" -f 3 demo.a.m5 >"$dir/log" 2>&1
	pmval -Z UTC -rU "$b" -f 3 demo.a.m5 >"$dir/values" 2>&1
	[ "$(wc -l <"$dir/values")" -gt 10 ] &&
		[ "$(grep -v archive "$dir/log")" = "$(grep -v archive "$dir/values")" ]
	result "version $version: pmval prints the same"
	pmlogextract "$a" "$a.extracted" >"$dir/log" 2>&1 && silent pmlogcheck -w "$a.extracted" &&
		[ "$(pmdumplog -Z UTC "$a.extracted" | tail -n +2 | md5sum)" = \
			"$(md5sum <"$dir/dump.a")" ]
	result "version $version: pmlogextract copies it"
	"$rewrite" -c "$dir/rules" "$a" "$a.rewritten" >"$dir/log" 2>&1 &&
		silent pmlogcheck -w "$a.rewritten" &&
		[ "$(pmdumplog -Z UTC "$a.rewritten" | tail -n +2 | md5sum)" = \
			"$(md5sum <"$dir/dump.a")" ]
	result "version $version: pmlogrewrite rewrites it"
done
done_testing
