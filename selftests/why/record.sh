#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# vcpc record --why writes the parts of the time to each archive, and the stacks to a file next to
# it.  The parts add up to the total time.
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
trap 'vcpc trace off 2>/dev/null; umount "$dir/s" 2>/dev/null; rm -rf "$dir"' EXIT
evidence="$dir/err $dir/out $dir/values"

record() {
	vcpc record "$@" >"$dir/out" 2>"$dir/err"
}

# last ARCHIVE METRIC TAG: print the tag's value in the archive's last record
last() {
	vcpc replay "$dir/$1" -m back -r "$2[$3]" 2>>"$dir/err" | awk '$1 ~ /^[0-9][0-9]:/ && $2 != "-" { print $2; exit }'
}

if [ ! -e /sys/kernel/btf/vmlinux ]; then
	record --trace --why -o "$dir/a" orders 150
	[ $? = 1 ] && grep -q 'no BTF' "$dir/err" && [ ! -e "$dir/a.meta" ]
	result "a kernel without BTF"
	done_testing
fi

record --why -o "$dir/a" orders 150
[ $? = 1 ] && grep -q 'add --trace' "$dir/err" && [ ! -e "$dir/a.meta" ]
result "without tracing"
# busybox's setpriv does not drop capabilities.
if setpriv --version 2>/dev/null | grep -q util-linux; then
	vcpc trace on >"$dir/out" 2>"$dir/err" && setpriv --bounding-set -sys_admin vcpc record --why -o "$dir/a" orders >"$dir/out" 2>"$dir/err"
	[ $? = 1 ] && grep -q CAP_SYS_ADMIN "$dir/err" && [ ! -e "$dir/a.meta" ]
	result "without CAP_SYS_ADMIN"
	vcpc trace off
fi
# Another process has opened 'why' before, and ends earlier, so its statistics differ.
vcpc why --no-stacks --for 100s >"$dir/values" 2>&1 &
other=$!
for _ in $(seq 100); do
	! bpftool prog list | grep -qE "vw_(on_end|probe_event)" || break
	sleep 0.2
done
orders 150 >"$dir/out" && record --trace --why -o "$dir/o" -I 50ms -e page-faults orders 150
kill $other
wait
[ "$(last o vcpc.transact.time.count batch)" = 150 ]
result "the parts are the same as those of the recorder's own handle"
touch "$dir/a.folded"
record --trace --why -o "$dir/a" orders 150
[ $? = 1 ] && grep -q 'cannot write the stacks' "$dir/err" && [ ! -e "$dir/a.meta" ] && rm "$dir/a.folded"
result "an existing file is not overwritten"
record --trace --why -o "$dir/a" -I 50ms -e page-faults orders 150
result "orders is recorded"
[ "$(last a vcpc.transact.time.count batch)" = 150 ]
result "all 150 batches were watched"
# Two programs read their clocks one after the other, and a busy host can pause an emulated CPU in
# between.  Therefore each transaction has its own tag, and most of them must match.  The tags must
# exist before: a new tag would keep the first program busy before the second one reads its clock.
vcpc trace on >"$dir/out" 2>"$dir/err"
for i in 1 2 3 4 5 6 7 8 9 10; do
	pmtrace -q -e true long$i
done
# shellcheck disable=SC2016
record --why -o "$dir/l" -I 50ms -e page-faults sh -c 'for i in 1 2 3 4 5 6 7 8 9 10; do pmtrace -q -e "sleep 0.05" long$i; done' &&
	vcpc replay "$dir/l" -m back -c -r trace.transact.total_time vcpc.transact.time.oncpu vcpc.transact.time.runqueue \
		vcpc.transact.time.blocked >"$dir/values" 2>>"$dir/err"
