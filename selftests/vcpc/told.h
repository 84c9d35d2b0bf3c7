/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that is told of overflows, in programs where anything may overflow at any time. */
#ifndef VCPC_TOLD_H
#define VCPC_TOLD_H

#include "calls.h"

/* It does no harm to whom it reaches without a handler. */
#define TOLD_BY		SIGURG

static __thread unsigned int told UNUSED;

/* Go on now and then: if it always did, there might be nothing else any more. */
static inline void go_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig;
	(void)context;
	if (info->si_code == VCPC_SI_OVERFLOW && told++ % 4 == 0)
		set_own(info->si_fd, VCPC_IOC_RESTART);
	errno = saved;
}

static inline void catch_overflows(void)
{
	struct sigaction sa = { .sa_sigaction = go_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (sigaction(TOLD_BY, &sa, NULL))
		abort();
}

#endif /* VCPC_TOLD_H */
