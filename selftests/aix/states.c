// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test every state and every transition in each scope, including invalid transitions.  Setting an
 * invalid program changes nothing.
 */
#include "scopes.h"
#include "needs_module.h"

INITIALIZE_ONCE()

FIXTURE(states) {
	pm_prog_t prog;
};

FIXTURE_SETUP(states)
{
	start_target();
	ASSERT_EQ(0, initialize());
	self->prog = program("PM_PAGE_FAULTS");
	ASSERT_NE(COUNT_NOTHING, self->prog.events[0]);
}

FIXTURE_TEARDOWN(states)
{
	end_target();
}

static pm_prog_t for_scope(const pm_prog_t *prog, const struct scope *s, int mode)
{
	pm_prog_t p = *prog;

	p.mode.w |= s->mode | mode;
	return p;
}

TEST_F(states, nothing_is_set)
{
	timebasestruct_t when = { .flag = 99 };
	pm_accu_time_t times = { .accu_purr.flag = 98 };
	pm_data_mx_t mx = { .accu_set = (void *)8 };
	pm_data_t data = { .reserved = 77 };
	pm_prog_t prog = { .reserved = 77 };

	EACH_SCOPE(s) {
		EXPECT_CODE(Pmapi_NoSetProg, s->start());
		EXPECT_CODE(Pmapi_NoSetProg, s->tstart(&when));
		EXPECT_CODE(Pmapi_NoSetProg, s->stop());
		EXPECT_CODE(Pmapi_NoSetProg, s->tstop(&when));
		EXPECT_CODE(Pmapi_NoSetProg, s->reset());
		EXPECT_CODE(Pmapi_NoSetProg, s->data(&data));
		EXPECT_CODE(Pmapi_NoSetProg, s->tdata(&data, &when));
		EXPECT_CODE(Pmapi_NoSetProg, s->Tdata(&data, &times));
		EXPECT_CODE(Pmapi_NoSetProg, s->data_mx(&mx));
		EXPECT_CODE(Pmapi_NoSetProg, s->tdata_mx(&mx, &when));
		EXPECT_CODE(Pmapi_NoSetProg, s->get(&prog));
		EXPECT_CODE(Pmapi_NoSetProg, s->drop());
	}
	EXPECT_EQ(77, data.reserved);
	EXPECT_EQ(77, prog.reserved);
	EXPECT_EQ(99, when.flag);
	EXPECT_EQ(98, times.accu_purr.flag);
	EXPECT_EQ(NULL, mx.accu_set);
}

/* Check whether the context counts and that no other context exists. */
static void expect_state(struct __test_metadata *_metadata, const struct scope *s,
			 const pm_prog_t *prog, int counts)
{
	pm_prog_t p = for_scope(prog, s, 0), got;
	pm_data_t data;

	EXPECT_CODE(0, s->get(&got));
	EXPECT_CODE(counts, (int)got.mode.b.count);
	EXPECT_CODE(p.mode.w, got.mode.w & ~PM_COUNT);
	EXPECT_CODE(0, memcmp(p.events, got.events, sizeof(p.events)));
	EXPECT_CODE(0, s->data(&data));
	EXPECT_CODE(Pmapi_ContextExists, s->set(&p));
}

TEST_F(states, life)
{
	EACH_SCOPE(s) {
		pm_prog_t prog = for_scope(&self->prog, s, 0);

		ASSERT_EQ(0, s->set(&prog)) TH_LOG("%s", s->name);
		expect_state(_metadata, s, &self->prog, 0);
		EXPECT_CODE(Pmapi_NotCounting, s->stop());
		EXPECT_CODE(0, s->reset());
		expect_state(_metadata, s, &self->prog, 0);
		EXPECT_CODE(0, s->start());
		expect_state(_metadata, s, &self->prog, 1);
		EXPECT_CODE(0, s->start());
		expect_state(_metadata, s, &self->prog, 1);
		EXPECT_CODE(0, s->reset());
		expect_state(_metadata, s, &self->prog, 1);
		EXPECT_CODE(0, s->stop());
		expect_state(_metadata, s, &self->prog, 0);
		EXPECT_CODE(Pmapi_NotCounting, s->stop());
		EXPECT_CODE(0, s->start());
		/* A program can be deleted while it counts. */
		EXPECT_CODE(0, s->drop());
		EXPECT_CODE(Pmapi_NoSetProg, s->drop());
		prog = for_scope(&self->prog, s, PM_COUNT);
		ASSERT_EQ(0, s->set(&prog));
		expect_state(_metadata, s, &self->prog, 1);
		EXPECT_CODE(0, s->start());
		EXPECT_CODE(0, s->stop());
		EXPECT_CODE(0, s->drop());
	}
}

