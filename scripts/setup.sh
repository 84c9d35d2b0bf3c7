#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install missing packages on a Debian machine.  Print their names, purposes and sizes, and the progress.  Do nothing
# if none is missing.
#
# usage: setup.sh [--check] [build|module|tests|lab|demo|newer|check|docs|peers|deb|browser|bench|clang ...]   (default: all up to peers)
#
# With --check, install and fetch nothing, which does not require root.  If a package is missing, print its name and
# the command that installs it, and fail.
set -eu

cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
top=$(cd "$(dirname "$0")/.." && pwd)
host=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
if [ "$host" = amd64 ]; then cross=aarch64-linux-gnu cross_arch=arm64; else cross=x86-64-linux-gnu cross_arch=amd64; fi
# Packages whose names differ between the suites; unversioned names depend on the newest
# shellcheck source=/dev/null
codename=$(. /etc/os-release 2>/dev/null && echo "${VERSION_CODENAME:-}") || codename=
case $codename in
bookworm) zones=tzdata source=linux-source-6.1 clang_rt=libclang-rt-14-dev java=openjdk-17-jdk-headless ;;
trixie) zones=tzdata-legacy source=linux-source-6.12 clang_rt=libclang-rt-19-dev java=openjdk-21-jdk-headless ;;
*) zones=tzdata-legacy source=linux-source clang_rt=libclang-rt-dev java=default-jdk-headless ;;
esac

# part | package | purpose
needs="
build|gcc|compiles everything
build|make|runs the build
build|libc6-dev|C library headers
build|pkg-config|finds libraries, for programs that link with libshim
build|clang|compiles the BPF programs
build|bpftool|makes the BPF skeletons
build|libbpf-dev|loads the BPF programs
build|libelf-dev|needed by libbpf and by the build of the module
build|libdw-dev|finds the function and source line of an address
build|zlib1g-dev|needed by libbpf; reads archives compressed with gzip
build|libbz2-dev|reads archives compressed with bzip2
build|liblzma-dev|reads archives compressed with xz
build|libzstd-dev|reads archives compressed with zstd
build|libpfm4-dev|provides event names and encodings
build|libncurses-dev|draws the screen of vcpc top
module|linux-headers-$host|kernel headers, to build the module
tests|ccache|reuses compiled files, also those of other checkouts
tests|$zones|provides time zones for tests
tests|zsh|tests the command's completion in zsh
tests|locales|tests numbers in the formats of other languages
tests|$source|provides kselftest's harness and checkpatch
tests|xz-utils|unpacks the kernel's source
lab|gcc-$cross|builds for the other architecture
lab|libc6-dev-$cross_arch-cross|C library of the other architecture
lab|qemu-system-x86|runs the x86-64 VM
lab|qemu-system-arm|runs the arm64 VM
lab|busybox-static|provides the VM's shell and tools
lab|cpio|packs the VM's initramfs
lab|kmod|finds the drivers that the VM needs
lab|xz-utils|unpacks the VM's drivers
lab|binutils|finds the shared libraries that programs need
lab|sqlite3|a real program to count in make vm-shell
lab|flex|builds the debug kernel
lab|bison|builds the debug kernel
lab|bc|builds the debug kernel
lab|libssl-dev|builds the debug kernel
clang|clang|compiles a kernel and the module
clang|lld|links the kernel and the module
clang|llvm|provides the other tools for object files
demo|pcp|prints the archive with PCP's own pmval
newer|kmod|finds the drivers of the newer kernels
check|sparse|checks the module's address spaces
check|perl|runs checkpatch
check|g++|compiles the public headers as C++
check|shellcheck|checks the scripts
check|man-db|checks the manual pages
check|python3|parses our JSON independently
check|python3-docutils|parses the pages of Documentation
check|protobuf-compiler|parses exported events independently
check|bzip2|compresses archives, to test the reader
check|zstd|compresses archives, to test the reader
check|valgrind|finds uses of uninitialized or freed memory
check|libc6-dbg|provides the dynamic loader's symbols for valgrind
check|$clang_rt|fuzzes the readers of archives and of replies from agents
browser|chromium|opens pages of vcpc report in a test, which is skipped without it
deb|debhelper|builds the packages
deb|dh-dkms|registers the module's source with DKMS
deb|dh-python|byte-compiles the Python package when it is installed
deb|dpkg-dev|provides dpkg-buildpackage
deb|default-jdk-headless|compiles the Java class of the trace calls
peers|pcp|reads our archives with Performance Co-Pilot's own programs
peers|python3-pcp|runs PCP's Python binding, and tools that use it, with our library
peers|libpcp3-dev|runs our test client with PCP's library, to compare
peers|libpcp-pmda3-dev|builds our agent for PCP's collector
peers|libpcp-import1-dev|writes archives with PCP's import library, to compare
peers|libpcp-trace2-dev|sends events with PCP's trace library, to compare
peers|libpapi-dev|counts with PAPI, to compare
peers|gfortran|builds a Fortran program that makes trace calls
peers|$java|builds and runs a Java program that makes trace calls
peers|abigail-tools|compares the library's functions and types with those of user/abi
peers|zsh|tests the command's completion in zsh
peers|iproute2|runs PCP's agent in a separate network
docs|python3-sphinx|builds the documentation site (make docs)
docs|furo|the theme of the site
docs|mandoc|converts the manual pages to HTML
bench|lttng-tools|traces the same transactions with LTTng, to compare (make bench)
bench|liblttng-ust-dev|provides LTTng's tracepoints
bench|bpftrace|probes the same transactions, to compare
"

