// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record which files all processes map, because a process may exit before its maps are read.
 *
 * The kernel writes the events into a ring for each CPU: perf_event_open(2), PERF_RECORD_MMAP2 and
 * others.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <search.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols_parts.h"

#define RING_BYTES	(256u << 10)	/* size of a CPU's ring, unless a page is larger */
#define MOST_RECORD	(PATH_MAX + 256)	/* maximum size of a record in bytes */
#define MOST_EVENTS	(1u << 17)
#define MOST_ORIGINS	4096
#define MOST_OF_PROCESS	1024	/* maximum number of a process's events after pruning */

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

struct symbols_events {
	size_t nrings;
	struct ring *rings;
	size_t n;
	size_t room;
	size_t norigins;
	struct symbols_event *at;
	void *origins;		/* tree of struct symbols_origin */
	unsigned long lost;
	char record[1 << 16];	/* a copy of a record that wraps around */
};

/* The kinds of records that are read; their sizes include the time at their end */
union record {
	struct perf_event_header header;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, length, offset;
		union {
			struct {
				uint32_t major, minor;
				uint64_t inode, generation;
			};
			struct {
				uint8_t id_size, reserved[3];
				uint8_t id[SYMBOLS_BUILD_ID];
			};
		};
		uint32_t protection, flags;
		char path[];
	} mapped;
	struct {
		struct perf_event_header header;
		uint32_t pid, parent, tid, parent_tid;
	} forked;
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} named;
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} lost;
};

static size_t page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static size_t ring_size(void)
{
	return page_size() > RING_BYTES ? page_size() : RING_BYTES;
}

/* Return 0, or an errno. */
static int ring_open(struct ring *ring, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME, .sample_id_all = 1, .exclude_kernel = 1,
		.mmap = 1, .mmap2 = 1, .build_id = 1, .task = 1, .comm = 1, .comm_exec = 1,
		.watermark = 1, .wakeup_watermark = UINT32_MAX,
	};
	int err;

	ring->fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd < 0)
		return errno;
	ring->page = mmap(NULL, page_size() + ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED,
			  ring->fd, 0);
	if (ring->page != MAP_FAILED)
		return 0;
	err = errno;
	close(ring->fd);
	return err;
}

/**
 * symbols_events_open() - start recording
 *
 * Return: a handle, or NULL with errno.
 */
struct symbols_events *symbols_events_open(void)
{
	struct symbols_events *events = calloc(1, sizeof(*events));
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int err = 0;

	if (!events)
		return NULL;
	events->rings = calloc(cpus, sizeof(*events->rings));
	if (!events->rings)
		err = ENOMEM;
	for (int cpu = 0; cpu < cpus && !err; cpu++) {
		err = ring_open(&events->rings[events->nrings], cpu);
		events->nrings += !err;
		if (err == ENODEV)	/* the CPU is offline */
			err = 0;
	}
	if (!err)
		return events;
	symbols_events_close(events);
	errno = err;
	return NULL;
}

static struct symbols_event *new_event(struct symbols_events *events)
{
	if (events->n == events->room) {
		size_t room = events->room ? 2 * events->room : 1024;
		struct symbols_event *at = room > MOST_EVENTS ? NULL :
					   reallocarray(events->at, room, sizeof(*at));

		if (!at) {
			events->lost++;
			return NULL;
		}
		events->at = at;
		events->room = room;
	}
	return &events->at[events->n++];
}

static int compare_origins(const void *a, const void *b)
{
	const struct symbols_origin *left = a, *right = b;
	int order = memcmp(left->id, right->id, sizeof(left->id));

	if (!order && left->dev != right->dev)
		order = left->dev < right->dev ? -1 : 1;
	if (!order && left->ino != right->ino)
		order = left->ino < right->ino ? -1 : 1;
	return order ? order : strcmp(left->path, right->path);
}

/*
 * Return the stored file that equals @wanted, after storing it if necessary, or NULL.  The caller
 * must pass it to drop_origin().
 */
