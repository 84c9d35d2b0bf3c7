// SPDX-License-Identifier: GPL-2.0-or-later
/* Misuse the headers of shim/, on the synthetic PMU.  Tracing is never turned on. */
#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "shim/archive.h"
#include "shim/shim.h"
#include "misuse.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

void misuse_name(char *text, size_t size, long value, int error)
{
	(void)error;
	if (value < 0 && strerrorname_np(-value))
		snprintf(text, size, "-%s", strerrorname_np(-value));
	else
		snprintf(text, size, "%ld", value);
}

static char folder[] = "/tmp/misuse.XXXXXX";
static struct shim_handle *handle;
static struct shim_set *set;
static struct shim_sample sample;
static struct shim_turns turns;
static struct shim_recorder *rec;
static struct shim_trace_drops drops;
static unsigned int bad;
static const char *names[2000];
static char buf[64];
static size_t n;

static void ready(void)
{
	for (int i = 0; i < 2000; i++)
		names[i] = "page-faults";
	if (shim_open(&handle) || shim_set_create(handle, names, 1, &bad, &set))
		exit(9);
}

static void bound(void)
{
	ready();
	if (shim_set_bind(set, 0, 0))
		exit(9);
}

static void recording(void)
{
	bound();
	own_folder();
	if (shim_record_open("out", NULL, &rec) || shim_record_add_set(rec, set, 0))
		exit(9);
}

static int no_event(void *arg, const char *name, const char *desc)
{
	return !arg && name && desc ? 7 : 7;
}

static long sample_in_thread(void)
{
	return shim_set_sample(set, 0, &sample);
}

static int open_handles(int many)
{
	struct shim_handle *one;
	int i = 0, err = 0;

	for (; i < many && !err; i++)
		err = shim_open(&one);
	return err ? err : i;
}

static int create_sets(int many)
{
	struct shim_set *one;
	int i = 0, err = 0;

	for (; i < many && !err; i++)
		err = shim_set_create(handle, names, 1, &bad, &one);
	return err ? err : i;
}

static void handles(void)
{
	INT(, "NULL result", shim_open(NULL));
	INT(, "2000 handles", open_handles(2000));
	NOTHING(, "NULL handle", shim_close(NULL));
	NOTHING(bound(), "a set is bound", shim_close(handle));
	POINTER(, "NULL handle", shim_backend(NULL));
	INT(, "NULL handle", shim_backend_why(NULL, buf, sizeof(buf)));
	INT(ready(), "NULL buffer", shim_backend_why(handle, NULL, 0));
	INT(ready(), "a buffer of 1 byte", shim_backend_why(handle, buf, 1));
	INT(ready(), "NULL function", shim_events_walk(handle, NULL, NULL));
	INT(, "NULL handle and function", shim_events_walk(NULL, NULL, NULL));
	INT(ready(), "the callback stops the walk", shim_events_walk(handle, no_event, NULL));
	INT(, "NULL function", shim_pmus_walk(NULL, NULL));
	INT(, "NULL name", shim_event_on_pmu(NULL, "cpu", buf, sizeof(buf)));
	INT(, "NULL PMU", shim_event_on_pmu("cycles", NULL, buf, sizeof(buf)));
	INT(, "NULL buffer", shim_event_on_pmu("cycles", "cpu", NULL, 0));
	INT(, "NULL name", shim_event_suggest(NULL, buf, sizeof(buf)));
	INT(, "NULL buffer", shim_event_suggest("cycels", NULL, 0));
}