awk -F, 'NR == 1 { for (i = 2; i <= NF; i++) name[i] = $i; next }
	{
		for (i = 2; i <= NF; i++) {
			if (value[i] == "")
				value[i] = $i
			if ($i != "")
				first[i] = $i
		}
	}
	END {
		for (i in name) {
			tag = name[i]
			sub(/^[^[]*\[/, "", tag)
			sub(/\].*/, "", tag)
			if (name[i] ~ /total_time/)
				total[tag] = value[i] - first[i]
			else
				parts[tag] += value[i] / 1e9
		}
		for (tag in total) {
			tags++
			good += total[tag] >= 0.05 && parts[tag] > 0.99 * total[tag] && parts[tag] < 1.01 * total[tag]
		}
		print "tags:", tags, "good:", good
		exit !(tags == 10 && good >= 7)
	}' "$dir/values" >"$dir/out"
result "the parts add up to the transactions' time within 1 %"
vcpc trace off
[ -s "$dir/a.folded" ] && grep -q '^batch;' "$dir/a.folded" && ! grep -qv '^[^;]*;.* [0-9][0-9]* [0-9][0-9]*$' "$dir/a.folded"
result "the stacks are next to the archive"
vcpc compare "$dir/a" "$dir/a" >"$dir/out" 2>"$dir/err" && grep -q oncpu "$dir/out" && grep -q blocked "$dir/out"
result "compare prints the parts"
vcpc report "$dir/a" -o "$dir/a.html" >"$dir/out" 2>"$dir/err" && grep -q 'oncpu each' "$dir/a.html" && grep -q '"stacks":\["' "$dir/a.html"
result "so does the report, with the stacks"
# Use each tag until an archive that contains its stacks is complete.
# shellcheck disable=SC2016
phases='for tag in first second third; do
		tries=0
		until grep -qs "^$tag;wait4" "$0"/*.folded || [ $tries = 100 ]; do
			tries=$((tries + 1))
			pmtrace -q -e "sleep 0.1" $tag
		done
	done'
record --trace --why --rotate 1s -o "$dir/r" -I 50ms -e page-faults sh -c "$phases" "$dir/r" &&
	vcpc replay "$dir/r" -r 'vcpc.transact.time.blocked[second]' >"$dir/out" 2>>"$dir/err" && grep -q '[0-9]' "$dir/out" && [ ! -e "$dir/r.folded" ]
result "a directory of archives has the parts"
each=yes
for meta in "$dir/r"/*.meta; do
	[ -e "${meta%.meta}.folded" ] || each=no
done
oldest=$(grep -ls '^first;' "$dir/r"/*.folded | head -n 1) newest=$(grep -ls '^third;' "$dir/r"/*.folded | tail -n 1)
[ -n "$oldest" ] && [ -n "$newest" ] && ! grep -q '^third;' "$oldest" && ! grep -q '^first;' "$newest" &&
	[ $each = yes ] &&
	vcpc report "${oldest%.folded}" -o "$dir/r.html" >"$dir/out" 2>"$dir/err" && grep -q '"stacks":\["first;' "$dir/r.html"
result "each archive has the stacks of its own time, and the report shows them"
mkdir "$dir/k" && touch "$dir/k/mine.folded" "$dir/k/20200101T000000-000Z.folded"
# shellcheck disable=SC2016
record --trace --why --rotate 1s --keep 2 -o "$dir/k" -I 50ms -e page-faults \
	sh -c 'first=$(ls "$0"/*.meta); while [ -e "$first" ]; do pmtrace -q -e "sleep 0.1" kept; done' "$dir/k" &&
	ls "$dir/k" >"$dir/out" && [ "$(grep -c '\.meta$' "$dir/out")" = 2 ] && [ "$(grep -c '\.folded$' "$dir/out")" = 4 ] && [ -e "$dir/k/mine.folded" ] && [ -e "$dir/k/20200101T000000-000Z.folded" ]
result "--keep removes the stacks of the archives that it removes, and no others"
# There is space for the directory and two archives, but not for stacks.
mkdir "$dir/s"
if mount -t tmpfs -o nr_inodes=8 tmpfs "$dir/s" 2>"$dir/err"; then
	# shellcheck disable=SC2016
	record --trace --why --rotate 1s -o "$dir/s/r" -I 50ms -e page-faults \
		sh -c 'while [ "$(ls "$0"/*.meta | wc -l)" -lt 2 ]; do pmtrace -q -e "sleep 0.1" full; done' "$dir/s/r"
	[ $? = 1 ] && grep -q 'cannot write the stacks to .*: No space left' "$dir/err" && [ "$(ls "$dir/s/r"/*.folded 2>/dev/null)" = '' ] &&
		vcpc check "$dir/s/r" >"$dir/out" 2>>"$dir/err"
	result "a full disk: the archives are complete, and the exit status is 1"
	umount "$dir/s"
else
	skip "a full disk" "no permission to mount"
fi
done_testing
