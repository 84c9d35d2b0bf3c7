#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The pinned maps describe themselves: bpftool shows names and fields.
pins=/sys/fs/bpf/vcpc
count=0
failed=0

# check WHAT COMMAND...: report whether COMMAND succeeds as the test result WHAT
check() {
	what=$1
	shift
	count=$((count + 1))
	if "$@" >/tmp/pinned.out 2>&1; then
		echo "ok $count - $what"
	else
		failed=1
		sed 's/^/# /' /tmp/pinned.out
		echo "not ok $count - $what"
	fi
}

# has FILE PATTERN...: check that FILE matches each pattern
has() {
	file=$1
	shift
	for pattern; do
		grep -q -- "$pattern" "$file" || { echo "no '$pattern' in:"; cat "$file"; return 1; }
	done
}

hasnot() {
	if grep -- "$2" "$1"; then return 1; fi
}

# fails STATUS COMMAND...: check that the command exits with this status and prints a message
fails() {
	wanted=$1
	shift
	status=0
	"$@" >/tmp/pinned.fail 2>&1 || status=$?
	cat /tmp/pinned.fail
	[ "$status" = "$wanted" ] && [ -s /tmp/pinned.fail ]
}

dump() { bpftool map dump pinned "$pins/$1" >"/tmp/$1"; }
show() { vcpc trace show "$@" >/tmp/show; }

# rows_sum_up TAG COUNT: check that the tag has at most 24 histogram rows, whose counts add up to
# COUNT
rows_sum_up() {
	in_tag='' rows=0 sum=0
	while read -r line; do
		case $line in
		"$1 "*) in_tag=1 ;;
		*\|*\|*) [ -z "$in_tag" ] || { rows=$((rows + 1)); sum=$((sum + ${line##*| })); } ;;
		*) in_tag='' ;;
		esac
	done </tmp/show
	echo "$1: $rows rows, $sum"
	[ $rows -gt 8 ] && [ $rows -le 24 ] && [ $sum = "$2" ]
}

echo "1..24"
vcpc trace off >/dev/null 2>&1
check "off twice is reported" fails 1 vcpc trace off
check "show while tracing is off is reported" fails 1 vcpc trace show
check "vcpc trace on" vcpc trace on
check "on twice is reported" fails 1 vcpc trace on
check "an unknown word is invalid usage" fails 2 vcpc trace maybe
check "an option of another command is invalid usage" fails 2 vcpc trace off --hist
check "an invalid number is invalid usage" fails 2 vcpc trace on --max-tags 12x
check "a traced program runs" orders 150
check "vc_tag can be dumped" dump vc_tag
check "... with the names of tags" has /tmp/vc_tag '"name": "batch"' '"name": "mean bill"' '"key"'
check "vc_stat can be dumped" dump vc_stat
check "... with the names of fields" has /tmp/vc_stat '"tag"' '"kind"' '"count"' '"sum_ns"' \
	'"min_ns"' '"max_ns"' '"last_ns"' '"last_took_ns"' '"value"' '"hist"' '"cpu"'
check "vc_drop can be dumped" dump vc_drop
check "vcpc trace show" show
check "... includes every batch" has /tmp/show '^batch  *150  *0 ' '^orders done  *counter  *150 ' \
	'^opened  *point  *1 '
check "... reports no lost events" hasnot /tmp/show 'not recorded'
check "vcpc trace show --hist" show --hist
check "... draws bars" has /tmp/show '|#.*| [0-9]'
check "... fits on a screen, with each transaction in one bucket" rows_sum_up batch 150
dump vc_open
check "an exited process has no open transactions" hasnot /tmp/vc_open start_ns
dump vc_open_row
check "... also in the array" hasnot /tmp/vc_open_row '"start_ns": [1-9]'
mv $pins/vc_stat $pins/moved
check "vcpc record fails if a map is missing" fails 1 vcpc record -e page-faults -o /tmp/pinned-record true
mv $pins/moved $pins/vc_stat
check "vcpc trace off" vcpc trace off
check "nothing remains" [ ! -e $pins ]
exit $failed
