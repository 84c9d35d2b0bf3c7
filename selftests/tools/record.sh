#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record writes archives that can be replayed, even after SIGKILL, returns the right exit
# status, and rejects invalid usage.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/err

# replayed ARCHIVE: check that our reader finds counts in ARCHIVE
replayed() {
	vcpc replay "$1" >"$dir/replay" 2>>"$dir/err" && grep -q page_faults "$dir/replay"
}

# under_way ARCHIVE: wait up to a minute until ARCHIVE has data
under_way() {
	tries=0
	until [ $((tries += 1)) -gt 60 ] || replayed "$1"; do
		sleep 1
	done
}

record() {
	vcpc record "$@" >"$dir/out" 2>"$dir/err"
}

record -o "$dir/a" -I 100ms -e page-faults,task-clock sh -c 'sleep 1; exit 5'
[ $? = 5 ]
result "the exit status is the command's"
[ -s "$dir/a.meta" ] && [ -s "$dir/a.index" ] && [ -s "$dir/a.0" ]
result "three files"
records=$(sed -n 's/^vcpc record: \([0-9]*\) records.*/\1/p' "$dir/err")
# The archive covers the actual duration, but may lack samples that a busy machine skipped.
length=$(vcpc label "$dir/a" | awk '$1 == "length" { print $2 }')
awk "BEGIN { exit !($length >= 0.9 && ${records:-0} >= 3 && ${records:-0} <= $length / 0.1 + 2) }"
result "one record per 100 ms"
replayed "$dir/a"
result "can be replayed"
cp "$dir/a.0" "$dir/before"
record -o "$dir/a" true
[ $? = 1 ] && grep -q "already exists" "$dir/err" && cmp -s "$dir/a.0" "$dir/before"
result "an archive is not overwritten"
vcpc record -o "$dir/k" -I 20ms -e page-faults sleep 300 >/dev/null 2>"$dir/err" &
under_way "$dir/k"
kill -KILL $!
wait $! 2>/dev/null
[ -s "$dir/k.0" ] && replayed "$dir/k"
result "if vcpc is killed in the middle, the archive can be replayed"
vcpc record -o "$dir/t" -I 20ms -e page-faults sleep 300 >/dev/null 2>"$dir/err" &
under_way "$dir/t"
kill -TERM $!
wait $!
[ $? = 143 ] && replayed "$dir/t"
result "SIGTERM ends the command and completes the archive"
vcpc record -o "$dir/h" -I 20ms -e page-faults sleep 300 >/dev/null 2>"$dir/err" &
under_way "$dir/h"
kill -HUP $!
wait $!
[ $? = 129 ] && replayed "$dir/h"
result "so does SIGHUP"
record -o "$dir/n" no-such-command-anywhere
[ $? = 127 ] && [ ! -e "$dir/n.meta" ] && [ ! -e "$dir/n.0" ]
result "no archive is written if the command cannot be run"
record -o "$dir/u" -e page-faults orders
[ $? = 0 ] && grep -q "'orders' marks transactions, but tracing is off, so they are not recorded (add --trace)" "$dir/err"
result "a message reports that transactions are not recorded"
record -o "$dir/u2" -e page-faults sh -c :
[ $? = 0 ] && ! grep -q 'tracing is off' "$dir/err"
result "... if the program makes trace calls"
head -c 3000 "$(command -v orders)" >"$dir/cut" && chmod +x "$dir/cut"
record -o "$dir/u3" -e page-faults "$dir/cut"
[ $? -ge 126 ] && ! grep -q 'tracing is off' "$dir/err"
result "... and a truncated program file is read"
echo >"$dir/script"
record -o "$dir/n" "$dir/script"
[ $? = 126 ] && [ ! -e "$dir/n.meta" ] && grep -q 'Permission denied' "$dir/err"
result "... not for a file without execute permission"
mkfifo -m 755 "$dir/queue"
record -o "$dir/n" -e page-faults "$dir/queue"
[ $? = 126 ] && [ ! -e "$dir/n.meta" ]
result "... not for a pipe, on which vcpc does not wait"
record -o "$dir/n" -e page-faults sh -c 'vcpc dump --records "$0" | grep -c "^[0-9]"' "$dir/n" && [ "$(cat "$dir/out")" -ge 1 ]
result "the first record is written before the command is executed"
vcpc replay "$dir/h" --mode back >"$dir/out" 2>"$dir/err" && ! grep -q ' -0' "$dir/out"
result "backwards, no change is printed as 0"
record -o "$dir/e" -e pagefalts true
[ $? = 1 ] && grep -q "did you mean 'page-faults'" "$dir/err" && [ ! -e "$dir/e.meta" ]
result "a mistyped event"
mkfifo "$dir/pipe"
record -o "$dir/pipe" -e page-faults true
[ $? = 2 ] && grep -q 'is a device or a pipe' "$dir/err" && ! ls "$dir"/pipe.* >/dev/null 2>&1 &&
	! record -o "$dir/" -e page-faults true && [ ! -e "$dir/.meta" ]
