#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Judge a VM run by its logs: the guest must report its end, and its kernel must not log errors.
#
# usage: judge.sh NONCE CONSOLE DMESG
# Prints the job's status and exits 0, or prints the reason on stderr and exits 1.
set -eu

nonce=$1 console=$2 dmesg=$3
here=$(cd "$(dirname "$0")" && pwd)

fail() {
	echo "vm: $1; the end of the console:" >&2
	tr -d '\r' <"$console" | tail -n 40 | sed 's/^/    /' >&2
	exit 1
}

# Lines that match splats.deny and not splats.allow are errors.
for log in "$console" "$dmesg"; do
	[ -e "$log" ] || continue
	if tr -d '\r' <"$log" | grep -aE -f "$here/splats.deny" | grep -avE -f "$here/splats.allow" >"$console.splats"; then
		echo "vm: the kernel logged an error:" >&2
		sed 's/^/    /' "$console.splats" >&2
		fail "a kernel error fails the run"
	fi
done
rm -f "$console.splats"

status=$(tr -d '\r' <"$console" | sed -n "s/^VM-JOB $nonce status \([0-9]*\)\$/\1/p" | tail -n 1)
[ -n "$status" ] || fail "the guest did not say that its job ended (a hang, a panic, or the time was up)"
[ -e "$dmesg" ] || fail "the guest's files were not copied back"
echo "$status"
