// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write individual events in Perfetto's trace format, as track events.
 *
 * The slices of a track must be nested, but transactions of one thread may overlap in any way.
 * Therefore a slice is placed on the thread's own track if it fits between or around the other
 * slices, otherwise on one of the thread's additional tracks.
 *
 * Events arrive when they end.  The reader sorts them by time, and keeps their order in the file if
 * times are equal.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE	/* for tdestroy() */
#endif
#include <errno.h>
#include <math.h>
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "protobuf.h"
#include "trace.h"
#include "trace_export.h"

#define KNOWN_MAX	65536	/* maximum number of names and tracks per sequence */
#define FURTHER_MAX	64	/* additional tracks of a thread; other slices get their own */
#define RECENT		8	/* number of slices with which a new one is compared */
#define PROCESS_UUIDS	(1ull << 32)	/* smaller UUIDs belong to the tracks of events */

/* Field numbers from the definitions of Perfetto's messages */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_CLOCKS = 6, PACKET_TIMESTAMP = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11,
	PACKET_INTERNED = 12, PACKET_FLAGS = 13, PACKET_DEFAULTS = 59, PACKET_TRACK = 60,
};
enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };	/* values of PACKET_FLAGS */
enum { CLOCKS_CLOCK = 1, CLOCKS_PRIMARY = 2, CLOCK_ID = 1, CLOCK_TIMESTAMP = 2 };
enum { ID_REALTIME = 1, ID_MONOTONIC = 3, ID_BOOTTIME = 6 };	/* values of CLOCK_ID */
enum { DEFAULTS_CLOCK = 58 };
enum { INTERNED_NAME = 2, NAME_ID = 1, NAME_TEXT = 2 };
enum {
	TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2 };
enum { EVENT_NOTE = 4, EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11, EVENT_DOUBLE = 44 };
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum { NOTE_BOOL = 2, NOTE_UINT = 3, NOTE_DOUBLE = 5, NOTE_NAME = 10 };

/* struct name - a tag's text, and its number in the file */
struct name {
	uint64_t id;
	const char *text;
	char copy[];
};

/*
 * struct track_key - the purpose of a track
 * @pid: a process
 * @detail: one of its threads, or the ID of a counter's name
 * @index: index of the track among the thread's tracks
 */
struct track_key {
	enum { FOR_PROCESS, FOR_THREAD, FOR_COUNTER, FOR_OBSERVATION } what;
	uint32_t pid;
	uint64_t detail;
	unsigned int index;
};

/*
 * struct track - a track of the file; its key is the first member, for searches
 * @recent: the last @n slices that are not nested in another slice, in ascending order; earlier
 *	slices ended before @floor
 */
struct track {
	struct track_key key;
	uint64_t uuid;
	uint64_t floor;
	unsigned int n;
	struct slice {
		uint64_t start, end;
	} recent[RECENT];
};

/*
 * struct perfetto - a file in progress
 * @names, @tracks: trees, see tsearch(3), with @known entries in total
 * @packet, @event, @note: messages to write; each one contains the next
 */
struct perfetto {
	FILE *out;
	void *names, *tracks;
	size_t known;
	uint64_t last_name, last_uuid;
	struct protobuf packet, event, note;
};

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return strcmp(x->text, y->text);
}

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_key(const void *a, const void *b)
{
	const struct track_key *x = a, *y = b;
	int order = compare(x->what, y->what);

	if (!order)
		order = compare(x->pid, y->pid);
	if (!order)
		order = compare(x->detail, y->detail);
	return order ? order : compare(x->index, y->index);
}

/* Begin a packet of the file's only sequence. */
static struct protobuf *packet_of(struct perfetto *x)
{
	protobuf_clear(&x->packet);
	protobuf_uint(&x->packet, PACKET_SEQUENCE, 1);
	return &x->packet;
}

static int put_packet(struct perfetto *x)
{
	struct protobuf *outer = &x->note;

	protobuf_clear(outer);
	protobuf_message(outer, TRACE_PACKET, &x->packet);
	if (outer->failed)
		return -ENOMEM;
	fwrite(outer->data, 1, outer->len, x->out);
	return 0;
}

