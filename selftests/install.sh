#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install the tests of a running kernel into a directory, as kselftest does; they do not need the
# checkout.
#
# usage: install.sh DIR BUILD TARGET...
#
# The kernel's own DIR/run_kselftest.sh runs them: all, -c TARGET, or -t TARGET:TEST.
set -eu

[ $# -ge 3 ] || { sed -n 5,7p "$0"; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
kernel=${KSRC:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ksrc}/tools/testing/selftests
to=$1 build=$2
shift 2
[ -e "$kernel/kselftest/runner.sh" ] || { echo "install: no kselftest/runner.sh in $kernel; run 'make setup'" >&2; exit 1; }

mkdir -p "$to/bin" "$to/lib"
if [ -e "$to/kselftest-list.txt" ]; then
	# Remove previously installed tests, some of which may no longer exist.
	cut -d: -f1 "$to/kselftest-list.txt" | sort -u | while read -r old; do rm -rf "${to:?}/${old:?}"; done
fi
cp "$kernel/run_kselftest.sh" "$to/"
cp -r "$kernel/kselftest" "$here/tap.sh" "$here/host.sh" "$to/"
cp -P "$build"/lib/libshim.so* "$to/lib/"
for program in "$build"/bin/* "$build"/examples/*; do
	[ ! -x "$program" ] || cp "$program" "$to/bin/"
done

: >"$to/kselftest-list.new"
for target; do
	found=
	mkdir -p "$to/$target"
	# Set a longer timeout than kselftest's 45 seconds, for busy machines.
	echo "timeout=1800" >"$to/$target/settings"
	for source in "$here/$target"/*.c "$here/$target"/*.sh; do
		test=$source
		[ "${source%.c}" = "$source" ] || test=$build/tests/$target/$(basename "$source" .c)
		[ -x "$test" ] || continue
		cp "$test" "$to/$target/"
		echo "$target:${test##*/}" >>"$to/kselftest-list.new"
		found=1
	done
	[ -n "$found" ] || { echo "install: '$target' has no tests" >&2; exit 1; }
done
mv "$to/kselftest-list.new" "$to/kselftest-list.txt"

# Install the files that shell tests read.
if [ -d "$to/tools" ]; then
	mkdir -p "$to/tools/documents"
	cp "$here"/../README.md "$here"/../Documentation/site/*.rst "$here"/../Documentation/man/vcpc-*.1 "$to/tools/documents/"
fi
[ ! -d "$to/bpf" ] || cp "$here/../Documentation/bpf.rst" "$to/bpf/"
