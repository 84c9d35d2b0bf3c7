// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tokens of a derived metric's expression: kinds of nodes, words, symbols and precedence, and
 * the next token of a text.  Also estimate the size of a regular expression before it is compiled,
 * because regcomp(3) must not overflow the thread's stack.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "derived_expr.h"

#define PRECEDENCE_TERNARY 1
/*
 * regcomp(3) recurses for groups and for copies of repeated parts, on a thread's stack of unknown
 * size.  Its memory grows with the square of the number of copies: 1,000 copies take 11 MB.
 */
#define PATTERN_LEN	1024
#define PATTERN_COPIES	1024
#define PATTERN_GROUPS	50

static const struct shim_node_form forms[SHIM_NODE_KINDS] = {
	[SHIM_NODE_INTEGER] = { SHIM_CLASS_LEAF, "INTEGER", NULL, 0 },
	[SHIM_NODE_DOUBLE] = { SHIM_CLASS_LEAF, "DOUBLE", NULL, 0 },
	[SHIM_NODE_NAME] = { SHIM_CLASS_LEAF, "NAME", NULL, 0 },
	[SHIM_NODE_NOVALUE] = { SHIM_CLASS_LEAF, "NOVALUE", NULL, 0 },
	[SHIM_NODE_QUEST] = { SHIM_CLASS_OTHER, "QUEST", "?", PRECEDENCE_TERNARY },
	[SHIM_NODE_COLON] = { SHIM_CLASS_OTHER, "COLON", ":", PRECEDENCE_TERNARY },
	[SHIM_NODE_AND] = { SHIM_CLASS_BOOLEAN, "AND", "&&", 2 },
	[SHIM_NODE_OR] = { SHIM_CLASS_BOOLEAN, "OR", "||", 2 },
	[SHIM_NODE_NOT] = { SHIM_CLASS_OTHER, "NOT", "!", 3 },
	[SHIM_NODE_LT] = { SHIM_CLASS_RELATIONAL, "LT", "<", 4 },
	[SHIM_NODE_LEQ] = { SHIM_CLASS_RELATIONAL, "LEQ", "<=", 4 },
	[SHIM_NODE_EQ] = { SHIM_CLASS_RELATIONAL, "EQ", "==", 4 },
	[SHIM_NODE_GEQ] = { SHIM_CLASS_RELATIONAL, "GEQ", ">=", 4 },
	[SHIM_NODE_GT] = { SHIM_CLASS_RELATIONAL, "GT", ">", 4 },
	[SHIM_NODE_NEQ] = { SHIM_CLASS_RELATIONAL, "NEQ", "!=", 4 },
	[SHIM_NODE_PLUS] = { SHIM_CLASS_ARITHMETIC, "PLUS", "+", 5 },
	[SHIM_NODE_MINUS] = { SHIM_CLASS_ARITHMETIC, "MINUS", "-", 5 },
	[SHIM_NODE_NEG] = { SHIM_CLASS_OTHER, "NEG", "-", 5 },
	[SHIM_NODE_STAR] = { SHIM_CLASS_ARITHMETIC, "STAR", "*", 6 },
	[SHIM_NODE_SLASH] = { SHIM_CLASS_ARITHMETIC, "SLASH", "/", 6 },
	[SHIM_NODE_AVG] = { SHIM_CLASS_METRIC, "AVG", "avg", 0 },
	[SHIM_NODE_COUNT] = { SHIM_CLASS_METRIC, "COUNT", "count", 0 },
	[SHIM_NODE_DELTA] = { SHIM_CLASS_EXPR, "DELTA", "delta", 0 },
	[SHIM_NODE_MAX] = { SHIM_CLASS_METRIC, "MAX", "max", 0 },
	[SHIM_NODE_MIN] = { SHIM_CLASS_METRIC, "MIN", "min", 0 },
	[SHIM_NODE_SUM] = { SHIM_CLASS_METRIC, "SUM", "sum", 0 },
	[SHIM_NODE_ANON] = { SHIM_CLASS_METRIC, "ANON", "anon", 0 },
	[SHIM_NODE_RATE] = { SHIM_CLASS_EXPR, "RATE", "rate", 0 },
	[SHIM_NODE_INSTANT] = { SHIM_CLASS_EXPR, "INSTANT", "instant", 0 },
	[SHIM_NODE_DEFINED] = { SHIM_CLASS_METRIC, "DEFINED", "defined", 0 },
	[SHIM_NODE_RESCALE] = { SHIM_CLASS_EXPR, "RESCALE", "rescale", 0 },
	[SHIM_NODE_FILTER] = { SHIM_CLASS_EXPR, "FILTERINST", "matchinst", 0 },
	[SHIM_NODE_SCALAR] = { SHIM_CLASS_EXPR, "SCALAR", "scalar", 0 },
};

