#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The main job from start to end; called by make demo.  With MODULE=no in the environment it runs
# without the module, as in a container: perf counts, and probes trace transactions.
#
# In the arm64 VM, whose emulated PMU counts: load the module, turn tracing on, run real work under
# "vcpc record", inspect the trace maps with bpftool, run it slower.  On the host: replay the
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
		echo "demo: 'make $*' failed; all of it is in $log" >&2
		exit 1
	fi
}

step "1. What is needed: packages, kernels for the VM (fetched once: a few minutes)"
# shellcheck disable=SC2086
"$top/scripts/setup.sh" build $module lab demo

step "2. Build: ${module:+module, }BPF programs, library and tools, for the VM ($guest) and for here ($host)"
# shellcheck disable=SC2086
build $guest ARCH=$guest $module lib tools
build "$host" ARCH="$host" lib tools
ls -l ${module:+"$top/build/$guest/vcpc.ko"} "$top/build/$guest/lib/"libshim.so.* "$top/build/$guest/bin/vcpc"

step "3. In the VM: $title (some seconds to half a minute: the VM is emulated)"
rm -rf "$out"
set -- --arch $guest --libs "$top/build/$guest/lib" --out "$out" --timeout 600 \
	${module:+--module "$top/build/$guest/vcpc.ko"} \
	--with "$top/build/$guest/bin/vcpc:/usr/bin/vcpc" \
	--with "$top/build/$guest/examples/orders:/usr/bin/orders" \
	--with "$here/guest.sh:/root/guest.sh" \
	--program bpftool --program xz
"$top/selftests/vm/run" "$@" -- 'sh /root/guest.sh'

step "4. Here: the archive that came out of the VM"
ls -l "$out/archive"
vcpc=$top/build/$host/bin/vcpc
show "$vcpc" replay "$archive" -t 200msec vcpc.count.instructions trace.transact.count
show "$vcpc" replay "$archive" -t 20msec --plot trace.counter.value

step "5. The same archive in PCP's own tools"
if command -v pmval >/dev/null; then
	show pmval -a "$archive" -t 200msec -f 0 vcpc.count.cycles
else
	echo "pmval is not here: this is no Debian machine. With PCP installed:"
	echo "    pmval -a $archive -t 200msec vcpc.count.cycles"
fi

step "6. What has become slower? The second run beside the first"
show "$vcpc" compare "$archive" "$out/archive/slower" --fail-if 'bill:time > +10%' \
	trace.transact.count trace.transact.total_time &&
	{ echo "demo: the slower run is not found" >&2; exit 1; }
printf "%b\n" "(The condition holds, so the status is 3: that is how a CI stops such a change. Only 'bill' is slower, and 'batch', which it is part of;\n without names all that was counted is compared.)"

step "7. A page to look at"
show "$vcpc" report "$archive" -o "$out/run.html"

step "Done"
echo "Open this in a browser:"
echo "    $out/run.html"
echo "The archive is $archive; look further with"
echo "    $vcpc replay $archive --plot                  # one screen of charts"
echo "    $vcpc replay $archive :transactions           # how many, and their times"
echo "    $vcpc replay $archive -R trace.transact.count # backwards"
