// SPDX-License-Identifier: GPL-2.0-or-later
/* Test the limits per user, which are parameters of the module. */
#include <fcntl.h>
#include <sched.h>
#include <sys/wait.h>

#include "vcpc_test.h"

#define PARAMETERS "/sys/module/vcpc/parameters/"

static unsigned int parameter(const char *name)
{
	unsigned int value = 0;
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "r");
	if (!f || fscanf(f, "%u", &value) != 1)
		abort();
	fclose(f);
	return value;
}

static void set_parameter(const char *name, unsigned int value)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "w");
	if (!f || fprintf(f, "%u", value) < 0 || fclose(f))
		abort();
}

static int too_many_sets(void *arg)
{
	int i, device, last = -1;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	for (i = 0; i < 5; i++) {
		last = set_create(device, &page_faults, 1, 0);
		if (last < 0)
			return 2;
	}
	if (set_create(device, &page_faults, 1, 0) != -EUSERS)
		return 3;
	/* Opening the device again does not increase the limit, but closing a set helps. */
	if (set_of(&page_faults, 0) != -EUSERS)
		return 4;
	close(last);
	return set_create(device, &page_faults, 1, 0) < 0 ? 5 : 0;
}

TEST(sets)
{
	unsigned int before = parameter("max_user_sets");
	struct vcpc_info_args info = { .size = sizeof(info) };
	int device = device_open();

	set_parameter("max_user_sets", 5);
	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(5, info.max_sets);
	EXPECT_EQ(0, in_child(too_many_sets, NULL));
	/* The call is repeated to check that the first child's sets were closed when it exited. */
	EXPECT_EQ(0, in_child(too_many_sets, NULL));
	set_parameter("max_user_sets", before);
}

/* Start a child that, on command, writes the user ID map of its parent's new user namespace. */
static pid_t start_mapper(int *tell, const char *map)
{
	pid_t parent = own_tid(), pid;
	int to_child[2], fd, bad;
	char path[64], byte;

	if (pipe(to_child))
		return -1;
	pid = fork();
	if (pid) {
		close(to_child[0]);
		*tell = to_child[1];
		return pid;
	}
	close(to_child[1]);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", parent);
	if (read(to_child[0], &byte, 1) != 1)
		_exit(1);
	fd = open(path, O_WRONLY);
	bad = fd < 0 || write(fd, map, strlen(map)) != (ssize_t)strlen(map);
	_exit(bad);
}

/* Enter a user namespace with the user IDs in @map, as its first user. */
static int enter_namespace(int (*before)(void), const char *map)
{
	int tell, status;
	pid_t mapper = start_mapper(&tell, map);

	if (mapper < 0 || before())
		return 100;
	if (unshare(CLONE_NEWUSER))
		return 101;
	if (write(tell, "x", 1) != 1 || waitpid(mapper, &status, 0) != mapper || status)
		return 102;
	return setresuid(0, 0, 0) ? 103 : 0;
}

static int stay_root(void)
{
	return 0;
}

/* Create up to @most sets.  Return the number that succeeded. */
static int take_sets(int most)
{
	int device = device_open(), n = 0;

	while (n < most && set_create(device, &page_faults, 1, 0) >= 0)
		n++;
	return n;
}

/*
 * struct many - a user with several user IDs
 * @before: called before the namespace is created, to set the user ID
 * @map: the user IDs in the namespace
 * @wants: number of sets that the first of these users requests
 * @left: number of sets that the second user gets if it requests more
 */
struct many {
	int (*before)(void);
	const char *map;
	int wants, left;
};

/* Create sets in a child, which keeps them until it is killed. */
static int take_in_child(const struct many *many, pid_t *child)
{
	int ret = 1, ends[2];
	pid_t pid;

	if (pipe(ends))
		return 90;
	*child = pid = fork();
	if (!pid) {
		ret = enter_namespace(many->before, many->map) ?: take_sets(6) != 5;
		if (write(ends[1], &ret, sizeof(ret)) == sizeof(ret))
			pause();
		_exit(0);
	}
	return pid < 0 || read(ends[0], &ret, sizeof(ret)) != sizeof(ret) ? 91 : ret;
}

static int be_many(void *arg)
{
	const struct many *many = arg;
	int ret = enter_namespace(many->before, many->map);

	if (ret)
		return ret;
	if (take_sets(many->wants) != many->wants)
		return 1;
	if (setresuid(1, 1, 1))
		return 2;
	return take_sets(6) == many->left ? 0 : 3;
}

