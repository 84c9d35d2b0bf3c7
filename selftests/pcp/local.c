// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Local contexts where nothing is traced: names, descriptors, texts, instances and labels are there
 * all the same, values where perf counts, and of the rest the reason why there is none.
 *
 * With values of what is traced: selftests/bpf, in the VMs.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include <shim/shim.h>
#include "kselftest_harness.h"

#define CHOSEN_PAGES	2000

FIXTURE(local) {
	char config[64];
	int handle;
};

static void write_config(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	fputs(text, f);
	fclose(f);
}

FIXTURE_SETUP(local)
{
	int fd;

	strcpy(self->config, "/tmp/vcpc-local-XXXXXX");
	fd = mkstemp(self->config);
	ASSERT_LE(0, fd);
	close(fd);
	write_config(self->config, "# what is counted here\ncpus cpu-clock context-switches\n\n"
				   "cpus no-such-event-here # alone\n");
	setenv("VCPC_CONFIG", self->config, 1);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
}

FIXTURE_TEARDOWN(local)
{
	pmDestroyContext(self->handle);
	unlink(self->config);
}

static pmID find(const char *name)
{
	pmID pmid = PM_ID_NULL;

	pmLookupName(1, &name, &pmid);
	return pmid;
}

static int names_seen;

static void see_name(const char *name, void *arg)
{
	char *line = NULL, *help = NULL, *back = NULL;
	int *wrong = arg;
	pmDesc desc;
	pmID pmid = find(name);

	names_seen++;
	if (pmLookupDesc(pmid, &desc) || desc.pmid != pmid || pmNameID(pmid, &back) ||
	    strcmp(back, name) || pmLookupText(pmid, PM_TEXT_ONELINE, &line) || !*line ||
	    strchr(line, '\n') || pmLookupText(pmid, PM_TEXT_HELP, &help) || !*help)
		++*wrong;
	free(back);
	free(line);
	free(help);
}

TEST_F(local, each_name_has_a_metric_with_texts)
{
	int wrong = 0, n;

	n = pmTraversePMNS_r("vcpc", see_name, &wrong);
	EXPECT_LT(35, n);
	n += pmTraversePMNS_r("trace", see_name, &wrong);
	EXPECT_LT(50, n);
	EXPECT_EQ(n, names_seen);
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(PMNS_LOCAL, pmGetPMNSLocation());
}

TEST_F(local, identifiers_are_those_of_archives)
{
	EXPECT_EQ(pmID_build(10, 0, 0), find("trace.transact.count"));
	EXPECT_EQ(pmID_build(450, 3, 0), find("vcpc.transact.count"));
	EXPECT_EQ(pmID_build(450, 2, 3), find("vcpc.transact.p50_time"));
	EXPECT_EQ(pmID_build(450, 0, 0), find("vcpc.time.tick"));
	EXPECT_EQ(1, pmID_cluster(find("vcpc.count.context_switches")));
}

TEST_F(local, nothing_traced_says_why)
{
	pmID pmid = find("trace.transact.count");
	pmResult *result;

	if (!access("/sys/fs/bpf/vcpc", F_OK))
		SKIP(return, "this machine is tracing");
	ASSERT_EQ(0, pmFetch(1, &pmid, &result));
	/* tracing is off, or we may not look */
	EXPECT_TRUE(result->vset[0]->numval == PM_ERR_AGAIN ||
		    result->vset[0]->numval == PM_ERR_PERMISSION);
	pmFreeResult(result);
}

TEST_F(local, cpus_count)
{
	pmID pmids[] = { find("vcpc.count.context_switches"), find("vcpc.count.cpu_clock"),
			 find("vcpc.count.no_such_event_here"), pmID_build(1, 2, 3),
			 pmID_build(450, 9, 9) };
	pmResult *first, *second;
	pmAtomValue a, b;

	ASSERT_EQ(0, pmFetch(5, pmids, &first));
	EXPECT_EQ(PM_ERR_NOAGENT, first->vset[3]->numval);
	EXPECT_EQ(PM_ERR_PMID, first->vset[4]->numval);
	EXPECT_GT(0, first->vset[2]->numval);
	if (first->vset[0]->numval == PM_ERR_PERMISSION || first->vset[0]->numval == PM_ERR_AGAIN) {
		pmFreeResult(first);
		SKIP(return, "this machine's CPUs may not be counted");
	}
	EXPECT_EQ(PM_ERR_AGAIN, first->vset[2]->numval);
	ASSERT_LE(1, first->vset[0]->numval);
	usleep(20000);
	ASSERT_EQ(0, pmFetch(5, pmids, &second));
	ASSERT_EQ(0, pmExtractValue(first->vset[1]->valfmt, &first->vset[1]->vlist[0], PM_TYPE_U64, &a,
				    PM_TYPE_U64));
	ASSERT_EQ(0, pmExtractValue(second->vset[1]->valfmt, &second->vset[1]->vlist[0], PM_TYPE_U64,
				    &b, PM_TYPE_U64));
	EXPECT_LT(a.ull, b.ull);
	pmFreeResult(first);
	pmFreeResult(second);
}

