#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# PCP's own trace agent receives the same data from libshim as from PCP's library for each call, and
# receives all events of a burst.
#
# pmcd and pmdatrace run in a separate network namespace.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/pcp/place.sh
. "$here/place.sh"
place "$@"
needs /usr/include/pcp/trace.h "pcp and libpcp-trace2-dev"
begin_place

# seen: print the agent's values, except times, which differ between runs, and rates, which appear
# later
seen() {
	pminfo -h 127.0.0.1 -f trace.transact.count trace.point.count trace.observe.count \
		trace.observe.value trace.counter.count trace.counter.value
}

compile() {
	cc_shim -o "$dir/calls_shim" "$here/peer/trace_calls.c" &&
	cc -O1 -o "$dir/calls_pcp" "$here/peer/trace_calls.c" -lpcp_trace -lpcp
}

# same MODE: check that the results and the agent's statistics are the same as with PCP's library
same() {
	for library in pcp shim; do
		start || return 1
		"$dir/calls_$library" "$1" simple >"$dir/results.$library" || return 1
		seen >"$dir/seen.$library" || return 1
	done
	diff "$dir/results.pcp" "$dir/results.shim" >&2 &&
		diff "$dir/seen.pcp" "$dir/seen.shim" >&2 &&
		grep -q 'value 12345678.5' "$dir/seen.shim"
}

count_of() {
	pminfo -h 127.0.0.1 -f trace.point.count | sed -n "s/.*or \"$1\"\] value //p"
}

