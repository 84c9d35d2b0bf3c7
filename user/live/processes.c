// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics for counters of selected processes.
 *
 * Each line "processes" of the configuration becomes one set, which is bound to all threads of
 * every process whose command matches the line's pattern. /proc is searched for such processes at
 * most once per second.  The command of a process that did not match at the previous search is read
 * again only at every RECHECK-th search; it changes if the process executes another program.
 * Processes that could not be counted are also tried again at every RECHECK-th search.
 *
 * Any user can start a program whose name matches a pattern.  If the limits do not permit counting
 * all of them, entries, counters of the module, and file descriptors are divided among users
 * (proc.c).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/vec.h"
#include "core/clock.h"
#include "core/counters.h"
#include "proc.h"
#include "processes.h"
#include "users.h"

#define SEARCH_NS	1000000000ull
#define RECHECK		8
#define RESERVE		64	/* number of file descriptors left for the rest of the program */

union room {
	struct vcpc_sample sample;
	uint64_t words[sizeof(struct vcpc_sample) / sizeof(uint64_t) + SHIM_CONFIG_EVENTS];
};

/* One counted process. samples[] has one entry per set; size 0 means no values. */
struct process {
	struct shim_proc id;
	uid_t user;
	uint64_t sets;		/* bit mask of the sets bound to it */
	uint64_t cost;		/* counters per thread of those sets, as the module accounts them */
	union room *samples;
};

/* One line of the configuration */
struct set {
	struct shim_counters *counters;	/* NULL until it is created */
	const struct shim_config_line *line;
	unsigned int metrics[SHIM_CONFIG_EVENTS];	/* index of each event's metric */
	int status;
	unsigned int failed;	/* number of the search at which a process failed */
};

struct shim_live_processes {
	struct shim_config config;	/* a copy to which the sets point */
	struct shim_session *session;
	struct set sets[SHIM_CONFIG_LINES];
	unsigned int nsets;
	struct shim_count_table metrics;
	struct process *all;		/* in ascending order of numbers */
	size_t n, room;
	pid_t *seen;			/* all processes at the last search, in ascending order */
	size_t nseen, seen_room;
	uint64_t searched;		/* CLOCK_MONOTONIC time of the last search, or 0 */
	unsigned int searches;
	int status;			/* result of the last search */
};

_Static_assert(SHIM_CONFIG_LINES <= 64, "a word must have a bit for each line's set");

/**
 * shim_live_processes__create() - create the metrics of a configuration, without counting anything
 * yet
 * @config: the configuration, which is copied; lines about CPUs are ignored
 * @out: written on success
 *
 * Return: 0, -EEXIST (two events have the same metric name), -EINVAL, -ENAMETOOLONG (a name),
 * -ENOMEM.
 */
int shim_live_processes__create(const struct shim_config *config, struct shim_live_processes **out)
{
	struct shim_live_processes *p = calloc(1, sizeof(*p));
	int ret = p ? shim_config__copy(&p->config, config, true) : -ENOMEM;

	if (!ret)
		ret = shim_count_table__init(&p->metrics, &p->config, true);
	for (unsigned int i = 0; !ret && i < p->config.n; i++) {
		p->sets[i] = (struct set) {
			.line = &p->config.lines[i], .status = -EAGAIN,
		};
		p->nsets++;
		ret = shim_count_table__add(&p->metrics, &p->config.lines[i], p->sets[i].metrics);
	}
	if (ret)
		shim_live_processes__destroy(p);
	else
		*out = p;
	return ret;
}

void shim_live_processes__destroy(struct shim_live_processes *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; i < p->nsets; i++)
		shim_counters__put(p->sets[i].counters);
	if (p->session)
		shim_session__close(p->session);
	for (size_t i = 0; i < p->n; i++)
		free(p->all[i].samples);
	shim_config__fini(&p->config);
	free(p->metrics.all);
	free(p->all);
	free(p->seen);
	free(p);
}

int shim_live_processes__find(const struct shim_live_processes *p, int pid)
{
	/* The number is the first member of a process. */
	const struct process *one = p->n ? bsearch(&pid, p->all, p->n, sizeof(*p->all),
							    shim_proc__by_pid) : NULL;

	return one ? (int)(one - p->all) : -1;
}

/* Return the bit mask of the sets whose pattern matches a command. */
static uint64_t matching(const struct shim_live_processes *p, const char *command)
{
	uint64_t sets = 0;

	for (unsigned int i = 0; i < p->nsets; i++)
		if (!fnmatch(p->sets[i].line->command, command, 0))
			sets |= 1ull << i;
	return sets;
}

