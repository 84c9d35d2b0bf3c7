#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Install, list or uninstall the built files; called by make install and make uninstall.
#
# usage: install.sh install|list|uninstall BUILD
#
# Environment variables, most of which follow the GNU standards: DESTDIR, PREFIX (/usr/local), LIBDIR (PREFIX/lib),
# JNIDIR (LIBDIR), PYTHONDIR (python3's directory below PREFIX; skipped without python3), and MODULE ("yes", "no", or
# "if-built", the default).  "list" prints a line for each file: mode, source, and target without DESTDIR.
set -eu

action=${1:?usage: install.sh install|list|uninstall BUILD} build=${2:?usage: install.sh ACTION BUILD}
dest=${DESTDIR:-} prefix=${PREFIX:-/usr/local}
libdir=${LIBDIR:-$prefix/lib}
jnidir=${JNIDIR:-$libdir}
if [ "$prefix" = /usr ]; then pythondir=${PYTHONDIR:-/usr/lib/python3/dist-packages}
else pythondir=${PYTHONDIR:-$(python3 -c 'import sys; print("%s/lib/python%d.%d/dist-packages" % (sys.argv[1], *sys.version_info[:2]))' "$prefix" 2>/dev/null || :)}
fi
# zsh's directory for completions: the directory of Debian's packages, or the default
if [ "$prefix" = /usr ]; then zsh=/usr/share/zsh/vendor-completions; else zsh=$prefix/share/zsh/site-functions; fi
top=$(cd "$(dirname "$0")/.." && pwd)
version=$(cat "$top/VERSION")
soname=$(sed -n 's/^SONAME := //p' "$top/user/Makefile")
man=$prefix/share/man
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

file() { echo "$1|$2|$3"; }

# Install the originals' commands in a separate directory, because other packages have commands with the same names
# (PCP's pmtrace, cpustat).
commands() {
	file 755 "$build/bin/vcpc" "$prefix/bin/vcpc"
	file 644 "$top/tools/completion/vcpc.bash" "$prefix/share/bash-completion/completions/vcpc"
	file 644 "$top/tools/completion/_vcpc" "$zsh/_vcpc"
	for name in cpustat cputrack hpmcount pmlist pmtrace; do
		file 755 "$build/bin/$name" "$prefix/lib/vcpc/bin/$name"
	done
}

library() {
	file 644 "$build/lib/libshim.a" "$libdir/libshim.a"
	file 644 "$build/lib/$soname" "$libdir/$soname"
	file "-> $soname" - "$libdir/libshim.so"
	# The originals' library names are links in a separate directory, because Debian packages some
	# of these libraries.
	for name in cpc pctx pmapi pcp pcp_import pcp_trace; do
		file "-> ../../$soname" - "$libdir/vcpc/compat/lib$name.so"
	done
	[ "$action" = uninstall ] || [ -e "$build/lib/libshim_java.so" ] || return 0
	file 644 "$build/lib/libshim_java.so" "$jnidir/libshim_java.so"
	file 644 "$build/lib/shim-trace.jar" "$prefix/share/java/shim-trace.jar"
}

python() {
	[ -n "$pythondir" ] || return 0
	for module in "$top"/user/python/vcpc/*.py; do
		file 644 "$module" "$pythondir/vcpc/${module##*/}"
	done
}

# The agent is installed in PCP's directory for agents, independent of PREFIX.
agent() {
	[ "$action" = uninstall ] || [ -e "$build/bin/pmdavcpc" ] || return 0
	pmda=/var/lib/pcp/pmdas/vcpc
	file 755 "$build/bin/pmdavcpc" "$pmda/pmdavcpc"
	for name in Install Remove; do
		file 755 "$top/tools/pmda/files/$name" "$pmda/$name"
	done
	for name in domain.h root vcpc.conf; do
		file 644 "$top/tools/pmda/files/$name" "$pmda/$name"
	done
	# The agent's Install script creates one more file.
	# pmlogconf's groups include the agent.
	file 644 "$top/tools/pmda/files/pmlogconf" /var/lib/pcp/config/pmlogconf/vcpc/vcpc
	[ "$action" != uninstall ] || file 644 - "$pmda/pmns"
}

# Install our headers in a separate directory, because the originals' headers have the same names.
headers() {
	(cd "$top/user/include" && find . -name '*.h' -o -name '*.inc') | sort | sed 's|^\./||' | while read -r header; do
		file 644 "$top/user/include/$header" "$prefix/include/vcpc/$header"
	done
	file 644 "$top/include/uapi/linux/vcpc.h" "$prefix/include/vcpc/linux/vcpc.h"
}

