/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Expressions of derived metrics (text, tokens and nodes) and their parser.
 *
 * The nodes of an expression are an array in which operands precede their operators; the root is
 * last.  Therefore binding, checking and evaluating are loops over the array, and a deep expression
 * uses no more stack than a flat one.
 */
#ifndef SHIM_PCP_DERIVED_EXPR_H
#define SHIM_PCP_DERIVED_EXPR_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include <pcp/pmapi.h>

#define SHIM_NODE_NONE	(-1)
#define SHIM_EXPR_OPEN	10000	/* maximum number of open operators and parentheses */
#define SHIM_EXPR_WHY	256	/* size of a reason, including its NUL */

enum shim_token {
	SHIM_TOKEN_END,
	SHIM_TOKEN_BAD,
	SHIM_TOKEN_INTEGER,
	SHIM_TOKEN_DOUBLE,
	SHIM_TOKEN_NAME,
	SHIM_TOKEN_STRING,
	SHIM_TOKEN_INSTANCE,
	SHIM_TOKEN_PATTERN,
	SHIM_TOKEN_OPERATOR,	/* @kind is the operator's node kind; "-" is SHIM_NODE_MINUS */
	SHIM_TOKEN_FUNCTION,	/* @kind is the function's node kind; "(" follows */
	SHIM_TOKEN_MKCONST,	/* @kind is SHIM_NODE_MKCONST or similar; "(" follows */
	SHIM_TOKEN_NOVALUE,	/* @kind is SHIM_NODE_NOVALUE; "(" follows */
	SHIM_TOKEN_NOT,
	SHIM_TOKEN_QUEST,
	SHIM_TOKEN_COLON,
	SHIM_TOKEN_OPEN,
	SHIM_TOKEN_CLOSE,
	SHIM_TOKEN_COMMA,
	SHIM_TOKEN_ASSIGN,
	SHIM_TOKEN_TYPE,
	SHIM_TOKEN_SEMANTICS,
	SHIM_TOKEN_UNITS,
	SHIM_TOKEN_META,
	SHIM_TOKEN_INDOM,
};

enum shim_node_kind {
	SHIM_NODE_INTEGER,
	SHIM_NODE_DOUBLE,
	SHIM_NODE_NAME,
	SHIM_NODE_NOVALUE,	/* no values; an operand of a COLON */
	SHIM_NODE_PLUS,
	SHIM_NODE_MINUS,
	SHIM_NODE_STAR,
	SHIM_NODE_SLASH,
	SHIM_NODE_LT,
	SHIM_NODE_LEQ,
	SHIM_NODE_EQ,
	SHIM_NODE_GEQ,
	SHIM_NODE_GT,
	SHIM_NODE_NEQ,
	SHIM_NODE_AND,
	SHIM_NODE_OR,
	SHIM_NODE_NOT,
	SHIM_NODE_NEG,
	SHIM_NODE_QUEST,	/* the left operand is the guard, the right one a COLON */
	SHIM_NODE_COLON,
	SHIM_NODE_AVG,
	SHIM_NODE_COUNT,
	SHIM_NODE_DELTA,
	SHIM_NODE_MAX,
	SHIM_NODE_MIN,
	SHIM_NODE_SUM,
	SHIM_NODE_ANON,		/* has a descriptor but no values */
	SHIM_NODE_RATE,
	SHIM_NODE_INSTANT,
	SHIM_NODE_DEFINED,
	SHIM_NODE_RESCALE,	/* converts to the units in its descriptor */
	SHIM_NODE_FILTER,	/* the matching instances of its left operand */
	SHIM_NODE_SCALAR,
	SHIM_NODE_KINDS
};

enum shim_node_class {
	SHIM_CLASS_LEAF,
	SHIM_CLASS_ARITHMETIC,
	SHIM_CLASS_RELATIONAL,
	SHIM_CLASS_BOOLEAN,
	SHIM_CLASS_OTHER,
	SHIM_CLASS_METRIC,	/* a function of a metric's name */
	SHIM_CLASS_EXPR,	/* a function of an expression */
};

/*
 * struct shim_node_form - properties of a kind of node
 * @name: name in messages
 * @symbol: an operator's symbol or a function's name
 */
struct shim_node_form {
	enum shim_node_class class;
	const char *name;
	const char *symbol;
	int precedence;
};

const struct shim_node_form *shim_node__form(enum shim_node_kind kind);

enum shim_node_tag {
	SHIM_TAG_TYPE = 1,
	SHIM_TAG_SEMANTICS = 2,
	SHIM_TAG_UNITS = 4,
	SHIM_TAG_INDOM = 8,
};

/*
 * struct shim_node - a part of an expression
 * @left, @right: positions of the operands, or SHIM_NODE_NONE
 * @by_pattern: a filter selects instances by @pattern; otherwise it selects them by the exact name
 *	@text
 * @inverted: a filter selects the instances that do not match
 * @text: a name or a number as written
 * @desc: descriptor of a constant, or the units to rescale to
 * @tags: which parts of @desc were specified, as bits of enum shim_node_tag
 * @meta: the metric that supplies the other parts of a constant's @desc, or NULL
 */