/* Check that root can use its own maximum while a container of root uses its maximum. */
static int be_beside(void *arg)
{
	pid_t child = 0;
	int ret = take_in_child(arg, &child);

	if (!ret)
		ret = take_sets(6) == 5 ? 0 : 3;
	if (child > 0)
		kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return ret;
}

/*
 * All user IDs in a user's namespace share the limits of one user, and so do all user IDs in a
 * namespace that root has created, for example for a container.  They do not reduce root's limits.
 */
TEST(users_of_namespaces)
{
	struct many own = { become_nobody, "0 65534 1\n1 100000 10\n", 3, 2 };
	struct many roots = { stay_root, "0 100000 10\n", 3, 2 };
	unsigned int before = parameter("max_user_sets");
	int of_own, of_roots, beside_roots;

	set_parameter("max_user_sets", 5);
	of_own = in_child(be_many, &own);
	of_roots = in_child(be_many, &roots);
	beside_roots = in_child(be_beside, &roots);
	set_parameter("max_user_sets", before);
	if (of_own == 101)
		SKIP(return, "unprivileged users cannot create user namespaces");
	EXPECT_EQ(0, of_own);
	EXPECT_EQ(0, of_roots);
	EXPECT_EQ(0, beside_roots);
}

static int too_many_counters(void *arg)
{
	struct vcpc_request requests[3] = { page_faults, page_faults, page_faults };
	int device, first, second;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	first = set_create(device, requests, 3, 0);
	second = set_create(device, requests, 3, 0);
	if (set_bind(first, 0))
		return 2;
	if (set_bind(second, 0) != -EUSERS)
		return 3;
	if (set_own(first, VCPC_IOC_UNBIND))
		return 4;
	return set_bind(second, 0) ? 5 : 0;
}

/* Reach the limit on a thread's counters, which applies to all of its sets together. */
static int too_many_on_a_thread(void *arg)
{
	struct vcpc_request requests[3] = { page_faults, page_faults, page_faults };
	int device, first, second, one;

	(void)arg;
	if (become_nobody())
		return 1;
	device = device_open();
	first = set_create(device, requests, 3, 0);
	second = set_create(device, requests, 3, 0);
	one = set_create(device, requests, 2, 0);
	if (set_bind(first, 0))
		return 2;
	/* Three of seven counters are left: each set needs one for context switches. */
	if (set_bind(second, 0) != -EUSERS)
		return 3;
	if (set_bind(one, 0))
		return 4;
	if (set_own(one, VCPC_IOC_UNBIND) || set_own(first, VCPC_IOC_UNBIND))
		return 5;
	return set_bind(second, 0) ? 6 : 0;
}

/* The limit of a thread does not apply with CAP_PERFMON. */
static int none_too_many(void *arg)
{
	struct vcpc_request requests[100];
	int device = device_open(), set, i;

	(void)arg;
	for (i = 0; i < 100; i++)
		requests[i] = page_faults;
	set = set_create(device, requests, 100, 0);
	return set < 0 ? 1 : set_bind(set, 0) ? 2 : 0;
}

TEST(counters_of_a_thread)
{
	unsigned int before = parameter("max_thread_counters");

	EXPECT_EQ(32, before);
	set_parameter("max_thread_counters", 7);
	EXPECT_EQ(0, in_child(too_many_on_a_thread, NULL));
	EXPECT_EQ(0, in_child(none_too_many, NULL));
	set_parameter("max_thread_counters", before);
}

TEST(counters)
{
	unsigned int before = parameter("max_user_counters");

	set_parameter("max_user_counters", 5);
	EXPECT_EQ(0, in_child(too_many_counters, NULL));
	set_parameter("max_user_counters", before);
}

/* A set has one more counter than requests.  The absolute maximum does not depend on parameters. */
TEST(requests)
{
	unsigned int before = parameter("max_thread_counters");
	struct vcpc_info_args info = { .size = sizeof(info) };
	struct vcpc_request requests[3] = { page_faults, page_faults, page_faults };
	int device = device_open();

	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(2048, info.max_requests);
	EXPECT_GE(set_create(device, requests, 3, 0), 0);
	set_parameter("max_thread_counters", 1000000);
	ASSERT_EQ(0, call(device, VCPC_IOC_INFO, &info));
	EXPECT_EQ(2048, info.max_requests);
	set_parameter("max_thread_counters", before);
}

TEST_HARNESS_MAIN