/* A process of that command; each byte on its pipe makes it touch some new pages. */
struct chosen {
	pid_t pid;
	int pipe;
};

static void *rest(void *arg)
{
	for (;;)
		pause();
	return arg;
}

/* With so many threads beside the first, which do nothing */
static struct chosen start_chosen_with(const char *command, int threads)
{
	struct chosen chosen = { .pid = -1 };
	int pipes[2], ready[2];
	char byte;

	if (pipe(pipes) || pipe(ready))
		return chosen;
	chosen.pid = fork();
	if (!chosen.pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		prctl(PR_SET_NAME, command);
		close(pipes[1]);
		for (pthread_t thread; threads; threads--)
			if (pthread_create(&thread, NULL, rest, NULL))
				_exit(1);
		do {
			char *p = mmap(NULL, CHOSEN_PAGES * 4096, PROT_READ | PROT_WRITE,
				       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

			/* not in large pages, of which each is one fault */
			madvise(p, CHOSEN_PAGES * 4096, MADV_NOHUGEPAGE);
			for (int i = 0; i < CHOSEN_PAGES; i++)
				p[i * 4096] = 1;
			if (write(ready[1], "x", 1) != 1)
				_exit(1);
		} while (read(pipes[0], &byte, 1) == 1);
		_exit(0);
	}
	close(pipes[0]);
	close(ready[1]);
	if (read(ready[0], &byte, 1) != 1)
		chosen.pid = -1;
	close(ready[0]);
	chosen.pipe = pipes[1];
	return chosen;
}

static struct chosen start_chosen(const char *command)
{
	return start_chosen_with(command, 0);
}

static void end_chosen(struct chosen chosen)
{
	close(chosen.pipe);
	kill(chosen.pid, SIGKILL);
	waitpid(chosen.pid, NULL, 0);
}

/* A process's value of a metric, -1 if it has none */
static long long value_for(const char *metric, pid_t pid)
{
	pmID pmid = find(metric);
	long long found = -1;
	pmResult *r;

	if (pmFetch(1, &pmid, &r))
		return -2;
	for (int i = 0; i < r->vset[0]->numval; i++) {
		pmAtomValue v;

		if (r->vset[0]->vlist[i].inst == pid &&
		    !pmExtractValue(r->vset[0]->valfmt, &r->vset[0]->vlist[i], PM_TYPE_U64, &v,
				    PM_TYPE_U64))
			found = (long long)v.ull;
	}
	if (r->vset[0]->numval == PM_ERR_PERMISSION || r->vset[0]->numval == PM_ERR_AGAIN)
		found = -3;
	pmFreeResult(r);
	return found;
}

FIXTURE(processes) {
	char config[64];
	int handle;
};

FIXTURE_SETUP(processes)
{
	strcpy(self->config, "/tmp/vcpc-local-XXXXXX");
	close(mkstemp(self->config));
	write_config(self->config, "processes vcpc-chosen-* task-clock page-faults\n"
				   "cpus cpu-clock\n"
				   "processes vcpc-chosen-a context-switches page-faults # of one\n");
	setenv("VCPC_CONFIG", self->config, 1);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
}

FIXTURE_TEARDOWN(processes)
{
	pmDestroyContext(self->handle);
	unlink(self->config);
}

TEST_F(processes, have_metrics_with_texts)
{
	int wrong = 0;

	EXPECT_EQ(4, pmTraversePMNS_r("vcpc.process", see_name, &wrong));
	EXPECT_EQ(0, wrong);
	EXPECT_EQ(pmID_build(450, 7, 0), find("vcpc.process.cpu_time"));
	EXPECT_EQ(6, pmID_cluster(find("vcpc.process.count.page_faults")));
}

/* Those of the command, each with its own counts; they come and go. */
TEST_F(processes, come_and_go)
{
	struct chosen a = start_chosen("vcpc-chosen-a"), b = start_chosen("vcpc-chosen-b"), c;
	struct chosen other = start_chosen("vcpc-other");
	long long before, after, of_b;
	char name[64], **names;
	int *insts;
	pmDesc desc;

	before = value_for("vcpc.process.count.page_faults", a.pid);
	if (before == -3)
		SKIP(return, "this machine's CPUs may not be counted");
	ASSERT_LE(0, before);
	of_b = value_for("vcpc.process.count.page_faults", b.pid);
	EXPECT_EQ(-1, value_for("vcpc.process.count.page_faults", other.pid));
	EXPECT_LE(0, value_for("vcpc.process.count.context_switches", a.pid));
	EXPECT_EQ(-1, value_for("vcpc.process.count.context_switches", b.pid));
	ASSERT_EQ(1, write(a.pipe, "x", 1));
	for (int i = 0; i < 400; i++) {
		after = value_for("vcpc.process.count.page_faults", a.pid);
		if (after >= before + CHOSEN_PAGES)
			break;
		usleep(10000);
	}
	EXPECT_LE(before + CHOSEN_PAGES, after);
	EXPECT_GT(of_b + CHOSEN_PAGES / 2, value_for("vcpc.process.count.page_faults", b.pid));
	EXPECT_LT(0, value_for("vcpc.process.cpu_time", a.pid));

	ASSERT_EQ(0, pmLookupDesc(find("vcpc.process.cpu_time"), &desc));
	ASSERT_EQ(2, pmGetInDom(desc.indom, &insts, &names));
	snprintf(name, sizeof(name), "%06d vcpc-chosen-%c", insts[0], insts[0] == a.pid ? 'a' : 'b');
	EXPECT_STREQ(name, names[0]);
	EXPECT_EQ(insts[1], pmLookupInDom(desc.indom, names[1]));
	free(insts);
	free(names);

	end_chosen(b);
	c = start_chosen("vcpc-chosen-\n\33");
	usleep(1100000);	/* /proc is searched once a second */
	EXPECT_EQ(-1, value_for("vcpc.process.count.page_faults", b.pid));
	EXPECT_LE(0, value_for("vcpc.process.count.page_faults", c.pid));
	EXPECT_LE(after, value_for("vcpc.process.count.page_faults", a.pid));
	ASSERT_EQ(2, pmGetInDom(desc.indom, &insts, &names));
	snprintf(name, sizeof(name), "%06d vcpc-chosen-??", c.pid);	/* terminals see no escapes */
	EXPECT_STREQ(name, names[insts[0] == c.pid ? 0 : 1]);
	free(insts);
	free(names);
	end_chosen(a);
	end_chosen(c);
	end_chosen(other);
}

/* What a line may not be */
static int lowest_descriptor(void)
{
	int fd = dup(STDERR_FILENO);

	close(fd);
	return fd;
}

/* perf takes descriptors for each thread; some are left to the program, whatever is called so. */
TEST_F(processes, leave_descriptors)
{
	struct chosen many = start_chosen_with("vcpc-chosen-many", 25);
	struct chosen one = start_chosen("vcpc-chosen-one");
	struct rlimit before, few;

	ASSERT_LT(0, many.pid);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
	few = before;
	few.rlim_cur = (rlim_t)lowest_descriptor() + 100;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &few));
	for (int i = 0; i < 3; i++) {
		long long got = value_for("vcpc.process.count.page_faults", one.pid);

		if (got == -3)
			break;
		EXPECT_LE(0, got);
		EXPECT_GE((int)few.rlim_cur - 64, lowest_descriptor());
		usleep(1100000);
	}
	setrlimit(RLIMIT_NOFILE, &before);
	end_chosen(many);
	end_chosen(one);
}

