#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While the module is in use, unloading it fails.  When it is not, the module can be unloaded and
# loaded again.
#
# RELOADS in the environment is the number of reloads.
. "$(dirname "$0")/../tap.sh"

reloads=${RELOADS:-5}
refused=0 unloaded=0 loaded=0
if [ ! -e /vcpc.ko ]; then
	echo "1..0 # SKIP /vcpc.ko exists only in the test VM"
	exit 4
fi

# Repeatedly run a user of the module, with children and threads that inherit.
use() {
	while [ -e "$dir/going" ]; do
		vcpc stat -e page-faults -- sh -c 'true & true' >/dev/null 2>&1
	done
}

# Print where tasks wait, and exit, after five minutes without a reload.  A task that hangs in the
# kernel cannot be killed.
watch() {
	seen=0 rounds=0
	while sleep 10; do
		now=$(cat "$dir/loaded")
		rounds=$((rounds + 1))
		[ "$now" = $seen ] || rounds=0
		seen=$now
		[ $rounds -lt 30 ] && continue
		echo "# stuck after $seen reloads; waiting tasks:"
		for task in /proc/[0-9]*; do
			grep -q '^State:.*D (disk' "$task/status" 2>/dev/null || continue
			echo "# $(cat "$task/comm")"
			sed 's/^/#   /' "$task/stack"
		done
		kill -9 $$
	done
}

: >"$dir/going"
echo 0 >"$dir/loaded"
watch &
watcher=$!
use &
first=$!
use &
second=$!
while [ $loaded -lt "$reloads" ]; do
	if rmmod vcpc 2>/dev/null; then
		unloaded=$((unloaded + 1))
		[ -e /dev/vcpc ] && break
		insmod /vcpc.ko && chmod 666 /dev/vcpc || break
		loaded=$((loaded + 1))
		echo $loaded >"$dir/loaded"
	else
		refused=$((refused + 1))
	fi
done
kill $watcher
rm "$dir/going"
wait $first $second
echo "# unloaded $unloaded times, refused $refused times"
[ $loaded = "$reloads" ]
result "unloaded and loaded $reloads times while in use"
[ -c /dev/vcpc ] && [ "$(vcpc stat -e page-faults -- true 2>&1 | grep -c page-faults)" = 1 ]
result "the module works afterwards"
done_testing