TEST_F(states, kinds)
{
	pm_prog_mx_t mx = program_mx("PM_PAGE_FAULTS", 3, 0), got;
	pm_prog_mm_t mm = { .prog_set = (void *)8 };
	pm_data_mx_t data_mx;
	pm_data_t data;
	pm_prog_t prog;

	EACH_SCOPE(s) {
		mx.mode.w = PM_USER | s->mode;
		ASSERT_EQ(0, s->set_mx(&mx)) TH_LOG("%s", s->name);
		EXPECT_CODE(Pmapi_WrongKind, s->data(&data));
		EXPECT_CODE(Pmapi_WrongKind, s->get(&prog));
		EXPECT_CODE(Pmapi_WrongKind, s->get_mm(&mm));
		EXPECT_CODE(NULL, mm.prog_set);
		ASSERT_EQ(0, s->get_mx(&got));
		EXPECT_CODE(100, got.slice_duration);
		EXPECT_CODE(3, got.nb_events_prog);
		EXPECT_CODE(0, memcmp(mx.events_set, got.events_set, 3 * sizeof(*got.events_set)));
		free(got.events_set);
		ASSERT_EQ(0, s->data_mx(&data_mx));
		EXPECT_CODE(3, data_mx.nb_accu_mx);
		EXPECT_CODE(0, data_mx.nb_mx_round);
		EXPECT_CODE(0, raw(data_mx.accu_set[2].accu_time));
		EXPECT_CODE(RTC_POWER_PC, data_mx.accu_set[2].accu_purr.flag);
		free(data_mx.accu_set);
		EXPECT_CODE(0, s->drop());
		prog = for_scope(&self->prog, s, 0);
		ASSERT_EQ(0, s->set(&prog));
		EXPECT_CODE(Pmapi_WrongKind, s->data_mx(&data_mx));
		EXPECT_CODE(NULL, data_mx.accu_set);
		EXPECT_CODE(Pmapi_WrongKind, s->get_mx(&got));
		EXPECT_CODE(0, s->drop());
	}
}

/* If each set has its own mode, programs are read with the mm calls and data with the mx calls. */
TEST_F(states, modes_by_set)
{
	pm_prog_t sets[2] = { self->prog, self->prog };
	pm_prog_mm_t mm = { .slice_duration = 20, .nb_set_prog = 2, .prog_set = sets }, got;
	pm_prog_mx_t mx = { .events_set = (void *)8 };
	pm_data_mx_t data;
	pm_prog_t prog;

	sets[1].events[0] = COUNT_NOTHING;
	EACH_SCOPE(s) {
		sets[0].mode.w = PM_USER | s->mode;
		ASSERT_EQ(0, s->set_mm(&mm)) TH_LOG("%s", s->name);
		EXPECT_CODE(Pmapi_ContextExists, s->set_mm(&mm));
		EXPECT_CODE(Pmapi_WrongKind, s->get_mx(&mx));
		EXPECT_CODE(NULL, mx.events_set);
		EXPECT_CODE(Pmapi_WrongKind, s->get(&prog));
		ASSERT_EQ(0, s->get_mm(&got)) TH_LOG("%s", s->name);
		EXPECT_CODE(2, got.nb_set_prog);
		EXPECT_CODE(20, got.slice_duration);
		EXPECT_CODE(sets[0].mode.w, got.prog_set[0].mode.w);
		EXPECT_CODE(0, memcmp(sets[1].events, got.prog_set[1].events, sizeof(prog.events)));
		free(got.prog_set);
		ASSERT_EQ(0, s->data_mx(&data)) TH_LOG("%s", s->name);
		EXPECT_CODE(2, data.nb_accu_mx);
		free(data.accu_set);
		EXPECT_CODE(0, s->drop());
		sets[1].events[0] = 100000;
		EXPECT_CODE(Pmapi_InvalidEvent, s->set_mm(&mm));
		sets[1].events[0] = COUNT_NOTHING;
		EXPECT_CODE(Pmapi_NoSetProg, s->drop());
	}
}

