#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# DKMS builds the module only for tested kernels.  For others it prints the reason, and apt does not fail.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/said
version=1.0
read -ra tested <"$top/kmod/compat/tested"

mkdir -p "$dir/tree/vcpc/$version" "$dir/src/vcpc-$version/kmod/compat"
sed "s/#MODULE_VERSION#/$version/" "$top/debian/vcpc-dkms.dkms" >"$dir/src/vcpc-$version/dkms.conf"
cp "$top/kmod/compat/tested" "$dir/src/vcpc-$version/kmod/compat/"

# Set the variables that dkms sets: the kernel for which it was called, the kernel that it
# processes, and the sources.
# shellcheck disable=SC2034 # dkms.conf uses them
safe_source() {
	(
		dkms_tree=$dir/tree source_tree=$dir/src action=autoinstall kernel_source_dir=/nonexistent
		# shellcheck source=/dev/null
		. "$dir/src/vcpc-$version/dkms.conf" 2>"$evidence"
		echo "${AUTOINSTALL:-no} ${BUILD_EXCLUSIVE_KERNEL:-any}"
	)
}

read_conf() {
	# shellcheck disable=SC2034
	local kernelver=$1
	safe_source
}

# built CALLED-FOR PROCESSED: print "yes any" if the module is built, otherwise "no ^none$"
built() {
	# shellcheck disable=SC2034
	local -a kernelver=("$1")
	read_conf "$2"
}

for series in "${tested[@]}"; do
	[ "$(built "$series.0-56-amd64" '')" = 'yes any' ] && [ ! -s "$evidence" ]
	result "Linux $series: built"
done
[ "$(built 6.1.0-56-rt-amd64 '')" = 'no ^none$' ] && grep -q 'not built for Linux 6.1.0-56-rt-amd64: .*PREEMPT_RT' "$evidence"
result "PREEMPT_RT: not built, with a reason"
[ "$(built 6.1.0-56-rt-amd64 6.1.0-56-amd64)" = 'no ^none$' ]
result "PREEMPT_RT, with another kernel's module built: not built"
[ "$(built 6.1.0-56-amd64 6.1.0-56-rt-amd64)" = 'yes any' ]
result "the reverse: built"
for kernel in 5.10.0-9-amd64 6.10.3-amd64 6.0.0-1-amd64; do
	[ "$(built $kernel '')" = 'no ^none$' ] && grep -q "not built for Linux $kernel: it was tested on Linux ${tested[*]} only" "$evidence"
	result "$kernel: not built, and the tested kernels are printed"
done
[ "$(VCPC_UNTESTED=1 built 6.10.3-amd64 '')" = 'yes any' ]
result "VCPC_UNTESTED: built for an untested kernel"
[ "$(VCPC_UNTESTED=1 built 6.1.0-56-rt-amd64 '')" = 'no ^none$' ]
result "VCPC_UNTESTED: not with PREEMPT_RT"

[ "$(built '' '')" = 'yes any' ] && [ ! -s "$evidence" ]
result "no kernel, as when dkms 3.2 configures the package: built"

# Test with dkms itself, if it is installed.
ln -s "$dir/src/vcpc-$version" "$dir/tree/vcpc/$version/source"
if dkms=$(PATH=$PATH:/usr/sbin command -v dkms); then
	"$dkms" autoinstall -k 6.1.0-56-rt-amd64 --dkmstree "$dir/tree" --sourcetree "$dir/src" --installtree "$dir/modules" >"$evidence" 2>&1
	result "dkms autoinstall with PREEMPT_RT succeeds"
fi
done_testing
