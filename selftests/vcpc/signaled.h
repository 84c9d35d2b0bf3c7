/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that receives overflow signals, for programs in which anything can overflow at any time
 */
#ifndef VCPC_SIGNALED_H
#define VCPC_SIGNALED_H

#include "calls.h"

/* The default action of this signal is to ignore it, for threads without a handler. */
#define OVERFLOW_SIGNAL		SIGURG

static __thread unsigned int overflows_seen UNUSED;

/* Restart only sometimes, because otherwise nothing else might run. */
static inline void go_on(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)sig;
	(void)context;
	if (info->si_code == VCPC_SI_OVERFLOW && overflows_seen++ % 4 == 0)
		set_own(info->si_fd, VCPC_IOC_RESTART);
	errno = saved;
}

static inline void catch_overflows(void)
{
	struct sigaction sa = { .sa_sigaction = go_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	if (sigaction(OVERFLOW_SIGNAL, &sa, NULL))
		abort();
}

#endif /* VCPC_SIGNALED_H */
