# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# For tests to source that compare us with PCP over the archives of its own
# suite: where they are, and which cannot be compared, and why; "here" is a folder of
# selftests.
testsuite=${PCP_TESTSUITE:-$("$here/../../scripts/fetch-suite.sh" path)}
suite=$testsuite/archives

# All that differs is described in Documentation/api/pmapi.rst: values of a format
# older than PCP 2; damage that we read beyond.
old='541380_v2 951127.23.01_v2 960624.08.17_v2 babylon.pmview_v2 bozo.client_v2'
damaged='binning pcp-mpstat3 vldb-disks'
# The original takes half a minute for some of the ways through one of these.
large='20180416.10.00 20201109 pcp-atop-threads pcp-free-tera pcp-pidstat-process-args
	pcp-ss pcp-zeroconf'

# Of the suite's bad archives: entries of the index that contradict the volumes (and each other),
# damage that we read beyond, values that are not of their metric's type, records from before the
# start, and from 33 years after it.
bad_differ='20180608.04.23-01 badti-2 badti-3 badti-4
	archive-20150417.131733 badlen-1 badlog-1 ok-truncbin
	archive-20141125-000009 badmeta-2
	badlog-3 badlog-4 badmeta-7'

# in_list NAME 'NAMES...'
in_list() {
	for item in $2; do
		[ "$1" = "$item" ] && return 0
	done
	return 1
}

# suite_archives [FOLDER]: the paths of all archives, without suffix
suite_archives() {
	for meta in "${1:-$suite}"/*.meta "${1:-$suite}"/*.meta.xz; do
		[ -e "$meta" ] || continue
		meta=${meta%.xz}
		echo "${meta%.meta}"
	done
}
