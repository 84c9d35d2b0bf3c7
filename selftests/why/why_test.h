/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Helpers for tests of transactions' parts and stacks: tracing with each transport, and workloads
 */
#ifndef WHY_TEST_H
#define WHY_TEST_H

#include <shim/why.h>
#include <time.h>

#include "../bpf/bpf_test.h"

#define MS	1000000ull
#ifndef BRIEF
#define BRIEF	NULL
#endif

FIXTURE(parts) {
	const char *missing;
	struct shim_why *why;
	struct shim_why_drops drops;
};

FIXTURE_VARIANT(parts) {
	const char *env;
	uint32_t way;
	uint32_t flags;
};

FIXTURE_VARIANT_ADD(parts, module) { "kernel", SHIM_TRACE_F_MODULE, 0 };
FIXTURE_VARIANT_ADD(parts, module_stacks) { "kernel", SHIM_TRACE_F_MODULE, SHIM_WHY_F_STACKS };
FIXTURE_VARIANT_ADD(parts, probes_stacks) {
	"probe", SHIM_TRACE_F_PROBES, SHIM_WHY_F_PROBES | SHIM_WHY_F_STACKS
};
FIXTURE_VARIANT_ADD(parts, probes) { "probe", SHIM_TRACE_F_PROBES, SHIM_WHY_F_PROBES };

FIXTURE_SETUP(parts)
{
	struct shim_why_options options = { .size = sizeof(options), .flags = variant->flags };

	ASSERT_EQ(0, trace_place(variant->way, &self->missing));
	setenv("SHIM_TRACE", variant->env, 1);
	/* With the module, the programs for the scheduler also need the kernel's types. */
	if (!self->missing && access("/sys/kernel/btf/vmlinux", F_OK))
		self->missing = "this kernel has no BTF";
	if (BRIEF && variant->flags & SHIM_WHY_F_STACKS)
		self->missing = "a brief run has no stacks";
	if (!self->missing)
		ASSERT_EQ(0, shim_why_open(&options, &self->why));
}

FIXTURE_TEARDOWN(parts)
{
	shim_why_close(self->why);
}

static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/*
 * Sleep for @ms.  The blocked time can be shorter, because a thread can take milliseconds to leave
 * its CPU on a busy machine.
 */
static inline void sleep_ms(unsigned int ms)
{
	struct timespec ts = { .tv_nsec = ms * MS };

	nanosleep(&ts, NULL);
}

static inline void spin_ms(unsigned int ms, clockid_t clock)
{
	uint64_t end = clock_ns(clock) + ms * MS;

	while (clock_ns(clock) < end)
		;
}

/* Return the parts of a tag.  If @at is not NULL, store the index of the tag in it. */
static inline struct shim_why_parts parts_of(struct shim_why *why, const char *name, size_t *at)
{
	struct shim_why_parts none = { 0 };
	size_t n = 0;

	if (shim_why_tags_get(why, 99, &n))
		return none;
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_tag *tag = shim_why_tag_at(why, i);

		if (strcmp(tag->name, name))
			continue;
		if (at)
			*at = i;
		return tag->all;
	}
	return none;
}

#endif /* WHY_TEST_H */
