/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handle overflow signals in programs in which any set can overflow at any time. */
#ifndef VCPC_SIGNALED_H
#define VCPC_SIGNALED_H

#include "calls.h"

/* Use a signal that is ignored by default, because some threads have no handler. */
#define OVERFLOW_SIGNAL		SIGURG

static __thread unsigned int overflows_seen UNUSED;

/* Restart only some of the sets, because otherwise nothing else might run. */
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
