// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The resources of each user are limited.  The limit on counters that count at the same time bounds
 * the duration of context switches, and the limit on all counters bounds kernel memory.
 *
 * Instead of using the module's own numbers, the test measures the effect on another thread on the
 * same CPU, and on the free memory that the kernel reports.
 */
#include <sys/mount.h>
#include <sys/resource.h>

#include "attack.h"
#include "vcpc_test.h"

/* Maximum number of a thread's counters that does not delay other threads at context switches */
#define MOST_AT_A_TIME	32
/* Maximum memory that a user's counters can use outside any control group, in kB */
#define MOST_UNCHARGED	8192
/* Maximum memory that a user's counters can use in total, in kB */
#define MOST_MEMORY	16384
/* Maximum number of requests in a set */
#define LARGE		31
#define SETS		2048
#define THREADS		256

static struct vcpc_request many[LARGE];

static void fill(void)
{
	unsigned int i;

	for (i = 0; i < LARGE; i++)
		many[i] = page_faults;
}

/* Bind as many counters to one thread as possible. */
static int bind_many(void *arg)
{
	int device, set, ret = 0;
	unsigned int nr = 0;

	(void)arg;
	if (become_user(NOBODY))
		return CANNOT;
	device = device_open();
	if (device < 0)
		return CANNOT;
	while (!ret && nr < SETS) {
		set = set_create(device, many, 4, 0);
		if (set < 0)
			break;
		ret = set_bind(set, 0);
		nr += ret ? 0 : 4;
	}
	remark("%u counters count on one thread at the same time: %s", nr, strerror(-ret));
	if (nr < 4)
		return 2;
	if (nr > MOST_AT_A_TIME)
		return 3;
	return ret == -EUSERS || ret == -ENOSPC ? 0 : 4;
}

/* Return the memory that the kernel uses, in kB. */
static long kernel_memory(void)
{
	static const char *const names[] = { "Slab:", "Percpu:", "VmallocUsed:" };
	char line[128];
	long sum = 0;
	unsigned int i;
	FILE *f = fopen("/proc/meminfo", "re");

	while (f && fgets(line, sizeof(line), f))
		for (i = 0; i < 3; i++)
			if (!strncmp(line, names[i], strlen(names[i])))
				sum += atol(line + strlen(names[i]));
	if (f)
		fclose(f);
	return sum;
}

#define CGROUPS		"/tmp/vcpc-bounded"
#define GROUP		CGROUPS "/user"

/*
 * Return the memory charged to the caller's control group, in kB, or 0 if there is no such group.
 */
static long charged_memory(void)
{
	FILE *f = fopen(GROUP "/memory.current", "re");
	long bytes = 0;

	if (f && fscanf(f, "%ld", &bytes) != 1)
		bytes = 0;
	if (f)
		fclose(f);
	return bytes / 1024;
}

static int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int ret = fd < 0 || write(fd, text, strlen(text)) < 0 ? -errno : 0;

	close(fd);
	return ret;
}

/* Create a control group for the caller's children.  Return 0 if its charged memory can be read. */
static int make_group(void)
{
	mkdir(CGROUPS, 0700);
	if (mount("cgroup2", CGROUPS, "cgroup2", 0, NULL))
		return -errno;
	if (put(CGROUPS "/cgroup.subtree_control", "+memory") || mkdir(GROUP, 0755))
		return -EIO;
	return put(GROUP "/cgroup.procs", "0");
}

static void leave_group(void)
{
	put(CGROUPS "/cgroup.procs", "0");
	rmdir(GROUP);
	umount(CGROUPS);
	rmdir(CGROUPS);
}

/* Threads that start before anything is bound, because their own memory must not be measured */
static struct {
	pthread_barrier_t begin, end;
	int device;
	unsigned int bound;
} crowd;

static void *takes_its_part(void *arg)
{
	int set;

	pthread_barrier_wait(&crowd.begin);
	set = set_create(crowd.device, many, LARGE, 0);
	if (set >= 0 && !set_bind(set, 0))
		__atomic_fetch_add(&crowd.bound, 1, __ATOMIC_RELAXED);
	pthread_barrier_wait(&crowd.end);
	return idles(arg);
}

/* Bind as many counters as the user is permitted to, on as many threads as necessary. */
static int take_memory(void *arg)
{
	struct rlimit files = { SETS * 2, SETS * 2 };
	long before, taken, charged = charged_memory();

	(void)arg;
	setrlimit(RLIMIT_NOFILE, &files);
	if (become_user(NOBODY))
		return CANNOT;
	crowd.device = device_open();
	if (crowd.device < 0 || pthread_barrier_init(&crowd.begin, NULL, THREADS + 1) ||
	    pthread_barrier_init(&crowd.end, NULL, THREADS + 1) ||
	    start_threads(THREADS, takes_its_part, NULL))
		return CANNOT;
	before = kernel_memory();
	pthread_barrier_wait(&crowd.begin);
	pthread_barrier_wait(&crowd.end);
	taken = kernel_memory() - before;
	charged = charged_memory() - charged;
	remark("%u counters on %u threads: %ld kB, of which %ld kB are charged", crowd.bound * LARGE,
	       crowd.bound, taken, charged);
	if (!crowd.bound)
		return 2;
	return taken - charged > MOST_UNCHARGED || taken > MOST_MEMORY ? 3 : 0;
}

FIXTURE(bounded) {
	mode_t mode;
};

FIXTURE_SETUP(bounded)
{
	self->mode = device_mode(0666);
	fill();
}

FIXTURE_TEARDOWN(bounded)
{
	device_mode(self->mode);
}

TEST_F(bounded, counters_on_one_thread)
{
	EXPECT_EQ(0, in_child(bind_many, NULL));
}

TEST_F_TIMEOUT(bounded, memory_of_a_user, 300)
{
	int none = make_group();

	if (none)
		leave_group();
	if (none)
		SKIP(return, "this kernel has no memory control groups");
	EXPECT_EQ(0, in_child(take_memory, NULL));
	leave_group();
}

TEST_HARNESS_MAIN
