// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Estimate the size of regular expressions before they are compiled, because compiling must fit on
 * any thread's stack.
 */
#include <stdbool.h>
#include <string.h>

#include "derived_parser.h"

/*
 * regcomp(3) recurses for groups and for copies of repeated parts, on a thread's stack of unknown
 * size.  Its memory grows with the square of those copies: 1,000 take 11 MB.
 */
#define PATTERN_LEN	1024
#define PATTERN_COPIES	1024
#define PATTERN_GROUPS	50

/*
 * struct size - an estimate of a compiled pattern
 * @sums: number of atoms in each open group
 * @last: number of atoms in the last piece, which a repetition multiplies
 */
struct size {
	unsigned long sums[PATTERN_GROUPS + 1];
	unsigned long last;
	int depth;
};

static void add_atoms(struct size *size, unsigned long n)
{
	size->last = n;
	size->sums[size->depth] += n;
}

static void repeat(struct size *size, unsigned long times)
{
	if (times < 2)
		return;
	size->sums[size->depth] += size->last * (times - 1);
	size->last *= times;
}

static const char *skip_number(const char *s, unsigned long *n)
{
	for (*n = 0; *s >= '0' && *s <= '9'; s++)
		*n = *n < PATTERN_COPIES ? *n * 10 + (unsigned long)(*s - '0') : *n;
	return s;
}

/* Parse {n}, {n,}, {n,m} and {,m}, from brace to brace; any other text is an atom. */
static const char *count_bound(struct size *size, const char *s)
{
	unsigned long least, most = 0;
	const char *end = skip_number(s + 1, &least);

	if (*end == ',') {
		end = skip_number(end + 1, &most);
		most = most > least ? most : least + 1;
	}
	if (*end != '}') {
		add_atoms(size, 1);
		return s;
	}
	repeat(size, most > least ? most : least);
	return end;
}

/* Skip from a bracket to its closing bracket, or to the end. */
static const char *skip_bracket(const char *s)
{
	s += s[1] == '^' ? 2 : 1;
	if (*s == ']')
		s++;
	while (*s && *s != ']') {
		const char *end = *s == '[' && s[1] && strchr(":.=", s[1]) ? strchr(s + 2, ']') : NULL;

		s = end ? end + 1 : s + 1;
	}
	return *s ? s : s - 1;
}

/* Count the character at @s; returns the last one that belongs to it. */
static const char *count(struct size *size, const char *s)
{
	switch (*s) {
	case '(':
		size->sums[++size->depth] = 0;
		size->last = 0;
		return s;
	case ')':
		if (size->depth) {
			size->depth--;
			add_atoms(size, size->sums[size->depth + 1] + 1);
		}
		return s;
	case '+':
		repeat(size, 2);
		return s;
	case '{':
		return count_bound(size, s);
	case '[':
		add_atoms(size, 1);
		return skip_bracket(s);
	case '*':
	case '?':
		return s;
	}
	add_atoms(size, 1);
	return *s == '\\' && s[1] ? s + 1 : s;
}

bool shim_pattern__is_small(const char *text)
{
	struct size size = { 0 };
	int groups = 0;

	if (strlen(text) > PATTERN_LEN)
		return false;
	for (; *text; text++) {
		groups += *text == '(';
		if (groups > PATTERN_GROUPS)
			return false;
		text = count(&size, text);
		if (size.sums[size.depth] > PATTERN_COPIES)
			return false;
	}
	return true;
}