static void sets(void)
{
	const char *none[] = { NULL };

	INT(ready(), "NULL handle", shim_set_create(NULL, names, 1, &bad, &set));
	INT(ready(), "NULL events", shim_set_create(handle, NULL, 1, &bad, &set));
	INT(ready(), "a NULL event", shim_set_create(handle, none, 1, &bad, &set));
	INT(ready(), "no events", shim_set_create(handle, names, 0, &bad, &set));
	INT(ready(), "65 events", shim_set_create(handle, names, 65, &bad, &set));
	INT(ready(), "4294967295 events", shim_set_create(handle, names, ~0U, &bad, &set));
	INT(ready(), "NULL index", shim_set_create(handle, none, 1, NULL, &set));
	INT(ready(), "NULL result", shim_set_create(handle, names, 1, &bad, NULL));
	INT(ready(), "10000 sets", create_sets(10000));
	INT(ready(), "a slot of 0 ns", shim_set_create_turns(handle, names, 1, 0, &bad, &set));
	INT(ready(), "NULL handle", shim_set_create_turns(NULL, names, 1, SHIM_TURN_MIN, &bad, &set));
	INT(ready(), "NULL events", shim_set_create_turns(handle, NULL, 1, SHIM_TURN_MIN, &bad, &set));
	INT(ready(), "NULL result", shim_set_create_turns(handle, names, 1, SHIM_TURN_MIN, &bad, NULL));
	NOTHING(, "NULL set", shim_set_destroy(NULL));
	NOTHING(bound(), "while it is bound", shim_set_destroy(set));
	POINTER(, "NULL set", shim_set_backend(NULL));
	INT(, "NULL set", shim_set_size(NULL));
	POINTER(, "NULL set", shim_set_event(NULL, 0));
	POINTER(ready(), "event 4294967295", shim_set_event(set, ~0U));
}

static void bindings(void)
{
	INT(, "NULL set", shim_set_bind(NULL, 0, 0));
	INT(ready(), "thread -1", shim_set_bind(set, -1, 0));
	INT(ready(), "thread 2147483647", shim_set_bind(set, 0x7fffffff, 0));
	INT(ready(), "all flags", shim_set_bind(set, 0, ~0U));
	INT(bound(), "bound twice", shim_set_bind(set, 0, 0));
	INT(, "NULL set", shim_set_cgroup(NULL, "a"));
	INT(ready(), "NULL name", shim_set_cgroup(set, NULL));
	INT(ready(), "no name", shim_set_cgroup(set, ""));
	INT(, "NULL set", shim_set_unbind(NULL, 0));
	INT(ready(), "not bound", shim_set_unbind(set, 0));
	INT(, "NULL set", shim_set_enable(NULL, 0));
	INT(ready(), "not bound", shim_set_enable(set, 0));
	INT(bound(), "already enabled", shim_set_enable(set, 0));
	INT(, "NULL set", shim_set_disable(NULL, 0));
	INT(ready(), "not bound", shim_set_disable(set, 0));
	INT(, "NULL set", shim_set_sample(NULL, 0, &sample));
	INT(bound(), "NULL result", shim_set_sample(set, 0, NULL));
	INT(ready(), "not bound", shim_set_sample(set, 0, &sample));
	INT(bound(), "by a thread without a bound set", in_another_thread(sample_in_thread));
	INT(, "NULL set", shim_set_total(NULL, 0, &sample));
	INT(bound(), "NULL result", shim_set_total(set, 0, NULL));
	INT(, "NULL set", shim_set_walk(NULL, NULL, NULL));
	INT(bound(), "NULL function", shim_set_walk(set, NULL, NULL));
	INT(, "NULL set", shim_set_turns(NULL, 0, &turns));
	INT(bound(), "NULL result", shim_set_turns(set, 0, NULL));
	INT(bound(), "a set without slots", shim_set_turns(set, 0, &turns));
	INT(, "NULL set", shim_set_turns_whole(NULL, 0, &turns, turns.values));
	INT(bound(), "NULL result", shim_set_turns_whole(set, 0, NULL, NULL));
}

static int nothing_to_sample(void *arg)
{
	return arg ? 0 : -EIO;
}

