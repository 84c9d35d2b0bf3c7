#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# zsh completes commands, options, events, archives and metrics of vcpc, and displays them on a
# terminal.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
export ZSH="${ZSH:-zsh}"
if ! command -v "$ZSH" >/dev/null; then
	echo "1..0 # SKIP zsh is not installed"
	exit 4
fi
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
PATH=${VCPC_BUILD:-$top/build/$(uname -m | sed 's/aarch64/arm64/')}/bin:$PATH
evidence="$dir/log $dir/err"
export LC_ALL=C.UTF-8 TERM=xterm COLUMNS=120
cd "$dir" || exit
mkdir fpath && cp "$top/tools/completion/_vcpc" fpath

# Run a shell on a terminal; it lists all completions at the cursor.
cat >shell.zsh <<'END'
zmodload zsh/zpty
zpty shell "$ZSH -f -i"
send() { zpty -w shell "$1"; }
send "fpath=($PWD/fpath \$fpath); autoload -U compinit; compinit -u -d $PWD/zcompdump; PS1=; unsetopt prompt_cr prompt_sp; LISTMAX=10000"
send "zstyle ':completion:*' list-prompt ''; bindkey '^X' list-choices; bindkey '^G' send-break"
send 'echo rea""dy'
zpty -r shell seen '*ready*'
seen=
zpty -w -n shell "$1"$'\x18'
# Wait for the first output; the rest follows at once.
for (( i = 0; i < 100; i++ )); do
	said=
	while zpty -rt shell part; do said+=$part; done
	seen+=$said
	print -r -- "$seen" | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g' | tr -d '\r' >log
	[[ -z $said ]] && grep -qE -- "$2" log && break
	sleep 0.1
done
END

# offers LINE PATTERN: check that the list of completions for LINE matches PATTERN
offers() {
	"$ZSH" -f shell.zsh "$1" "$2" 2>"$dir/err"
	grep -qE -- "$2" "$dir/log"
}

offers 'vcpc re' 'report *-- write an HTML page' && grep -q '^record ' log && ! grep -q '^stat ' log; result "commands, with descriptions"
offers 'vcpc stat --per-thr' '^--per-thread +-- also print'; result "options"
offers 'vcpc stat -' '--multiplex *-- count more events'; result "options, with descriptions"
offers 'vcpc trace st' 'status'; result "subcommands of trace"
offers 'vcpc trace on --begins=' 'kernel +user'; result "values of --begins"
offers 'vcpc stat -e page-f' 'page-faults *-- page faults'; result "events, with descriptions"
offers 'vcpc record -e task-clock,page-f' 'page-faults *-- page faults'; result "events after a comma"
vcpc record -o "$dir/run" -e page-faults -- true >/dev/null 2>&1; [ -e "$dir/run.meta" ]; result "an archive is recorded"
offers 'vcpc report r' '^run' && ! grep -qF run. log; result "archives, without file suffixes"
offers 'vcpc replay run vcpc.count' 'vcpc\.count\.page_faults'; result "metrics of the given archive"
done_testing
