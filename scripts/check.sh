#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run all style and structure checks: print a line for each, and fail at the end if any failed.
# With RESULTS in the environment, record the results there like selftests/run-tests.sh.
#
# usage: check.sh BUILD [fast]
set -u
build=${1:?usage: check.sh BUILD [fast]}
fast=${2:-}
cd "$(dirname "$0")/.." || exit
ksrc=${KSRC:-${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/ksrc}
case $build in *x86_64) other=arm64 ;; *) other=x86_64 ;; esac
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# step NAME COMMAND...: run a check and show its output only if it fails
step() {
	name=$1
	shift
	if "$@" >"$log" 2>&1; then
		echo "  ok      $name"
		word=pass
	else
		echo "  FAILED  $name"
		sed 's/^/    /' "$log"
		failed=$((failed + 1))
		word=fail
	fi
	[ -z "${RESULTS:-}" ] || echo "$word source check $name" >>"$RESULTS"
}

# skip NAME REASON: report a check whose tool is not installed
skip() {
	echo "  skipped $1 ($2)"
	[ -z "${RESULTS:-}" ] || echo "skip source check $1: $2" >>"$RESULTS"
}

# checked TYPES-TO-IGNORE FILE...
checked() {
	ignore=$1
	shift
	perl "$ksrc/scripts/checkpatch.pl" --strict --no-tree --terse --no-summary --max-line-length=100 \
		${ignore:+--ignore "$ignore"} -f "$@"
}

# checkpatch misreads the macros of tracepoints.
checkpatch() {
	bad=0
	for file in $(git ls-files 'kmod/*.[ch]' 'include/uapi/*.h'); do
		case $file in
		kmod/trace/events.h) checked OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT,COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON,SPACING "$file" || bad=1 ;;
		*) checked '' "$file" || bad=1 ;;
		esac
	done
	return $bad
}

sparse() {
	rm -f "$build"/module/kmod/*.o "$build"/module/kmod/*/*.o
	make ARCH="$(uname -m | sed 's/aarch64/arm64/')" KMAKEFLAGS=C=2 module >"$log.sparse" 2>&1 || { cat "$log.sparse"; return 1; }
	! grep -E 'kmod/.*(warning|error):' "$log.sparse"
}

# Compile files that only make fuzz-kernel builds.
fuzzer() {
	for file in selftests/fuzz/kernel/*.c; do
		gcc -std=gnu11 -D_GNU_SOURCE -O1 -Wall -Wextra -Werror -fsyntax-only -Iinclude/uapi -Iselftests/harness "$file" || return
	done
}

# Check that each header includes the headers that it needs: compile a program that includes only this header.
headers() {
	bad=0
	for file in $(git ls-files 'user/*.h' 'selftests/*.h'); do
		case $file in
		# Skip public headers, which have separate tests; the kernel's two headers; and headers that need
		# LTTng or a function of their user.
		user/include/*|selftests/vm/pmu/*|selftests/bench/*|selftests/harness/kselftest_harness.h|selftests/bpf/inside.h) continue ;;
		esac
		echo "#include \"$file\"" | gcc -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused -Werror -fsyntax-only -x c \
			-I. -Iuser/include -Iuser -Iinclude/uapi -Iselftests/harness \
			-isystem "$ksrc/tools/testing/selftests" - || bad=1
	done
	return $bad
}

scripts_of() {
	git ls-files -z | xargs -0 awk 'FNR == 1 && /^#!.*[\/ ](da|ba)?sh( |$)/ { print FILENAME } { nextfile }'
}

# Skip scripts that passed before, because shellcheck takes longer than all other checks.  The cache
# has a file for each: the hash of the script and of all files that it may source, which are not
# executable.
shellchecks() {
	passed=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/shellcheck
	mkdir -p "$passed" || return
	find "$passed" -type f -mtime +30 -delete
	sourced=$({
		shellcheck --version
		git ls-files '*.sh' '*.bash' | while read -r file; do [ -x "$file" ] || cat "$file"; done
	} | sha256sum)
	bad=0
	for file in $(scripts_of); do
		hash=$({ echo "$sourced $file"; cat "$file"; } | sha256sum)
		[ ! -e "$passed/${hash%% *}" ] || continue
		if shellcheck -x -P SCRIPTDIR -S warning "$file"; then : >"$passed/${hash%% *}"; else bad=1; fi
	done
	return $bad
}

step "layers: include rules" scripts/check-layers.sh
step "docs: manual pages, kernel-doc, licenses" scripts/check-docs.sh
step "commits: subject and body of each new commit" scripts/commit-msg --new
step "names: no tag or function is defined twice" scripts/check-names.sh
step "words: plain English in documentation, messages and comments" scripts/check-words.sh
if scripts/docs.sh --check 2>/dev/null; then
	step "docs: the site, by Sphinx" scripts/docs.sh "$build/docs"
else
	skip "docs: the site, by Sphinx" "Sphinx, furo or mandoc is not installed: scripts/setup.sh docs"
fi
step "shellcheck" shellchecks
step "fuzzer of the module: compiles" fuzzer
step "headers: each includes what it needs" headers
step "checkpatch --strict: kmod, uapi" checkpatch
if [ -z "$fast" ]; then
	step "symbols: library, map and headers agree" scripts/check-symbols.sh "$build"
	if command -v abidiff >/dev/null; then
		step "ABI: functions and public types match user/abi" scripts/check-abi.sh "$build" "${build%/*}/$other"
	else
		skip "ABI: functions and public types match user/abi" "abigail-tools is not installed: scripts/setup.sh peers"
	fi
	step "order: files of kmod call only files listed before them" scripts/check-order.sh "$build"
	step "sparse: kmod" sparse
fi
rm -f "$log.sparse"
exit $failed
