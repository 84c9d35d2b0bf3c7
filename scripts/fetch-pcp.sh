#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Fetch another version of PCP through apt into the cache, to compare it with our library: its
# libraries, programs and headers, and the C library that they need.  Nothing is installed.
#
# usage: fetch-pcp.sh 6.3.8|7.2.2 [path]
#
# Print the directory.  With "path", print it without fetching anything.  The directory contains:
#
#   run PROGRAM ARGUMENT...   run a program, or one of PCP's programs by name, with that PCP and its
#                             Python; libraries in LD_LIBRARY_PATH come first
#   ldflags                   linker flags for a program that always runs with that PCP
#   usr/include               headers (of libpcp3 in 6.3.8, of libpcp4 in 7.2.2)
#   etc/pcp.conf              its configuration, with paths inside the directory
#
# A program linked with any libpcp.so.3 runs with both versions.  The directory of 7.2.2 also contains
# libpcp.so.4, PCP's Python binding and tools, pcp-htop, Cockpit's bridge and a Valkey server for pmseries.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
version=${1:?usage: fetch-pcp.sh 6.3.8|7.2.2 [path]}
case $version in
6.3.8) suite=trixie newer='' whole=usr/include/pcp/import.h alone='pcp libpcp3-dev libpcp-import1-dev libpcp-trace2-dev' ;;
7.2.2) suite=sid whole=usr/bin/valkey-server
	newer='libpcp4 libpcp-import2 python3-minimal libpython3-stdlib libatomic1 libjemalloc2 liblzf1 libstdc++6'
	alone='pcp libpcp4-dev libpcp-import2-dev libpcp-trace2-dev python3-pcp pcp-export-pcp2json pcp-export-pcp2xml
		python3-requests python3-certifi python3-charset-normalizer python3-idna python3-urllib3
		pcp-htop cockpit-bridge valkey-server valkey-tools' ;;
*) echo "fetch: unknown PCP version '$version' (known: 6.3.8, 7.2.2)" >&2; exit 2 ;;
esac
packages="libpcp3 libpcp-archive1 libpcp-gui2 libpcp-import1 libpcp-mmv1 libpcp-pmda3 libpcp-trace2
	libpcp-web1 libncursesw6 libpfm4 libreadline8t64 libuv1t64 $newer"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/vcpc
place=$cache/pcp-$version
if [ "${2:-}" = path ]; then
	echo "$place"
	exit
fi

say() { echo "fetch: $*" >&2; }

mkdir -p "$cache"
exec 9>"$cache/.pcp-$version.lock"
flock 9
# An earlier version of this script may have created the directory with fewer headers.
if [ -e "$place/.done" ] && [ -e "$place/$whole" ]; then
	echo "$place"
	exit
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/lists/partial" "$work/debs" "$work/archives/partial"
# The Release file of sid may have expired on a mirror.
echo "deb [check-valid-until=no] http://deb.debian.org/debian $suite main" >"$work/sources"

# apt_for TOOL ARGUMENT...: run apt with separate package lists, without installing anything.  Its
# archive is empty because --print-uris omits packages that are already in the archive.
apt_for() {
	tool=$1
	shift
	"apt-$tool" -q -oAPT::Sandbox::User=root -oAcquire::Languages=none -oDir::State::Lists="$work/lists" -oDir::Cache::archives="$work/archives" \
		-oDir::Etc::sourcelist="$work/sources" -oDir::Etc::sourceparts=/dev/null \
		-oDir::State::status=/dev/null -oDir::Cache::pkgcache= -oDir::Cache::srcpkgcache= "$@" 9>&-
}

# fail TEXT: print it with the end of apt's output
fail() {
	tail -n 5 "$work/log" >&2
	say "$@"
	exit 1
}

say "package lists of Debian $suite (10 MB, not kept)"
apt_for get update >"$work/log" 2>&1 || fail "could not fetch the package lists of Debian $suite"
found=$(apt_for cache show libpcp3 2>/dev/null | sed -n 's/^Version: //p' | head -n 1)
case $found in
"$version"-*) ;;
*) fail "Debian $suite has PCP ${found:-none}, not $version" ;;
esac

# Omit dependencies: pcp depends on Python and Perl, the headers on the C library's headers.
# shellcheck disable=SC2086
apt_for get -y --no-install-recommends --print-uris install $packages 2>"$work/log" |
	sed -n "s/^'[^']*' \([^_ ]*\)_.*/\1/p" >"$work/names"
[ -s "$work/names" ] || fail "apt finds no packages of PCP $version"
# shellcheck disable=SC2046,SC2086
set -- $(cat "$work/names") $alone
size=$(apt_for get download --print-uris "$@" 2>/dev/null | awk -f "$here/megabytes.awk")
say "PCP $version, $size, into $place"
(cd "$work/debs" && apt_for get download "$@" >"$work/log" 2>&1) || fail "could not fetch PCP $version"

# Replace the directory at the end, because programs may be using it.
final=$place
place=$place.new
rm -rf "$place"
mkdir "$place"
for file in "$work"/debs/*.deb; do
	dpkg -x "$file" "$place"
done
rm -rf "${place:?}/usr/share/doc" "$place/usr/share/man" "$place/usr/share/locale"
sed -i -E "s#=/(etc|usr|var|run)\b#=$place/\1#" "$place/etc/pcp.conf"
loader=$(find "$place" -name 'ld-linux*.so.*' | head -n 1)
libraries=$(echo "$place"/usr/lib/*-linux-gnu*):$place/usr/lib
echo "-Wl,--dynamic-linker,$loader,--allow-shlib-undefined,--disable-new-dtags,-rpath,$libraries" >"$place/ldflags"
# Python's own search for a library uses the machine's linker cache.
python=$(basename "$place"/usr/bin/python3.*)
if [ "$python" != 'python3.*' ]; then
	rm -f "$place/usr/lib/$python/sitecustomize.py"
	cat >"$place/usr/lib/$python/sitecustomize.py" <<-END
		import ctypes.util, glob, os

		def find_library(name):
		    found = glob.glob("$place/usr/lib/*-linux-gnu*/lib%s.so.*" % name)
		    return os.path.basename(max(found, key=lambda path: (-len(path), path))) if found else None

		ctypes.util.find_library = find_library
	END
fi
cat >"$place/run" <<END
#!/bin/sh
# run PROGRAM ARGUMENT...: run it with PCP $version, its C library and its Python
program=\$1
shift
case \$program in
*/*) ;;
python3) program=$place/usr/bin/$python ;;
*) for folder in usr/bin usr/lib/pcp/bin usr/libexec/pcp/bin; do
	[ ! -x "$place/\$folder/\$program" ] || { program=$place/\$folder/\$program; break; }
done ;;
esac
libraries=\${LD_LIBRARY_PATH:+\$LD_LIBRARY_PATH:}$libraries
case \$(head -n 1 "\$program" | tr -d '\\0') in
'#!'*python*) set -- "\$program" "\$@"; program=$place/usr/bin/$python ;;
esac
PCP_CONF=\${PCP_CONF:-$place/etc/pcp.conf} exec "$loader" --library-path "\$libraries" "\$program" "\$@"
END
chmod +x "$place/run"
sed -i "s#$place#$final#g" "$place/run" "$place/ldflags" "$place/etc/pcp.conf"
[ "$python" = 'python3.*' ] || sed -i "s#$place#$final#g" "$place/usr/lib/$python/sitecustomize.py"
touch "$place/.done"
rm -rf "$final"
mv "$place" "$final"
echo "$final"
