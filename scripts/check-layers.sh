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

apis='pcp/[a-z_]*\.h|cpc/[a-z_]*\.h|aix/[a-z_]*\.h|trace/|shim/'
forbid "the module must not include headers of user space" 'user/|core/|archive/|bpf/|base/|stdio|string\.h|unistd' kmod
forbid "the uapi header must include only linux/types.h and linux/ioctl.h" 'asm/|std|sys/|pcp/' include/uapi
forbid "BPF programs must include only headers of bpf" '[^>"]*user/|core/|archive/' bpf
forbid "base must not include headers of other layers" "core/|archive/|pdu/|linux/vcpc|$apis" user/base
forbid "core must not include headers of archive, pdu or the APIs" "archive/|pdu/|$apis" user/core
forbid "archive must not include headers of core, pdu, the module or the APIs" "core/|pdu/|linux/vcpc|$apis" user/archive
forbid "live must not include headers of pdu or the APIs, and of archive only types.h" 'archive/[^t]|pdu/|pcp/|cpc/|aix/|shim/' user/live
forbid "the agent must not include headers of archive, pdu or our APIs" 'pdu/|cpc/|aix/|shim/|archive/' tools/pmda
forbid "pdu must not include headers of core, archive, the module or the APIs" "core/|archive/|linux/vcpc|$apis" user/pdu
forbid "an API must include only headers of its own layers" 'cpc/|aix/|trace/|shim/|pcp/trace' user/pcp
forbid "an API must include only headers of its own layers" 'pcp/|aix/|trace/|shim/|archive/|pdu/' user/cpc
forbid "an API must include only headers of its own layers" 'pcp/|cpc/|trace/|shim/|archive/|pdu/' user/aix
forbid "an API must include only headers of its own layers" 'pcp/pmapi|cpc/|aix/|shim/|archive/|pdu/pdu|pdu/wire' user/trace
forbid "an API must include only headers of its own layers" 'pcp/pmapi|pcp/import|cpc/|aix/|trace/|pdu/' user/shim
forbid "tools must include only public headers" 'base/|core/|archive/|pdu/|.*user/' tools
forbid "only selftests/unit may include internal headers" 'base/|core/|archive/|.*user/' \
	selftests/aix selftests/bench selftests/bpf selftests/cpc selftests/pcp selftests/shim selftests/tools selftests/trace selftests/vcpc

# Only one file may access state that the library shares with its process.  TZ and POSIXLY_CORRECT belong to the
# C library.
if grep -rnE 'pthread_(atfork|key_create|setcancelstate)|[^_a-z](secure_)?getenv\(' user --include='*.[ch]' |
	grep -vE '^user/base/process\.|^user/pcp/config\.c|getenv\("(TZ|POSIXLY_CORRECT)"\)'; then
	echo "check-layers: only user/base/process.c may call these" >&2
	bad=1
fi

# Calls must dispatch through the operations of a context's source instead of testing the kind of the source.
if grep -nE 'ctx->(ar|host|local)\>' user/pcp/*.c | grep -vE '^user/pcp/(context|archive|host|local)[a-z_]*\.c'; then
	echo "check-layers: add an operation to struct shim_source in user/pcp/context.h" >&2
	bad=1
fi

# Differences between kernels must be detected by compiling, not by version.
if grep -rnE 'LINUX_VERSION_CODE|KERNEL_VERSION' kmod --include='*.[ch]'; then
	echo "check-layers: no file may test the kernel's version; add a probe to kmod/compat/have/" >&2
	bad=1
fi
exit $bad
