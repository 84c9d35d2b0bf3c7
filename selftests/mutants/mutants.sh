#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check whether the native tests detect errors.  Files of user/ are selected with a seed, one change
# is made in each (mutate.awk), and the native programs for its directory are built and run, fast ones
# first, until one fails.  If none fails, the same is done with sanitizers, where a leak is a failure,
# and, with MUTANTS_VM=1, in the x86-64 VM for code that runs only there.  Scripts that compare with
# PCP are not run.
#
# usage: mutants.sh [COUNT [SEED]]     (30, 1)
#
# It works in build/mutants, a copy of the checkout.  It omits tests that, without any change, fail,
# skip or take longer than MUTANT_SECONDS (5; five times that with sanitizers).  A table of all
# mutants is written to build/mutants.txt.  MUTANTS_AGAIN=1 reuses the tests and times found by an
# earlier run.  MUTANTS_FILES lists files to change instead of selecting some; ../tools/vcpc/FILE is a
# file of the command.  With MUTANTS_ERRORS=1 each change turns an error into success. MUTANTS_PLAIN=1
# skips the sanitizers.  MUTANTS_KNOWN is a list of equivalent changes, one "FILE: change" per line
# (equivalent.txt in this directory). Status: 0 if all other changes were caught.
set -u

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
count=${1:-30} seed=${2:-1} limit=${MUTANT_SECONDS:-5}
known=${MUTANTS_KNOWN:-$here/equivalent.txt}
copy=$top/build/mutants
table=$top/build/mutants.txt
arch=$(uname -m | sed s/aarch64/arm64/)
out=$copy/build/$arch
export PCP_DERIVED_CONFIG='' PCP_CONF=/nonexistent

# Keep the test programs, but rebuild the library, because an interrupted run leaves a changed object.
copy_tree() {
	mkdir -p "$copy"
	rm -rf "${out:?}/obj" "${out:?}/lib" "${out:?}-san/obj" "${out:?}-san/lib"
	for part in Makefile VERSION Kbuild LICENSES Documentation user include bpf kmod scripts selftests tools; do
		rm -rf "${copy:?}/$part"
		cp -aT "$top/$part" "$copy/$part" || return 1
	done
}

# plainly, sanitized: select which build the functions below use
plainly() { san='' built=$out VCPC_LEAKS='' slower=1; }
sanitized() { san=1 built=$out-san VCPC_LEAKS=1 slower=5; }
export VCPC_LEAKS

compile() {
	make -s -C "$copy" ARCH="$arch" SAN="$san" lib tools >"$copy/log" 2>&1
}

compile_test() {
	case $1 in *.sh) make -s -C "$copy" ARCH="$arch" SAN="$san" -f selftests/Makefile "$built/lib/libinject.so" >>"$copy/log" 2>&1; return ;; esac
	make -s -C "$copy" ARCH="$arch" SAN="$san" -f selftests/Makefile "$built/tests/$1" >>"$copy/log" 2>&1
}

# run NAME SECONDS: run the test and return its status
run() {
	case $1 in *.sh) (cd "$copy" && VCPC_BUILD=$built FAIL_POINTS=2 timeout -k 5 "$2" sh "selftests/$1") >"$copy/log" 2>&1; return ;; esac
	(cd "$copy" && VCPC_BUILD=$built timeout -k 5 "$2" "$built/tests/$1") >"$copy/log" 2>&1
}

