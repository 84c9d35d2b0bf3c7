// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An error while the trace maps are read is returned, and not treated as the end of a map.
 *
 * The linker redirects the functions that need the kernel to this file (--wrap).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "core/bpf.h"
#include "core/bpf_pins.h"
#include "core/bpf_stat.h"
#include "core/bpf_table.h"
#include "core/bpf_tags.h"
#include "kselftest_harness.h"

/* What fails: reading a map, looking up a tag, or allocating memory */
static int map_error, tag_error;
static bool no_memory;

/* Number of rows in each map */
static unsigned int rows;

/* The statistics that a program has written itself */
static struct vc_direct slot = {
	.kind = VC_TRANSACT, .name = "tag", .stat.count = 1, .count.count = 1,
};

int __wrap_shim_bpf_pins__inode(ino_t *inode);
int __wrap_shim_bpf_pins__inode(ino_t *inode)
{
	*inode = 1;
	return 0;
}

int __wrap_shim_bpf_pins__map(const char *path, uint32_t type, size_t key, size_t value, int *fd);
int __wrap_shim_bpf_pins__map(const char *path, uint32_t type, size_t key, size_t value, int *fd)
{
	(void)path;
	(void)type;
	(void)key;
	(void)value;
	*fd = -1;
	return 0;
}

int __wrap_shim_bpf_slots__open(struct shim_bpf_slots *slots);
int __wrap_shim_bpf_slots__open(struct shim_bpf_slots *slots)
{
	slots->at = &slot;
	slots->n = 1;
	return 0;
}

void __wrap_shim_bpf_slots__close(struct shim_bpf_slots *slots);
void __wrap_shim_bpf_slots__close(struct shim_bpf_slots *slots)
{
	(void)slots;
}

int __wrap_bpf_map_lookup_batch(int fd, void *in, void *out, void *keys, void *values, __u32 *n,
				const struct bpf_map_batch_opts *opts);
int __wrap_bpf_map_lookup_batch(int fd, void *in, void *out, void *keys, void *values, __u32 *n,
				const struct bpf_map_batch_opts *opts)
{
	(void)fd;
	(void)in;
	(void)out;
	(void)keys;
	(void)values;
	(void)opts;
	*n = rows;
	errno = map_error ? map_error : ENOENT;
	return -1;
}

int __wrap_shim_bpf_tags__get(struct shim_bpf_tags *t, uint64_t id, const struct shim_bpf_tag **tag);
int __wrap_shim_bpf_tags__get(struct shim_bpf_tags *t, uint64_t id, const struct shim_bpf_tag **tag)
{
	(void)t;
	(void)id;
	(void)tag;
	return tag_error;
}

int __wrap_shim_bpf_tags__of_slot(struct shim_bpf_tags *t, const struct vc_direct *direct, uint32_t i,
				  uint64_t *id, const struct shim_bpf_tag **tag);
int __wrap_shim_bpf_tags__of_slot(struct shim_bpf_tags *t, const struct vc_direct *direct, uint32_t i,
				  uint64_t *id, const struct shim_bpf_tag **tag)
{
	(void)t;
	(void)direct;
	(void)i;
	(void)id;
	(void)tag;
	return tag_error;
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return no_memory ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
	return no_memory ? NULL : __real_realloc(old, size);
}

FIXTURE(errors) {
	struct shim_bpf_reader *r;
	const struct shim_bpf_stat *stats;
	const struct shim_bpf_count *counts;
	const struct shim_bpf_process *processes;
	size_t n;
};

FIXTURE_SETUP(errors)
{
	ASSERT_EQ(0, shim_bpf_reader__open(true, &self->r));
}

FIXTURE_TEARDOWN(errors)
{
	no_memory = false;
	shim_bpf_reader__close(self->r);
}

TEST_F(errors, a_map_cannot_be_read)
{
	map_error = EIO;
	EXPECT_EQ(-EIO, shim_bpf_reader__stats(self->r, &self->stats, &self->n));
	EXPECT_EQ(-EIO, shim_bpf_reader__counts(self->r, &self->counts, &self->n));
	EXPECT_EQ(-EIO, shim_bpf_reader__processes(self->r, &self->processes, &self->n));
}

TEST_F(errors, tag_of_a_slot)
{
	tag_error = -ENOMEM;
	EXPECT_EQ(-ENOMEM, shim_bpf_reader__counts(self->r, &self->counts, &self->n));
	EXPECT_EQ(-ENOMEM, shim_bpf_reader__stats(self->r, &self->stats, &self->n));
	EXPECT_EQ(-ENOMEM, shim_bpf_reader__processes(self->r, &self->processes, &self->n));
}

TEST_F(errors, rows_of_processes)
{
	slot.kind = 0;
	rows = 1;
	tag_error = -EIO;
	EXPECT_EQ(-EIO, shim_bpf_reader__processes(self->r, &self->processes, &self->n));
	tag_error = -ENOENT;
	EXPECT_EQ(0, shim_bpf_reader__processes(self->r, &self->processes, &self->n));
	EXPECT_EQ(0, self->n);
}

TEST_F(errors, no_memory_for_rows)
{
	slot.kind = 0;
	rows = 1;
	no_memory = true;
	EXPECT_EQ(-ENOMEM, shim_bpf_reader__processes(self->r, &self->processes, &self->n));
}

TEST_F(errors, no_memory_for_a_larger_batch)
{
	slot.kind = 0;
	map_error = ENOSPC;
	no_memory = true;
	EXPECT_EQ(-ENOMEM, shim_bpf_reader__stats(self->r, &self->stats, &self->n));
}

TEST_HARNESS_MAIN
