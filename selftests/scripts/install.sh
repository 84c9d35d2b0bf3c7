#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# "make install" installs the files that it lists into the given directories, and "make uninstall"
# removes all of them.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
build=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
dest=$dir/root evidence=$dir/log
export DESTDIR="$dest" PREFIX=/opt/x LIBDIR=/opt/x/lib/some-triplet JNIDIR=/opt/x/lib/jni MODULE=no

# installer ACTION [BUILD]: run it, with all output in the log
installer() { "$top/scripts/install.sh" "$1" "${2:-$build}" >"$dir/log" 2>&1; }

# left: print files and links below the destination
left() { (cd "$dest" && find . ! -type d | sed 's/^\.//' | sort); }

installer list; result "list"
cut -d '|' -f 3 "$dir/log" | sort >"$dir/listed"
[ -z "$(uniq -d "$dir/listed")" ] && [ "$(wc -l <"$dir/listed")" -gt 100 ]; result "each file is listed once"
[ ! -e "$dest" ]; result "listing does not install anything"
installer install; result "install"
left >"$dir/there"
cmp "$dir/listed" "$dir/there" >"$dir/log" 2>&1; result "exactly the listed files are installed"
! grep -E '/\.[^/]*$' "$dir/there" >"$dir/log"; result "no hidden files"
! grep -vE '^(/opt/x|/var/lib/pcp/(pmdas|config/pmlogconf)/vcpc)/' "$dir/there" >"$dir/log"; result "without the module, everything is below PREFIX, except files that PCP expects elsewhere"
! grep -F '\' "$dir/there" >"$dir/log"; result "names contain no troff escapes"
[ -e "$dest/opt/x/lib/some-triplet/libshim.so.1" ] && [ -e "$dest/opt/x/lib/some-triplet/libshim.so" ]; result "LIBDIR"
grep -qx "libdir=\${prefix}/lib/some-triplet" "$dest/opt/x/lib/some-triplet/pkgconfig/libshim.pc"; result "pkg-config has LIBDIR"
[ -x "$dest/opt/x/lib/vcpc/bin/pmtrace" ] && [ ! -e "$dest/opt/x/bin/pmtrace" ]; result "commands of the originals have a separate directory"
[ -e "$dest/opt/x/share/bash-completion/completions/vcpc" ]; result "the completion has the command's name"
python=$(ls -d "$dest"/opt/x/lib/python3*/dist-packages 2>/dev/null)
if [ -n "$python" ]; then
	LD_LIBRARY_PATH=$dest/opt/x/lib/some-triplet PYTHONPATH=$python python3 -c 'import vcpc; print(vcpc.__file__, vcpc.__version__)' >"$dir/log" 2>&1 &&
		grep -q "^$python/vcpc/__init__.py $(cat "$top/VERSION")\$" "$dir/log"
	result "Python's package is found, and finds the library"
else
	skip "Python's package is found, and finds the library" "python3 is not installed"
fi
broken=$(grep -l '^\.so ' "$dest"/opt/x/share/man/man*/* | while read -r page; do
	[ -e "$dest/opt/x/share/man/$(sed -n 's/^\.so //p' "$page")" ] || echo "$page"
done)
[ -z "$broken" ]; result "each page finds the pages to which it refers"
installer install; result "install again"
mkdir -p "$dest/opt/x/include/other" && : >"$dest/opt/x/include/other/file.h"
installer uninstall; result "uninstall"
[ "$(left)" = /opt/x/include/other/file.h ]; result "uninstall keeps other files"
rm -r "$dest/opt/x/include/other"
nothing_left() { [ -d "$dest" ] && [ -z "$(find "$dest" -mindepth 1)" ]; }
installer install && installer uninstall && nothing_left; result "and removes all of ours, with their directories"
mkdir "$dir/empty"
! installer install "$dir/empty" && grep -q "run 'make' first" "$dir/log" && [ -z "$(find "$dest" -mindepth 1 2>/dev/null)" ]
result "without a build it reports this, and installs nothing"
if [ -e "$build/vcpc.ko" ]; then
	MODULE=yes installer install && find "$dest/lib/modules" -name vcpc.ko | grep -q . &&
		[ -e "$dest/usr/lib/udev/rules.d/60-vcpc.rules" ] && [ -e "$dest/usr/lib/sysusers.d/vcpc.conf" ]
	result "the module is installed on request, with its group and its rule"
	rm -rf "$dir/gone" && mkdir "$dir/gone"
	MODULE=yes installer uninstall "$dir/gone" && nothing_left; result "uninstall removes it without a build, and keeps the destination"
fi

# commands_start: check that each installed command finds its library
commands_start() {
	for command in "$dest"/opt/x/bin/* "$dest"/opt/x/lib/vcpc/bin/*; do
		! ldd "$command" | grep 'not found' || return 1
	done
}
unset LIBDIR JNIDIR
installer install && commands_start >"$dir/log" 2>&1; result "installed commands find the library"
[ "$(id -u)" != 0 ] || chattr +i "$dest/opt/x/bin/vcpc" 2>/dev/null || :
if [ "$(id -u)" != 0 ]; then chmod a-w "$dest/opt/x/bin"; fi
if rm -f "$dest/opt/x/bin/vcpc" 2>/dev/null; then
	skip "files that cannot be removed are reported" "everything can be removed here"
else
	! installer uninstall && grep -q 'could not be removed' "$dir/log"; result "files that cannot be removed are reported"
	chattr -i "$dest/opt/x/bin/vcpc" 2>/dev/null || :
	chmod u+w "$dest/opt/x/bin"
fi

# Without DESTDIR, existing files of Debian packages are kept.  Test this in an overlay over this
# machine's root.
over() {
	unshare -m sh -c 'set -e
		mount -t tmpfs none "$1" && mkdir "$1/up" "$1/work" "$1/root"
		mount -t overlay overlay -o "lowerdir=/,upperdir=$1/up,workdir=$1/work" "$1/root"
		mount --bind /proc "$1/root/proc" && mount --bind /dev "$1/root/dev"
		[ "$2" = try ] || exec chroot "$1/root" env -u DESTDIR "$2" uninstall "$3"' - "$dir/over" "$@"
}
mkdir "$dir/over"
if over try 2>/dev/null; then
	rules=/usr/lib/udev/rules.d/60-vcpc.rules
	mkdir -p "$dir/fake"
	cat >"$dir/fake/dpkg-query" <<-EOF
		#!/bin/sh
		for file; do [ "\$file" != $rules ] || echo "vcpc-dkms: \$file"; done
	EOF
	chmod +x "$dir/fake/dpkg-query"
	PATH="$dir/fake:$PATH" PREFIX=/usr/local over "$top/scripts/install.sh" "$build" >"$dir/log" 2>&1 &&
		grep -q "KEEP *$rules (of the package vcpc-dkms)" "$dir/log"
	result "files of a package are kept"
else
	skip "files of a package are kept" "no mounts here"
fi
done_testing
