#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Run in the VM that machine.sh boots: use the packages, upgrade them while a program counts,
# and purge them after a second boot with the newer kernel; prints TAP.
set -u
# shellcheck source=../tap.sh
. /machine/tap.sh
evidence=$dir/log
export DEBIAN_FRONTEND=noninteractive HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
old=$(dpkg-deb -f /debs/vcpc_*.deb Version) next=$(dpkg-deb -f /next/vcpc_*.deb Version)

# try COMMAND-LINE: show its output if it fails
try() { bash -c "$1" >"$dir/log" 2>&1; }
as() { try "su $1 -s /bin/sh -c '$2'"; }
until_true() { for _ in $(seq 600); do bash -c "$1" && return; sleep 0.5; done; return 1; }
version() { cat /sys/module/vcpc/version; }

# A user that counts until the file exists and writes the counts to a file
start_counting() {
	rm -f /tmp/enough /tmp/counts /tmp/counting
	su counts -s /bin/sh -c 'vcpc stat -v -e page-faults -- sh -c "touch /tmp/counting; while [ ! -e /tmp/enough ]; do /bin/true; sleep 0.2; done" 2>/tmp/counts' &
	counting=$!
	until_true '[ -e /tmp/counting ]'
}

stop_counting() { touch /tmp/enough; wait $counting && grep -q page-faults /tmp/counts && cp /tmp/counts "$dir/log"; }

node_and_group() {
	try 'ls -l /dev/vcpc; [ ! -e /sys/module/vcpc ] && [ "$(stat -c "%U:%G %a" /dev/vcpc)" = "root:vcpc 660" ]'
	result "the node is there before the module, and is the group's"
	useradd -m -G vcpc counts && useradd -m stranger
	as stranger 'cat /dev/vcpc'
	[ $? != 0 ] && [ ! -e /sys/module/vcpc ]; result "who is not in the group opens nothing, and loads nothing"
	as counts 'vcpc stat -v -e page-faults,task-clock -- ls -lR /usr/share/doc/vcpc' && grep -q 'counting through.*module\|counting through vcpc' "$dir/log"
	result "who is in the group counts, by the module"
	try "[ \$(cat /sys/module/vcpc/version) = $1 ]"; result "which the node has loaded, of version $1"
	try '[ "$(stat -c "%U:%G %a" /dev/vcpc)" = "root:vcpc 660" ]'; result "the node is still the group's"
}

service() {
	try 'systemctl start vcpc && [ -d /sys/fs/bpf/vcpc ]'; result "vcpc.service turns tracing on"
	as counts '/usr/lib/vcpc/bin/pmtrace serviced' && try 'vcpc trace show | tee /dev/stderr | grep -q serviced'; result "a user's transaction is traced"
	try 'systemctl stop vcpc && [ ! -e /sys/fs/bpf/vcpc ]'; result "stopped, it leaves no pins"
}

agent() {
	try 'systemctl start pmcd && cd /var/lib/pcp/pmdas/vcpc && ./Install </dev/null && pminfo -f vcpc'; result "PCP's collector has the agent"
	try 'apt-get remove -y vcpc-pcp && ! grep ^vcpc /etc/pcp/pmcd/pmcd.conf && ! pminfo vcpc'; result "removed, it is out of the collector"
	try 'apt-get purge -y vcpc-pcp && [ ! -e /var/lib/pcp/pmdas/vcpc ]'; result "and nothing of it is left"
	systemctl stop pmcd
}

upgrade() {
	start_counting
	try "apt-get install -y --no-install-recommends \$(ls /next/*.deb | grep -v pcp)"; result "upgrade to version $next while a program counts"
	try "dkms status; dkms status | grep -q 'vcpc/$next, $(uname -r),.*installed' && ! dkms status | grep -q 'vcpc/$old,'"; result "DKMS has built it here"
	try "kill -0 $counting && [ \$(cat /sys/module/vcpc/version) = $old ]"; result "the program goes on, by the module that it had"
	stop_counting; result "and ends with its counts"
	try 'modprobe -r vcpc && modprobe vcpc && cat /sys/module/vcpc/version' && [ "$(version)" = "$next" ]; result "then the new one is loaded"
	try 'systemctl enable vcpc'; result "the service is enabled"
}

removal() {
	start_counting
	try 'apt-get purge -y vcpc-dkms vcpc libshim1 libshim-dev libshim-java python3-vcpc vcpc-doc'; purged=$?
	# apt gives dpkg a terminal.
	grep -a '^vcpc-dkms: ' "$dir/log" | tr -d '\r' >"$dir/said"
	evidence="$dir/log $dir/said"
	[ $purged = 0 ] && grep -q "stays loaded.*use it" "$dir/said" && grep -q '[0-9] vcpc$' "$dir/said"
	result "purge says who counts still"
	evidence=$dir/log
	stop_counting; result "who ends with its counts"
	try 'rmmod vcpc'; result "then the module can be unloaded"
	try '[ ! -e /sys/fs/bpf/vcpc ] && [ ! -e /sys/module/vcpc ]'; result "no pins, no module"
	try '! find / -xdev \( -path /proc -o -path /debs -o -path /next -o -path /machine -o -path /tmp -o -path /var/cache/ccache -o -path /var/lib/dpkg -o -path /var/log \) -prune \
		-o \( -iname "*vcpc*" -o -name "libshim*" \) -print | grep .'; result "no file is left"
	try '! getent group vcpc | grep -v counts'; result "no group but one with members"
	try 'ls -l /dev/vcpc; [ ! -e /dev/vcpc ]'; result "no node"
}

splats() {
	dmesg >"$dir/dmesg"
	grep -Ef /machine/splats.deny "$dir/dmesg" | grep -vEf /machine/splats.allow >"$dir/log"
	[ ! -s "$dir/log" ]; result "the kernel complains of nothing"
}

case $(uname -r) in
"$(cat /machine/first)")
	node_and_group "$old"
	try 'modprobe -r vcpc && sh /machine/module'; result "debian/tests/module"
	try 'sh /machine/faces'; result "debian/tests/faces"
	service
	try 'vcpc doctor'; result "vcpc doctor finds nothing wrong"
	agent
	upgrade
	;;
*)
	try '[ -d /sys/fs/bpf/vcpc ]'; result "$(uname -r): the enabled service traces from boot on"
	as counts 'vcpc stat -v -e page-faults -- ls' && grep -q 'counting through.*module\|counting through vcpc' "$dir/log"; result "a user counts, by the module"
	try "[ \$(cat /sys/module/vcpc/version) = $next ]"; result "of version $next"
	removal
	;;
esac
splats
done_testing