static void remove_at(struct shim_live_processes *p, size_t at)
{
	struct process *one = &p->all[at];

	for (unsigned int i = 0; i < p->nsets; i++)
		if (one->sets >> i & 1)
			shim_counters__unbind_at(p->sets[i].counters, one->id.pid, SHIM_TARGET_F_ALL);
	free(one->samples);
	memmove(one, one + 1, (p->n - at - 1) * sizeof(*one));
	p->n--;
}

/*
 * Return the number of available file descriptors, minus RESERVE.  perf needs some for each thread
 * of a process.  The highest open descriptor does not show how many are left, because counters get
 * descriptors from the end of the range.
 */
static rlim_t files_left(void)
{
	DIR *dir = opendir("/proc/self/fd");
	struct rlimit limit;
	rlim_t n = RESERVE;

	if (!dir)
		return errno == EMFILE ? 0 : RLIM_INFINITY;
	while (readdir(dir))
		n++;
	closedir(dir);
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return RLIM_INFINITY;
	return n < limit.rlim_cur ? limit.rlim_cur - n : 0;
}

static int bind_set(const struct set *set, pid_t pid)
{
	int bad, ret = shim_counters__bind(set->counters, pid,
					   SHIM_BIND_F_PROCESS | VCPC_BIND_F_INHERIT, &bad);

	if (ret || files_left())
		return ret;
	shim_counters__unbind_at(set->counters, pid, SHIM_TARGET_F_ALL);
	return -EMFILE;
}

/* Record that a process cannot be counted or is no longer counted. */
static void fail(const struct shim_live_processes *p, struct set *set, int err)
{
	if (err == -ESRCH)
		return;
	set->status = err;
	set->failed = p->searches;
}

/* Shared resources: each process uses a place, and counters or descriptors */
enum room_of { PLACES, COUNTERS };

/*
 * Return the index of the process to remove so that @user can have @need more, or -1 if there is
 * none.
 */
static long victim_for(const struct shim_live_processes *p, enum room_of what, uid_t user, uint64_t need)
{
	struct shim_share shares[SHIM_PROCESSES_MAX + 1];

	for (size_t i = 0; i < p->n; i++)
		shares[i] = (struct shim_share) {
			.user = p->all[i].user, .age = p->all[i].id.start,
			.size = what == PLACES ? 1 : p->all[i].cost * p->all[i].id.threads,
		};
	return shim_shares__victim(shares, p->n, user, need);
}

static bool displace(struct shim_live_processes *p, enum room_of what, uid_t user, uint64_t need)
{
	long victim = victim_for(p, what, user, need);

	if (victim >= 0)
		remove_at(p, (size_t)victim);
	return victim >= 0;
}

/* Return the cost of all processes, according to the number of threads at the last search. */
static uint64_t cost_of_all(const struct shim_live_processes *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->n; i++)
		sum += p->all[i].cost * p->all[i].id.threads;
	return sum;
}

/*
 * Return whether a bind failed because the resources left are insufficient, and not for another
 * reason.
 */
static bool is_short(const struct shim_live_processes *p, int err, uint64_t need)
{
	return err == -EMFILE ? files_left() < need :
	       err == -EUSERS ? shim_live_users__counters_left(cost_of_all(p)) < need : false;
}

/* Bind a set to a process, replacing others if necessary. */
static void bind_shared(struct shim_live_processes *p, pid_t pid, unsigned int i)
{
	const struct process one = p->all[shim_live_processes__find(p, pid)];
	struct set *set = &p->sets[i];
	uint64_t cost = set->line->n + 1, need = cost * one.id.threads;
	int ret = bind_set(set, pid);

	while (ret && is_short(p, ret, need) && displace(p, COUNTERS, one.user, need))
		ret = bind_set(set, pid);
	if (ret) {
		fail(p, set, ret);
		return;
	}
	/* The process's index may have changed, because other processes were removed. */
	p->all[shim_live_processes__find(p, pid)].sets |= 1ull << i;
	p->all[shim_live_processes__find(p, pid)].cost += cost;
}

/*
 * Bind the given sets to a process as far as possible, and remove the process if none could be
 * bound.  Evict another process only if a set was bound to this one.
 */
static void bind_sets(struct shim_live_processes *p, pid_t pid, uint64_t sets)
{
	size_t at;

	for (unsigned int i = 0; i < p->nsets; i++)
		if (sets >> i & 1 && p->sets[i].counters)
			bind_shared(p, pid, i);
	at = (size_t)shim_live_processes__find(p, pid);
	if (!p->all[at].sets ||
	    (p->n > SHIM_PROCESSES_MAX && !displace(p, PLACES, p->all[at].user, 0)))
		remove_at(p, at);
}

