#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# An errno can have several causes.  Messages describe only causes that are true on this machine,
# and agree with vcpc doctor.  The test simulates the kernel: a system call filter returns the
# errno, and mounts in a separate namespace cover files in /proc and /sys.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
vcpc=${VCPC_BUILD:?}/bin/vcpc
evidence="$dir/out $dir/err"
export SHIM_BACKEND=perf

cat >"$dir/filter.c" <<'END'
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

/* filter SYSCALL ERRNO COMMAND...: run it with a filter that answers the system call */
int main(int argc, char **argv)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, atoi(argv[1]), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(argv[2])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { 4, code };

	if (argc < 4 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 99;
	execvp(argv[3], argv + 3);
	return 99;
}
END
for number in SYS_perf_event_open SYS_bpf ENOSYS EACCES EINVAL; do
	printf '#include <errno.h>\n#include <sys/syscall.h>\n%s\n' $number | gcc -E - | sed -n "\$s/^ */$number=/p"
done >"$dir/numbers"
SYS_perf_event_open='' SYS_bpf='' ENOSYS='' EACCES='' EINVAL=''
# shellcheck source=/dev/null
if ! gcc -o "$dir/filter" "$dir/filter.c" 2>"$dir/err" || ! . "$dir/numbers" || ! "$dir/filter" 9999 1 true; then
	skip "words" "system call filters are not available"
	done_testing
fi

# with FILE TEXT COMMAND...: run COMMAND with the contents of FILE replaced by TEXT
with() {
	path=$1
	echo "$2" >"$dir/with"
	shift 2
	# shellcheck disable=SC2016 # the inner shell's
	unshare -rm sh -c 'mount --bind "$0" "$1" && shift && exec "$@"' "$dir/with" "$path" "$@"
}

# with_lockdown STATE COMMAND...: run COMMAND as if the kernel was in the lockdown state STATE
with_lockdown() {
	echo "$1" >"$dir/state"
	shift
	# shellcheck disable=SC2016 # the inner shell's
	unshare -rm sh -c 'mount -t tmpfs none /sys/kernel/security && cat "$0" >/sys/kernel/security/lockdown && exec "$@"' "$dir/state" "$@"
}

said() { "$@" >"$dir/out" 2>"$dir/err"; }

# Check that the evidence contains all of these texts.
has() {
	for text; do grep -qF -- "$text" "$dir/err" "$dir/out" || return; done
}

# If a filter returns ENOSYS, this does not mean that the kernel lacks the call.
said "$dir/filter" "$SYS_perf_event_open" "$ENOSYS" "$vcpc" stat -e page-faults true
has 'system call filter' && ! has 'kernel has no perf_event_open'
result "perf_event_open(2) returns ENOSYS: the filter is named"
said "$dir/filter" "$SYS_perf_event_open" "$ENOSYS" "$vcpc" doctor
has 'system call filter (seccomp) is active' && grep -q '^seccomp .*active' "$dir/out"
result "... and by vcpc doctor"
said "$dir/filter" "$SYS_bpf" "$ENOSYS" "$vcpc" trace on
has 'seccomp: a filter is active' && ! has 'kernel has no BPF'
result "bpf(2) returns ENOSYS: the filter is named"

if [ "$(with /proc/sys/kernel/perf_event_paranoid 3 cat /proc/sys/kernel/perf_event_paranoid 2>"$dir/err")" = 3 ]; then
	# Run as a user without privileges, because root in the namespace has none outside it.
	said with /proc/sys/kernel/perf_event_paranoid 2 "$vcpc" doctor
	grep -A1 '^perf_event_paranoid .* 2$' "$dir/out" | grep -q 'kernel mode requires level 1, counting on whole CPUs requires level 0'
	result "paranoid 2: doctor describes what requires a lower value"
	said with /proc/sys/kernel/perf_event_paranoid 2 setpriv --bounding-set=-all --inh-caps=-all "$dir/filter" "$SYS_perf_event_open" "$EACCES" "$vcpc" stat -e page-faults true
	! has 'sysctl kernel.perf_event_paranoid=2'
	result "paranoid 2: is not suggested again"
	said with /proc/sys/kernel/perf_event_paranoid 3 setpriv --bounding-set=-all --inh-caps=-all "$dir/filter" 9999 1 "$vcpc" doctor
	has 'sysctl kernel.perf_event_paranoid=2'
	result "paranoid 3: 2 is suggested"
else
	skip "paranoid" "namespaces are not available"
fi

if said with_lockdown 'none integrity [confidentiality]' true; then
	said with_lockdown 'none integrity [confidentiality]' "$dir/filter" "$SYS_bpf" "$EINVAL" "$vcpc" trace on
	[ "$(id -u)" != 0 ] || { has 'lockdown: none integrity [confidentiality]' 'lockdown=integrity' && ! has 'are mutually exclusive'; }
	result "BPF under lockdown=confidentiality: lockdown is named"
	said with_lockdown 'none [integrity] confidentiality' "$dir/filter" "$SYS_bpf" "$EINVAL" "$vcpc" trace on
	has 'not the cause: lockdown' && ! has 'lockdown=integrity'
	result "... and ruled out if it is off"
	said with_lockdown 'none integrity [confidentiality]' "$vcpc" doctor
	grep -A1 '^lockdown .*limited .*\[confidentiality\]' "$dir/out" | grep -q 'tracing cannot be turned on'
	result "... and doctor agrees"
else
	skip "lockdown" "namespaces are not available"
fi

said "$vcpc" trace on --module --probes
has '--module and --probes are mutually exclusive'
result "options that are mutually exclusive are refused"
mkdir "$dir/locked" && chmod 0 "$dir/locked"
said setpriv --bounding-set=-all --inh-caps=-all --reuid=65534 --clear-groups "$vcpc" record -o "$dir/locked/a" -e page-faults true
! has 'count your own threads'
result "EACCES on a file is not attributed to counters"
done_testing
