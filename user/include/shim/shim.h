/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vcpc's own API: sets of counters on any thread or process tree, and the recorder that writes
 * counts and transactions into one PCP archive.
 *
 * Calls return 0 or a negated errno, never set errno, never print, and do not modify their output
 * arguments on failure.  Any thread may make any call, but two threads must not use the same
 * recorder at the same time, and a thread must not destroy an object that another thread uses.
 */
#ifndef SHIM_SHIM_H
#define SHIM_SHIM_H

#include <stdint.h>
#include <sys/types.h>

#include <shim/trace.h>

#ifdef __cplusplus
extern "C" {
#endif

const char *shim_version(void);

/*
 * The backend: the module together with perf_event_open(2), or perf alone if the module is not
 * loaded.  shim_open() fails with -ENODEV if neither is available, and with -EACCES if the module's
 * device cannot be accessed or perf is not permitted.
 */
struct shim_handle;

#define SHIM_WHY_MAX	512	/* bytes of a reason, with its NUL */

int shim_open(struct shim_handle **handle);
void shim_close(struct shim_handle *handle);
const char *shim_backend(struct shim_handle *handle);
int shim_backend_why(struct shim_handle *handle, char *buf, size_t size);

/*
 * Events: if handle is NULL, all events that have a name, otherwise the events that the back end
 * can count on this machine.  A name may be followed by modes: :u (user mode), :k (kernel mode).
 * The first nonzero value of fn ends the walk and is returned.
 */
#define SHIM_EVENT_MAX	256	/* bytes of a name, with its NUL */

int shim_events_walk(struct shim_handle *handle,
		     int (*fn)(void *arg, const char *name, const char *desc), void *arg);
int shim_pmus_walk(int (*fn)(void *arg, const char *name, const char *cpus), void *arg);
int shim_event_on_pmu(const char *name, const char *pmu, char *buf, size_t size);
int shim_event_suggest(const char *name, char *buf, size_t size);

/* Sets: events that are counted together and sampled at one instant, never scaled */
#define SHIM_SET_MAX	64	/* events of a set */

#define SHIM_BIND_ON_EXEC	(1U << 0)	/* counting starts at the target's next execve */
#define SHIM_BIND_THREADS	(1U << 1)	/* also threads that the target starts later */
#define SHIM_BIND_TREE		(1U << 2)	/* also all threads and processes it will start */
#define SHIM_BIND_PROCESS	(1U << 3)	/* also the other threads of its process */
#define SHIM_BIND_CPU		(1U << 4)	/* on the CPU of that number, for all processes */
#define SHIM_BIND_TRACE		(1U << 8)	/* for transactions, see shim_trace_counts_get() */

#define SHIM_STATE_COUNTING	(1U << 0)	/* counting is enabled */
#define SHIM_STATE_EXITED	(1U << 1)	/* the target has exited; values are final */
#define SHIM_STATE_OFFLINE	(1U << 2)	/* the target CPU is offline; its values are kept */

struct shim_set;

/**
 * struct shim_sample - all values of a set at one instant; times in ns
 * @time: CLOCK_MONOTONIC
 * @tick: CPU time of the target while the set was counting
 * @enabled: time during which the set was enabled on the running target
 * @running: time during which it was on the counters; equal to @enabled
 * @nr: number of values
 * @state: SHIM_STATE_*
 * @values: one per event; 64-bit counters that continue across migrations and context switches
 */
struct shim_sample {
	uint64_t time;
	uint64_t tick;
	uint64_t enabled;
	uint64_t running;
	uint32_t nr;
	uint32_t state;
	uint64_t values[SHIM_SET_MAX];
};

int shim_set_create(struct shim_handle *handle, const char *const *events, unsigned int n,
		    unsigned int *bad, struct shim_set **set);
void shim_set_destroy(struct shim_set *set);
const char *shim_set_backend(const struct shim_set *set);
unsigned int shim_set_size(const struct shim_set *set);
const char *shim_set_event(const struct shim_set *set, unsigned int i);

int shim_set_cgroup(struct shim_set *set, const char *group);
int shim_set_bind(struct shim_set *set, pid_t tid, unsigned int flags);
int shim_set_unbind(struct shim_set *set, pid_t tid);
int shim_set_enable(struct shim_set *set, pid_t tid);
int shim_set_disable(struct shim_set *set, pid_t tid);
int shim_set_sample(struct shim_set *set, pid_t tid, struct shim_sample *sample);
int shim_set_total(struct shim_set *set, pid_t tid, struct shim_sample *sample);
int shim_set_walk(struct shim_set *set,
		  int (*fn)(void *arg, pid_t tid, const struct shim_sample *sample), void *arg);

/*
 * Multiplexing, for events that a CPU cannot count at the same time.  The counts and their
 * durations are returned unscaled.
 */
#define SHIM_TURN_MIN	1000000ULL	/* ns */
#define SHIM_TURN_MAX	30000000000ULL

/**
 * struct shim_turns - the counts of a set's events, and how long each was counted; times in ns
 * @time: CLOCK_MONOTONIC
 * @tick: CPU time of the target while the set was counting
 * @counted: the part of @tick in which a group was counting: the base for estimates
 * @voids: slots in which a counter was missing; excluded from values and times
 * @exact: bit i is set if event i was counted all the time
 * @groups: number of multiplexed groups, or 1 if all events fit
 * @nr: number of values
 * @state: SHIM_STATE_*
 * @reserved: 0
 * @values: counts
 * @ticks: the part of @counted during which the event was counted; 0: never
 */
struct shim_turns {
	uint64_t time;
	uint64_t tick;
	uint64_t counted;
	uint64_t voids;
	uint64_t exact;
	uint32_t groups;
	uint32_t nr;
	uint32_t state;
	uint32_t reserved;
	uint64_t values[SHIM_SET_MAX];
	uint64_t ticks[SHIM_SET_MAX];
};

int shim_set_create_turns(struct shim_handle *handle, const char *const *events, unsigned int n,
			  uint64_t turn, unsigned int *bad, struct shim_set **set);
int shim_set_turns(struct shim_set *set, pid_t tid, struct shim_turns *turns);
int shim_set_turns_whole(struct shim_set *set, pid_t tid, struct shim_turns *turns,
			 uint64_t whole[SHIM_SET_MAX]);

/*
 * The recorder: it writes counts of sets and the machine's transactions, with one clock, into one
 * PCP archive.  Every record is complete on disk before the next one is begun, so a recording can
 * be replayed even after a crash.
 */
struct shim_recorder;

/**
 * struct shim_record_options - how to record
 * @size: sizeof(struct shim_record_options)
 * @version: archive format: 3, 2, or 0 for the default, 3
 * @after: a recorder whose archive this one continues, or NULL.  Instances of transactions keep
 *	their numbers, instances of sets keep their names, and counts continue.  That recorder must
 *	stay open until all sources are added.
 */
struct shim_record_options {
	uint32_t size;
	uint32_t version;
	struct shim_recorder *after;
};

int shim_record_open(const char *archive, const struct shim_record_options *options,
		     struct shim_recorder **rec);
int shim_record_add_set(struct shim_recorder *rec, struct shim_set *set, pid_t pid);
int shim_record_add_named(struct shim_recorder *rec, struct shim_set *set, int id,
			  const char *name);
int shim_record_add_trace(struct shim_recorder *rec);
int shim_record_changes(struct shim_recorder *rec);
int shim_record_label(struct shim_recorder *rec, const char *name, const char *value);
/*
 * Values from other sources, such as a host's pmcd, are written into the same records. Metric
 * numbers, types, semantics and units are PCP's, as in <pcp/pmapi.h>.
 */

/**
 * struct shim_record_source - callbacks for values from other sources, called once per tick in this
 * order
 * @sample: fetch the values.  It returns the number of metrics that have values, or a negated
 *	errno, which shim_record_missing() then returns; if no metric has values, the other two
 *	functions are not called, and the record is written without these metrics
 * @instances: calls shim_record_instances() for each domain whose instances have changed
 * @values: calls shim_record_values() for each metric; this and @instances return 0, or an error
 *	that ends the tick
 */
struct shim_record_source {
	int (*sample)(void *arg);
	int (*instances)(void *arg, struct shim_recorder *rec);
	int (*values)(void *arg, struct shim_recorder *rec);
};

/**
 * struct shim_record_metric - a metric, as a pmDesc and its texts
 * @name: full name
 * @pmid: the metric's PMID
 * @indom: the metric's instance domain, or PM_INDOM_NULL
 * @type: PM_TYPE_*
 * @sem: PM_SEM_*
 * @units: as a pmUnits
 * @line: one-line description, or NULL
 * @help: full description, or NULL
 */
struct shim_record_metric {
	const char *name;
	uint32_t pmid;
	uint32_t indom;
	int32_t type;
	int32_t sem;
	uint32_t units;
	const char *line;
	const char *help;
};

/**
 * struct shim_record_value - a value
 * @inst: the value's instance, or -1
 * @number: the 4 or 8 bytes of a number, according to its type, left-aligned
 * @string: text of a string
 */
struct shim_record_value {
	int32_t inst;
	uint64_t number;
	const char *string;
};

int shim_record_add_source(struct shim_recorder *rec, const struct shim_record_source *source,
			   void *arg);
int shim_record_metric(struct shim_recorder *rec, const struct shim_record_metric *metric);
int shim_record_instances(struct shim_recorder *rec, uint32_t indom, unsigned int n,
			  const int32_t *inst, const char *const *name);
int shim_record_values(struct shim_recorder *rec, uint32_t pmid, int32_t type, int n,
		       const struct shim_record_value *values);

int shim_record_tick(struct shim_recorder *rec);
int shim_record_missed(struct shim_recorder *rec, uint64_t intervals);
int shim_record_missing(const struct shim_recorder *rec);
uint64_t shim_record_count(const struct shim_recorder *rec);
int shim_record_close(struct shim_recorder *rec);
void shim_record_discard(struct shim_recorder *rec);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_SHIM_H */
