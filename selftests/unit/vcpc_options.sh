#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each option letter has one meaning in the commands that count, and one in those that replay.  Every command is
# tested with every letter, and compared with a table.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/wrong
vcpc=${VCPC_BUILD:?}/bin/vcpc
cd "$dir" || exit 1

# COMMAND: letters without an argument / with an argument / rejected with an explanation; all other
# letters are unknown
table='
stat:    Aadhjv/CDGIeoprtx/BMSTcgin
record:  ah/CGIeopt/ADTdijrx
top:     h/Ibfs/ACDGadeijoprtx
trace:   hj/Iop/ACDGadeirtx
events:  h//ACDGIadeijioprtx
why:     hj/p/ACGat
doctor:  hj//
replay:  Rcghjprz/AOSTZaimst/Ieox
report:  hz/AOSTZao/Iirst
summary: hz/AOSTZa/Ieijorstx
dump:    dhlz/AOSTZa/Ieijorstx
compare: hjz/AOSTZf/Iaeiorstx
label:   hz/Z/AOSTast
check:   h//AOSTZastz
'
# kind COMMAND LETTER: print "alone", "argument", "refused", "unknown", or the problem
kind() {
	if timeout 10 "$vcpc" "$1" "-$2" -h >out 2>err </dev/null && grep -q "^Usage: vcpc $1" out; then
		echo alone
		return
	fi
	timeout 10 "$vcpc" "$1" "-$2" >out 2>err </dev/null
	[ $? = 2 ] && [ ! -s out ] && [ "$(wc -l <err)" = 2 ] || { echo "not a usage error"; return; }
	case $(sed -n 1p err) in
	"vcpc $1: option '-$2' requires an argument") echo argument ;;
	"vcpc $1: unknown option '-$2'") echo unknown ;;
	"vcpc $1: -$2: "*) echo refused ;;
	*) echo "another message" ;;
	esac
}

wanted() {
	case $4 in
	[$1]) echo alone ;;
	[$2]) echo argument ;;
	[$3]) echo refused ;;
	*) echo unknown ;;
	esac
}

for command in $("$vcpc" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	row=$(echo "$table" | sed -n "s/^$command: *//p")
	alone=${row%%/*} refused=${row##*/} rest=${row#*/}
	argument=${rest%/*}
	: >wrong
	[ -n "$row" ] || echo "the table has no row for '$command'" >wrong
	for letter in A B C D E F G H I J K L M N O P Q R S T U V W X Y Z a b c d e f g h i j k l m n o p q r s t u v w x y z; do
		found=$(kind "$command" $letter)
		[ "$found" = "$(wanted "${alone:-@}" "${argument:-@}" "${refused:-@}" $letter)" ] || echo "$command -$letter: $found" >>wrong
	done
	[ ! -s wrong ]
	result "vcpc $command accepts the letters of its group, and refuses others by name"
	: >wrong
	"$vcpc" "$command" --help | sed -n 's/^ *-\([A-Za-z]\)[, ].*/\1/p' | sort -u >helped
	printf '%s' "$alone$argument" | tr -d h | fold -w 1 | sort -u | comm -3 helped - | sed "s/^/$command --help and its letters differ: /" >wrong
	[ "$command" = trace ] || [ ! -s wrong ]
	result "... and --help has the accepted letters"
done

# says COMMAND TEXT ARGUMENT...: check that the usage error suggests an alternative
says() {
	text=$1
	shift
	timeout 10 "$vcpc" "$@" >out 2>wrong </dev/null
	[ $? = 2 ] && grep -qF -- "$text" wrong
	result "vcpc $*: $text"
}

says "use -I to set an interval, --trace to turn tracing on" record -t 100ms -- true
says "use -I to set an interval, --trace to turn tracing on" record -t -- true
says "use -I TIME" record -i 100ms true
says "use -I TIME" stat -i 100ms true
says "use --per-thread" stat -T true
says "use --per-thread" stat --threads true
says "use -x SEP" stat --csv true
says "use --for TIME" stat --timeout 10 true
says "--rates requires -I TIME" stat --rates 100ms true
says "use --reverse" top -r
says "use --records" dump -r x
says "accepts archives as arguments" compare --archive a b
says "option '--json' takes no argument" stat --json=1
says "unknown option '-q'" stat -vq true
says "unknown or ambiguous option '--nonsense'" stat --nonsense true
if "$vcpc" stat -e page-faults true 2>/dev/null && "$vcpc" record -o run -I 100 -e page-faults:u sleep 0.4 2>/dev/null; then
	# As in perf, an interval without a unit is in milliseconds when counting; as in PCP, it is
	# in seconds when replaying.
	"$vcpc" dump run | grep -c '^[0-9]' >wrong
	[ "$(cat wrong)" -ge 4 ] && [ "$(cat wrong)" -le 6 ]
	result "record -I 100 is 100 ms"
	"$vcpc" stat -I 100 -e page-faults sleep 0.35 2>wrong && [ "$(grep -c '^ *[0-9]*\.[0-9]\{9\} .*page-faults' wrong)" = 4 ]
	result "stat -I 100 is 100 ms"
	"$vcpc" replay run -t 100 vcpc.count.page_faults_u >wrong && grep -q 'every 100 s' wrong
	result "replay -t 100 is 100 s"
	"$vcpc" replay -a run -t 50ms -s 3 vcpc.count.page_faults_u >wrong && [ "$(grep -c '^[0-9][0-9]:' wrong)" = 3 ]
	result "replay -a ARCHIVE, and -s: three rows"
	"$vcpc" summary vcpc.count.page_faults_u -a run >wrong && grep -q page_faults_u wrong
	result "summary -a ARCHIVE, after a metric"
else
	for what in record stat replay -s -a; do skip "numbers and archives: $what" "nothing may be counted here"; done
fi
done_testing
