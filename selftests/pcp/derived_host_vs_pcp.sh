#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Programs that use derived metrics and fetch groups of a host, a private pmcd with PCP's sample
# agents, print the same output with libshim and with PCP's own library.
# shellcheck disable=SC2154
set -u

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck disable=SC2034
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
needs_pcp
collector_place "$@"
# shellcheck disable=SC2034
evidence="$dir/diff $dir/log/pmcd/pmcd.log"
export TZ=UTC

for program in derived fetchgroup; do
	cc_shim -w -o "$dir/${program}_shim" "$here/peer/$program.c" &&
		cc_pcp -w -o "$dir/${program}_pcp" "$here/peer/$program.c" || tap_failed=1
done
[ "$tap_failed" = 0 ] && make_collector
result "the programs are built, and a collector runs"
[ "$tap_failed" = 0 ] || done_testing

# play PROGRAM LINES: run the script on standard input with both libraries, each with a newly
# started collector.  Check that the output has more than LINES lines, and is the same except for
# times.
play() {
	cat >"$dir/script"
	for side in pcp shim; do
		start_collector || return 1
		timeout 60 "$dir/$1_$side" <"$dir/script" 2>&1 |
			sed -E 's/^(  (t )?)[0-9]{9,}\.[0-9]+( [0-9]+\.[0-9]+)?/\1/' >"$dir/$side"
	done
	# Stop the collector here, because in a pipeline this function runs in a subshell.
	stop_collector
	diff -a "$dir/pcp" "$dir/shim" >"$dir/diff" && [ "$(wc -l <"$dir/shim")" -gt "$2" ]
}

{
	echo 'host 127.0.0.1'
	awk '/^#/ || !NF { next }
		{ n++; print "R x" n " " $0; names = names " x" n; ask = ask "desc x" n "\n" }
		END { printf "%sfetch 3%s\n", ask, names }' <<-'END'
		sample.long.ten * sample.long.hundred
		sample.long.ten / sample.ulong.hundred
		sample.longlong.million + sample.ulonglong.million
		sample.float.one + sample.double.ten
		sample.bin
		sample.bin * 2
		sample.bin + sample.part_bin
		sample.bin[bin-300]
		matchinst(/bin-[3-5]/, sample.bin)
		matchinst(!/bin-[3-5]/, sample.bin)
		sum(sample.bin)
		avg(sample.bin)
		max(sample.bin) - min(sample.bin)
		count(sample.bin)
		scalar(sample.bin[bin-300])
		sample.bin > 400 ? sample.bin : sample.bin + 0 * sample.bin
		delta(sample.bin)
		rate(sample.long.ten)
		instant(sample.long.ten)
		sample.string.hullo
		sample.aggregate.hullo
		sample.event.type
		sample.bin + sample.colour
		sample.bin[nosuch]
		sample.nosuch
		count(sample.bad.unknown)
		sample.bad.unknown
		sample.bad.unknown + 1
		sample.needprofile
		defined(sample.long.ten) + defined(sample.nosuch)
		rescale(sample.longlong.million, "kbyte")
		mkconst(3, type=double, units="byte")
		1 + 2
	END
	cat <<-'END'
		A own.one sample.long.ten + 1
		A own.bad sample.nosuch
		A own.wrong sample.string.hullo + 1
		fetch 2 own.one sample.long.ten x1
		walk own
		names own.one
		text x1 1
		labels sample.long.ten
		only sample.bin 100 300
		fetch 2 x5 x11
		dup
		desc own.one
		desc x1
		use 0
		reconnect
		desc own.one
		fetch 2 x1
	END
} | play derived 200
result "derived metrics"
play fetchgroup 200 <<-'END'
	host|127.0.0.1
	stamp
	item|sample.long.ten|||0
	item|sample.long.ten||rate|5
	item|sample.longlong.million|||6
	item|sample.string.hullo|||6
	item|sample.bin|bin-300||2
	item|sample.bin|nosuch||2
	item|sample.bin|||2
	item|sample.nosuch|||2
	item|sample.bad.unknown|||2
	item|sample.aggregate.hullo|||2
	item|sample.mirage||kbyte/hour|5
	item|sample.needprofile||instant|5
	item|sample.double.bin|bin-500||6
	indom|sample.bin||0|20
	indom|sample.float.bin||6|20
	indom|sample.ulonglong.bin|rate|5|4
	indom|sample.long.ten||0|3
	derive|more|sample.long.ten * 2 + sum(sample.bin)
	item|more||instant|5
	nothing|sample.long.ten
	fetch|3
	clear
	item|sample.long.ten|||0
	fetch|1
END
result "fetch groups"
done_testing
