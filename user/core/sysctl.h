/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernel settings that decide which events a program can count, and how. */
#ifndef SHIM_CORE_SYSCTL_H
#define SHIM_CORE_SYSCTL_H

/* The setting that permits reading the PMU in user mode: its file, and its name in messages */
#if defined(__aarch64__)
#define SHIM_USER_ACCESS	"/proc/sys/kernel/perf_user_access"
#define SHIM_USER_ACCESS_IS	"kernel.perf_user_access"
#else
#define SHIM_USER_ACCESS	"/sys/bus/event_source/devices/cpu/rdpmc"
#define SHIM_USER_ACCESS_IS	SHIM_USER_ACCESS
#endif

#define SHIM_PARANOID		"/proc/sys/kernel/perf_event_paranoid"

long shim_sysctl__number(const char *path);

#endif /* SHIM_CORE_SYSCTL_H */