result "names that cannot be names of archives"
record -o "$dir/no/such/folder" true
[ $? = 1 ]
result "a nonexistent directory"
here=$PWD
cd "$dir" && vcpc record -e page-faults sh -c 'exit 3' >"$dir/out" 2>"$dir/err"
[ $? = 3 ] && name=$(sed -n 's/.*vcpc replay //p' "$dir/err") && [ -s "$dir/${name:-none}.meta" ] &&
	expr "$name" : 'sh-[0-9]\{8\}-[0-9]\{6\}$' >"$dir/out"
result "without -o, a name is chosen and printed"
vcpc record -e page-faults sh -c : 2>"$dir/err"; vcpc record -e page-faults sh -c : 2>"$dir/err"
cd "$here" && [ "$(ls "$dir"/sh-*.meta | wc -l)" = 3 ]
result "... a different one each time"
record -o "$dir/x" -I soon true
[ $? = 2 ]
result "a bad interval"
record -o "$dir/m" -I 5ms --max-size 6K -e page-faults,task-clock sh -c 'sleep 2; exit 8'
[ $? = 8 ] && grep -q 'limit of --max-size' "$dir/err" && replayed "$dir/m" && vcpc check "$dir/m" &&
	[ "$(cat "$dir"/m.meta "$dir"/m.index "$dir"/m.0 | wc -c)" -lt 6600 ]
result "--max-size: recording stops, and the command continues"
record -o "$dir/r" -I 5ms --rotate 6K --keep 3 -e page-faults sh -c 'sleep 1; exit 7'
[ $? = 7 ] && ls "$dir"/r >"$dir/out" && [ "$(grep -c '^[0-9]*T[0-9]*-[0-9]*Z.meta$' "$dir/out")" = 3 ] &&
	[ "$(wc -l <"$dir/out")" = 9 ] && vcpc check "$dir/r" >>"$dir/out" && replayed "$dir/r"
result "--rotate --keep: the last three archives are kept in a directory, and are read as one"
: >"$dir/r/20000101T000000-000Z.meta.mine"
first=$(sed -n 's/\.meta$//p' "$dir/out" | head -n 1)
record -o "$dir/r" -I 5ms --rotate 6K --keep 3 -e page-faults sleep 1
[ $? = 0 ] && [ ! -e "$dir/r/${first:-none}.meta" ] && [ -e "$dir/r/20000101T000000-000Z.meta.mine" ] &&
	[ "$(ls "$dir"/r/*.meta | wc -l)" = 3 ]
result "... again in the same directory: older archives are removed, other files are kept"
for file in meta index 0; do
	: >"$dir/r/29990101T000000-000Z.$file"
done
record -o "$dir/r" -I 5ms --rotate 6K --keep 3 -e page-faults sleep 1
[ $? = 0 ] && ! ls "$dir"/r/2999* >/dev/null 2>&1 && [ "$(ls "$dir"/r/*.meta | wc -l)" = 3 ] && replayed "$dir/r"
result "... and archives of a clock that was ahead are the oldest"
vcpc record -o "$dir/q" -I 10ms --rotate 6K -e page-faults sleep 300 >/dev/null 2>"$dir/err" &
tries=0
until [ "$(ls "$dir"/q/*.meta 2>/dev/null | wc -l)" -ge 3 ] || [ $((tries += 1)) -gt 600 ]; do
	sleep 0.1
done
kill -KILL $!
wait $! 2>/dev/null
[ "$(ls "$dir"/q/*.meta | wc -l)" -ge 3 ] && replayed "$dir/q"
result "... if vcpc is killed in the middle, the directory can be replayed"
record -o "$dir/w" --rotate 1s no-such-command-anywhere
[ $? = 127 ] && [ ! -e "$dir/w" ]
result "... no directory is created if the command cannot be run"
for wrong in "--rotate 5" "--rotate 5T" "--rotate 10ms" "--keep 3" "--rotate 1s --keep 1" "--rotate 1s --max-size 5M"; do
	# shellcheck disable=SC2086
	record -o "$dir/w" $wrong true
	[ $? = 2 ] && grep -q -e '--rotate' -e '--keep' "$dir/err" && [ ! -e "$dir/w" ] || break
done
[ "$wrong" = "--rotate 1s --max-size 5M" ] && [ ! -e "$dir/w" ] && grep -q 'are mutually exclusive' "$dir/err"
result "... wrong limits"
record -o "$dir/d" -e page-faults,page-faults sleep 30
[ $? = 1 ] && grep -q "specified twice" "$dir/err" && [ ! -e "$dir/d.meta" ]
result "the same event twice"
done_testing
