// SPDX-License-Identifier: GPL-2.0-or-later
/* Use the importer, host contexts and local contexts while system calls fail. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fail/shared/inject.h"
#include "fail/shared/sample.h"
#include "fail/shared/sweep.h"
#include "pcp/fake_pmcd.h"

/* Read back all records and metrics that the importer has written to @name. */
static void read_archive(const char *name)
{
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, name);
	pmResult *r;
	char **names = NULL;
	int *inst = NULL, err = 0, n = 0;

	say("open %d\n", context >= 0 ? 0 : context);
	if (context < 0)
		return;
	pmSetMode(PM_MODE_FORW, NULL, 0);
	for (; !(err = pmFetchArchive(&r)); n++) {
		say("%ld", (long)r->timestamp.tv_sec);
		for (int i = 0; i < r->numpmid; i++)
			say(" %x:%d", r->vset[i]->pmid, r->vset[i]->numval);
		say("\n");
		pmFreeResult(r);
	}
	say("end %d\n", err);
	n = pmGetInDomArchive(pmiInDom(60, 1), &inst, &names);
	say("domain %d", n);
	for (int i = 0; i < n; i++)
		say(" %d %s", inst[i], names[i]);
	say("\n");
	free(inst);
	free(names);
	pmDestroyContext(context);
}

static void read_back(void)
{
	read_archive("out");
}

static void import_values(int at)
{
	char value[16];

	sprintf(value, "%d", at);
	say("put %ld", TRY(pmiPutValue("demo.one", NULL, value)));
	say(" %ld", TRY(pmiPutValue("demo.set", "left", value)));
	say(" %ld\n", TRY(pmiPutValue("demo.set", "right", value)));
}

static void remove_output(void)
{
	unlink("out.0");
	unlink("out.1");
	unlink("out.meta");
	unlink("out.index");
}

static void import(void)
{
	const pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);
	pmInDom indom = pmiInDom(60, 1);

	say("start %ld\n", TRY(pmiStart("out", 0)));
	say("host %ld zone %ld\n", TRY(pmiSetHostname("host")), TRY(pmiSetTimezone("UTC")));
	say("one %ld\n", TRY(pmiAddMetric("demo.one", pmiID(60, 0, 1), PM_TYPE_U64, PM_INDOM_NULL,
					  PM_SEM_INSTANT, none)));
	say("set %ld\n", TRY(pmiAddMetric("demo.set", pmiID(60, 0, 2), PM_TYPE_DOUBLE, indom,
					  PM_SEM_COUNTER, none)));
	say("left %ld\n", TRY(pmiAddInstance(indom, "left", 1)));
	say("right %ld\n", TRY(pmiAddInstance(indom, "right", 2)));
	say("text %ld\n", TRY(pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmiID(60, 0, 1), "text")));
	say("label %ld\n", TRY(pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "where", "here")));
	for (int i = 0; i < 6; i++) {
		import_values(i);
		say("write %ld\n", TRY(pmiWrite(SAMPLE_START + i, 0)));
		if (i == 3)
			say("volume %ld\n", TRY(pmiNextVolume()));
	}
	say("end %ld\n", TRY(pmiEnd()));
}

/* <pcp/import.h> declares these only for version 4. */
int pmiStart_v4(const char *archive, int flags);
#define PMI_APPEND	0x2

static void prepare_append(void)
{
	remove_output();
	pmiStart("out", 0);
	pmiAddMetric("demo.one", pmiID(60, 0, 1), PM_TYPE_U64, PM_INDOM_NULL, PM_SEM_INSTANT,
		     pmiUnits(0, 0, 0, 0, 0, 0));
	pmiPutValue("demo.one", NULL, "1");
	pmiWrite(SAMPLE_START, 0);
	pmiEnd();
}

/* The mark is written only if the existing archive was found. */
static void append(void)
{
	say("start %ld\n", TRY(pmiStart_v4("out", PMI_APPEND)));
	say("mark %ld\n", TRY(pmiPutMark()));
	say("end %ld\n", TRY(pmiEnd()));
}

static void program(void)
{
	say("%ld", TRY(setenv("PCP_IMPORTRUN_DIR", ".", 1)));
	say(" start %ld", TRY(pmiStart("out", 0)));
	say(" program %ld\n", TRY(pmiSetImportProgram("tool", "1", "its arguments", "out")));
}

