/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a program once for each system call that can fail in it, and judge the result. */
#ifndef FAIL_SWEEP_H
#define FAIL_SWEEP_H

#include <stdbool.h>

/*
 * struct sweep_case - a program
 * @name: of the API
 * @prepare: creates the files that the program needs in the current directory, which is empty; or
 * NULL
 * @before: called before each run, in its process, without failures; or NULL
 * @run: makes the calls with TRY(), and prints their results with say()
 * @after: called after it in the same way, to print what the run has left; or NULL
 * @without: a kind of failure that is documented to be ignored; or NULL
 * @only: the only kind of calls that fail; negated: the only kind that does not; 0: all kinds fail
 * @most: failures of each kind, unless FAIL_POINTS is set; 0: 12
 * @left: number of blocks that the C library itself can leak after a failure
 * @no_memory: the API's code for a lack of memory; 0: -ENOMEM
 */
struct sweep_case {
	const char *name;
	void (*prepare)(void);
	void (*before)(void);
	void (*run)(void);
	void (*after)(void);
	const char *without;
	int only;
	long most;
	int left;
	int no_memory;
};

/* Print part of the results, which must be the same with and without a failure. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make a call whose result is negative on error.  If an injected failure made it fail, record that,
 * and repeat the call, which must then succeed.
 */
#define TRY(call) TRY_UNLESS(call, 0)

/* The same, unless result_ is negative for another reason, given by the condition */
#define TRY_UNLESS(call, usual) ({						\
	long result_ = (long)(call);						\
	if (sweep_again(result_ < 0 && !(usual), #call, result_))		\
		result_ = (long)(call);						\
	result_;								\
})

/* Make a call that ends an object even if it fails: it is not repeated, and need not succeed */
#define LAST(call) ({						\
	long result_ = (long)(call);				\
	sweep_again(result_ < 0, #call, result_) ? 0 : result_;	\
})

bool sweep_again(bool error, const char *call, long result);

/*
 * Run all cases, and print the results as TAP and a table.  Return the exit status of the program.
 */
int sweep(const struct sweep_case *cases, unsigned int n);

#endif /* FAIL_SWEEP_H */
