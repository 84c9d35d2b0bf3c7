#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Measure the cost of logging a host's transactions: bytes of the log, and CPU time of agent, pmcd and client, for 4,000 tags.
#
# usage: fleet_cost.sh        as root; not called by make bench, takes five minutes
set -u

here=$(cd "$(dirname "$0")/../pcp" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
# shellcheck source=selftests/pcp/with_agent.sh
. "$here/with_agent.sh"
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
begin_agent "$@"
mount -t bpf bpf /sys/fs/bpf || exit 1
trap '"$build/bin/vcpc" trace off >/dev/null 2>&1; [ -z "${work:-}" ] || kill "$work"; stop; rm -rf "$dir"' EXIT
exec 2>&1
tags=4000 every=2 samples=20 agent_window=1
: >"$VCPC_CONFIG"

cat >"$dir/work.c" <<'EOF'
#include <pcp/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* usage: work TAGS ACTIVE: begins all tags once, and some of them each second */
int main(int argc, char **argv)
{
	char tag[32];

	for (int tags = atoi(argv[1]); argc > 2; tags = atoi(argv[2])) {
		for (int i = 0; i < tags; i++) {
			snprintf(tag, sizeof(tag), "transaction number %d", i);
			pmtracebegin(tag);
			pmtraceend(tag);
		}
		sleep(1);
	}
}
EOF
cc_shim -w -o "$dir/work" "$dir/work.c" || exit 1

cat >"$dir/fetch.c" <<'EOF'
#include <pcp/pmapi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *names[64];
static int n;

static void add(const char *name)
{
	names[n++] = strdup(name);
}

/* usage: fetch EVERY NODE: all metrics below, for ever */
int main(int argc, char **argv)
{
	pmID pmids[64];
	pmResult *result;

	if (argc < 3 || pmNewContext(PM_CONTEXT_HOST, "127.0.0.1") < 0 ||
	    pmTraversePMNS(argv[2], add) < 0 || pmLookupName(n, names, pmids) < 0)
		return 1;
	for (; !pmFetch(n, pmids, &result); sleep(atoi(argv[1])))
		pmFreeResult(result);
	return 1;
}
EOF
cc_shim -w -o "$dir/fetch" "$dir/fetch.c" || exit 1

# used PID: print the CPU time in nanoseconds; each of these programs has one thread
used() {
	cut -d ' ' -f 1 "/proc/$1/schedstat"
}

# median: print the median of numbers, one per line
median() {
	sort -n | sed -n "$((samples / 2 + 1))p"
}

# measure CLIENT: set "size" to the median growth of the log per sample, and "a", "c" and "l" to the
# median CPU time per sample of the agent, pmcd and the client.  The first samples are ignored,
# because they include descriptors.
measure() {
	sleep $((every * 4 + 1))
	agent=$(agent_pid | head -n 1)
	size=$(stat -c %s "$dir/$name.0")
	for _ in $(seq $samples); do
		a=$(used "$agent") c=$(used "$collector") l=$(used "$1")
		sleep $every
		echo "$(($(used "$agent") - a)) $(($(used "$collector") - c)) $(($(used "$1") - l))"
	done >"$dir/used"
	size=$(($(stat -c %s "$dir/$name.0") - size))
	a=$(cut -d ' ' -f 1 "$dir/used" | median) c=$(cut -d ' ' -f 2 "$dir/used" | median)
	l=$(cut -d ' ' -f 3 "$dir/used" | median)
}

# log NAME METRIC...: print a row for pmlogger logging these metrics
log() {
	name=$1
	shift
	printf 'log mandatory on %d sec { %s }\n' $every "$*" >"$dir/logger.conf"
	pmlogger -h 127.0.0.1 -c "$dir/logger.conf" -l "$dir/$name.log" "$dir/$name" &
	logger=$!
	measure $logger
	kill $logger && wait $logger
	xz -9e -k -T1 "$dir/$name.0"
	echo "$name $size $a $c $l $(stat -c %s "$dir/$name.0.xz") $(stat -c %s "$dir/$name.0")" | awk -v n=$samples '{
		printf "%-34s %9.0f %7.2f %7.1f %7.1f %7.1f %8.2f\n", $1, $2 / n, $6 / $7, $3 / 1e6, $4 / 1e6, $5 / 1e6,
			$2 / n * 8640 / 1e9
	}'
}

# fetch NAME NODE: print a row for a client that only fetches values
fetch() {
	name=$1
	: >"$dir/$name.0"
	"$dir/fetch" $every "$2" &
	client=$!
	measure $client
	kill $client
	echo "$name $a $c $l" | awk '{
		printf "%-34s %9s %7s %7.1f %7.1f %7.1f\n", $1, "-", "-", $2 / 1e6, $3 / 1e6, $4 / 1e6
	}'
}

make_names && start || exit 1
printf '%-34s %9s %7s %7s %7s %7s %8s\n' "4,000 tags; for each sample" bytes "xz -9e" "agent" pmcd client "GB/day"
printf '%-34s %9s %7s %7s %7s %7s %8s\n' "" "" "" ms ms ms "at 10 s"
"$build/bin/vcpc" trace on >/dev/null || exit 1
for active in 100 4000; do
	"$dir/work" $tags $active &
	work=$!
	sleep 2
	fetch "${active}_in_use:fetch_all" vcpc.transact
	log "${active}_in_use:all" vcpc.transact
	log "${active}_in_use:count,total_time" vcpc.transact.count vcpc.transact.total_time
	kill $work
done
work=
