/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader of statistics whose rows the including test generates. */
#ifndef UNIT_LIVE_ROWS_H
#define UNIT_LIVE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/bpf.h"

#define ROWS	300

static size_t nrows = ROWS;
static struct shim_bpf_stat stats[ROWS];
static struct shim_bpf_tag tags[ROWS];
static uint64_t version, last_id;
static int opened;

int __wrap_shim_bpf_reader__open(bool apart, struct shim_bpf_reader **out);
void __wrap_shim_bpf_reader__close(struct shim_bpf_reader *r);
int __wrap_shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **out, size_t *n);
int __wrap_shim_bpf_reader__counts(struct shim_bpf_reader *r, const struct shim_bpf_count **out,
				   size_t *n);

int __wrap_shim_bpf_reader__open(bool apart, struct shim_bpf_reader **out)
{
	(void)apart;
	*out = (struct shim_bpf_reader *)&opened;
	return 0;
}

void __wrap_shim_bpf_reader__close(struct shim_bpf_reader *r)
{
	(void)r;
}

int __wrap_shim_bpf_reader__stats(struct shim_bpf_reader *r, const struct shim_bpf_stat **out, size_t *n)
{
	(void)r;
	*out = stats;
	*n = nrows;
	return 0;
}

#endif /* UNIT_LIVE_ROWS_H */