static void read_program(void)
{
	char line[80];
	FILE *f = fopen("tool", "r");

	while (f && fgets(line, sizeof(line), f))
		say("%s", line);
	if (f)
		fclose(f);
}

/* Each attempt writes a new archive, because an archive whose writing failed is not continued. */
static char limited[16];
static int archives;
static size_t limit;

/* Write an archive whose volumes are limited in size.  Return 0, or the first call's error. */
static int write_limited(void)
{
	int err, end;

	snprintf(limited, sizeof(limited), "limited%d", archives++);
	err = pmiStart(limited, 0);
	if (err < 0)
		return err;
	err = pmiAddMetric("demo.text", pmiID(60, 0, 1), PM_TYPE_STRING, PM_INDOM_NULL,
			   PM_SEM_DISCRETE, pmiUnits(0, 0, 0, 0, 0, 0));
	if (err >= 0)
		err = pmiSetVolumeSize(limit, NULL);
	for (int i = 0; i < 20 && err >= 0; i++) {
		err = pmiPutValue("demo.text", NULL, "a value of more than a few bytes, for volumes that are soon full");
		if (err >= 0)
			err = pmiWrite(SAMPLE_START + i, 0);
	}
	end = pmiEnd();
	return err < 0 ? err : end;
}

/*
 * Report if a failure did not cause an error.  A call must fail if fsync(2), or opening the
 * directory for it, has failed, although the data can be read.
 */
static long durable(long err)
{
	static bool failed;

	if (inject_fired() && !failed && err >= 0)
		say("a failure is not reported\n");
	failed = inject_fired();
	return err;
}

static void import_limited(void)
{
	say("written %ld\n", TRY(durable(write_limited())));
}

static void remove_limited(void)
{
	limit = 1000;
	if (system("rm -f limited*"))
		_exit(1);
}

static void read_limited(void)
{
	read_archive(limited);
}

static void prepare_version(void)
{
	FILE *f = fopen("pcp.conf", "w");

	fputs("PCP_ARCHIVE_VERSION=3\n", f);
	fclose(f);
}

static void remove_unlimited(void)
{
	remove_limited();
	limit = 0;
}

/* pmiStart() reads pcp.conf, and the archive must have the version that this file selects. */
static void import_configured(void)
{
	say("%ld\n", TRY(setenv("PCP_CONF", "pcp.conf", 1)));
	say("written %ld\n", TRY(write_limited()));
}

static void read_version(void)
{
	char path[32];
	FILE *f;

	snprintf(path, sizeof(path), "%s.0", limited);
	f = fopen(path, "r");
	if (f && !fseek(f, 7, SEEK_SET))
		say("version %d\n", fgetc(f));
	if (f)
		fclose(f);
	read_limited();
}

static struct fake_pmcd fake;

static void serve(void)
{
	setenv("PMCD_REQUEST_TIMEOUT", "5", 1);
	setenv("PMCD_CONNECT_TIMEOUT", "5", 1);
	setenv("PMCD_RECONNECT_TIMEOUT", "0", 1);
	if (fake_start(&fake))
		_exit(1);
}

static void stop_serving(void)
{
	fake_stop(&fake);
}

/* Return an error after reconnecting, as a program would. */
static long asked(long err)
{
	if (err < 0 && err != PM_ERR_EOL)
		pmReconnectContext(pmWhichContext());
	return err;
}

static void host(void)
{
	pmID ids[2] = { FAKE_WORD, FAKE_TEXT };
	long context = TRY(pmNewContext(PM_CONTEXT_HOST, fake.spec));
	int *inst = NULL;
	char **names = NULL, *text = NULL;
	pmDesc desc = { 0 };

	say("context %d\n", context >= 0);
	say("desc %ld", TRY(asked(pmLookupDesc(FAKE_WORD, &desc))));
	say(" %d\n", desc.type);
	say("domain %ld", TRY(asked(pmGetInDom(FAKE_INDOM, &inst, &names))));
	say(" %d\n", inst ? inst[0] : -1);
	free(inst);
	free(names);
	say("text %ld", TRY(asked(pmLookupText(FAKE_WORD, PM_TEXT_ONELINE, &text))));
	say(" %s\n", text ? text : "?");
	free(text);
	for (int i = 0; i < 4; i++) {
		pmResult *r = NULL;

		say("fetch %ld", TRY(asked(pmFetch(2, ids, &r))));
		if (r) {
			say(" %d %d\n", r->vset[0]->numval, r->vset[1]->numval);
			pmFreeResult(r);
		}
	}
	pmDestroyContext((int)context);
}

