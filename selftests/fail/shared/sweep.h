/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a program once for each system call that can fail in it, and judge the result. */
#ifndef FAIL_SWEEP_H
#define FAIL_SWEEP_H

#include <stdbool.h>

/*
 * struct sweep_case - a program that is run with failures
 * @name: name of the case
 * @prepare: if not NULL, creates the files that the program needs in the current directory, which
 * is empty
 * @before: if not NULL, called before each run, in its process, without failures
 * @run: makes the calls with TRY(), and prints their results with say()
 * @after: if not NULL, called after @run in the same way as @before, to print what the run has left
 * @without: if not NULL, the ways to fail that are documented to be ignored, separated by spaces
 * @only: the only kind of call that fails; if negative, the only kind that does not; 0 if all kinds
 * fail
 * @most: maximum number of failures of each kind, spread evenly, unless FAIL_POINTS is set; if 0,
 * the first call with each chain of callers fails, and some others
 * @left: number of blocks that the C library can leak after a failure
 * @counts: it counts in the kernel, on CPUs or in other processes; it is skipped without permission
 * @no_memory: the API's code for a lack of memory; -ENOMEM if 0
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
	bool counts;
	int no_memory;
};

/* Print part of the results, which must be the same with and without a failure. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Make a call whose result is negative on error.  If an injected failure made it fail, record this,
 * and repeat the call, which must then succeed.
 */
#define TRY(call) TRY_UNLESS(call, 0)

/* Like TRY(), but accept a negative result_ if the condition @usual holds. */
#define TRY_UNLESS(call, usual) ({						\
	long result_ = (long)(call);						\
	if (sweep_again(result_ < 0 && !(usual), #call, result_))		\
		result_ = (long)(call);						\
	result_;								\
})

/* Make a call once.  The call need not succeed, and ends an object even if it fails. */
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