static struct symbols_origin *intern_origin(struct symbols_events *events,
					    const struct symbols_origin *wanted)
{
	size_t size = sizeof(*wanted) + strlen(wanted->path) + 1;
	struct symbols_origin **found = tfind(wanted, &events->origins, compare_origins);
	struct symbols_origin *origin;

	if (found) {
		(*found)->users++;
		return *found;
	}
	origin = events->norigins < MOST_ORIGINS ? malloc(size) : NULL;
	if (origin)
		memcpy(origin, wanted, size);
	if (origin && tsearch(origin, &events->origins, compare_origins)) {
		events->norigins++;
		origin->users = 1;
		return origin;
	}
	free(origin);
	events->lost++;
	return NULL;
}

static void drop_origin(struct symbols_events *events, struct symbols_origin *origin)
{
	if (!origin || --origin->users)
		return;
	tdelete(origin, &events->origins, compare_origins);
	events->norigins--;
	free(origin);
}

static void take_mapped(struct symbols_events *events, const union record *record,
			struct symbols_event event)
{
	char room[sizeof(struct symbols_origin) + 4096] __attribute__((aligned(8)));
	struct symbols_origin *origin = (void *)room;
	size_t path = record->header.size - offsetof(union record, mapped.path);
	struct symbols_event *to;

	if ((record->mapped.path[0] != '/' && strcmp(record->mapped.path, SYMBOLS_VDSO)) || path > 4096)
		return;
	memset(origin, 0, sizeof(*origin));
	memcpy(origin->path, record->mapped.path, path);
	origin->path[path - 1] = '\0';
	origin->has_id = record->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID;
	if (origin->has_id) {
		if (record->mapped.id_size <= SYMBOLS_BUILD_ID)
			memcpy(origin->id, record->mapped.id, record->mapped.id_size);
	} else {
		origin->dev = makedev(record->mapped.major, record->mapped.minor);
		origin->ino = record->mapped.inode;
	}
	origin->file = SYMBOLS_UNOPENED;
	event.pid = record->mapped.pid;
	event.start = record->mapped.start;
	event.end = event.start + record->mapped.length;
	event.offset = record->mapped.offset;
	event.origin = intern_origin(events, origin);
	to = event.origin ? new_event(events) : NULL;
	if (to)
		*to = event;
	else
		drop_origin(events, event.origin);
}

static void take_record(struct symbols_events *events, const union record *record)
{
	struct symbols_event event = { 0 }, *to = NULL;

	memcpy(&event.time, (const char *)record + record->header.size - sizeof(event.time),
	       sizeof(event.time));
	if (record->header.type == PERF_RECORD_MMAP2) {
		take_mapped(events, record, event);
	} else if (record->header.type == PERF_RECORD_LOST) {
		events->lost += record->lost.lost;
	} else if (record->header.type == PERF_RECORD_FORK &&
		   record->forked.pid != record->forked.parent) {
		event.pid = record->forked.pid;
		event.parent = record->forked.parent;
		to = new_event(events);
	} else if (record->header.type == PERF_RECORD_COMM &&
		   record->header.misc & PERF_RECORD_MISC_COMM_EXEC) {
		event.pid = record->named.pid;
		to = new_event(events);
	}
	if (to)
		*to = event;
}

/*
 * If a ring is full, the kernel counts the lost records, but writes their number only before the
 * next record.  Therefore, a ring that may have been full counts as a loss.
 */
static void ring_read(struct symbols_events *events, struct ring *ring)
{
	const size_t size = ring_size();
	const char *data = (const char *)ring->page + page_size();
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t at = ring->page->data_tail;

	events->lost += head - at > size - MOST_RECORD;
	while (at != head) {
		const struct perf_event_header *header = (const void *)(data + at % size);
		size_t length = header->size, first = size - at % size;
		const void *record = header;

		if (length > first) {
			memcpy(events->record, header, first);
			memcpy(events->record + first, data, length - first);
			record = events->record;
		}
		take_record(events, record);
		at += length;
	}
	__atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
}

