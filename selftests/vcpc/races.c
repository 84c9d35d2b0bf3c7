// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Everything at once against everything: sets that are bound, sampled, turned off
 * and on, unbound and closed while their targets fork, exec, exit and move, CPUs
 * go and come back, and somebody tries to unload the module.
 *
 * RACES_SECONDS and RACES_SEED in the environment change how long and in which order.
 */
#include <pthread.h>
#include <sched.h>

#include "heirs.h"
#include "vcpc_test.h"

#define ACTORS	6
#define SETS	5
#define TARGETS	8

/* What all actors reach for; each is changed under the others' hands. */
struct world {
	int sets[SETS];
	pid_t targets[TARGETS];
	bool stop;
	unsigned long seed;
	unsigned long wrong;
	unsigned long done[32];
	char first_wrong[160];
};

struct actor {
	struct world *world;
	unsigned int number;
	unsigned long long random;
};

static unsigned int below(struct actor *a, unsigned int n)
{
	unsigned long long z = a->random += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (z ^ z >> 31) % n;
}

static bool stopped(struct world *w)
{
	return __atomic_load_n(&w->stop, __ATOMIC_RELAXED);
}

/*
 * A call's answer must be one that the contract has for it; EBADF and ENOTTY come with the
 * territory, as descriptors are closed, and their numbers given to others, at any time.
 */
static int check(struct world *w, const char *what, int ret, const int *allowed)
{
	if (ret >= 0 || ret == -EBADF || ret == -ENOTTY)
		return ret;
	while (*allowed && *allowed != -ret)
		allowed++;
	if (!*allowed && !__atomic_fetch_add(&w->wrong, 1, __ATOMIC_RELAXED))
		snprintf(w->first_wrong, sizeof(w->first_wrong), "%s: %s", what, strerror(-ret));
	return ret;
}

static int some_set(struct actor *a)
{
	return __atomic_load_n(&a->world->sets[below(a, SETS)], __ATOMIC_RELAXED);
}

static pid_t some_target(struct actor *a)
{
	unsigned int which = below(a, TARGETS + 2);

	return which < TARGETS ? __atomic_load_n(&a->world->targets[which], __ATOMIC_RELAXED) : 0;
}

static const int bind_says[] = { EBUSY, ESRCH, ENOSPC, EUSERS, EINTR, EOPNOTSUPP, ENOMEM, 0 };
static const int other_says[] = { EINVAL, EAGAIN, EINTR, 0 };

static void do_bind(struct actor *a)
{
	static const __u32 flags[] = {
		0, 0, 0, VCPC_BIND_F_INHERIT, VCPC_BIND_F_TREE | VCPC_BIND_F_INHERIT,
		VCPC_BIND_F_PROCESS, VCPC_BIND_F_PROCESS | VCPC_BIND_F_INHERIT | VCPC_BIND_F_TREE,
		VCPC_BIND_F_ENABLE_ON_EXEC, VCPC_BIND_F_ENABLE_ON_EXEC | VCPC_BIND_F_TREE,
	};
	static const int says[] = {
		EBUSY, ESRCH, ENOSPC, EUSERS, EINTR, EOPNOTSUPP, ENOMEM, EINVAL, 0
	};

	check(a->world, "BIND", set_bind(some_set(a), flags[below(a, 9)], some_target(a)), says);
}

static void do_unbind(struct actor *a)
{
	if (below(a, 3))
		check(a->world, "UNBIND", set_target(some_set(a), VCPC_IOC_UNBIND, some_target(a)),
		      other_says);
	else
		check(a->world, "UNBIND all", set_all(some_set(a), VCPC_IOC_UNBIND, 0), other_says);
}

static void do_turn(struct actor *a)
{
	unsigned long cmd = below(a, 2) ? VCPC_IOC_ENABLE : VCPC_IOC_DISABLE;

	if (below(a, 3))
		check(a->world, "turn", set_target(some_set(a), cmd, some_target(a)), other_says);
	else
		check(a->world, "turn all", set_all(some_set(a), cmd, 0), other_says);
}

