// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * During a check, each allocation and each open(2) fails, one at a time.  The check reports the
 * error, or finds the same damage.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "archive/check.h"
#include "archive/format.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

#define RECORDS	3
#define MOST	20000	/* maximum number of attempts; a check makes fewer allocations */

static struct {
	int left;	/* number of calls that still succeed; negative: all */
	bool hit;
} memory = { .left = -1 }, files = { .left = -1 };

#define FAILS(what)	(what.left >= 0 && !what.left-- && (what.hit = true))

#define WRAP(name, params, args)				\
void *__real_##name params;					\
void *__wrap_##name params;					\
void *__wrap_##name params					\
{								\
	return FAILS(memory) ? NULL : __real_##name args;	\
}

WRAP(malloc, (size_t size), (size))
WRAP(calloc, (size_t n, size_t size), (n, size))
WRAP(realloc, (void *old, size_t size), (old, size))

int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list args;
	int n = -1;

	va_start(args, format);
	if (!FAILS(memory))
		n = vasprintf(text, format, args);
	va_end(args);
	return n;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	va_list args;
	int mode;

	va_start(args, flags);
	mode = va_arg(args, int);
	va_end(args);
	if (FAILS(files)) {
		errno = EMFILE;
		return -1;
	}
	return __real_open(path, flags, mode);
}

/* Add a problem to *@arg, a sum over everything that a check reports. */
static void add_problem(void *arg, const char *file, uint64_t offset, const char *text)
{
	*(unsigned long *)arg += strlen(file) + offset + 1000 * strlen(text);
}

static void add_note(void *arg, enum shim_check_note kind, const char *file, uint64_t offset,
		     const char *text)
{
	add_problem(arg, file, offset, text);
	*(unsigned long *)arg += 1000000 * (kind + 1);
}

FIXTURE(check) {
	struct place place;
};

FIXTURE_SETUP(check)
{
	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, sample_write(self->place.base, 3, RECORDS));
}

FIXTURE_TEARDOWN(check)
{
	place_remove(&self->place);
}

static int check(const char *base, unsigned long *said)
{
	const struct shim_check what = { .problem = add_problem, .note = add_note, .arg = said };

	*said = 0;
	return shim_archive__check(base, &what);
}

static void each_failure(struct __test_metadata *_metadata, const char *base, int least)
{
	unsigned long expected, said;
	int n = check(base, &expected), ret, i;

	ASSERT_LE(least, n);
	for (i = 0; i < MOST; i++) {
		memory.left = i;
		memory.hit = false;
		ret = check(base, &said);
		memory.left = -1;
		if (!memory.hit)
			break;
		ASSERT_TRUE(ret == -ENOMEM || (ret == n && said == expected))
			TH_LOG("allocation %d: %d instead of %d", i, ret, n);
	}
	EXPECT_LT(10, i);
	for (i = 0; i < MOST; i++) {
		files.left = i;
		files.hit = false;
		ret = check(base, &said);
		files.left = -1;
		if (!files.hit)
			break;
		ASSERT_TRUE(ret == -EMFILE || (ret == n && said == expected))
			TH_LOG("file %d: %d instead of %d", i, ret, n);
	}
	EXPECT_LT(2, i);
}

TEST_F(check, a_sound_archive)
{
	each_failure(_metadata, self->place.base, 0);
}

TEST_F(check, without_an_index)
{
	ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
	each_failure(_metadata, self->place.base, 0);
}

static uint32_t number(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
}

/* Remove the first record of a type from the metadata. */
static void remove_first(struct __test_metadata *_metadata, struct place *place, uint32_t type)
{
	size_t len, at = 0;
	uint8_t *data = slurp(place_file(place, "meta"), &len);

	ASSERT_NE(NULL, data);
	while (at + 8 < len && number(data + at + 4) != type)
		at += number(data + at);
	ASSERT_LT(at + 8, len);
	len -= number(data + at);
	memmove(data + at, data + at + number(data + at), len - at);
	spit(place_file(place, "meta"), data, len);
	free(data);
}

/* Without the first descriptor, only the metadata shows that values of its metric are damaged. */
TEST_F(check, values_of_an_unknown_metric)
{
	remove_first(_metadata, &self->place, SHIM_META_DESC);
	each_failure(_metadata, self->place.base, 1);
}

/* Without names of instances, the check counts the nameless values of each metric. */
TEST_F(check, values_of_nameless_instances)
{
	remove_first(_metadata, &self->place, SHIM_META_INDOM);
	each_failure(_metadata, self->place.base, 0);
}

TEST_HARNESS_MAIN
