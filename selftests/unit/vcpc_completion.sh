#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# bash completes commands, options, events, archives and metrics of vcpc.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
PATH=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}/bin:$PATH
evidence=$dir/log
# shellcheck source=../../tools/completion/vcpc.bash
. "$top/tools/completion/vcpc.bash"
cd "$dir" || exit

# offers LINE...: print the completions of the last word
offers() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_vcpc
	printf '%s\n' "${COMPREPLY[@]}" >"$dir/log"
}

offers vcpc re; [ "$(sort "$dir/log" | tr '\n' ' ')" = 'record replay report ' ]; result "commands"
offers vcpc stat --per-thr; grep -qx -- --per-thread "$dir/log"; result "options"
offers vcpc trace on --be; grep -qx -- --begins "$dir/log"; result "options of trace on"
offers vcpc trace on --begins =; [ "$(sort "$dir/log" | tr '\n' ' ')" = 'kernel user ' ]; result "values of --begins"
offers vcpc trace on --begins = u; grep -qx user "$dir/log"; result "values of --begins that start with a letter"
offers vcpc trace st; grep -qx status "$dir/log"; result "subcommands of trace"
offers vcpc replay x -m b; grep -qx back "$dir/log"; result "modes of replay"
offers vcpc trace export --format p; grep -qx perfetto "$dir/log"; result "formats of trace export"
offers vcpc stat -e page-f; grep -qx page-faults "$dir/log"; result "events"
offers vcpc record -e task-clock,page-f; grep -qx task-clock,page-faults "$dir/log"; result "events after a comma"
vcpc record -o "$dir/run" -e page-faults -- true >/dev/null 2>&1; [ -e "$dir/run.meta" ]; result "an archive is recorded"
offers vcpc replay r; grep -qx run "$dir/log" && ! grep -q meta "$dir/log"; result "archives, without file suffixes"
offers vcpc report r; grep -qx run "$dir/log"; result "archives for report"
offers vcpc replay run vcpc.count; grep -qxE 'vcpc.count.page_faults(_u)?' "$dir/log"; result "metrics of the given archive"
offers vcpc summary other vcpc.; [ "$(cat "$dir/log")" = '' ]; result "no metrics without an archive"
offers vcpc nonsense x; [ "$(cat "$dir/log")" = '' ]; result "nothing for an unknown command"
done_testing