static int compare_events(const void *a, const void *b)
{
	const struct symbols_event *left = a, *right = b;

	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return left->time < right->time ? -1 : left->time > right->time;
}

/** symbols_events_read() - read the events that the kernel has recorded since the last call */
void symbols_events_read(struct symbols_events *events)
{
	size_t before = events->n;

	for (size_t i = 0; i < events->nrings; i++)
		ring_read(events, &events->rings[i]);
	if (events->n > before)
		qsort(events->at, events->n, sizeof(*events->at), compare_events);
}

/**
 * symbols_events_of() - get the events of a process
 * @events: the handle
 * @pid: the process
 * @n: number of events
 *
 * Return: the events, in the order of their times.
 */
const struct symbols_event *symbols_events_of(const struct symbols_events *events, pid_t pid,
					      size_t *n)
{
	size_t from = 0, to = events->n;

	while (from < to) {
		size_t middle = (from + to) / 2;

		if (events->at[middle].pid < pid)
			from = middle + 1;
		else
			to = middle;
	}
	while (to < events->n && events->at[to].pid == pid)
		to++;
	*n = to - from;
	return &events->at[from];
}

/** symbols_exited() - return whether a process does not exist */
bool symbols_exited(pid_t pid)
{
	return kill(pid, 0) && errno == ESRCH;
}

/* Return whether an event is needed; @newer: number of later events of its process. */
static bool is_needed(struct symbols_events *events, struct symbols_event *event, bool exited,
		      size_t newer)
{
	if (exited && event->exited)
		return false;
	event->exited = exited;
	events->lost += newer >= MOST_OF_PROCESS;
	return newer < MOST_OF_PROCESS;
}

/**
 * symbols_events_prune() - drop the events of exited processes, if there are many
 * @events: the handle
 * @keep: returns true for an exited process whose events are needed
 * @arg: its argument
 *
 * A process may have been of interest after the caller last checked and before it exited.
 * Therefore, only events of processes that had exited at the previous call are dropped.  Many events
 * of one process are dropped even if it is running; otherwise it could exceed the limits alone.
 */
void symbols_events_prune(struct symbols_events *events, bool (*keep)(const void *arg, pid_t pid),
			  const void *arg)
{
	size_t n = 0, end;

	if (events->n < MOST_EVENTS / 2 && events->norigins < MOST_ORIGINS / 2)
		return;
	for (size_t i = 0; i < events->n; i = end) {
		pid_t pid = events->at[i].pid;
		bool exited = !keep(arg, pid) && symbols_exited(pid);

		for (end = i; end < events->n && events->at[end].pid == pid; end++)
			;
		for (; i < end; i++) {
			if (is_needed(events, &events->at[i], exited, end - 1 - i))
				events->at[n++] = events->at[i];
			else
				drop_origin(events, events->at[i].origin);
		}
	}
	events->n = n;
}

/** symbols_events_lost() - get the number of events that did not fit */
unsigned long symbols_events_lost(const struct symbols_events *events)
{
	return events->lost;
}

static void forget_file(const void *node, VISIT visit, int level)
{
	(void)level;
	if (visit == preorder || visit == leaf)
		(*(struct symbols_origin *const *)node)->file = SYMBOLS_UNOPENED;
}

/** symbols_events_restart() - forget which files are open, and the losses */
void symbols_events_restart(struct symbols_events *events)
{
	twalk(events->origins, forget_file);
	events->lost = 0;
}

/** symbols_events_close() - stop recording; @events may be NULL */
void symbols_events_close(struct symbols_events *events)
{
	if (!events)
		return;
	for (size_t i = 0; i < events->nrings; i++) {
		munmap(events->rings[i].page, page_size() + ring_size());
		close(events->rings[i].fd);
	}
	tdestroy(events->origins, free);
	free(events->rings);
	free(events->at);
	free(events);
}
