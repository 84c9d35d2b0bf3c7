#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Build the packages twice in a bare Debian, and compare and check them.  Install, upgrade and purge
# them in another Debian, and in a VM that boots it.  Called by make test-packages.
#
# usage: test.sh SUITE
#
# It tests the committed source.  Needs root and mmdebstrap; roots are kept in the cache. Nothing is
# installed on this machine.  The last line is the sum.
set -eu

suite=${1:?usage: test.sh bookworm|trixie}

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
say() { echo "packages: $suite: $*"; }
[ "$(id -u)" = 0 ] || { say "requires root, to create root directories" >&2; exit 2; }
command -v mmdebstrap >/dev/null || { say "needs mmdebstrap: apt-get install mmdebstrap" >&2; exit 2; }

work=$(mktemp -d /var/tmp/vcpc-packages.XXXXXX)
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT TERM
results=$top/build/test-packages/$suite
rm -rf "$results" && mkdir -p "$results"
version=$(git -C "$top" show HEAD:VERSION)
next=$version+next

# unpacked KIND: unpack a separate root of that kind
unpacked() {
	mkdir "$work/$1"
	tar -C "$work/$1" -xf "$("$here/root.sh" "$1" "$suite")"
}

# build PLACE: build the packages from the checkout at PLACE in the root
build() {
	say "building packages in $1 (some minutes)"
	"$here/inside.sh" "$work/build" "cd $1 && NEEDS=met scripts/deb.sh build/deb" >"$results/build.log" 2>&1 || {
		tail -n 30 "$results/build.log"
		exit 1
	}
}

# Compare the packages except for the data about machine and time that dpkg's tools record.
same() {
	(cd "$work/build/$1/build/deb" && sha256sum ./*.deb ./*.dsc ./vcpc_*.tar.*) >"$results/sums.1"
	(cd "$work/build/$2/build/deb" && sha256sum ./*.deb ./*.dsc ./vcpc_*.tar.*) >"$results/sums.2"
	diff "$results/sums.1" "$results/sums.2"
}

as_next() {
	git clone -q "$work/build/root/vcpc" "$work/build/root/next"
	(
		cd "$work/build/root/next"
		echo "$next" >VERSION
		sed -i "1s/(.*)/($next)/" debian/changelog
		git -c user.name=next -c user.email=next@vcpc.example commit -qam "the next version"
	)
}

# checked NAME COMMAND...: run a step as a TAP test
checked() {
	name=$1
	shift
	if "$@" >"$results/step.log" 2>&1; then
		echo "ok - $name"
	else
		echo "not ok - $name"
		sed 's/^/# /' "$results/step.log" | tail -n 20
	fi
}

{
	unpacked build
	git clone -q --no-hardlinks "$top" "$work/build/root/vcpc"
	git clone -q --no-hardlinks "$top" "$work/build/root/a-longer-path"
	build /root/vcpc
	build /root/a-longer-path
	checked "two builds are identical" same root/vcpc root/a-longer-path
	checked "lintian has no errors" "$here/inside.sh" "$work/build" \
		"cd /root/vcpc/build/deb && lintian --allow-root --fail-on error ./*.changes"
	as_next
	build /root/next
	unpacked user
	"$here/chroot.sh" "$work/user" "$work/build/root/vcpc/build/deb" "$work/build/root/next/build/deb" || :
	rm -rf --one-file-system "$work/user"
	unpacked user
	say "installing them with an older and a newer kernel, and booting both in a VM (half an hour without KVM)"
	"$here/machine.sh" "$suite" "$work/user" "$work/build/root/vcpc/build/deb" "$work/build/root/next/build/deb" "$results" || :
} 2>&1 | tee "$results/log"

# Two tests run here.  The tests in the user's root and in both boots print their own plans.
awk '/^ok / { passed++ } /^not ok / { failed++ } /^1\.\.[0-9]+$/ { planned += substr($1, 4); plans++ }
	END {
		planned += 2
		if (plans != 3) {
			printf "packages: %d of 3 places finished\n", plans
			failed++
		} else if (passed + failed != planned) {
			printf "packages: %d of %d tests finished\n", passed + failed, planned
			failed++
		}
		printf "%d passed, %d failed, 0 skipped\n", passed, failed
		exit failed > 0
	}' "$results/log"
