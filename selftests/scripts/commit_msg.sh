#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/commit-msg refuses messages that break the rules, and accepts the others.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
evidence=$dir/err

# judge STATUS LINE...: a message of these lines
judge() {
	status=$1
	shift
	printf '%s\n' "$@" >"$dir/message"
	"$top/scripts/commit-msg" "$dir/message" 2>"$dir/err"
	[ $? = "$status" ]
}

judge 0 'user: pcp: read what is there' '' 'It was not read.' && [ ! -s "$dir/err" ]
result "folder, imperative, and a body"
judge 0 'kmod, selftests: count once' '# a comment' '' 'It counted twice.'
result "two folders, and git's comments"
judge 1 'user: read what is there' '# a comment only' && grep -q 'no body says why' "$dir/err"
result "no body"
judge 1 "user: $(printf '%67s' '' | tr ' ' x)" '' 'Why.' && grep -q '73 characters' "$dir/err"
result "73 characters"
judge 0 "user: $(printf '%66s' '' | tr ' ' x)" '' 'Why.'
result "72 characters"
judge 1 'user: read this; write that' '' 'Why.' && grep -q "';'" "$dir/err"
result "two changes"
judge 1 'Read what is there' '' 'Why.' && grep -q 'folder: do something' "$dir/err"
result "no folder"
judge 0 "Merge branch 'x'"
result "a merge"
"$top/scripts/commit-msg" 2>"$dir/err"
[ $? = 2 ] && grep -q usage "$dir/err"
result "usage"
done_testing
