#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Pack the committed source as vcpc-VERSION.tar.xz; called by make dist.
#
# usage: dist.sh DIR
#
# The file is reproducible: times, owners and order depend only on the commit.
set -eu
folder=${1:?usage: dist.sh DIR}
top=$(cd "$(dirname "$0")/.." && pwd)
version=$(cat "$top/VERSION")

git -C "$top" rev-parse -q --verify HEAD >/dev/null || { echo "dist: not a git checkout" >&2; exit 1; }
[ -z "$(git -C "$top" status --porcelain --untracked-files=no)" ] || echo "dist: uncommitted changes are not included" >&2
mkdir -p "$folder"
git -C "$top" archive --format=tar --prefix="vcpc-$version/" HEAD >"$folder/vcpc-$version.tar"
xz -T1 -6 -f "$folder/vcpc-$version.tar"
echo "$folder/vcpc-$version.tar.xz"
