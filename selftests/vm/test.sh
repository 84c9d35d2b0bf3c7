#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the selftests that need the module in a VM; called by make test.
#
# usage: test.sh ARCH BUILD RESULTS [DIR|DIR/PROGRAM...]
#
# Environment: archives recorded in the VM are stored in RECORDED.  VM_WITHOUT lists DIR/PROGRAMs to
# omit.  VM_NAME, VM_KERNEL and VM_MODULE select another kernel than Debian's and the module built
# for it ("none" for no module).  VM_OPTIONS are additional options of vm/run, VM_APPEND words for
# the kernel's command line, and VM_ENVIRONMENT variables for the programs.  VM_PMU adds core PMUs
# (vm/pmu) to an x86-64 VM: "hybrid" for two kinds of core, "one" for one kind, followed by other
# parameters of that module.  The kernel's log is stored in VM_DMESG.  VM_PAUTH enables pointer
# authentication in the arm64 kernel, which makes emulation take a third longer.
set -eu

arch=$1 build=$2 results=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
selftests=$here/..
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

programs=
# shellcheck disable=SC2086,SC2116
without=$(echo ${VM_WITHOUT:-})
set -- "${@:-vcpc bpf cpc aix trace shim tools why}"
folders=$*
name=${VM_NAME:-$arch-vm}
# shellcheck disable=SC2086
set -- --arch "$arch" ${VM_KERNEL:+--kernel "$VM_KERNEL"} --libs "$build/lib" --out "$out" --timeout 7200 ${VM_OPTIONS:-}
[ "${VM_MODULE:-}" = none ] || set -- "$@" --module "${VM_MODULE:-$build/vcpc.ko}"
for folder in $folders; do
	for file in "$build/tests/$folder"/* "$selftests/$folder"/*.sh "$build/tests/$folder" "$selftests/$folder"; do
		case $file in *.d) continue ;; esac
		[ -x "$file" ] && [ -f "$file" ] || continue
		program=$(basename "$(dirname "$file")")/${file##*/}
		case " $without " in *" $program "*) continue ;; esac
		guest=/tests/$program
		set -- "$@" --with "$file:$guest"
		programs="$programs $guest"
	done
done
[ -n "$programs" ] || { echo "no tests for $folders in $build" >&2; exit 1; }

pmu=
if [ -n "${VM_PMU:-}" ]; then
	set -- "$@" --with "${VM_PMU_MODULE:-$build/vm-pmu/synthetic_pmu.ko}:/synthetic_pmu.ko"
	case $VM_PMU in
	one*) pmu="insmod /synthetic_pmu.ko one=1${VM_PMU#one} || exit 124;" ;;
	*) pmu="insmod /synthetic_pmu.ko${VM_PMU#hybrid} || exit 124;" ;;
	esac
fi

# Copy files for shell tests to the guest: vcpc, commands of the originals, the examples, and
# bpftool.
for command in cpustat cputrack hpmcount pmlist; do
	[ ! -x "$build/bin/$command" ] || set -- "$@" --with "$build/bin/$command:/usr/bin/$command"
done
for example in "$build"/examples/*; do
	case $example in *.d) continue ;; esac
	set -- "$@" --with "$example:/usr/bin/${example##*/}"
done
set -- "$@" --with "$build/bin/vcpc:/usr/bin/vcpc" --with "$build/bin/pmtrace:/usr/bin/pmtrace" --program bpftool --program xz \
	--with "$selftests/run-tests.sh:/tests/run-tests.sh" --with "$selftests/tap.sh:/tests/tap.sh" --with "$selftests/host.sh:/tests/host.sh"
[ ! -e "$build/lib/libinject.so" ] || set -- "$@" --with "$build/lib/libinject.so:/tests/fail/libinject.so" \
	--with "$selftests/fail/shared/commands.sh:/tests/fail/shared/commands.sh"

# Use setpriv to drop capabilities.  The other architecture's sysroot does not contain it.
[ "$arch" != x86_64 ] || [ ! -x /usr/bin/setpriv ] || set -- "$@" --program setpriv

for document in "$selftests"/../README.md "$selftests"/../Documentation/site/*.rst "$selftests"/../Documentation/man/vcpc-*.1; do
	set -- "$@" --with "$document:/tests/tools/documents/${document##*/}"
done
set -- "$@" --with "$here/record.sh:/tests/record.sh" --with "$selftests/../Documentation/bpf.rst:/tests/bpf/bpf.rst"

echo "$name:"
status=0
job="uname -r >/out/release; $pmu ${VM_ENVIRONMENT:-} TEST_TIMEOUT=${TEST_TIMEOUT:-300} sh /tests/run-tests.sh /out/results $name $programs"
[ -z "${RECORDED:-}" ] || job="$job; sh /tests/record.sh /out/recorded"
append=${VM_APPEND:-}
[ "$arch" != arm64 ] || [ -n "${VM_PAUTH:-}" ] || append="$append arm64.nopauth"
"$here/run" "$@" --append "$append" -- "$job" || status=$?
[ -z "${VM_DMESG:-}" ] || cp "$out/dmesg.log" "$VM_DMESG" || :
if [ -n "${RECORDED:-}" ] && [ -e "$out/recorded" ]; then
	mkdir -p "$RECORDED/$name"
	cp -r "$out/recorded/." "$RECORDED/$name/"
fi

# Status 124 means that the module could not be loaded, so no test ran.
builds=yes loads=yes kernel=$(cd "${VM_KERNEL:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/kernels/$arch/current}" && basename "$(pwd -P)")
[ "${VM_MODULE:-}" != none ] || builds=- loads=-
[ $status != 124 ] || loads=no
touch "$out/results"
"$selftests/matrix.sh" --add "$selftests/../build/matrix" "$arch" "$(cat "$out/release" 2>/dev/null || echo "$kernel")" $builds $loads \
	"$out/results" "$name"
cat "$out/results" >>"$results"
if [ $status != 0 ]; then
	echo "fail $name vm/run the VM ended with status $status (above)" >>"$results"
fi