static void recorders(void)
{
	const struct shim_record_options wrong = { .size = 1 }, version = { sizeof(version), 9, NULL };
	const struct shim_record_source empty = { 0 }, one = { .sample = nothing_to_sample };
	const struct shim_record_metric metric = { .name = NULL };

	INT(, "NULL archive", shim_record_open(NULL, NULL, &rec));
	INT(, "empty name", shim_record_open("", NULL, &rec));
	INT(, "NULL result", shim_record_open("out", NULL, NULL));
	INT(, "size 1", shim_record_open("out", &wrong, &rec));
	INT(, "version 9", shim_record_open("out", &version, &rec));
	INT(, "no such directory", shim_record_open("/nonexistent/out", NULL, &rec));
	INT(recording(), "NULL recorder", shim_record_add_set(NULL, set, 0));
	INT(recording(), "NULL set", shim_record_add_set(rec, NULL, 0));
	INT(recording(), "added twice", shim_record_add_set(rec, set, 0));
	INT(recording(), "process -1", shim_record_add_set(rec, set, -1));
	INT(recording(), "NULL recorder", shim_record_add_named(NULL, set, 1, "name"));
	INT(recording(), "NULL name", shim_record_add_named(rec, set, 1, NULL));
	INT(, "NULL recorder", shim_record_add_trace(NULL));
	INT(, "NULL recorder", shim_record_changes(NULL));
	INT(, "NULL recorder", shim_record_label(NULL, "name", "value"));
	INT(, "NULL name", shim_record_label(rec, NULL, "value"));
	INT(, "a name with a blank", shim_record_label(rec, "no name", "value"));
	INT(, "a control character", shim_record_label(rec, "name", "\n"));
	INT(, "NULL recorder", shim_record_add_source(NULL, &one, NULL));
	INT(recording(), "NULL source", shim_record_add_source(rec, NULL, NULL));
	INT(recording(), "a source without functions", shim_record_add_source(rec, &empty, NULL));
	INT(, "NULL recorder", shim_record_metric(NULL, &metric));
	INT(recording(), "NULL metric", shim_record_metric(rec, NULL));
	INT(recording(), "NULL name", shim_record_metric(rec, &metric));
	INT(, "NULL recorder", shim_record_instances(NULL, 1, 0, NULL, NULL));
	INT(recording(), "outside a tick", shim_record_instances(rec, 1, 1, NULL, NULL));
	INT(, "NULL recorder", shim_record_values(NULL, 1, 0, 0, NULL));
	INT(recording(), "outside a tick", shim_record_values(rec, 1, 0, 1, NULL));
	INT(, "NULL recorder", shim_record_tick(NULL));
	INT(recording(); shim_set_unbind(set, 0), "the set is not bound", shim_record_tick(rec));
	INT(, "NULL recorder", shim_record_missed(NULL, 1));
	INT(, "NULL recorder", shim_record_missing(NULL));
	INT(, "NULL recorder", shim_record_count(NULL));
	INT(, "NULL recorder", shim_record_close(NULL));
	INT(recording(), "nothing was recorded", shim_record_close(rec));
	NOTHING(, "NULL recorder", shim_record_discard(NULL));
	INT(, "NULL archive", shim_archive_check(NULL, NULL));
	INT(, "NULL callbacks", shim_archive_check("/nonexistent", NULL));
}

static void tracing(void)
{
	const struct shim_trace_options wrong = { .size = 1 };

	INT(, "size 1", shim_trace_on(&wrong));
	INT(, "size 1", shim_trace_memory(&wrong, NULL, NULL));
	INT(ready(), "NULL events", shim_trace_count(NULL, 1, &bad));
	INT(ready(), "4294967295 events", shim_trace_count(names, ~0U, &bad));
	INT(, "NULL result", shim_trace_open(NULL));
	INT(, "NULL handle", shim_trace_stats_get(NULL, &n));
	POINTER(, "NULL handle", shim_trace_stat_at(NULL, 0));
	INT(, "NULL handle", shim_trace_counts_get(NULL, &n));
	POINTER(, "NULL handle", shim_trace_count_at(NULL, 0));
	INT(, "NULL function", shim_trace_probes(NULL, NULL));
	INT(, "NULL handle", shim_trace_processes_get(NULL, &n));
	POINTER(, "NULL handle", shim_trace_process_at(NULL, 0));
	INT(, "NULL statistics", shim_trace_percentile(NULL, 50));
	INT(, "slot 4294967295", shim_trace_hist_floor(~0U));
	INT(, "NULL handle", shim_trace_events(NULL, 0, NULL, NULL));
	INT(, "NULL handle", shim_trace_events_open(NULL, NULL, NULL));
	INT(, "NULL handle", shim_trace_drops_get(NULL, &drops));
	INT(, "NULL handle", shim_trace_losses(NULL, NULL, NULL));
	NOTHING(, "NULL handle", shim_trace_close(NULL));
}

int main(void)
{
	int err;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	handles();
	sets();
	bindings();
	recorders();
	tracing();
	err = misuse_ends();
	return execlp("sh", "sh", "-c", "rm -rf \"$0\"; exit $1", folder, err ? "1" : "0", NULL);
}
