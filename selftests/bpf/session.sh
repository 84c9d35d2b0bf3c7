#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each command of the session in Documentation/bpf.rst prints the output shown below it.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off >/dev/null 2>&1; rm -rf "$dir" /tmp/session.*' EXIT
evidence="$dir/out"
page=$(dirname "$0")/bpf.rst
[ -e "$page" ] || page=$(dirname "$0")/../../Documentation/bpf.rst

# has_words TEXT: check that the output contains each blank-separated word of TEXT.  A string is one
# word, including a colon after it.
has_words() {
	echo "$1" | grep -oE '"[^"]*":?|[^ ]+' >"$dir/words"
	while read -r word; do
		grep -qF -- "$word" "$dir/out" || { echo "no $word" >>"$dir/out"; return 1; }
	done <"$dir/words"
}

vcpc trace off >/dev/null 2>&1
sed -n '/^A session$/,/^Turning tracing on and off$/p' "$page" | sed -n 's/^    //p' >"$dir/session"
[ "$(grep -c '^# ' "$dir/session")" -gt 10 ]
result "the page contains a session"
while read -r line; do
	case $line in
	'# '*)
		command=${line#\# }
		sh -c "$command" >"$dir/out" 2>&1 </dev/null
		result "$command"
		ls /sys/fs/bpf/vcpc >>"$dir/pins" 2>/dev/null
		;;
	*)
		has_words "$line"
		result "... says: $line"
		;;
	esac
done <"$dir/session"
for map in $(grep '^vc_' "$dir/pins" | sort -u); do
	grep -q "/$map'*\( \|$\)" "$dir/session"
	result "the session prints $map"
done
done_testing
