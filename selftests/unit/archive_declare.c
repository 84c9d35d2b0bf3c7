// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of a writer's declarations fails, one at a time.  The declaration reports the
 * failure and changes nothing, and it succeeds once memory is available again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive/declare.h"
#include "kselftest_harness.h"

#define METRICS	400	/* these fill a few chunks of memory */
#define SEEDS	60	/* each seed makes the chunks end at different places */

static struct {
	int left;	/* number of allocations that succeed; negative: all */
	bool hit;
} memory = { .left = -1 };

static bool fails(void)
{
	if (memory.left < 0 || memory.left--)
		return false;
	memory.hit = true;
	return true;
}

#define WRAP(name, params, args)		\
void *__real_##name params;			\
void *__wrap_##name params;			\
void *__wrap_##name params			\
{						\
	return fails() ? NULL : __real_##name args;	\
}

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t n, size_t size), (n, size))
WRAP(realloc, (void *old, size_t size), (old, size))

static struct shim_buf out;

static int declare(struct shim_declared *d, const char *name, uint32_t pmid)
{
	const struct shim_desc desc = {
		.pmid = pmid, .type = SHIM_TYPE_U32, .indom = SHIM_INDOM_NULL, .sem = 1,
		.nnames = 1, .names = &name,
	};
	size_t before = out.len;
	int ret = shim_declared__desc(d, &desc, &out);

	/* After a failure, no part of a record remains. */
	if (ret && out.len != before)
		ret = -EPROTO;
	out.len = 0;
	return ret;
}

/* Make a name of three components.  Two metrics share the first two. */
static void name_of(char *name, size_t size, unsigned int seed, unsigned int i)
{
	snprintf(name, size, "top%u.group%0*u.m%0*u", seed, 5 + (int)(seed * 7) % 83, i / 2,
		 5 + (int)(seed * 3 + i * 11) % 89, i);
}

/*
 * Declare all metrics.  Return 1 if allocation @at failed, 0 if there are fewer allocations, or -1.
 */
static int declare_all(unsigned int seed, int at)
{
	struct shim_declared d;
	char name[200];
	int state = 0;

	shim_declared__init(&d);
	memory.left = at;
	memory.hit = false;
	for (unsigned int i = 0; i < METRICS && state >= 0; i++) {
		int ret;

		name_of(name, sizeof(name), seed, i);
		ret = declare(&d, name, i + 1);
		if (memory.hit && !state)
			state = ret == -ENOMEM && !declare(&d, name, i + 1) ? 1 : -1;
		else if (ret)
			state = -1;
	}
	memory.left = -1;
	/* Each name, and each node above it, is in use. */
	for (unsigned int i = 0; i < METRICS && state >= 0; i++) {
		name_of(name, sizeof(name), seed, i);
		if (declare(&d, name, METRICS + 1) != -EEXIST)
			state = -1;
		*strrchr(name, '.') = '\0';
		if (declare(&d, name, METRICS + 1) != -EEXIST)
			state = -1;
	}
	shim_declared__free(&d);
	return state;
}

TEST(each_allocation)
{
	int tried = 0;

	for (unsigned int seed = 0; seed < SEEDS; seed++) {
		int at = 0, state;

		while ((state = declare_all(seed, at)) > 0)
			at++;
		EXPECT_EQ(0, state) TH_LOG("seed %u, allocation %d", seed, at);
		tried += at;
	}
	TH_LOG("%d allocations failed", tried);
	EXPECT_LT(5 * SEEDS, tried);
	shim_buf__free(&out);
}

TEST_HARNESS_MAIN
