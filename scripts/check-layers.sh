#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Check that every file includes only headers of lower layers.
set -eu
cd "$(dirname "$0")/.."
bad=0

# forbid RULE PATTERN DIR...: fail if an #include in these directories matches
forbid() {
	why=$1 pattern=$2
	shift 2
	for folder; do
		[ -d "$folder" ] || continue
		if grep -rnE --include='*.[ch]' "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($pattern)" "$folder"; then
			echo "check-layers: $folder: $why" >&2
			bad=1
		fi
	done
}

faces='pcp/[a-z_]*\.h|cpc/[a-z_]*\.h|aix/[a-z_]*\.h|trace/|shim/'
forbid "the module includes nothing of user space" 'user/|core/|archive/|bpf/|base/|stdio|string\.h|unistd' kmod
forbid "the uapi header includes only linux/types.h and linux/ioctl.h" 'asm/|std|sys/|pcp/' include/uapi
forbid "BPF programs include only their own headers" '[^>"]*user/|core/|archive/' bpf
forbid "base stands alone" "core/|archive/|pdu/|linux/vcpc|$faces" user/base
forbid "core knows no face and no archive" "archive/|pdu/|$faces" user/core
forbid "archive knows no context, no front end, no live counter" "core/|pdu/|linux/vcpc|$faces" user/archive
forbid "live knows no face, and of archives the shapes only" 'archive/[^t]|pdu/|pcp/|cpc/|aix/|shim/' user/live
forbid "the agent has PCP's own headers and what is below the faces" 'pdu/|cpc/|aix/|shim/|archive/' tools/pmda
forbid "pdu knows no context, no front end, no archive" "core/|archive/|linux/vcpc|$faces" user/pdu
forbid "a face never includes another" 'cpc/|aix/|trace/|shim/|pcp/trace' user/pcp
forbid "a face never includes another" 'pcp/|aix/|trace/|shim/|archive/|pdu/' user/cpc
forbid "a face never includes another" 'pcp/|cpc/|trace/|shim/|archive/|pdu/' user/aix
forbid "a face never includes another" 'pcp/pmapi|cpc/|aix/|shim/|archive/|pdu/pdu|pdu/wire' user/trace
forbid "a face never includes another" 'pcp/pmapi|pcp/import|cpc/|aix/|trace/|pdu/' user/shim
forbid "tools see public headers only" 'base/|core/|archive/|pdu/|.*user/' tools
forbid "only selftests/unit sees internals" 'base/|core/|archive/|.*user/' \
	selftests/aix selftests/bench selftests/bpf selftests/cpc selftests/pcp selftests/shim selftests/tools selftests/trace selftests/vcpc

# Only one file may access state that the library shares with its process.  TZ and POSIXLY_CORRECT belong to the
# C library.
if grep -rnE 'pthread_(atfork|key_create|setcancelstate)|[^_a-z](secure_)?getenv\(' user --include='*.[ch]' |
	grep -vE '^user/base/process\.|^user/pcp/config\.c|getenv\("(TZ|POSIXLY_CORRECT)"\)'; then
	echo "check-layers: only user/base/process.c may call these" >&2
	bad=1
fi

# A call dispatches through the table of its context's source instead of testing the kind of the source.
if grep -nE 'ctx->(ar|host|local)\>' user/pcp/*.c | grep -vE '^user/pcp/(context|archive|host|local)[a-z_]*\.c'; then
	echo "check-layers: add an operation to struct shim_source in user/pcp/context.h" >&2
	bad=1
fi

# Differences between kernels are detected by compiling, not by version.
if grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION' kmod --include='*.[ch]'; then
	echo "check-layers: no file may test the kernel's version; add a probe to kmod/compat/have/" >&2
	bad=1
fi
exit $bad
