#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# If the headers of the running kernel are not installed, the newest headers of the usual kind are
# used.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=selftests/tap.sh
. "$(dirname "$0")/../tap.sh"
arch=$(uname -m | sed 's/aarch64/arm64/')
evidence=$dir/chosen

# Run the script in a separate tree for the other architecture, which has its kernel headers in a
# sysroot.
case $arch in
x86_64)	other=arm64 suffix=arm64 ;;
*)	other=x86_64 suffix=amd64 ;;
esac
mkdir -p "$dir/scripts" "$dir/root/usr/src"
cp "$top/scripts/kdir.sh" "$dir/scripts"
printf '#!/bin/sh\necho "%s"\n' "$dir/root" >"$dir/scripts/sysroot.sh"
chmod +x "$dir/scripts/sysroot.sh"

# headers RELEASE...: install these headers
headers() {
	rm -rf "$dir/root/usr/src"
	for release; do
		mkdir -p "$dir/root/usr/src/linux-headers-$release-$suffix"
		: >"$dir/root/usr/src/linux-headers-$release-$suffix/Makefile"
	done
	mkdir -p "$dir/root/usr/src"
}

# chosen RELEASE WHAT: check that the script prints RELEASE
chosen() {
	"$dir/scripts/kdir.sh" "$other" >"$evidence"
	[ "$(cat "$evidence")" = "$dir/root/usr/src/linux-headers-$1-$suffix" ]
	result "$2"
}

headers 6.1.0-9 6.1.0-10 6.1.0-8
chosen 6.1.0-10 "sorted by number, not by letters"
headers 6.1.0-9 6.12.3 6.9.7
chosen 6.12.3 "a later version"
headers 6.1.0-10 6.1.0-11-cloud 6.1.0-12-rt
chosen 6.1.0-10 "neither cloud nor rt if there is another"
headers 6.1.0-9-rt 6.1.0-10-rt
chosen 6.1.0-10-rt "rt if there is no other"
headers 6.1.0-9 6.1.0-10
rm "$dir/root/usr/src/linux-headers-6.1.0-10-$suffix/Makefile"
chosen 6.1.0-9 "none without a Makefile"
headers
"$dir/scripts/kdir.sh" "$other" >"$evidence" && grep -q '^/nonexistent' "$evidence"
result "no headers: a nonexistent directory"
done_testing
