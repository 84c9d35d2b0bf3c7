#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run the commands while system calls fail.  Each run must have the same result as without the
# failure, or a non-zero exit status and a message.  Archives that a recorder leaves must be
# readable.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/fail/shared/commands.sh
. "$here/shared/commands.sh"
export TZ=UTC PCP_DERIVED_CONFIG='' LC_ALL=C
vcpc=$build/bin/vcpc inject=$build/lib/libinject.so
evidence="$dir/wrong" learning='counts counts_events keeps_link records records_cpus'
cd "$dir" || exit 1
[ -e "$inject" ] || { echo "1..0 # SKIP no $inject"; exit 4; }

# left ARCHIVE.meta...: check that these archives, if they exist, are undamaged and readable by our
# tools and PCP's
left() {
	for meta in "$@"; do
		[ -e "$meta" ] || continue
		a=${meta%.meta}
		# Ignore an archive if the recorder was killed before the first file was complete.
		[ -s "$meta" ] && { [ -s "$a.0" ] || [ -s "$a.0.xz" ]; } || continue
		"$vcpc" replay "$a" >/dev/null 2>said || return 1
		! command -v pmdumplog >/dev/null || pmdumplog "$a" >/dev/null 2>said || return 1
	done
}

# Judge a check: if it could not run, it must print an error instead of a result.  EACCES is a valid
# result for this user.
checks() {
	cmp -s out "$name.out" || said || grep -q -e ' unknown: ' -e ' cannot count: ' -e '(2).*: Too many' out ||
		[ "${how%%:*}" = open-EACCES ] || wrong "another answer"
}

# Judge a list of events: a list of all known ones is a valid result for a user without permission.
lists() {
	[ "${how%%:*}" = open-EACCES ] && grep -q 'all known names are listed: Permission denied' err || reads
}

# Judge the resources and events that hpmcount prints, but not their numbers.
counts_events() {
	sed 's/[0-9][0-9.]*//g; s/ *$//; s/  */ /g' out >events
	[ "$how" != none:0 ] || cp events normal
	if [ "$status" = "$expected" ] && cmp -s events normal; then return; fi
	said || wrong "no error, and other events"
}

# Judge counts of a control group on all CPUs during 30 ms.  The "cpu-clock" of the root group is
# the time of all CPUs, so the sum shows whether a CPU is missing.
counts() {
	sum=$(awk -F , '$3 == "cpu-clock" && $5 == "100.00" { print int($1) }' rec.group 2>said)
	normal=$((30 * $(getconf _NPROCESSORS_ONLN)))
	if [ "$status" = "$expected" ] && [ "${sum:-0}" -gt 0 ] && [ "$sum" -ge $((normal * 7 / 10)) ]; then return; fi
	said || wrong "$sum ms, not $normal, and no error"
}

# Judge a command that writes a page through the symbolic link "link".
keeps_link() {
	[ "$how" != none:0 ] || cp linked normal
	[ -L link ] || wrong "the link was replaced by a file"
	ln -sf linked link
	if [ "$status" = "$expected" ] && cmp -s linked normal; then return; fi
	said || wrong "no error, and another page"
}

# cpus_of: print the CPUs in each record of "rec"
cpus_of() {
	"$vcpc" dump rec 2>said | awk '/^[0-9][0-9]:/ { if (n) print cpus; cpus = ""; n++ }
		/cpu_clock/ { sub(/:.*/, ""); cpus = cpus " " $1 } END { if (n) print cpus }' | sort -u
}

# Judge a recorder whose records must all contain the same CPUs.
records_cpus() {
	[ "$how" != none:0 ] || normal=$(cpus_of)
	records
	[ "$status" != 0 ] || [ "$(cpus_of)" = "$normal" ] || wrong "success, and records of $(cpus_of), not $normal"
}

