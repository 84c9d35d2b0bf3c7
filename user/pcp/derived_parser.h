/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the parser of derived metrics' expressions share. */
#ifndef SHIM_PCP_DERIVED_PARSER_H
#define SHIM_PCP_DERIVED_PARSER_H

#include "derived_expr.h"

#define SHIM_PARSER_OPERATOR "Arithmetic or relational or boolean operator"

/*
 * struct shim_open - an operator or a parenthesis whose last operand is not complete
 * @kind: of the node; of a parenthesis SHIM_NODE_KINDS
 * @barrier: what is inside does not combine with what is outside: a parenthesis, a function, and
 *	a QUEST that waits for its COLON
 * @initial: a parenthesis at the very beginning
 * @node: of a filter, with its pattern
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
 * @open: stack of operators and parentheses that wait for an operand
 * @operands: stack of the positions of nodes that wait for an operator
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

/* To the next token */
void shim_parser__next(struct shim_parser *p);

/*
 * Each sets the reason and returns -EINVAL.  fail_as(): @phrase was expected to follow @after or,
 * if that is NULL, only the phrase; fail_about(): the phrase and @what in quotes; fail(): what the
 * innermost open operator lacks.
 */
int shim_parser__fail_as(struct shim_parser *p, const char *phrase, const char *after);
int shim_parser__fail_about(struct shim_parser *p, const char *phrase, const char *what);
int shim_parser__fail(struct shim_parser *p);

struct shim_node shim_node__of(enum shim_node_kind kind, int left, int right);
void shim_node__fini(struct shim_node *node);

/*
 * Adds a node to the expression as the last operand, or frees it and returns -ENOMEM; emit_unary()
 * makes it the operator of what was the last operand.
 */
int shim_parser__emit(struct shim_parser *p, struct shim_node node);
int shim_parser__emit_unary(struct shim_parser *p, struct shim_node node);
/* A leaf of the last token's text */
int shim_parser__emit_text(struct shim_parser *p, enum shim_node_kind kind, int type);

/* Opens an operator: 0, -ENOMEM, -E2BIG if SHIM_EXPR_OPEN are open */
int shim_parser__push(struct shim_parser *p, enum shim_node_kind kind, bool barrier,
		      struct shim_open **out);
/*
 * Closes the open operators, up to a barrier, that have at least that precedence.  As equal ones
 * are among these, all operators are left-associative.
 */
int shim_parser__reduce(struct shim_parser *p, int precedence);
/* The innermost open operator, if it is of that kind; else NULL */
struct shim_open *shim_parser__innermost(struct shim_parser *p, enum shim_node_kind kind);

/* mkconst(), from its parenthesis to what follows it */
int shim_parser__constant(struct shim_parser *p);
/* novalue(), likewise */
int shim_parser__no_value(struct shim_parser *p);
/* A type's name as the operand of anon() */
int shim_parser__anonymous(struct shim_parser *p, struct shim_node *node);
int shim_parser__units(struct shim_parser *p, const char *value, pmUnits *units);

/* Whether regcomp(3) can take a pattern with little stack and memory */
bool shim_pattern__is_small(const char *text);

/* A function's call: 0 if it is complete, 1 if its expression is to come; or an error */
int shim_parser__function(struct shim_parser *p);
/* rescale()'s second argument and its closing parenthesis: 1, or an error */
int shim_parser__rescale_to(struct shim_parser *p);
/* The end of another function of an expression, which is the innermost open one */
int shim_parser__close_function(struct shim_parser *p, struct shim_open *o);

#endif /* SHIM_PCP_DERIVED_PARSER_H */
