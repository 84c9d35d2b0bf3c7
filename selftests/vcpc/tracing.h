/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The directory of ftrace's files. */
#ifndef VCPC_TRACING_H
#define VCPC_TRACING_H

#define TRACING "/sys/kernel/tracing/"

#endif /* VCPC_TRACING_H */