/* A forked child counts for itself; the parent's counts go on, also after the child has ended. */
TEST_F(processes, in_a_forked_child)
{
	struct chosen a = start_chosen("vcpc-chosen-a"), late;
	long long before = value_for("vcpc.process.count.page_faults", a.pid);
	int down[2], up[2], status;
	pid_t child;
	char byte;

	if (before == -3)
		SKIP(return, "this machine's CPUs may not be counted");
	ASSERT_LE(0, before);
	ASSERT_EQ(0, pipe(down) | pipe(up));
	child = fork();
	if (!child) {
		if (value_for("vcpc.process.count.page_faults", a.pid) < 0 || write(up[1], "x", 1) != 1)
			_exit(1);
		/* The child is the first to see what comes now. */
		if (read(down[0], &late.pid, sizeof(late.pid)) != sizeof(late.pid))
			_exit(2);
		usleep(1100000);
		_exit(value_for("vcpc.process.count.page_faults", late.pid) < 0 ? 3 : 0);
	}
	close(up[1]);
	ASSERT_EQ(1, read(up[0], &byte, 1));
	late = start_chosen("vcpc-chosen-late");
	ASSERT_EQ((ssize_t)sizeof(late.pid), write(down[1], &late.pid, sizeof(late.pid)));
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_LE(0, value_for("vcpc.process.count.page_faults", late.pid));
	ASSERT_EQ(1, write(a.pipe, "x", 1));
	for (int i = 0; i < 400 && value_for("vcpc.process.count.page_faults", a.pid) < before + CHOSEN_PAGES; i++)
		usleep(10000);
	EXPECT_LE(before + CHOSEN_PAGES, value_for("vcpc.process.count.page_faults", a.pid));
	close(up[0]);
	close(down[0]);
	close(down[1]);
	end_chosen(a);
	end_chosen(late);
}

