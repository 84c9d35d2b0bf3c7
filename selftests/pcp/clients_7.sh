#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Clients of PCP 7.2.2 print the same values as our library: pmrep, the pcp2* exporters, Cockpit's
# bridge, pmseries with a Valkey server, pmproxy and pcp-htop.  They read archives that vcpc record
# and our import library wrote, and pmdavcpc under pmcd 7.2.2.
#
# The agent is built with the agent library of 7.2.2.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
PCP_PEER=7.2.2
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/pcp/peer/in_place.sh
. "$here/peer/in_place.sh"
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
# shellcheck source=selftests/pcp/with_agent.sh
. "$here/with_agent.sh"
begin_agent "$@"
mount -t bpf bpf /sys/fs/bpf 2>/dev/null || skip_all "no private BPF file system is possible"
trap '"$build/bin/vcpc" trace off >/dev/null 2>&1; stop; rm -rf "$dir"' EXIT
[ -x "$peer/usr/bin/pcp2json" ] || skip_all "no clients of PCP 7.2.2: run scripts/fetch-pcp.sh 7.2.2"
valkey=''
export PATH="$dir/bin:$build/bin:$PATH" TZ=UTC LC_ALL=C.UTF-8

# peer_programs: create wrappers of the programs of 7.2.2 in $dir/bin, because these programs start
# each other
peer_programs() {
	mkdir -p "$dir/bin" "$dir/tmp" || return 1
	for program in pmcd pmcpp pmnsmerge pminfo; do
		printf '#!/bin/sh\nexec "%s/run" %s "$@"\n' "$peer" $program >"$dir/bin/$program"
		chmod +x "$dir/bin/$program"
	done
	set -a
	# shellcheck source=/dev/null
	. "$peer/etc/pcp.conf"
	set +a
	export PCP_CONF="$peer/etc/pcp.conf" PCP_BINADM_DIR="$dir/bin" PCP_TMP_DIR="$dir/tmp" PCP_TMPFILE_DIR="$dir/tmp" \
		PCP_RUN_DIR="$dir/run" PCP_LOG_DIR="$dir/log"
}

# Link the agent with the libraries of 7.2.2.
build_agent() {
	pmdavcpc=$dir/pmdavcpc
	# shellcheck disable=SC2046
	cc -O1 -D_GNU_SOURCE -I"$peer/usr/include" -I"$here/../../user" -o "$pmdavcpc" "$here"/../../tools/pmda/*.c \
		"$build/lib/libshim-live.a" -L"$(echo "$peer"/usr/lib/*-linux-gnu*)" -lpcp_pmda -lpcp $(cat "$peer/ldflags") \
		-lbpf -lelf -lz -lm -lpthread
}

archives() {
	cc_shim -D_GNU_SOURCE -o "$dir/many_tags" "$here/peer/many_tags.c" &&
		cc_shim -o "$dir/busy" "$here/peer/busy_run.c" && cc_shim -o "$dir/demo" "$here/peer/import_demo.c" &&
		"$dir/busy" "$dir/imported" 40 3 && "$dir/demo" "$dir/types" 3 7 >"$dir/out" || return 1
	vcpc trace on >&2 || return 1
	vcpc record -o "$dir/recorded" -I 50ms -e task-clock,page-faults -- \
		sh -c "sleep 0.2; '$dir/many_tags' a 4; sleep 0.2; '$dir/many_tags' b 3; sleep 0.2" >&2
	vcpc trace off >&2
}

# same FORMAT OUTPUT: check that OUTPUT has the values of $ours
same() {
	# shellcheck disable=SC2086
	"$here/peer/client_values.py" "$ours" "$1" "$2" $times >&2
}

# client NAME FORMAT OPTION...: check that the client's output has the values of $ours
client() {
	name=$1 format=$2
	shift 2
	run_pcp "$name" "$@" -P 12 -f '%Y-%m-%d %H:%M:%S.%f' >"$dir/theirs" && same "$format" "$dir/theirs"
	result "$label: $name"
}

# over ARCHIVE INTERVAL METRIC...: run each client on ARCHIVE
over() {
	archive=$dir/$1 label="$1 archive" interval=$2 times=''
	shift 2
	vcpc replay "$archive" -t "$interval" -c -r "$@" >"$dir/interpolated" &&
		vcpc replay "$archive" -m forw -c -r "$@" >"$dir/records"
	result "$label: vcpc replay"
	ours=$dir/interpolated
	client pmrep csv -a "$archive" -t "$interval" -r -o csv "$@"
	client pcp2csv csv -a "$archive" -t "$interval" -r "$@"
	ours=$dir/records
	client pmrep csv -a "$archive" --no-interpol -r -o csv "$@"
	# These clients read records even if an interval is given.
	client pcp2json json -a "$archive" -r "$@"
	client pcp2xml xml -a "$archive" -r "$@"
}

# These clients reject metrics without help texts.
over_with_texts() {
	over "$@"
	shift 2
	ours=$dir/interpolated
	client pcp2openmetrics openmetrics -a "$archive" -t "$interval" "$@"
	client pcp2opentelemetry opentelemetry -a "$archive" -t "$interval" -r "$@"
}

# live METRIC...: run each client against pmcd, while the values do not change
live() {
	ours=$dir/live label=live times=live
	"$dir/live_csv" 127.0.0.1 "$@" >"$ours"
	result "live: our library"
	client pmrep csv -h 127.0.0.1 -s 1 -r -o csv "$@"
	client pcp2csv csv -h 127.0.0.1 -s 1 -r "$@"
	client pcp2json json -h 127.0.0.1 -s 1 -r "$@"
	client pcp2xml xml -h 127.0.0.1 -s 1 -r "$@"
	client pcp2openmetrics openmetrics -h 127.0.0.1 -s 1 "$@"
	client pcp2opentelemetry opentelemetry -h 127.0.0.1 -s 1 -r "$@"
}

# until_done COMMAND: repeat COMMAND until it succeeds
until_done() {
	tries=0
	until "$@"; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || return 1
		sleep 0.05
	done
}

# cockpit SOURCE INTERVAL-MS START-MS ROWS METRIC...: run Cockpit's bridge
cockpit() {
	"$here/peer/cockpit_run.py" "$@" -- "$peer/run" cockpit-bridge >"$dir/theirs" && same csv "$dir/theirs"
	result "$label: cockpit-bridge"
}

# Cockpit's times are whole milliseconds.
cockpit_archive() {
	label="recorded archive" times=''
	mkdir "$dir/folder" && ln "$dir"/recorded.* "$dir/folder" && vcpc replay "$dir/recorded" -A 50msec -t 50msec -c -r "$@" >"$ours"
	start=$(date -d "$(sed -n '2s/,.*//p' "$ours")" +%s%3N)
	cockpit "$dir/folder" 50 "$start" 0 "$@"
}

