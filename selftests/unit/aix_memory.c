// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of each call fails, one at a time, either once or together with all later ones.
 * The call reports the failure, nothing is changed or leaked, and the call works once memory is
 * available again.
 *
 * The linker redirects all allocations of the library to this file (--wrap); opening a file and
 * reading a directory also count as allocations.
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>

#include "selftests/synthetic/backend_clock.h"
#include "core/session.h"
#include "../aix/scopes.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

#define MOST_CALLS	100000

/* @callers: the code address of each allocation, if recorded; shared with children */
static struct {
	bool armed, for_good, hit;
	int left;
	long live;
	const void **callers;
	int ncallers;
} memory;

static bool fails(const void *caller)
{
	if (!memory.armed)
		return false;
	if (memory.callers && memory.ncallers < MOST_CALLS)
		memory.callers[memory.ncallers++] = caller;
	if (memory.left-- > 0 || (memory.hit && !memory.for_good))
		return false;
	memory.hit = true;
	errno = ENOMEM;
	return true;
}

#define WRAP(type, name, params, args, counted)				\
type __real_##name params;						\
type __wrap_##name params;						\
type __wrap_##name params						\
{									\
	type got = fails(__builtin_return_address(0)) ? NULL : __real_##name args;	\
									\
	memory.live += got && (counted);				\
	return got;							\
}

WRAP(void *, malloc, (size_t size), (size), true)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), true)
WRAP(void *, realloc, (void *old, size_t size), (old, size), !old)
WRAP(char *, strdup, (const char *s), (s), true)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), false)
WRAP(DIR *, opendir, (const char *path), (path), false)
WRAP(struct dirent *, readdir, (DIR *dir), (dir), false)

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
	memory.live -= !!p;
	__real_free(p);
}

static void arm(int after, bool for_good)
{
	memory.left = after;
	memory.for_good = for_good;
	memory.hit = false;
	memory.armed = true;
}

static bool disarm(void)
{
	memory.armed = false;
	return memory.hit;
}

static int set_plain(const struct scope *s, int mode)
{
	pm_prog_t prog = program("PM_PAGE_FAULTS");

	prog.mode.w |= s->mode | mode;
	return s->set(&prog);
}

static int set_mx(const struct scope *s, int mode)
{
	pm_prog_mx_t prog = program_mx("PM_PAGE_FAULTS", 3, 10);

	prog.mode.w |= s->mode | mode;
	return s->set_mx(&prog);
}

static int set_mm(const struct scope *s, int mode)
{
	pm_prog_t sets[2] = { program("PM_PAGE_FAULTS"), program("PM_PAGE_FAULTS") };
	pm_prog_mm_t prog = { .slice_duration = 10, .nb_set_prog = 2, .prog_set = sets };

	sets[0].mode.w |= s->mode | mode;
	return s->set_mm(&prog);
}

/* Free @memory.  Return -1 if the call failed although it had allocated @memory, otherwise @ret. */
static int allocated(int ret, void *memory)
{
	if (ret && memory)
		return -1;
	free(memory);
	return ret;
}

/* Return -1 if a failed call has changed its output, otherwise @ret. */
static int untouched(int ret, bool as_before)
{
	return ret && !as_before ? -1 : ret;
}

static int get_mx(const struct scope *s)
{
	pm_prog_mx_t prog = { .events_set = (void *)8 };
	int ret = s->get_mx(&prog);

	return allocated(ret, prog.events_set);
}

static int get_mm(const struct scope *s)
{
	pm_prog_mm_t prog = { .prog_set = (void *)8 };
	int ret = s->get_mm(&prog);

	return allocated(ret, prog.prog_set);
}

static int data(const struct scope *s)
{
	pm_data_t got = { .reserved = 77 };
	int ret = s->data(&got);

	return untouched(ret, got.reserved == 77);
}

static int Tdata(const struct scope *s)
{
	pm_accu_time_t times = { .accu_purr.flag = 77 };
	pm_data_t got = { .reserved = 77 };
	int ret = s->Tdata(&got, &times);

	return untouched(ret, got.reserved == 77 && times.accu_purr.flag == 77);
}

static int data_mx(const struct scope *s)
{
	pm_data_mx_t got = { .accu_set = (void *)8 };
	int ret = s->data_mx(&got);

	return allocated(ret, got.accu_set);
}

static int tstop(const struct scope *s)
{
	timebasestruct_t when = { .flag = 77 };
	int ret = s->tstop(&when);

	return untouched(ret, when.flag == 77);
}

