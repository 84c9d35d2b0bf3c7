/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A second reader of Perfetto's trace format, for tests of vcpc's export */
#ifndef SELFTESTS_TOOLS_PERFETTO_H
#define SELFTESTS_TOOLS_PERFETTO_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The rest of a message that is being read */
struct pf_bytes {
	const uint8_t *at;
	size_t len;
};

/* A field: a number, or the bytes of a text or message */
struct pf_field {
	unsigned int number;
	uint64_t value;
	struct pf_bytes bytes;
};

/*
 * struct pf_event - an event of the file
 * @name: empty for the end of a slice
 * @note: name of the event's annotation
 * @noted: value of the annotation; the bits of a double
 * @order: position in the file
 */
struct pf_event {
	unsigned int type;
	uint64_t ns, track;
	char name[300], note[16];
	uint64_t noted;
	double value;
	size_t order;
};

/*
 * A track of the file.  An additional track (@further) belongs to the thread of the track @parent.
 */
struct pf_track {
	uint64_t uuid, parent;
	uint32_t pid, tid;
	bool further, counter;
	char name[300];
};

/*
 * struct pf_trace - a whole file
 * @names: text of each interned name, by number; cleared when the sequence restarts
 * @begins: number of times that a sequence began
 * @bad: part of the file is invalid
 */
struct pf_trace {
	struct pf_event *events;
	struct pf_track *tracks;
	char **names;
	size_t nevents, ntracks, nnames;
	unsigned int begins;
	uint64_t clocks[7], primary;
	bool bad;
};

