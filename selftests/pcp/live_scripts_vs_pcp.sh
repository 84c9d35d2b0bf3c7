#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Random scripts of calls print the same output with libshim and with PCP's own library.  They query
# a private pmcd with PCP's sample agents, and use contexts, profiles, fetches, derived metrics,
# fetch groups, instance domains that change, and stores.
#
# LIVE_SCRIPTS sets the number of scripts, and LIVE_SEED selects other scripts.  If LIVE_KEEP is
# set, both outputs are copied to this directory.
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
# shellcheck disable=SC2034
evidence="$dir/differ $dir/errors $dir/log/pmcd/pmcd.log"
export TZ=UTC

seed=${LIVE_SEED:-1} scripts=${LIVE_SCRIPTS:-60}

compile() {
	cc_shim -D_GNU_SOURCE -o "$dir/shim" "$here/peer/live_scripts.c" &&
		cc_pcp -D_GNU_SOURCE -w -o "$dir/pcp" "$here/peer/live_scripts.c"
}

# play SPEC FIRST LAST: succeed if both libraries print the same output
play() {
	for side in pcp shim; do
		rm -f "$dir/pmdas/sample/dynamic.indom"
		start_collector || return 1
		timeout 300 "$dir/$side" "$1" "$seed" "$2" "$3" "$dir/pmdas/sample/dynamic.indom" \
			>"$dir/out.$side"
	done
	stop_collector
	[ -z "${LIVE_KEEP:-}" ] || for side in pcp shim; do cp "$dir/out.$side" "$LIVE_KEEP/$2.$side"; done
	awk -f "$here/peer/differ.awk" "$dir/out.pcp" "$dir/out.shim" >"$dir/differ"
}

compile
result "the programs compile"
[ "$tap_failed" = 0 ] && make_collector
result "PCP's collector with its sample agents"
[ "$tap_failed" = 0 ] || done_testing
play 127.0.0.1 1 "$scripts"
result "$scripts scripts, through TCP"
play unix: "$((scripts + 1))" "$((scripts + scripts / 2))"
result "$((scripts / 2)) scripts, through a UNIX socket"
done_testing
