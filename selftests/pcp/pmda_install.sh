#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the agent's Install and Remove as an administrator would, with a pmcd that uses PCP's usual
# paths.  They write to overlays over /etc, /run and /var/lib, in separate mount, process and
# network namespaces.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
if [ "${1:-}" != inside ]; then
	unshare -mnpf --mount-proc true 2>/dev/null || skip_all "no mount and process namespaces are possible"
	exec unshare -mnpf --mount-proc "$0" inside
fi
set +u
# shellcheck source=/dev/null
[ ! -e /etc/pcp.env ] || . /etc/pcp.env
set -u
needs "${PCP_BINADM_DIR:-}/pmcd" pcp
[ -x "$build/bin/pmdavcpc" ] || skip_all "no agent: libpcp-pmda3-dev was not installed"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
exec 2>"$dir/errors"
evidence="$dir/errors /var/log/pcp/pmcd/pmcd.log"
collector=
trap '[ -z "$collector" ] || kill "$collector"; cd /; umount "$dir/tmp" -l 2>/dev/null; rm -rf "$dir"' EXIT
ip link set lo up

# layer FOLDER: mount an overlay, whose changes only this script sees
layer() {
	name=$(echo "$1" | tr / _)
	mkdir -p "$dir/tmp/$name" "$dir/tmp/$name-work"
	mount -t overlay overlay -o "lowerdir=$1,upperdir=$dir/tmp/$name,workdir=$dir/tmp/$name-work" "$1"
}

layers() {
	mkdir "$dir/tmp" && mount -t tmpfs tmpfs "$dir/tmp" && layer /etc && layer /var/lib &&
		mount -t tmpfs tmpfs /run && mkdir -p /run/pcp && { [ ! -d /var/log/pcp ] || layer /var/log/pcp; }
}

pmcd_runs() {
	rm -f /etc/vcpc.conf
	printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\n\n[access]\nallow "local:*" : all;\n' "$PCP_PMDAS_DIR" \
		>"$PCP_PMCDCONF_PATH"
	# Agents write their logs to the directory in which they were started.
	mkdir -p /var/log/pcp/pmcd && cd /var/log/pcp/pmcd || return 1
	(cd "$PCP_VAR_DIR/pmns" && ./Rebuild -us) >&2
	"$PCP_BINADM_DIR/pmcd" -f -A -i 127.0.0.1 -U root -l /var/log/pcp/pmcd/pmcd.log -x "$dir/fatal" >/dev/null 2>&1 &
	collector=$!
	tries=0
	until pminfo -f pmcd.numagents >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ "$tries" -lt 100 ] && kill -0 "$collector" || return 1
		sleep 0.05
	done
}

copy() {
	agent=$PCP_PMDAS_DIR/vcpc
	files=$here/../../tools/pmda/files
	mkdir -p "$agent" && cp "$build/bin/pmdavcpc" "$files"/* "$agent" && chmod 755 "$agent/Install" "$agent/Remove"
}

script() {
	(cd "$agent" && "./$1" </dev/null >"$dir/out" 2>&1)
	status=$?
	cat "$dir/out" >&2
	return $status
}

has() {
	pminfo -f vcpc.control.module 2>/dev/null | grep -q 'value [01]$'
}

installed() {
	script Install && has && [ "$(grep -c '^vcpc	450	' "$PCP_PMCDCONF_PATH")" = 1 ]
}

# After a change of the configuration, installing again adds the names.
again() {
	echo 'cpus cpu-clock' >/etc/vcpc.conf
	script Install && pminfo vcpc.count.cpu_clock >&2 && has &&
		[ "$(grep -c '^vcpc	450	' "$PCP_PMCDCONF_PATH")" = 1 ]
}

# An invalid configuration changes nothing.
wrong() {
	cp "$agent/pmns" "$dir/pmns"
	echo 'nothing' >/etc/vcpc.conf
	! script Install && grep -q 'vcpc.conf: line 1: ' "$dir/out" && cmp "$dir/pmns" "$agent/pmns" >&2 && has
}

removed() {
	script Remove && ! has && ! grep -q vcpc "$PCP_PMCDCONF_PATH" && ! pminfo vcpc >&2 &&
		! grep -q pmdavcpc /proc/[0-9]*/comm
}

layers || skip_all "no overlays over /etc and /var/lib are possible"
copy && pmcd_runs
result "pmcd runs, with PCP's usual paths"
[ $tap_failed = 0 ] || done_testing
installed
result "Install"
again
result "Install again, with another configuration"
wrong
result "Install with an invalid configuration"
removed
result "Remove"
done_testing
