// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unloading a plugin also unloads the library, and threads that have used it can still exit
 * normally.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"

static char library[512];

static void find_library(void)
{
	ssize_t n = readlink("/proc/self/exe", library, sizeof(library) - 64);

	library[n < 0 ? 0 : n] = '\0';
	for (int i = 0; i < 3; i++)
		*strrchr(library, '/') = '\0';
	strcat(library, "/lib/libshim.so.1");
}

TEST(the_library_stays)
{
	int (*caps)(const char *feature);
	void *handle;

	find_library();
	handle = dlopen(library, RTLD_NOW);
	ASSERT_NE(NULL, handle) TH_LOG("%s", dlerror());
	caps = dlsym(handle, "pmGetAPIConfig");
	ASSERT_NE(NULL, caps);
	EXPECT_EQ(0, dlclose(handle));
	/* The library contains functions that a thread calls when it exits. */
	EXPECT_NE(NULL, dlopen(library, RTLD_NOW | RTLD_NOLOAD));
}

TEST_HARNESS_MAIN