/* The times of start, read and stop increase.  PURR and SPURR are 0 and valid. */
TEST_F(states, stamps)
{
	timebasestruct_t start, read, stop, again;
	pm_prog_mx_t mx = program_mx("PM_PAGE_FAULTS", 2, 10);
	pm_accu_time_t times;
	pm_data_mx_t data_mx;
	pm_data_t data;

	EACH_SCOPE(s) {
		pm_prog_t prog = for_scope(&self->prog, s, 0);

		ASSERT_EQ(0, s->set(&prog)) TH_LOG("%s", s->name);
		EXPECT_CODE(0, s->tstart(&start));
		EXPECT_CODE(0, s->tdata(&data, &read));
		EXPECT_CODE(0, s->tstop(&stop));
		EXPECT_CODE(0, s->tdata(&data, &again));
		EXPECT_CODE(RTC_POWER_PC, start.flag);
		EXPECT_LE(raw(start), raw(stop)) TH_LOG("%s", s->name);
		EXPECT_LE(raw(read), raw(stop)) TH_LOG("%s", s->name);
		EXPECT_LE(raw(read), raw(again)) TH_LOG("%s", s->name);
		EXPECT_LE(raw(again), raw(stop)) TH_LOG("%s", s->name);
		EXPECT_CODE(0, s->Tdata(&data, &times));
		EXPECT_CODE(0, raw(times.accu_purr));
		EXPECT_CODE(0, raw(times.accu_spurr));
		EXPECT_CODE(RTC_POWER_PC, times.accu_spurr.flag);
		EXPECT_CODE(0, s->drop());
		mx.mode.w = PM_USER | PM_COUNT | s->mode;
		ASSERT_EQ(0, s->set_mx(&mx)) TH_LOG("%s", s->name);
		EXPECT_CODE(0, s->tdata_mx(&data_mx, &read));
		free(data_mx.accu_set);
		EXPECT_LE(raw(stop), raw(read)) TH_LOG("%s", s->name);
		EXPECT_CODE(EINVAL, s->tdata_mx(&data_mx, NULL));
		EXPECT_CODE(NULL, data_mx.accu_set);
		EXPECT_CODE(0, s->drop());
	}
}

TEST_F(states, bad_programs)
{
	static const struct {
		int events0, mode, code;
	} rows[] = {
		{ 100000, 0, Pmapi_InvalidEvent },
		{ -2, 0, Pmapi_InvalidEvent },
		{ 100000, 0x20, Pmapi_InvalidGroup },
		{ -1, 0x20, Pmapi_InvalidGroup },
		{ COUNT_NOTHING, 1 << THRESH_SHIFT_MODE, Pmapi_InvalidThreshold },
		{ COUNT_NOTHING, 0x00100000, Pmapi_InvalidMode },
		{ COUNT_NOTHING, 0x00200000 | PM_KERNEL, Pmapi_InvalidMode },
	};

	EACH_SCOPE(s) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			pm_prog_t prog = for_scope(&self->prog, s, rows[i].mode);

			prog.events[0] = rows[i].events0;
			EXPECT_CODE(rows[i].code, s->set(&prog));
			EXPECT_CODE(Pmapi_NoSetProg, s->drop());
		}
		EXPECT_CODE(EINVAL, s->set(NULL));
	}
}

TEST_F(states, modes_of_other_scopes)
{
	pm_prog_t prog = self->prog;

	prog.mode.w = PM_USER | PM_PROCTREE;
	EXPECT_EQ(Pmapi_InvalidMode, pm_set_program_mythread(&prog));
	EXPECT_EQ(Pmapi_InvalidMode, pm_set_program_mygroup(&prog));
	prog.mode.w = PM_USER | PM_PROCESS;
	EXPECT_EQ(Pmapi_InvalidMode, pm_set_program_mythread(&prog));
	EXPECT_EQ(Pmapi_InvalidMode, pm_set_program(&prog));
}

