// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Without tracing, local contexts provide names, descriptors, texts, instances and labels, and the
 * values that perf counts.  For other values they report the reason.
 *
 * See selftests/bpf for tests of the values of trace metrics, which run in VMs, and
 * local_processes.c for tests of processes.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcp/pmapi.h>
#include "kselftest_harness.h"
#include "local.h"

FIXTURE(local) {
	char config[64];
	int handle;
};

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

TEST_F(local, each_name_has_a_metric_with_texts)
{
	struct names names = { 0 };
	int n = pmTraversePMNS_r("vcpc", see_name, &names);

	EXPECT_LT(35, n);
	n += pmTraversePMNS_r("trace", see_name, &names);
	EXPECT_LT(50, n);
	EXPECT_EQ(n, names.seen);
	EXPECT_EQ(0, names.wrong);
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
	/* Tracing is off, or this user lacks permission. */
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

TEST_F(local, profiles_leave_instances_out)
{
	pmID pmid = find("vcpc.control.dropped");
	int inst = 3, *insts, *none;
	char **names, **no_names, *name;
	pmResult *result;
	pmDesc desc;

	ASSERT_EQ(0, pmLookupDesc(pmid, &desc));
	ASSERT_EQ(10, pmGetInDom(desc.indom, &insts, &names));
	EXPECT_STREQ("not_open", names[3]);
	EXPECT_EQ(3, pmLookupInDom(desc.indom, "not_open"));
	EXPECT_EQ(PM_ERR_INST, pmLookupInDom(desc.indom, "none"));
	EXPECT_EQ(PM_ERR_INST, pmNameInDom(desc.indom, 10, &name));
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

/* A list of known instances is returned without reading values, which would open counters. */
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

/* An invalid configuration is an error, and no context remains. */
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
	/* Opening a FIFO that no process writes to must not block. */
	unlink(self->config);
	ASSERT_EQ(0, mkfifo(self->config, 0600));
	setenv("VCPC_CONFIG", self->config, 1);
	EXPECT_EQ(PM_ERR_GENERIC, pmNewContext(PM_CONTEXT_LOCAL, NULL));
	EXPECT_EQ(self->handle, pmWhichContext());
}

/* Without the module, values of the module's users have an error. */
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

/* Contexts that count do not leak descriptors, and a forked child can continue to use them. */
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
