/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HARNESS_OFTEN_H
#define HARNESS_OFTEN_H

#include <signal.h>
#include <stdbool.h>
#include <time.h>

static inline void often_ignore(int sig)
{
	(void)sig;
}

/*
 * Interrupt this process's system calls every millisecond, without restarting them.  Return false
 * on failure.
 */
static inline bool often_interrupt(void)
{
	const struct itimerspec often = { { 0, 1000000 }, { 0, 1000000 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2 };
	timer_t timer;

	return !sigaction(SIGUSR2, &(struct sigaction){ .sa_handler = often_ignore }, NULL) &&
	       !timer_create(CLOCK_MONOTONIC, &event, &timer) &&
	       !timer_settime(timer, 0, &often, NULL);
}

#endif /* HARNESS_OFTEN_H */
