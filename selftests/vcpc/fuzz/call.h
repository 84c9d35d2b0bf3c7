/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile call: the place of its argument, its possible results, and the bytes that it may write
 */
#ifndef FUZZ_CALL_H
#define FUZZ_CALL_H

#include "arena.h"
#include "contract.h"

#define REPORTS		10

/* The expected result, in addition to the table of errors; > 0 is an errno */
#define MAY_ANY		0
#define MUST_FAIL	(-1)
#define MUST_WORK	(-2)

/* Counters shared by all processes of a run */
struct verdicts {
	unsigned long calls, wrong, worked[OP_NR];
	char text[REPORTS][200];
};

/* A call and its argument */
struct hostile {
	const struct contract *op;
	int fd;
	bool strange_fd;	/* can be any file, or none */
	int must;
	unsigned char image[256];	/* the argument, and what follows it */
};

void wrong(struct fuzzer *f, const char *name, const char *what, long a, long b);
void judge(struct fuzzer *f, const struct hostile *h, int must, long ret);
long fire(struct fuzzer *f, struct hostile *h);

#endif /* FUZZ_CALL_H */
