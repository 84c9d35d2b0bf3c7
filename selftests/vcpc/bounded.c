// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What one user may take: of a thread's time by counters that count there together, and of the
 * kernel's memory by all his counters.
 *
 * The bounds are not the module's own numbers, but what the machine notices: another thread on
 * the same CPU, and the memory that the kernel says is left.
 */
#include <sys/resource.h>

#include "attack.h"
#include "vcpc_test.h"

/* Counters on one thread beyond which switching to it takes the others' time */
#define MOST_AT_A_TIME	1024
/* Memory that one user's counters may take, in kB */
#define MOST_MEMORY	8192
#define LARGE		128
#define SETS		2048
/* How many of these sets go to one thread, whose switches become long otherwise */
#define SETS_EACH	2

static struct vcpc_request many[LARGE];

static void fill(void)
{
	unsigned int i;

	for (i = 0; i < LARGE; i++)
		many[i] = page_faults;
}

static int large_set(int device)
{
	return set_create(device, many, LARGE, 0);
}

/* How many counters one thread may have that count; in hundreds, as it is an exit status */
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
	while (!ret && nr < SETS * LARGE) {
		set = large_set(device);
		if (set < 0)
			break;
		ret = set_bind(set, 0, 0);
		nr += ret ? 0 : LARGE;
		if (!ret && nr > MOST_AT_A_TIME * 2)
			break;
	}
	remark("%u counters count on one thread at a time: %s", nr, strerror(-ret));
	if (nr < LARGE)
		return 2;
	if (nr > MOST_AT_A_TIME)
		return 3;
	return ret == -EUSERS || ret == -ENOSPC ? 0 : 4;
}

/* What the kernel has taken for itself, in kB */
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

/* A thread that says its number and then nothing any more */
static void *says_its_number(void *arg)
{
	pid_t tid = own_tid();

	if (write(*(int *)arg, &tid, sizeof(tid)) != sizeof(tid))
		abort();
	return idles(arg);
}

static bool bind_one_more(int device, pid_t tid)
{
	int set = large_set(device);

	return set >= 0 && !set_bind(set, 0, tid);
}

/* As many counters as this user gets, on as many threads as that takes */
static int take_memory(void *arg)
{
	struct rlimit files = { SETS * 2, SETS * 2 };
	long before, taken, threads = 0;
	unsigned int sets = 0;
	int device, said[2];
	pthread_t thread;
	pid_t tid = 0;

	(void)arg;
	setrlimit(RLIMIT_NOFILE, &files);
	if (become_user(NOBODY) || pipe(said))
		return CANNOT;
	device = device_open();
	if (device < 0)
		return CANNOT;
	before = kernel_memory();
	for (; sets < SETS; sets++) {
		if (sets % SETS_EACH == 0) {
			if (pthread_create(&thread, NULL, says_its_number, &said[1]) ||
			    read(said[0], &tid, sizeof(tid)) != sizeof(tid))
				return CANNOT;
			threads++;
		}
		if (!bind_one_more(device, tid))
			break;
	}
	taken = kernel_memory() - before;
	remark("%u counters on %ld threads: %ld kB", sets * LARGE, threads, taken);
	if (!sets)
		return 2;
	return taken > MOST_MEMORY ? 3 : 0;
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
	EXPECT_EQ(0, in_child(take_memory, NULL));
}

TEST_HARNESS_MAIN
