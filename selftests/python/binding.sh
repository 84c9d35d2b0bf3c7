#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# The declarations of the Python package vcpc match the headers, and its behavior matches its page.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
python=${PYTHON:-python3}

VCPC_BUILD=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}
# Exit with status 4 to skip the whole program.
command -v "$python" >/dev/null || { echo "# $python is not installed"; exit 4; }
export VCPC_BUILD LD_LIBRARY_PATH="$VCPC_BUILD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export PYTHONPATH="$top/user/python" PYTHONDONTWRITEBYTECODE=1 SHIM_BACKEND=perf SHIM_TRACE=none PCP_DERIVED_CONFIG=''
exec "$python" -W error "$here/tap.py" "$here"
