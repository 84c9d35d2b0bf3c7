#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If a system call fails in 'vcpc why' or in 'vcpc record' of transactions, the result is complete,
# or the command prints a message and exits with an error.  Nothing remains in the kernel.
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
inject=${VCPC_INJECT:-$here/../fail/libinject.so}
[ -e "$inject" ] || { echo "1..0 # SKIP no $inject"; exit 4; }
[ -e /sys/kernel/btf/vmlinux ] || { echo "1..0 # SKIP this kernel has no BTF"; exit 4; }
trap 'touch "$dir/end"; wait; vcpc trace off 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/wrong"
# Loading the programs takes seconds on an emulated CPU, mostly for those that record stacks.
# Therefore a run without FAIL_POINTS tests fewer failures.
all=${FAIL_POINTS:-}
[ -n "$all" ] || FAIL_WAYS=${FAIL_WAYS:-open-EMFILE perf-EMFILE bpf-ENOMEM memory}
# shellcheck source=selftests/fail/shared/commands.sh
. "$here/../fail/shared/commands.sh"
export LC_ALL=C FAIL_SECONDS=120 FAIL_POINTS="${FAIL_POINTS:-1}"
cd "$dir" || exit 1

# loaded: print the programs, maps and links of tracing and of 'vcpc why' in this kernel.  If other
# processes trace on this machine, FAIL_LOADED must be another command that lists them.
loaded() {
	${FAIL_LOADED:-"$here/../host.sh"} | sed 's/^[0-9]*: //; s/ loaded_at .*//' | sort
}

# nothing_left: check that a run left nothing in the kernel, which needs time to clean up after a
# killed process
nothing_left() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		loaded >now
		[ -n "$(comm -13 before now)" ] || return 0
		sleep 0.3
	done
	wrong "left in the kernel: $(comm -13 before now | head -n 1)"
	cp now before
}

# tags: print each tag with the number of its transactions, from the JSON of 'vcpc why'
tags() {
	sed 's/{"tag": /\n&/g' out | sed -n 's/^{"tag": "\([^"]*\)".*"all": {"count": \([0-9]*\).*/\1 \2/p' | sort
}

# explains: check that a run has all tags with at least a tenth of the transactions, and that no
# rows are missing
explains() {
	nothing_left
	[ "$how" != none:0 ] || tags >normal
	if [ "$status" = 0 ]; then
		tags | join -a 1 normal - | awk '$3 + 0 < $2 / 10 { exit 1 }' || wrong "success, and tags are missing: $(tags | tr '\n' ' ')"
		grep -q '"threads": 0, "tags": 0, "reasons": 0, "stacks": 0}}$' out || wrong "success, and the end is missing: $(tail -c 100 out)"
		return
	fi
	said || wrong "no message"
}

# frames FILE: print the functions of the traced program that occur in the folded stacks
frames() {
	cut -d ' ' -f 1 "$1" | tr ';' '\n' | grep -x -e bill_of -e find_article -e main -e compare_customers | sort -u
}

# folds: check that a run has the stacks with names, or prints that names are missing
folds() {
	nothing_left
	[ "$how" != none:0 ] || frames out >normal
	if [ "$status" = 0 ]; then
		frames out >now
		[ -z "$(comm -23 normal now)" ] || grep -q -e 'have no name' -e 'stacks are only those of waits' err ||
			wrong "success, and functions are missing: $(comm -23 normal now | tr '\n' ' ')"
		return
	fi
	said || wrong "no message"
}

# last METRIC: print the last value of batches in the archive
last() {
	vcpc replay rec -m back -r "$1[batch]" 2>said | awk '$1 ~ /^[0-9][0-9]:/ && $2 != "-" { print $2; exit }'
}

# records_all: check that a recording has all batches of its program, and their parts and stacks if
# requested.  Only a process that was killed, or that printed this, may leave tracing on.
records_all() {
	if killed || grep -q 'cannot turn tracing off again' err; then vcpc trace off 2>said; fi
	nothing_left
	vcpc trace off 2>said && wrong "tracing remains on"
	if [ "$status" != 0 ]; then
		said || wrong "no message"
		return
	fi
	vcpc check rec >check 2>&1 || wrong "success, but an incomplete archive: $(head -n 1 check)"
	[ "$(last trace.transact.count)" = 150 ] || wrong "success, and $(last trace.transact.count) batches: $(tail -n 1 said)"
	[ -z "${want_parts:-}" ] || [ "$(last vcpc.transact.time.count)" = 150 ] || grep -q '^Not included: ' err ||
		wrong "success, and the parts of $(last vcpc.transact.time.count) batches"
	grep -qs '^batch;.* [0-9]* [0-9]*$' rec.folded rec/*.folded || [ -z "${want_parts:-}" ] || wrong "success, and no stacks of batches"
}
prepare() {
	rm -rf rec rec.*
}

vcpc trace off 2>log
loaded >before
sh -c 'while [ ! -e end ]; do orders 150; sleep 0.1; done' >/dev/null 2>&1 &
learning='explains folds records_all'
time=${WHY_TIME:-500ms}
sweep why explains vcpc why --for "$time" --json --no-stacks
[ -z "$all" ] || sweep folded folds vcpc why batch --for "$time" --folded
touch end
wait
loaded >before
[ -z "$all" ] || sweep traced records_all vcpc record --trace -e page-faults -I 50ms -o rec orders 150
want_parts=1
sweep parts records_all vcpc record --trace --why --rotate 1h -e page-faults -I 50ms -o rec orders 150
[ -z "$all" ] || sweep stacks records_all vcpc record --trace --why -e page-faults -I 50ms -o rec orders 150
done_testing