records() {
	labels=$("$vcpc" dump --all rec 2>said | grep -c '"cpu"')
	[ "$how" != none:0 ] || normal_labels=$labels
	left rec/*.meta rec.meta || wrong "what is left cannot be read: $(head -n 1 said)"
	case $how in
	write-KILL*) [ "$status" = 0 ] || said || wrong "not killed" ;;
	*)	if [ "$status" = 0 ]; then
			"$vcpc" check rec >check 2>&1 || grep -q 'cannot remove an old archive in ' err ||
				wrong "success, and an archive that is not whole"
			! grep -v -e '^vcpc record: [0-9]* records* in ' -e 'cannot remove an old archive in ' \
				-e '--rotate: cannot start a new archive in ' -e "^vcpc record: check the file's permissions" \
				-e ' has ended$' -e ' will not name the processor: ' err >said ||
				wrong "success, and a message of a failure"
			[ "$labels" -ge "$normal_labels" ] || grep -q ' will not name the processor: ' err ||
				wrong "success, and no label of the processor"
		else
			said || wrong "no message"
		fi ;;
	esac
}

"$vcpc" record -e page-faults,context-switches -I 20ms -o a -- sleep 0.3 2>/dev/null &&
	"$vcpc" record -e page-faults,context-switches -I 20ms -o b -- sleep 0.2 2>/dev/null
result "two archives to read"
cc -I"$here/../../user/include" -o make_tags "$here/peer/tags.c" -L"$build/lib" -Wl,-rpath,"$(cd "$build/lib" && pwd)" -lshim 2>err &&
	./make_tags tags 2>err
result "an archive with transactions"
for file in meta 0; do cp a.$file cut.$file; done
head -c -5 a.index >cut.index

sweep dump reads "$vcpc" dump --all a
sweep absent reads "$vcpc" dump absent
sweep check reads "$vcpc" check a
sweep damaged reads "$vcpc" dump cut
sweep doctor checks "$vcpc" doctor
sweep events lists "$vcpc" events page
sweep label reads "$vcpc" label a
sweep summary reads "$vcpc" summary a
sweep replay reads "$vcpc" replay a
sweep report reads "$vcpc" report a -o -
! "$vcpc" report a --folded . -o page 2>err && grep -q 'cannot read the stacks in \.: Is a directory' err
result "stacks that cannot be read are reported"
ln -s linked link
sweep linked keeps_link "$vcpc" report a -o link
sweep compare reads "$vcpc" compare a b
sweep metric reads "$vcpc" replay a vcpc.count.page_faults
sweep instance reads "$vcpc" replay a -i absent,other vcpc.count.page_faults
sweep tags reads "$vcpc" report tags -o -
echo '1 PM_PAGE_FAULTS' >libHPM_events
sweep hpmcount counts_events "$build/bin/hpmcount" true
rm libHPM_events
# Create links and another user's files that have names like the recorder's.
mkdir keep precious
for name in 20200101T000000-000Z 20200102T000000-000Z; do
	for file in meta index 0; do echo mine >precious/$name.$file; done
done
for file in meta index 0; do
	ln -s ../precious/20200101T000000-000Z.$file keep/
	ln precious/20200102T000000-000Z.$file keep/
	"$vcpc" record -e page-faults -I 20ms -o "foreign$file" -- true 2>/dev/null
	cp foreign$file.$file keep/20200103T000000-000Z.$file
	[ "$(id -u)" != 0 ] || chown 65534 keep/20200103T000000-000Z.$file
done
find keep precious -type f -o -type l | sort >before
[ "$(id -u)" = 0 ] || sed -i /20200103/d before
"$vcpc" record -e page-faults -I 5ms --rotate 4K --keep 2 -o keep -- sleep 0.2 2>err &&
	find keep precious -type f -o -type l | sort >after && [ -z "$(comm -23 before after)" ] &&
	[ "$(find keep -name '202[1-9]*.meta' | wc -l)" = 2 ]
result "--rotate --keep leaves links and another user's files alone"

# whole TEXT: check that the recorder failed with this message, and that the archives contain all
# records that it reported
whole() {
	[ "$status" = 1 ] && grep -q "cannot write rec.*: $1" err || return 1
	records=$(sed -n 's/^vcpc record: \([0-9]*\) records* in .*/\1/p' err)
	[ "${records:-0}" -gt 0 ] || return 1
	there=0
	for meta in rec.meta rec/*.meta; do
		[ -s "$meta" ] || continue
		"$vcpc" check "${meta%.meta}" >>err 2>&1 || return 1
		there=$((there + $("$vcpc" dump "${meta%.meta}" 2>>err | grep -c '^[0-9][0-9]:')))
	done
	[ "$there" = "$records" ] && left rec.meta rec/*.meta
}

# bounded COMMAND...: run a recorder whose files are limited to 8 kB
bounded() {
	rm -rf rec rec.*
	status=0
	(ulimit -f 16 && exec "$vcpc" record -e page-faults -I 1ms "$@") >out 2>err || status=$?
}

evidence=err
bounded -o rec -- sleep 1
whole 'File too large'
result "ulimit -f: a recorder reports the file, and the archive is whole"
bounded --rotate 64K -o rec -- sleep 1
whole 'File too large' && grep -q 'cannot write rec/20' err
result "ulimit -f, --rotate: a recorder reports the file, and the archive is whole"
bounded -o rec -- sh -c 'exec dd if=/dev/zero of=rec.big bs=4096 count=8'
[ "$status" = 153 ] && "$vcpc" check rec >>err 2>&1
result "ulimit -f: SIGXFSZ still ends a command that is recorded"
if unshare -rm true 2>/dev/null; then
	for more in '' '--rotate 64K' --compress; do
		rm -rf rec rec.* small
		mkdir small
		# shellcheck disable=SC2016
		unshare -rm sh -c 'mount -t tmpfs -o size=28k tmpfs small && cd small && { status=0
			$1 record $2 -e page-faults -I 1ms -o rec -- sleep 1 >../out 2>../err || status=$?
			cd .. && cp -a small/rec* . && exit $status; }' sh "$vcpc" "$more"
		status=$?
		whole 'No space left on device'
		result "full disk${more:+, $more}: a recorder reports the file, and the archive is whole"
	done
	mkdir -p small
	status=0
	# shellcheck disable=SC2016
	unshare -rm sh -c 'mount -t tmpfs -o size=8k tmpfs small && cd small && { status=0
		"$1" stat -o page -x , -I 1 -e page-faults -- sleep 0.5 2>../err || status=$?
		[ -z "$(ls)" ] && exit $status; }' sh "$vcpc" || status=$?
	[ "$status" = 1 ] && grep -q "cannot write 'page': No space left on device" err
	result "full disk: an output that is written at intervals is reported and removed"
else
	skip "full disk: a recorder reports the file" "no name space of its own for a small file system"
fi
evidence=$dir/wrong

rm -rf rec.*
fails timer-EMFILE:1 "$vcpc" record -e page-faults -I 10ms -o rec -- sleep 0.05
[ "$status" = 1 ] && grep -q 'cannot create a timer' err && left rec.meta
result "a record without a timer for its interval is a failure"
rm -rf rec.*
timeout -s KILL 60 env --ignore-signal=CHLD "$vcpc" record -e page-faults -o rec -- \
	grep 'SigIgn.*[13579bdf]....$' /proc/self/status >out 2>err && left rec.meta
result "SIGCHLD is ignored: the exit status is found, and the command still ignores it"
sweep record records "$vcpc" record -e page-faults -I 10ms -o rec -- sleep 0.05
sweep rotate records "$vcpc" record -e page-faults -I 2ms --rotate 4K --keep 2 -o rec -- sleep 0.08
# The other recorders mostly make the same calls.
[ -n "${FAIL_POINTS:-}" ] || FAIL_POINTS=2
sleep 1000 &
target=$!
sweep process records "$vcpc" record -p $target -e page-faults -I 10ms -o rec --for 50ms
sleep 1000 &
other=$!
# Only in the second process, failures make the record incomplete instead of empty.
all_ways=$ways some=$FAIL_POINTS ways=open-EMFILE FAIL_POINTS=0
sweep processes records_cpus "$vcpc" record -p $target,$other -e cpu-clock -I 10ms -o rec --for 50ms
ways=$all_ways FAIL_POINTS=$some
kill $target $other
sweep compress records "$vcpc" record --compress -e page-faults -I 10ms -o rec -- sleep 0.05
if "$vcpc" stat -a -G / -e cpu-clock --for 1ms 2>err; then
	sweep group counts "$vcpc" stat -a -G / -e cpu-clock -x , -o rec.group --for 30ms
	sweep record_group records_cpus "$vcpc" record -a -G / -e cpu-clock -I 10ms -o rec --for 50ms
else
	skip "counts of a control group" "control groups cannot be counted here: $(cat err)"
fi
done_testing