struct shim_node {
	enum shim_node_kind kind;
	int left, right;
	bool by_pattern;
	bool inverted;
	char *text;
	regex_t *pattern;
	pmDesc desc;
	unsigned int tags;
	char *meta;
};

struct shim_expr {
	struct shim_node *nodes;
	int n;
	size_t room;
};

/*
 * struct shim_lexer - a position in a text, and the token before it
 * @at: the next byte
 * @start: the first byte of the last token; for the end of the text, its last byte
 * @kind: node kind of the last token, if it is an operator or a function
 * @text, @len: the last token's text; for strings, patterns and instances, without delimiters but
 *	with escapes
 * @patterns: "/" begins a pattern; otherwise it is a division
 * @why: the reason for a SHIM_TOKEN_BAD
 */
struct shim_lexer {
	const char *begin, *at, *start;
	enum shim_node_kind kind;
	const char *text;
	size_t len;
	bool patterns;
	const char *why;
};

void shim_lexer__init(struct shim_lexer *lex, const char *text);
enum shim_token shim_lexer__next(struct shim_lexer *lex);
/*
 * Copy the last token's text, with or without escapes.  The caller frees it.  Return NULL if out of
 * memory.
 */
char *shim_lexer__copy(const struct shim_lexer *lex);
char *shim_lexer__unescaped(const struct shim_lexer *lex);

/*
 * Parse a text.  Return 0; -EINVAL if it is not an expression, with the position in *@at and the
 * reason in @why, which is empty if it is unknown; -ENOMEM; -E2BIG if there are more than
 * SHIM_EXPR_OPEN open operators.
 */
int shim_expr__parse(struct shim_expr *expr, const char *text, const char **at,
		     char why[static SHIM_EXPR_WHY]);
void shim_expr__fini(struct shim_expr *expr);

#define SHIM_PARSER_OPERATOR "Arithmetic or relational or boolean operator"

/*
 * struct shim_open - an operator or a parenthesis whose last operand is not complete
 * @kind: kind of the node; SHIM_NODE_KINDS for a parenthesis
 * @barrier: operators inside do not combine with operators outside; true for a parenthesis, a
 *	function, or a QUEST without its COLON
 * @initial: a parenthesis at the very beginning
 * @node: node of a filter, with its pattern
 */
struct shim_open {
	enum shim_node_kind kind;
	bool barrier;
	bool initial;
	struct shim_node node;
};

/*
 * struct shim_parser - a text that is being parsed
 * @token: the next token
 * @open: stack of operators and parentheses that lack an operand
 * @operands: stack of the positions of nodes that lack an operator
 */
struct shim_parser {
	struct shim_lexer lex;
	enum shim_token token;
	struct shim_expr *expr;
	struct shim_open *open;
	int nopen;
	size_t open_room;
	int *operands;
	int noperands;
	size_t operands_room;
	char *why;
};

/* Advance to the next token. */
void shim_parser__next(struct shim_parser *p);

/*
 * These functions set the reason and return -EINVAL.  fail_as() reports that @phrase was expected
 * after @after or, if @after is NULL, only @phrase.  fail_about() reports the phrase and, in
 * quotes, @what.  fail() reports the part that the innermost open operator lacks.
 */
int shim_parser__fail_as(struct shim_parser *p, const char *phrase, const char *after);
int shim_parser__fail_about(struct shim_parser *p, const char *phrase, const char *what);
int shim_parser__fail(struct shim_parser *p);

struct shim_node shim_node__of(enum shim_node_kind kind, int left, int right);

/* Make a node the operator of the last operand.  On error, free the node and return -ENOMEM. */
int shim_parser__emit_unary(struct shim_parser *p, struct shim_node node);
/* Emit a leaf with the last token's text. */
int shim_parser__emit_text(struct shim_parser *p, enum shim_node_kind kind, int type);

/* Open an operator.  Return 0, -ENOMEM, or -E2BIG if SHIM_EXPR_OPEN are already open. */
int shim_parser__push(struct shim_parser *p, enum shim_node_kind kind, bool barrier,
		      struct shim_open **out);
/*
 * Close the open operators, up to a barrier, with this or a higher precedence.  All operators are
 * therefore left-associative.
 */
int shim_parser__reduce(struct shim_parser *p, int precedence);
/* Return the innermost open operator if it is of that kind, otherwise NULL. */
struct shim_open *shim_parser__innermost(struct shim_parser *p, enum shim_node_kind kind);

/* Parse mkconst(), from its parenthesis to the token after it. */
int shim_parser__constant(struct shim_parser *p);
/* Parse novalue(), from its parenthesis to the token after it. */
int shim_parser__no_value(struct shim_parser *p);

/* Return whether regcomp(3) can compile a pattern with little stack and memory. */
bool shim_pattern__is_small(const char *text);

/* Parse a function call.  Return 0 if it is complete, 1 if its expression follows, or an error. */
int shim_parser__function(struct shim_parser *p);
/* Parse rescale()'s second argument and its closing parenthesis.  Return 1 or an error. */
int shim_parser__rescale_to(struct shim_parser *p);
/* Parse the end of any other function of an expression.  It is the innermost open function. */
int shim_parser__close_function(struct shim_parser *p, struct shim_open *o);

#endif /* SHIM_PCP_DERIVED_EXPR_H */