/* Counters that somebody took for a CPU are gone, which is said; when he is done, counting begins again. */
TEST_F(processes, lost_counters_come_back)
{
	const char *const events[] = { "cycles" };
	struct shim_handle *handle = NULL;
	struct shim_set *set = NULL;
	struct chosen a = start_chosen("vcpc-chosen-a");
	const char *why = NULL;
	unsigned int bad;
	long long got = -1;

	write_config(self->config, "processes vcpc-chosen-* cycles\n");
	pmDestroyContext(self->handle);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	if (access("/dev/vcpc", F_OK) || shim_open(&handle) || shim_set_create(handle, events, 1, &bad, &set))
		why = "needs the module and hardware counters";
	else if (value_for("vcpc.process.count.cycles", a.pid) < 0)
		why = "cycles are not counted in processes here";
	if (!why) {
		ASSERT_EQ(0, shim_set_bind(set, 0, SHIM_BIND_CPU));
		usleep(1100000);
		EXPECT_EQ(-3, value_for("vcpc.process.count.cycles", a.pid));
		shim_set_destroy(set);
		for (int i = 0; i < 300 && got < 0; i++) {
			usleep(100000);
			got = value_for("vcpc.process.count.cycles", a.pid);
		}
		EXPECT_LE(0, got);
	}
	if (handle)
		shim_close(handle);
	end_chosen(a);
	if (why)
		SKIP(return, "%s", why);
}

/* CPUs are counted where nobody else counts: what threads have is not taken from them, and waited for. */
TEST_F(processes, counters_of_cpus_are_not_taken)
{
	const char *const events[] = { "cycles" };
	struct shim_handle *handle = NULL;
	struct shim_set *set = NULL;
	struct shim_sample sample;
	const char *why = NULL;
	unsigned int bad;

	write_config(self->config, "cpus cycles\n");
	pmDestroyContext(self->handle);
	self->handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	ASSERT_LE(0, self->handle);
	if (access("/dev/vcpc", F_OK) || shim_open(&handle) ||
	    shim_set_create(handle, events, 1, &bad, &set) || shim_set_bind(set, 0, 0))
		why = "needs the module and hardware counters";
	if (!why) {
		EXPECT_EQ(-3, value_for("vcpc.count.cycles", 0));
		EXPECT_EQ(0, shim_set_sample(set, 0, &sample));
		shim_set_destroy(set);
		EXPECT_LE(0, value_for("vcpc.count.cycles", 0));
		EXPECT_LE(0, value_for("vcpc.count.cycles", 0));
	}
	if (handle)
		shim_close(handle);
	if (why)
		SKIP(return, "%s", why);
}

TEST(processes_in_configurations)
{
	static const char *const wrong[] = {
		"processes\n", "processes init\n", "process init page-faults\n",
		"processes a page-faults page-faults\n", "cpus page-faults\ncpus page-faults\n",
	};
	char path[] = "/tmp/vcpc-local-XXXXXX";

	close(mkstemp(path));
	setenv("VCPC_CONFIG", path, 1);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		write_config(path, wrong[i]);
		EXPECT_EQ(PM_ERR_GENERIC, pmNewContext(PM_CONTEXT_LOCAL, NULL)) {
			TH_LOG("%s", wrong[i]);
		}
	}
	unlink(path);
}

