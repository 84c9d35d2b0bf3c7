# shellcheck shell=sh disable=SC2034,SC2154
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by tests of commands: run a command once for each system call that can fail in it.
#
# The test has sourced tap.sh, is in its scratch directory, and has set "inject", the library to preload.
#
# FAIL_POINTS: how many failures in each way, spread evenly; 0 for all; default: see points()
# FAIL_SECONDS: time until a run is considered to hang
# FAIL_WAYS: the ways to fail; default: all

ways=${FAIL_WAYS:-'memory open-EMFILE open-EACCES map-ENOMEM read-short read-EINTR read-EIO write-short write-EINTR write-ENOSPC
	write-EDQUOT write-EIO write-KILL write-TERM ioctl-EIO perf-EMFILE thread-EAGAIN stat-EIO change-EIO
	entry-EIO line-EIO bpf-ENOMEM bpf-EPERM socket-EMFILE network-ENOBUFS'}
[ -z "${FAIL_POINTS:-}" ] || [ -n "${FAIL_WAYS:-}" ] || ways="$ways bpf-ENOSPC bpf-E2BIG"

# fails WAY:N COMMAND...: run the command with the N-th call of that kind failing.  Set "status",
# and write the numbers of calls to "count".
fails() {
	rm -f count
	status=0
	how=$1
	shift
	timeout "${FAIL_SECONDS:-5}" env INJECT="$how" INJECT_COUNT="$dir/count" LD_PRELOAD="$inject" "$@" >out 2>err || status=$?
}

# points: print "WAY N" for each call to fail: in each way FAIL_POINTS calls, evenly spread over the
# largest number of calls that a process made in the run without a failure.  Different ways fail
# different calls of the same kind.  If FAIL_POINTS is not set, the first call with each chain of
# callers also fails, in every way.
points() {
	awk -v ways="$ways" -v most="${FAIL_POINTS-2}" -v every="${FAIL_POINTS-yes}" '
		function fail(way, n) {
			if (!fails[way, n]++)
				points[way] = points[way] way " " n "\n"
		}
		{
			calls[$1] = $2 > calls[$1] ? $2 : calls[$1]
			for (i = 3; every == "yes" && i <= NF; i++)
				fail($1, $i)
		}
		END {
			n = split(ways, all)
			for (i = 1; i <= n; i++) {
				split(all[i], kind, "-")
				kinds[i] = kind[1]
				same[kind[1]]++
			}
			for (i = 1; i <= n; i++) {
				way = all[i]
				runs = most && most < calls[way] ? most : calls[way]
				for (j = 0; j < runs; j++)
					fail(way, 1 + int((j + earlier[kinds[i]] / same[kinds[i]]) * calls[way] / runs))
				earlier[kinds[i]]++
				printf "%s", points[way]
			}
		}' normal.count
}

wrong() {
	echo "$name $how: $1; status $status: $(tail -n 1 err)" >>wrong
}

# killed: check whether the failure was a signal, which ended the command
killed() {
	case $how in write-KILL*) [ "$status" = 137 ] ;; write-TERM*) [ "$status" = 143 ] ;; *) false ;; esac
}

# Check whether the run printed an error, or was ended by the failure
said() {
	killed || { [ "$status" -ne 0 ] && [ "$status" -lt 128 ] && [ "$status" -ne 124 ] && [ -s err ]; }
}

# Judge a command whose output is the same in every run.
reads() {
	! grep -q %s err || wrong "a message without its names"
	if [ "$status" = "$expected" ] && cmp -s out "$name.out"; then return; fi
	said || wrong "no error, and another result"
}

# Prepare a run; a test can define another function.
prepare() {
	rm -rf rec rec.*
}

# sweep NAME JUDGE COMMAND...: run the command with each failure, and report one test.  Judges in
# "learning" also see the run without a failure.
sweep() {
	name=$1 judge=$2 runs=0 failed=0
	shift 2
	rm -f wrong
	prepare
	fails none:0 "$@"
	mv count normal.count 2>/dev/null || : >normal.count
	cp out "$name.out"
	expected=$status
	case " ${learning:-} " in *" $judge "*) $judge ;; esac
	points >points
	# The command may read its standard input, so use another descriptor.
	while read -r way n <&3; do
		prepare
		fails "$way:$n" "$@" 3<&-
		runs=$((runs + 1))
		[ "$status" = "$expected" ] || failed=$((failed + 1))
		$judge
	done 3<points
	[ ! -e wrong ] && [ $runs -gt 0 ]
	result "$name: $runs failures, each without effect or reported ($failed with another status)"
}
