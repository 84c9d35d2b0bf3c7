// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Read archives while system calls fail, in all modes: three volumes, several archives as one,
 * packed files, and a mapped volume, with derived metrics and fetch groups.
 */
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fail/shared/sample.h"
#include "fail/shared/sweep.h"

static void prepare_volumes(void)
{
	sample_make("a", 0, 24, 8);
}

static void prepare_several(void)
{
	sample_make("a", 0, 6, 3);
	sample_make("b", 100, 6, 6);
	sample_make("c", 200, 6, 3);
}

/* Make the first volume too large to be copied into memory. */
static void prepare_large(void)
{
	sample_make("a", 0, 700, 600);
}

/* Damage the second volume. */
static void prepare_damaged(void)
{
	sample_make("a", 0, 24, 8);
	if (truncate("a.1", 20))
		_exit(1);
}

/* Damage the last record. */
static void prepare_cut(void)
{
	struct stat st;

	sample_make("a", 0, 24, 8);
	if (stat("a.2", &st) || truncate("a.2", st.st_size - 10))
		_exit(1);
}

/* Only the first and the last of six volumes have values of all metrics. */
static void prepare_sparse(void)
{
	sample_check(pmiStart("a", 0));
	sample_describe();
	for (int i = 0; i < 60; i++) {
		if (i % 50 == 5) {
			sample_put(i);
		} else {
			sample_check(pmiPutValue(sample_name(0), NULL, "1"));
			sample_check(pmiWrite(SAMPLE_START + i, 0));
		}
		if (i % 10 == 9)
			sample_check(pmiNextVolume());
	}
	sample_check(pmiEnd());
}

/* In addition, the last record of a volume is damaged. */
static void prepare_sparse_cut(void)
{
	struct stat st;

	prepare_sparse();
	if (stat("a.3", &st) || truncate("a.3", st.st_size - 10))
		_exit(1);
}

/*
 * Write a mark after every ten records, and begin a new volume.  Counters are not interpolated
 * across a mark.
 */
static void prepare_marks(void)
{
	sample_check(pmiStart("a", 0));
	sample_describe();
	for (int i = 0; i < 60; i++) {
		sample_put(i);
		if (i % 10 == 9) {
			sample_check(pmiPutMark());
			sample_check(pmiNextVolume());
		}
	}
	sample_check(pmiEnd());
}

static void prepare_packed(void)
{
	sample_make("a", 0, 24, 8);
	if (system("gzip a.0 a.meta && xz -q --block-size=500 a.1 && bzip2 a.2"))
		_exit(1);
}

/* A writer has just started the last volume. */
static void prepare_started(void)
{
	sample_make("a", 0, 24, 8);
	if (truncate("a.2", 20))
		_exit(1);
}

/* A volume is missing, and there is no index that names the others. */
static void prepare_gap(void)
{
	sample_make("a", 0, 24, 5);
	if (unlink("a.2") || unlink("a.index"))
		_exit(1);
}

/* The name of an archive contains a comma, and its parts are the names of other archives. */
static void prepare_folder(void)
{
	if (mkdir("d", 0700))
		_exit(1);
	sample_make("d/b", 100, 6, 6);
	sample_make("d/a", 0, 6, 3);
	sample_make("c", 200, 6, 3);
	sample_make("x", 300, 6, 3);
	sample_make("c,x", 400, 6, 3);
}

/*
 * The directory can be searched but not read.  An archive in it has no volume 2, another has no index
 * that names its volumes.
 */
static void prepare_unreadable(void)
{
	if (mkdir("u", 0700))
		_exit(1);
	sample_make("u/a", 0, 24, 5);
	sample_make("u/b,c", 0, 6, 2);
	if (unlink("u/a.2") || unlink("u/b,c.index") || chmod("u", 0111))
		_exit(1);
}

/* Without capabilities, root also needs permissions. */
static void drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (syscall(SYS_capset, &head, none))
		_exit(1);
}

static pmID ids[SAMPLE_METRICS];

