#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Each public header compiles alone, in C and in C++, without a warning.
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
done_testing