# Express the library's directory relative to the prefix if it is below it.
pkgconfig() {
	for pc in "$top"/scripts/pkgconfig/*.pc.in; do
		name=$(basename "$pc" .in)
		sed "s|@LIBDIR@|$libdir|; s|@PREFIX@|$prefix|; s|@VERSION@|$version|; s|^libdir=$prefix/|libdir=\${prefix}/|" "$pc" >"$work/$name"
		file 644 "$work/$name" "$libdir/pkgconfig/$name"
	done
}

# Install one page per file, and a page that refers to it for each other name in its heading and each call in its
# synopsis.  PCP's packages have pages for its trace calls, so ours have the suffix "vcpc".
manual() {
	mkdir -p "$work/man"
	awk -v man="$man" -v work="$work/man" '
		function target(name) { return "man" section "/" name "." section (name ~ /^pmtrace/ ? "vcpc" : "") }
		function put(name, from) {
			if (!((name, section) in seen))
				print "644|" from "|" man "/" target(name)
			seen[name, section] = 1
		}
		function refer(name, to, from) {
			if ((name, section) in seen || (name "." section) in pages)
				return
			to = target(name)
			sub(/.*\//, "", to)
			from = work "/" to
			print ".so " target(base) >from
			close(from)
			put(name, from)
		}
		BEGIN {
			for (i = 1; i < ARGC; i++) {
				name = ARGV[i]
				sub(/.*\//, "", name)
				pages[name]
			}
		}
		FNR == 1 {
			base = FILENAME
			sub(/.*\//, "", base)
			section = base
			sub(/.*\./, "", section)
			sub(/\.[0-9]$/, "", base)
			heading = 0
			put(base, FILENAME)
		}
		/^\.SH/ { heading = /^\.SH NAME/; next }
		heading && !/^\./ {
			last = sub(/ \\- .*/, "")
			gsub(/,/, " ")
			gsub(/\\-/, "-")
			for (i = 1; i <= NF; i++)
				refer($i)
			if (last)
				heading = 0
		}
		section == 3 && /^\.BI* ".*[ *][A-Za-z_0-9]+\(/ {
			call = $0
			sub(/\(.*/, "", call)
			sub(/.*[ *]/, "", call)
			if (call ~ /^[A-Za-z_0-9]+$/)
				refer(call)
		}' "$top"/Documentation/man/*.[1-8]
}

# The group with access to /dev/vcpc, and its udev rule, which only the module needs
system() {
	[ "$action" = uninstall ] || has_module || return 0
	file 644 "$top/scripts/system/60-vcpc.rules" "/usr/lib/udev/rules.d/60-vcpc.rules"
	file 644 "$top/scripts/system/vcpc.conf" "/usr/lib/sysusers.d/vcpc.conf"
}

has_module() {
	case ${MODULE:-if-built} in
	no) return 1 ;;
	if-built) [ -e "$build/vcpc.ko" ] ;;
	esac
}

module() {
	[ "$action" != uninstall ] && has_module || return 0
	file 644 "$build/vcpc.ko" "/lib/modules/$(release)/extra/vcpc.ko"
}

release() { /sbin/modinfo -F vermagic "$build/vcpc.ko" 2>/dev/null | cut -d ' ' -f 1; }

files() {
	commands
	library
	python
	agent
	headers
	pkgconfig
	manual
	system
	module
}

# Check that all files exist before installing any.
all_built() {
	while IFS='|' read -r _ from _; do
		if [ "$from" != - ] && ! [ -e "$from" ]; then
			echo "install: ${from#"$top"/} has not been built; run 'make' first (not as root)" >&2
			return 1
		fi
	done <"$work/.files"
}