only_check=
if [ "${1:-}" = --check ]; then
	only_check=1
	shift
fi
# "deb" is for building packages, "browser" for viewing, "bench" for the programs that make bench
# compares with, "clang" for make test-clang.
all='build module tests lab demo newer check docs peers deb browser bench clang'
parts=${*:-${all% deb*}}
for part in $parts; do
	case " $all " in
	*" $part "*) ;;
	*) echo "setup: unknown part '$part' (known: $all)" >&2; exit 2 ;;
	esac
done

if ! command -v dpkg-query >/dev/null; then
	echo "setup: this is not a Debian machine; README.md lists the required packages"
	exit 0
fi
present=$(dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' 2>/dev/null | sed -n 's/^ii. //p')

installed() {
	echo "$present" | grep -qxF "$1"
}

as_root() {
	if [ "$(id -u)" = 0 ]; then "$@"
	elif command -v sudo >/dev/null; then sudo "$@"
	else echo "setup: installing packages requires root; as root: $*" >&2; exit 1
	fi
}

missing=
for part in $parts; do
	while IFS='|' read -r p package why; do
		[ "$p" = "$part" ] || continue
		installed "$package" && continue
		case " $missing " in *" $package "*) continue ;; esac
		printf 'setup: missing %-24s %s\n' "$package" "$why"
		missing="$missing $package"
	done <<-LIST
	$needs
	LIST
done

# progress: print a line for each quarter of apt-get's work
progress() {
	awk -F : '
		$1 == "dlstatus" { what = "fetched" }
		$1 == "pmstatus" { what = "unpacked and set up" }
		$1 == "dlstatus" || $1 == "pmstatus" {
			quarter = int($3 / 25)
			if (what != before) last = 0
			before = what
			if (quarter > last && quarter < 4) {
				printf "setup: %d%% %s\n", quarter * 25, what
				fflush()
				last = quarter
			}
		}'
}

# Prevent the package pcp from starting its daemons, which are not needed and fail without an
# init system.
apt_install() {
	quiet=$(mktemp -d)
	if ! [ -d /run/systemd/system ]; then
		printf '#!/bin/sh\nexit 0\n' >"$quiet/systemctl"
		chmod +x "$quiet/systemctl"
	fi
	# shellcheck disable=SC2016 # the inner shell's
	as_root env DEBIAN_FRONTEND=noninteractive PATH="$quiet:$PATH" log="$quiet/log" status="$quiet/status" sh -c '
		apt-get install -y --no-install-recommends -oDpkg::Use-Pty=0 -oAPT::Status-Fd=3 "$@" </dev/null 3>&1 >"$log" 2>&1
		echo $? >"$status"' sh -oDPkg::Path="$quiet:/usr/sbin:/usr/bin:/sbin:/bin" "$@" | progress
	status=$(cat "$quiet/status" 2>/dev/null || echo 1)
	if [ "$status" != 0 ]; then
		tail -n 20 "$quiet/log" >&2
		echo "setup: apt-get install failed" >&2
	fi
	rm -rf "$quiet"
	return "$status"
}

