// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make random calls from many threads and processes.  Calls must fail only as documented and write
 * only their output, and the module must continue to work.
 *
 * FUZZ_SEED and FUZZ_CALLS in the environment change the sequence and its length.
 */
#include <pthread.h>

#include "checking.h"
#include "fuzz/acts.h"
#include "signaled.h"
#include "vcpc_test.h"

#define PROCESSES	3

/* Open and close files that other threads of the process may be opening and closing. */
static void do_files(struct worker *w)
{
	int *common = &w->process->common[below(&w->f, COMMON)];
	struct own_set *own;
	int fd = -1;

	switch (below(&w->f, 3)) {
	case 0: fd = device_open(); break;
	case 1:
		own = &w->own[below(&w->f, OWN)];
		own->shared = true;
		fd = dup(own->fd);
		break;
	default: fd = set_of(&task_clock, below(&w->f, 2)); break;
	}
	if (fd < 0)
		wrong(&w->f, "file", "not opened", fd, errno);
	close(__atomic_exchange_n(common, fd, __ATOMIC_RELAXED));
}

static void end_child(struct worker *w)
{
	if (w->child <= 0)
		return;
	kill(w->child, SIGKILL);
	waitpid(w->child, NULL, 0);
	w->dead = w->child;
	w->child = 0;
}

/* Start a child that waits, binds and samples, executes another program, or exits. */
static void do_child(struct worker *w)
{
	unsigned int kind = below(&w->f, 4), i;
	struct room room;

	end_child(w);
	w->child = fork();
	if (w->child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (kind == 1)
		for (i = 0; i < 100; i++) {
			set_bind(w->own[i % OWN].fd, 0);
			set_sample(w->own[i % OWN].fd, 0, &room);
		}
	if (kind == 2) {
		usleep(2000);
		execl("/bin/true", "true", NULL);
	}
	if (kind < 3)
		pause();
	_exit(0);
}

static const struct {
	void (*fn)(struct worker *w);
	unsigned int weight;
} actions[] = {
	{ do_info, 20 }, { do_create, 60 }, { do_bind, 120 }, { do_own, 180 },
	{ do_preset, 80 },
	{ do_sample, 250 }, { do_read, 200 }, { do_instances, 40 }, { do_tag, 60 },
	{ do_trace, 160 }, { do_advise, 80 }, { do_map, 40 },
	{ do_unknown, 20 }, { do_files, 20 }, { do_child, 2 },
};

static void act(struct worker *w)
{
	unsigned int i, n = 0;

	for (i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		n += actions[i].weight;
	n = below(&w->f, n);
	for (i = 0; n >= actions[i].weight; i++)
		n -= actions[i].weight;
	actions[i].fn(w);
}

struct start {
	struct process *process;
	unsigned int number;
};

static void *work(void *arg)
{
	struct start *start = arg;
	struct process *p = start->process;
	struct worker w = { .process = p };
	unsigned long i;

	w.f.verdicts = p->verdicts;
	w.f.random = p->seed * 64 + start->number;
	arena_open(&w.f.args);
	arena_open(&w.f.data);
	w.device = device_open();
	for (i = 0; i < OWN; i++)
		w.own[i] = (struct own_set) { .fd = set_of(&page_faults, 0), .nr = 1 };
	p->tids[start->number] = own_tid();
	for (i = 0; i < p->calls; i++)
		act(&w);
	end_child(&w);
	for (i = 0; i < OWN; i++)
		close(w.own[i].fd);
	close(w.device);
	arena_close(&w.f.args);
	arena_close(&w.f.data);
	return NULL;
}

/* Run one process.  Some of its files were opened before the fork and are shared. */
static int run_process(struct process *p, const int *inherited)
{
	struct start starts[THREADS];
	pthread_t threads[THREADS];
	unsigned int i;
	int before;

	if (!p->root && become_nobody())
		return 1;
	catch_overflows();
	before = open_files();
	p->null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (i = 0; i < COMMON; i++)
		p->common[i] = i < 4 ? dup(inherited[i]) : device_open();
	for (i = 0; i < THREADS; i++) {
		starts[i] = (struct start) { p, i };
		if (pthread_create(&threads[i], NULL, work, &starts[i]))
			return 2;
	}
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < COMMON; i++)
		close(p->common[i]);
	close(p->null);
	return open_files() == before ? 0 : 3;
}

static unsigned int parameter(const char *name, const char *value)
{
	unsigned int before = 0;
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "/sys/module/vcpc/parameters/%s", name);
	file = fopen(path, "r+");
	if (!file || fscanf(file, "%u", &before) != 1)
		abort();
	rewind(file);
	if (value && fputs(value, file) < 0)
		abort();
	fclose(file);
	return before;
}

