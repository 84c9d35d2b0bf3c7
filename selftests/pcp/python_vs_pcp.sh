#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's Python binding of PCP, and PCP's tools written in Python, print the same with our library
# in place of PCP's.  They read some archives of PCP's test suite, or all of them if ALL=1 is in the
# environment, which takes minutes.
set -u

here=$(cd "$(dirname "$0")" && pwd)
build=${VCPC_BUILD:-$here/../../build/$(uname -m | sed s/aarch64/arm64/)}
# shellcheck source=selftests/pcp/peer/both.sh
. "$here/peer/both.sh"
# shellcheck source=selftests/pcp/peer/in_place.sh
. "$here/peer/in_place.sh"
# shellcheck source=selftests/tap.sh
. "$here/../tap.sh"
# shellcheck source=selftests/pcp/peer/suite.sh
. "$here/peer/suite.sh"
evidence=$dir/log
export PCP_DERIVED_CONFIG='' LC_ALL=C.UTF-8 TZ=UTC PCP_CONF=/etc/pcp.conf
for tools in /usr/lib/pcp/bin /usr/libexec/pcp/bin; do
	[ ! -e $tools/pcp-mpstat ] || break
done

needs_pcp pmapi.h
if ! /usr/bin/python3 -c 'import pcp.pmapi, pcp.pmi' 2>/dev/null || [ ! -e /usr/bin/pmrep ] || [ ! -e "$tools/pcp-mpstat" ]; then
	echo "1..0 # SKIP python3-pcp is not installed"
	exit 4
fi

# installed LIBRARY: print its path
installed() {
	/sbin/ldconfig -p | awk -v name="$1" '$1 == name { print $NF; exit }'
}

# run SIDE COMMAND: print its output and its exit status
run() {
	export python=/usr/bin/python3
	if [ "$1" = shim ]; then export LD_LIBRARY_PATH="$dir"
	elif [ -n "$peer" ]; then python="$peer/run $python"
	fi
	timeout 120 sh -c "$2" 2>&1
	echo "status $?"
	unset LD_LIBRARY_PATH
}

# same WHAT COMMAND: check that COMMAND prints the same for each archive, named by $archive, and
# that it prints something for at least one archive
same() {
	some=0 good=1
	: >"$dir/log"
	for archive in $archives; do
		export archive
		run pcp "$2" >"$dir/pcp"
		run shim "$2" >"$dir/shim"
		[ "$(wc -l <"$dir/shim")" -lt 4 ] || some=1
		cmp -s "$dir/pcp" "$dir/shim" || good=0
		diff "$dir/pcp" "$dir/shim" | sed "s|^|$(basename "$archive"): |" >>"$dir/log"
	done
	[ $some$good = 11 ]
	result "$1"
}

link_in_place "$dir" "$build/lib/libshim.a" "$(installed libpcp.so.3)" "$(installed libpcp_import.so.1)" >"$dir/log" 2>&1
result "our library is linked in place of PCP's"

cat >"$dir/import.py" <<'EOF'
import sys
import cpmapi, cpmi, pcp.pmapi, pcp.pmi
maps = open("/proc/self/maps").read()
sys.exit(not ("%s/libpcp.so.3" % sys.argv[1] in maps and maps.count("libpcp.so") == maps.count(sys.argv[1] + "/libpcp.so")))
EOF
LD_LIBRARY_PATH=$dir /usr/bin/python3 "$dir/import.py" "$dir" >"$dir/log" 2>&1
result "the binding imports, and loads no other library"

archives=
for name in 20130706 20150105.17.57 20180127.08.40 20180415.09.16 20180416.10.00 20201109 ac15 bigace_v2 \
	procpid-encode multi none; do
	archives="$archives $suite/$name"
