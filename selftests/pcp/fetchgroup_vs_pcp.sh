#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program prints the same values and errors of fetch groups with libshim and with PCP's own
# library.
# shellcheck disable=SC2154
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/peer/suite.sh"
# shellcheck disable=SC2034
evidence=$dir/diff
export TZ=UTC PCP_DERIVED_CONFIG=

needs_pcp
cc_shim -w -o "$dir/fetchgroup_shim" "$here/peer/fetchgroup.c" &&
	cc_pcp -w -o "$dir/fetchgroup_pcp" "$here/peer/fetchgroup.c" &&
	cc_shim -o "$dir/make_values" "$here/peer/derived_values.c" && "$dir/make_values" "$dir/values"
result "the programs are built, and an archive is written"
[ "$tap_failed" = 0 ] || done_testing

# play LINES: check that both libraries print the same for the script on standard input, and at
# least LINES lines
play() {
	cat >"$dir/script"
	for side in pcp shim; do
		timeout 100 "$dir/fetchgroup_$side" <"$dir/script" >"$dir/$side" 2>&1
		echo "exit $?" >>"$dir/$side"
	done
	diff -a "$dir/pcp" "$dir/shim" >"$dir/diff" 2>&1 && [ "$(wc -l <"$dir/shim")" -gt "$1" ] &&
		grep -q '^exit 0$' "$dir/shim"
}

# Print a script of groups on the archive with all types.
whole() {
	sed "s,ARCHIVE,$dir/values," "$here/peer/fetchgroup_values.txt"
}

whole | play 2500
result "items and domains of all types, in all units, in all modes"
# PCP's library interpolates wrapped 64-bit counters differently.
export PCP_COUNTER_WRAP=1
whole | grep -vE '^mode\|interp|u64|c\.i64' | play 1000
result "... with counters that wrap"
unset PCP_COUNTER_WRAP
if [ -d "$suite" ]; then
	play 300 <<-END
		archive|$suite/eventrec
		stamp
		event|sample.event.records|fungus|sample.event.param_string||6|10
		event|sample.event.records|fungus|sample.event.type||0|10
		event|sample.event.records|fungus|sample.event.param_64||6|10
		event|sample.event.records|fungus|sample.event.param_64|instant|5|10
		event|sample.event.records|fungus|sample.event.param_double||4|10
		event|sample.event.records|fungus|sample.event.param_double|rate|5|10
		event|sample.event.records|bogus|sample.event.param_32||0|10
		event|sample.event.records|bogus|sample.event.type||0|2
		event|sample.event.records|nosuch|sample.event.type||0|10
		event|sample.event.records||sample.event.type||0|10
		event|sample.event.records|bogus|sample.event.nosuch||0|10
		event|sample.event.records|bogus|sample.colour||0|10
		event|sample.event.records|bogus|sample.event.param_aggregate||0|10
		event|sample.event.no_indom_records||sample.event.type||1|4
		event|sample.event.highres_records|fungus|sample.event.type||6|10
		event|sample.event.highres_records|bogus|sample.event.param_string||6|10
		event|sample.colour|red|sample.event.type||0|10
		event|sample.event.param_u32||sample.event.type||0|10
		item|sample.event.records|bogus||5
		mode|forward
		fetch|10
		mode|interp|500
		fetch|6
		mode|backward
		fetch|4
	END
	result "fields of event records"
	play 300 <<-END
		archive|$suite/log-derived
		indom|sample.bin||0|20
		indom|sample.dynamic.counter||5|20
		indom|sample.dynamic.discrete||0|20
		item|sample.bin|bin-300||6
		mode|interp|400
		fetch|20
		mode|forward
		fetch|10
		archive|$suite/pcp-zeroconf
		indom|disk.dev.total||5|40
		indom|proc.psinfo.cmd||6|40
		item|kernel.all.load|1 minute||4
		item|mem.util.free||Mbyte|5
		item|kernel.all.cpu.user||sec/sec|5
		derive|busy|rate(kernel.all.cpu.user) + rate(kernel.all.cpu.sys)
		item|busy||instant|5
		mode|interp|30000
		fetch|6
	END
	result "instances that come and go, and a derived metric"
else
	skip "archives of PCP's suite" "the test suite is not installed"
fi
done_testing
