/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions and USDT probes for 'vcpc trace on': find their places in files from the command line.
 */
#ifndef VCPC_FUNCTIONS_H
#define VCPC_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <shim/trace.h>

/**
 * struct functions - the functions and probes to trace
 * @n: number of @specs
 * @specs: the specifications from the command line
 * @pid: process, 0: all
 * @unwind: also trace functions of programs that may throw exceptions
 * @nprobes: number of @probes
 * @probes: their places, once found; the texts are allocated
 */
struct functions {
	size_t n;
	struct functions_spec {
		const char *text;
		bool usdt;
		int fd;		/* its file, once found; otherwise -1 */
	} *specs;
	pid_t pid;
	bool unwind;
	unsigned int nprobes;
	struct shim_trace_probe *probes;
};

int functions_add(struct functions *f, const char *text, bool usdt);
int functions_find(struct functions *f);
int functions_attach(const struct functions *f);
int functions_list(void);
void functions_free(struct functions *f);

int binary_find(const char *name, pid_t pid, char **path);

#endif /* VCPC_FUNCTIONS_H */
