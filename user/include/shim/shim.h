/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * vcpc's own face: sets of counters on any thread or process tree, and the
 * recorder that writes counts and transactions into one PCP archive.
 *
 * Calls return 0 or a negated errno, never set errno, never print, and leave
 * what they point to alone when they fail.  Any thread may make any call; two
 * threads do not use one recorder at a time, nor destroy what another uses.
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
 * What counts: the module together with perf_event_open(2), or perf alone where the module is not
 * loaded.  -ENODEV: neither is here; -EACCES: no access to the module's device, or perf is not allowed.
 */
struct shim_handle;

#define SHIM_WHY_MAX	512	/* bytes of a reason, with its NUL */

int shim_open(struct shim_handle **handle);
void shim_close(struct shim_handle *handle);
const char *shim_backend(struct shim_handle *handle);
int shim_backend_why(struct shim_handle *handle, char *buf, size_t size);

/*
 * Events: those that the module can count here, or, with a NULL handle, all
 * that have a name on this machine.  A name may have modes behind it: :u (user
 * mode), :k (kernel).  fn's first value that is not 0 ends the walk and is
 * returned.
 */
#define SHIM_EVENT_MAX	256	/* bytes of a name, with its NUL */

int shim_events_walk(struct shim_handle *handle,
		     int (*fn)(void *arg, const char *name, const char *desc), void *arg);
int shim_pmus_walk(int (*fn)(void *arg, const char *name, const char *cpus), void *arg);
int shim_event_on_pmu(const char *name, const char *pmu, char *buf, size_t size);
int shim_event_suggest(const char *name, char *buf, size_t size);

/* Sets: events that are counted together, at one instant, never scaled */
#define SHIM_SET_MAX	64	/* events of a set */

#define SHIM_BIND_ON_EXEC	(1U << 0)	/* counting starts at the target's next execve */
#define SHIM_BIND_THREADS	(1U << 1)	/* with the threads that it will start */
#define SHIM_BIND_TREE		(1U << 2)	/* with all threads and processes it will start */
#define SHIM_BIND_PROCESS	(1U << 3)	/* with the other threads of its process */
#define SHIM_BIND_CPU		(1U << 4)	/* on the CPU of that number, whoever runs there */
#define SHIM_BIND_TRACE		(1U << 8)	/* for transactions, see shim_trace_counts_get() */

#define SHIM_STATE_COUNTING	(1U << 0)	/* not stopped */
#define SHIM_STATE_EXITED	(1U << 1)	/* the target has exited; values are final */
#define SHIM_STATE_OFFLINE	(1U << 2)	/* the target is a CPU that is offline now; values stay */

struct shim_set;

/**
 * struct shim_sample - all values of a set at one instant; times in ns
 * @time: CLOCK_MONOTONIC
 * @tick: CPU time of the target while the set was counting
 * @enabled: time the set was enabled on the running target
 * @running: time it really counted: equal to @enabled
 * @nr: number of values
 * @state: SHIM_STATE_*
 * @values: one an event; 64-bit counters that go on across switches of CPU and context
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

int shim_set_bind(struct shim_set *set, pid_t tid, unsigned int flags);
int shim_set_unbind(struct shim_set *set, pid_t tid);
int shim_set_enable(struct shim_set *set, pid_t tid);
int shim_set_disable(struct shim_set *set, pid_t tid);
int shim_set_sample(struct shim_set *set, pid_t tid, struct shim_sample *sample);
int shim_set_total(struct shim_set *set, pid_t tid, struct shim_sample *sample);
int shim_set_walk(struct shim_set *set,
		  int (*fn)(void *arg, pid_t tid, const struct shim_sample *sample), void *arg);

/*
 * Where a CPU cannot hold all events at a time: groups of them take turns.  What was counted and
 * for how long is told; nothing is scaled.
 */
#define SHIM_TURN_MIN	1000000ULL	/* ns */
#define SHIM_TURN_MAX	30000000000ULL

/**
 * struct shim_turns - what a set's events have counted, and when; times in ns
 * @time: CLOCK_MONOTONIC
 * @tick: CPU time of the target while the set was counting
 * @counted: of that, the time in which a group counted: the whole for estimates
 * @voids: turns in which a counter was missing, which are in neither values nor times
 * @exact: bit i is set if event i was counted all the time
 * @groups: that take turns, or 1 if there was room for all
 * @nr: number of values
 * @state: SHIM_STATE_*
 * @reserved: 0
 * @values: what was counted
 * @ticks: in how much of @counted; 0 if it was never its turn
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
 * The recorder: counts of sets and the machine's transactions, on one clock,
 * in one PCP archive.  Every record is whole on disk before the next is begun:
 * what was recorded can be replayed after any crash.
 */
struct shim_recorder;

/**
 * struct shim_record_options - how to record
 * @size: sizeof(struct shim_record_options)
 * @version: of the archive's format: 3, 2, or 0 for the default, 3
 * @after: a recorder whose archive this one continues, or NULL: instances of transactions keep their numbers,
 *	and those of sets their names, and counts go on.  It must stay open until all sources are added.
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
int shim_record_label(struct shim_recorder *rec, const char *name, const char *value);
/*
 * What a program has from elsewhere, such as from a host's pmcd, goes into the same records.
 * Numbers of metrics, types, semantics and units are PCP's, as in <pcp/pmapi.h>.
 */

/**
 * struct shim_record_source - where such values come from; each is called once a tick, in this order
 * @sample: get them: how many metrics have some, or a negated errno, which is what
 *	shim_record_missing() then says; if there are none, the other two are not called, and the
 *	record is written without them
 * @instances: calls shim_record_instances() for each domain whose instances have changed
 * @values: calls shim_record_values() for each metric; both return 0, or an error that ends the tick
 */
struct shim_record_source {
	int (*sample)(void *arg);
	int (*instances)(void *arg, struct shim_recorder *rec);
	int (*values)(void *arg, struct shim_recorder *rec);
};

/**
 * struct shim_record_metric - a metric, as a pmDesc and its texts
 * @name: whole
 * @pmid: its number
 * @indom: of its instances, or PM_INDOM_NULL
 * @type: PM_TYPE_*
 * @sem: PM_SEM_*
 * @units: as a pmUnits
 * @line: what it is, in one line, or NULL
 * @help: and in more, or NULL
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
 * @inst: its instance, or -1
 * @number: of a number, its bytes from the front on, 4 or 8 as its type has
 * @string: of a string
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
int shim_record_missing(const struct shim_recorder *rec);
uint64_t shim_record_count(const struct shim_recorder *rec);
int shim_record_close(struct shim_recorder *rec);
void shim_record_discard(struct shim_recorder *rec);

#ifdef __cplusplus
}
#endif

#endif /* SHIM_SHIM_H */