valkey_answers() {
	"$peer/run" valkey-cli -h 127.0.0.1 -p 6379 "$@" 2>/dev/null | grep -q .
}

pmseries() {
	"$peer/run" pmseries -h 127.0.0.1 -p 6379 "$@"
}

load_series() {
	"$peer/run" valkey-server --port 6379 --bind 127.0.0.1 --save '' --dir "$dir/tmp" >"$dir/tmp/valkey.log" 2>&1 &
	valkey=$!
	until_done valkey_answers ping && pmseries --load "{source.path: \"$dir/recorded\"}" >&2
}

# series METRIC...: load the archive with pmseries, which prints all records
series() {
	label="recorded archive" times='' ours=$dir/records
	vcpc replay "$dir/recorded" -m forw -c -r "$@" >"$ours" && load_series &&
		for metric; do
			id=$(pmseries "$metric" | tail -n 1)
			pmseries -a "$id" && pmseries "${metric}[samples:1000]" || return 1
		done >"$dir/theirs" && same series "$dir/theirs"
}

proxy() {
	mkdir -p "$dir/log/pmproxy"
	"$peer/run" pmproxy -f -A -i 127.0.0.1 -p 44322 -s "$dir/run/pmproxy.socket" -U root \
		-l "$dir/log/pmproxy/log" -x "$dir/log/pmproxy/fatal" >/dev/null 2>&1 &
	proxy=$!
	until_done curl -sf -o "$dir/theirs" "http://127.0.0.1:44322/metrics?hostspec=127.0.0.1&names=$1"
	kill $proxy
	wait $proxy 2>/dev/null
	same openmetrics "$dir/theirs"
}

# Run pcp-htop with a meter of our metrics.
htop() {
	mkdir -p "$dir/htop/meters"
	printf '[vcpc]\ncaption = V\ntype = text\na.metric = vcpc.control.module\na.label = module\nb.metric = vcpc.control.tracing\nb.label = tracing\n' \
		>"$dir/htop/meters/vcpc"
	printf 'htop_version=3.4.1\nconfig_reader_min_version=3\nheader_layout=one_100\ncolumn_meters_0=Dynamic(vcpc)\ncolumn_meter_modes_0=2\n' \
		>"$dir/htop/htoprc"
	HTOPRC=$dir/htop/htoprc PCP_HTOP_DIR=$dir/htop TERM=xterm script -qec \
		"stty cols 120 rows 24; '$peer/run' pcp-htop --host=127.0.0.1 -C -d 2 -n 3" "$dir/screen" </dev/null >/dev/null
	cat -v "$dir/screen" >&2
	module=$([ -e /sys/module/vcpc ] && echo 1 || echo 0)
	grep -q "V: module: $module tracing: 2" "$dir/screen"
}