const struct shim_node_form *shim_node__form(enum shim_node_kind kind)
{
	return &forms[kind];
}

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

/* Count the character at @s.  Return the last character that belongs to it. */
static const char *size_count(struct size *size, const char *s)
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
		text = size_count(&size, text);
		if (size.sums[size.depth] > PATTERN_COPIES)
			return false;
	}
	return true;
}

/*
 * Only ASCII characters are recognized, in any locale.  Other bytes are valid only between
 * delimiters.
 */
static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_in_name(char c)
{
	return is_letter(c) || is_digit(c) || c == '_' || c == '.';
}

static const struct {
	const char *text;
	enum shim_token token;
	enum shim_node_kind kind;
} symbols[] = {
	/* Two-byte symbols precede one-byte symbols, because the first match is used. */
	{ "<=", SHIM_TOKEN_OPERATOR, SHIM_NODE_LEQ },
	{ ">=", SHIM_TOKEN_OPERATOR, SHIM_NODE_GEQ },
	{ "==", SHIM_TOKEN_OPERATOR, SHIM_NODE_EQ },
	{ "!=", SHIM_TOKEN_OPERATOR, SHIM_NODE_NEQ },
	{ "&&", SHIM_TOKEN_OPERATOR, SHIM_NODE_AND },
	{ "||", SHIM_TOKEN_OPERATOR, SHIM_NODE_OR },
	{ "+", SHIM_TOKEN_OPERATOR, SHIM_NODE_PLUS },
	{ "-", SHIM_TOKEN_OPERATOR, SHIM_NODE_MINUS },
	{ "*", SHIM_TOKEN_OPERATOR, SHIM_NODE_STAR },
	{ "/", SHIM_TOKEN_OPERATOR, SHIM_NODE_SLASH },
	{ "<", SHIM_TOKEN_OPERATOR, SHIM_NODE_LT },
	{ ">", SHIM_TOKEN_OPERATOR, SHIM_NODE_GT },
	{ "!", SHIM_TOKEN_NOT, SHIM_NODE_NOT },
	{ "?", SHIM_TOKEN_QUEST, SHIM_NODE_QUEST },
	{ ":", SHIM_TOKEN_COLON, SHIM_NODE_COLON },
	{ "(", SHIM_TOKEN_OPEN, 0 },
	{ ")", SHIM_TOKEN_CLOSE, 0 },
	{ ",", SHIM_TOKEN_COMMA, 0 },
	{ "=", SHIM_TOKEN_ASSIGN, 0 },
};

static const struct {
	const char *text;
	enum shim_token token;
} words[] = {
	{ "type", SHIM_TOKEN_TYPE },
	{ "semantics", SHIM_TOKEN_SEMANTICS },
	{ "units", SHIM_TOKEN_UNITS },
	{ "meta", SHIM_TOKEN_META },
	{ "indom", SHIM_TOKEN_INDOM },
};

void shim_lexer__init(struct shim_lexer *lex, const char *text)
{
	*lex = (struct shim_lexer){ .begin = text, .at = text, .start = text };
}

static enum shim_token lexer_error(struct shim_lexer *lex, const char *why)
{
	lex->why = why;
	return SHIM_TOKEN_BAD;
}

