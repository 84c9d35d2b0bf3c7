#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A new user runs the commands in README in the first hour, without the module.  Test them with
# valid, unusual and invalid input.  Exit statuses match the manual.  An error is reported in a line
# that contains the name of the command; another line may suggest a command.  The output contains no
# control characters and no invalid numbers.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence="$dir/what $dir/out $dir/err"
top=$(cd "$(dirname "$0")/../.." && pwd)
vcpc=${VCPC_BUILD:?}/bin/vcpc
commands=$("$vcpc" --help | sed -n 's|^  \([a-z]*\) .*|\1|p')
export COLUMNS=40 LC_ALL=C.UTF-8 TZ=UTC
chmod 755 "$dir"
cd "$dir" || exit 1

# run ARGUMENT...: run vcpc without a terminal and without input
run() {
	echo "vcpc $*" >"$dir/what"
	"$vcpc" "$@" >"$dir/out" 2>"$dir/err" </dev/null
}

# clean: check that the output has no control characters except newlines, and no invalid numbers
clean() {
	! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$dir/out" "$dir/err" &&
		! grep -qiwE '\(null\)|-?nan|-?inf' "$dir/out" "$dir/err"
}

# good ARGUMENT...: check that the status is 0 and the output is clean
good() {
	run "$@"
	[ $? = 0 ] && clean
	result "vcpc $*"
}

# bad STATUS TEXT ARGUMENT...: check that vcpc exits with this status and prints to stderr a line
# "vcpc COMMAND: ..." that contains TEXT, followed by at most one more line
bad() {
	status=$1 text=$2
	shift 2
	run "$@"
	[ $? = "$status" ] && clean && [ "$(wc -l <"$dir/err")" -le 2 ] &&
		sed -n 1p "$dir/err" | grep -qE "^vcpc( [a-z]+)?: ." && grep -qF -- "$text" "$dir/err" &&
		{ [ "$status" != 2 ] || sed -n '$p' "$dir/err" | grep -q "^Try 'vcpc.* --help'\.$"; }
	result "vcpc $* is $status: $text"
}

# First steps
good --help
good --version
bad 2 "a command is required"
bad 2 "did you mean 'stat'" sta true
bad 2 "did you mean 'replay'" relpay run
bad 2 "did you mean 'record'" help rec
bad 2 "unknown command 'frobnicate'" frobnicate
bad 2 "unknown command ''" ''
bad 2 "unknown command 'a?[31m?b'" "$(printf 'a\033[31m\nb')"
wrong=''
for command in $commands; do
	run "$command" --help && clean && [ ! -s err ] && grep -q "^Usage: vcpc $command" out || wrong="$wrong $command"
	run "$command" --no-such-option
	[ $? = 2 ] && clean && grep -q "^Try 'vcpc $command --help'" err && [ ! -s out ] || wrong="$wrong $command(option)"
	"$vcpc" "$command" --help >/dev/full 2>err
	[ $? = 1 ] && grep -q "^vcpc $command: cannot write" err || wrong="$wrong $command(full)"
	"$vcpc" "$command" --help >&- 2>err
	[ $? = 1 ] && grep -q "^vcpc $command: cannot write" err || wrong="$wrong $command(closed)"
done
echo "wrong:$wrong" >"$dir/what"
[ -z "$wrong" ]
result "each command's --help, an unknown option, a full disk, closed output"
wrong=''
for command in $commands; do
	"$vcpc" "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u | while read -r option; do
		set -- "$top/Documentation/man/vcpc-$command.1"
		# If the page refers to vcpc-replay(1), that page has the common options.
		! grep -q 'vcpc.-replay (1)\.$' "$1" || set -- "$@" "$top/Documentation/man/vcpc-replay.1"
		sed 's/\\-/-/g' "$@" | grep -qF -- "$option" || echo "$command $option"
	done
	grep -q '^.SH EXIT STATUS' "$top/Documentation/man/vcpc-$command.1" || echo "$command: no exit status"
done >out
[ ! -s out ]
result "the manual has each option of --help, and the exit statuses"
sed -n 's/^    \(sudo \)*vcpc \([a-z]*\) \(.*\)/\2 \3/p' "$top/README.md" | sed 's/ *#.*//; s/ -- .*//' | while read -r command rest; do
	for option in $rest; do
		case $option in
		--*) "$vcpc" "$command" --help | grep -qw -e "$option" || echo "$command $option" ;;
		esac
	done
