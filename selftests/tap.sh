# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by shell tests: create a scratch directory, number the results, and print the plan.
#
# A test can set "evidence" to files that are printed if something fails, and must end with
# "done_testing".  selftests/install.sh installs the commands in ../bin.
if [ -x "$(dirname "$0")/../bin/vcpc" ]; then
	PATH=$(cd "$(dirname "$0")/../bin" && pwd):$PATH
	export PATH
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tap_count=0 tap_failed=0 evidence=''

# result WHAT: report the last command's status as a test result
result() {
	tap_status=$?
	tap_count=$((tap_count + 1))
	if [ $tap_status = 0 ]; then
		echo "ok $tap_count - $1"
		return
	fi
	echo "not ok $tap_count - $1"
	tap_failed=1
	for tap_file in $evidence; do
		[ ! -e "$tap_file" ] || tail -n 20 "$tap_file" | sed 's/^/# /'
	done
}

# skip WHAT WHY: report a test that cannot run here
skip() {
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

done_testing() {
	echo "1..$tap_count"
	exit $tap_failed
}
