// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * On a machine with two kinds of core, libpfm's names are listed for both kinds.
 *
 * Debian 12's libpfm has no PMUs for the kinds of a hybrid CPU.  Therefore the test makes two other
 * PMUs of libpfm appear to be present, in the order of libpfm's list, and sets the perf type with
 * which events of the second PMU are encoded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "core/pfm.h"
#include "core/pmus.h"
#include "kselftest_harness.h"

#ifdef __aarch64__
#define BIG	"arm_ac57"
#define LITTLE	"arm_ac53"
#else
#define BIG	"skl"
#define LITTLE	"icl"
#endif
#define CPU_ATOM	10	/* perf's type of the second PMU */

static __u32 little_type;
static const struct shim_pmus *several;

static const struct shim_pmus both = {
	.n = 2,
	.pmu = { { .name = "cpu_core", .type = PERF_TYPE_RAW }, { .name = "cpu_atom", .type = CPU_ATOM } },
};

const struct shim_pmus *__wrap_shim_pmus__several(void);

const struct shim_pmus *__wrap_shim_pmus__several(void)
{
	return several;
}

void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

static __typeof__(pfm_get_pmu_info) *real_info;
static __typeof__(pfm_get_os_event_encoding) *real_encoding;

static pfm_err_t two_pmus(pfm_pmu_t pmu, pfm_pmu_info_t *out)
{
	pfm_err_t ret = real_info(pmu, out);

	if (ret == PFM_SUCCESS)
		out->is_present = !strcmp(out->name, BIG) || !strcmp(out->name, LITTLE);
	return ret;
}

static pfm_err_t two_types(const char *name, int modes, pfm_os_t os, void *arg)
{
	pfm_err_t ret = real_encoding(name, modes, os, arg);
	bool little = !strncmp(name, LITTLE "::", strlen(LITTLE "::"));

	if (ret == PFM_SUCCESS)
		((pfm_perf_encode_arg_t *)arg)->attr->type = little ? little_type : PERF_TYPE_RAW;
	return ret;
}

void *__wrap_dlsym(void *library, const char *name)
{
	void *found = __real_dlsym(library, name);
	void *ours = NULL;

	if (!strcmp(name, "pfm_get_pmu_info")) {
		memcpy(&real_info, &found, sizeof(found));
		ours = (void *)two_pmus;
	} else if (!strcmp(name, "pfm_get_os_event_encoding")) {
		memcpy(&real_encoding, &found, sizeof(found));
		ours = (void *)two_types;
	}
	return ours ? ours : found;
}

struct seen {
	unsigned int n, big, little, wrong;
	unsigned int stop_after;
};

static int look(void *arg, const char *name, const char *desc)
{
	struct seen *seen = arg;
	bool is_little = !strncmp(name, LITTLE "::", strlen(LITTLE "::"));
	struct vcpc_request req;
	int ret = shim_event__parse(name, &req);

	(void)desc;
	seen->n++;
	seen->big += !strncmp(name, BIG "::", strlen(BIG "::"));
	seen->little += is_little;
	/* A unit mask that needs another one is listed, although it cannot be counted alone. */
	seen->wrong += ret ? ret != -EINVAL : req.type != (is_little ? little_type : PERF_TYPE_RAW);
	return seen->n == seen->stop_after ? 42 : 0;
}

FIXTURE(kinds) {
	struct seen seen;
};

FIXTURE_SETUP(kinds)
{
	struct vcpc_request req;

	setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
	self->seen = (struct seen) { 0 };
	if (shim_event__parse("no-such-thing", &req) == -ELIBACC)
		SKIP(return, "libpfm4 is not installed");
}

FIXTURE_TEARDOWN(kinds)
{
}

/* Each name belongs to the PMU that counts it. */
TEST_F(kinds, two)
{
	several = &both;
	little_type = CPU_ATOM;
	EXPECT_EQ(0, shim_pfm__walk(look, &self->seen));
	EXPECT_LT(20, self->seen.big);
	EXPECT_LT(20, self->seen.little);
	EXPECT_EQ(self->seen.n, self->seen.big + self->seen.little);
	EXPECT_EQ(0, self->seen.wrong);
}

/*
 * If the kernel has no PMU for a kind, libpfm encodes its events as raw codes of the other kind.
 * These names are omitted, as are events of a PMU whose type belongs to no kind of core.
 */
TEST_F(kinds, one_is_missing)
{
	struct seen alone = { 0 };

	several = &both;
	little_type = CPU_ATOM + 1;
	EXPECT_EQ(0, shim_pfm__walk(look, &self->seen));
	EXPECT_LT(20, self->seen.big);
	EXPECT_EQ(0, self->seen.little);
	several = NULL;
	little_type = PERF_TYPE_RAW;
	EXPECT_EQ(0, shim_pfm__walk(look, &alone));
	EXPECT_EQ(self->seen.big, alone.n);
	EXPECT_EQ(0, alone.big);
}

TEST_F(kinds, a_callback_ends_the_walk)
{
	several = &both;
	little_type = CPU_ATOM;
	self->seen.stop_after = 3;
	EXPECT_EQ(42, shim_pfm__walk(look, &self->seen));
	EXPECT_EQ(3, self->seen.n);
}

TEST_HARNESS_MAIN