static void serve_derived(void)
{
	char *message = NULL;

	serve();
	pmRegisterDerivedMetric("derived.sum", "a.word + a.word", &message);
	free(message);
}

/* If looking up one of several metrics fails, the whole call fails. */
static void host_descs(void)
{
	const char *names[2] = { "a.word", "derived.sum" };
	pmID ids[2] = { PM_ID_NULL, PM_ID_NULL };
	long context = TRY(pmNewContext(PM_CONTEXT_HOST, fake.spec));
	pmDesc descs[2] = { { 0 } };

	say("context %d\n", context >= 0);
	say("names %ld\n", TRY(asked(pmLookupName(2, names, ids))));
	say("descs %ld", TRY(asked(pmLookupDescs(2, ids, descs))));
	say(" %d %d\n", descs[0].type, descs[1].type);
	pmDestroyContext((int)context);
}

static long fetch_group(pmFG fg, const int *sts)
{
	int err = pmFetchGroup(fg);

	pmUseContext(pmGetFetchGroupContext(fg));
	return asked(err < 0 ? err : *sts);
}

/* Instance names are looked up at the first fetch. */
static void host_group(void)
{
	char *names[4] = { NULL };
	unsigned int n = 0;
	pmFG fg = NULL;
	int sts = 0;

	say("group %ld\n", TRY(pmCreateFetchGroup(&fg, PM_CONTEXT_HOST, fake.spec)));
	say("words %ld\n", TRY(asked(pmExtendFetchGroup_indom(fg, "a.word", NULL, NULL, names, NULL,
							      PM_TYPE_U32, NULL, 4, &n, &sts))));
	for (int i = 0; i < 2; i++) {
		say("fetch %ld", TRY(fetch_group(fg, &sts)));
		say(" %u", n);
		for (unsigned int k = 0; k < n; k++)
			say(" %s", names[k] ?: "?");
		say("\n");
	}
	say("end %ld\n", TRY(pmDestroyFetchGroup(fg)));
}

static const char *const of_cpus[] = { "vcpc.count.cpu_clock", "trace.transact.count" };

/* Create the file "denied" if the caller is not permitted to count on whole CPUs. */
static void prepare_local(void)
{
	FILE *f = fopen("config", "w");
	pmID ids[2];
	pmResult *r;

	fputs("cpus cpu-clock context-switches\n", f);
	fclose(f);
	setenv("VCPC_CONFIG", "config", 1);
	if (pmNewContext(PM_CONTEXT_LOCAL, NULL) < 0 ||
	    pmLookupName(2, (const char **)of_cpus, ids) < 0 || pmFetch(2, ids, &r) < 0)
		exit(2);
	if (r->vset[0]->numval == PM_ERR_PERMISSION)
		fclose(fopen("denied", "w"));
}

static void prepare_config(void)
{
	FILE *f = fopen("pcp.conf", "w");

	fputs("PCP_SWEPT_A=a\nPCP_SWEPT_B=b\n", f);
	fclose(f);
}

/* The call returns NULL without an error, and the next call reads the file again. */
static void config(void)
{
	static const char *const names[] = { "PCP_SWEPT_A", "PCP_SWEPT_B" };

	say("%ld\n", TRY(setenv("PCP_CONF", "pcp.conf", 1)));
	for (int i = 0; i < 2; i++) {
		say("%ld ", TRY(pmGetOptionalConfig(names[i]) ? 0 : -1));
		say("%s\n", pmGetOptionalConfig(names[i]) ?: "?");
	}
}

static int nnames;

static void see(const char *name)
{
	(void)name;
	nnames++;
}

static long count_names(const char *below)
{
	nnames = 0;
	return pmTraversePMNS(below, see);
}

static int usual_of_cpus;

static void see_denied(void)
{
	usual_of_cpus = access("denied", F_OK) ? 0 : PM_ERR_PERMISSION;
}

