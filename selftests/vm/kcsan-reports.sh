#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Print each data race that KCSAN has reported in a kernel log once, with the number of reports and
# the lines of the module's source.
#
# usage: kcsan-reports.sh DMESG MODULE
#
# Reports in which neither stack contains the module are only counted.  MODULE must be built with
# -g.
set -eu

log=${1:?usage: kcsan-reports.sh DMESG MODULE} module=$2
if [ "$(uname -m)" = aarch64 ]; then tool=; else tool=aarch64-linux-gnu-; fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A report is enclosed by two lines of "=".  Reports with the same frames are combined.
tr -d '\r' <"$log" | sed 's/^\[[^]]*\] //' | awk -v work="$work" '
	/^==================================================================$/ {
		if (inside && title != "") {
			if (text !~ /\[vcpc\]/)
				elsewhere++
			else if (!(frames in number)) {
				number[frames] = ++n
				texts[n] = text
			}
			if (frames in number)
				times[number[frames]]++
		}
		inside = !inside
		title = frames = text = ""
		next
	}
	# Start again if another report interrupts a line.
	/^BUG: KCSAN: / { inside = 1; title = $0; frames = text = "" }
	inside { text = text $0 "\n" }
	inside && /^ [a-zA-Z_].*\+0x/ { frames = frames $1 " " }
	END {
		for (i = 1; i <= n; i++)
			printf "%d times: %s\n", times[i], texts[i]
		printf "%d reports with the module in a stack, of %d kinds; %d without\n", total(), n, elsewhere
	}
	function total(  i, sum) {
		for (i in times) sum += times[i]
		return sum + 0
	}' >"$work/reports"

# For NAME+0xOFFSET/0xSIZE [vcpc], find the source line.
"${tool}nm" "$module" | awk '$2 == "t" || $2 == "T" { print $3, $1 }' >"$work/symbols"
while IFS= read -r line; do
	printf '%s' "$line"
	case $line in
	" "*+0x*"[vcpc]"*)
		name=${line#" "} name=${name%%+*}
		offset=${line#*+} offset=${offset%%/*}
		at=$(sed -n "s/^$name //p" "$work/symbols" | head -n 1)
		[ -z "$at" ] || printf '  %s' "$("${tool}addr2line" -i -e "$module" -j .text "$(printf '0x%x' $((0x$at + offset)))" | sed 's|.*/||' | tr '\n' ' ')"
		;;
	esac
	echo
done <"$work/reports"
