#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# make test compares two lists to check that it does not change the machine's kernel.  The list must contain
# all objects of tracing, through the module and through probes, and be unchanged after tracing is off.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
host=$(dirname "$0")/../host.sh
evidence="$dir/differs $dir/err"

# new PATTERN...: each is on the list now, and was not before
new() {
	sh "$host" >"$dir/now" 2>"$dir/err" || return 1
	diff "$dir/before" "$dir/now" >"$dir/differs"
	for pattern; do
		grep -q "^[>+].*$pattern" "$dir/differs" || return 1
	done
}

# Linux 6.12 frees a program some time after its link.
as_before() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sh "$host" >"$dir/now" 2>"$dir/err" && diff "$dir/before" "$dir/now" >"$dir/differs" && return
		sleep 1
	done
	return 1
}

vcpc trace off >/dev/null 2>&1
sh "$host" >"$dir/before" 2>"$dir/err"
result "there is a list"
as_before
result "twice the same"
vcpc trace on 2>"$dir/err" && new ' name vc_stat' ' name vc_' '/sys/fs/bpf/vcpc' '[0-9]: raw_tracepoint\|[0-9]: kprobe'
result "programs, maps and pins of tracing are on it"
vcpc trace off 2>"$dir/err" && as_before
result "when tracing is off, they are not"
if [ -e /sys/kernel/btf/vmlinux ]; then
	SHIM_TRACE=probe vcpc trace on --probes 2>"$dir/err" && new '[0-9]: kprobe' '/sys/fs/bpf/vcpc'
	result "probes are on it"
	vcpc trace off 2>"$dir/err" && as_before
	result "when they are off, they are not"
else
	skip "probes are on it" "this kernel has no BTF"
fi
done_testing
