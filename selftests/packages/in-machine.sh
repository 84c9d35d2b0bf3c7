#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Use the packages in the VM that machine.sh boots, upgrade them while a program counts, and purge
# them after a second boot with the newer kernel.  Prints TAP.
set -u
# shellcheck source=../tap.sh
. /machine/tap.sh
evidence=$dir/log
export DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
old=$(dpkg-deb -f /debs/vcpc_*.deb Version) next=$(dpkg-deb -f /next/vcpc_*.deb Version)

# try COMMAND-LINE: run it with output to the log
try() { bash -c "$1" >"$dir/log" 2>&1; }
as() { try "su $1 -s /bin/sh -c '$2'"; }
until_true() { for _ in $(seq 600); do bash -c "$1" && return; sleep 0.5; done; return 1; }
version() { cat /sys/module/vcpc/version; }

# As a user, count until /tmp/enough exists, and write the counts to a file.
start_counting() {
	rm -f /tmp/enough /tmp/counts /tmp/counting
	su counts -s /bin/sh -c 'vcpc stat -v -e page-faults -- sh -c "touch /tmp/counting; while [ ! -e /tmp/enough ]; do /bin/true; sleep 0.2; done" 2>/tmp/counts' &
	counting=$!
	until_true '[ -e /tmp/counting ]'
}

stop_counting() { touch /tmp/enough; wait $counting && grep -q page-faults /tmp/counts && cp /tmp/counts "$dir/log"; }

node_and_group() {
	try 'ls -l /dev/vcpc; [ ! -e /sys/module/vcpc ] && [ "$(stat -c "%U:%G %a" /dev/vcpc)" = "root:vcpc 660" ]'
	result "the node exists before the module is loaded, and belongs to the group"
	useradd -m -G vcpc counts && useradd -m stranger
	as stranger 'cat /dev/vcpc'
	[ $? != 0 ] && [ ! -e /sys/module/vcpc ]; result "a user outside the group can neither open the node nor load the module"
	as counts 'vcpc stat -v -e page-faults,task-clock -- ls -lR /usr/share/doc/vcpc' && grep -q 'counting through.*module\|counting through vcpc' "$dir/log"
	result "a user in the group counts through the module"
	try "[ \$(cat /sys/module/vcpc/version) = $1 ]"; result "opening the node has loaded version $1"
	try '[ "$(stat -c "%U:%G %a" /dev/vcpc)" = "root:vcpc 660" ]'; result "the node still belongs to the group"
}

service() {
	try 'systemctl start vcpc && [ -d /sys/fs/bpf/vcpc ]'; result "vcpc.service turns tracing on"
	as counts '/usr/lib/vcpc/bin/pmtrace serviced' && try 'vcpc trace show | tee /dev/stderr | grep -q serviced'; result "a user's transaction is traced"
	try 'systemctl stop vcpc && [ ! -e /sys/fs/bpf/vcpc ]'; result "after the service was stopped, no pins remain"
}

agent() {
	try 'systemctl start pmcd && cd /var/lib/pcp/pmdas/vcpc && ./Install </dev/null && pminfo -f vcpc'; result "PCP's collector has the agent"
	try 'apt-get remove -y vcpc-pcp && ! grep ^vcpc /etc/pcp/pmcd/pmcd.conf && ! pminfo vcpc'; result "the removed agent is no longer in the collector"
	try 'apt-get purge -y vcpc-pcp && [ ! -e /var/lib/pcp/pmdas/vcpc ]'; result "and none of its files remain"
	systemctl stop pmcd
}

upgrade() {
	start_counting
	try "apt-get install -y --no-install-recommends \$(ls /next/*.deb | grep -v pcp)"; result "upgrade to version $next while a program counts"
	try "dkms status; dkms status | grep -q 'vcpc/$next, $(uname -r),.*installed' && ! dkms status | grep -q 'vcpc/$old,'"; result "DKMS has built the module here"
	try "kill -0 $counting && [ \$(cat /sys/module/vcpc/version) = $old ]"; result "the program continues with its old module"
	stop_counting; result "and exits with its counts"
	try 'modprobe -r vcpc && modprobe vcpc && cat /sys/module/vcpc/version' && [ "$(version)" = "$next" ]; result "then the new module is loaded"
	try 'systemctl enable vcpc'; result "the service is enabled"
}

removal() {
	start_counting
	try 'apt-get purge -y vcpc-dkms vcpc libshim1 libshim-dev libshim-java python3-vcpc vcpc-doc'; purged=$?
	# apt runs dpkg on a terminal, which adds carriage returns.
	grep -a '^vcpc-dkms: ' "$dir/log" | tr -d '\r' >"$dir/said"
	evidence="$dir/log $dir/said"
	[ $purged = 0 ] && grep -q "stays loaded.*use it" "$dir/said" && grep -q '[0-9] vcpc$' "$dir/said"
	result "purge reports processes that still count"
	evidence=$dir/log
	stop_counting; result "which exit with their counts"
	try 'rmmod vcpc'; result "then the module can be unloaded"
	try '[ ! -e /sys/fs/bpf/vcpc ] && [ ! -e /sys/module/vcpc ]'; result "no pins and no module remain"
	try '! find / -xdev \( -path /proc -o -path /debs -o -path /next -o -path /machine -o -path /tmp -o -path /var/cache/ccache -o -path /var/lib/dpkg -o -path /var/log \) -prune \
		-o \( -iname "*vcpc*" -o -name "libshim*" \) -print | grep .'; result "no file remains"
	try '! getent group vcpc | grep -v counts'; result "no group remains, except if it has members"
	try 'ls -l /dev/vcpc; [ ! -e /dev/vcpc ]'; result "no node"
}

splats() {
	dmesg >"$dir/dmesg"
	grep -Ef /machine/splats.deny "$dir/dmesg" | grep -vEf /machine/splats.allow >"$dir/log"
	[ ! -s "$dir/log" ]; result "the kernel reports no errors"
}

case $(uname -r) in
"$(cat /machine/first)")
	node_and_group "$old"
	try 'modprobe -r vcpc && sh /machine/module'; result "debian/tests/module"
	try 'sh /machine/faces'; result "debian/tests/faces"
	service
	try 'vcpc doctor'; result "vcpc doctor reports no problem"
	agent
	upgrade
	;;
*)
	try '[ -d /sys/fs/bpf/vcpc ]'; result "$(uname -r): the enabled service traces after booting"
	as counts 'vcpc stat -v -e page-faults -- ls' && grep -q 'counting through.*module\|counting through vcpc' "$dir/log"; result "a user counts through the module"
	try "[ \$(cat /sys/module/vcpc/version) = $next ]"; result "of version $next"
	removal
	;;
esac
splats
done_testing
