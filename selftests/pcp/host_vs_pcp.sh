#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A program that queries a host, a private pmcd with PCP's sample agents, prints the same output
# with libshim and with PCP's own library.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
needs_pcp
collector_place "$@"
exec 2>"$dir/errors"
evidence="$dir/errors $dir/log/pmcd/pmcd.log"
export TZ=UTC

compile() {
	for program in live live_outage errors; do
		cc_shim -O2 -D_GNU_SOURCE -o "$dir/${program}_shim" "$here/peer/$program.c" &&
			cc_pcp -D_GNU_SOURCE -w -o "$dir/${program}_pcp" "$here/peer/$program.c" || return 1
	done
}

# run SIDE PLAY [SPEC]: write the output to $dir/out.SIDE, with a newly started collector
run() {
	start_collector || return 1
	timeout 100 "$dir/live_$1" "${3:-127.0.0.1}" "$2" >"$dir/out.$1" 2>"$dir/err.$1"
}

# Remove error texts and descriptions, which each library writes itself.
without_own_texts() {
	awk '/ 511\.0\.[12]: 0/ { own = 1; print; next } /^(names of|labels|strange|[a-z_]+\.[a-z_.]+ [0-9])/ { own = 0 } !own' "$1"
}

# All of pmcd's own metrics, and sample's metrics that depend on time or chance, differ in each
# run.  Compare only their number and format.
live='2\.[0-9]*\.[0-9]*|(29|30)\.0\.(1|2|3|39|111|112|136|137|139|158)'

# agree A B: check that the files have the same lines
agree() {
	for file; do
		without_own_texts "$file" | sed -E "s/^(  ($live) [-0-9]+( \([0-9]\))?) .*/\1/" >"$file.lines"
	done
	echo "# $(wc -l <"$2.lines") lines" >&2
	diff "$1.lines" "$2.lines" >&2 && [ -s "$1.lines" ]
}

# same PLAY [SPEC]: check that both libraries print the same output
same() {
	run pcp "$@" && run shim "$@" && agree "$dir/out.pcp" "$dir/out.shim"
}

