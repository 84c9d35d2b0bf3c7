// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A local context provides the traced metrics, even after tracing has been turned off and on, and
 * each user's usage of the module.
 */
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <pcp/trace.h>
#include <shim/shim.h>
#include <shim/trace.h>
#include <shim/why.h>
#include "kselftest_harness.h"

static pmID find(const char *name)
{
	pmID pmid = PM_ID_NULL;

	pmLookupName(1, &name, &pmid);
	return pmid;
}

static void transactions_of(const char *tag, int n, unsigned int us)
{
	for (int i = 0; i < n; i++) {
		pmtracebegin(tag);
		usleep(us);
		pmtraceend(tag);
	}
}

static void transactions(const char *tag, int n)
{
	transactions_of(tag, n, 1000);
}

/* Return an instance's value from the next fetch, or a negative error. */
static double value_of(const char *metric, const char *instance)
{
	pmID pmid = find(metric);
	pmAtomValue atom;
	pmResult *result;
	pmDesc desc;
	double value;
	int inst, i;

	if (pmLookupDesc(pmid, &desc))
		return -1;
	inst = desc.indom == PM_INDOM_NULL ? (int)PM_IN_NULL : pmLookupInDom(desc.indom, instance);
	if (pmFetch(1, &pmid, &result) < 0)
		return -2;
	value = result->vset[0]->numval < 0 ? result->vset[0]->numval : -3;
	for (i = 0; i < result->vset[0]->numval; i++)
		if (result->vset[0]->vlist[i].inst == inst &&
		    !pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[i], desc.type,
				    &atom, PM_TYPE_DOUBLE))
			value = atom.d;
	pmFreeResult(result);
	return value;
}

FIXTURE(local) {
	int handle;
};

FIXTURE_SETUP(local)
{
	shim_trace_off();
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
}

FIXTURE_TEARDOWN(local)
{
	pmDestroyContext(self->handle);
	shim_trace_off();
}

TEST_F(local, tracing_goes_on_and_values_come)
{
	EXPECT_EQ(PM_ERR_AGAIN, value_of("trace.transact.count", "one"));
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("one", 3);
	transactions("two", 2);
	EXPECT_EQ(3, value_of("trace.transact.count", "one"));
	EXPECT_EQ(2, value_of("vcpc.transact.count", "two"));
	EXPECT_LE(0.003, value_of("trace.transact.total_time", "one"));
	EXPECT_LE(0.001, value_of("vcpc.transact.min_time", "one"));
	EXPECT_EQ(0, value_of("vcpc.transact.aborted", "one"));
	EXPECT_LE(1, value_of("vcpc.control.tracing", NULL));
	EXPECT_LE(0, value_of("vcpc.control.dropped", "stat_full"));
}

/*
 * While 'vcpc why' runs, a local context reads the parts of transactions' times from its BPF
 * programs, and then keeps the last values.  Transactions are long, because two programs read their
 * clocks one after the other, up to 10 us apart on an emulated CPU.
 */
