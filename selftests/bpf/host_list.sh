#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The list by which make test sees whether it leaves the machine's kernel as it was: what
# tracing brings is on it, by the module and by probes, and when that is off it is as before.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
host=$(dirname "$0")/../host.sh
evidence="$dir/differs $dir/err"

# new PATTERN: now on the list, and was not before
new() {
	sh "$host" >"$dir/now" 2>"$dir/err" && diff "$dir/before" "$dir/now" >"$dir/differs"
	grep -q "^[>+].*$1" "$dir/differs"
}

# Linux 6.12 lets go of a program some time after its link.
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
vcpc trace on 2>"$dir/err" && new 'raw_tracepoint' && new 'map\|name vc_stat' && new '/sys/fs/bpf/vcpc'
result "programs, maps and pins of tracing are on it"
vcpc trace off 2>"$dir/err" && as_before
result "when tracing is off, they are not"
if [ -e /sys/kernel/btf/vmlinux ]; then
	vcpc trace on --probes 2>"$dir/err" && new 'uprobe'
	result "probes are on it"
	vcpc trace off 2>"$dir/err" && as_before
	result "when they are off, they are not"
else
	skip "probes are on it" "this kernel has no BTF"
fi
done_testing