TEST_F(states, modes_that_are_ignored)
{
	pm_prog_t prog = self->prog;

	prog.mode.b.runlatch = 1;
	prog.mode.b.hypervisor = 1;
	prog.mode.b.nointerrupt = 1;
	prog.mode.b.no_inherit = 1;
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	EXPECT_EQ(0, pm_delete_program_mythread());
}

TEST_F(states, slices_and_counts_of_sets)
{
	static const struct {
		int slice, sets, code;
	} rows[] = {
		{ 9, 2, Pmapi_InvalidSlice }, { 10, 2, 0 }, { 30000, 2, 0 },
		{ 30001, 2, Pmapi_InvalidSlice }, { 0, 2, 0 }, { -1, 2, Pmapi_InvalidSlice },
		{ 0, 0, Pmapi_InvalidSetCount }, { 0, -1, Pmapi_InvalidSetCount },
		{ 0, 257, Pmapi_InvalidSetCount }, { 0, 1, 0 },
	};
	pm_prog_mx_t mx;

	EACH_SCOPE(s) {
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
			mx = program_mx("PM_PAGE_FAULTS", rows[i].sets, rows[i].slice);
			mx.mode.w |= s->mode;
			EXPECT_CODE(rows[i].code, s->set_mx(&mx));
			EXPECT_CODE(rows[i].code ? Pmapi_NoSetProg : 0, s->drop());
		}
		mx.events_set = NULL;
		EXPECT_CODE(Pmapi_InvalidSetCount, s->set_mx(&mx));
	}
}

/* If the last of many sets is invalid, none is set. */
TEST_F(states, one_bad_set)
{
	pm_prog_mx_t mx = program_mx("PM_PAGE_FAULTS", 5, 0);

	mx.events_set[4][0] = 100000;
	EACH_SCOPE(s) {
		mx.mode.w = PM_USER | s->mode;
		EXPECT_CODE(Pmapi_InvalidEvent, s->set_mx(&mx));
		EXPECT_CODE(Pmapi_NoSetProg, s->start());
	}
}

TEST_F(states, nothing_to_count)
{
	pm_data_t data;

	EACH_SCOPE(s) {
		pm_prog_t prog = for_scope(&self->prog, s, PM_COUNT);

		prog.events[0] = COUNT_NOTHING;
		ASSERT_EQ(0, s->set(&prog));
		EXPECT_CODE(0, s->data(&data));
		EXPECT_CODE(0, (int)data.accu[0]);
		EXPECT_CODE(0, s->drop());
		/* A program that enables no mode can be set, and counts zero events. */
		prog = for_scope(&self->prog, s, PM_COUNT);
		prog.mode.w &= ~PM_USER;
		ASSERT_EQ(0, s->set(&prog));
		EXPECT_CODE(0, s->data(&data));
		EXPECT_CODE(0, (int)data.accu[0]);
		EXPECT_CODE(0, s->drop());
	}
}

TEST_F(states, systems_and_threads_exclude_each_other)
{
	pm_prog_t prog = self->prog, tree = self->prog;

	tree.mode.w |= PM_PROCTREE;
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	EXPECT_EQ(Pmapi_Locked, pm_set_program(&prog));
	EXPECT_EQ(Pmapi_Locked, pm_set_program(&tree));
	ASSERT_EQ(0, pm_delete_program_mythread());
	ASSERT_EQ(0, pm_set_program(&tree));
	EXPECT_EQ(Pmapi_Locked, pm_set_program_mythread(&prog));
	EXPECT_EQ(Pmapi_Locked, pm_set_program_mygroup(&prog));
	EXPECT_EQ(Pmapi_ContextExists, pm_set_program(&prog));
	ASSERT_EQ(0, pm_delete_program());
	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	ASSERT_EQ(0, pm_delete_program_mythread());
}