/* Fetch.  A metric with an error that it does not usually have reports a failure. */
static long fetch_local(pmID *ids, const int *usual, pmResult **r)
{
	long err = pmFetch(2, ids, r);

	for (int i = 0; i < 2 && err >= 0; i++)
		if ((*r)->vset[i]->numval < 0 && (*r)->vset[i]->numval != usual[i])
			err = (*r)->vset[i]->numval;
	if (err < 0 && *r) {
		pmFreeResult(*r);
		*r = NULL;
	}
	return err;
}

static void local(void)
{
	int usual[2] = { usual_of_cpus, PM_ERR_AGAIN };
	pmID ids[2] = { PM_ID_NULL, PM_ID_NULL };
	long context;

	say("%ld\n", TRY(setenv("VCPC_CONFIG", "config", 1)));
	context = TRY(pmNewContext(PM_CONTEXT_LOCAL, NULL));
	say("context %d\n", context >= 0);
	say("names %ld\n", TRY(count_names("vcpc")));
	say("ids %ld\n", TRY(pmLookupName(2, (const char **)of_cpus, ids)));
	for (int i = 0; i < 3; i++) {
		pmResult *r = NULL;

		say("fetch %ld", TRY(fetch_local(ids, usual, &r)));
		if (r) {
			for (int k = 0; k < 2; k++)
				say(" %d", usual[k] = r->vset[k]->numval);
			say("\n");
			pmFreeResult(r);
		}
	}
	pmDestroyContext((int)context);
}

/* Count this process, its parent and possibly others that have the same command name. */
static void prepare_processes(void)
{
	char command[64] = "";
	FILE *f = fopen("/proc/self/comm", "r");

	if (!f || fscanf(f, "%63s", command) != 1)
		_exit(1);
	fclose(f);
	f = fopen("config", "w");
	fprintf(f, "processes %s page-faults\n", command);
	fclose(f);
}

static long count_processes(pmID id, int *n)
{
	pmResult *r;
	long err = pmFetch(1, &id, &r);

	if (err < 0)
		return err;
	*n = r->vset[0]->numval;
	pmFreeResult(r);
	return *n < 0 ? *n : 0;
}

/* A failure can hide some of several processes, but not all of them. */
static void processes(void)
{
	static const char *name = "vcpc.process.count.page_faults";
	pmID id = PM_ID_NULL;
	long context;
	int n = 0;

	say("%ld\n", TRY(setenv("VCPC_CONFIG", "config", 1)));
	context = TRY(pmNewContext(PM_CONTEXT_LOCAL, NULL));
	say("context %d\n", context >= 0);
	say("id %ld\n", TRY(pmLookupName(1, &name, &id)));
	say("fetch %ld", TRY(count_processes(id, &n)));
	say(" %d\n", n > 0);
	pmDestroyContext((int)context);
}

static const struct sweep_case cases[] = {
	{ .name = "import", .before = remove_output, .run = import, .after = read_back },
	{ .name = "append", .before = prepare_append, .run = append, .after = read_back },
	{ .name = "program", .run = program, .after = read_program },
	{ .name = "limited", .before = remove_limited, .run = import_limited, .after = read_limited,
	  .only = INJECT_CHANGE },
	{ .name = "unlimited", .before = remove_unlimited, .run = import_limited, .after = read_limited,
	  .only = INJECT_OPEN },
	/* An environment variable that was used is kept. */
	{ .name = "configured", .prepare = prepare_version, .before = remove_unlimited,
	  .run = import_configured, .after = read_version, .left = 2 },
	{ .name = "host", .before = serve, .run = host, .after = stop_serving },
	{ .name = "host descs", .before = serve_derived, .run = host_descs, .after = stop_serving },
	{ .name = "host group", .before = serve, .run = host_group, .after = stop_serving },
	{ .name = "config", .prepare = prepare_config, .run = config, .left = 2 },
	/* libbpf's messages and pmprintf() keep a buffer. */
	{ .name = "processes", .prepare = prepare_processes, .run = processes, .left = 1, .counts = true },
	{ .name = "local", .prepare = prepare_local, .before = see_denied, .run = local, .left = 1 },
};

int main(void)
{
	return sweep(cases, sizeof(cases) / sizeof(cases[0]));
}
