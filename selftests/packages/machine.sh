#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Boot Debian's user space with the packages in a VM, first with the kernel for which they were
# installed and then with a newer one.  Called by test.sh.
#
# usage: machine.sh SUITE ROOT DEBS NEXT LOGS
#
# ROOT is an unpacked "user" root, which becomes the VM's disk.  Steps that compile run natively in
# this root: installing the packages, for which DKMS builds the module, and installing a kernel from
# backports, whose hook makes DKMS build it again.  During the upgrade in the VM, DKMS uses a
# compiler cache that is filled here.  Consoles are written to LOGS. The tests are in in-machine.sh,
# whose TAP is printed, with one plan for each boot.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
suite=$1 root=$2 debs=$3 next=$4 logs=$5
deb_cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc/packages/debs-$suite
first=$(ls "$root/lib/modules")
work=$(mktemp -d /var/tmp/vcpc-machine.XXXXXX)
trap 'rm -rf "$work"' EXIT

inside() { "$here/inside.sh" "$root" "$1" >>"$logs/machine-root.log" 2>&1; }

# Keep downloaded packages for the next run.
keep_debs() {
	mkdir -p "$deb_cache"
	cp -n "$root"/var/cache/apt/archives/*.deb "$deb_cache/" 2>/dev/null || :
	rm -f "$root"/var/cache/apt/archives/*.deb
}

# Replace systemctl, because PCP's installation starts its daemons with it, which needs a running
# systemd.
install_others() {
	cp "$deb_cache"/*.deb "$root/var/cache/apt/archives/" 2>/dev/null || :
	echo "deb http://deb.debian.org/debian $suite-backports main" >"$root/etc/apt/sources.list.d/backports.list"
	mv "$root/usr/bin/systemctl" "$work/systemctl"
	printf '#!/bin/sh\nexit 0\n' >"$root/usr/bin/systemctl"
	chmod +x "$root/usr/bin/systemctl"
	inside "apt-get update -qq && apt-get install -y --no-install-recommends ccache pcp" || failed=1
	mv "$work/systemctl" "$root/usr/bin/systemctl"
	mkdir -p "$root/var/cache/ccache"
	cat >"$root/etc/ccache.conf" <<-TEXT
	cache_dir = /var/cache/ccache
	sloppiness = include_file_ctime,include_file_mtime
	TEXT
	echo 'DPkg::Path "/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin";' >"$root/etc/apt/apt.conf.d/ccache"
	return "${failed:-0}"
}

install_packages() {
	mkdir -p "$root/debs" "$root/next" "$root/machine"
	cp "$debs"/*.deb "$root/debs/"
	cp "$next"/*.deb "$root/next/"
	rm -f "$root"/debs/*-dbgsym_* "$root"/next/*-dbgsym_*
	inside "apt-get install -y --no-install-recommends /debs/*.deb"
}

# Install the newest kernel in the suite's backports for which the suite's compiler can build
# modules.
install_newer() {
	inside "apt-get install -y --no-install-recommends -t $suite-backports linux-image-amd64 linux-headers-amd64"
}

# Build the next version's module to fill the compiler cache for the upgrade, and remove everything
# else.
compile_next() {
	version=$(dpkg-deb -f "$next"/vcpc_*.deb Version)
	inside "dpkg-deb -x /next/vcpc-dkms_*.deb /tmp/next && mv /tmp/next/usr/src/vcpc-$version /usr/src/ &&
		PATH=/usr/lib/ccache:\$PATH; for kernel in \$(ls /lib/modules); do dkms build -m vcpc -v $version -k \$kernel || exit 1; done &&
		dkms remove -m vcpc -v $version --all; rm -rf /tmp/next /usr/src/vcpc-$version /var/lib/dkms/vcpc/$version"
}

unit() {
	cp "$here/in-machine.sh" "$here/../tap.sh" "$here/../vm/splats.deny" "$here/../vm/splats.allow" "$here/../../debian/tests/module" \
		"$here/../../debian/tests/faces" "$root/machine/"
	echo "$first" >"$root/machine/first"
	cat >"$root/etc/systemd/system/machine.service" <<-TEXT
	[Unit]
	Description=tests of the packages
	After=vcpc.service systemd-udevd.service systemd-tmpfiles-setup-dev.service dbus.service
	SuccessAction=poweroff
	FailureAction=poweroff
	[Service]
	Type=oneshot
	TimeoutStartSec=infinity
	ExecStart=/machine/in-machine.sh
	StandardOutput=file:/dev/ttyS1
	StandardError=inherit
	TEXT
	mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
	ln -sf ../machine.service "$root/etc/systemd/system/multi-user.target.wants/machine.service"
	echo "/dev/vda / ext4 defaults 0 1" >"$root/etc/fstab"
	echo machine >"$root/etc/hostname"
	# Mask services that need a network or take long.
	for service in apt-daily.timer apt-daily-upgrade.timer man-db.timer e2scrub_all.timer e2scrub_reap.service pmlogger.service pmie.service \
		pmproxy.service pmlogger_farm.service pmie_farm.service systemd-networkd-wait-online.service; do
		ln -sf /dev/null "$root/etc/systemd/system/$service"
	done
	rm -f "$root"/etc/systemd/system/multi-user.target.wants/pm*
}

# boot KERNEL: run the machine until it powers off; its second serial line has the TAP output
boot() {
	# Emulation is faster with an old CPU, and with a kernel without mitigations for
	# speculation.
	accel=tcg,thread=single cpu=Nehalem,+smap,+smep,+rdrand
	if [ -w /dev/kvm ] && grep -qwE 'svm|vmx' /proc/cpuinfo; then accel=kvm cpu=host; fi
	timeout -k 5 7200 qemu-system-x86_64 -accel "$accel" -cpu "$cpu" -smp 2 -m 2048 -nodefaults -no-reboot -display none -monitor none \
		-kernel "$work/vmlinuz-$1" -initrd "$work/initrd.img-$1" \
		-append "root=/dev/vda rw console=ttyS0 no_timer_check mitigations=off panic=-1 systemd.show_status=false" \
		-drive "file=$work/disk,format=raw,if=none,id=disk,cache=unsafe" -device virtio-blk-pci,drive=disk \
		-serial "file:$logs/console-$1" -serial "file:$work/tap" </dev/null || :
	tr -d '\r' <"$work/tap"
}

: >"$logs/machine-root.log"
# If the machine cannot be prepared, do not boot it, and print the end of the log.
{ install_others && install_packages && keep_debs && install_newer && keep_debs && compile_next; } ||
	{ tail -n 20 "$logs/machine-root.log" | sed 's/^/# /'; echo "not ok - the packages and a newer kernel are installed"; exit 1; }
rm -f "$root"/var/cache/apt/archives/*.deb
unit
cp "$root"/boot/vmlinuz-* "$root"/boot/initrd.img-* "$work/"
mke2fs -q -t ext4 -O ^has_journal -d "$root" "$work/disk" 6G
for kernel in $(cd "$root/lib/modules" && printf '%s\n' * | sort -V); do
	boot "$kernel"
done