done >out
[ ! -s out ]
result "README's options exist"

# Exploring
bad 1 "no event has 'zzzz' in its name" events zzzz
bad 2 "at most one PATTERN" events a b
"$vcpc" events >/dev/full 2>err
[ $? = 1 ] && grep -q 'cannot write' err
result "events: a full disk"
bad 2 "unexpected argument 'extra'" doctor extra
for tool in top 'trace show' 'trace export'; do
	# shellcheck disable=SC2086
	if [ "$(id -u)" = 0 ] && [ ! -e /sys/fs/bpf/vcpc ]; then
		bad 1 "vcpc t" $tool
	else
		skip "vcpc $tool: no tracing" "tracing may be on, or its state cannot be read"
	fi
done
bad 2 "unknown action 'bogus'" trace bogus
bad 2 "unknown format 'bogus' (use json or perfetto)" trace export --format bogus
bad 2 "'show' does not accept this option" trace show --format json
bad 2 "an action is required: on, off, status, functions, show or export" trace
bad 2 "unexpected argument 'archive'" trace export archive
bad 2 "unknown command 'tpo'; did you mean 'top'?" tpo
bad 2 "unknown command 'foo'" foo
! grep -q "did you mean" err
result "no command resembles 'foo'"
bad 2 "unknown option '-V'" -V

# Counting
bad 2 "is not a process ID" stat -p 12x
bad 2 "is not a process ID" stat -p ''
bad 2 "is not a process ID" stat -p 0
bad 2 "is not a CPU's number" stat -C 5-2
bad 2 "is not a CPU's number" stat -C x
bad 2 "invalid number of runs" stat -r 1x true
bad 2 "-x and -j are mutually exclusive" stat -x, -j true
bad 2 "--for requires" stat --for 1s true
bad 2 "--fail-if" compare a b --fail-if
if ! "$vcpc" stat -e page-faults true >/dev/null 2>&1; then
	skip "counting, recording, replaying" "nothing may be counted here"
	done_testing
fi
good stat -e page-faults,task-clock true
good stat -j -e page-faults true
good stat -d -e page-faults true
grep -qE '^ *(<not supported>|[0-9,]+)  *L1-dcache-load-misses' err && ! grep -q iTLB err
result "-d: the caches, or a message that they are not supported"
good stat -dd -x, -e page-faults true
grep -qE '^(<not supported>|[0-9]+),,iTLB-loads,[0-9]+,(0|100)\.00,' err
result "-dd: also the TLBs"
good stat -e '{page-faults,context-switches},task-clock' true
[ "$(grep -cE '^ *[0-9.,]+ (msec|    ) (page-faults|context-switches|task-clock)' err)" = 3 ]
result "a group"
good stat -e cycles true
[ "$(grep -c '<not supported>' err)" = "$(grep -c 'note: none of these events can be counted here' err)" ]
result "an event that is not supported, and a note"
run stat -x, -e cycles true && ! grep -q note: err
result "... but not in fields"
bad 2 "invalid event group" stat -e '{page-faults}:u' true
bad 2 "without a closing brace" stat -e '{page-faults,task-clock' true
bad 2 "contains an empty event name" stat -e '{}' true
good stat -e page-faults,task-clock sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i + 1)); done'
awk '/seconds user$/ { u = $1 } /seconds sys$/ { s = $1 } / task-clock/ { gsub(",", "", $1); t = $1 / 1e3 }
	END { print "user", u, "sys", s, "task-clock", t; exit !(u > 0 && u + s > 0.8 * t - 0.02 && u + s < 1.2 * t + 0.05) }' err >"$dir/what"