static int get(const struct scope *s)
{
	pm_prog_t prog = { .reserved = 77 };
	int ret = s->get(&prog);

	return untouched(ret, prog.reserved == 77);
}

static int start(const struct scope *s)
{
	return s->start();
}

static int drop(const struct scope *s)
{
	return s->drop();
}

/*
 * The calls to test.  Before a call, @set sets a program in the mode @before; afterwards, @look
 * reads its data.
 */
static const struct op {
	const char *name;
	int (*call)(const struct scope *s);
	int (*set)(const struct scope *s, int mode);
	int before;
	int (*look)(const struct scope *s);
} ops[] = {
	{ "start", start, set_plain, 0, data },
	{ "start, mx", start, set_mx, 0, data_mx },
	{ "tstop", tstop, set_plain, PM_COUNT, data },
	{ "get", get, set_plain, PM_COUNT, data },
	{ "get_mx", get_mx, set_mx, 0, data_mx },
	{ "get_mm", get_mm, set_mm, 0, data_mx },
	{ "data", data, set_plain, PM_COUNT, data },
	{ "Tdata", Tdata, set_plain, 0, data },
	{ "data_mx", data_mx, set_mx, PM_COUNT, data_mx },
	{ "delete", drop, set_plain, PM_COUNT, data },
	{ "delete, mx", drop, set_mx, 0, data_mx },
};

#define EACH_OP(op)	for (const struct op *op = ops; op < ops + sizeof(ops) / sizeof(ops[0]); op++)

static int counts(const struct scope *s, const struct op *op)
{
	pm_prog_mx_t mx;
	pm_prog_mm_t mm;
	pm_prog_t prog;

	if (op->set == set_plain)
		return s->get(&prog) ? -1 : prog.mode.w & PM_COUNT;
	if (op->set == set_mx) {
		if (s->get_mx(&mx))
			return -1;
		free(mx.events_set);
		return mx.mode.w & PM_COUNT;
	}
	if (s->get_mm(&mm))
		return -1;
	prog = mm.prog_set[0];
	free(mm.prog_set);
	return prog.mode.w & PM_COUNT;
}

/*
 * Return whether calls succeed if an allocation for the list of online processors fails.  The next
 * call reads the list again.
 */
static bool manages_without(const struct scope *s)
{
	return !strcmp(s->name, "system");
}

/*
 * Return whether a call can succeed although an allocation failed.  If a thread's sample of itself
 * fails, the library repeats it under the lock, to find the reason.
 */
static bool tries_again(const struct scope *s, const struct op *op)
{
	return !strcmp(s->name, "mythread") && (op->call == data || op->call == Tdata);
}

/*
 * Make the call.  Allocation number @after fails and, if @for_good is set, so do all later ones.
 * Return whether the call made that many allocations.
 */
static bool one_call(struct __test_metadata *_metadata, const struct scope *s, const struct op *op,
		     int after, bool for_good)
{
	long live;
	bool hit;
	int ret;

	ASSERT_EQ(0, op->set(s, op->before)) {
		TH_LOG("%s, %s", s->name, op->name);
	}
	live = memory.live;
	arm(after, for_good);
	ret = op->call(s);
	hit = disarm();
	if (!hit || ((manages_without(s) || tries_again(s, op)) && !ret)) {
		EXPECT_CODE(0, ret);
		s->drop();
		return hit;
	}
	ASSERT_EQ(Pmapi_Malloc_Err, ret) {
		TH_LOG("%s, %s: allocation %d%s", s->name, op->name, after,
		       for_good ? " and all later ones" : "");
	}
	EXPECT_EQ(live, memory.live) TH_LOG("%s, %s: allocation %d", s->name, op->name, after);
	EXPECT_EQ(op->before, counts(s, op)) TH_LOG("%s, %s: allocation %d", s->name, op->name, after);
	EXPECT_CODE(0, op->look(s));
	EXPECT_CODE(0, op->call(s));
	s->drop();
	return true;
}

FIXTURE(memory) {
};

FIXTURE_SETUP(memory)
{
	start_target();
	ASSERT_EQ(0, initialize());
}

FIXTURE_TEARDOWN(memory)
{
	end_target();
}

TEST_F(memory, calls_on_a_program)
{
	int tried = 0;

	EACH_SCOPE(s)
		EACH_OP(op)
			for (int for_good = 0; for_good < 2; for_good++)
				for (int i = 0; one_call(_metadata, s, op, i, for_good); i++)
					tried++;
	TH_LOG("%d allocations failed", tried);
	EXPECT_LT(200, tried);
}

