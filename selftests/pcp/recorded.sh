#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PCP's own tools and library read what vcpc record left in the VMs as ours do.
#
# RECORDED in the environment: the folder that selftests/vm/test.sh put them in.
set -u

here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${RECORDED:-}" ]; then
	echo "1..0 # SKIP no archives from a VM: RECORDED is not set"
	exit 4
fi
set -- "$RECORDED"/*/*.meta
if [ ! -e "$1" ]; then
	echo "1..1"
	echo "not ok 1 - the VMs left archives in $RECORDED"
	exit 1
fi
archives=
for meta; do
	archives="$archives ${meta%.meta}"
done
# shellcheck disable=SC2086
exec "$here/compare_with_pcp.sh" $archives