# how_much PACKAGE...: print the download size and the installed size
how_much() {
	LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null |
		sed -n 's/^Need to get \(.*\) of archives\./setup: to fetch: \1/p; s/^After this operation, \(.*\) of additional .*/setup: on disk: \1/p'
}

if [ -n "$only_check" ]; then
	[ -n "$missing" ] || exit 0
	echo "setup: to install them, run as root: scripts/setup.sh $parts   ('make setup' also installs everything that tests require)" >&2
	exit 1
fi

if [ -n "$missing" ]; then
	echo "setup: fetching the package lists"
	as_root apt-get update -qq </dev/null >/dev/null 2>&1 || echo "setup: some package lists could not be fetched; continuing" >&2
	# shellcheck disable=SC2086
	set -- $missing
	echo "setup: installing these $# packages and their dependencies with apt-get (up to a few minutes)"
	how_much "$@" || :
	apt_install "$@"
	echo "setup: installed"
fi

# git checks the message of each commit.
if [ -d "$top/.git/hooks" ] && [ ! -e "$top/.git/hooks/commit-msg" ]; then
	ln -sf ../../scripts/commit-msg "$top/.git/hooks/commit-msg" || echo "setup: continuing without the check of commit messages" >&2
fi

# Unpack files that only the kernel's source tree has.
ksrc=$cache/ksrc
tarball=$("$top/scripts/ksource.sh" tarball)
if [ -n "$tarball" ]; then
	stamp=$("$top/scripts/ksource.sh" version)
	if [ "$(cat "$ksrc/.version" 2>/dev/null)" != "$stamp" ] || [ ! -e "$ksrc/tools/testing/selftests/kselftest/runner.sh" ]; then
		echo "setup: unpacking kselftest and checkpatch from $tarball, version $stamp (half a minute)"
		rm -rf "$ksrc" && mkdir -p "$ksrc"
		tar -C "$ksrc" -xf "$tarball" --strip-components=1 --wildcards \
			'*/scripts/checkpatch.pl' '*/scripts/spelling.txt' '*/scripts/const_structs.checkpatch' \
			'*/scripts/kernel-doc' '*/tools/testing/selftests/kselftest*.h' \
			'*/tools/testing/selftests/run_kselftest.sh' '*/tools/testing/selftests/kselftest/*'
		echo "$stamp" >"$ksrc/.version"
	fi
fi

# Fetch the rest into the cache.  Each script prints names and sizes.
case " $parts " in
*" lab "*) "$top/scripts/fetch.sh" x86_64 && "$top/scripts/fetch.sh" arm64 ;;
esac
case " $parts " in
*" peers "*)
	"$top/scripts/fetch-suite.sh" >/dev/null || echo "setup: continuing without PCP's test suite" >&2
	for version in 6.3.8 7.2.2; do
		"$top/scripts/fetch-pcp.sh" $version >/dev/null || echo "setup: continuing without PCP $version" >&2
	done
	for suite in trixie sid; do
		"$top/scripts/fetch-pmda-headers.sh" $suite >/dev/null || echo "setup: continuing without the headers of $suite's PCP" >&2
	done
	;;
esac
case " $parts " in
*" newer "*)
	# Without NEWER=, fetch the series that make test uses.
	"$top/scripts/fetch-newer.sh" x86_64 >/dev/null
	NEWER=${NEWER:-$(awk '{ print $(NF - 1) }' "$top/kmod/compat/tested")} "$top/scripts/fetch-newer.sh" arm64 >/dev/null
	;;
esac