result "user and system time are those of task-clock"
good stat -D 1500 -e page-faults sh -c 'i=0; while [ $i -lt 40 ]; do (:); i=$((i + 1)); done; sleep 1.7'
[ "$(awk '$2 ~ /^page-faults/ { gsub(",", "", $1); print $1 }' err)" -lt 100 ] && awk '/seconds elapsed/ { exit !($1 < 1.7) }' err
result "-D: earlier events are not counted"
run stat -D 2000 -e page-faults,task-clock sh -c 'exit 6'
[ $? = 6 ] && clean && grep -q "'sh' ended before counting began" err && [ "$(grep -c '^ *<not counted>  *[pt]' err)" = 2 ]
result "-D: if the command ends before, there are no counts, and the exit status is its own"
run stat -D 2000 -x, -o fields -e page-faults true
[ $? = 0 ] && clean && grep -q -E '^<not counted>,,page-faults(:u)?,0,100.00,,$' fields
result "... as fields"
good stat -D 2000 -j -o json -e page-faults true
grep -q '"quality":"not counted","values":\[null\],"mean":null' json
result "... as JSON"
bad 2 "-D cannot be combined" stat -D 1s --multiplex true
good stat -x, -e page-faults true
bad 1 "process 999999999 does not exist" stat -p 999999999
bad 1 "CPU 9999 does not exist" stat -C 9999
bad 126 "cannot run '/etc'" stat /etc
bad 127 "cannot run ''" stat ''
bad 127 "cannot run 'no-such-é'" stat -- no-such-é
# The native tests run without tracefs.
if [ ! -e /sys/kernel/tracing/events ] && [ ! -e /sys/kernel/debug/tracing/events ]; then
	bad 1 "cannot find tracepoint 'sched:sched_switch:k'" stat -e sched:sched_switch:k true
else
	skip "a tracepoint without tracefs" "tracefs is mounted"
fi
for event in instructions:u cycles r1a8 r1a8:u; do
	run record -o nie -e $event true
	[ $? = 0 ] || grep -q "^vcpc record: event '$event' cannot be counted here;" err
	result "a known event, $event, is not called unknown"
	rm -f nie.*
done
bad 1 "unknown event 'nosuch'; 'vcpc events' lists" stat -e nosuch true
bad 1 "event 'é'" stat -e é true
bad 1 "event 'a?[31m'" stat -e "$(printf 'a\033[31m')" true
bad 1 "cannot write '/no/such/place'" stat -o /no/such/place -e page-faults true
bad 1 "cannot write" stat -o /dev/full -e page-faults true
run stat -e page-faults -- sh -c 'exit 9'
[ $? = 9 ] && clean
result "the exit status of stat is the command's"
"$vcpc" stat -e page-faults true 2>&-
[ $? = 1 ]
result "stat with closed error output fails, because it cannot print the counts"

# Recording and replaying, with a non-ASCII archive name
good record -o lauf-ä-日本 -I 20ms -e page-faults:u,task-clock sh -c 'for i in 1 2 3 4 5; do sleep 0.02; done'
good record -o zwei -I 20ms -e page-faults:u,task-clock sh -c 'sleep 0.1'
run dump zwei && grep -q '^  vcpc.count.page_faults_u\[[0-9]\{6\} sh\]: ' out && ! grep -q ' vcpc\]' out
result "the counts are those of the command, not of vcpc"
bad 1 "it already exists; choose another name" record -o zwei -e page-faults true
bad 1 "cannot create archive '/no/such/a'" record -o /no/such/a -e page-faults true
bad 2 "a command is required" record -o drei
bad 2 "invalid size or time 'x'" record --rotate x true
[ "$(ls -d drei* 2>/dev/null)" = '' ]
result "nothing remains of a failed recording"
for command in replay dump summary label check; do
	good $command lauf-ä-日本
	[ "$command" = check ] || [ -s out ]
	result "... prints a message, unless there is no problem"
	bad 1 "archive 'no-such' not found (no file no-such.meta)" $command no-such
	bad 1 "archive name is empty" $command ''
	bad 2 "archive" $command
done
mkdir leer
bad 1 "the directory 'leer' contains no archives" replay leer
mkdir kaputt
for name in a b; do : >kaputt/$name.meta; : >kaputt/$name.0; done
run replay kaputt
[ $? = 1 ] && clean && [ "$(grep -c '\] vcpc replay([0-9]*) Warning: .*skipped archive "kaputt/[ab]": Empty archive file$' err)" = 2 ] &&
	sed 1,2d err | grep -qF "vcpc replay: no archive in the directory 'kaputt' can be read (2 are damaged)"