specs() {
	sed "s,RUN,$dir/run," <<-'END'
		127.0.0.1
		localhost
		local:
		local://
		unix:
		unix://
		local:RUN/pmcd.socket
		unix:RUN/pmcd.socket
		unix:/RUN/pmcd.socket
		unix://RUN/pmcd.socket
		unix:/nonexistent
		local:/nonexistent
		local:/nonexistent:44321
		local:/nonexistent?container=x
		127.0.0.1:44321
		127.0.0.1:1
		10.1.1.1
		10.1.1.1:1,44321
		255.255.255.255
		[fe80::1]
		127.0.0.1:1,44321
		127.0.0.1:x
		127.0.0.1:
		127.0.0.1:,
		127.0.0.1:44321,
		[127.0.0.1]
		[127.0.0.1]:44321
		[127.0.0.1
		[127.0.0.1]x
		pcp://127.0.0.1
		pcp:127.0.0.1
		pcp:/127.0.0.1
		pcp:///127.0.0.1
		pcp://127.0.0.1:44321
		pcp://
		pcp:
		PCP://127.0.0.1
		pcp://?container=x
		:
		@
		127.0.0.1/
		127.0.0.1/x
		127.0.0.1?
		127.0.0.1?foo
		127.0.0.1?foo=1
		127.0.0.1?&
		127.0.0.1?a=b&c
		127.0.0.1:44321/?x=y
		127.0.0.1?container=abc
		127.0.0.1?container=
		127.0.0.1?container
		127.0.0.1?container=a&container=b
		127.0.0.1?container=x?
		127.0.0.1?secure=relaxed
		127.0.0.1?secure
		127.0.0.1?secure=enforce
		127.0.0.1?compress
		127.0.0.1?uid=3
		127.0.0.1?unixsock
		127.0.0.1?pid=7
		127.0.0.1?local
		pcps://127.0.0.1
		pcps://127.0.0.1?secure=relaxed
		http://127.0.0.1
		proxy:127.0.0.1
		127.0.0.1,localhost
		localhost@127.0.0.1:1
		127.0.0.1:99999
		127.0.0.1:0
		127.0.0.1:70000
		127.0.0.1:109857
		nohost.invalid
		::1
		[::1]
		local:?container=abc
		unix:RUN/pmcd.socket:44321
		unix:RUN/pmcd.socket?container=x
	END
}

# Check host specifications, with and without the environment variables that affect hosts.
same_specs() {
	specs >"$dir/specs"
	for side in pcp shim; do
		tr '\n' '\0' <"$dir/specs" | timeout 100 xargs -0 env "$@" "$dir/live_$side" specs '' \
			>"$dir/out.$side" 2>"$dir/err.$side"
	done
	# For a UNIX socket, PCP's library reports the same error for any failure.
	sed -i '/^<unix.*Operation not supported$/s/> .*/> -2 No such file or directory/' "$dir/out.shim"
	diff "$dir/out.pcp" "$dir/out.shim" >&2 && diff "$dir/err.pcp" "$dir/err.shim" >&2 &&
		[ "$(wc -l <"$dir/out.shim")" -gt 70 ]
}

# await_step SIDE N: wait until the program has reached its N-th stop
await_step() {
	tries=0
	until [ "$(grep -c '^-- ' "$dir/out.$1")" = "$2" ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 400 ] || return 1
		sleep 0.05
	done
}

# staged SIDE PLAY FUNCTION FUNCTION: run PLAY, and call the first function at its first stop and
# the second function at its second stop
staged() {
	start_collector || return 1
	rm -f "$dir/fifo"
	mkfifo "$dir/fifo"
	timeout 100 "$dir/live_outage_$1" 127.0.0.1 "$2" <"$dir/fifo" >"$dir/out.$1" 2>"$dir/err.$1" &
	player=$!
	exec 8>"$dir/fifo"
	status=0
	{ await_step "$1" 1 && "$3" && echo >&8 && await_step "$1" 2 && "$4" && echo >&8; } || status=1
	exec 8>&-
	wait "$player" || status=1
	return $status
}

staged_same() {
	staged pcp "$@" && staged shim "$@" && diff "$dir/out.pcp" "$dir/out.shim" >&2
}

agent_goes() {
	kill -KILL "$(sample_pid)"
	sleep 0.3
}

agent_comes_back() {
	kill -HUP "$collector"
	answers unix:
}

collector_goes() {
	kill -KILL "$collector"
	wait "$collector" 2>/dev/null
	collector=
}

collector_comes_back() {
	start_collector
}

# fails SPEC CODE [VARIABLE=VALUE]...: check that opening SPEC fails with CODE
fails() {
	spec=$1 code=$2
	shift 2
	env "$@" "$dir/live_shim" specs "$spec" >"$dir/out" 2>>"$dir/errors"
	cat "$dir/out" >&2
	grep -q "> $code " "$dir/out"
}

# restricted ACCESS OPTIONS FUNCTION: call FUNCTION while a collector runs with these settings
restricted() {
	pmcd_access=$1 pmcd_options=$2
	start_collector no && await_socket && "$3"
	status=$?
	pmcd_access='allow "*" : all;' pmcd_options=
	return $status
}

# Wait until pmcd listens.  Do not send a request, because access control may reject it.
await_socket() {
	tries=0
	until grep -q 'pmcd.socket$' "$dir/log/pmcd/pmcd.log" 2>/dev/null; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] || return 1
		sleep 0.05
	done
	sleep 0.3
}

refused() {
	fails 127.0.0.1 -12387
}

too_many() {
	fails 127.0.0.1 -12388
}

# A TCP connection has no credentials; a UNIX socket passes them.
who_is_it() {
	fails 127.0.0.1 -12387 && fails unix: 0 && fails '127.0.0.1?username=me' -95
}

many() {
	start_collector && timeout 100 "$dir/live_outage_shim" 127.0.0.1 many >"$dir/out" || return 1
	cat "$dir/out" >&2
	grep -q 'opened 200' "$dir/out" && grep -q 'descriptors left: 0' "$dir/out"
}

# While pmcd is stopped it does not reply, but the kernel still queues connections to it.
stopped() {
	start_collector || return 1
	kill -STOP "$collector"
	before=$(date +%s%N)
	fails 127.0.0.1 -12353 PMCD_CONNECT_TIMEOUT=0.5 || return 1
	took=$((($(date +%s%N) - before) / 1000000))
	echo "# $took ms" >&2
	kill -CONT "$collector"
	[ $took -ge 400 ] && [ $took -lt 8000 ] && fails 127.0.0.1 0
}