# folders_of FILE: print patterns for the tests of FILE
folders_of() {
	case $1 in
	../tools/*) echo 'unit/vcpc_|unit/tools_|fail/tools' ;;
	base/*) echo 'unit/base_|unit/archive_|pcp/|fail/' ;;
	archive/*) echo 'unit/archive_|archive/|pcp/|fail/' ;;
	pdu/*) echo 'pcp/|fail/contexts' ;;
	pcp/*) echo 'unit/pcp_|pcp/|fail/|misuse/' ;;
	live/*) echo 'unit/live_|unit/shim_|pcp/local|fail/contexts' ;;
	core/*) echo 'unit/core_|unit/cpc_|unit/aix_|unit/shim_|unit/trace_|cpc/|fail/counters' ;;
	*) echo "unit/${1%%/*}_|${1%%/*}/|fail/|misuse/" ;;
	esac
}

# in_vm FILE: print the tests of FILE to run in the VM
in_vm() {
	case $1 in
	core/bpf* | core/counted.c | live/* | pcp/local* | shim/trace* | shim/record*)
		echo 'bpf/onoff bpf/local bpf/processes bpf/counted bpf/percentiles tools/record_trace.sh tools/top.sh' ;;
	trace/*) echo 'bpf/ways bpf/onoff trace' ;;
	core/* | shim/*) echo 'shim cpc tools/stat.sh tools/record.sh' ;;
	aix/* | cpc/*) echo "${1%%/*}" ;;
	esac
}

# Run each test without a change: list those that pass quickly, with milliseconds, fastest first.
measure() {
	(cd "$copy/selftests" && ls unit/*.c pcp/*.c archive/*.c trace/*.c cpc/pctx.c fail/*.c misuse/*.c
	 [ -n "$san" ] || ls unit/vcpc_*.sh fail/tools.sh) | sed 's/\.c$//' |
		grep -vE '^unit/vcpc_' |
	while read -r name; do
		compile_test "$name" || continue
		from=$(date +%s%N)
		run "$name" $((limit * slower)) && echo "$((($(date +%s%N) - from) / 1000000)) $name"
	done | sort -n >"$copy/quick$san"
}

# ready: check that the list exists and that the library is built
ready() {
	[ -n "${MUTANTS_AGAIN:-}" ] && [ -s "$copy/quick$san" ] && return
	[ ! -e "$copy/quick$san.new" ] || return 0
	measure
	touch "$copy/quick$san.new"
}

# caught FILE: print the test that failed
caught() {
	grep -E " ($(folders_of "$1"))" "$copy/quick$san" | while read -r _ name; do
		compile_test "$name" || { echo "$name (does not link)"; break; }
		run "$name" $((limit * slower * 6)) || { echo "$name"; break; }
	done
}

# caught_in_vm FILE: print the test that failed in the VM
caught_in_vm() {
	programs=$(in_vm "$1")
	[ -n "${MUTANTS_VM:-}" ] && [ -n "$programs" ] || return
	# shellcheck disable=SC2086
	make -s -C "$copy" ARCH=x86_64 module lib tools >"$copy/log" 2>&1 &&
		make -s -C "$copy" ARCH=x86_64 tests TESTS="$(printf '%s\n' $programs | sed 's,/.*,,' | sort -u | tr '\n' ' ')" >>"$copy/log" 2>&1 || return
	rm -f "$copy/results"
	# shellcheck disable=SC2086
	RECORDED='' "$copy/selftests/vm/test.sh" x86_64 "$copy/build/x86_64" "$copy/results" $programs >>"$copy/log" 2>&1
	awk '$1 == "fail" { print "VM: " $3; exit }' "$copy/results"
}

# caught_by FILE: print the test that failed, natively or in the VM
caught_by() {
	plainly
	by=$(caught "$1")
	if [ -z "$by" ] && [ -z "${MUTANTS_PLAIN:-}" ]; then
		cp "$copy/user/$1" "$copy/changed"
		cp "$copy/original" "$copy/user/$1"
		sanitized
		compile && ready
		cp "$copy/changed" "$copy/user/$1"
		compile && by=$(caught "$1")
		by=${by:+"$by, sanitized"}
		plainly
	fi
	[ -n "$by" ] || by=$(caught_in_vm "$1")
	echo "$by"
}

# try FILE: print one line of the table
try() {
	cp -p "$copy/user/$1" "$copy/original"
	for again in 0 1 2 3 4; do
		awk -v seed=$((seed * 1009 + again)) -v errors="${MUTANTS_ERRORS:-}" -f "$here/mutate.awk" "$copy/original" \
			>"$copy/user/$1" 2>"$copy/what" || break
		! compile || break
		: >"$copy/what"		# does not compile: try another change
	done
	change=$(cat "$copy/what")
	what="$1:$change"
	if [ ! -s "$copy/what" ]; then
		echo "none $1"
	elif grep -qxF "$1: ${change#*: }" "$known" 2>/dev/null; then
		echo "equivalent $what"
	else
		by=$(caught_by "$1")
		echo "${by:-SURVIVED} $what"
	fi
	cp "$copy/original" "$copy/user/$1"
}

# files: print the files to change, in an order that depends on the seed
files() {
	if [ -n "${MUTANTS_FILES:-}" ]; then
		echo "$MUTANTS_FILES" | tr ' ' '\n'
		return
	fi
	(cd "$copy/user" && ls base/*.c core/*.c archive/*.c live/*.c pdu/*.c pcp/*.c cpc/*.c aix/*.c trace/*.c shim/*.c) |
	while read -r file; do
		echo "$(echo "$seed $file" | cksum | cut -d ' ' -f 1) $file"
	done | sort -n | cut -d ' ' -f 2
}

plainly
if ! copy_tree || ! compile; then
	cat "$copy/log"
	exit 1
fi
rm -f "$copy"/quick*.new
ready
echo "$(wc -l <"$copy/quick") tests pass within $limit s without a change"
: >"$table"
files | head -n "$count" | while read -r file; do
	try "$file" | tee -a "$table"
done
survived=$(grep -c '^SURVIVED' "$table")
echo "seed $seed: $(wc -l <"$table") mutants, $survived survived, $(grep -c ^equivalent "$table") equivalent"
[ "$survived" -eq 0 ]
