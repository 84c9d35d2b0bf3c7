#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/commit-msg rejects messages that break the rules, and accepts the others.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
evidence=$dir/err

# judge STATUS LINE...: check a message with these lines
judge() {
	status=$1
	shift
	printf '%s\n' "$@" >"$dir/message"
	"$top/scripts/commit-msg" "$dir/message" 2>"$dir/err"
	[ $? = "$status" ]
}

judge 0 'user: pcp: read what is there' '' 'It was not read.' && [ ! -s "$dir/err" ]
result "directory, imperative, and a body"
judge 0 'kmod, selftests: count once' '# a comment' '' 'It counted twice.'
result "two directories, and git's comments"
judge 1 'user: read what is there' '# a comment only' && grep -q 'no body explains why' "$dir/err"
result "no body"
judge 1 "user: $(printf '%67s' '' | tr ' ' x)" '' 'Why.' && grep -q '73 characters' "$dir/err"
result "73 characters"
judge 0 "user: $(printf '%66s' '' | tr ' ' x)" '' 'Why.'
result "72 characters"
judge 1 'user: read this; write that' '' 'Why.' && grep -q "';'" "$dir/err"
result "two changes"
judge 1 'Read what is there' '' 'Why.' && grep -q 'directory: do something' "$dir/err"
result "no folder"
judge 0 "Merge branch 'x'"
result "a merge"
"$top/scripts/commit-msg" 2>"$dir/err"
[ $? = 2 ] && grep -q usage "$dir/err"
result "usage"

# in_clone LINE...: commit with this message in a clone, and check the new commits in the clone
in_clone() {
	git -C "$dir/clone" -c user.name=x -c user.email=x@x -c core.hooksPath=/nonexistent \
		commit -q --allow-empty -m "$(printf '%s\n' "$@")" &&
		"$dir/clone/scripts/commit-msg" --new 2>"$dir/err"
}

mkdir -p "$dir/clone/scripts" && cp "$top/scripts/commit-msg" "$dir/clone/scripts/" && git init -q "$dir/clone" &&
	"$dir/clone/scripts/commit-msg" --new
result "a repository without commits"
in_clone 'Old commits have no rules' && git -C "$dir/clone" add scripts && in_clone 'Add the rules'
result "commits before the rules were added, and the one that adds them, are not checked"
in_clone 'user: read the file' '' 'It was not read.'
result "a good commit passes"
! in_clone 'Read the file' && grep -q 'no body explains why: Read the file' "$dir/err"
result "a bad commit fails, and is named"
git clone -q --depth 1 "file://$dir/clone" "$dir/shallow" && "$dir/shallow/scripts/commit-msg" --new
result "in a shallow clone, all commits except the oldest are checked"
git -C "$dir/clone" tag v1 && "$dir/clone/scripts/commit-msg" --new
result "commits of a release are not checked"
mkdir -p "$dir/tar/scripts" && cp "$top/scripts/commit-msg" "$dir/tar/scripts/" &&
	GIT_CEILING_DIRECTORIES=$dir "$dir/tar/scripts/commit-msg" --new
result "without a history nothing is checked"
done_testing
