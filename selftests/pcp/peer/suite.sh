# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests to source that compare us with PCP over the archives of its own
# suite: where they are, and which cannot be compared, and why.
suite=${PCP_TESTSUITE:-/var/lib/pcp/testsuite}/archives

# All that differs is described in Documentation/api/pmapi.rst: values of a format
# older than PCP 2; damage that we read beyond.
old='541380_v2 951127.23.01_v2 960624.08.17_v2 babylon.pmview_v2 bozo.client_v2'
damaged='binning pcp-mpstat3 vldb-disks'

# in_list NAME 'NAMES...'
in_list() {
	for item in $2; do
		[ "$1" = "$item" ] && return 0
	done
	return 1
}

# suite_archives: the paths of all archives, without suffix
suite_archives() {
	for meta in "$suite"/*.meta "$suite"/*.meta.xz; do
		[ -e "$meta" ] || continue
		meta=${meta%.xz}
		echo "${meta%.meta}"
	done
}