static uint64_t now_of(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Write the same instant in several clocks, because times are CLOCK_MONOTONIC. */
static int put_clocks(struct perfetto *x)
{
	static const struct {
		clockid_t clock;
		unsigned int id;
	} clocks[] = {
		{ CLOCK_MONOTONIC, ID_MONOTONIC }, { CLOCK_BOOTTIME, ID_BOOTTIME },
		{ CLOCK_REALTIME, ID_REALTIME },
	};
	struct protobuf *packet = packet_of(x);

	protobuf_clear(&x->event);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		protobuf_clear(&x->note);
		protobuf_uint(&x->note, CLOCK_ID, clocks[i].id);
		protobuf_uint(&x->note, CLOCK_TIMESTAMP, now_of(clocks[i].clock));
		protobuf_message(&x->event, CLOCKS_CLOCK, &x->note);
	}
	protobuf_uint(&x->event, CLOCKS_PRIMARY, ID_MONOTONIC);
	protobuf_message(packet, PACKET_CLOCKS, &x->event);
	return put_packet(x);
}

/* Begin a sequence, in which all names and tracks are new. */
static int begin_sequence(struct perfetto *x)
{
	struct protobuf *packet = packet_of(x);

	tdestroy(x->names, free);
	tdestroy(x->tracks, free);
	x->names = x->tracks = NULL;
	x->known = 0;
	protobuf_uint(packet, PACKET_FLAGS, FLAG_CLEARED);
	protobuf_clear(&x->event);
	protobuf_uint(&x->event, DEFAULTS_CLOCK, ID_MONOTONIC);
	protobuf_message(packet, PACKET_DEFAULTS, &x->event);
	return put_packet(x);
}

static void perfetto_close(void *state)
{
	struct perfetto *x = state;

	tdestroy(x->names, free);
	tdestroy(x->tracks, free);
	protobuf_free(&x->packet);
	protobuf_free(&x->event);
	protobuf_free(&x->note);
	free(x);
}

static void *perfetto_open(FILE *out)
{
	struct perfetto *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	x->out = out;
	if (!put_clocks(x) && !begin_sequence(x))
		return x;
	perfetto_close(x);
	return NULL;
}