TEST_F(local, parts_of_time)
{
	struct shim_why_options options = { .size = sizeof(options) };
	struct rlimit limit, none;
	double parts, before;
	struct shim_why *why;

	if (access("/sys/kernel/btf/vmlinux", F_OK))
		SKIP(return, "this kernel has no BTF");
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("parts", 2);
	EXPECT_EQ(2, value_of("trace.transact.count", "parts"));
	EXPECT_EQ(-3, value_of("vcpc.transact.time.count", "parts"));
	before = value_of("trace.transact.total_time", "parts");
	ASSERT_EQ(0, shim_why_open(&options, &why));
	sleep(1);	/* The library searches for 'vcpc why' once per second. */
	transactions_of("parts", 200, 5000);
	EXPECT_EQ(200, value_of("vcpc.transact.time.count", "parts"));
	EXPECT_LE(200 * 4e6, value_of("vcpc.transact.time.blocked", "parts"));
	parts = value_of("vcpc.transact.time.oncpu", "parts") +
		value_of("vcpc.transact.time.runqueue", "parts") +
		value_of("vcpc.transact.time.blocked", "parts");
	before = value_of("trace.transact.total_time", "parts") - before;
	EXPECT_LE(before * 0.99, parts / 1e9);
	EXPECT_GE(before * 1.01, parts / 1e9);
	/*
	 * If no descriptor is free, the library cannot find out whether 'vcpc why' has ended.  The
	 * last values remain, and are not added again later.
	 */
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &limit));
	none = (struct rlimit) { .rlim_cur = 0, .rlim_max = limit.rlim_max };
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &none));
	EXPECT_EQ(200, value_of("vcpc.transact.time.count", "parts"));
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_EQ(200, value_of("vcpc.transact.time.count", "parts"));
	sleep(1);
	EXPECT_EQ(200, value_of("vcpc.transact.time.count", "parts"));
	transactions("parts", 3);
	shim_why_close(why);
	EXPECT_EQ(203, value_of("vcpc.transact.time.count", "parts"));
	sleep(1);
	ASSERT_EQ(0, shim_why_open(&options, &why));
	transactions("parts", 4);
	EXPECT_EQ(207, value_of("vcpc.transact.time.count", "parts"));
	shim_why_close(why);
}

/* Add @cap to the effective capabilities, or remove it. */
static int set_effective(unsigned int cap, bool on)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &head, data))
		return -1;
	data[0].effective &= ~(1u << cap);
	data[0].effective |= (unsigned int)on << cap;
	return syscall(SYS_capset, &head, data);
}

/* Only CAP_SYS_ADMIN permits searching for the maps of the parts; other metrics are readable. */
TEST_F(local, parts_of_time_require_a_privilege)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("denied", 2);
	EXPECT_EQ(2, value_of("vcpc.transact.count", "denied"));
	pmDestroyContext(self->handle);
	ASSERT_EQ(0, set_effective(CAP_SYS_ADMIN, false));
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	EXPECT_EQ(2, value_of("vcpc.transact.count", "denied"));
	EXPECT_EQ(PM_ERR_PERMISSION, value_of("vcpc.transact.time.count", "denied"));
	EXPECT_EQ(PM_ERR_PERMISSION, value_of("vcpc.transact.time.oncpu", "denied"));
	ASSERT_EQ(0, set_effective(CAP_SYS_ADMIN, true));
}

/* Each fetch starts a new window; looking up an instance does not. */
TEST_F(local, windows_are_from_fetch_to_fetch)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("window", 1);
	EXPECT_EQ(1, value_of("trace.transact.count", "window"));
	transactions("window", 4);
	EXPECT_LE(0, pmLookupInDom(pmInDom_build(450, 1), "window"));
	EXPECT_LE(0.001, value_of("vcpc.transact.p50_time", "window"));
	EXPECT_GT(0, value_of("trace.transact.rate", "window"));
	transactions("window", 2);
	EXPECT_LT(0, value_of("trace.transact.rate", "window"));
}

/* When tracing is turned on again, counters do not decrease, and include all earlier counts. */
TEST_F(local, off_and_on)
{
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("again", 1);
	EXPECT_EQ(1, value_of("trace.transact.count", "again"));
	transactions("again", 2);
	ASSERT_EQ(0, shim_trace_off());
	EXPECT_EQ(0, value_of("vcpc.control.tracing", NULL));
	EXPECT_GT(0, value_of("vcpc.control.dropped", "tag_full"));
	EXPECT_EQ(3, value_of("trace.transact.count", "again"));
	EXPECT_EQ(0, value_of("vcpc.control.tracing", NULL));
	ASSERT_EQ(0, shim_trace_on(NULL));
	EXPECT_LE(0, value_of("vcpc.control.dropped", "tag_full"));
	transactions("again", 2);
	EXPECT_EQ(5, value_of("trace.transact.count", "again"));
}

