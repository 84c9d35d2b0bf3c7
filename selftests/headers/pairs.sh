#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# libcpc's headers compile together with each other API's header, in C and in C++, in both orders.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/headers/compiler.sh
. "$here/compiler.sh"

# together FIRST SECOND: check that both headers compile together
together() {
	source="#include <$1>
#include <$2>
int use(cpc_t *c);
int use(cpc_t *c) { return cpc_close(c); }"
	compiles c gcc "$1 and $2" "$source"
	compiles cc g++ "$1 and $2" "$source"
}

others=$(cd "$include" && find . -name '*.h' ! -path './cpc/*' | sed 's|^\./||' | sort)
[ "$(echo "$others" | wc -w)" -ge 10 ]
result "there are headers of other APIs"
for header in $others linux/vcpc.h libpctx.h; do
	together "$header" libcpc.h
	together libcpc.h "$header"
done
done_testing