static int put_name(struct perfetto *x, const struct name *name)
{
	struct protobuf *packet = packet_of(x);

	protobuf_uint(packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	protobuf_clear(&x->note);
	protobuf_uint(&x->note, NAME_ID, name->id);
	protobuf_text(&x->note, NAME_TEXT, name->text);
	protobuf_clear(&x->event);
	protobuf_message(&x->event, INTERNED_NAME, &x->note);
	protobuf_message(packet, PACKET_INTERNED, &x->event);
	return put_packet(x);
}

static struct name *add_name(struct perfetto *x, const char *text)
{
	size_t len = strlen(text) + 1;
	struct name *name = malloc(sizeof(*name) + len);

	if (!name)
		return NULL;
	name->text = memcpy(name->copy, text, len);
	name->id = ++x->last_name;
	if (!tsearch(name, &x->names, by_text)) {
		free(name);
		return NULL;
	}
	x->known++;
	return name;
}

/* Find or write a tag's text, and set *@id to its number. */
static int name_id(struct perfetto *x, const char *text, uint64_t *id)
{
	const struct name key = { .text = text };
	struct name **found = tfind(&key, &x->names, by_text);
	struct name *name = found ? *found : add_name(x, text);

	if (!name)
		return -ENOMEM;
	*id = name->id;
	return found ? 0 : put_name(x, name);
}

static struct track *add_track(struct perfetto *x, const struct track_key *key)
{
	struct track *track = calloc(1, sizeof(*track));

	if (!track)
		return NULL;
	track->key = *key;
	track->uuid = key->what == FOR_PROCESS ? PROCESS_UUIDS + key->pid : ++x->last_uuid;
	if (!tsearch(track, &x->tracks, by_key)) {
		free(track);
		return NULL;
	}
	x->known++;
	return track;
}

/* Find or add a track. Set *@new if it was added: the caller must then write its description. */
static struct track *track_at(struct perfetto *x, const struct track_key *key, bool *new)
{
	struct track **found = tfind(key, &x->tracks, by_key);

	*new = !found;
	return found ? *found : add_track(x, key);
}

/* Begin the description of a track, in x->event. */
static struct protobuf *describe(struct perfetto *x, uint64_t uuid, uint64_t parent)
{
	protobuf_clear(&x->event);
	protobuf_uint(&x->event, TRACK_UUID, uuid);
	if (parent)
		protobuf_uint(&x->event, TRACK_PARENT, parent);
	protobuf_clear(&x->note);
	return &x->event;
}

static int put_track(struct perfetto *x)
{
	protobuf_message(packet_of(x), PACKET_TRACK, &x->event);
	return put_packet(x);
}

/* Find or write a process's track; @name may be NULL. */
static int process_track(struct perfetto *x, uint32_t pid, const char *name, uint64_t *uuid)
{
	bool new;
	struct track *track = track_at(x, &(struct track_key){ FOR_PROCESS, pid, 0, 0 }, &new);

	if (!track)
		return -ENOMEM;
	*uuid = track->uuid;
	if (!new)
		return 0;
	describe(x, track->uuid, 0);
	protobuf_uint(&x->note, PROCESS_PID, pid);
	if (name)
		protobuf_text(&x->note, PROCESS_NAME, name);
	protobuf_message(&x->event, TRACK_PROCESS, &x->note);
	return put_track(x);
}

static int put_further_track(struct perfetto *x, uint64_t uuid, uint64_t parent)
{
	protobuf_text(describe(x, uuid, parent), TRACK_NAME, "overlapping transactions");
	return put_track(x);
}

static int put_thread(struct perfetto *x, const struct shim_trace_event *event, uint64_t uuid)
{
	uint64_t parent;
	int err = process_track(x, event->pid, NULL, &parent);

	if (err)
		return err;
	describe(x, uuid, parent);
	protobuf_uint(&x->note, THREAD_PID, event->pid);
	protobuf_uint(&x->note, THREAD_TID, event->tid);
	protobuf_message(&x->event, TRACK_THREAD, &x->note);
	return put_track(x);
}

/* Find or write the event's thread's own track. */
static int thread_track(struct perfetto *x, const struct shim_trace_event *event,
			struct track **out)
{
	bool new;

	*out = track_at(x, &(struct track_key){ FOR_THREAD, event->pid, event->tid, 0 }, &new);
	if (!*out)
		return -ENOMEM;
	return new ? put_thread(x, event, (*out)->uuid) : 0;
}

/* Find or create an additional track of the event's thread, whose own track is @parent. */
static int further_track(struct perfetto *x, const struct shim_trace_event *event,
			 uint64_t parent, unsigned int index, struct track **out)
{
	bool new;

	*out = track_at(x, &(struct track_key){ FOR_THREAD, event->pid, event->tid, index }, &new);
	if (!*out)
		return -ENOMEM;
	return new ? put_further_track(x, (*out)->uuid, parent) : 0;
}

static int counter_track(struct perfetto *x, const struct shim_trace_event *event, uint64_t name,
			 uint64_t *uuid)
{
	const struct track_key key = {
		event->op == SHIM_TRACE_OP_COUNTER ? FOR_COUNTER : FOR_OBSERVATION, event->pid, name, 0,
	};
	uint64_t parent;
	bool new;
	int err = process_track(x, event->pid, NULL, &parent);
	struct track *track = err ? NULL : track_at(x, &key, &new);

	if (!track)
		return -ENOMEM;
	*uuid = track->uuid;
	if (!new)
		return 0;
	describe(x, track->uuid, parent);
	protobuf_text(&x->event, TRACK_NAME, event->label);
	protobuf_message(&x->event, TRACK_COUNTER, &x->note);
	return put_track(x);
}

/*
 * Add a slice to a track if all slices on the track end before it or lie within it, and forget the
 * slices within it.  A slice within it must not start at the same time, because it would be
 * mistaken for the outer one.
 */
static bool fits(struct track *track, struct slice new)
{
	unsigned int n = track->n;

	if (new.start < track->floor)
		return false;
	for (; n && track->recent[n - 1].end > new.start; n--)
		if (track->recent[n - 1].start <= new.start || track->recent[n - 1].end > new.end)
			return false;
	if (n == RECENT) {
		track->floor = track->recent[0].end;
		memmove(track->recent, track->recent + 1, --n * sizeof(new));
	}
	track->recent[n++] = new;
	track->n = n;
	return true;
}

/* Find or write a track of the event's thread on which a slice fits. */
static int slice_track(struct perfetto *x, const struct shim_trace_event *event,
		       struct slice slice, uint64_t *uuid)
{
	struct track *track;
	int err = thread_track(x, event, &track);
	uint64_t own;

	if (err)
		return err;
	own = track->uuid;
	for (unsigned int i = 1; !err && !fits(track, slice); i++) {
		if (i > FURTHER_MAX) {
			*uuid = ++x->last_uuid;
			return put_further_track(x, *uuid, own);
		}
		err = further_track(x, event, own, i, &track);
	}
	*uuid = err ? 0 : track->uuid;
	return err;
}

/* Begin an event, in x->event; @name may be 0. */
static void event_begin(struct perfetto *x, unsigned int type, uint64_t uuid, uint64_t name)
{
	protobuf_clear(&x->event);
	protobuf_uint(&x->event, EVENT_TYPE, type);
	protobuf_uint(&x->event, EVENT_TRACK, uuid);
	if (name)
		protobuf_uint(&x->event, EVENT_NAME, name);
	protobuf_clear(&x->note);
}

/* Annotate x->event with x->note, which already has a value. */
static void annotate(struct perfetto *x, const char *name)
{
	protobuf_text(&x->note, NOTE_NAME, name);
	protobuf_message(&x->event, EVENT_NOTE, &x->note);
}

static int put_event(struct perfetto *x, uint64_t ns)
{
	struct protobuf *packet = packet_of(x);

	protobuf_uint(packet, PACKET_TIMESTAMP, ns);
	protobuf_uint(packet, PACKET_FLAGS, FLAG_NEEDS_STATE);
	protobuf_message(packet, PACKET_EVENT, &x->event);
	return put_packet(x);
}

static int put_transaction(struct perfetto *x, const struct shim_trace_event *event, uint64_t name)
{
	bool open = event->op == SHIM_TRACE_OP_BEGIN;
	uint64_t start = open || event->start_ns > event->ns ? event->ns : event->start_ns, uuid;
	int err = slice_track(x, event, (struct slice){ start, open ? UINT64_MAX : event->ns }, &uuid);

	if (err)
		return err;
	event_begin(x, TYPE_BEGIN, uuid, name);
	if (open) {
		protobuf_uint(&x->note, NOTE_BOOL, true);
		annotate(x, "open");
	}
	err = put_event(x, start);
	if (err || open)
		return err;
	event_begin(x, TYPE_END, uuid, 0);
	if (event->op == SHIM_TRACE_OP_ABORT) {
		protobuf_uint(&x->note, NOTE_BOOL, true);
		annotate(x, "aborted");
	}
	return put_event(x, event->ns);
}

static int put_instant(struct perfetto *x, const struct shim_trace_event *event, uint64_t name)
{
	struct track *track;
	int err = thread_track(x, event, &track);

	if (err)
		return err;
	event_begin(x, TYPE_INSTANT, track->uuid, name);
	if (event->op != SHIM_TRACE_OP_POINT) {
		protobuf_double(&x->note, NOTE_DOUBLE, event->value);
		annotate(x, "value");
	}
	return put_event(x, event->ns);
}

/* Write NaN and infinities as instants, because a counter track cannot show them. */
static int put_value(struct perfetto *x, const struct shim_trace_event *event, uint64_t name)
{
	uint64_t uuid;
	int err;

	if (!isfinite(event->value))
		return put_instant(x, event, name);
	err = counter_track(x, event, name, &uuid);
	if (err)
		return err;
	event_begin(x, TYPE_COUNTER, uuid, 0);
	protobuf_double(&x->event, EVENT_DOUBLE, event->value);
	return put_event(x, event->ns);
}

static int perfetto_process(void *state, uint32_t pid, const char *name)
{
	uint64_t uuid;

	return process_track(state, pid, name, &uuid);
}

static int perfetto_event(void *state, const struct shim_trace_event *event)
{
	struct perfetto *x = state;
	uint64_t name;
	int err = x->known >= KNOWN_MAX ? begin_sequence(x) : 0;

	if (!err)
		err = name_id(x, event->label, &name);
	if (err)
		return err;
	switch (event->op) {
	case SHIM_TRACE_OP_POINT:
		return put_instant(x, event, name);
	case SHIM_TRACE_OP_OBSERVE:
	case SHIM_TRACE_OP_COUNTER:
		return put_value(x, event, name);
	default:
		return put_transaction(x, event, name);
	}
}

/* Show lost events on the track of the whole trace, whose UUID is 0. */
static int perfetto_end(void *state, uint64_t lost)
{
	struct perfetto *x = state;
	uint64_t name;
	int err;

	if (!lost)
		return 0;
	err = name_id(x, "events lost", &name);
	if (err)
		return err;
	event_begin(x, TYPE_INSTANT, 0, name);
	protobuf_uint(&x->note, NOTE_UINT, lost);
	annotate(x, "lost");
	return put_event(x, now_of(CLOCK_MONOTONIC));
}

const struct trace_format trace_perfetto = {
	"perfetto", perfetto_open, perfetto_process, perfetto_event, perfetto_end, perfetto_close,
};
