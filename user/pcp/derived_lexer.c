// SPDX-License-Identifier: LGPL-2.1-or-later
/* The tokens of a derived metric's expression. */
#include <stdlib.h>
#include <string.h>

#include "derived_expr.h"

/* Only ASCII characters count in any locale; other bytes are valid only between delimiters. */
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
	/* The first match is used, so two-byte symbols precede one-byte symbols. */
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

static enum shim_token bad(struct shim_lexer *lex, const char *why)
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
		return value > UINT32_MAX ? bad(lex, "Constant value too large") :
					    SHIM_TOKEN_INTEGER;
	}
	lex->at++;
	while (is_digit(*lex->at))
		lex->at++;
	lex->len = (size_t)(lex->at - lex->text);
	return SHIM_TOKEN_DOUBLE;
}

/* Parse a token up to the delimiter @end; with @escapes, a backslash quotes the next byte. */
static enum shim_token delimited(struct shim_lexer *lex, char end, bool escapes,
				 enum shim_token token, const char *why)
{
	lex->text = ++lex->at;
	for (; *lex->at != end; lex->at++) {
		if (escapes && *lex->at == '\\' && lex->at[1])
			lex->at++;
		if (!*lex->at)
			return bad(lex, why);
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
	return bad(lex, "Illegal character");
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