static bool one_set(struct __test_metadata *_metadata, const struct scope *s,
		    int (*set)(const struct scope *s, int mode), int after, bool for_good)
{
	long live = memory.live;
	bool hit;
	int ret;

	arm(after, for_good);
	ret = set(s, PM_COUNT);
	hit = disarm();
	if (!hit || (manages_without(s) && !ret)) {
		EXPECT_CODE(0, ret);
		EXPECT_CODE(0, s->stop());
		EXPECT_CODE(0, s->drop());
		return hit;
	}
	ASSERT_EQ(Pmapi_Malloc_Err, ret) {
		TH_LOG("%s: allocation %d", s->name, after);
	}
	EXPECT_EQ(live, memory.live) TH_LOG("%s: allocation %d", s->name, after);
	EXPECT_CODE(Pmapi_NoSetProg, s->start());
	EXPECT_CODE(0, set(s, 0));
	EXPECT_CODE(0, s->drop());
	return true;
}

TEST_F(memory, set)
{
	int (*const sets[])(const struct scope *s, int mode) = { set_plain, set_mx, set_mm };
	int tried = 0;

	EACH_SCOPE(s)
		for (int k = 0; k < 3; k++)
			for (int for_good = 0; for_good < 2; for_good++)
				for (int i = 0; one_set(_metadata, s, sets[k], i, for_good); i++)
					tried++;
	EXPECT_LT(200, tried);
}

/*
 * A reset unbinds the program and binds it again.  If memory runs out in between, the thread has no
 * program, and the next call reports this.  The next call also binds programs on processors again.
 */
TEST_F(memory, reset)
{
	EACH_SCOPE(s)
		for (int i = 0; ; i++) {
			int ret, after;
			bool hit;

			ASSERT_EQ(0, set_mx(s, PM_COUNT));
			arm(i, false);
			ret = s->reset();
			hit = disarm();
			if (!manages_without(s) || ret)
				EXPECT_CODE(hit ? Pmapi_Malloc_Err : 0, ret);
			after = data_mx(s);
			if (after != Pmapi_NoSetProg || s->mode & PM_PROCTREE ||
			    manages_without(s))
				EXPECT_CODE(0, after);
			s->drop();
			if (!hit)
				break;
		}
}

/* Initialize in a child, because the tables are created only once. */
static int initialize_in_child(int after)
{
	pid_t pid = fork();
	int status, ret;

	if (!pid) {
		arm(after, false);
		ret = initialize();
		if (!disarm())
			_exit(ret ? 1 : 0);
		if (ret != Pmapi_Malloc_Err)
			_exit(2);
		if (pm_start_mythread() != Pmapi_NoInit)
			_exit(3);
		_exit(initialize() ? 4 : 100);
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Store the code addresses of all allocations in order, and return their number. */
static int callers_of_initialization(const void **callers)
{
	pid_t pid = fork();
	int n = 0;

	if (!pid) {
		memory.callers = callers;
		arm(INT_MAX, false);
		_exit(initialize() ? 1 : 0);
	}
	waitpid(pid, NULL, 0);
	while (n < MOST_CALLS && callers[n])
		n++;
	return n;
}

/* Return whether an allocation is among the first few or the last few at its code address. */
static bool is_at_end(const void *const *callers, int n, int i)
{
	int before = 0, after = 0;

	for (int k = 0; k < i; k++)
		before += callers[k] == callers[i];
	for (int k = i + 1; k < n; k++)
		after += callers[k] == callers[i];
	return before < 3 || after < 2;
}

/*
 * There is an allocation for each event name, so one code address makes thousands of allocations.
 * Only the first few, the last few and every 100th one are tried, because each attempt needs two
 * initializations.
 */
TEST(initialization)
{
	const void **callers = mmap(NULL, MOST_CALLS * sizeof(*callers), PROT_READ | PROT_WRITE,
				    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int n, tried = 0;

	ASSERT_NE(MAP_FAILED, (void *)callers);
	n = callers_of_initialization(callers);
	ASSERT_LT(n, MOST_CALLS);
	for (int i = 0; i < n; i++) {
		if (i % 100 && !is_at_end(callers, n, i))
			continue;
		ASSERT_EQ(100, initialize_in_child(i)) TH_LOG("allocation %d of %d", i, n);
		tried++;
	}
	EXPECT_EQ(0, initialize_in_child(n));
	TH_LOG("%d of %d allocations failed", tried, n);
	EXPECT_LT(20, tried);
}

TEST_HARNESS_MAIN