/*
 * Add a process without sets.  If all places are in use, this is possible only if another user has
 * more of them.
 */
static int process_add(struct shim_live_processes *p, const struct shim_proc *id)
{
	struct process one = { .id = *id };
	int at, ret = shim_proc__user(id->pid, &one.user);

	if (!ret && p->n >= SHIM_PROCESSES_MAX && victim_for(p, PLACES, one.user, 1) < 0)
		ret = -EUSERS;
	if (ret)
		return ret;
	one.samples = calloc(p->nsets, sizeof(*one.samples));
	if (!one.samples || shim_vec__room(p->all, &p->room, p->n)) {
		free(one.samples);
		return -ENOMEM;
	}
	at = (int)p->n;
	while (at && p->all[at - 1].id.pid > id->pid)
		at--;
	memmove(&p->all[at + 1], &p->all[at], (p->n - at) * sizeof(one));
	p->all[at] = one;
	p->n++;
	return 0;
}

/* Record that a process could not be examined, so it is unknown which sets match it. */
static void fail_unknown(struct shim_live_processes *p, uint64_t sets, int err)
{
	/* Not a failure: the process has ended, is hidden from this user, or has no place. */
	if (err == -ENOENT || err == -EINVAL || err == -EACCES || err == -EPERM || err == -EUSERS)
		return;
	for (unsigned int i = 0; i < p->nsets; i++)
		if (sets >> i & 1)
			fail(p, &p->sets[i], err);
}

/* Examine a process found in /proc.  It may already be counted, be new, or match no pattern. */
static void look_at(struct shim_live_processes *p, pid_t pid, bool is_new)
{
	int at = shim_live_processes__find(p, pid);
	bool has_turn = is_new || (p->searches + (unsigned int)pid) % RECHECK == 0;
	struct shim_proc id = { 0 };
	uint64_t sets;
	int err;

	if (at < 0 && !has_turn)
		return;
	err = shim_proc__read(pid, &id);
	if (err) {
		fail_unknown(p, UINT64_MAX, err);
		return;
	}
	sets = matching(p, id.command);
	if (at >= 0 && id.start == p->all[at].id.start && !strcmp(id.command, p->all[at].id.command)) {
		p->all[at].id.threads = id.threads;
		if (has_turn) {
			/*
			 * On failure the process keeps its previous user until it is examined
			 * again.
			 */
			shim_proc__user(pid, &p->all[at].user);
			bind_sets(p, pid, sets & ~p->all[at].sets);
		}
		return;
	}
	if (at >= 0)
		remove_at(p, at);
	err = sets ? process_add(p, &id) : 0;
	if (err)
		fail_unknown(p, sets, err);
	else if (sets)
		bind_sets(p, pid, sets);
}

static bool has(const pid_t *pids, size_t n, pid_t pid)
{
	return n && bsearch(&pid, pids, n, sizeof(*pids), shim_proc__by_pid);
}

/* Find processes that have started or ended since the last search. */
static int process_search(struct shim_live_processes *p)
{
	pid_t *pids;
	size_t n;
	int ret = shim_proc__list(&pids, &n);

	/* Even after an error, release the counters of processes that have ended. */
	for (size_t i = p->n; i--; )
		if (ret ? kill(p->all[i].id.pid, 0) && errno == ESRCH : !has(pids, n, p->all[i].id.pid))
			remove_at(p, i);
	if (ret) {
		free(pids);
		return ret;
	}
	for (size_t i = 0; i < n; i++)
		look_at(p, pids[i], !has(p->seen, p->nseen, pids[i]));
	free(p->seen);
	p->seen = pids;
	p->nseen = n;
	p->searches++;
	return 0;
}

static int process_begin(struct shim_live_processes *p, struct set *set)
{
	struct vcpc_request reqs[SHIM_CONFIG_EVENTS];
	int ret = p->session ? 0 : shim_session__open(&p->session), bad;

	if (!ret)
		ret = shim_count_requests__of(set->line, reqs);
	if (!ret)
		ret = shim_counters__create(p->session, reqs, set->line->n, 0, &bad, &set->counters);
	/* Processes that existed before may match now. */
	if (!ret)
		p->nseen = 0;
	return ret;
}

/*
 * Sum up a process's threads.  If a set has no sample, because another program took its counters or
 * the process is ending, it is bound again later and counts from 0.
 */
