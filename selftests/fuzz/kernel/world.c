// SPDX-License-Identifier: GPL-2.0-or-later
/* Start actors, pass acts to them, and end them.  Each step has a time limit. */
#include "../../vcpc/fuzz/contract.h"
#include "../../vcpc/calls.h"
#include "world.h"

struct shared *shared;
struct kcov kcovs[ACTORS];
__thread struct actor *self;
__thread unsigned char *arena, *arena_ro;

/* The fail-nth file of the calling thread */
static __thread int fail_fd = -1;
/* The threads of the fuzzer's process, and which actors have an unfinished act */
static pthread_t threads[THREADS];
static bool busy[ACTORS];

static void die(const char *what)
{
	perror(what);
	exit(2);
}

void wrong(const struct act *a, const char *what, long x, long y)
{
	if (__atomic_fetch_add(&shared->wrong, 1, __ATOMIC_SEQ_CST))
		return;
	snprintf(shared->text, sizeof(shared->text), "%s: %s (%ld, %ld)", act_kinds[a->op].name,
		 what, x, y);
}

/* Map two pages, followed by an unmapped page, twice: once writable and once read-only. */
static void arena_open(void)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, ARENA))
		die("fuzz: memfd_create");
	arena = mmap(NULL, ARENA + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	arena_ro = mmap(NULL, ARENA + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mmap(arena, ARENA, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) != arena ||
	    mmap(arena_ro, ARENA, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != arena_ro)
		die("fuzz: mmap");
	close(fd);
}

static void arena_close(void)
{
	munmap(arena, ARENA + 4096);
	munmap(arena_ro, ARENA + 4096);
}

/*
 * Make the @n-th allocation fail.  A thread that was started without privileges could not open the
 * file, so no allocation fails in it.
 */
static void fail_nth(unsigned int n)
{
	char text[8];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (fail_fd >= 0 && pwrite(fail_fd, text, len, 0) != len && n)
		abort();
}

/* Return the documented operation that an act performs, or OP_NR if there is none. */
static enum op contract_op(const struct act *a)
{
	static const enum op ops[] = {
		[ACT_INFO] = OP_INFO, [ACT_CREATE] = OP_SET_CREATE, [ACT_BIND] = OP_BIND,
		[ACT_UNBIND] = OP_UNBIND, [ACT_ENABLE] = OP_ENABLE, [ACT_DISABLE] = OP_DISABLE,
		[ACT_RESTART] = OP_RESTART, [ACT_PRESET] = OP_PRESET,
		[ACT_SAMPLE] = OP_SAMPLE, [ACT_READ] = OP_READ,
		[ACT_INSTANCES] = OP_INSTANCES, [ACT_POLL] = OP_NR, [ACT_EPOLL] = OP_NR,
		[ACT_TAG] = OP_TRACE_TAG, [ACT_WRITE] = OP_TRACE, [ACT_PWRITE] = OP_TRACE,
		[ACT_ADVISE] = OP_ADVISE,
		[ACT_MAP] = OP_MMAP, [ACT_UNKNOWN] = OP_UNKNOWN,
	};

	return a->op < sizeof(ops) / sizeof(ops[0]) ? ops[a->op] : OP_NR;
}

/*
 * Check that an error is documented for the act's operation, or is one that files of other types
 * return.
 */
static void judge(const struct act *a, long ret)
{
	enum op op = contract_op(a);
	const int *error;

	if (ret >= 0 || op == OP_NR || ret == -EBADF || ret == -ENOTTY)
		return;
	if (ret == -ENOMEM && a->fail)
		return;
	for (error = contract[op].errors; *error; error++)
		if (*error == -ret)
			return;
	wrong(a, "error not documented", ret, 0);
}

static long act_do(const struct act *a)
{
	const struct file file = file_get(a->fd), *f = &file;

	if (a->op <= ACT_INFO || a->op == ACT_CREATE)
		return act_on_device(a, f);
	if (a->op < ACT_TAG)
		return act_on_set(a, f);
	if (a->op < ACT_OPEN)
		return act_on_device(a, f);
	if (a->op < ACT_START)
		return act_on_files(a, f);
	if (a->op < ACT_PARAMETER)
		return act_on_threads(a);
	return act_on_machine(a);
}

static void perform(const struct act *a)
{
	long ret;

	kcov_reset(&kcovs[self->number]);
	if (a->fail)
		fail_nth(a->fail);
	ret = act_do(a);
	if (a->fail)
		fail_nth(0);
	kcov_collect(&kcovs[self->number], &shared->coverage);
	kcov_feature(&shared->coverage, a->op, ret < 0 ? -ret : 0);
	__atomic_fetch_add(&shared->calls[a->op], 1, __ATOMIC_RELAXED);
	if (ret >= 0)
		__atomic_fetch_add(&shared->worked[a->op], 1, __ATOMIC_RELAXED);
	judge(a, ret);
}

/* Perform acts until one of them ends the actor. */
static void *live(void *arg)
{
	self = arg;
	self->tid = own_tid();
	arena_open();
	fail_fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	kcov_begin(&kcovs[self->number]);
	for (;;) {
		while (sem_wait(&self->go))
			;
		if (self->act.op == ACT_END)
			break;
		perform(&self->act);
		sem_post(&self->done);
	}
	kcov_end(&kcovs[self->number]);
	__atomic_fetch_add(&shared->calls[ACT_END], 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->worked[ACT_END], 1, __ATOMIC_RELAXED);
	shared->dead = self->tid;
	close(fail_fd);
	arena_close();
	__atomic_store_n(&self->life, ENDED, __ATOMIC_RELEASE);
	sem_post(&self->done);
	return NULL;
}

static struct actor *prepare(unsigned int number)
{
	struct actor *actor = &shared->actors[number];

	sem_init(&actor->go, 1, 0);
	sem_init(&actor->done, 1, 0);
	actor->number = number;
	actor->stopped = false;
	actor->tid = 0;
	actor->life = ALIVE;
	return actor;
}

int actor_start(unsigned int number)
{
	struct actor *actor = &shared->actors[number];
	int ret;

	if (number >= THREADS || actor->life != ABSENT)
		return -EBUSY;
	ret = pthread_create(&threads[number], NULL, live, prepare(number));
	if (ret)
		actor->life = ABSENT;
	return -ret;
}

int actor_fork(unsigned int number)
{
	struct actor *actor = &shared->actors[number];
	pid_t pid;

	if (number < THREADS || number >= ACTORS || actor->life != ABSENT)
		return -EBUSY;
	prepare(number);
	pid = fork_with_files();
	if (!pid) {
		live(actor);
		_exit(0);
	}
	if (pid < 0)
		actor->life = ABSENT;
	else
		actor->tid = pid;
	return pid < 0 ? -errno : 0;
}

/* Reap an actor that has ended. */
static void bury(unsigned int number)
{
	struct actor *actor = &shared->actors[number];

	if (number < THREADS) {
		if (__atomic_load_n(&actor->life, __ATOMIC_ACQUIRE) != ENDED)
			return;
		pthread_join(threads[number], NULL);
	} else {
		if (actor->life == ABSENT || !actor->tid || waitpid(actor->tid, NULL, WNOHANG) <= 0)
			return;
		kcov_collect(&kcovs[number], &shared->coverage);
		shared->dead = actor->tid;
	}
	busy[number] = false;
	actor->life = ABSENT;
}

/* Wait until an actor's act has ended, unless the actor is stopped. */
static bool settle(unsigned int number, unsigned int seconds)
{
	struct actor *actor = &shared->actors[number];
	unsigned int slices = seconds * 50;
	struct timespec until;

	for (; busy[number] && slices && !actor->stopped; slices--) {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 20000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
		if (!sem_timedwait(&actor->done, &until))
			busy[number] = false;
		else if (number >= THREADS)
			bury(number);
	}
	bury(number);
	return !busy[number];
}

static void hand(unsigned int number, const struct act *a)
{
	shared->actors[number].act = *a;
	busy[number] = true;
	sem_post(&shared->actors[number].go);
	if (!(a->who & ASYNC))
		settle(number, 2);
}

/*
 * Start an actor that does not exist; actor 0 starts the others.  Return whether the actor can
 * perform acts.
 */
static bool ready(unsigned int number)
{
	struct act begin = {
		.op = number < THREADS ? ACT_START : ACT_FORK, .target = TARGET_ACTOR + number,
	};

	if (!settle(number, 1))
		return false;
	if (shared->actors[number].life == ABSENT) {
		if (!number)
			actor_start(0);
		else if (ready(0))
			hand(0, &begin);
	}
	return shared->actors[number].life == ALIVE && !shared->actors[number].stopped;
}

/* End all actors: kill processes, and wait until threads have finished their acts. */
static void end_all(void)
{
	static const struct act end = { .op = ACT_END };
	unsigned int i;

	for (i = THREADS; i < ACTORS; i++) {
		if (shared->actors[i].life == ABSENT)
			continue;
		kill(shared->actors[i].tid, SIGKILL);
		waitpid(shared->actors[i].tid, NULL, 0);
		kcov_collect(&kcovs[i], &shared->coverage);
		shared->actors[i].life = ABSENT;
		busy[i] = false;
	}
	for (i = 0; i < THREADS; i++) {
		if (shared->actors[i].life == ABSENT)
			continue;
		if (!settle(i, 10)) {
			wrong(&shared->actors[i].act, "does not end", i, 0);
			fprintf(stderr, "fuzz: %s\n", shared->text);
			abort();
		}
		if (shared->actors[i].life != ABSENT)
			hand(i, &end);
	}
}

void world_run(const struct act *acts, size_t n)
{
	size_t i;

	memset(shared->coverage.counters, 0, sizeof(shared->coverage.counters));
	memset(shared->epochs, 0, sizeof(shared->epochs));
	shared->restarts = 0;
	shared->sets_made = 0;
	shared->dead = 0;
	files_open();
	for (i = 0; i < n; i++)
		if (ready(acts[i].who & ~ASYNC))
			hand(acts[i].who & ~ASYNC, &acts[i]);
	end_all();
	files_close();
	machine_restore();
}

void world_open(void)
{
	unsigned int i;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		die("fuzz: mmap");
	acts_open();
	kcov_find_module();
	for (i = 0; i < ACTORS; i++)
		kcov_open(&kcovs[i]);
	machine_open();
}
