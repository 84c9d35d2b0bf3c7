#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each public header compiles alone, in C and in C++, without a warning.  Those of Solaris also
# compile in C99 without the extensions of the C library.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/headers/compiler.sh
. "$here/compiler.sh"

headers=$(cd "$include" && find . -name '*.h' | sed 's|^\./||' | sort)
for header in $headers libcpc.h linux/vcpc.h; do
	compiles c gcc "$header" "#include <$header>"
	compiles cc g++ "$header" "#include <$header>"
done
for header in $(echo "$headers" | grep ^cpc/); do
	compiles c gcc "$header" "#include <$header>" -std=c99
done
done_testing
