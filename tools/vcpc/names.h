/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assign numbers to pairs of names, in the order of addition. */
#ifndef VCPC_NAMES_H
#define VCPC_NAMES_H

#include <stddef.h>

struct vcpc_names {
	void *tree;
	long n;
};

/* Return the pair's number, which is the next one if the pair is new, or -ENOMEM. */
long vcpc_names_number(struct vcpc_names *names, const char *scope, const char *what);
/* Return the pair's number, or -1. */
long vcpc_names_find(const struct vcpc_names *names, const char *scope, const char *what);
void vcpc_names_free(struct vcpc_names *names);

#endif /* VCPC_NAMES_H */
