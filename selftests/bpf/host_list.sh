#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# "make test" compares two lists by host.sh to check that it does not change the machine's kernel.
# A list must contain all objects of tracing, with the module and with probes.  When tracing has
# been turned off, the list must be the same as before.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
host=$(dirname "$0")/../host.sh
evidence="$dir/differs $dir/err"

# new PATTERN...: check that each object is on the list now, and was not before
new() {
	sh "$host" >"$dir/now" 2>"$dir/err" || return 1
	diff "$dir/before" "$dir/now" >"$dir/differs"
	for pattern; do
		grep -q "^[>+].*$pattern" "$dir/differs" || return 1
	done
}

# Wait until the list is the same as before, because Linux 6.12 frees a program some time after its
# link.
as_before() {
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		sh "$host" >"$dir/now" 2>"$dir/err" && diff "$dir/before" "$dir/now" >"$dir/differs" && return
		sleep 1
	done
	return 1
}

vcpc trace off >/dev/null 2>&1
sh "$host" >"$dir/before" 2>"$dir/err"
result "a list is printed"
as_before
result "two lists are the same"
vcpc trace on 2>"$dir/err" && new ' name vc_stat' ' name vc_' '/sys/fs/bpf/vcpc' '[0-9]: raw_tracepoint\|[0-9]: kprobe'
result "it contains tracing's programs, maps and pins"
vcpc trace off 2>"$dir/err" && as_before
result "when tracing is off, it does not"
if [ -e /sys/kernel/btf/vmlinux ]; then
	SHIM_TRACE=probe vcpc trace on --probes 2>"$dir/err" && new '[0-9]: kprobe' '/sys/fs/bpf/vcpc'
	result "it contains probes"
	vcpc trace off 2>"$dir/err" && as_before
	result "when probes are off, it does not"
else
	skip "it contains probes" "this kernel has no BTF"
fi
done_testing
