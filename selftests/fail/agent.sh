#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the agent pmdavcpc while system calls fail.  Each reply must be the same as without a failure,
# or an error after which the repeated request succeeds.  If the agent does not start, it must print
# why.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/../pcp/place.sh"
[ -x "$build/bin/pmdavcpc" ] || skip_all "no agent: libpcp-pmda3-dev was not installed"
[ -e "$build/lib/libinject.so" ] || skip_all "no $build/lib/libinject.so"
command -v python3 >/dev/null || skip_all "no python3"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
case $build in /*) ;; *) build=$PWD/$build ;; esac
trap 'kill "$watched"; rm -rf "$dir"' EXIT

name=sw$$
cp /bin/sleep "$dir/$name"
"$dir/$name" 1000 &
watched=$!
printf 'cpus cpu-clock context-switches\nprocesses %s page-faults\n' $name >"$dir/config"
until grep -q $name "/proc/$watched/comm"; do sleep 0.01; done
python3 "$here/agent.py" "$build/bin/pmdavcpc" "$build/lib/libinject.so" "$dir/config" "${FAIL_POINTS:-}" 2>&1 |
	tee "$dir/out" | grep '^#'
! grep -qv '^# agent .* 0 wrong$' "$dir/out" && grep -q '^# agent all ' "$dir/out"
result "each failure of the agent is without effect or reported"
done_testing
