#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The script that judges a VM's run accepts it only if the guest reported success and its kernel
# logged no error.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
vm=$(cd "$(dirname "$0")/../vm" && pwd)
work=$dir
evidence=$work/said

# judged CONSOLE-LINE DMESG-LINE: return the judgment of a run with these lines
judged() {
	printf '%s\n' "$1" >"$work/console"
	printf '%s\n' "$2" >"$work/dmesg"
	"$vm/judge.sh" cafe "$work/console" "$work/dmesg" 2>"$work/said"
}

[ "$(judged 'VM-JOB cafe status 0' 'all quiet')" = 0 ]; result "if nothing is logged, the status is the job's"
[ "$(judged 'VM-JOB cafe status 7' 'all quiet')" = 7 ]; result "the same holds for a failed job"
! judged 'nothing' 'all quiet'; result "a missing message from the guest is a failure"
! judged 'VM-JOB beef status 0' 'all quiet'; result "a message of another run is ignored"
! judged 'say VM-JOB cafe status 0' 'all quiet'; result "so is one within a line"
! judged 'VM-JOB cafe status 0' '[ 1.0] WARNING: CPU: 0 at x.c:1'; result "a warning in the log is a failure"
! judged 'VM-JOB cafe status 0' '[ 1.0] BUG: KASAN: use-after-free'; result "KASAN: a failure"
! judged 'VM-JOB cafe status 0' '[ 1.0] BUG: KCSAN: data-race in read_one [vcpc] / schedule'; result "a race in the module is a failure"
[ "$(judged 'VM-JOB cafe status 0' '[ 1.0] BUG: KCSAN: data-race in read_one / schedule')" = 0 ]; result "a race elsewhere in the kernel is not"
! judged 'VM-JOB cafe status 0
[ 1.0] Kernel panic - not syncing' ''; result "an error only on the console is a failure"
grep -q 'Kernel panic' "$work/said"; result "the error is printed"

"$vm/run" --quiet --timeout 900 --out "$work/out" -- 'echo hello; echo x >/out/file; exit 9'
[ $? = 9 ] && [ "$(cat "$work/out/file" "$work/out/job.log")" = "x
hello" ]; result "a real run: status, files and output are returned"
"$vm/run" --quiet --timeout 900 -- 'echo c >/proc/sysrq-trigger' 2>"$work/said"
[ $? = 125 ] && grep -q 'sysrq triggered crash' "$work/said"; result "a real panic fails, and its log is printed"
"$vm/run" --quiet --timeout 12 -- 'sleep 1000' 2>"$work/said"
[ $? = 125 ] && grep -q 'did not say' "$work/said"; result "a real hang fails"
"$vm/run" --quiet --timeout 900 -- 'echo "WARNING: made up" >/dev/kmsg' 2>"$work/said"
[ $? = 125 ] && grep -q 'made up' "$work/said"; result "a real line in the kernel log fails"
done_testing
