/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block all signals in the calling thread. */
#ifndef SHIM_BASE_SIGNALS_H
#define SHIM_BASE_SIGNALS_H

#include <pthread.h>
#include <signal.h>

static inline void shim_signals__block(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void shim_signals__restore(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif /* SHIM_BASE_SIGNALS_H */
