// SPDX-License-Identifier: GPL-2.0-or-later
/* Count through each API and with the recorder while system calls fail. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cpc/libcpc.h>
#include <aix/pmapi.h>
#include <pcp/pmapi.h>
#include <shim/shim.h>

#include "fail/shared/inject.h"
#include "fail/shared/sweep.h"

/* Return 0, or a negative errno for a call that returned NULL. */
static long made(const void *p)
{
	return p ? 0 : errno ? -errno : -1;
}

static void quiet(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)subcode;
	(void)fmt;
	(void)ap;
}

static void count_cpc(void)
{
	cpc_buf_t *buf = NULL;
	cpc_set_t *set = NULL;
	cpc_t *cpc = NULL;
	uint64_t value = 0;

	say("open %ld\n", TRY(made(cpc = cpc_open(CPC_VER_CURRENT))));
	if (!cpc)
		return;
	cpc_seterrhndlr(cpc, quiet);
	say("set %ld\n", TRY(made(set = cpc_set_create(cpc))));
	say("request %ld\n", TRY(cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0,
						     NULL)));
	say("buf %ld\n", TRY(made(buf = cpc_buf_create(cpc, set))));
	say("bind %ld\n", TRY(cpc_bind_curlwp(cpc, set, 0)));
	for (int i = 0; i < 3; i++)
		say("sample %ld\n", TRY(cpc_set_sample(cpc, set, buf)));
	say("get %ld\n", TRY(cpc_buf_get(cpc, buf, 0, &value)));
	say("restart %ld\n", TRY(cpc_set_restart(cpc, set)));
	say("unbind %ld\n", TRY(cpc_unbind(cpc, set)));
	say("buf %ld\n", TRY(cpc_buf_destroy(cpc, buf)));
	say("set %ld\n", TRY(cpc_set_destroy(cpc, set)));
	say("close %ld\n", TRY(cpc_close(cpc)));
}

/* Negate the code, because AIX's error codes are positive. */
static long aix(int code)
{
	return -(long)code;
}

static int event_named(const pm_info2_t *info, const char *name)
{
	for (int i = 0; i < info->maxevents[0]; i++)
		if (!strcmp(info->list_events[0][i].short_name, name))
			return info->list_events[0][i].event_id;
	return COUNT_NOTHING;
}

/* Stop counting.  A failed call may nevertheless have stopped the program. */
static long stop(void)
{
	int err = pm_stop_mythread();

	return err == Pmapi_NotCounting ? 0 : aix(err);
}

/* Reset the counts.  After a failed reset, the program must be set again. */
static long reset(pm_prog_t *prog)
{
	int err = pm_reset_data_mythread();

	return aix(err == Pmapi_NoSetProg ? pm_set_program_mythread(prog) : err);
}

static pm_prog_t page_faults(void)
{
	pm_prog_t prog = { .mode.w = PM_USER };
	pm_groups_info_t groups;
	pm_info2_t info = { 0 };

	say("init %ld\n", TRY(aix(pm_initialize(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT |
						PM_GET_GROUPS, &info, &groups, PM_CURRENT))));
	for (int i = 0; i < info.maxpmcs; i++)
		prog.events[i] = COUNT_NOTHING;
	prog.events[0] = event_named(&info, "PM_PAGE_FAULTS");
	return prog;
}

static void count_aix(void)
{
	pm_prog_t prog = page_faults();
	pm_data_t data = { 0 };

	say("program %ld\n", TRY(aix(pm_set_program_mythread(&prog))));
	say("start %ld\n", TRY(aix(pm_start_mythread())));
	say("data %ld\n", TRY(aix(pm_get_data_mythread(&data))));
	say("stop %ld\n", TRY(stop()));
	say("reset %ld\n", TRY(reset(&prog)));
	say("delete %ld\n", TRY(aix(pm_delete_program_mythread())));
}

/* Each CPU has data.  Without permission to count on CPUs, all calls but the first fail. */
static void count_system(void)
{
	pm_prog_t prog = page_faults();
	pm_data_t data = { 0 };

	say("program %ld\n", TRY(aix(pm_set_program(&prog))));
	say("start %ld\n", TRY(aix(pm_start())));
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		say("cpu %ld\n", TRY(aix(pm_get_data_cpu(cpu, &data))));
	say("stop %ld\n", TRY(aix(pm_stop())));
	say("delete %ld\n", TRY(aix(pm_delete_program())));
}

static pid_t traced;

static void trace_child(void)
{
	traced = fork();
	if (!traced) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		for (;;)
			raise(SIGSTOP);
	}
	waitpid(traced, NULL, 0);
}

static void end_child(void)
{
	kill(traced, SIGKILL);
	waitpid(traced, NULL, 0);
}

/* The traced thread exists, so ESRCH does not report a failure. */
static long of_traced(int err)
{
	return err == ESRCH ? ESRCH : aix(err);
}

static void count_traced(void)
{
	pm_prog_t prog = page_faults();

	say("program %ld\n", TRY(of_traced(pm_set_program_thread(traced, traced, &prog))));
	say("delete %ld\n", TRY(of_traced(pm_delete_program_thread(traced, traced))));
}

/*
 * A set can be limited to a control group only once.  ENODEV, which means that control groups are not
 * mounted, does not report a failure.
 */