static void names(void)
{
	for (int i = 0; i < SAMPLE_METRICS; i++) {
		const char *name = sample_name(i);
		pmDesc desc = { 0 };
		char **all = NULL;
		char *text = NULL;
		int *inst = NULL, n;
		pmLabelSet *sets = NULL;

		say("name %ld", TRY(pmLookupName(1, &name, &ids[i])));
		say(" %x desc %ld", ids[i], TRY(pmLookupDesc(ids[i], &desc)));
		say(" %d\n", desc.type);
		say("text %ld", TRY(pmLookupText(ids[i], PM_TEXT_ONELINE, &text)));
		say(" %s\n", text ? text : "?");
		n = (int)TRY(pmLookupLabels(ids[i], &sets));
		say("labels %d\n", n);
		for (int k = 0; k < n; k++)
			say(" %.*s\n", sets[k].jsonlen, sets[k].json);
		pmFreeLabelSets(sets, n);
		free(text);
		if (desc.indom == PM_INDOM_NULL)
			continue;
		n = (int)TRY(pmGetInDomArchive(desc.indom, &inst, &all));
		say("domain %d\n", n);
		for (int k = 0; k < n; k++)
			say(" %d %s\n", inst[k], all[k]);
		free(inst);
		free(all);
		all = NULL;
		text = NULL;
		n = (int)TRY(pmGetInstancesLabels(desc.indom, &sets));
		say("labels of instances %d\n", n);
		for (int k = 0; k < n; k++)
			say(" %d %.*s\n", sets[k].inst, sets[k].jsonlen, sets[k].json);
		pmFreeLabelSets(sets, n);
		say("instance %ld", TRY(pmNameInDomArchive(desc.indom, 5, &text)));
		say(" %s\n", text ? text : "?");
		free(text);
	}
}

static void fetches_from(struct timeval start, int mode, int msec, int n)
{
	say("mode %d: %ld\n", mode, TRY(pmSetMode(mode, &start, msec)));
	for (int i = 0; i < n; i++) {
		pmResult *result = NULL;
		long err = TRY_UNLESS(pmFetch(SAMPLE_METRICS, ids, &result),
				      result_ == PM_ERR_EOL || result_ == PM_ERR_LOGREC);

		say("fetch %ld: ", err);
		if (err >= 0) {
			sample_show(result);
			pmFreeResult(result);
		} else {
			say("%s\n", pmErrStr((int)err));
		}
	}
}

static void fetches(int mode, int from, int msec, int n)
{
	fetches_from((struct timeval){ SAMPLE_START + from, 0 }, mode, msec, n);
}

static void read_archive(const char *name, int last)
{
	struct timeval end = { 0 };
	pmLogLabel label;
	long context = TRY(pmNewContext(PM_CONTEXT_ARCHIVE, name));

	say("context %d\n", context >= 0);
	say("label %ld", TRY(pmGetArchiveLabel(&label)));
	say(" %s\n", label.ll_hostname);
	names();
	fetches(PM_MODE_FORW, 0, 0, last < 30 ? 26 : 8);
	fetches(PM_MODE_BACK, last, 0, last < 30 ? 26 : 8);
	fetches(PM_MODE_INTERP, 0, 3500, 9);
	fetches(PM_MODE_INTERP, last, -7500, 9);
	fetches(PM_MODE_FORW, last / 2, 0, 4);
	say("end %ld", TRY(pmGetArchiveEnd(&end)));
	say(" %ld\n", (long)end.tv_sec);
	pmDestroyContext((int)context);
}

static void run_volumes(void)
{
	read_archive("a", 23);
}

/* Whole records, whose metrics are not requested */
static void run_records(void)
{
	long context = TRY(pmNewContext(PM_CONTEXT_ARCHIVE, "a"));

	say("context %d\n", context >= 0);
	say("mode %ld\n", TRY(pmSetMode(PM_MODE_FORW, NULL, 0)));
	for (int i = 0; i < 26; i++) {
		pmResult *r = NULL;
		long err = TRY_UNLESS(pmFetchArchive(&r), result_ == PM_ERR_EOL);

		say("fetch %ld:", err);
		for (int k = 0; r && k < r->numpmid; k++)
			say(" %x %d", r->vset[k]->pmid, r->vset[k]->numval);
		say("\n");
		if (r)
			pmFreeResult(r);
	}
	pmDestroyContext((int)context);
}

/* A name space of a file, which includes another */
static void prepare_names(void)
{
	FILE *f = fopen("more", "w");

	prepare_volumes();
	fputs("our { m0 60:0:0 }\n", f);
	fclose(f);
	f = fopen("names", "w");
	fputs("root { our }\n#include \"more\"\n", f);
	fclose(f);
}

