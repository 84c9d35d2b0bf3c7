#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Report each test of the module's KUnit suites (kmod/*_test.c), which ran when the module was
# loaded.
. "$(dirname "$0")/../tap.sh"

all=/sys/kernel/debug/kunit
suites=$(ls -d $all/vcpc_* 2>/dev/null)
if [ -z "$suites" ]; then
	skip "suites" "this kernel has no KUnit, or the module has no suites"
	done_testing
fi

# In a suite's output, tests are indented by four columns, and cases of a test by more.
for suite in $suites; do
	name=${suite##*/}
	dmesg | sed -n "/Subtest: $name\$/,/ok [0-9]* $name/p" | grep -v '# Subtest' | tail -n 60 >"$dir/$name.log"
	sed -n 's/^    \(\(not \)\?ok [0-9].*\)/\1/p' "$suite/results" >"$dir/$name"
	planned=$(sed -n 's/^    1\.\.\([0-9]*\)$/\1/p' "$suite/results")
	evidence="$suite/results $dir/$name.log"
	[ "${planned:-0}" -gt 0 ] && [ "$(wc -l <"$dir/$name")" = "$planned" ]
	result "$name: each of $planned tests has a result"
	evidence=
	while read -r line; do
		what=$name:${line#*ok [0-9]*}
		case $line in
		*'# SKIP'*) skip "${what%%#*}" "${line#*SKIP }" ;;
		not*) evidence="$dir/$name.log"; false; result "$what" ;;
		*) true; result "$what" ;;
		esac
	done <"$dir/$name"
done
done_testing
