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

# points WAY: print the numbers of the calls to fail: FAIL_POINTS of them, evenly spread over the
# largest number of calls that a process made in the run without a failure.  Different ways fail
# different calls of the same kind.  If FAIL_POINTS is not set, the first call with each chain of
# callers also fails, in every way.
points() {
	awk -v way="$1" -v ways="$ways" -v most="${FAIL_POINTS-2}" -v every="${FAIL_POINTS-yes}" '
		$1 == way {
			calls = $2 > calls ? $2 : calls
			for (i = 3; every == "yes" && i <= NF; i++)
				if (!fails[$i]++)
					print $i
		}
		END {
			split(way, kind, "-")
			n = split(ways, all)
			for (i = 1; i <= n; i++) {
				if (all[i] == way)
					earlier = same
				same += all[i] ~ "^" kind[1] "(-|$)"
			}
			runs = most && most < calls ? most : calls
			for (i = 0; i < runs; i++) {
				point = 1 + int((i + earlier / same) * calls / runs)
				if (!fails[point]++)
					print point
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
	for way in $ways; do
		for n in $(points "$way"); do
			prepare
			fails "$way:$n" "$@"
			runs=$((runs + 1))
			[ "$status" = "$expected" ] || failed=$((failed + 1))
			$judge
		done
	done
	[ ! -e wrong ] && [ $runs -gt 0 ]
	result "$name: $runs failures, each without effect or reported ($failed with another status)"
}
