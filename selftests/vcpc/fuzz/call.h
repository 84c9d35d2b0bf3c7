/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Describe a hostile call: the place of its argument, its possible results, and its output. */
#ifndef FUZZ_CALL_H
#define FUZZ_CALL_H

#include "arena.h"
#include "contract.h"

#define REPORTS		10

/* The expected result, which restricts the table of errors.  A positive value is an errno. */
#define MAY_ANY		0
#define MUST_FAIL	(-1)
#define MUST_WORK	(-2)

/* Counters shared by all processes of a run */
struct verdicts {
	unsigned long calls, wrong, worked[OP_NR];
	char text[REPORTS][200];
};

struct hostile {
	const struct contract *op;
	int fd;
	bool strange_fd;	/* may be any file, or none */
	int must;
	unsigned char image[256];	/* the argument and the bytes after it */
};

void wrong(struct fuzzer *f, const char *name, const char *what, long a, long b);
void judge(struct fuzzer *f, const struct hostile *h, int must, long ret);
long fire(struct fuzzer *f, struct hostile *h);

#endif /* FUZZ_CALL_H */
