// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The users of the module, their limits and its statistics are read from files that can be damaged or
 * unreadable.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "live/module.h"
#include "live/users.h"

/*
 * Contents of the module's list of users or statistics, and of its parameter; NULL: no such file
 */
static const char *list, *limit;

/* Reading the list or the statistics fails after the text. */
static bool breaks;

static ssize_t read_broken(void *left, char *data, size_t size)
{
	size_t n = strlen(*(const char **)left);

	if (!n) {
		errno = EIO;
		return -1;
	}
	n = n < size ? n : size;
	memcpy(data, *(const char **)left, n);
	*(const char **)left += n;
	return (ssize_t)n;
}

/* There is no memory for the users that are read. */
static bool no_memory;

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_realloc(void *old, size_t size)
{
	return no_memory ? NULL : __real_realloc(old, size);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

FILE *__wrap_fopen(const char *path, const char *mode)
{
	const char *text = strstr(path, "/debug/vcpc/") ? list : strstr(path, "/max_user_") ? limit : NULL;

	if (!strstr(path, "/vcpc/"))
		return __real_fopen(path, mode);
	if (text && text == list && breaks)
		return fopencookie(&list, "r", (cookie_io_functions_t){ .read = read_broken });
	errno = ENOENT;
	return text ? fmemopen((void *)text, strlen(text), "r") : NULL;
}

/* Return a list with the caller and another user. */
static const char *two(unsigned int counters)
{
	static char text[256];

	snprintf(text, sizeof(text), "user %u namespace 1 sets 1 counters %u tags 3\n"
		 "user 123456 namespace 1 sets 1 counters 7 tags 3\n", (unsigned int)getuid(), counters);
	return text;
}

TEST(counters_left)
{
	limit = "100\n";
	list = two(30);
	EXPECT_EQ(70, shim_live_users__counters_left(5));
	list = two(130);
	EXPECT_EQ(0, shim_live_users__counters_left(5));
}

static int status_of_list(void)
{
	struct shim_live_users users = { 0 };

	shim_live_users__sample(&users);
	shim_live_users__fini(&users);
	return users.status;
}

TEST(the_list_cannot_be_read)
{
	limit = "100\n";
	EXPECT_EQ(95, shim_live_users__counters_left(5));
	EXPECT_EQ(-ENOENT, status_of_list());
	list = "user 1 nonsense\n";
	EXPECT_EQ(95, shim_live_users__counters_left(5));
	EXPECT_EQ(-EPROTO, status_of_list());
}

/* A list that is only partly read would show fewer users or smaller amounts. */
TEST(part_of_the_list)
{
	static char text[256];

	limit = "100\n";
	for (size_t len = strlen(two(30)) - 1; len; len--) {
		list = memcpy(text, two(30), len);
		text[len] = '\0';
		EXPECT_EQ(text[len - 1] == '\n' ? 70 : 95, shim_live_users__counters_left(5))
			TH_LOG("%zu bytes", len);
	}
	list = two(30);
	no_memory = true;
	EXPECT_EQ(-ENOMEM, status_of_list());
	no_memory = false;
	breaks = true;
	EXPECT_EQ(95, shim_live_users__counters_left(5));
}

int __wrap_access(const char *path, int mode);
int __wrap_shim_bpf__status(void);
int __wrap_shim_live_trace__drops(struct shim_live_trace *trace, uint64_t drops[VC_DROP_NR]);

int __wrap_access(const char *path, int mode)
{
	(void)path;
	(void)mode;
	return 0;
}

int __wrap_shim_bpf__status(void)
{
	return 0;
}

int __wrap_shim_live_trace__drops(struct shim_live_trace *trace, uint64_t drops[VC_DROP_NR])
{
	(void)trace;
	(void)drops;
	return 0;
}

static int second_of(const char *text)
{
	struct shim_live_module module = { 0 };

	list = text;
	shim_live_module__sample(&module, NULL);
	return module.stats_status ? module.stats_status : (int)module.stats[1];
}

TEST(statistics)
{
	static const char text[] = "late_overflows 1\noverflows_not_signaled 234\n";

	EXPECT_EQ(-ENOENT, second_of(NULL));
	EXPECT_EQ(234, second_of(text));
	EXPECT_EQ(-EPROTO, second_of("late_overflows 1\noverflows_not_signaled\n"));
	EXPECT_EQ(-EPROTO, second_of("late_overflows 1\noverflows_not_signaled 23"));
	EXPECT_EQ(-EPROTO, second_of("late_overflows 1\noverflows_not"));
	breaks = true;
	EXPECT_EQ(-EIO, second_of(text));
}

TEST(the_limit_is_unknown)
{
	list = two(30);
	EXPECT_EQ(UINT64_MAX, shim_live_users__counters_left(5));
	limit = "many\n";
	EXPECT_EQ(UINT64_MAX, shim_live_users__counters_left(5));
	limit = "\n";
	EXPECT_EQ(UINT64_MAX, shim_live_users__counters_left(5));
}

TEST_HARNESS_MAIN
