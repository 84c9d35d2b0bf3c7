# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts: start and stop PCP's own collector and trace agent.
#
# The script must have sourced /etc/pcp.env, run in a separate network namespace, and set "dir" to a
# scratch directory.
agent=$PCP_PMDAS_DIR/trace/pmdatrace
export PCP_RUN_DIR="$dir/run" PCP_LOG_DIR="$dir/log"
export PCP_TRACE_HOST=127.0.0.1 PCP_TRACE_PORT=14323 SHIM_TRACE=agent
daemon=

stop() {
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null
		wait "$daemon" 2>/dev/null
		daemon=
	fi
}

# answers: wait until the agent exports its control metrics, which means that it is ready
answers() {
	tries=0
	until pminfo -h 127.0.0.1 -f trace.control.port 2>/dev/null | grep -q 14323; do
		tries=$((tries + 1))
		[ "$tries" -lt 600 ] || return 1
		sleep 0.1
	done
}

start() {
	stop
	rm -rf "$dir/run" "$dir/log"
	mkdir -p "$dir/run" "$dir/log/pmcd" "$dir/pmns"
	(
		cd "$dir/pmns" || exit 1
		printf '#define TRACE 10\n' >stdpmid
		cp "$PCP_PMDAS_DIR/trace/pmns" trace.pmns
		printf '#include "stdpmid"\nroot { trace }\n#include "trace.pmns"\n' >root_trace
		"$PCP_BINADM_DIR/pmnsmerge" -f "$PCP_VAR_DIR/pmns/root_pmcd" root_trace root
	) || return 1
	{
		printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\n' "$PCP_PMDAS_DIR"
		printf 'trace\t10\tpipe\tbinary\t%s -d 10 -I 14323 -M root -T 10 -N 5 -l %s/log/pmcd/trace.log\n' "$agent" "$dir"
		printf '[access]\nallow "*" : all;\n'
	} >"$dir/pmcd.conf"
	"$PCP_BINADM_DIR/pmcd" -f -A -i 127.0.0.1 -p 44321 -s "$dir/run/pmcd.socket" \
		-c "$dir/pmcd.conf" -l "$dir/log/pmcd/pmcd.log" -n "$dir/pmns/root" \
		-U root -x "$dir/log/pmcd/fatal" >/dev/null 2>&1 &
	daemon=$!
	answers
}
