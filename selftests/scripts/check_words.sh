#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/check-words.sh finds each of its phrases in all kinds of files, and accepts plain English, code and its exceptions.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=../tap.sh
. "$(dirname "$0")/../tap.sh"
evidence=$dir/log

# found FILE: check that a phrase is reported with the file's name and a line number
found() { ! "$top/scripts/check-words.sh" "$1" >"$dir/log" 2>&1 && grep -q "^$1:[0-9]*: " "$dir/log"; }
clean() { "$top/scripts/check-words.sh" "$@" >"$dir/log" 2>&1 && [ ! -s "$dir/log" ]; }

# One sentence for each pattern, or two sentences for a pattern whose parts have different forms
cat >"$dir/bad" <<'END'
It reports the users for whom it counts.
There are guides for who comes from Solaris.
It reports whether it may.
Only one of the options can be had.
Of inherited threads it has only the sum.
The module has no means of such.
The command is not run, but for the option.
A ratio stands behind the name.
The maps are read by the pages.
A call that is not there is not declared.
The statistics are gone.
A zone that there is not is an error.
The thread is told of its overflow.
The command says why.
It lets the kernel count.
Readers make do with most of it.
It prints the rates a second.
It looks five times a second.
Run it so often.
It prints the least value.
It is refused, as it takes a thread.
PCP reads them, too.
Each record as it is.
This is no interval of time.
The modes interp, forw and back are.
The option may be given again.
Count what runs already.
Tracing is to be on.
The replay goes off from here.
It binds the set again and again.
Another thread has changed it meanwhile.
The names of perf, libpfm and the like are known.
Times are as the archive has them.
All values are of one instant.
Record two runs of each side.
The lock is held for the time of the call.
It explains the tag that has most time.
It takes as long, however large the archive is.
Somebody else has the file.
It finds the set of the heir.
The events take turns.
It counts from look to look.
A face never includes another.
Tracing is on, and in which way.
It was red until now.
I come from AIX.
Its licence is the GPL.
END
missed=0
while read -r sentence; do
	printf 'A heading\n=========\n\nThis is a plain sentence. %s\n' "$sentence" >"$dir/bad.rst"
	found "$dir/bad.rst" || { echo "# not found: $sentence"; missed=1; }
done <"$dir/bad"
[ $missed = 0 ]; result "finds each phrase"

printf '# A heading\n\nThe first line ends here. The command\nsays why.\n' >"$dir/bad.md"
found "$dir/bad.md" && grep -q "bad.md:3: " "$dir/log"; result "Markdown: in a sentence that spans lines"
printf '.TH X 1\n.SH DESCRIPTION\nThe\n.B command\nsays why.\n' >"$dir/bad.1"
found "$dir/bad.1"; result "a manual page: across requests"
printf '.TH X 1\n.SH OPTIONS\n.TP\n.BI \\-\\-for " TIME"\nIt goes off\nfrom here.\n' >"$dir/bad.1"
found "$dir/bad.1"; result "a manual page: an option"
printf 'f("usage: x\\n\\n"\n  "  -a   print all, as it\\n"\n  "       is costly\\n");\n' >"$dir/bad.c"
found "$dir/bad.c"; result "C: a string that spans lines"
printf 'f("%%s: the %%s " NODE " is gone", name);\n' >"$dir/bad.c"
found "$dir/bad.c"; result "C: a macro within a string"

printf 'def f():\n    """Read it.\n\n    The command\n    says why.\n    """\n    return "it says"\n' >"$dir/bad.py"
found "$dir/bad.py" && [ "$(grep -c "bad.py:" "$dir/log")" = 1 ] && grep -q "bad.py:4: " "$dir/log"; result "Python: a docstring, but no other string"
printf '#!/bin/sh\nset -u\necho "demo: the command says why" >&2\nx="it says"\n' >"$dir/bad.sh"
found "$dir/bad.sh" && [ "$(grep -c "bad.sh:" "$dir/log")" = 1 ] && grep -q "bad.sh:3: " "$dir/log"; result "a shell script: the text that it prints"
printf '/*\n * The command\n * says why.\n */\n' >"$dir/bad.c"
found "$dir/bad.c" && grep -q "bad.c:2: " "$dir/log"; result "C: a comment that spans lines"
printf 'int a;\t/* as it was */\n' >"$dir/bad.c"
found "$dir/bad.c"; result "C: a comment after code"
printf '#!/bin/sh\n# The command\n# says why.\n' >"$dir/bad.sh"
found "$dir/bad.sh" && grep -q "bad.sh:2: " "$dir/log"; result "a script: a comment that spans lines"
printf 'a := b\t# as it was\n' >"$dir/bad.mk"
found "$dir/bad.mk"; result "a makefile: a comment after code"

printf 'The command::\n\n    says why\n\nIt reports ``what it says``, at least once.\nThere is no interval.\n' >"$dir/good.rst"
printf 'Text:\n\n    it says why\n\nIt reports the reason.\n' >"$dir/good.md"
printf '.TH X 1\n.SH SYNOPSIS\nx says\n.SH EXAMPLE\n.nf\n$ x says why\n.fi\n' >"$dir/good.1"
printf '/* It reports "it says". */\n#include "says.h"\nf("%%s", "says", "why it fails");\n/* @least: Return */\n' >"$dir/good.c"
printf '#!/bin/sh\n# says WORD...: it prints "it is gone"\nsays "# why" # and\n' >"$dir/good.sh"
clean "$dir/good.rst" "$dir/good.md" "$dir/good.1" "$dir/good.c" "$dir/good.sh"; result "accepts code and exceptions"
clean; result "the finished files"
for file in README.md Documentation/site/start.rst Documentation/man/vcpc-stat.1 tools/vcpc/stat.c; do
	case $file in
	*.c) sentence='static const char *s = "the file is gone";' ;;
	*.1) sentence='.SH NOTES
The file is gone.' ;;
	*) sentence='The file is gone.' ;;
	esac
	printf '\n%s\n' "$sentence" | cat "$top/$file" - >"$dir/${file##*/}"
	found "$dir/${file##*/}" || echo "# not found in $file"
	[ "$(grep -c '^/' "$dir/log")" = 1 ] || break
	file=''
done
[ -z "$file" ]; result "an error in the last sentence of a finished file"
done_testing