TEST_F(local, profiles_leave_instances_out)
{
	pmID pmid = find("vcpc.control.dropped");
	int inst = 3, *insts, *none;
	char **names, **no_names, *name;
	pmResult *result;
	pmDesc desc;

	ASSERT_EQ(0, pmLookupDesc(pmid, &desc));
	ASSERT_EQ(8, pmGetInDom(desc.indom, &insts, &names));
	EXPECT_STREQ("not_open", names[3]);
	EXPECT_EQ(3, pmLookupInDom(desc.indom, "not_open"));
	EXPECT_EQ(PM_ERR_INST, pmLookupInDom(desc.indom, "none"));
	EXPECT_EQ(PM_ERR_INST, pmNameInDom(desc.indom, 8, &name));
	EXPECT_EQ(PM_ERR_INDOM, pmGetInDom(pmInDom_build(450, 99), &none, &no_names));
	EXPECT_EQ(0, pmDelProfile(desc.indom, 0, NULL));
	EXPECT_EQ(0, pmAddProfile(desc.indom, 1, &inst));
	ASSERT_EQ(0, pmFetch(1, &pmid, &result));
	EXPECT_GE(1, result->vset[0]->numval);
	pmFreeResult(result);
	free(insts);
	free(names);
}

static int count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

/* Instances that are known are told without reading the machine, which opens counters */
TEST_F(local, known_instances_need_no_reading)
{
	int before = count_open();
	char *name = NULL;
	pmDesc desc;

	ASSERT_EQ(0, pmLookupDesc(find("vcpc.count.cpu_clock"), &desc));
	ASSERT_EQ(0, pmNameInDom(desc.indom, 0, &name));
	EXPECT_STREQ("cpu0", name);
	EXPECT_EQ(0, pmLookupInDom(desc.indom, "cpu0"));
	EXPECT_EQ(before, count_open());
	free(name);
	EXPECT_EQ(PM_ERR_INST, pmNameInDom(desc.indom, -1, &name));
	EXPECT_EQ(PM_ERR_INST, pmNameInDom(desc.indom, 1 << 30, &name));
	EXPECT_EQ(PM_ERR_INST, pmLookupInDom(desc.indom, ""));
}

TEST_F(local, derived_metrics_and_fetch_groups)
{
	pmFG group;
	pmAtomValue value;
	int status = -1;

	ASSERT_EQ(0, pmAddDerived("local.twice", "vcpc.control.module * 2 + 1"));
	EXPECT_NE(PM_ID_NULL, find("local.twice"));
	ASSERT_EQ(0, pmCreateFetchGroup(&group, PM_CONTEXT_LOCAL, NULL));
	ASSERT_EQ(0, pmExtendFetchGroup_item(group, "vcpc.control.module", NULL, NULL, &value,
					     PM_TYPE_U32, &status));
	EXPECT_EQ(0, pmFetchGroup(group));
	EXPECT_EQ(0, status);
	EXPECT_GE(1, value.ul);
	EXPECT_EQ(0, pmDestroyFetchGroup(group));
}

TEST_F(local, labels)
{
	pmLabelSet *sets = NULL;

	ASSERT_EQ(1, pmGetContextLabels(&sets));
	EXPECT_EQ(0, strncmp(sets->json, "{\"hostname\":", 12));
	EXPECT_EQ(1, sets->nlabels);
	pmFreeLabelSets(sets, 1);
	ASSERT_EQ(1, pmGetDomainLabels(450, &sets));
	EXPECT_STREQ("{\"agent\":\"vcpc\"}", sets->json);
	EXPECT_EQ(0, strncmp(sets->json + sets->labels[0].value, "\"vcpc\"", 6));
	pmFreeLabelSets(sets, 1);
	ASSERT_EQ(2, pmLookupLabels(find("vcpc.transact.count"), &sets));
	pmFreeLabelSets(sets, 2);
	EXPECT_EQ(0, pmGetDomainLabels(7, &sets));
}

