/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Definitions shared by the files of the parser of derived metrics' expressions. */
#ifndef SHIM_PCP_DERIVED_PARSER_H
#define SHIM_PCP_DERIVED_PARSER_H

#include "derived_expr.h"

#define SHIM_PARSER_OPERATOR "Arithmetic or relational or boolean operator"

/*
 * struct shim_open - an operator or a parenthesis whose last operand is not complete
 * @kind: kind of the node; SHIM_NODE_KINDS for a parenthesis
 * @barrier: operators inside do not combine with those outside: a parenthesis, a function, or a
 *	QUEST without its COLON
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
 * Each of these sets the reason and returns -EINVAL.  fail_as(): @phrase was expected after @after
 * or, if that is NULL, just @phrase; fail_about(): the phrase and, in quotes, @what; fail(): the
 * part that the innermost open operator lacks.
 */
int shim_parser__fail_as(struct shim_parser *p, const char *phrase, const char *after);
int shim_parser__fail_about(struct shim_parser *p, const char *phrase, const char *what);
int shim_parser__fail(struct shim_parser *p);

struct shim_node shim_node__of(enum shim_node_kind kind, int left, int right);

/* Make a node the operator of the last operand; on error free it and return -ENOMEM. */
int shim_parser__emit_unary(struct shim_parser *p, struct shim_node node);
/* Emit a leaf with the last token's text. */
int shim_parser__emit_text(struct shim_parser *p, enum shim_node_kind kind, int type);

/* Open an operator.  Returns 0, -ENOMEM, or -E2BIG if SHIM_EXPR_OPEN are open. */
int shim_parser__push(struct shim_parser *p, enum shim_node_kind kind, bool barrier,
		      struct shim_open **out);
/*
 * Close the open operators, up to a barrier, that have at least this precedence.  That includes
 * equal precedence, so all operators are left-associative.
 */
int shim_parser__reduce(struct shim_parser *p, int precedence);
/* The innermost open operator if it is of that kind, otherwise NULL */
struct shim_open *shim_parser__innermost(struct shim_parser *p, enum shim_node_kind kind);

/* Parse mkconst(), from its parenthesis to the token after it. */
int shim_parser__constant(struct shim_parser *p);
/* novalue(), likewise */
int shim_parser__no_value(struct shim_parser *p);

/* Whether regcomp(3) can compile a pattern with little stack and memory */
bool shim_pattern__is_small(const char *text);

/* Parse a function call.  Returns 0 if it is complete, 1 if its expression follows, or an error. */
int shim_parser__function(struct shim_parser *p);
/* Parse rescale()'s second argument and its closing parenthesis.  Returns 1 or an error. */
int shim_parser__rescale_to(struct shim_parser *p);
/* Parse the end of another function of an expression, which is the innermost open one. */
int shim_parser__close_function(struct shim_parser *p, struct shim_open *o);

#endif /* SHIM_PCP_DERIVED_PARSER_H */