static void run_names(void)
{
	long context = TRY(pmNewContext(PM_CONTEXT_ARCHIVE, "a"));
	const char *name = "our.m0";
	char **all = NULL;
	pmID pmid = 0;

	say("context %d\n", context >= 0);
	say("load %ld\n", TRY(pmLoadNameSpace("names")));
	say("lookup %ld", TRY(pmLookupName(1, &name, &pmid)));
	say(" %x\n", pmid);
	say("children %ld", TRY(pmGetChildren("our", &all)));
	say(" %s\n", all ? all[0] : "?");
	free(all);
	pmUnloadNameSpace();
	pmDestroyContext((int)context);
}

static void run_folder(void)
{
	read_archive("d", 105);
	read_archive("c,x", 405);
	read_archive("c,d/a,d", 205);
}

static void run_unreadable(void)
{
	read_archive("u/a", 23);
	read_archive("u/b,c", 5);
}

/* Name one of the archives twice. */
static void run_several(void)
{
	read_archive("a,b,a,c", 205);
}

static void run_large(void)
{
	read_archive("a", 699);
}

static void run_marks(void)
{
	read_archive("a", 59);
}

/* Marks between records that are at most this far apart are ignored. */
static void run_short_marks(void)
{
	TRY(setenv("PCP_IGNORE_MARK_RECORDS", "5sec", 1));
	read_archive("a", 59);
}

/* Interpolate in the third volume of an archive that has just been opened. */
static void run_sparse(void)
{
	const long context = TRY(pmNewContext(PM_CONTEXT_ARCHIVE, "a"));

	names();
	fetches(PM_MODE_INTERP, 22, 1500, 4);
	pmDestroyContext((int)context);
}

/* Interpolate past the end.  The damage is reported once. */
static void run_end(void)
{
	const long context = TRY(pmNewContext(PM_CONTEXT_ARCHIVE, "a"));

	names();
	fetches(PM_MODE_INTERP, 20, 1500, 5);
	pmDestroyContext((int)context);
}

/*
 * Interpolate 0.5 ms after each record.  The search for the record after a mark, which is 1 ms after
 * the volume's last record, opens the next volume.
 */
static void run_long_marks(void)
{
	long context;

	TRY(setenv("PCP_IGNORE_MARK_RECORDS", "0.5sec", 1));
	context = TRY(pmNewContext(PM_CONTEXT_ARCHIVE, "a"));
	names();
	fetches_from((struct timeval){ SAMPLE_START, 500 }, PM_MODE_INTERP, 1000, 32);
	pmDestroyContext((int)context);
}

static const struct sweep_case cases[] = {
	{ .name = "volumes", .prepare = prepare_volumes, .run = run_volumes },
	{ .name = "records", .prepare = prepare_volumes, .run = run_records },
	/* pmprintf() keeps a buffer */
	{ .name = "names", .prepare = prepare_names, .run = run_names, .left = 1 },
	{ .name = "several", .prepare = prepare_several, .run = run_several },
	{ .name = "folder", .prepare = prepare_folder, .run = run_folder },
	{ .name = "unreadable", .prepare = prepare_unreadable, .before = drop_capabilities, .run = run_unreadable },
	/* If the directory cannot be read, volumes after a gap cannot be found. */
	{ .name = "gap", .prepare = prepare_gap, .run = run_volumes, .without = "open-EACCES" },
	{ .name = "started", .prepare = prepare_started, .run = run_volumes },
	{ .name = "large", .prepare = prepare_large, .run = run_large },
	{ .name = "packed", .prepare = prepare_packed, .run = run_volumes },
	{ .name = "damaged", .prepare = prepare_damaged, .run = run_volumes },
	{ .name = "cut", .prepare = prepare_cut, .run = run_end },
	{ .name = "sparse", .prepare = prepare_sparse, .run = run_sparse },
	{ .name = "sparse cut", .prepare = prepare_sparse_cut, .run = run_sparse },
	{ .name = "marks", .prepare = prepare_marks, .run = run_marks },
	{ .name = "short marks", .prepare = prepare_marks, .run = run_short_marks },
	{ .name = "long marks", .prepare = prepare_marks, .run = run_long_marks },
};

int main(void)
{
	/* A run takes milliseconds, so fail all calls: what a failure does also depends on the state. */
	setenv("FAIL_POINTS", "0", 0);
	return sweep(cases, sizeof(cases) / sizeof(cases[0]));
}