static void do_sample(struct actor *a)
{
	struct room room;
	struct vcpc_sample_args args = {
		.size = sizeof(args),
		.flags = below(a, 3) ? 0 : VCPC_SAMPLE_F_TOTAL,
		.tid = some_target(a),
		.buf_size = sizeof(room),
		.buf = pointer(&room),
	};

	check(a->world, "SAMPLE", call(some_set(a), VCPC_IOC_SAMPLE, &args), other_says);
}

static void do_read(struct actor *a)
{
	struct room room;
	ssize_t len = read(some_set(a), &room, sizeof(room));

	check(a->world, "read", len < 0 ? -errno : 0, other_says);
}

static void do_list(struct actor *a)
{
	struct vcpc_instance_info info[16];
	struct vcpc_instances_args args;

	check(a->world, "INSTANCES", set_instances(some_set(a), info, 16, &args), other_says);
}

/* Closing a set takes it from all who use it; another takes its place. */
static void do_replace(struct actor *a)
{
	struct vcpc_request requests[3] = { page_faults, task_clock, cycles };
	int device = device_open();
	unsigned int nr = hw_slots() ? 1 + below(a, 3) : 1 + below(a, 2);
	int set = set_create(device, requests, nr, below(a, 4) ? 0 : VCPC_SET_F_DISABLED);

	close(device);
	if (set < 0) {
		check(a->world, "SET_CREATE", set, bind_says);
		return;
	}
	close(__atomic_exchange_n(&a->world->sets[below(a, SETS)], set, __ATOMIC_RELAXED));
}

static void *short_thread(void *arg)
{
	struct actor *a = arg;
	struct room room;

	set_sample(some_set(a), 0, &room);
	set_bind(some_set(a), 0, 0);
	spin(below(a, 20000));
	set_sample(some_set(a), 0, &room);
	return NULL;
}

/* What a target does in its short life; it has its own copy of the world. */
static void live(struct actor *a)
{
	struct actor own[2];
	pthread_t threads[2];
	unsigned int i;
	pid_t pid;

	spin(below(a, 50000));
	for (i = 0; i < 2; i++) {
		own[i] = (struct actor) { a->world, 0, a->random + i };
		if (pthread_create(&threads[i], NULL, short_thread, &own[i]))
			_exit(0);
	}
	if (below(a, 3) == 0)
		_exit(0);	/* with its threads at whatever they do */
	if (below(a, 3) == 0) {
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	if (below(a, 3) == 0)
		execl("/bin/true", "true", NULL);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

static void do_target(struct actor *a)
{
	unsigned int which = below(a, TARGETS);
	pid_t pid = fork();

	if (!pid) {
		alarm(20);
		live(a);
	}
	if (pid < 0)
		return;
	__atomic_store_n(&a->world->targets[which], pid, __ATOMIC_RELAXED);
	usleep(below(a, 3000));
	if (below(a, 2))
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void do_thread(struct actor *a)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, short_thread, a))
		pthread_join(thread, NULL);
}

/* The targets move about, so that they are where they were not just now. */
static void do_move(struct actor *a)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(below(a, 2), &cpus);
	sched_setaffinity(below(a, 2) ? some_target(a) : 0, sizeof(cpus), &cpus);
}

/* A CPU other than the first, where the kernel lets it go. */
static void do_cpu(struct actor *a)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY | O_CLOEXEC);

	if (fd < 0 || below(a, 4))
		goto out;
	if (write(fd, "0", 1) == 1)
		usleep(below(a, 2000));
	while (write(fd, "1", 1) != 1 && errno == EBUSY)
		usleep(1000);
out:
	if (fd >= 0)
		close(fd);
}

