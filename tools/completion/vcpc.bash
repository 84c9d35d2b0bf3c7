# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of the vcpc command for bash: commands, options, events, archives and their metrics.
#
# Commands and options are read from the output of --help.
# shellcheck shell=bash

_vcpc_commands() { vcpc --help 2>/dev/null | sed -n 's/^  \([a-z]\{1,\}\) .*/\1/p'; }

_vcpc_options() { vcpc "$1" --help 2>/dev/null | grep -oE '(^|[ [|])-(-[a-z][a-z-]+|[a-zA-Z]\b)' | tr -d ' [|' | sort -u; }

_vcpc_events() { vcpc events 2>/dev/null | sed 's/ .*//'; }

_vcpc_archives() { compgen -f -X '!*.meta' -- "$1" | sed 's/\.meta$//'; compgen -d -S / -- "$1"; }

_vcpc_metrics() { [ ! -e "$1.meta" ] || vcpc dump -d "$1" 2>/dev/null | sed -n 's/^\([A-Za-z][A-Za-z0-9_.]*\): .*/\1/p'; }

# Complete the last item of a comma-separated list.
_vcpc_last_event() {
	local before=
	case $1 in *,*) before=${1%,*}, ;; esac
	compgen -P "$before" -W "$(_vcpc_events)" -- "${1##*,}"
}

# Print the candidates for the word, which depend on the command, the previous word, and earlier options.
_vcpc_words() {
	local command=$1 previous=$2 current=$3 archive=$4

	case $previous in
	-e | --events) _vcpc_last_event "$current"; return ;;
	--format) compgen -W $'json\nperfetto' -- "$current"; return ;;
	-m | --mode) compgen -W $'interp\nforw\nback' -- "$current"; return ;;
	--begins=) compgen -W $'kernel\nuser' -- "$current"; return ;;
	-o | --output | --function | --usdt) compgen -f -- "$current"; return ;;
	esac
	case $command:$current in
	*:-*) compgen -W "$(_vcpc_options "$command")" -- "$current" ;;
	trace:*) compgen -W $'on\noff\nstatus\nfunctions\nshow\nexport' -- "$current" ;;
	help:*) compgen -W "$(_vcpc_commands)" -- "$current" ;;
	stat:* | record:*) compgen -c -- "$current" ;;
	replay:* | dump:* | summary:*)
		if [ -n "$archive" ]; then compgen -W "$(_vcpc_metrics "$archive")" -- "$current"; else _vcpc_archives "$current"; fi
		;;
	compare:* | check:* | label:* | report:*) _vcpc_archives "$current" ;;
	esac
}

_vcpc() {
	local IFS=$'\n' word archive='' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}

	if [ "$COMP_CWORD" = 1 ]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_vcpc_commands)"$'\n--help\n--version' -- "$current")
		return
	fi
	# bash splits --option=value into three words.
	if [ "$current" = = ]; then
		previous+== current=''
	elif [ "$previous" = = ]; then
		previous=${COMP_WORDS[COMP_CWORD-2]}=
	fi
	for word in "${COMP_WORDS[@]:2:COMP_CWORD-2}"; do
		[ -n "$archive" ] || [ ! -e "$word.meta" ] || archive=$word
	done
	# Use mapfile, because a name such as '*' must not be expanded.
	mapfile -t COMPREPLY < <(_vcpc_words "${COMP_WORDS[1]}" "$previous" "$current" "$archive")
}

complete -F _vcpc vcpc
