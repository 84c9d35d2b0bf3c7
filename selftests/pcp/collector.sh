# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Sourced by scripts: start and stop PCP's own collector with its sample agents, one as a process
# and one inside pmcd.
#
# The script must have sourced /etc/pcp.env, run in a separate network namespace, and set "dir" to a
# scratch directory.  Its settings in "pmcd_options" and "pmcd_access" apply to the next start.
sample=$PCP_PMDAS_DIR/sample
export PCP_RUN_DIR="$dir/run" PCP_LOG_DIR="$dir/log" PCP_DERIVED_CONFIG=''
pmcd_options='' pmcd_access='allow "*" : all;' collector=

# Create a private collector, once: its namespace, help texts and agents.
make_collector() {
	original=$PCP_PMDAS_DIR
	export PCP_PMDAS_DIR="$dir/pmdas"
	mkdir -p "$dir/pmns" "$dir/pmdas/sample" && ln -s "$original/pmcd" "$dir/pmdas/pmcd" || return 1
	cp "$sample/pmdasample" "$sample/pmda_sample.so" "$dir/pmdas/sample" || return 1
	(
		cd "$dir/pmns" || exit 1
		sed 's/SAMPLE:/29:/' "$sample/pmns" >sample.pmns
		sed -e 's/SAMPLE:/30:/' -e 's/^sample/sampledso/' "$sample/pmns" >dso.pmns
		printf 'root { sample }\n#include "sample.pmns"\n' >root_sample
		printf 'root { sampledso }\n#include "dso.pmns"\n' >root_dso
		"$PCP_BINADM_DIR/pmnsmerge" -f "$PCP_VAR_DIR/pmns/root_pmcd" root_sample root_dso root &&
			sed 's/^@ SAMPLE\./@ 29./' "$sample/help" |
			"$PCP_BINADM_DIR/newhelp" -n root -o ../pmdas/sample/help &&
			sed 's/^@ SAMPLE\./@ 30./' "$sample/help" |
			"$PCP_BINADM_DIR/newhelp" -n root -o ../pmdas/sample/dsohelp
	)
}

stop_collector() {
	[ -n "$collector" ] || return 0
	kill -CONT "$collector" 2>/dev/null
	kill "$collector" 2>/dev/null
	wait "$collector" 2>/dev/null
	collector=
}

# Print the pid of the agent that runs as a process.
sample_pid() {
	for stat in /proc/[0-9]*/stat; do
		awk -v parent="$collector" '$2 == "(pmdasample)" && $4 == parent { print $1 }' "$stat" 2>/dev/null
	done
}

# answers SPEC: wait until pmcd and its agent respond
answers() {
	tries=0
	until pminfo -h "$1" -f sample.long.one 2>/dev/null | grep -q 'value 1$'; do
		tries=$((tries + 1))
		[ "$tries" -lt 200 ] && kill -0 "$collector" || return 1
		sleep 0.05
	done
}

# start_collector [no]: start pmcd, and wait until it responds unless "no" is given
start_collector() {
	stop_collector
	rm -rf "$dir/run" "$dir/log"
	mkdir -p "$dir/run" "$dir/log/pmcd"
	{
		printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\n' "$PCP_PMDAS_DIR"
		printf 'sample\t29\tpipe\tbinary\t%s/sample/pmdasample -d 29 -U root -l %s/log/pmcd/sample.log\n' \
			"$PCP_PMDAS_DIR" "$dir"
		printf 'sampledso\t30\tdso\tsample_init\t%s/sample/pmda_sample.so\n' "$PCP_PMDAS_DIR"
		printf '[access]\n%s\n' "$pmcd_access"
	} >"$dir/pmcd.conf"
	# shellcheck disable=SC2086
	env -u TZ "$PCP_BINADM_DIR/pmcd" -f -A -i 127.0.0.1 -p 44321 -s "$dir/run/pmcd.socket" \
		-c "$dir/pmcd.conf" -l "$dir/log/pmcd/pmcd.log" -n "$dir/pmns/root" \
		-U root -x "$dir/log/pmcd/fatal" $pmcd_options >/dev/null 2>&1 &
	collector=$!
	[ "${1:-}" = no ] || answers unix:
}
