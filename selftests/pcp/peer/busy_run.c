// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive, as vcpc record does, of a run of any size.  The run has two processes, and
 * transactions of several tags, which take longer in the middle of the run.
 *
 * usage: busy_run ARCHIVE RECORDS TAGS [hostile|far|later|cut|watched]
 *
 * Records are 10 ms apart.  With "hostile", tags and the host name contain HTML, scripts and
 * terminal escape sequences.  With "far", the run starts in a year that no clock can represent.
 * With "later", it starts a day later.
 * With "cut", the last record follows after 1 ms.  With "watched", the time of half of the
 * transactions is split into parts, and the recorded maximum is twice the mean.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/import.h>
#include <shim/trace.h>

#define START		1700000000LL
#define FAR_START	(1LL << 57)	/* its year does not fit into an int */
#define DAY		86400
#define INTERVAL_MS	10
#define MOST_TAGS	1000
#define NMETRICS	(sizeof(metrics) / sizeof(metrics[0]))

enum { COUNT, TOTAL, P50, P99, ABORTED, TICK, INSTRUCTIONS, FAULTS, HIST, COUNTED, SUM, VALUE,
       WATCHED, ONCPU, RUNQUEUE, BLOCKED, LONGEST };

/* The metrics that the recorder writes */
static const struct {
	const char *name;
	unsigned int domain, cluster, item, serial;
	int type, sem;
	int time, count, scale;	/* dimensions and scale of the unit */
} metrics[] = {
	[COUNT] = { "trace.transact.count", 10, 0, 0, 0, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[TOTAL] = { "trace.transact.total_time", 10, 0, 5, 0, PM_TYPE_DOUBLE, PM_SEM_COUNTER, 1, 0, 3 },
	[P50] = { "vcpc.transact.p50_time", 450, 2, 3, 0, PM_TYPE_DOUBLE, PM_SEM_INSTANT, 1, 0, 3 },
	[P99] = { "vcpc.transact.p99_time", 450, 2, 5, 0, PM_TYPE_DOUBLE, PM_SEM_INSTANT, 1, 0, 3 },
	[ABORTED] = { "vcpc.transact.aborted", 450, 2, 2, 0, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[TICK] = { "vcpc.time.tick", 450, 0, 0, 0, PM_TYPE_U64, PM_SEM_COUNTER, 1, 0, 0 },
	[INSTRUCTIONS] = { "vcpc.count.instructions", 450, 1, 0, 0, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[FAULTS] = { "vcpc.count.page_faults", 450, 1, 1, 0, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[HIST] = { "vcpc.transact.hist", 450, 2, 6, 2, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[COUNTED] = { "vcpc.transact.counted", 450, 2, 7, 3, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[SUM] = { "vcpc.transact.sum", 450, 2, 8, 3, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[VALUE] = { "trace.observe.value", 10, 0, 10, 2, PM_TYPE_DOUBLE, PM_SEM_INSTANT, 0, 0, 0 },
	[WATCHED] = { "vcpc.transact.time.count", 450, 2, 10, 1, PM_TYPE_U64, PM_SEM_COUNTER, 0, 1, 0 },
	[ONCPU] = { "vcpc.transact.time.oncpu", 450, 2, 11, 1, PM_TYPE_U64, PM_SEM_COUNTER, 1, 0, 0 },
	[RUNQUEUE] = { "vcpc.transact.time.runqueue", 450, 2, 12, 1, PM_TYPE_U64, PM_SEM_COUNTER, 1, 0, 0 },
	[BLOCKED] = { "vcpc.transact.time.blocked", 450, 2, 13, 1, PM_TYPE_U64, PM_SEM_COUNTER, 1, 0, 0 },
	[LONGEST] = { "trace.transact.max_time", 10, 0, 4, 0, PM_TYPE_DOUBLE, PM_SEM_INSTANT, 1, 0, 3 },
};

static bool watched;


/* These names contain no blanks, because an importer compares names only up to the first blank. */
static const char *const hostile[] = {
	"</script><script>document.title='owned'</script>", "<img/src=x/onerror=document.title='owned'>",
	"\033[31mred\a", "\"quo'te\\", "&lt;amp;", "\377\376none", "\302\233[31m", "<!--", "]]>", "]br[ack",
	"\342\200\256left", "a/b/c", "\302\240", "%s%n", "back`tick${1}",
};

struct tag {
	char name[256];
	uint64_t count, instructions, hist[SHIM_TRACE_HIST_SLOTS];
	int slots[SHIM_TRACE_HIST_SLOTS];
	double total;
	int parts[5], counts, totals, counted, sums, p50, p99, aborted, value;
};

static uint64_t seed = 1;

static double uniform(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(seed >> 11) / 9007199254740992.0;
}

static int handle(int metric, const char *instance, int id)
{
	pmInDom indom = pmInDom_build(metrics[metric].domain, metrics[metric].serial);

	pmiAddInstance(indom, instance, id);
	return pmiGetHandle(metrics[metric].name, instance);
}

static void put(int h, double value, int type)
{
	pmAtomValue atom = { .d = value };

	if (type == PM_TYPE_U64)
		atom.ull = (uint64_t)value;
	if (pmiPutAtomValueHandle(h, &atom) < 0)
		exit(1);
}

/*
 * Name tag @i.  @slower is the number of tags that take longer; the slowest ones have hostile names
 * if @nasty.
 */
static void name_tag(struct tag *tag, int i, int slower, bool nasty)
{
	if (nasty && slower < (int)(sizeof(hostile) / sizeof(hostile[0])))
		strcpy(tag->name, hostile[slower]);
	else
		snprintf(tag->name, sizeof(tag->name), i ? "request_%d" : "checkout", i);
}

static void start_tag(struct tag *tag, int i, int slower, bool nasty)
{
	char event[300];

	name_tag(tag, i, slower, nasty);
	snprintf(event, sizeof(event), "%s/instructions", tag->name);
	tag->counts = handle(COUNT, tag->name, i);
	tag->totals = handle(TOTAL, tag->name, i);
	tag->p50 = handle(P50, tag->name, i);
	tag->p99 = handle(P99, tag->name, i);
	tag->aborted = handle(ABORTED, tag->name, i);
	tag->value = handle(VALUE, tag->name, i);
	tag->counted = handle(COUNTED, event, i);
	tag->sums = handle(SUM, event, i);
	for (int part = 0; part < 5 && watched; part++)
		tag->parts[part] = handle(WATCHED + part, tag->name, i);
	for (int s = 0; s < SHIM_TRACE_HIST_SLOTS; s++)
		tag->slots[s] = -1;
}

static void transact(struct tag *tag, double ns)
{
	unsigned int slot = 0;

	while (slot < SHIM_TRACE_HIST_SLOTS - 1 && (double)shim_trace_hist_floor(slot + 1) <= ns)
		slot++;
	tag->hist[slot]++;
	tag->count++;
	tag->total += ns / 1e9;
	tag->instructions += (uint64_t)(ns * 2.5 + 1000 * uniform());
}

/* Put transactions into @tag.  They take twice as long between 1/2 and 3/4 of the run. */
static void work(struct tag *tag, int i, double part)
{
	double slow = part > 0.5 && part < 0.75 ? 2 : 1;

	for (int n = 0; n < 6; n++)
		transact(tag, slow * 20000 * (1 + i) * exp(1.2 * (uniform() + uniform() + uniform() - 1.5)));
}

static int slot_handle(struct tag *tag, int i, int s)
{
	char name[300];

	snprintf(name, sizeof(name), "%s/%lluns", tag->name, (unsigned long long)shim_trace_hist_floor(s));
	return handle(HIST, name, i * SHIM_TRACE_HIST_SLOTS + s);
}

static void put_tag(struct tag *tag, int i)
{
	double mean = tag->total / tag->count;

	put(tag->counts, tag->count, PM_TYPE_U64);
	put(tag->totals, tag->total, PM_TYPE_DOUBLE);
	put(tag->p50, mean, PM_TYPE_DOUBLE);
	put(tag->p99, 3 * mean, PM_TYPE_DOUBLE);
	put(tag->aborted, 0, PM_TYPE_U64);
	put(tag->value, mean * 1e6, PM_TYPE_DOUBLE);
	put(tag->counted, tag->count, PM_TYPE_U64);
	put(tag->sums, tag->instructions, PM_TYPE_U64);
	if (watched) {
		put(tag->parts[0], tag->count / 2, PM_TYPE_U64);
		put(tag->parts[1], tag->total * 0.5e9 * 0.25, PM_TYPE_U64);
		put(tag->parts[2], tag->total * 0.5e9 * 0.125, PM_TYPE_U64);
		put(tag->parts[3], tag->total * 0.5e9 * 0.625, PM_TYPE_U64);
		put(tag->parts[4], 2 * mean, PM_TYPE_DOUBLE);
	}
	for (int s = 0; s < SHIM_TRACE_HIST_SLOTS; s++) {
		if (!tag->hist[s])
			continue;
		if (tag->slots[s] < 0)
			tag->slots[s] = slot_handle(tag, i, s);
		put(tag->slots[s], tag->hist[s], PM_TYPE_U64);
	}
}

static int declare(bool nasty)
{
	if (pmiSetHostname(nasty ? "</title>\033]0;owned\a" : "shop") < 0 || pmiSetTimezone("UTC") < 0)
		return -1;
	for (size_t i = 0; i < (watched ? NMETRICS : WATCHED); i++) {
		pmID pmid = pmiID(metrics[i].domain, metrics[i].cluster, metrics[i].item);

		if (pmiAddMetric(metrics[i].name, pmid, metrics[i].type,
				 pmInDom_build(metrics[i].domain, metrics[i].serial), metrics[i].sem,
				 pmiUnits(0, metrics[i].time, metrics[i].count, 0, metrics[i].scale, 0)) < 0 ||
		    pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmid,
			       nasty ? "</script><b onclick=alert(1)>\001" : metrics[i].name) < 0)
			return -1;
	}
	return 0;
}

static struct tag tags[MOST_TAGS];

int main(int argc, char **argv)
{
	bool nasty = argc > 4 && !strcmp(argv[4], "hostile");
	bool cut = argc > 4 && !strcmp(argv[4], "cut");
	long long start = argc > 4 && !strcmp(argv[4], "far") ? FAR_START :
			  argc > 4 && !strcmp(argv[4], "later") ? START + DAY : START;
	int records, ntags, ticks[2], instructions[2], faults[2];

	watched = argc > 4 && !strcmp(argv[4], "watched");
	if (argc < 4 || pmiStart(argv[1], 0) < 0 || declare(nasty) < 0)
		return 1;
	if (start == FAR_START && pmiSetVersion(3) < 0)	/* seconds have 32 bits in version 2 */
		return 1;
	records = atoi(argv[2]);
	ntags = atoi(argv[3]) < MOST_TAGS ? atoi(argv[3]) : MOST_TAGS;
	for (int p = 0; p < 2; p++) {
		const char *name = p ? "000078 worker" : "000077 server";

		ticks[p] = handle(TICK, name, 77 + p);
		instructions[p] = handle(INSTRUCTIONS, name, 77 + p);
		faults[p] = handle(FAULTS, name, 77 + p);
	}
	for (int i = 0; i < ntags; i++)
		start_tag(&tags[i], i, ntags - 1 - i, nasty);
	for (int t = 0; t < records; t++) {
		double part = (double)t / records;
		int ms = t * INTERVAL_MS - (cut && t == records - 1 ? INTERVAL_MS - 1 : 0);

		for (int p = 0; p < 2; p++) {
			put(ticks[p], 8e6 * t, PM_TYPE_U64);
			put(instructions[p], (2.5e7 + 1e7 * sin(part * 20 + p)) * t, PM_TYPE_U64);
			put(faults[p], 3.0 * t * (1 + p), PM_TYPE_U64);
		}
		for (int i = 0; i < ntags && t; i++) {
			work(&tags[i], i, part);
			put_tag(&tags[i], i);
		}
		if (pmiHighResWrite(start + ms / 1000, ms % 1000 * 1000000) < 0)
			return 1;
	}
	return pmiEnd() < 0;
}
