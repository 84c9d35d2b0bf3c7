# SPDX-License-Identifier: GPL-2.0-or-later
# Make one change, selected by a seed, in a C file: print the changed file to stdout, the change to
# stderr.
#
# usage: awk -v seed=N [-v errors=1] -f mutate.awk FILE
#
# With errors=1, the change turns an error into success.

function rule(of, to, how) {
	rules++
	from[rules] = of; becomes_of[rules] = to; how_of[rules] = how
}

BEGIN {
	n = 0
	rule(" < ", " <= ", "off by one")
	rule(" <= ", " < ", "off by one")
	rule(" > ", " >= ", "off by one")
	rule(" >= ", " > ", "off by one")
	rule(" + 1", " + 2", "off by one")
	rule(" - 1", " - 2", "off by one")
	rule(" == ", " != ", "negated")
	rule(" != ", " == ", "negated")
	rule(" && ", " || ", "operator")
	rule(" || ", " && ", "operator")
	rule("return 0;", "return 1;", "result")
	rule("return true;", "return false;", "result")
	rule("return false;", "return true;", "result")
}

# Return the same numbers with every awk, unlike rand().
function roll(n) {
	seed = (seed * 16807 + 11) % 2147483647
	return int(seed / 127) % n
}

function add(line, text, how) {
	at[n] = line; becomes[n] = text; kind[n] = how; n++
}

function swap(line, from, to, how,    i) {
	i = index(lines[line], from)
	if (i)
		add(line, substr(lines[line], 1, i - 1) to substr(lines[line], i + length(from)), how)
}

function balanced(s) {
	return gsub(/\(/, "", s) == gsub(/\)/, "", s)
}

function negate(line,    s, from, to) {
	s = lines[line]
	from = index(s, "if (") + 3
	to = length(s)
	sub(/ \{$/, "", s)
	add(line, substr(s, 1, from) "!" substr(s, from) ")" substr(lines[line], length(s) + 1), "negated")
}

# Replace an error that is returned or stored with 0.
function forgive(line,    s, code) {
	s = lines[line]
	code = "-(E[A-Z0-9]+|errno|PM_ERR_[A-Z0-9_]+)|PM_ERR_[A-Z0-9_]+"
	if (s ~ "^\t+return (" code "|err|ret|status);$")
		add(line, substr(s, 1, index(s, "return ") + 6) "0;", "success")
	else if (s ~ "^\t+[a-z_>.-]+ = (" code ");$")
		add(line, substr(s, 1, index(s, " = ") + 2) "0;", "success")
	else if (s ~ "[?:] -(E[A-Z0-9]+|errno);$" || s ~ "[?:] -(E[A-Z0-9]+|errno) :")
		add(line, gensub_code(s), "success")
}

function gensub_code(s) {
	match(s, /[?:] -(E[A-Z0-9]+|errno)/)
	return substr(s, 1, RSTART) " 0" substr(s, RSTART + RLENGTH)
}

function look(line,    s, r) {
	s = lines[line]
	if (s !~ /^\t/ || s ~ /^\t* ?(\/?\*|#)/)
		return
	if (s ~ /^\t+(} else )?if \(.*\)( \{)?$/ && balanced(s))
		negate(line)
	for (r = 1; r in becomes_of; r++)
		swap(line, from[r], becomes_of[r], how_of[r])
	if (s ~ /^\t+[a-z_][A-Za-z0-9_>.\[\]-]*(\(.*\)|(\+\+|--)| [-+|&]?= .*);$/ && balanced(s) && s !~ /return/)
		add(line, "\t;", "dropped")
}

{ lines[NR] = $0 }

END {
	for (i = 1; i <= NR; i++)
		if (errors)
			forgive(i)
		else
			look(i)
	if (!n)
		exit 1
	for (i = 0; i < 5; i++)
		roll(n)
	pick = roll(n)
	for (i = 1; i <= NR; i++)
		print i == at[pick] ? becomes[pick] : lines[i]
	sub(/^\t+/, "", lines[at[pick]])
	sub(/^\t+/, "", becomes[pick])
	print at[pick] ": " kind[pick] ": " lines[at[pick]] " -> " becomes[pick] > "/dev/stderr"
}
