#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Follow the how-to "My p99 is bad" step by step.  The slow transactions of the program wait for
# another program.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
guide=$(dirname "$0")/../tools/documents/howto-p99.rst
evidence="$dir/typed $dir/first $dir/log"
cd "$dir" || exit 1
[ -e "$guide" ] || guide=$(dirname "$0")/../../Documentation/site/howto-p99.rst
if [ "$(id -u)" != 0 ] || [ ! -e /sys/kernel/btf/vmlinux ]; then
	skip "the guide" "this requires root and a kernel with BTF"
	done_testing
fi

# In one of 20 transactions, the server waits for a program that sleeps.
cat >server <<'END'
#!/bin/sh
for order in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19; do pmtrace -q -e true checkout; done
pmtrace -q -e "sleep 0.5" checkout
END
chmod 755 server
while [ ! -e end ]; do ./server >/dev/null 2>&1; done &
running=$!
trap ': >"$dir/end"; wait $running; vcpc trace off >/dev/null 2>&1; rm -rf "$dir" /tmp/run /tmp/run.*' EXIT
rm -f /tmp/run.*

# step WORDS: run the first command in the guide that matches WORDS
step() {
	sed -n 's/^     *\(sudo \)*\(vcpc [a-z].*\)/\2/p' "$guide" | grep -e "$1" | head -n 1 >typed
	[ -s typed ] || return 1
	timeout 120 sh ./typed >log 2>&1 </dev/null
	ended=$?
	head -n 3 log >first
	return $ended
}

step 'why checkout --for 10s'
result "step 1: watch the program"
awk 'NR == 1 && /^checkout, transactions above p99 take .* on average: .* blocked \([0-9]+ % of that in wait4\)/ { for (i = 1; i < NF; i++)
	if ($i == "(" || $(i + 1) == "%") { share = $i; sub(/\(/, "", share) } } END { exit !(share + 0 > 90) }' log
result "step 2: the first line names the wait"
awk '/^    in wait4/ { split("", v); n = 0; for (i = 3; i <= NF; i++) if ($i ~ /^[0-9.]+$/) v[++n] = $i
	unit1 = $4; unit2 = $8; ms1 = unit1 == "us" ? v[1] / 1000 : unit1 == "s" ? v[1] * 1000 : v[1]
	ms2 = unit2 == "us" ? v[3] / 1000 : unit2 == "s" ? v[3] * 1000 : v[3]; good = ms2 > 3 * ms1 && ms2 > 400 } END { exit !good }' log
result "step 3: this row grows from left to right"
grep -q '\*blocked in a system call without "I/O"\*' "$guide" && ! grep -q '^checkout.*I/O' log
result "step 4: the guide explains it: another process is late"
grep -q '^  .* more per slow transaction, wait4, ' log && grep -q 'do_wait' log
result "step 5: the first stack is the wait"
step 'record --trace --why'
result "step 6: record it"
step 'report /tmp/run'
[ $? = 0 ] && grep -q '"stacks":\["checkout;wait4;' run.html && grep -q '"blocked":\[' run.html
result "... and generate a page, which has the parts and the stacks"
done_testing