/*
 * Check that every call works after the run.  The user's limit is exactly what these calls need, so
 * they fail if anything else is still charged.
 */
static int works(void *root)
{
	struct vcpc_trace_tag_args tag = {
		.size = sizeof(tag), .name = pointer("vcpc-fuzzed"), .name_len = 11,
	};
	__u64 first;
	int device, set;

	if (!root && become_nobody())
		return 1;
	device = device_open();
	set = set_create(device, &page_faults, 1, 0);
	if (set < 0 || set_bind(set, 0) || call(device, VCPC_IOC_TRACE_TAG, &tag))
		return 2;
	touch(1);
	first = first_value(set, 0);
	touch(10);
	if (first_value(set, 0) != first + 10)
		return 3;
	return set_own(set, VCPC_IOC_UNBIND) ? 4 : 0;
}

/*
 * Keep some perf events enabled all the time.  Otherwise the kernel patches its code whenever the
 * first event of a kind starts and the last one ends.  An emulated machine with busy CPUs may not
 * survive frequent patching, which this test does not examine.
 */
static void __attribute__((constructor)) keep_events_on(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE, .size = sizeof(attr) };

	for (attr.config = 0; attr.config < PERF_COUNT_SW_MAX; attr.config++)
		syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

FIXTURE(fuzz) {
	struct verdicts *verdicts;
	int common[4];
};

FIXTURE_VARIANT(fuzz) {
	bool root;
};

FIXTURE_VARIANT_ADD(fuzz, root) { .root = true };
FIXTURE_VARIANT_ADD(fuzz, nobody) { .root = false };

FIXTURE_SETUP(fuzz)
{
	struct vcpc_request both = page_faults;

	both.flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL;
	self->verdicts = mmap(NULL, sizeof(*self->verdicts), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, (void *)self->verdicts);
	self->common[0] = set_of(&page_faults, 0);
	self->common[1] = set_of(&both, 0);
	self->common[2] = set_of(&task_clock, VCPC_SET_F_DISABLED);
	self->common[3] = device_open();
	ASSERT_GE(self->common[3], 0);
	ASSERT_EQ(0, set_bind(self->common[0], 0));
}

FIXTURE_TEARDOWN(fuzz)
{
}

TEST_F_TIMEOUT(fuzz, calls, 100000)
{
	static const char * const limits[][2] = {
		{ "max_user_sets", "1" }, { "max_user_counters", "2" }, { "max_user_tags", "1" },
	};
	unsigned long seed = number("FUZZ_SEED", 20221211), calls = number("FUZZ_CALLS", kernel_checks() ? 100000 : 1000000);
	struct process p = {
		.verdicts = self->verdicts, .root = variant->root, .software = !hw_slots(),
	};
	unsigned int i, before[3];
	pid_t pids[PROCESSES];
	char text[16];
	int status;

	catch_overflows();
	/* Each set needs one additional event. */
	p.max_requests = variant->root ? 2048 : parameter("max_thread_counters", NULL) - 1;
	p.calls = calls / 2 / PROCESSES / THREADS;
	for (i = 0; i < PROCESSES; i++) {
		p.seed = seed * 8 + 4 * variant->root + i;
		pids[i] = fork();
		if (!pids[i])
			_exit(run_process(&p, self->common));
	}
	for (i = 0; i < PROCESSES; i++) {
		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(0, status);
	}
	TH_LOG("seed %lu: %lu calls", seed, self->verdicts->calls);
	for (i = 0; i < OP_UNKNOWN; i++) {
		TH_LOG("%s worked %lu times", contract[i].name, self->verdicts->worked[i]);
		EXPECT_GT(self->verdicts->worked[i], 0);
	}
	for (i = 0; i < REPORTS && i < self->verdicts->wrong; i++)
		TH_LOG("%s", self->verdicts->text[i]);
	EXPECT_EQ(0, self->verdicts->wrong);

	for (i = 0; i < 4; i++)
		EXPECT_EQ(0, close(self->common[i]));
	for (i = 0; i < 3; i++)
		before[i] = parameter(limits[i][0], limits[i][1]);
	EXPECT_EQ(0, in_child(works, NULL));
	EXPECT_EQ(0, in_child(works, self));
	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "%u", before[i]);
		parameter(limits[i][0], text);
	}
}

TEST_HARNESS_MAIN