static void limit(void)
{
	const char *events[] = { "page-faults" };
	struct shim_handle *handle = NULL;
	struct shim_set *set = NULL;

	say("open %ld\n", TRY(shim_open(&handle)));
	say("set %ld\n", TRY(shim_set_create(handle, events, 1, NULL, &set)));
	say("limit %ld\n", TRY_UNLESS(shim_set_cgroup(set, "/"), result_ == -ENODEV));
	say("again %ld\n", TRY_UNLESS(shim_set_cgroup(set, "/"), result_ == -EBUSY));
	shim_set_destroy(set);
	shim_close(handle);
}

/* If disabling the set fails, it can be disabled by another call, and then counts nothing. */
static void disable(void)
{
	const char *events[] = { "page-faults" };
	struct shim_sample before = { 0 }, after = { 0 };
	struct shim_handle *handle = NULL;
	struct shim_set *set = NULL;
	char *pages;

	say("open %ld\n", TRY(shim_open(&handle)));
	say("set %ld\n", TRY(shim_set_create(handle, events, 1, NULL, &set)));
	say("bind %ld\n", TRY(shim_set_bind(set, 0, 0)));
	for (int i = 0; i < 2; i++) {
		say("disable %ld\n", TRY(shim_set_disable(set, 0)));
		say("sample %ld", TRY(shim_set_sample(set, 0, &before)));
		pages = malloc(1 << 20);
		if (pages)
			memset(pages, 1, 1 << 20);
		free(pages);
		say(" %ld", TRY(shim_set_sample(set, 0, &after)));
		say(" %s\n", before.values[0] == after.values[0] ? "the same" : "more");
		say("enable %ld\n", TRY(shim_set_enable(set, 0)));
	}
	say("unbind %ld\n", TRY(shim_set_unbind(set, 0)));
	shim_set_destroy(set);
	shim_close(handle);
}

static void remove_output(void)
{
	unlink("out.0");
	unlink("out.meta");
	unlink("out.index");
}

static void record(void)
{
	const char *events[] = { "page-faults", "context-switches" };
	struct shim_handle *handle = NULL;
	struct shim_recorder *rec = NULL;
	struct shim_set *set = NULL;
	struct shim_sample sample;

	say("open %ld\n", TRY(shim_open(&handle)));
	say("set %ld\n", TRY(shim_set_create(handle, events, 2, NULL, &set)));
	say("bind %ld\n", TRY(shim_set_bind(set, 0, 0)));
	say("sample %ld\n", TRY(shim_set_sample(set, 0, &sample)));
	say("recorder %ld\n", TRY(shim_record_open("out", NULL, &rec)));
	say("add %ld\n", TRY(shim_record_add_set(rec, set, 0)));
	for (int i = 0; i < 4; i++)
		say("tick %ld\n", TRY(shim_record_tick(rec)));
	say("close %ld\n", LAST(shim_record_close(rec)));
	say("unbind %ld\n", TRY(shim_set_unbind(set, 0)));
	shim_set_destroy(set);
	shim_close(handle);
}

/* Print the command in the name of each process, but not its number. */
static void say_commands(void)
{
	const char *name = "vcpc.count.page_faults";
	char **names = NULL;
	int *inst = NULL, n;
	pmDesc desc = { 0 };
	pmID id;

	if (pmLookupName(1, &name, &id) < 0 || pmLookupDesc(id, &desc) < 0)
		return;
	n = pmGetInDomArchive(desc.indom, &inst, &names);
	say("processes %d\n", n);
	for (int i = 0; i < n; i++)
		say(" %s\n", strchr(names[i], ' ') ?: "?");
	free(inst);
	free(names);
}

static void read_back(void)
{
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, "out");
	pmResult *r;
	int err;

	say("open %d\n", context >= 0 ? 0 : context);
	say_commands();
	pmSetMode(PM_MODE_FORW, NULL, 0);
	while (context >= 0 && !(err = pmFetchArchive(&r))) {
		for (int i = 0; i < r->numpmid; i++)
			say(" %x:%d", r->vset[i]->pmid, r->vset[i]->numval);
		say("\n");
		pmFreeResult(r);
	}
}

static const struct sweep_case cases[] = {
	/* libpfm leaks a block if its initialization fails. */
	{ .name = "cpc", .run = count_cpc, .left = 1 },
	{ .name = "aix", .run = count_aix, .left = 1, .no_memory = -Pmapi_Malloc_Err },
	{ .name = "system", .run = count_system, .left = 1, .counts = true,
	  .no_memory = -Pmapi_Malloc_Err },
	{ .name = "traced", .before = trace_child, .run = count_traced, .after = end_child, .left = 1,
	  .only = INJECT_LINE },
	{ .name = "disable", .run = disable, .left = 1, .only = INJECT_IOCTL },
	{ .name = "limit", .run = limit, .left = 1 },
	/*
	 * If a set cannot be sampled, its record contains the error.  If a process's command may not
	 * be read, the process is recorded without it.
	 */
	{ .name = "record", .before = remove_output, .run = record, .after = read_back,
	  .without = "ioctl-EIO open-EACCES" },
};

int main(void)
{
	return sweep(cases, sizeof(cases) / sizeof(cases[0]));
}