stop_it() {
	kill -STOP "$collector"
}

let_it_go_on() {
	kill -CONT "$collector"
}

# silence: check that a fetch times out, that the next ones fail at once, and that a late reply is
# not used for them
silence() {
	export PMCD_REQUEST_TIMEOUT=1
	staged shim silence stop_it let_it_go_on
	status=$?
	unset PMCD_REQUEST_TIMEOUT
	cat "$dir/out.shim" >&2
	[ $status = 0 ] && grep -q '^fetch: -12353, in time$' "$dir/out.shim" &&
		[ "$(grep -c '^fetch: -12366, at once$' "$dir/out.shim")" = 2 ] &&
		grep -q '^fetch: 0, 9 values$' "$dir/out.shim"
}

by_proxy() {
	start_collector || return 1
	mkdir -p "$dir/log/pmproxy"
	"$PCP_BINADM_DIR/pmproxy" -f -A -i 127.0.0.1 -p 44322 -s "$dir/run/pmproxy.socket" -U root \
		-l "$dir/log/pmproxy/log" -x "$dir/log/pmproxy/fatal" >/dev/null 2>&1 &
	proxy=$!
	tries=0
	until "$dir/live_pcp" specs 127.0.0.1@127.0.0.1 2>/dev/null | grep -q '> 0 ' || [ $tries = 100 ]; do
		tries=$((tries + 1))
		sleep 0.05
	done
	status=0
	for spec in 127.0.0.1@127.0.0.1 127.0.0.1:44321@127.0.0.1:44322 127.0.0.1:1@127.0.0.1; do
		fails "$spec" "$("$dir/live_pcp" specs "$spec" | sed 's/.*> \([-0-9]*\) .*/\1/')" || status=1
	done
	fails 127.0.0.1 0 PMPROXY_HOST=127.0.0.1 PMPROXY_PORT=44322 || status=1
	fails 127.0.0.1 -111 PMPROXY_HOST=127.0.0.1 PMPROXY_PORT=1 || status=1
	kill $proxy
	wait $proxy 2>/dev/null
	return $status
}

texts() {
	for side in pcp shim; do
		"$dir/errors_$side" >"$dir/out.$side"
		# Since glibc 2.43, which 7.2.2 uses, EFTYPE has a text.
		sed -i '/^-134 /d' "$dir/out.$side"
	done
	diff "$dir/out.pcp" "$dir/out.shim" >&2 && [ "$(wc -l <"$dir/out.shim")" -gt 30000 ]
}

compile
result "the programs compile"
[ $tap_failed = 0 ] || done_testing
texts
result "the text of each error code"
make_collector && start_collector
result "PCP's collector with its sample agents runs"
[ $tap_failed = 0 ] || done_testing
same_specs A=b
result "specifications of hosts"
same_specs PCP_SECURE_SOCKETS=enforce
result "... if the environment requires encryption"
same_specs PCP_SECURE_SOCKETS=relaxed PCP_CONTAINER=box
result "... if the environment permits encryption, and in a container"
same_specs PMCD_PORT=7,44321 PMCD_SOCKET="$dir/run/pmcd.socket" PCP_RUN_DIR=/nonexistent
result "... with the default ports and the socket's path in the environment"
for play in names meta values profile store contexts errors events; do
	same $play
	result "$play"
done
same profile unix:
result "profiles, through a UNIX socket"
staged_same changes agent_goes agent_comes_back
result "results of fetches while an agent is restarted"
staged_same outage collector_goes collector_comes_back
result "pmcd is restarted"
silence
result "pmcd is stopped in the middle and continued"
stopped
result "pmcd is stopped while a context is opened"
restricted 'disallow "*" : all;' '' refused
result "pmcd refuses the host"
restricted 'allow "*" : maximum 1 connections;' '' too_many
result "pmcd refuses more connections"
restricted 'allow "*" : all;' -S who_is_it
result "pmcd requires a user"
many
result "200 contexts leave no descriptor open"
if [ -x "$PCP_BINADM_DIR/pmproxy" ]; then
	by_proxy
	result "through a proxy"
else
	skip "through a proxy" "pmproxy is not installed"
fi
done_testing