TEST_F(local, store_turns_tracing_on_and_off)
{
	pmValueSet set = { .pmid = find("vcpc.control.tracing"), .numval = 1, .valfmt = PM_VAL_INSITU };
	pmResult result = { .numpmid = 1, .vset = { &set } };

	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.lval = 1;
	ASSERT_EQ(0, pmStore(&result));
	EXPECT_LT(0, shim_trace_status());
	EXPECT_EQ(0, pmStore(&result));
	set.vlist[0].value.lval = 0;
	EXPECT_EQ(0, pmStore(&result));
	EXPECT_EQ(0, shim_trace_status());
}

/* As user @uid, create @sets sets of two events each, write 0 to @ready, and wait to be killed. */
static void have_sets(uid_t uid, int sets, int ready)
{
	static const char *const events[] = { "page-faults", "context-switches" };
	struct shim_handle *handle;
	struct shim_set *set;
	char bad;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	bad = setresuid(uid, uid, uid) || shim_open(&handle);
	for (int i = 0; !bad && i < sets; i++)
		bad = shim_set_create(handle, events, 2, NULL, &set) || shim_set_bind(set, 0, 0);
	if (write(ready, &bad, 1) == 1)
		pause();
	_exit(0);
}

static pid_t user_with_sets(uid_t uid, int sets)
{
	char bad = 1;
	int ready[2];
	pid_t child;

	if (pipe(ready))
		return -1;
	child = fork();
	if (!child)
		have_sets(uid, sets, ready[1]);
	close(ready[1]);
	if (read(ready[0], &bad, 1) != 1)
		bad = 1;
	close(ready[0]);
	return bad ? -1 : child;
}

static int parameter(const char *name)
{
	char path[128];
	int value = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/vcpc/parameters/%s", name);
	f = fopen(path, "re");
	if (!f || fscanf(f, "%d", &value) != 1)
		value = -1;
	if (f)
		fclose(f);
	return value;
}

TEST_F(local, what_users_have_and_may_have)
{
	static const char *const limits[][2] = {
		{ "vcpc.limit.user_sets", "max_user_sets" },
		{ "vcpc.limit.user_counters", "max_user_counters" },
		{ "vcpc.limit.user_tags", "max_user_tags" },
		{ "vcpc.limit.idle_tags", "max_idle_tags" },
		{ "vcpc.limit.thread_counters", "max_thread_counters" },
	};
	/*
	 * Instance numbers have 31 bits, so the last two users share one.  Each binding uses one
	 * more counter than it has events.
	 */
	static const uid_t uids[] = { 4711, 12, 4000000000u, 2147483647u };
	pid_t children[4];

	for (size_t row = 0; row < sizeof(limits) / sizeof(limits[0]); row++) {
		EXPECT_EQ(parameter(limits[row][1]), value_of(limits[row][0], NULL))
			TH_LOG("%s", limits[row][0]);
	}
	EXPECT_EQ(PM_ERR_INST, pmLookupInDom(pmInDom_build(450, 9), "4711"));
	for (int i = 0; i < 4; i++) {
		children[i] = user_with_sets(uids[i], i + 1);
		ASSERT_LT(0, children[i]);
	}
	EXPECT_EQ(4711, pmLookupInDom(pmInDom_build(450, 9), "4711"));
	EXPECT_EQ(1, value_of("vcpc.user.sets", "4711"));
	EXPECT_EQ(3, value_of("vcpc.user.counters", "4711"));
	EXPECT_EQ(0, value_of("vcpc.user.tags", "4711"));
	EXPECT_EQ(2, value_of("vcpc.user.sets", "12"));
	EXPECT_EQ(6, value_of("vcpc.user.counters", "12"));
	EXPECT_EQ(7, value_of("vcpc.user.sets", "others"));
	EXPECT_EQ(21, value_of("vcpc.user.counters", "others"));
	for (int i = 0; i < 4; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	EXPECT_GT(0, value_of("vcpc.user.sets", "4711"));
	ASSERT_EQ(0, shim_trace_on(NULL));
	transactions("a user's tag", 1);
	EXPECT_LE(1, value_of("vcpc.user.tags", "0"));
}

TEST_HARNESS_MAIN
