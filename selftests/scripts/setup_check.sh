#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# setup.sh --check lists missing packages and how to install them, and installs nothing.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/log
mkdir "$dir/bin"
printf '#!/bin/sh\necho "ii  gcc"\n' >"$dir/bin/dpkg-query"
printf '#!/bin/sh\necho "$0" >>%s/called\n' "$dir" >"$dir/bin/apt-get"
cp "$dir/bin/apt-get" "$dir/bin/sudo"
chmod +x "$dir"/bin/*

check() { PATH="$dir/bin:$PATH" "$top/scripts/setup.sh" --check "$@" >"$dir/log" 2>&1; }

! check build; result "fails if something is missing"
grep -q 'missing clang .*BPF' "$dir/log" && ! grep -q 'missing gcc ' "$dir/log"; result "reports the packages and their purpose"
grep -q 'as root: scripts/setup.sh build' "$dir/log"; result "suggests the command that installs them"
! grep -q linux-source "$dir/log"; result "building does not need packages that only tests need"
[ ! -e "$dir/called" ]; result "calls neither apt-get nor sudo"
sed -n 's/^[a-z]*|\([^|]*\)|.*/\1/p' "$top/scripts/setup.sh" |
	sed "s/\$host/$(dpkg --print-architecture 2>/dev/null || echo amd64)/" >"$dir/all"
# Add all packages whose names depend on the suite.
grep -oE '(zones|source|clang_rt|java)=[a-z0-9.-]+' "$top/scripts/setup.sh" | sed 's/.*=//' >>"$dir/all"
printf '#!/bin/sh\nsed "s/^/ii  /" %s/all\n' "$dir" >"$dir/bin/dpkg-query"
check build tests; result "succeeds if nothing is missing"
[ ! -s "$dir/log" ]; result "silently"
! check nonsense && grep -q "unknown part 'nonsense'" "$dir/log"; result "an unknown part"
done_testing
