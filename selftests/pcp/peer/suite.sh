# shellcheck shell=sh disable=SC2034
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests that compare libshim with PCP on the archives of PCP's test suite: find the
# archives, and list those that cannot be compared.  The script must set "here" to a directory in
# selftests.
testsuite=${PCP_TESTSUITE:-$("$here/../../scripts/fetch-suite.sh" path)}
suite=$testsuite/archives

# Documentation/api/pmapi.rst describes all differences: values in a format older than PCP 2, and
# data after damage, which our library continues to read.
old='541380_v2 951127.23.01_v2 960624.08.17_v2 babylon.pmview_v2 bozo.client_v2'
damaged='binning pcp-mpstat3 vldb-disks'
# In some modes, PCP's library takes half a minute for one of these archives.
large='20180416.10.00 20201109 pcp-atop-threads pcp-free-tera pcp-pidstat-process-args
	pcp-ss pcp-zeroconf'

# The suite's damaged archives: index entries that contradict the volumes (and each other), data
# after damage, values whose type differs from the metric's, and records from before the start and
# from 33 years later
bad_differ='20180608.04.23-01 badti-2 badti-3 badti-4
	archive-20150417.131733 badlen-1 badlog-1 ok-truncbin
	archive-20141125-000009 badmeta-2
	badlog-3 badlog-4 badmeta-7'

# in_list NAME 'NAMES...': check whether NAME is one of NAMES
in_list() {
	for item in $2; do
		[ "$1" = "$item" ] && return 0
	done
	return 1
}

# suite_archives [FOLDER]: print the paths of all archives, without suffix
suite_archives() {
	for meta in "${1:-$suite}"/*.meta "${1:-$suite}"/*.meta.xz; do
		[ -e "$meta" ] || continue
		meta=${meta%.xz}
		echo "${meta%.meta}"
	done
}
