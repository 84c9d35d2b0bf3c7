#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each name in the public headers of PCP 7.2.2 (pmapi.h, import.h, trace.h) is in our headers, for
# PMAPI_VERSION 4 and 2, or is listed here with the reason.  The test fails if our headers define a
# listed name.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck disable=SC2154,SC2034
evidence="$dir/log"
peer=$("$here/../../scripts/fetch-pcp.sh" 7.2.2 path) || exit

absent='
PCP_CONFIGSZ_H		guard of a header that describes how PCP was built
PCP_PLATFORMSZ_H	likewise
PMI_CALL		only for Windows
PM_CTXFLAG_STREAMING_WRITER	remote writing of archives, which no call of the public headers uses
'
# In version 2, our <pcp/import.h> is that of PCP 6, whereas 7.2.2 has one header for all versions.
absent_in_2='
PMI_APPEND		a flag of pmiStart() in PCP 7
PMI_INHERIT		likewise
PMI_PROCESS		likewise
PMI_VERSION		likewise
PMI_VERSION_2		likewise
pmDebug			a variable in version 2, in <pcp/deprecated.h>
'

# names INCLUDE VERSION: print the names of functions, macros, types and members
names() {
	for header in pmapi import trace; do
		printf '#include <pcp/%s.h>\n' $header >"$dir/all.c"
		[ $header != import ] || sed -i '1i #include <pcp/pmapi.h>' "$dir/all.c"
		cc -w -DPMAPI_VERSION=$2 -I"$1" -E -dM "$dir/all.c" |
			grep -oE '^#define (pm|PM|IS_DERIVED|PCP_|TRACE|TYPE)[A-Za-z_0-9]*' | cut -d ' ' -f 2
		cc -w -DPMAPI_VERSION=$2 -I"$1" -E -P "$dir/all.c" | grep -oE '\b(pm|PM|PCP)[A-Za-z_0-9]+\b'
	done | sort -u
}

if [ ! -e "$peer/usr/include/pcp/import.h" ] || [ ! -e "$peer/usr/include/pcp/trace.h" ]; then
	echo "1..0 # SKIP no PCP 7.2.2 to compare with: run scripts/fetch-pcp.sh 7.2.2"
	exit 4
fi
for version in 4 2; do
	names "$peer/usr/include" $version >"$dir/pcp"
	names "$here/../../user/include" $version >"$dir/ours"
	echo "$absent" >"$dir/reasons"
	[ $version != 2 ] || echo "$absent_in_2" >>"$dir/reasons"
	awk 'NF { print $1 }' "$dir/reasons" | sort >"$dir/listed"
	comm -23 "$dir/pcp" "$dir/ours" | diff "$dir/listed" - >"$dir/log" 2>&1 && [ "$(wc -l <"$dir/pcp")" -gt 500 ]
	result "names of 7.2.2's headers, version $version: $(wc -l <"$dir/pcp"), absent: $(wc -l <"$dir/listed")"
done
done_testing