/* There is always a descriptor open somewhere, so that this must not work. */
static void do_unload(struct actor *a)
{
	static const int says[] = { EWOULDBLOCK, 0 };
	int ret = syscall(SYS_delete_module, "vcpc", O_NONBLOCK) ? -errno : -EEXIST;

	check(a->world, "unloading", ret, says);
}

static const struct {
	const char *name;
	void (*fn)(struct actor *a);
	unsigned int weight;
} acts[] = {
	{ "bind", do_bind, 200 }, { "unbind", do_unbind, 80 }, { "turn", do_turn, 120 },
	{ "sample", do_sample, 250 }, { "read", do_read, 100 }, { "list", do_list, 40 },
	{ "replace", do_replace, 40 }, { "target", do_target, 30 }, { "thread", do_thread, 30 },
	{ "move", do_move, 20 }, { "cpu", do_cpu, 6 }, { "unload", do_unload, 10 },
};
#define ACTS	(sizeof(acts) / sizeof(acts[0]))

static void *play(void *arg)
{
	struct actor *a = arg;
	unsigned int i, n, sum = 0;

	for (i = 0; i < ACTS; i++)
		sum += acts[i].weight;
	while (!stopped(a->world)) {
		n = below(a, sum);
		for (i = 0; n >= acts[i].weight; i++)
			n -= acts[i].weight;
		acts[i].fn(a);
		__atomic_fetch_add(&a->world->done[i], 1, __ATOMIC_RELAXED);
	}
	return NULL;
}

static unsigned long number(const char *name, unsigned long otherwise)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : otherwise;
}

static bool all_done(struct world *w)
{
	unsigned int i;

	for (i = 0; i < ACTS; i++)
		if (!__atomic_load_n(&w->done[i], __ATOMIC_RELAXED))
			return false;
	return true;
}

FIXTURE(races) {
	struct world world;
	int device;
};

FIXTURE_SETUP(races)
{
	struct actor maker = { &self->world, 0, 1 };
	unsigned int i;

	self->device = device_open();
	ASSERT_GE(self->device, 0);
	for (i = 0; i < SETS; i++)
		self->world.sets[i] = set_of(&page_faults, 0);
	for (i = 0; i < 20; i++)
		do_replace(&maker);
}

FIXTURE_TEARDOWN(races)
{
	close(self->device);
}

static bool left(int set)
{
	struct vcpc_instances_args args = set_count(set);

	return args.nr == ~0U || args.nr || args.pending;
}

TEST_F_TIMEOUT(races, all_at_once, 100000)
{
	unsigned long seconds = number("RACES_SECONDS", 4), seed = number("RACES_SEED", 1), again;
	struct actor actors[ACTORS];
	pthread_t threads[ACTORS];
	unsigned int i;

	TH_LOG("seed %lu, %lu s", seed, seconds);
	for (i = 0; i < ACTORS; i++) {
		actors[i] = (struct actor) { &self->world, i, seed * 64 + i };
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, play, &actors[i]));
	}
	/* Where it is slow, as long as it takes for each to have had its turn. */
	for (again = seconds; again || !all_done(&self->world); again -= !!again)
		sleep(1);
	__atomic_store_n(&self->world.stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < ACTORS; i++)
		pthread_join(threads[i], NULL);

	for (i = 0; i < ACTS; i++)
		TH_LOG("%s: %lu", acts[i].name, self->world.done[i]);
	EXPECT_EQ(0, self->world.wrong)
		TH_LOG("the first: %s", self->world.first_wrong);
	/* And the sets are as good as ever. */
	for (i = 0; i < SETS; i++) {
		set_all(self->world.sets[i], VCPC_IOC_UNBIND, 0);
		EXPECT_FALSE(left(self->world.sets[i]));
		EXPECT_EQ(0, set_bind(self->world.sets[i], 0, 0));
		EXPECT_EQ(0, set_target(self->world.sets[i], VCPC_IOC_UNBIND, 0));
		close(self->world.sets[i]);
	}
}

TEST_HARNESS_MAIN