# in_place ARCHIVE NAME OPTION...: check that the client NAME prints the same with our library in
# place of PCP's
in_place() {
	archive=$1 name=$2
	shift 2
	for side in pcp ours; do
		PCP_ARCHIVE=$archive LD_LIBRARY_PATH=$([ $side = pcp ] || echo "$dir/linked") run_pcp "$name" "$@" </dev/null >"$dir/$side.out" 2>&1
		echo "status $?" >>"$dir/$side.out"
	done
	diff "$dir/pcp.out" "$dir/ours.out" >&2 && cut -c -100 "$dir/ours.out" | tail -n 4 >&2 &&
		grep -q 'status 0' "$dir/ours.out" && [ "$(wc -l <"$dir/ours.out")" -gt 3 ]
	result "with our library: $name, ${archive##*/}"
}

# made_in_place ARCHIVE METRIC...: check that pmrep writes the same archive with our library
made_in_place() {
	archive=$1
	shift
	for side in pcp ours; do
		LD_LIBRARY_PATH=$([ $side = pcp ] || echo "$dir/linked") run_pcp pmrep -a "$archive" -s 4 -o archive -F "$dir/made.$side" "$@" >&2 &&
			run_pcp pmdumplog -dim "$dir/made.$side" >"$dir/$side.out" || return 1
	done
	diff "$dir/pcp.out" "$dir/ours.out" >&2 && grep -q '511\.' "$dir/ours.out"
}

replace_library() {
	mkdir "$dir/linked" && version_4 "$dir/version_4.o" && link_in_place "$dir/linked" "$dir/version_4.o" \
		"$(echo "$peer"/usr/lib/*/libpcp.so.4)" "$(echo "$peer"/usr/lib/*/libpcp_import.so.2)" &&
		LD_LIBRARY_PATH=$dir/linked run_pcp python3 -c 'import pcp.pmapi, pcp.pmi; print(open("/proc/self/maps").read())' >"$dir/maps" &&
		grep -q "$dir/linked/libpcp.so.4" "$dir/maps" && ! grep 'libpcp.*so' "$dir/maps" | grep -vF "$dir/linked" >&2
}

traced() {
	vcpc trace on >&2 && "$dir/many_tags" live 5 && sleep 0.1
}

peer_programs && build_agent && archives
result "the agent and archives are created"
[ $tap_failed = 0 ] || done_testing
over_with_texts recorded 40msec trace.transact vcpc.count vcpc.time vcpc.transact.hist vcpc.transact.p99_time
over_with_texts imported 7msec trace vcpc
# The clients use fetch groups, which keep discrete values after a mark.
over types 2sec demo.d.m3 demo.e.m19 demo.e.m4 demo.e.m9
cockpit_archive trace.transact.count trace.transact.total_time vcpc.count.page_faults vcpc.count.task_clock
series trace.transact.count vcpc.count.page_faults vcpc.transact.hist
result "recorded archive: pmseries"
[ -z "$valkey" ] || kill "$valkey"
replace_library
result "our library is linked in place of 7.2.2's"
in_place "$dir/recorded" pmrep -a "$dir/recorded" -I -p -t 60msec vcpc trace
in_place "$dir/recorded" pcp2opentelemetry -a "$dir/recorded" -I -t 60msec vcpc.count trace
in_place "$dir/types" pmrep -a "$dir/types" --no-interpol -o csv -s 60 demo
in_place "$dir/types" pcp2xml -a "$dir/types" -s 60 demo
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/peer/suite.sh"
archive=$suite/20180127.08.40
if [ -e "$archive.index" ]; then
	in_place "$archive" pcp2json -a "$archive" -s 4 -x kernel.all mem.util
	in_place "$archive" pcp2openmetrics -a "$archive" -s 4 kernel.all mem.util
	for tool in pcp-free pcp-buddyinfo pcp-pidstat; do
		in_place "$archive" $tool
	done
	# A derived metric has the instances of its operands.
	made_in_place "$archive" -e 'sum.of = disk.dev.read + disk.dev.write' kernel.all.load mem.util disk.dev sum.of
	result "with our library: pmrep writes an archive"
else
	skip "with our library: tools for a whole machine" "pcp-testsuite is not installed"
fi
printf 'cpus cpu-clock\n' >"$VCPC_CONFIG"
cc_shim -o "$dir/live_csv" "$here/peer/live_csv.c" && make_names && start && traced
result "pmcd runs with the agent"
[ $tap_failed = 0 ] || done_testing
static="trace.transact.count trace.transact.total_time vcpc.transact.hist vcpc.control.tracing vcpc.control.module"
# shellcheck disable=SC2086
live $static
# shellcheck disable=SC2086
cockpit pmcd 100 0 1 $static
if command -v curl >/dev/null; then
	proxy "$(echo "$static" | tr ' ' ,)"
	result "live: pmproxy"
else
	skip "live: pmproxy" "curl is not installed"
fi
htop
result "live: pcp-htop"
done_testing