TEST_F(states, partitions)
{
	pm_prog_t prog = self->prog;
	pm_data_t data;
	int n = -1;

	EXPECT_EQ(Pmapi_Unsupported, pm_set_program_wp(1, &prog));
	ASSERT_EQ(0, pm_set_program_wp(0, &prog));
	EXPECT_EQ(0, pm_start_wp(0));
	EXPECT_EQ(Pmapi_Unsupported, pm_start_wp(3));
	EXPECT_EQ(0, pm_get_data_wp(0, &data));
	EXPECT_EQ(Pmapi_Unsupported, pm_get_data_wp(PM_INVALID_WP_HANDLE, &data));
	EXPECT_EQ(0, pm_get_data_lcpu_wp(0, 0, &data));
	EXPECT_EQ(0, pm_get_wplist(NULL, NULL, &n));
	EXPECT_EQ(0, n);
	EXPECT_EQ(0, pm_stop_wp(0));
	EXPECT_EQ(0, pm_delete_program_wp(0));
}

TEST_F(states, processors)
{
	pm_prog_t prog = self->prog;
	pm_data_t data;
	int found = 0;

	ASSERT_EQ(0, pm_set_program(&prog));
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); cpu++)
		found += !pm_get_data_lcpu(cpu, &data);
	EXPECT_EQ(sysconf(_SC_NPROCESSORS_ONLN), found);
	EXPECT_EQ(0, pm_get_data_cpu(sysconf(_SC_NPROCESSORS_ONLN) - 1, &data));
	EXPECT_EQ(Pmapi_BadCpu, pm_get_data_cpu(sysconf(_SC_NPROCESSORS_ONLN), &data));
	EXPECT_EQ(Pmapi_BadCpu, pm_get_data_cpu(-1, &data));
	EXPECT_EQ(Pmapi_BadCpu, pm_get_data_lcpu(-1, &data));
	EXPECT_EQ(Pmapi_BadCpu, pm_get_data_lcpu(99999, &data));
	EXPECT_EQ(0, pm_delete_program());
	prog.mode.w |= PM_PROCTREE;
	ASSERT_EQ(0, pm_set_program(&prog));
	EXPECT_EQ(Pmapi_Unsupported, pm_get_data_lcpu(0, &data));
	EXPECT_EQ(0, pm_delete_program());
}

TEST_F(states, other_threads_need_a_debugger)
{
	pid_t tid = syscall(SYS_gettid);
	pm_prog_t prog = self->prog;
	pm_data_t data;

	EXPECT_EQ(Pmapi_NotDebugger, pm_set_program_thread(getpid(), tid, &prog));
	EXPECT_EQ(Pmapi_NotDebugger, pm_set_program_pgroup(getpid(), tid, tid, &prog));
	EXPECT_EQ(EINVAL, pm_set_program_pthread(getpid(), tid, tid + 1, &prog));
	EXPECT_EQ(EINVAL, pm_start_thread(getpid(), 0));
	EXPECT_EQ(ESRCH, pm_get_data_thread(getpid() + 1, tid, &data));
	EXPECT_EQ(ESRCH, pm_delete_program_group(0x3ffffff, 0x3ffffff));
}

/* A child inherits no context, and the parent keeps its own. */
TEST_F(states, fork)
{
	pm_prog_t prog = self->prog;
	pm_data_t data;
	int status;
	pid_t pid;

	ASSERT_EQ(0, pm_set_program_mythread(&prog));
	pid = fork();
	if (!pid) {
		if (pm_get_data_mythread(&data) != Pmapi_NoSetProg)
			_exit(1);
		if (pm_set_program_mythread(&prog) || pm_delete_program_mythread())
			_exit(2);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, pm_get_data_mythread(&data));
	EXPECT_EQ(0, pm_delete_program_mythread());
}

/* A child of a group's member does not belong to the group. */
TEST_F(states, fork_of_a_member)
{
	pm_prog_t prog = self->prog;
	pm_data_t data;
	int status;
	pid_t pid;

	ASSERT_EQ(0, pm_set_program_mygroup(&prog));
	pid = fork();
	if (!pid)
		_exit(pm_get_data_mygroup(&data) == Pmapi_NoSetProg ? 0 : 1);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	ASSERT_EQ(0, pm_get_data_mygroup(&data));
	EXPECT_EQ(1, data.ginfo.members);
	EXPECT_EQ(0, pm_delete_program_mygroup());
}

TEST_HARNESS_MAIN
