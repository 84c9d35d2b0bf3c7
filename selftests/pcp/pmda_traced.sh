#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# While tracing is turned on and off, tags with any characters are instances of pmdavcpc's metrics,
# and values are up to date.  pmcd decides which users may store values.  Many fetches do not leak
# memory.
#
# The probes use a separate BPF file system, so the machine's own tracing is unaffected.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
# shellcheck source=selftests/pcp/with_agent.sh
. "$here/with_agent.sh"
begin_agent "$@"
mount -t bpf bpf /sys/fs/bpf 2>/dev/null || skip_all "no private BPF file system is possible"
trap '"$build/bin/vcpc" trace off >/dev/null 2>&1; stop; rm -rf "$dir"' EXIT
PATH=$build/bin:$PATH

# asked METRIC: print everything that pminfo prints about METRIC, and save it in $dir/asked
asked() {
	pminfo -h 127.0.0.1 -f "$1" >"$dir/asked" 2>&1
	cat "$dir/asked" >&2
}

says() {
	asked "$1" && grep -qF "$2" "$dir/asked"
}

trace() {
	vcpc trace "$1" >"$dir/out" 2>&1 || { cat "$dir/out" >&2; return 1; }
}

tags() {
	"$dir/odd_tags" && sleep 0.02
}

values() {
	says vcpc.transact.count Try || return 1
	trace on && tags && asked vcpc.transact.count || return 1
	grep -q '"plain"\] value 2$' "$dir/asked" && grep -q '"say "hi""\] value 1$' "$dir/asked" &&
		grep -q '"a/b/c"\] value 1$' "$dir/asked" && grep -q 'slash"\] value 1$' "$dir/asked" &&
		says trace.transact.count '"plain"] value 2' && says vcpc.control.tracing 'value 2'
}

# A tag that cannot be quoted has no label.  A slash within a tag belongs to the tag.
labels() {
	pminfo -h 127.0.0.1 -l vcpc.transact.hist vcpc.transact.count >"$dir/labels" 2>&1
	cat "$dir/labels" >&2
	grep -q '"tag":"a/b/c"' "$dir/labels" && grep -q '"slot":"[0-9]*ns","tag":"a/b/c"' "$dir/labels" &&
		! grep -q 'hi"*,"tag\|"tag":"say' "$dir/labels"
}

# The number of drops is that of the current session, even if no traced metric was requested before.
drops() {
	stop
	start && says vcpc.control.dropped '"not_open"] value' || return 1
	trace off && says vcpc.control.dropped Try || return 1
	trace on && says vcpc.control.dropped '"not_open"] value'
}

goes_on() {
	trace on 2>/dev/null
	tags && asked vcpc.transact.count && before=$(sed -n 's/.*"plain"\] value //p' "$dir/asked") || return 1
	trace off && says vcpc.transact.count "\"plain\"] value $before" && says vcpc.control.tracing 'value 0' &&
		trace on && tags && says vcpc.transact.count "\"plain\"] value $((before + 2))"
}

# Turn tracing off and on, with other tags each time.  The oldest tags are removed from the agent
# and from an archive, and current tags have correct values.
many_tags() {
	cat >"$dir/sessions" <<-END
		i=0
		while [ \$i -lt 16 ]; do
			vcpc trace off && vcpc trace on || exit 1
			i=\$((i + 1))
			"$dir/many_tags" "session \$i" 100 && sleep 0.3 || exit 1
			pminfo -h 127.0.0.1 -f vcpc.transact.count vcpc.transact.hist >"$dir/asked" || exit 1
		done
	END
	vcpc record -o "$dir/many" -I 100ms -- sh "$dir/sessions" >"$dir/out" 2>&1 || { cat "$dir/out" >&2; return 1; }
	# When more than 1024 removed tags are known, the agent keeps only the 512 with the latest
	# events.
	n=$(grep -c '"session [0-9]* [0-9]*"\] value 1$' "$dir/asked")
	echo "# $n instances" >&2
	[ "$n" -le 1324 ] && [ "$n" -ge 612 ] && ! grep -q '"session 1 5"' "$dir/asked" &&
		[ "$(grep -c '"session 16 [0-9]*"\] value 1$' "$dir/asked")" = 100 ] &&
		[ "$(grep -c '"session 16 [0-9]*/[0-9]*ns"\] value 1$' "$dir/asked")" = 100 ] || return 1
	pmlogcheck "$dir/many" >&2 || return 1
	pminfo -a "$dir/many" -O-0 -f trace.transact.count >"$dir/archived" 2>&1
	[ "$(grep -c '"session 16 [0-9]*"\] value 1$' "$dir/archived")" = 100 ] &&
		! grep -q '"session 1 5"\] value' "$dir/archived" || { tail -n 5 "$dir/archived" >&2; return 1; }
	pmdumplog -z "$dir/many" trace.transact.count 2>&1 | grep -q '"session 1 5"\]* value 1$' || return 1
	"$here/compare_with_pcp.sh" "$dir/many" >"$dir/out" 2>&1 || { cat "$dir/out" >&2; return 1; }
}

