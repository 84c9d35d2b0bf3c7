#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The agent's source compiles with the headers of each PCP release: this machine's, Debian 13's and unstable's.
set -u
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
evidence=$dir/log

# compiles [DIR]: check that it compiles without a warning, with the headers below DIR
compiles() {
	for file in "$top"/tools/pmda/*.c; do
		gcc -fsyntax-only -std=gnu11 -Wall -Wextra -Werror -D_GNU_SOURCE -I"$top/user" ${1:+-isystem "$1/usr/include"} "$file" || return
	done >"$evidence" 2>&1
}

# Check the layout that the agent library and pmcd share: a struct timeval, then the count.
layout() {
	printf '%s\n' '#include <stddef.h>' '#include "result.h"' \
		'_Static_assert(offsetof(agent_result, numpmid) == sizeof(struct timeval), "count");' \
		'_Static_assert(sizeof(((agent_result *)0)->timestamp.tv_usec), "microseconds");' |
		gcc -fsyntax-only -D_GNU_SOURCE -I"$top/tools/pmda" ${1:+-isystem "$1/usr/include"} -xc - >"$evidence" 2>&1
}

for suite in host trixie sid; do
	folder='' version=$(dpkg-query -W -f '${Version}' libpcp-pmda3-dev 2>/dev/null)
	[ $suite = host ] || folder=$("$top/scripts/fetch-pmda-headers.sh" $suite path)
	[ $suite = host ] || version=$(cat "$folder/version" 2>/dev/null)
	if [ -z "$version" ]; then
		skip "$suite: the agent compiles" "no PCP headers here; scripts/fetch-pmda-headers.sh $suite fetches them"
		continue
	fi
	compiles "$folder"; result "$suite: the agent compiles"
	layout "$folder"; result "$suite: results have the layout of the agent protocol"
	echo "# $suite: PCP $version"
done
done_testing