# arrives TAG N: check that the agent has counted all accepted calls of a burst
arrives() {
	accepted=$("$dir/calls_shim" burst "$1" "$2")
	tries=0
	until [ "$(count_of "$1")" = "$accepted" ] || [ "$tries" = 600 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
	echo "# of $2, $accepted were accepted and $(count_of "$1") counted" >&2
	[ "$accepted" -gt 0 ] && [ "$(count_of "$1")" = "$accepted" ]
}

times_agree() {
	pminfo -h 127.0.0.1 -f trace.transact.total_time |
		awk '/value/ && $NF >= 0 && $NF < 100 { n++ } END { exit n != 2 }'
}

# has KIND TAG VALUE: check that the agent exports this value within a minute
has() {
	tries=0
	until pminfo -h 127.0.0.1 -f "trace.$1" | grep -qF "or \"$2\"] value $3"; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || return 1
		sleep 0.1
	done
}

commands() {
	out=$("$build/bin/pmtrace" a.point) &&
		[ "$out" = 'pmtrace: point complete (tag="a.point")' ] &&
		out=$("$build/bin/pmtrace" -c 12.5 a.counter) &&
		[ "$out" = 'pmtrace: counter complete (tag="a.counter", value=12.500000)' ] &&
		"$build/bin/pmtrace" -q -v -3 a.value &&
		"$build/bin/pmtrace" -q -h localhost 'a b' && "$build/bin/pmtrace" -q -e 'exit 0' a.job || return 1
	"$build/bin/pmtrace" -q -e 'exit 3' a.job
	[ $? = 3 ] || return 1
	"$build/bin/pmtrace" -q -e 'kill -9 $$' a.job
	[ $? = 137 ] || return 1
	has point.count a.point 1 && has counter.value a.counter 12.5 && has observe.value a.value -3 &&
		has point.count 'a b' 1 && has transact.count a.job 3
}

command_mistakes() {
	for arguments in '' '-c 1 -v 2 t' '-c x t' '-S 1x t' '-c' '-y t' 't t'; do
		# shellcheck disable=SC2086
		"$build/bin/pmtrace" $arguments >"$dir/out" 2>&1
		[ $? = 1 ] && grep -q Usage "$dir/out" || return 1
	done
	"$build/bin/pmtrace" '-?' | grep -q Usage
}

fortran() {
	cat >"$dir/program.f" <<-'END'
	      program prog
	      include 'pcp/trace.inc'
	      character*20 tag
	      character*12 text
	      integer sts
	      tag = 'from fortran'
	      sts = pmtracestate(PMTRACE_STATE_NONE)
	      if (pmtracebegin(tag) .ne. 0) stop 1
	      if (pmtracebegin('from fortran') .ne. -12001) stop 2
	      if (pmtraceend(tag) .ne. 0) stop 3
	      if (pmtraceabort(tag) .ne. -12002) stop 4
	      if (pmtracepoint(tag) .ne. 0) stop 5
	      if (pmtraceobs(tag, 2.5d0) .ne. 0) stop 6
	      if (pmtracecounter(tag, 1.5d0) .ne. 0) stop 7
	      if (pmtracepoint('   ') .ne. -12000) stop 8
	      call pmtraceerrstr(0, text)
	      if (text .ne. 'No error.') stop 9
	      call pmtraceerrstr(-12005, text)
	      if (text .ne. 'Tag name is ') stop 10
	      end
	END
	sed -i 's/^\t//' "$dir/program.f"
	gfortran -I"$here/../../user/include" -o "$dir/program_f" "$dir/program.f" \
		-L"$build/lib" -Wl,-rpath,"$(cd "$build" && pwd)/lib" -lshim && "$dir/program_f" &&
		has transact.count 'from fortran' 1 && has point.count 'from fortran' 1 &&
		has observe.value 'from fortran' 2.5 && has counter.value 'from fortran' 1.5
}

java_program() {
	mkdir -p "$dir/java"
	cat >"$dir/java/Program.java" <<-'END'
	import sgi.pcp.trace;
	public class Program {
	    static void is(int result, int wanted) {
	        if (result != wanted)
	            throw new RuntimeException(result + ", not " + wanted);
	    }
	    public static void main(String[] args) {
	        trace pcp = new trace();
	        String tag = "from java \u00e4";
	        is(trace.pmtracebegin(null), -12000);
	        is(pcp.pmtracebegin(tag), 0);
	        is(trace.pmtracebegin(tag), -12001);
	        is(trace.pmtraceend(tag), 0);
	        is(trace.pmtraceabort(tag), -12002);
	        is(trace.pmtracepoint(tag), 0);
	        is(trace.pmtraceobs(tag, 2.5), 0);
	        is(trace.pmtracecounter(tag, 1.5), 0);
	        is(trace.pmtracestate(trace.PMTRACE_STATE_ASYNC), -22);
	        if (!trace.pmtraceerrstr(0).equals("No error."))
	            throw new RuntimeException(trace.pmtraceerrstr(0));
	    }
	}
	END
	LC_ALL=C.UTF-8 javac -cp "$build/lib/shim-trace.jar" -d "$dir/java" "$dir/java/Program.java" &&
		LD_LIBRARY_PATH="$build/lib" java -cp "$build/lib/shim-trace.jar:$dir/java" Program &&
		has transact.count 'from java ä' 1 && has point.count 'from java ä' 1 &&
		has observe.value 'from java ä' 2.5 && has counter.value 'from java ä' 1.5
}

# With PCP's own demonstration program, unmodified, the agent exports the same from both libraries.
demo=/usr/share/pcp/demos/trace/app1.c
demonstration() {
	for library in pcp shim; do
		start || return 1
		"$dir/app1_$library" 2>"$dir/app1.errors" || return 1
		seen | grep -v time >"$dir/app1.$library" || return 1
	done
	diff "$dir/app1.pcp" "$dir/app1.shim" >&2 && grep -q imouttahere "$dir/app1.shim"
}

goes_away() {
	stop
	"$dir/calls_shim" sync t >"$dir/away"
	grep -q 'begin t -111' "$dir/away"
}

compile
result "the program is built with both libraries"
same sync
result "synchronous calls: PCP's agent receives the same as from PCP's library"
times_agree
result "their times are plausible"
same async
result "asynchronous calls: also the same"
arrives short 100000
result "100000 events with a short tag arrive"
arrives 123456789012345678901234567890123 100000
result "and with a tag whose events would put headers on the agent's read boundary"
arrives 12345678901234567890123456789012345678901 100000
result "and with another tag"
arrives "$(printf '%0124d' 1)" 20000
result "and with the longest tag that the agent accepts"
commands
result "pmtrace sends one event of each kind, and exits like its command"
command_mistakes
result "pmtrace prints its usage if it is called incorrectly"
if command -v gfortran >/dev/null; then
	fortran
	result "a Fortran program"
else
	skip "a Fortran program" "gfortran is not installed"
fi
if [ -e "$build/lib/libshim_java.so" ]; then
	java_program
	result "a Java program"
else
	skip "a Java program" "no JDK was installed when the library was built"
fi
if [ -e "$demo" ]; then
	cc_shim -w -o "$dir/app1_shim" "$demo" &&
		cc -w -o "$dir/app1_pcp" "$demo" -lpcp_trace -lpcp && demonstration
	result "PCP's demonstration, built unmodified"
else
	skip "PCP's demonstration" "it is not installed"
fi
goes_away
result "without an agent, the first call reports this"
done_testing
