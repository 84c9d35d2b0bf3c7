/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run children that exit within a transaction: their own, or one that their parent has begun. */
#ifndef BPF_TEST_INSIDE_H
#define BPF_TEST_INSIDE_H

#include <signal.h>

#include "bpf_test.h"

/* The test defines this function, which begins a transaction and does not end it. */
static void begins_inside(void);

static void dies_inside(void)
{
	begins_inside();
	kill(getpid(), SIGKILL);
}

static void executes_inside(void)
{
	begins_inside();
	execlp("true", "true", NULL);
	_exit(1);
}

static void begins_nothing(void)
{
	if (pmtraceend("of the parent") != PMTRACE_ERR_NOSUCHTAG)
		_exit(1);
}

/*
 * Begin the transaction "of the parent", and run children inside it.  Return the number of children
 * that did not end as expected.
 */
static inline int children_inside(void)
{
	return (in_child(begins_inside) != 0) + (in_child(dies_inside) != -1) +
	       (in_child(executes_inside) != 0) + (in_child(begins_nothing) != 0);
}

#endif /* BPF_TEST_INSIDE_H */
