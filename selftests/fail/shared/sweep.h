/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a program of calls once for each system call that can fail in it, and judges the result. */
#ifndef FAIL_SWEEP_H
#define FAIL_SWEEP_H

#include <stdbool.h>

/*
 * struct sweep_case - a program of calls
 * @name: of the API
 * @prepare: makes what the program needs in the current folder, which is empty; or NULL
 * @before: is called in front of each run, in its process, without failures; or NULL
 * @run: makes the calls by TRY(), and writes their answers by say()
 * @after: the same after it, to write what the run has left; or NULL
 * @without: a way to fail that is documented to be passed over; or NULL
 * @left: blocks that the C library itself may leave after a failure
 */
struct sweep_case {
	const char *name;
	void (*prepare)(void);
	void (*before)(void);
	void (*run)(void);
	void (*after)(void);
	const char *without;
	int left;
};

/* Write a part of the answers, which must be the same with a failure as without */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make a call whose result is negative on error.  If an injected failure made it fail, record that,
 * and repeat it: then it must succeed.
 */
#define TRY(call) TRY_UNLESS(call, 0)

/* The same, if an answer result_ is usual on some condition, though it is negative */
#define TRY_UNLESS(call, usual) ({						\
	long result_ = (long)(call);						\
	if (sweep_again(result_ < 0 && !(usual), #call, result_))		\
		result_ = (long)(call);						\
	result_;								\
})

/* A call that ends an object even if it fails: it is not repeated, and need not succeed */
#define LAST(call) ({						\
	long result_ = (long)(call);				\
	sweep_again(result_ < 0, #call, result_) ? 0 : result_;	\
})

bool sweep_again(bool error, const char *call, long result);

/* Run all the cases, print the results as TAP and a table; the program's exit status */
int sweep(const struct sweep_case *cases, unsigned int n);

#endif /* FAIL_SWEEP_H */