static bool is_word(const struct shim_lexer *lex, const char *word)
{
	return strlen(word) == lex->len && !memcmp(lex->text, word, lex->len);
}

static enum shim_token function(struct shim_lexer *lex)
{
	for (int kind = 0; kind < SHIM_NODE_KINDS; kind++) {
		const struct shim_node_form *form = shim_node__form(kind);

		if ((form->class == SHIM_CLASS_METRIC || form->class == SHIM_CLASS_EXPR) &&
		    is_word(lex, form->symbol)) {
			lex->kind = kind;
			return SHIM_TOKEN_FUNCTION;
		}
	}
	if (is_word(lex, "novalue"))
		return SHIM_TOKEN_NOVALUE;
	return is_word(lex, "mkconst") ? SHIM_TOKEN_MKCONST : SHIM_TOKEN_NAME;
}

static enum shim_token name(struct shim_lexer *lex)
{
	enum shim_token token = SHIM_TOKEN_NAME;

	while (is_in_name(*lex->at))
		lex->at++;
	lex->len = (size_t)(lex->at - lex->text);
	if (*lex->at == '(')
		token = function(lex);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (is_word(lex, words[i].text))
			token = words[i].token;
	return token;
}

static enum shim_token lex_number(struct shim_lexer *lex)
{
	while (is_digit(*lex->at))
		lex->at++;
	lex->len = (size_t)(lex->at - lex->text);
	if (*lex->at != '.') {
		unsigned long long value = 0;

		for (size_t i = 0; i < lex->len && value <= UINT32_MAX; i++)
			value = value * 10 + (unsigned int)(lex->text[i] - '0');
		return value > UINT32_MAX ? lexer_error(lex, "Constant value too large") :
					    SHIM_TOKEN_INTEGER;
	}
	lex->at++;
	while (is_digit(*lex->at))
		lex->at++;
	lex->len = (size_t)(lex->at - lex->text);
	return SHIM_TOKEN_DOUBLE;
}

/* Parse a token up to the delimiter @end.  With @escapes, a backslash quotes the next byte. */
static enum shim_token delimited(struct shim_lexer *lex, char end, bool escapes,
				 enum shim_token token, const char *why)
{
	lex->text = ++lex->at;
	for (; *lex->at != end; lex->at++) {
		if (escapes && *lex->at == '\\' && lex->at[1])
			lex->at++;
		if (!*lex->at)
			return lexer_error(lex, why);
	}
	lex->len = (size_t)(lex->at++ - lex->text);
	return token;
}

static enum shim_token symbol(struct shim_lexer *lex)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		size_t len = strlen(symbols[i].text);

		if (strncmp(lex->at, symbols[i].text, len))
			continue;
		lex->at += len;
		lex->kind = symbols[i].kind;
		return symbols[i].token;
	}
	return lexer_error(lex, "Illegal character");
}

enum shim_token shim_lexer__next(struct shim_lexer *lex)
{
	while (is_space(*lex->at))
		lex->at++;
	lex->start = lex->text = lex->at;
	switch (*lex->at) {
	case '\0':
		if (lex->start > lex->begin)
			lex->start--;
		return SHIM_TOKEN_END;
	case '"':
		return delimited(lex, '"', false, SHIM_TOKEN_STRING, "unterminated STRING");
	case '[':
		return delimited(lex, ']', true, SHIM_TOKEN_INSTANCE, "unterminated instance name");
	case '/':
		if (lex->patterns)
			return delimited(lex, '/', true, SHIM_TOKEN_PATTERN, "unterminated pattern");
		break;
	}
	if (is_digit(*lex->at) || *lex->at == '.')
		return lex_number(lex);
	return is_letter(*lex->at) ? name(lex) : symbol(lex);
}

char *shim_lexer__copy(const struct shim_lexer *lex)
{
	return strndup(lex->text, lex->len);
}

char *shim_lexer__unescaped(const struct shim_lexer *lex)
{
	char *copy = shim_lexer__copy(lex), *to = copy;

	if (!copy)
		return NULL;
	for (const char *from = copy; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
	return copy;
}