result "a directory of damaged archives, and the reason of each"
run label lauf-ä-日本 && grep -q '^lauf-ä-日本' out
result "the name is printed unchanged"
good replay lauf-ä-日本 -t 50msec --plot vcpc.count.page_faults_u
[ "$(sed 1,3d out | wc -L)" -le 42 ]
result "... on 40 columns"
good replay lauf-ä-日本 --csv
good replay lauf-ä-日本 -m back vcpc.count.page_faults_u
good replay lauf-ä-日本 -t 1hour
bad 2 "use interp, forw or back" replay zwei -m up
bad 2 "':nosuch'" replay zwei :nosuch
bad 2 "invalid interval" replay zwei -t banana
bad 1 "did you mean 'vcpc.count.page_faults_u'" replay zwei page_faults
bad 1 "did you mean 'vcpc.count.page_faults_u'" replay zwei vcpc.count.page_fault_u
bad 1 "no metric" dump zwei no.such.metric
good compare lauf-ä-日本 zwei
good compare lauf-ä-日本 zwei --fail-if 'page_faults_u > +10000%'
bad 2 "two archives are required" compare zwei
bad 2 "invalid condition 'bogus'" compare zwei zwei --fail-if bogus
good report lauf-ä-日本 -o seite-ä.html
grep -q '</html>' seite-ä.html
result "... is a complete page"
bad 1 "cannot write '/no/such/x.html'" report zwei -o /no/such/x.html
bad 1 "archive 'no-such' not found" report no-such -o x.html
[ ! -e x.html ]
result "... and no page is written without data"

# If the reader closes the pipe, no message is printed.
for command in "dump zwei" "replay zwei" --help events; do
	# shellcheck disable=SC2086
	{ "$vcpc" $command 2>"$dir/err"; echo $? >"$dir/status"; } | :
	status=$(cat status)
	{ [ "$status" = 0 ] || [ "$status" = 141 ]; } && { [ "$command" = events ] || [ ! -s err ]; }
	result "vcpc $command: its reader closes the pipe"
done

# An archive that another user may not read
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
	chmod 000 zwei.meta
	# The checkout may be in a directory without search permission for others.
	mkdir nobodys && chmod 755 "$dir" nobodys && cp "$vcpc" "$VCPC_BUILD/lib/libshim.so.1" nobodys
	nobody() {
		echo "as nobody: vcpc $*" >"$dir/what"
		LD_LIBRARY_PATH=$dir/nobodys setpriv --reuid 65534 --regid 65534 --clear-groups "$dir/nobodys/vcpc" "$@" >out 2>err </dev/null
	}
	nobody replay "$dir/zwei"
	[ $? = 1 ] && clean && grep -q 'Permission denied' err
	result "an archive without read permission"
	nobody record -o "$dir/mein" -e page-faults true
	[ $? = 1 ] && clean && grep -qE 'ermission denied|not permitted' err
	result "a directory without write permission"
	nobody stat -p 1
	[ $? = 1 ] && clean && grep -qE "another user's|not permitted|cannot count" err
	result "a process that must not be counted"
	nobody stat -e sched:sched_switch true
	[ $? = 1 ] && clean && grep -qE "tracepoint 'sched:sched_switch': only root may read|cannot count" err
	result "a tracepoint of tracefs, which only root can read"
	cp "$(command -v dash)" nobodys/secret && chmod 111 nobodys/secret
	# shellcheck disable=SC2016
	loops='i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; '
	nobody stat -e page-faults:u dash -c "$loops"
	if [ $? = 0 ]; then
		clean && ! grep -q note: err
		result "a program that the user may read"
		nobody stat -e page-faults:u "$dir/nobodys/secret" -c "$loops"
		[ $? = 0 ] && clean && grep -q "note: [0-9]* % of the CPU time of '.*secret' was not counted" err
		result "... and one that the user may not read"
		nobody stat -e page-faults:u dash -c "'$dir/nobodys/secret' -c '$loops$loops'; :"
		[ $? = 0 ] && clean && grep -q "note: [0-9]* % of the CPU time of 'dash' and its children was not counted" err
		result "... and a child that the user may not read"
	else
		skip "programs that the user may not read" "only root may count here"
	fi
else
	for what in read written counted traced; do skip "files and processes that must not be $what" "only root can change the user"; done
fi
done_testing