memory() {
	for pid in $(agent_pid); do
		sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$pid/status"
		find "/proc/$pid/fd" -mindepth 1 | wc -l
	done
}

# A client can request any instances, including unknown ones, and more instances than exist.
any_request() {
	trace on 2>/dev/null
	"$dir/many_tags" "any" 400 && "$dir/profiles" vcpc.transact.count vcpc.control.tracing >&2
}

# leaks: check that many fetches do not increase the agent's resident memory and its number of
# descriptors
leaks() {
	"$dir/fetch_often" 127.0.0.1 200 vcpc || return 1
	# shellcheck disable=SC2046
	set -- $(memory)
	"$dir/fetch_often" 127.0.0.1 1000 vcpc || return 1
	# shellcheck disable=SC2046
	set -- "$@" $(memory)
	echo "# kB and descriptors, before and after: $*" >&2
	[ $# = 8 ] && [ "$5" -le $(($1 + 256)) ] && [ "$6" = "$2" ] && [ "$8" = "$4" ]
}

# If no descriptor is free, the agent still answers, and does not fill the disk with messages.
exhausted() {
	stop
	start || return 1
	for pid in $(agent_pid); do
		prlimit --pid "$pid" --nofile=3:4096 || return 1
	done
	asked vcpc.count.cpu_clock
	before=$(wc -c <"$dir/log/pmcd/vcpc.log")
	for _ in 1 2 3 4 5; do
		asked vcpc.count.cpu_clock
	done
	grep -q 'Missing metric value' "$dir/asked" && [ "$(wc -c <"$dir/log/pmcd/vcpc.log")" = "$before" ]
}

# refused VALUE WORDS: check that storing VALUE fails with a message that contains WORDS
refused() {
	! pmstore -h 127.0.0.1 vcpc.control.tracing "$1" >"$dir/out" 2>&1 && cat "$dir/out" >&2 &&
		grep -q "$2" "$dir/out"
}

who_may_store() {
	stop
	pmcd_access='disallow "*" : store;'
	trace on 2>/dev/null
	start && refused 0 'No permission' && says vcpc.control.tracing 'value 2' || return 1
	stop
	pmcd_access='allow "*" : all;'
	start && pmstore -h 127.0.0.1 vcpc.control.tracing 0 >&2 && says vcpc.control.tracing 'value 0'
}

# Without the module, tracing cannot be turned on: the agent's executable is not a shared library,
# so no other process would run a probe in it.
by_module_only() {
	[ -e /sys/module/vcpc ] || { refused 1 'Try again' && says vcpc.control.tracing 'value 0'; }
}

printf 'cpus cpu-clock\n' >"$VCPC_CONFIG"
cc -O1 -D_GNU_SOURCE -I"$here/../../user/include" -o "$dir/odd_tags" "$here/peer/odd_tags.c" -L"$build/lib" \
	-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim &&
	cc -O1 -I"$here/../../user/include" -o "$dir/many_tags" "$here/peer/many_tags.c" -L"$build/lib" \
		-Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim &&
	cc -O1 -D_GNU_SOURCE -o "$dir/fetch_often" "$here/peer/fetch_often.c" -lpcp &&
	cc -O1 -Wall -D_GNU_SOURCE -o "$dir/profiles" "$here/peer/profiles.c" -lpcp && make_names && start
result "PCP's collector runs with the agent"
[ $tap_failed = 0 ] || done_testing
if ! trace on; then
	skip "tracing" "no probes here"
	done_testing
fi
trace off
values
result "tags of any kind are instances with values"
labels
result "labels"
goes_on
result "counters continue when tracing is turned off and on"
many_tags
result "some removed tags are kept, here and in archives"
any_request
result "profiles of any kind, unusual lists of metrics, and too many instances"
leaks
result "many fetches leave no memory allocated and no descriptors open"
drops
result "drops are those of the current session"
exhausted
result "without descriptors the agent answers, and does not fill its log"
who_may_store
result "pmcd decides who may store"
by_module_only
result "only the module can be used to turn tracing on"
agent_done
