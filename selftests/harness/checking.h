/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Detect a debug kernel or a kernel with KCSAN, which are slower by a large and varying factor. */
#ifndef SELFTESTS_CHECKING_H
#define SELFTESTS_CHECKING_H

#include <stdbool.h>
#include <unistd.h>

/* The reason to pass to SKIP */
#define KEEPS_NO_TIME "a debug kernel is too slow for measurements of time"

static inline bool kernel_checks(void)
{
	return access("/sys/kernel/debug/kmemleak", F_OK) == 0 ||
	       access("/sys/kernel/debug/kcsan", F_OK) == 0;
}

#endif
