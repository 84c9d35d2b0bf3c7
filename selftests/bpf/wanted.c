// SPDX-License-Identifier: GPL-2.0-or-later
/* Programs that bind no sets count the events that the tracing session requests. */
#include <sys/prctl.h>

#include <shim/shim.h>

#include "faults.h"

#define ROUNDS	10
#define FAULTS	20

FIXTURE(wanted) {
	const char *missing;
	struct shim_trace *trace;
};

FIXTURE_VARIANT(wanted) {
	const char *env;
	uint32_t flags;
};

FIXTURE_VARIANT_ADD(wanted, module) { "kernel", SHIM_TRACE_F_MODULE };
FIXTURE_VARIANT_ADD(wanted, module_begins) { "kernel", SHIM_TRACE_F_MODULE | SHIM_TRACE_F_BEGINS };
FIXTURE_VARIANT_ADD(wanted, direct) { "direct", SHIM_TRACE_F_PROBES };

FIXTURE_SETUP(wanted)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = variant->flags, .direct_slots = 64,
	};

	ASSERT_EQ(0, trace_place(variant->flags & ~SHIM_TRACE_F_BEGINS, &self->missing));
	ASSERT_EQ(0, prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
	setenv("SHIM_TRACE", variant->env, 1);
	if (self->missing)
		return;
	ASSERT_EQ(0, shim_trace_on(&options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
}

FIXTURE_TEARDOWN(wanted)
{
	shim_trace_close(self->trace);
	shim_trace_off();
}

static int want(void)
{
	const char *const events[] = { "page-faults" };

	return shim_trace_count(events, 1, NULL);
}

/* Return the number of a tag's transactions with counts, and their page faults per transaction. */
static uint64_t counted_of(struct shim_trace *trace, const char *name, uint64_t *each)
{
	size_t n = 0;

	*each = 0;
	if (shim_trace_counts_get(trace, &n))
		return UINT64_MAX;
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(trace, i);

		if (strcmp(count->name, name) || strncmp(count->event, "page-faults", 11))
			continue;
		*each = count->sum / count->transactions;
		return count->transactions;
	}
	return 0;
}

static void *transactions(void *name)
{
	for (int i = 0; i < ROUNDS; i++)
		if (transaction(name, FAULTS))
			return NULL;
	return name;
}

static int in_thread(const char *name)
{
	pthread_t thread;
	void *done = NULL;

	return pthread_create(&thread, NULL, transactions, (void *)name) ||
	       pthread_join(thread, &done) || !done;
}

static void in_threads_and_children(void)
{
	int status;
	pid_t pid;

	if (!transactions("of a process") || in_thread("of a thread"))
		_exit(1);
	pid = fork();
	if (!pid)
		_exit(!transactions("of its child"));
	if (waitpid(pid, &status, 0) != pid || status || !transactions("of a process"))
		_exit(2);
}

TEST_F(wanted, by_programs_that_bind_nothing)
{
	uint64_t each;

	UNLESS_MISSING();
	ASSERT_EQ(0, want());
	ASSERT_EQ(0, in_child(in_threads_and_children));
	EXPECT_EQ(2 * ROUNDS, counted_of(self->trace, "of a process", &each));
	EXPECT_GE(each, FAULTS);
	EXPECT_LT(each, FAULTS + 10);
	EXPECT_EQ(ROUNDS, counted_of(self->trace, "of a thread", &each));
	EXPECT_GE(each, FAULTS);
	EXPECT_EQ(ROUNDS, counted_of(self->trace, "of its child", &each));
	EXPECT_GE(each, FAULTS);
	EXPECT_EQ(-EBUSY, want());
}

static void as_another_user(void)
{
	if (setuid(1001) || !transactions("of a user"))
		_exit(1);
}

/* Direct tracing requires permission to write to the map, so other users cannot use it. */
TEST_F(wanted, by_users_without_privilege)
{
	uint64_t each;

	UNLESS_MISSING();
	if (!strcmp(variant->env, "direct"))
		SKIP(return, "only root may write to the map");
	ASSERT_EQ(0, want());
	ASSERT_EQ(0, in_child(as_another_user));
	EXPECT_EQ(ROUNDS, counted_of(self->trace, "of a user", &each));
	EXPECT_GE(each, FAULTS);
}

/* A running process starts counting when counts are requested, and stops when they are not. */
TEST_F(wanted, while_it_runs)
{
	uint64_t each, n;

	UNLESS_MISSING();
	ASSERT_NE(NULL, transactions("all along"));
	EXPECT_EQ(0, counted_of(self->trace, "all along", &each));
	ASSERT_EQ(0, want());
	usleep(150000);
	/* To save time, direct tracing checks for a request only from the second begin on. */
	ASSERT_NE(NULL, transactions("all along"));
	n = counted_of(self->trace, "all along", &each);
	EXPECT_GE(n, ROUNDS - 1);
	EXPECT_GE(each, FAULTS);
	ASSERT_EQ(0, shim_trace_count(NULL, 0, NULL));
	usleep(150000);
	ASSERT_NE(NULL, transactions("all along"));
	EXPECT_LE(counted_of(self->trace, "all along", &each), n + 1);
	EXPECT_EQ(3 * ROUNDS, count_of("all along", SHIM_TRACE_TRANSACTION));
}

/* A thread that has its own set counts with this set. */
TEST_F(wanted, beside_an_own_set)
{
	const char *const events[] = { "page-faults", "context-switches" };
	struct shim_handle *handle;
	struct shim_set *set;
	size_t n = 0;

	UNLESS_MISSING();
	ASSERT_EQ(0, want());
	ASSERT_EQ(0, transaction("before", 1));
	ASSERT_EQ(0, shim_open(&handle));
	ASSERT_EQ(0, shim_set_create(handle, events, 2, NULL, &set));
	ASSERT_EQ(0, shim_set_bind(set, 0, SHIM_BIND_TRACE));
	ASSERT_NE(NULL, transactions("its own"));
	usleep(150000);
	ASSERT_NE(NULL, transactions("its own"));
	ASSERT_EQ(0, shim_trace_counts_get(self->trace, &n));
	EXPECT_EQ(3, n);
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_count *count = shim_trace_count_at(self->trace, i);

		if (!strcmp(count->name, "its own"))
			EXPECT_EQ(2 * ROUNDS, count->transactions);
	}
	shim_set_destroy(set);
	shim_close(handle);
}

static int note_loss(void *arg, const struct shim_trace_loss *loss)
{
	uint64_t *lost = arg;

	if (loss->what > SHIM_TRACE_LOST_THREADS)
		return -1;
	lost[loss->what] += loss->n;
	return 0;
}

static void by_probes(void)
{
	setenv("SHIM_TRACE", "probe", 1);
	if (!transactions("by probes"))
		_exit(1);
}

/* Probes do not support counts.  Tracing is turned on, and the counts are reported as lost. */
TEST_F(wanted, by_probes)
{
	uint64_t lost[SHIM_TRACE_LOST_THREADS + 1] = { 0 };

	UNLESS_MISSING();
	if (!(variant->flags & SHIM_TRACE_F_PROBES))
		SKIP(return, "needs probes");
	ASSERT_EQ(0, want());
	ASSERT_EQ(0, in_child(by_probes));
	EXPECT_EQ(ROUNDS, count_of("by probes", SHIM_TRACE_TRANSACTION));
	EXPECT_EQ(0, shim_trace_losses(self->trace, note_loss, lost));
	EXPECT_EQ(ROUNDS, lost[SHIM_TRACE_LOST_COUNTS]);
}

TEST_HARNESS_MAIN