static void sample_one(struct shim_live_processes *p, struct process *one)
{
	for (unsigned int i = 0; i < p->nsets; i++) {
		union room *room = &one->samples[i];
		struct set *set = &p->sets[i];
		int ret = one->sets >> i & 1 ?
			  shim_counters__sample_at(set->counters, one->id.pid, VCPC_SAMPLE_F_TOTAL,
						   &room->sample, sizeof(*room)) : -ESRCH;

		if (!ret)
			continue;
		room->sample.size = 0;
		if (!(one->sets >> i & 1))
			continue;
		shim_counters__unbind_at(set->counters, one->id.pid, SHIM_TARGET_F_ALL);
		one->sets &= ~(1ull << i);
		one->cost -= set->line->n + 1;
		fail(p, set, ret);
	}
}

/*
 * Search if the last search was long enough ago.  Forget errors from counting processes after every
 * process has been tried again.
 */
static void search_in_time(struct shim_live_processes *p)
{
	uint64_t now = shim_clock__ns();

	if (p->nseen && now - p->searched < SEARCH_NS)
		return;
	for (unsigned int i = 0; i < p->nsets; i++)
		if (p->sets[i].counters && p->searches - p->sets[i].failed > RECHECK)
			p->sets[i].status = 0;
	p->status = process_search(p);
	p->searched = now;
}

/* In a forked child, drop the parent's sets without affecting their counting. */
static void begin_anew(struct shim_live_processes *p)
{
	for (unsigned int i = 0; i < p->nsets; i++) {
		shim_counters__put(p->sets[i].counters);
		p->sets[i].counters = NULL;
	}
	shim_session__close(p->session);
	p->session = NULL;
	while (p->n)
		free(p->all[--p->n].samples);
	p->nseen = 0;
}

static bool is_of_parent(const struct shim_live_processes *p)
{
	for (unsigned int i = 0; i < p->nsets; i++)
		if (p->sets[i].counters && !shim_counters__is_own(p->sets[i].counters))
			return true;
	return false;
}

/* Sample all processes.  Errors are not returned but stored as the status of the set's metrics. */
void shim_live_processes__sample(struct shim_live_processes *p)
{
	if (is_of_parent(p))
		begin_anew(p);
	for (unsigned int i = 0; i < p->nsets; i++)
		if (!p->sets[i].counters)
			p->sets[i].status = process_begin(p, &p->sets[i]);
	if (p->nsets)
		search_in_time(p);
	for (size_t i = p->n; i--; ) {
		sample_one(p, &p->all[i]);
		if (!p->all[i].sets)
			remove_at(p, i);
	}
}

const struct shim_metric *shim_live_processes__metric(const struct shim_live_processes *p, size_t i)
{
	if (!p->nsets || i > p->metrics.n)
		return NULL;
	return i ? &p->metrics.all[i - 1].metric : &shim_live_process_time;
}

/* Return the index of a metric's event in a set, or -1; 0 for the CPU time, which every set has. */
static int event_of(const struct set *set, size_t metric)
{
	for (unsigned int k = 0; k < set->line->n; k++)
		if (!metric || set->metrics[k] == metric - 1)
			return (int)k;
	return -1;
}

/*
 * Return the status of a metric.  If any process has values, ignore the failures of other processes
 * and sets.
 */
int shim_live_processes__status(const struct shim_live_processes *p, size_t metric)
{
	int first = 0;

	for (unsigned int i = 0; i < p->nsets; i++) {
		if (event_of(&p->sets[i], metric) < 0)
			continue;
		for (size_t k = 0; k < p->n; k++)
			if (p->all[k].sets >> i & 1)
				return 0;
		first = first ? first : p->sets[i].status;
	}
	return first ? first : p->status;
}

unsigned int shim_live_processes__n(const struct shim_live_processes *p)
{
	return (unsigned int)p->n;
}

int shim_live_processes__name(const struct shim_live_processes *p, unsigned int i, char *command,
			      size_t size)
{
	snprintf(command, size, "%s", p->all[i].id.command);
	return p->all[i].id.pid;
}

/*
 * Get a metric's value in a process.  If a command matches several lines with the event, use the
 * count of the first line.
 */
bool shim_live_processes__value(const struct shim_live_processes *p, size_t metric, unsigned int i,
				struct shim_value *value)
{
	const struct process *one = &p->all[i];

	for (unsigned int s = 0; s < p->nsets; s++) {
		const struct vcpc_sample *sample = &one->samples[s].sample;
		int event = sample->size ? event_of(&p->sets[s], metric) : -1;

		if (event < 0)
			continue;
		value->inst = one->id.pid;
		value->type = SHIM_TYPE_U64;
		value->ull = metric ? sample->values[event] : sample->tick;
		return true;
	}
	return false;
}