static inline bool pf_varint(struct pf_bytes *in, uint64_t *value)
{
	*value = 0;
	for (unsigned int shift = 0; in->len && shift < 70; shift += 7) {
		uint8_t byte = *in->at++;

		in->len--;
		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* Read the next field.  Return false at the end of the message, or if the data are not a field. */
static inline bool pf_next(struct pf_bytes *in, struct pf_field *f)
{
	uint64_t key, len = 8;

	*f = (struct pf_field){ 0 };
	if (!pf_varint(in, &key))
		return false;
	f->number = (unsigned int)(key >> 3);
	if ((key & 7) == 0)
		return pf_varint(in, &f->value);
	if ((key & 7) == 2 ? !pf_varint(in, &len) : (key & 7) != 1)
		return false;
	if (len > in->len)
		return false;
	f->bytes = (struct pf_bytes){ in->at, len };
	if ((key & 7) == 1)
		memcpy(&f->value, in->at, 8);	/* tests run on little-endian machines */
	in->at += len;
	in->len -= len;
	return true;
}

static inline void pf_text(const struct pf_field *f, char *text, size_t size)
{
	size_t len = f->bytes.len < size - 1 ? f->bytes.len : size - 1;

	memcpy(text, f->bytes.at, len);
	text[len] = '\0';
}

/* Store the value of field @number in *@value, unless the message lacks the field. */
static inline void pf_get(struct pf_bytes in, unsigned int number, uint64_t *value)
{
	struct pf_field f;

	while (pf_next(&in, &f))
		if (f.number == number)
			*value = f.value;
}

static inline void pf_note(struct pf_event *e, struct pf_bytes in)
{
	struct pf_field f;

	while (pf_next(&in, &f)) {
		if (f.number == 10)
			pf_text(&f, e->note, sizeof(e->note));
		else
			e->noted = f.value;
	}
}

/*
 * Return an array with space for one more than its @n members.  The size is doubled, because with
 * ASan each realloc() copies the array.
 */
static inline void *pf_grow(void *all, size_t n, size_t size)
{
	return n & (n - 1) ? all : realloc(all, (n ? 2 * n : 1) * size);
}

static inline void pf_take_event(struct pf_trace *t, struct pf_bytes in, uint64_t ns)
{
	struct pf_event *e;
	struct pf_field f;

	t->events = pf_grow(t->events, t->nevents, sizeof(*e));
	e = &t->events[t->nevents];
	*e = (struct pf_event){ .ns = ns, .order = t->nevents++ };
	while (pf_next(&in, &f)) {
		if (f.number == 9)
			e->type = (unsigned int)f.value;
		else if (f.number == 11)
			e->track = f.value;
		else if (f.number == 4)
			pf_note(e, f.bytes);
		else if (f.number == 44)
			memcpy(&e->value, &f.value, 8);
		else if (f.number == 10 && f.value < t->nnames && t->names[f.value])
			strncpy(e->name, t->names[f.value], sizeof(e->name) - 1);
		else
			t->bad = true;
	}
	t->bad |= in.len != 0;
}

static inline void pf_take_track(struct pf_trace *t, struct pf_bytes in)
{
	struct pf_track *k;
	struct pf_field f;

	t->tracks = pf_grow(t->tracks, t->ntracks, sizeof(*k));
	k = &t->tracks[t->ntracks++];
	*k = (struct pf_track){ .further = true };
	while (pf_next(&in, &f)) {
		uint64_t pid = 0, tid = 0;

		switch (f.number) {
		case 1: k->uuid = f.value; break;
		case 5: k->parent = f.value; break;
		case 2: pf_text(&f, k->name, sizeof(k->name)); break;
		case 3:
		case 4:
			pf_get(f.bytes, 1, &pid);
			if (f.number == 4)
				pf_get(f.bytes, 2, &tid);
			k->pid = (uint32_t)pid;
			k->tid = (uint32_t)tid;
			k->further = false;
			break;
		case 8: k->counter = true; k->further = false; break;
		default: t->bad = true;
		}
	}
}

static inline void pf_take_name(struct pf_trace *t, struct pf_bytes in)
{
	uint64_t id = 0;
	struct pf_field f;
	char text[300] = "";

	while (pf_next(&in, &f)) {
		if (f.number == 1)
			id = f.value;
		else if (f.number == 2)
			pf_text(&f, text, sizeof(text));
	}
	if (!id || id > 1000000) {
		t->bad = true;
		return;
	}
	while (t->nnames <= id) {
		t->names = pf_grow(t->names, t->nnames, sizeof(*t->names));
		t->names[t->nnames++] = NULL;
	}
	free(t->names[id]);
	t->names[id] = strdup(text);
}

static inline void pf_forget_names(struct pf_trace *t)
{
	for (size_t i = 0; i < t->nnames; i++)
		free(t->names[i]);
	free(t->names);
	t->names = NULL;
	t->nnames = 0;
}

static inline void pf_take_clocks(struct pf_trace *t, struct pf_bytes in)
{
	struct pf_field f;

	while (pf_next(&in, &f)) {
		uint64_t id = 0;

		if (f.number == 2)
			t->primary = f.value;
		if (f.number != 1)
			continue;
		pf_get(f.bytes, 1, &id);
		if (id < 7)
			pf_get(f.bytes, 2, &t->clocks[id]);
	}
}

static inline void pf_take_packet(struct pf_trace *t, struct pf_bytes packet)
{
	uint64_t ns = 0, flags = 0, sequence = 0;
	struct pf_bytes in = packet;
	struct pf_field f;

	pf_get(packet, 8, &ns);
	pf_get(packet, 13, &flags);
	pf_get(packet, 10, &sequence);
	t->bad |= sequence != 1;
	if (flags & 1) {
		pf_forget_names(t);
		t->begins++;
	}
	while (pf_next(&in, &f)) {
		struct pf_bytes inner = f.bytes;
		struct pf_field name;

		if (f.number == 6)
			pf_take_clocks(t, f.bytes);
		else if (f.number == 11)
			pf_take_event(t, f.bytes, ns);
		else if (f.number == 60)
			pf_take_track(t, f.bytes);
		while (f.number == 12 && pf_next(&inner, &name))
			pf_take_name(t, name.bytes);
	}
	t->bad |= in.len != 0;
}

static inline void pf_read(struct pf_trace *t, const void *data, size_t len)
{
	struct pf_bytes in = { data, len };
	struct pf_field f;

	*t = (struct pf_trace){ 0 };
	while (pf_next(&in, &f)) {
		t->bad |= f.number != 1 || !f.bytes.at;
		pf_take_packet(t, f.bytes);
	}
	t->bad |= in.len != 0;
}

static inline void pf_free(struct pf_trace *t)
{
	pf_forget_names(t);
	free(t->events);
	free(t->tracks);
}

static inline const struct pf_track *pf_track(const struct pf_trace *t, uint64_t uuid)
{
	for (size_t i = t->ntracks; i-- > 0;)
		if (t->tracks[i].uuid == uuid)
			return &t->tracks[i];
	return NULL;
}

static inline size_t pf_count(const struct pf_trace *t, unsigned int type, const char *name)
{
	size_t n = 0;

	for (size_t i = 0; i < t->nevents; i++)
		n += t->events[i].type == type && !strcmp(t->events[i].name, name);
	return n;
}

static inline int pf_by_time(const void *a, const void *b)
{
	const struct pf_event *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

/* A slice: each end event belongs to the innermost open begin event of its track */
struct pf_slice {
	const struct pf_event *begin, *end;
	const struct pf_track *thread;
};

static inline const struct pf_track *pf_thread(const struct pf_trace *t, uint64_t uuid)
{
	const struct pf_track *track = pf_track(t, uuid);

	return track && track->further ? pf_track(t, track->parent) : track;
}

/*
 * Sort the events by time.  Store the slices in @out in the order of their ends, followed by those
 * without an end.  Return their number.
 */
static inline size_t pf_slices(struct pf_trace *t, struct pf_slice *out)
{
	size_t *open = malloc((t->nevents + 1) * sizeof(*open)), nopen = 0, n = 0;

	qsort(t->events, t->nevents, sizeof(*t->events), pf_by_time);
	for (size_t i = 0; i < t->nevents; i++) {
		size_t at = nopen;

		if (t->events[i].type == 1)
			open[nopen++] = i;
		if (t->events[i].type != 2)
			continue;
		while (at && t->events[open[at - 1]].track != t->events[i].track)
			at--;
		if (!at) {
			t->bad = true;
			continue;
		}
		out[n++] = (struct pf_slice){ &t->events[open[at - 1]], &t->events[i],
					      pf_thread(t, t->events[i].track) };
		memmove(&open[at - 1], &open[at], (nopen-- - at) * sizeof(*open));
	}
	for (size_t i = 0; i < nopen; i++)
		out[n++] = (struct pf_slice){ &t->events[open[i]], NULL,
					      pf_thread(t, t->events[open[i]].track) };
	free(open);
	return n;
}

#endif /* SELFTESTS_TOOLS_PERFETTO_H */