done
[ -z "${ALL:-}" ] || archives=$(find "$suite" -name '*.index*' | sed 's/\.index.*//' | sort)
pmrep="\$python /usr/bin/pmrep -a \"\$archive\""
same "pmrep: columns" "$pmrep -s 4 -p -f%H:%M:%S kernel.all.load hinv.ncpu kernel.percpu.cpu.user mem.util.used"
same "pmrep: comma-separated values, interpolated" "$pmrep -s 6 -t 5sec -o csv kernel.all.cpu kernel.all.load"
same "pmrep: raw values, unscaled" "$pmrep -s 3 -r -u kernel.all.load disk.dev.read"
same "pcp2csv" "\$python /usr/bin/pcp2csv -a \"\$archive\" -t 1min -s 5 kernel.all.load mem.freemem"
for tool in 'mpstat -s 3 -t 10sec' 'dstat 5 3' 'free -m' 'iostat -s 3 -t 10sec'; do
	same "pcp-$tool" "PCP_ARCHIVE=\$archive \$python $tools/pcp-$tool"
done
archives=none
same "usage of each tool" "for tool in mpstat free iostat pidstat ps uptime numastat; do
	\$python $tools/pcp-\$tool --help; done; \$python /usr/bin/pmrep --help"

# Create an archive with the binding, with the times in pmiWrite(), and read it with PCP's own tool.
cat >"$dir/write.py" <<'EOF'
import sys
from pcp import pmi, pmapi
import cpmapi as c
log = pmi.pmiLogImport(sys.argv[1])
log.pmiSetHostname("host")
log.pmiSetTimezone("UTC")
log.pmiAddMetric("one.metric", log.pmiID(245, 0, 1),
		 c.PM_TYPE_DOUBLE, log.pmiInDom(245, 1), c.PM_SEM_INSTANT, log.pmiUnits(0, 1, 0, 0, c.PM_TIME_SEC, 0))
log.pmiAddInstance(log.pmiInDom(245, 1), "first", 1)
log.pmiPutText(c.PM_TEXT_PMID, c.PM_TEXT_ONELINE, log.pmiID(245, 0, 1), "a text")
log.pmiPutLabel(c.PM_LABEL_CONTEXT, 0, 0, "kind", "test")
for i in range(5):
    log.pmiPutValue("one.metric", "first", str(i * 1.5))
    log.pmiWrite(1600000000 + i, 250000)
del log
EOF
# The last index entry refers to the last record; in PCP's archive it refers to the volume's end.
# PCP's default version is set in pcp.conf.
archives=none
export PCP_ARCHIVE_VERSION=2
same "an archive that the binding writes" \
	"rm -f $dir/made.*; \$python $dir/write.py $dir/made && env -u LD_LIBRARY_PATH pmdumplog -dehilmL $dir/made | grep -v PID"
grep -q 'a text' "$dir/shim" && grep -q 'one.metric.*' "$dir/shim" && grep -q '"kind":"test"' "$dir/shim" && [ "$(grep -c 'first' "$dir/shim")" -gt 5 ]
result "the archive has its text, label and values"

cat >"$dir/daemon.c" <<'EOF'
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

extern void __pmServerStart(int argc, char **argv, int flags);

int main(int argc, char **argv)
{
	pid_t parent = getpid();
	struct sigaction now;
	FILE *f;

	__pmServerStart(argc, argv, argv[2][0] == '1');
	f = fopen(argv[1], "w");
	sigaction(SIGTTOU, NULL, &now);
	fprintf(f, "%d %d %d %d %d\n", getpid() != parent, getsid(0) == getpid(), fcntl(0, F_GETFD) < 0, fcntl(1, F_GETFD) < 0,
		now.sa_handler == SIG_IGN);
	fclose(f);
	rename(argv[1], argv[3]);
	return 0;
}
EOF
# daemon SIDE FLAG: print what it reports about itself
daemon() {
	rm -f "$dir/said"
	"$dir/daemon_$1" "$dir/saying" "$2" "$dir/said" </dev/null || echo "status $?"
	while [ ! -e "$dir/said" ]; do sleep 0.05; done
	cat "$dir/said"
}
cc_pcp -w -o "$dir/daemon_pcp" "$dir/daemon.c" && cc_shim -w -o "$dir/daemon_shim" "$dir/daemon.c" &&
	for flag in 0 1; do daemon pcp $flag; done >"$dir/pcp" && for flag in 0 1; do daemon shim $flag; done >"$dir/shim" &&
	diff "$dir/pcp" "$dir/shim" >"$dir/log" && [ "$(wc -l <"$dir/shim")" = 2 ]
result "a daemon"
done_testing
