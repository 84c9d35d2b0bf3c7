#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The module goes and comes back while programs use it: it never goes under them, and always in the end.
#
# RELOADS in the environment says how often.
. "$(dirname "$0")/../tap.sh"

reloads=${RELOADS:-5}
again='' refused=0 unloaded=0 loaded=0
[ -e /vcpc.ko ] || again="the module's file is not in the guest"

# Two users that come and go, with children and threads that inherit.
use() {
	while [ -e "$dir/going" ]; do
		vcpc stat -e page-faults -- sh -c 'true & true' >/dev/null 2>&1
	done
}

if [ -z "$again" ]; then
	: >"$dir/going"
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
		else
			refused=$((refused + 1))
		fi
	done
	rm "$dir/going"
	wait $first $second
fi
echo "# unloaded $unloaded times, refused $refused times"
[ $loaded = "$reloads" ]
result "unloaded and loaded $reloads times under use${again:+: $again}"
[ -c /dev/vcpc ] && [ "$(vcpc stat -e page-faults -- true 2>&1 | grep -c page-faults)" = 1 ]
result "it works after that"
done_testing
