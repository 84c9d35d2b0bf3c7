/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An open back end and its features. */
#ifndef SHIM_CORE_SESSION_H
#define SHIM_CORE_SESSION_H

#include "backend.h"

struct shim_session;

int shim_session__open(struct shim_session **out);
void shim_session__close(struct shim_session *session);
const struct vcpc_info_args *shim_session__info(const struct shim_session *session);
const struct shim_backend_ops *shim_session__ops(const struct shim_session *session);
union shim_backend_ref shim_session__dev(const struct shim_session *session);

/* The back end that shim_session__open() opens.  A test may define its own function. */
const struct shim_backend_ops *shim_session__backend(void);
const struct shim_backend_ops *shim_session__next(const struct shim_backend_ops *ops);
void shim_session__why(const struct shim_backend_ops *ops, char *buf, size_t size);

/* Kernel settings that determine which events a program can count, and how */

/* The setting that permits user-mode reads of the PMU: its file, and its name in messages */
#if defined(__aarch64__)
#define SHIM_USER_ACCESS	"/proc/sys/kernel/perf_user_access"
#define SHIM_USER_ACCESS_IS	"kernel.perf_user_access"
#else
#define SHIM_USER_ACCESS	"/sys/bus/event_source/devices/cpu/rdpmc"
#define SHIM_USER_ACCESS_IS	SHIM_USER_ACCESS
#endif

#define SHIM_PARANOID		"/proc/sys/kernel/perf_event_paranoid"

long shim_sysctl__number(const char *path);

#endif /* SHIM_CORE_SESSION_H */
