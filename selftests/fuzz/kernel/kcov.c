// SPDX-License-Identifier: GPL-2.0-or-later
/* Read KCOV descriptors, and collect the module's part of the coverage. */
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcov.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "kcov.h"

#define AREA	(64UL << 10)	/* size in words, of which a call uses one per branch */

/* Address of the module's code, which does not change while the fuzzer runs */
static uint64_t text;

static void die(const char *what)
{
	perror(what);
	exit(2);
}

void kcov_find_module(void)
{
	FILE *file = fopen("/sys/module/vcpc/sections/.text", "r");

	if (!file || fscanf(file, "%" SCNx64, &text) != 1)
		die("fuzz: the module's code");
	fclose(file);
}

void kcov_open(struct kcov *k)
{
	k->fd = open("/sys/kernel/debug/kcov", O_RDWR | O_CLOEXEC);
	if (k->fd < 0 || ioctl(k->fd, KCOV_INIT_TRACE, AREA))
		die("fuzz: kcov");
	k->area = mmap(NULL, AREA * sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (k->area == MAP_FAILED)
		die("fuzz: kcov's memory");
}

void kcov_begin(struct kcov *k)
{
	kcov_reset(k);
	if (ioctl(k->fd, KCOV_ENABLE, KCOV_TRACE_PC))
		die("fuzz: KCOV_ENABLE");
}

void kcov_end(struct kcov *k)
{
	ioctl(k->fd, KCOV_DISABLE, 0);
}

void kcov_reset(struct kcov *k)
{
	__atomic_store_n(&k->area[0], 0, __ATOMIC_RELAXED);
}

static void bump(struct coverage *c, uint32_t hash)
{
	uint8_t *counter;

	hash *= 0x9e3779b1;
	counter = &c->counters[hash >> 17];
	if (*counter < 255)
		++*counter;
}

/* Add the collected branches to @c, each together with the one before. */
void kcov_collect(const struct kcov *k, struct coverage *c)
{
	uint64_t n = __atomic_load_n(&k->area[0], __ATOMIC_RELAXED), i;
	uint32_t before = 0, at;

	for (i = 1; i <= n && i < AREA; i++) {
		if (k->area[i] - text >= SEEN_BYTES * 8 * 4UL)
			continue;
		at = (k->area[i] - text) / 4;
		__atomic_fetch_or(&c->seen[at / 8], 1 << at % 8, __ATOMIC_RELAXED);
		bump(c, at ^ before << 16);
		before = at;
	}
}

void kcov_feature(struct coverage *c, uint32_t a, uint32_t b)
{
	bump(c, 0x5eed0000 ^ a << 9 ^ b);
}

void kcov_write(const struct coverage *c, const char *path)
{
	FILE *file = fopen(path, "w");
	uint32_t at;

	if (!file)
		die(path);
	for (at = 0; at < SEEN_BYTES * 8; at++)
		if (c->seen[at / 8] & 1 << at % 8)
			fprintf(file, "%u\n", at * 4);
	fclose(file);
}
