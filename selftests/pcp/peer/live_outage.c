// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Query a host's pmcd while an agent or pmcd itself stops, hangs and restarts, or with many
 * contexts.  Print all results.  Like live.c, the program is built with both libraries.
 *
 * usage: live_outage SPEC changes|outage|silence|many
 *
 * All plays except "many" wait for a line on standard input before each step.
 */
#include <dirent.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "live.h"

static void ignore(const char *name)
{
	(void)name;
}

static void wait_for_line(const char *what)
{
	char line[100];

	printf("-- %s\n", what);
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		exit(3);
}

/* Fetch a metric, and print the result and the values without their time. */
static int fetch_one(const char *name)
{
	pmID pmid = id_of(name);
	pmResult *r;
	int err = pmFetch(1, &pmid, &r);

	printf("fetch: %d", err);
	if (err >= 0) {
		printf(", %d values", r->vset[0]->numval);
		pmFreeResult(r);
	}
	putchar('\n');
	return err;
}

static void play_changes(void)
{
	fetch_one("sample.bin");
	wait_for_line("the agent goes");
	for (int i = 0; i < 3; i++)
		fetch_one("sample.bin");
	wait_for_line("the agent comes back");
	for (int i = 0; i < 3; i++)
		fetch_one("sample.bin");
}

static void play_outage(void)
{
	const char *name = "sample.bin";
	pmID pmid = id_of(name);
	pmLabelSet *sets;
	pmResult *r;
	pmDesc d;
	char **names, *text;
	int *ids, me = pmWhichContext(), bins[] = { 300 };

	pmLookupDesc(pmid, &d);
	pmDelProfile(d.indom, 0, NULL);
	pmAddProfile(d.indom, 1, bins);
	fetch(name, 1, &pmid);
	wait_for_line("pmcd goes");
	for (int i = 0; i < 3; i++)
		printf("fetch: %d\n", pmFetch(1, &pmid, &r));
	printf("names: %d %d %d %d\n", pmLookupName(1, &name, &pmid), pmNameID(pmid, &text),
	       pmGetChildren("sample", &names), pmTraversePMNS("sample", ignore));
	pmid = pmID_build(29, 0, 6);
	printf("meta: %d %d %d %d %d\n", pmLookupDesc(pmid, &d), pmLookupDescs(1, &pmid, &d),
	       pmLookupText(pmid, PM_TEXT_HELP, &text), pmGetInDom(d.indom, &ids, &names),
	       pmLookupInDom(d.indom, "bin-100"));
	printf("labels: %d %d\n", pmLookupLabels(pmid, &sets), pmGetContextLabels(&sets));
	printf("reconnect: %d %d\n", pmReconnectContext(me), pmReconnectContext(me));
	printf("new: %d, current %d\n", pmNewContext(PM_CONTEXT_HOST, "127.0.0.1"),
	       pmWhichContext() == me);
	printf("copy: %d, current %d\n", pmDupContext(), pmWhichContext() == me);
	wait_for_line("pmcd comes back");
	sleep(2);	/* longer than PMCD_RECONNECT_TIMEOUT */
	printf("reconnect: %d\n", pmReconnectContext(me) == me);
	fetch(name, 1, &pmid);
	printf("at any time: %d\n", pmReconnectContext(me) == me);
	fetch(name, 1, &pmid);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Print how long a fetch without a reply takes; its timeout is one second. */
static void timed_fetch(pmID pmid)
{
	double before = now(), took;
	pmResult *r;
	int err = pmFetch(1, &pmid, &r);

	took = now() - before;
	printf("fetch: %d, %s\n", err, took < 0.8 ? "at once" : took < 9 ? "in time" : "late");
}

static void play_silence(void)
{
	pmID pmid = id_of("sample.bin");

	fetch_one("sample.bin");
	wait_for_line("pmcd is stopped");
	for (int i = 0; i < 3; i++)
		timed_fetch(pmid);
	wait_for_line("pmcd goes on");
	printf("reconnect: %d\n", pmReconnectContext(pmWhichContext()) == pmWhichContext());
	fetch_one("sample.bin");
}

static int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	int n = 0;

	while (d && readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Check that creating and destroying many contexts does not leak descriptors. */
static void play_many(void)
{
	int handles[200], before = descriptors(), opened = 0;

	for (int i = 0; i < 200; i++) {
		handles[i] = i % 2 ? pmDupContext() : pmNewContext(PM_CONTEXT_HOST, "127.0.0.1");
		opened += handles[i] >= 0;
	}
	printf("opened %d\n", opened);
	fetch_one("sample.bin");
	for (int i = 0; i < 200; i++)
		pmDestroyContext(handles[i]);
	printf("descriptors left: %d\n", descriptors() - before);
}

int main(int argc, char **argv)
{
	static const struct play plays[] = {
		{ "changes", play_changes }, { "outage", play_outage }, { "silence", play_silence },
		{ "many", play_many },
	};

	return play_one(plays, sizeof(plays) / sizeof(plays[0]), argc, argv);
}