TEST_F(local, what_is_not_an_archive_or_host)
{
	struct timeval now = { 0 };
	pmResult *result;
	int copy;

	EXPECT_EQ(PM_ERR_NOTARCHIVE, pmFetchArchive(&result));
	EXPECT_EQ(PM_ERR_MODE, pmSetMode(PM_MODE_INTERP, &now, 1));
	EXPECT_EQ(0, pmSetMode(PM_MODE_LIVE, &now, 0));
	EXPECT_EQ(self->handle, pmReconnectContext(self->handle));
	copy = pmDupContext();
	EXPECT_LT(self->handle, copy);
	EXPECT_NE(PM_ID_NULL, find("vcpc.count.cpu_clock"));
	EXPECT_EQ(0, pmDestroyContext(copy));
	EXPECT_EQ(0, pmUseContext(self->handle));
	EXPECT_LE(0, pmNewContextZone());
}

TEST_F(local, store)
{
	pmValueSet set = { .pmid = find("vcpc.control.module"), .numval = 1, .valfmt = PM_VAL_INSITU };
	pmResult result = { .numpmid = 1, .vset = { &set } };

	set.vlist[0].inst = PM_IN_NULL;
	EXPECT_EQ(PM_ERR_PERMISSION, pmStore(&result));
	set.pmid = find("trace.transact.count");
	EXPECT_EQ(PM_ERR_PERMISSION, pmStore(&result));
	set.pmid = pmID_build(3, 3, 3);
	EXPECT_EQ(PM_ERR_NOAGENT, pmStore(&result));
	set.pmid = find("vcpc.control.tracing");
	set.valfmt = PM_VAL_DPTR;
	EXPECT_EQ(PM_ERR_BADSTORE, pmStore(&result));
}

/* A configuration that is wrong is an error, and leaves no context */
TEST_F(local, bad_configurations)
{
	static const char *const texts[] = {
		"cpu cycles\n", "cpus\n", "cpus cs cs\n", "cpus cs\ncpus cs\n",
		"cpus a b c d e f g h i j k l m n o p q\n",
	};

	setenv("PCP_STDERR", "/dev/null", 1);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		write_config(self->config, texts[i]);
		EXPECT_EQ(PM_ERR_GENERIC, pmNewContext(PM_CONTEXT_LOCAL, NULL))
			TH_LOG("configuration %zu", i);
	}
	setenv("VCPC_CONFIG", "/nonexistent/file", 1);
	EXPECT_EQ(PM_ERR_GENERIC, pmNewContext(PM_CONTEXT_LOCAL, NULL));
	setenv("VCPC_CONFIG", "/tmp", 1);
	EXPECT_EQ(PM_ERR_GENERIC, pmNewContext(PM_CONTEXT_LOCAL, NULL));
	EXPECT_EQ(self->handle, pmWhichContext());
}

/* Without the module nobody has anything of it, and that is said */
TEST_F(local, users_without_the_module)
{
	pmID pmids[] = { find("vcpc.user.sets"), find("vcpc.limit.user_sets") };
	pmResult *result;
	char **names;
	int *insts;

	if (!access("/sys/module/vcpc", F_OK))
		SKIP(return, "the module is loaded");
	ASSERT_EQ(0, pmFetch(2, pmids, &result));
	EXPECT_EQ(PM_ERR_AGAIN, result->vset[0]->numval);
	EXPECT_EQ(PM_ERR_AGAIN, result->vset[1]->numval);
	pmFreeResult(result);
	EXPECT_EQ(0, pmGetInDom(pmInDom_build(450, 9), &insts, &names));
}

/* Contexts that count leave no descriptor, and a forked child goes on. */
TEST_F(local, descriptors_and_forks)
{
	pmID pmids[] = { find("vcpc.control.module"), find("vcpc.count.cpu_clock") };
	int before = count_open(), status;
	pid_t child;

	for (int i = 0; i < 200; i++) {
		int handle = pmNewContext(PM_CONTEXT_LOCAL, NULL);
		pmResult *result;

		ASSERT_LE(0, handle);
		ASSERT_EQ(0, pmFetch(2, pmids, &result));
		pmFreeResult(result);
		pmDestroyContext(handle);
	}
	EXPECT_EQ(before, count_open());
	pmUseContext(self->handle);
	child = fork();
	if (!child) {
		pmResult *result;

		_exit(pmFetch(2, pmids, &result) || result->vset[0]->numval != 1);
	}
	waitpid(child, &status, 0);
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