# Run install once for all files with the same mode and directory.
put() {
	awk -F '|' -v dest="$dest" '
		function quoted(text) { gsub(/\047/, "\047\\\047\047", text); return "\047" text "\047" }
		{
			folder = dest $3
			name = $3
			sub(/\/[^\/]*$/, "", folder)
			sub(/.*\//, "", name)
		}
		!(folder in made) { made[folder]; print "mkdir -p " quoted(folder) }
		$1 ~ /^-> / { print "ln -sf " quoted(substr($1, 4)) " " quoted(dest $3); next }
		$2 !~ ("/" name "$") { print "install -m " $1 " " quoted($2) " " quoted(dest $3); next }
		{ files[$1 " -t " quoted(folder)] = files[$1 " -t " quoted(folder)] " " quoted($2) }
		END { for (group in files) print "install -m " group files[group] }' "$work/.files" >"$work/.commands"
	sh -e "$work/.commands"
	awk -F '|' '{ print "  INSTALL " $3 }' "$work/.files"
}

# Remove the module from all kernels.
modules() {
	[ "${MODULE:-}" != no ] || return 0
	for module in "$dest"/lib/modules/*/extra/vcpc.ko; do
		[ ! -e "$module" ] || echo "$module"
	done
}

# Do not remove the files of Debian packages; apt does that.
leave_packaged() {
	[ -z "$dest" ] && command -v dpkg-query >/dev/null || return 0
	tr '\n' '\0' <"$work/.targets" | xargs -0 dpkg-query -S 2>/dev/null | grep -v '^diversion ' >"$work/.owners" || :
	sed 's/.*: //' "$work/.owners" | grep -vxFf - "$work/.targets" >"$work/.ours" || :
	awk -F ': ' '{ print "  KEEP    " $2 " (of the package " $1 ")" }' "$work/.owners"
	mv "$work/.ours" "$work/.targets"
}

# Remove files first, then our own directories and, below a DESTDIR, empty ones.
take() {
	{ awk -F '|' -v dest="$dest" '{ print dest $3 }' "$work/.files" && modules; } >"$work/.targets"
	leave_packaged
	status=0
	# Remove the files that Python has generated.
	[ -z "$pythondir" ] || rm -rf "$dest$pythondir/vcpc/__pycache__"
	tr '\n' '\0' <"$work/.targets" | xargs -0 -r rm -vf >"$work/.removed" || status=1
	sed 's/^removed /  REMOVE  /' "$work/.removed"
	awk -v dest="$dest" '
		{
			while (sub(/\/[^\/]*$/, "") && length($0) > length(dest))
				if (!($0 in seen) && (dest != "" || $0 ~ /\/vcpc(\/|$)/)) {
					seen[$0]
					print length($0), $0
				}
		}' "$work/.targets" | sort -rn | cut -d ' ' -f 2- | tr '\n' '\0' |
		xargs -0 -r rmdir --ignore-fail-on-non-empty 2>/dev/null || :
	[ $status = 0 ] || echo "uninstall: some files could not be removed (see above)" >&2
	return $status
}

# Remove the agent from pmcd's configuration, because pmcd can no longer start it.
leave_collector() {
	[ -z "$dest" ] && [ -x /var/lib/pcp/pmdas/vcpc/Remove ] && grep -q '^vcpc[[:space:]]' /etc/pcp/pmcd/pmcd.conf 2>/dev/null || return 0
	(cd /var/lib/pcp/pmdas/vcpc && ./Remove </dev/null) || echo "uninstall: the agent is still configured in /etc/pcp/pmcd/pmcd.conf" >&2
}

# Update caches of the running system, unless DESTDIR is set.
announce() {
	[ -z "$dest" ] || return 0
	ldconfig
	if command -v udevadm >/dev/null; then udevadm control --reload 2>/dev/null || :; fi
	if [ "$action" = install ] && [ -e "$build/vcpc.ko" ] && [ "${MODULE:-}" != no ]; then depmod "$(release)"; fi
	if [ "$action" = uninstall ]; then
		sed -n 's|^/lib/modules/\(.*\)/extra/vcpc\.ko$|\1|p' "$work/.targets" | while read -r kernel; do depmod "$kernel"; done
	fi
}

advise() {
	[ -z "$dest" ] || return 0
	getent group vcpc >/dev/null || groupadd --system vcpc
	echo "install: to allow a user to count their own threads, add the user to the group vcpc: usermod -aG vcpc USER"
	echo "install: the original systems' commands (cpustat, pmtrace, ...) are in $prefix/lib/vcpc/bin"
	for command in "$prefix/bin/vcpc" "$prefix/lib/vcpc/bin/pmtrace"; do
		ldd "$command" 2>/dev/null | grep -q 'libshim.*not found' || continue
		echo "install: $command cannot find $libdir/$soname; as root: echo $libdir >/etc/ld.so.conf.d/vcpc.conf; ldconfig"
	done
	if ! [ -e "$build/vcpc.ko" ]; then
		echo "install: the module was not built and is not installed; 'make module' builds it"
	elif [ "$(release)" != "$(uname -r)" ]; then
		echo "install: vcpc.ko was built for Linux $(release), but the running kernel is $(uname -r); boot Linux $(release) to load it"
	fi
}

files >"$work/.files"
case $action in
list) cat "$work/.files" ;;
install)
	all_built
	put
	announce
	advise
	;;
uninstall)
	if [ -z "$dest" ] && [ -d /sys/module/vcpc ]; then
		echo "uninstall: the module stays loaded until 'rmmod vcpc', which fails while a program uses it"
	fi
	leave_collector
	failed=0
	take || failed=1
	announce
	exit $failed
	;;
*) sed -n '4,12s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
