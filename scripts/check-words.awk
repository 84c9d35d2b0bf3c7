# SPDX-License-Identifier: GPL-2.0-or-later
# Find unidiomatic phrases in Markdown, reStructuredText, manual pages, the strings and comments of C files, and the
# comments of scripts and Makefiles; called by check-words.sh.  A pattern is matched against a whole sentence, which may
# span lines.  The first file contains the patterns.

function add_pattern(line,   tab) {
	tab = index(line, "\t")
	if (line ~ /^(#|$)/)
		return
	if (line ~ /^allow\t/) {
		allowed = allowed (allowed == "" ? "" : "|") substr(line, tab + 1)
		return
	}
	patterns[++npatterns] = "[^a-z](" substr(line, 1, tab - 1) ")[^a-z]"
	any = any (any == "" ? "" : "|") substr(line, 1, tab - 1)
	hints[npatterns] = substr(line, tab + 1)
}

# Match a sentence, with a bar at both ends, against all patterns.
function check(sentence,   text, i) {
	if (sentence !~ /[^ ] +[^ ]/)
		return
	text = " | " tolower(sentence) " | "
	gsub(/@[a-z_>-]+/, "ARG", text)
	gsub(/[*_]+/, "", text)
	gsub(/ +/, " ", text)
	if (allowed != "")
		gsub("[^a-z](" allowed ")[^a-z]", " ok ", text)
	if (text !~ any_pattern)
		return
	for (i = 1; i <= npatterns; i++)
		if (text ~ patterns[i]) {
			printf "%s:%d: %s\n    %s\n", unit_file, unit_line, sentence, hints[i]
			found = 1
		}
}

# End a paragraph: split it into sentences.
function flush(   rest) {
	rest = unit
	unit = ""
	gsub(/``[^`]*``|`[^`]*`/, "CODE", rest)
	gsub(/\\[nt]/, " ", rest)
	while (match(rest, /[.!?:;)] +[A-Z`(]|; +/)) {
		check(substr(rest, 1, RSTART))
		rest = substr(rest, RSTART + 1)
		sub(/^ +/, "", rest)
	}
	check(rest)
}

function append(text) {
	if (unit == "") {
		unit_file = FILENAME
		unit_line = FNR
	}
	unit = unit (unit == "" ? "" : " ") text
}

function start_file() {
	flush()
	literal = section_skipped = no_fill = tag_next = in_comment = 0
	kind = FILENAME ~ /\.[ch]$/ ? "c" : FILENAME ~ /\.(sh|awk|py|mk)$|(^|\/)(Makefile|Kbuild|run|init)$/ ? "script" : FILENAME ~ /\.[1-9]$/ ? "man" : FILENAME ~ /\.md$/ ? "md" : "rst"
}

function man_request() {
	if (/^\.(\\"|TH|br)/)
		return
	if (/^\.(SH|SS|TP|PP|IP|nf|fi)/) {
		flush()
		tag_next = /^\.TP/
		if (/^\.(nf|fi)/)
			no_fill = /^\.nf/
		if (/^\.SH/)
			section_skipped = /SYNOPSIS|SEE ALSO/
		return
	}
	sub(/^\.[A-Z]+ */, "")
	gsub(/"/, "")
	man_text()
}

function man_text() {
	if (no_fill || section_skipped)
		return
	gsub(/\\f./, "")
	gsub(/\\-/, "-")
	gsub(/\\[&|]/, "")
	append($0)
	if (tag_next)
		flush()
	tag_next = 0
}

function indent_of(line) {
	match(line, /^ */)
	return RLENGTH
}

function prose_line() {
	if (/^[[:space:]]*$/) {
		flush()
		if (kind == "md")
			literal = 1	# if the next line is indented
		return
	}
	if (kind == "md" && literal) {
		if (/^    /)
			return
		literal = 0
	}
	if (kind == "rst" && literal) {
		if (indent_of($0) > literal_indent)
			return
		literal = 0
	}
	if (/^[=~^-]+$/ || /^ *(\.\. |[+|=])/) {
		flush()
	} else {
		if (indent_of($0) < indent || $0 ~ /^ *([-*] |[0-9]+\. |:[a-z]+:)/ || (kind == "md" && /^#/))
			flush()
		append($0)
	}
	indent = indent_of($0)
	if (kind == "rst" && /::$/) {
		literal = 1
		literal_indent = indent_of($0)
	}
}

# Add a string of a C file.  An option, or a blank line before the string, ends the sentence.
function c_string(text) {
	match(text, /^( |\\t)*/)
	if (RLENGTH > 1 && RLENGTH < 8)
		flush()
	append(text)
	if (text ~ /\\n\\n$/)
		flush()
}

# Add a line of a comment.  An empty line, a parameter or a result begins a paragraph.
function c_comment(text) {
	sub(/^[[:space:]]*\*+/, "", text)
	gsub(/"[^"]*"/, "TEXT", text)
	if (text ~ /^[[:space:]]*(@|Return:|Context:|- |$)/)
		flush()
	sub(/^[[:space:]]+/, "", text)
	sub(/[[:space:]]+$/, "", text)
	if (text !~ /^SPDX|^$/)
		append(text)
}

# Return a line of a C file without its comments.
function c_code(line,   code, at, quotes) {
	while (1) {
		at = index(line, in_comment ? "*/" : "/*")
		if (in_comment) {
			c_comment(at ? substr(line, 1, at - 1) : line)
			if (!at)
				return code
			flush()
		} else {
			quotes = substr(line, 1, at)
			if (!at || gsub(/"/, "", quotes) % 2)
				return code line
			flush()
			code = code substr(line, 1, at - 1)
		}
		line = substr(line, at + 2)
		in_comment = !in_comment
	}
}

# Join adjacent strings unless a comma or an operator is between them.
function c_line(   rest, between, string) {
	if (/^[[:space:]]*#[[:space:]]*include/)
		return
	rest = c_code($0)
	if (FILENAME ~ /^selftests\//)	# tests' strings are data
		return
	gsub(/\\"/, "'", rest)
	while (match(rest, /"[^"]*"/)) {
		between = substr(rest, 1, RSTART - 1)
		string = substr(rest, RSTART + 1, RLENGTH - 2)
		rest = substr(rest, RSTART + RLENGTH)
		if (between ~ /[^ \ta-zA-Z_0-9]/)
			flush()
		c_string(string)
	}
	if (rest ~ /[,;:]/)
		flush()
}

# Add a docstring of Python, or the text that a shell script prints.  Return whether the line has no other words.
function script_text(   quotes, line) {
	line = $0
	quotes = FILENAME ~ /\.py$/ ? gsub(/"""/, "", line) : 0
	if (quotes || in_comment) {
		sub(/^[[:space:]]+/, "", line)
		if (line == "" || !in_comment)
			flush()
		append(line)
		if (quotes == 1)
			in_comment = !in_comment
		if (!in_comment)
			flush()
		return 1
	}
	if (FILENAME ~ /\.sh$/ && match(line, /^[[:space:]]*(echo|step|result) "[^"]*"/)) {
		flush()
		sub(/^[[:space:]]*[a-z]+ "/, "", line)
		append(substr(line, 1, index(line, "\"") - 1))
		flush()
		return 1
	}
	return 0
}

# Add a line of a script.  An empty comment or code ends the sentence.
function script_line() {
	if (FILENAME !~ /^selftests\// && script_text())
		return
	if (/^[[:space:]]*#([[:space:]]|$)/) {
		sub(/^[[:space:]]*#/, "")
		sub(/^ [a-z_]+( [^ a-z]+)+: /, " ")	# a function and its arguments
		if (/^ shellcheck |^[[:space:]]*$/)
			flush()
		else
			c_comment($0)
		return
	}
	flush()
	if (match($0, /[[:space:]]# [^"']*$/)) {
		c_comment(substr($0, RSTART + 2))
		flush()
	}
}

FNR == 1 && NR > 1 {
	any_pattern = "[^a-z](" any ")[^a-z]"
	start_file()
}
NR == FNR { add_pattern($0); next }
kind == "c" { c_line(); next }
kind == "script" { script_line(); next }
kind == "man" && /^[.']/ { man_request(); next }
kind == "man" { man_text(); next }
{ prose_line() }
END { flush(); exit found }
