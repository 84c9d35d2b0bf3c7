#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Find phrases that are not idiomatic English, or not the project's terms, in documentation, messages and comments.
#
# usage: check-words.sh [FILE...]
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
patterns=$(mktemp)
trap 'rm -f "$patterns"' EXIT

# An extended regular expression in lower case, a tab, and the replacement.  It must match whole words; [|] is the
# start or end of a sentence.  "allow" lists phrases that match by mistake.
sed '/^$/d; s/  *	/	/' >"$patterns" <<'END'
allow	[$]folder|at least|successfully initialised|struct heir|the manual says|lags? behind|if none can|least recently|least significant|there (is|are) no|interval in least and most

whom|whoever	name the person: the user that ...
who (uses|wants|has|comes|needs|looks)	users that ...
(may|can|must|could|might)([.,;:)]| [|])	complete the verb: may do what?
(be|is|are) had	is allowed, is possible, is available
[|] of (the|each|it|its|all|such|a|an|these|inherited|counters|transactions|several|many)	subject first: "inherited threads report ...", not "of inherited threads ..."
(of|has|have|that) such([.,;:)]| [|])|such itself	name it again
but for|all but	except, unless
none but|nothing but	only
behind|beside	after, next to, in addition to, compared with
over perf|by perf's pages|by the pages	through
(is|are|was|were) (not )?(gone|there|here)([.,;:)]| [|]| (already|then|now|still|while|when|as|and|or|but|it))	exists, is loaded, was removed, is provided
(is|are) not (there|here)|(that|which) there (is|are) not|one that there	does not exist, is unknown, was not found
tells?|told	reports, receives, shows
says|said	reports, prints, describes
lets?|letting	allows, makes; or give the reason
does not care|makes? do	say what it does
(once|twice|rates?|seconds|events|many|lines?|calls?|instructions|samples?|transactions|[0-9]) an? (second|side|file|row|line|process|transaction|event|minute|hour|call|point|cpu|thread)|times an? (second|minute|hour|day)	per second, per side, ...
so (many|often)|for so long	N, N times, this long
least|greatest	minimum, maximum
[^ ]+, as (it|they|that|this|there|nobody|nothing|no|those|these)	because
[^ ]+, (too|also)([.,;:)]| [|])	also, in front of the verb
as (it|they) (is|are|was|were)	unchanged, raw
(is|are) no (interval|name|terminal|time|number|metric|archive|event|option|file|directory|command)	is not a ...
(or|and) [^ ]+ are([.;:)]| [|])	invalid ... (examples: ...)
may be given again|with commas between	can be repeated; comma-separated
(runs?|running|started|exists?|on|off) already|already (there|here)	running ..., already exists
(is|are) to be	must be, is
goes? off|goes on|go on	starts, continues
[^ ]+ meanwhile([.,;:)]| [|])	in the meantime
again and again	repeatedly
and the like	and similar ...
as (the )?[^ ]+ (has|have|lists?|knows?) (it|them)	as in, like
(is|are|be) of one (instant|moment)	are taken at the same instant
(of|on) each side	per side, of both sides
for the time of	for the duration of
(has|have|had) most ([a-z]+)	the longest, the largest
(what|how)ever [a-z]+ (it|they|the [^ ]+|its [^ ]+|[^ ]+) (is|are)	regardless of
nobody|somebody|anybody	no process, another process, a user
heirs?|errands?|bequeath[a-z]*|deprive[a-z]*|rehearse[a-z]*	inherited instance, deferred work, invalidate, try
(take|takes|took|its|their|own|event's|last|each) turns?	multiplex slot, in turn
(a|each|one|of the|first) looks?|look to look	refresh, sample
the house|its faces?|a face|rooms|(a|each|every|which|lower) room	source tree, API, directory
(which|what) way	transport
folders?	directory (except for a variable's name)
until now|as of commit|since the (first|last) review	history belongs in CHANGELOG.md
i come from	coming from
licences?|behaviours?|colours?|neighbours?|favourites?|honours?|centres?|(initiali|recogni|optimi|synchroni|organi|seriali|summari|normali)s(e|es|ed|ing|ation)	American spelling
END

cd "$top"
# shellcheck disable=SC2046
[ $# -gt 0 ] || set -- README.md CHANGELOG.md CONTRIBUTING.md Documentation/*.rst Documentation/site/*.rst Documentation/api/*.rst \
	Documentation/man/*.[1-8] $(find bpf include kmod selftests tools user -name '*.[ch]') Makefile Kbuild \
	$(find bpf include kmod scripts selftests tools user -name '*.sh' -o -name '*.awk' -o -name '*.py' -o -name '*.mk' \
	-o -name Makefile -o -name Kbuild) selftests/vm/run selftests/vm/init
LC_ALL=C awk -f scripts/check-words.awk "$patterns" "$@"
