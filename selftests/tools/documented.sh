#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The commands in README, in the guides and in the examples of the manual pages work as written,
# with and without a PMU.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
documents=$(dirname "$0")/documents
evidence="$dir/typed $dir/log"
cd "$dir" || exit 1

# The documents refer to these files, which this test removes afterwards.
for path in /tmp/run* /tmp/old /tmp/new; do
	[ ! -e "$path" ] || { echo "Bail out! $path exists"; exit 1; }
done

# Create the programs that occur in the documents; each run makes a few transactions.
cat >server <<'END'
#!/bin/sh
for order in 1 2 3; do pmtrace -q -e true checkout; done
END
chmod 755 server
cp server orders && cp server server.old && cp server server.new && mkdir -p base new /tmp/old /tmp/new /usr/share
ln -s server parse
while [ ! -e end ]; do ./server >/dev/null 2>&1; sleep 0.2; done &
running=$!
trap ': >"$dir/end"; wait $running; vcpc trace off >/dev/null 2>&1; rm -rf "$dir" /tmp/run* /tmp/old /tmp/new' EXIT
has_pmu() { vcpc stat -x, -e instructions true 2>&1 | grep -q '^[1-9]'; }
pmu=false
! has_pmu || pmu=true

# Record the runs to compare; a condition on a duration needs two runs per side.
vcpc trace off >/dev/null 2>&1
vcpc trace on >log 2>&1
for run in old/1 old/2 new/1 new/2 run2; do
	vcpc record -o "/tmp/$run" -I 100 -e instructions,instructions:u,page-faults,task-clock -- ./server >>log 2>&1
done
vcpc trace off >>log 2>&1
[ -e /tmp/run2.meta ] && [ -e /tmp/new/2.meta ]
result "runs to compare"

# changed COMMAND: print COMMAND with real names, a shorter time, and output that needs no terminal;
# $i is the number of a run in a loop, which does not exist yet
changed() {
	echo "$1" | sed "s/\$(pidof [a-zA-Z]*)/$running/; s/\$(docker inspect.*NAME)/$running/
		s/--for 1[0a-z]*/--for 2s/; s/-r 10/-r 2/; s/^vcpc top\$/vcpc top --once/; s/-- make\$/-- true/
		s/^vcpc why\$/vcpc why --for 2s/; s/^\\(vcpc why.*\\)--folded/\\1--for 2s --folded/
		s/\\.\\/server:handle_order/pmtrace:main=handle_order/
		s/\\.\\/server:handle_request/\\/usr\\/bin\\/orders:by_customer/; s/\\\$i\\b/3/"
}

# prepare COMMAND: remove old archives, and turn tracing on or off as COMMAND expects
prepare() {
	case $1 in
	*'record '*'/tmp/run '*) rm -f /tmp/run.meta /tmp/run.index /tmp/run.folded /tmp/run.[0-9]* ;;
	*'trace on'*) vcpc trace off >/dev/null 2>&1 ;;
	*'trace show'* | 'vcpc top'*) vcpc trace on >/dev/null 2>&1 ;;
	esac
	return 0
}

# reason STATUS COMMAND: check whether COMMAND may fail here with STATUS, and print the reason
reason() {
	case $1:$2 in
	*--usdt*mysqld*) [ ! -e /usr/sbin/mysqld ] && grep -q mysqld log && echo "# mysqld is not installed" ;;
	1:*doctor*) grep -q . log && echo "# this VM can be improved" ;;
	1:*' -G '*) grep -q 'control group' log && echo "# there is no such control group" ;;
	3:*--fail-if*) echo "# the condition is true" ;;
	1:*'events instr'*) ! $pmu && grep -q "no event has 'instr'" log && echo "# no PMU" ;;
	1:*'record '*'-e instructions:u '*) ! $pmu && grep -q "'instructions:u' cannot be counted here" log && echo "# no PMU" ;;
	[12]:*--fail-if*instructions*) ! $pmu && grep -qE "instructions|directory 'base' contains no archives" log && echo "# no PMU" ;;
	*) false ;;
	esac
}

works() {
	prepare "$1"
	changed "$1" >typed
	timeout 60 sh ./typed >log 2>&1 </dev/null
	status=$?
	[ $status = 0 ] || reason $status "$1"
}

# Print the commands in a document: indented lines of a page, or example lines of a manual page
# after a prompt.
typed_in_page() { sed -n 's/^     *\(sudo \)*\(vcpc [a-z].*\)/\2/p' "$1" | sed 's/  *# .*//'; }
typed_in_manual() {
	awk '/^\.SH EXAMPLE/ { on = 1; next } /^\.SH/ { on = 0 } on' "$1" | sed -n 's/\\-/-/g; s/^[$#>]* *\(vcpc [a-z].*\)/\1/p'
}

for document in "$documents"/*; do
	name=${document##*/}
	case $name in
	*.1) typed_in_manual "$document" ;;
	*) typed_in_page "$document" ;;
	esac >list
	while read -r line; do
		works "$line"
		result "$name: $line"
	done <list
	wc -l <list >>lengths
done
[ "$(awk '{ n += $1 } END { print n + 0 }' lengths)" -ge 40 ]
result "the documents contain commands"
done_testing
