#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Show all main features on a real workload; called by make demo.  With MODULE=no in the environment it runs
# without the module, as in a container: perf counts, and probes trace transactions.
#
# In the arm64 VM, whose emulated PMU counts: load the module, turn tracing on, run a real workload
# under "vcpc record", inspect the trace maps with bpftool, and run a slower variant.  On the host: replay the
# archive at another interval, as a table and a chart, and with PCP's own tools; compare both runs;
# create a report page.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
host=$(uname -m | sed 's/aarch64/arm64/')
guest=arm64
out=$top/build/demo
archive=$out/archive/run
case ${MODULE:-yes} in
no) module='' title="trace, record, without the module" ;;
*) module=module title="load, trace, record" ;;
esac

step() { printf '\n\033[1m== %s\033[0m\n' "$*"; }
show() { printf '\033[1m$ %s\033[0m\n' "$*"; "$@"; }

build() {
	log=$top/build/logs/$1.log
	mkdir -p "$top/build/logs"
	shift
	if ! make -C "$top" -j"$(nproc)" --no-print-directory "$@" >"$log" 2>&1; then
		tail -n 40 "$log"
		echo "demo: 'make $*' failed; see $log" >&2
		exit 1
	fi
}

step "1. Install packages and download kernels for the VM (only the first time; a few minutes)"
# shellcheck disable=SC2086
"$top/scripts/setup.sh" build $module lab demo

step "2. Build: ${module:+module, }BPF programs, library and tools, for the VM ($guest) and for this machine ($host)"
# shellcheck disable=SC2086
build $guest ARCH=$guest $module lib tools
build "$host" ARCH="$host" lib tools
ls -l ${module:+"$top/build/$guest/vcpc.ko"} "$top/build/$guest/lib/"libshim.so.* "$top/build/$guest/bin/vcpc"

step "3. In the VM: $title (up to half a minute, because the VM is emulated)"
rm -rf "$out"
set -- --arch $guest --libs "$top/build/$guest/lib" --out "$out" --timeout 600 \
	${module:+--module "$top/build/$guest/vcpc.ko"} \
	--with "$top/build/$guest/bin/vcpc:/usr/bin/vcpc" \
	--with "$top/build/$guest/examples/orders:/usr/bin/orders" \
	--with "$here/guest.sh:/root/guest.sh" \
	--program bpftool --program xz
"$top/selftests/vm/run" "$@" -- 'sh /root/guest.sh'

step "4. On this machine: replay the archive that the VM recorded"
ls -l "$out/archive"
vcpc=$top/build/$host/bin/vcpc
show "$vcpc" replay "$archive" -t 200msec vcpc.count.instructions trace.transact.count
show "$vcpc" replay "$archive" -t 20msec --plot trace.counter.value

step "5. The same archive in PCP's tools"
if command -v pmval >/dev/null; then
	show pmval -a "$archive" -t 200msec -f 0 vcpc.count.cycles
else
	echo "pmval is not installed. If PCP is installed:"
	echo "    pmval -a $archive -t 200msec vcpc.count.cycles"
fi

step "6. What has become slower? Compare the second run with the first"
status=0
show "$vcpc" compare "$archive" "$out/archive/slower" --fail-if 'bill:time > +10% from one run' \
	trace.transact.count trace.transact.total_time || status=$?
[ $status = 3 ] || { echo "demo: the slower run was not detected: exit status $status, not 3" >&2; exit 1; }
echo "(The condition holds, so the exit status is 3 and a CI job can reject the change. Only 'bill' became slower, and 'batch', which"
echo " contains it. One run per side gives no confidence interval, hence 'from one run'. Without metric names, all metrics are compared.)"

step "7. An HTML page with charts"
show "$vcpc" report "$archive" -o "$out/run.html"

step "Done"
echo "Open this page in a browser:"
echo "    $out/run.html"
echo "The archive is $archive. To explore it:"
echo "    $vcpc replay $archive --plot                  # one screen of charts"
echo "    $vcpc replay $archive :transactions           # counts and durations"
echo "    $vcpc replay $archive -R trace.transact.count # backwards"
