// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Store the tags that a reader has seen, with their names and labels.
 *
 * An ID is never reused for another name, so known tags need not be read again.  Because the number
 * of IDs is unlimited, the caller occasionally makes this file forget all tags.
 */
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "base/vec.h"
#include "bpf_stat.h"
#include "bpf_tags.h"

void shim_bpf_tags__init(struct shim_bpf_tags *t)
{
	*t = (struct shim_bpf_tags) { .fd = -1 };
	shim_hash__init(&t->ids);
	shim_hash__init(&t->names);
	shim_hash__init(&t->owners);
	shim_hash__init(&t->slots);
}

static uint64_t hash_of_id(const struct shim_bpf_tags *t, uint64_t id)
{
	return shim_hash__bytes(&t->ids, &id, sizeof(id));
}

static uint64_t hash_of_name(const struct shim_bpf_tags *t, const char *name)
{
	return shim_hash__bytes(&t->names, name, strlen(name));
}

static uint64_t hash_of_owner(const struct shim_bpf_tags *t, const char *name, uint32_t user)
{
	return shim_hash__bytes(&t->owners, name, strlen(name)) ^ shim_hash__u32(&t->owners, user);
}

static struct shim_bpf_known *of_owner(struct shim_hnode *node, const char *name, uint32_t user)
{
	for (; node; node = shim_hash__next(node)) {
		struct shim_bpf_known *known =
			shim_hnode__entry(node, struct shim_bpf_known, by_owner);

		if (known->tag.user == user && !strcmp(known->tag.name, name))
			return known;
	}
	return NULL;
}

/* Find the first, or the next, tag with this name and user.  Return NULL if no tag is left. */
struct shim_bpf_known *shim_bpf_tags__first(const struct shim_bpf_tags *t, const char *name,
					    uint32_t user)
{
	return of_owner(shim_hash__first(&t->owners, hash_of_owner(t, name, user)), name, user);
}

struct shim_bpf_known *shim_bpf_tags__next(const struct shim_bpf_known *known)
{
	return of_owner(shim_hash__next(&known->by_owner), known->tag.name, known->tag.user);
}

/* Find the first tag with this name, starting at @node.  Return NULL if no tag has it. */
static struct shim_bpf_known *of_name(struct shim_hnode *node, const char *name)
{
	for (; node; node = shim_hash__next(node)) {
		struct shim_bpf_known *known =
			shim_hnode__entry(node, struct shim_bpf_known, by_name);

		if (!strcmp(known->tag.name, name))
			return known;
	}
	return NULL;
}

static struct shim_bpf_known *find_id(const struct shim_bpf_tags *t, uint64_t id)
{
	struct shim_hnode *node = shim_hash__first(&t->ids, hash_of_id(t, id));

	for (; node; node = shim_hash__next(node)) {
		struct shim_bpf_known *known =
			shim_hnode__entry(node, struct shim_bpf_known, by_id);

		if (known->id == id)
			return known;
	}
	return NULL;
}

/* Return whether a name ends in "@" and digits, like a label. */
static int ends_like_label(const char *name)
{
	const char *at = strrchr(name, '@');

	return at && at[1] && !at[1 + strspn(at + 1, "0123456789")];
}

/**
 * shim_bpf__label() - make a label that is unique even if other users' tags have the same name
 * @label: written
 * @name: the tag's name
 * @user: user ID of the tag's owner
 * @several: whether several users have a tag with that name
 */
void shim_bpf__label(char label[SHIM_LABEL_LEN], const char *name, uint32_t user, int several)
{
	if (several || ends_like_label(name))
		snprintf(label, SHIM_LABEL_LEN, "%s@%u", name, user);
	else
		snprintf(label, SHIM_LABEL_LEN, "%s", name);
}

/*
 * Label a new tag.  If other users have tags with its name, add the user to their labels.
 * Therefore a tag's label changes at most once, regardless of the number of users.
 */
static void label(struct shim_bpf_tags *t, struct shim_bpf_known *new)
{
	struct shim_bpf_tag *tag = &new->tag;
	struct shim_bpf_known *same = shim_bpf_tags__first(t, tag->name, tag->user);
	struct shim_bpf_known *other =
		of_name(shim_hash__first(&t->names, hash_of_name(t, tag->name)), tag->name);

	new->several = same ? same->several : other != NULL;
	shim_bpf__label(tag->label, tag->name, tag->user, new->several);
	for (; new->several && other && !other->several;
	     other = of_name(shim_hash__next(&other->by_name), tag->name)) {
		other->several = 1;
		shim_bpf__label(other->tag.label, other->tag.name, other->tag.user, 1);
	}
}

/* Add a tag to all tables or to none.  Return 0 or -ENOMEM. */
static int tag_add(struct shim_bpf_tags *t, struct shim_bpf_known *known)
{
	const struct {
		struct shim_hash *table;
		struct shim_hnode *node;
		uint64_t hash;
	} in[] = {
		{&t->ids, &known->by_id, hash_of_id(t, known->id)},
		{&t->names, &known->by_name, hash_of_name(t, known->tag.name)},
		{&t->owners, &known->by_owner, hash_of_owner(t, known->tag.name, known->tag.user)},
		{&t->slots, &known->by_slot, hash_of_owner(t, known->tag.name, known->tag.user)},
	};
	const size_t n = known->id & SHIM_DIRECT_ID ? 4 : 3;
	int err = 0;

	for (size_t i = 0; i < n && !err; i++) {
		err = shim_hash__add(in[i].table, in[i].node, in[i].hash);
		while (err && i--)
			shim_hash__del(in[i].table, in[i].node);
	}
	return err;
}

static int keep(struct shim_bpf_tags *t, uint64_t id, const struct vc_tag_name *value,
		const struct shim_bpf_tag **tag)
{
	struct shim_bpf_known *known = find_id(t, id);
	int err;

	if (!known) {
		known = shim_arena__alloc(&t->arena, sizeof(*known));
		if (!known)
			return -ENOMEM;
		known->id = id;
		known->tag.user = value->user;
		memcpy(known->tag.name, value->name, VC_TAG_LEN - 1);
		label(t, known);
		err = tag_add(t, known);
		if (err)
			return err;
	}
	*tag = &known->tag;
	return 0;
}

/**
 * shim_bpf_tags__get() - look up a tag
 * @t: tags
 * @id: the tag's ID
 * @tag: on success, the tag, valid until shim_bpf_tags__forget()
 *
 * Return: 0, -ENOENT if its row was just removed or is being written, -ENOMEM, or an errno from
 *	bpf(2).
 */
int shim_bpf_tags__get(struct shim_bpf_tags *t, uint64_t id, const struct shim_bpf_tag **tag)
{
	struct shim_bpf_known *known = find_id(t, id);
	struct vc_tag_name value;

	if (known) {
		*tag = &known->tag;
		return 0;
	}
	if (bpf_map_lookup_elem(t->fd, &id, &value))
		return -errno;
	/* The row exists, but its name has not been written yet. */
	if (!value.name[0])
		return -ENOENT;
	return keep(t, id, &value, tag);
}

/*
 * Return the tag shared by the slots with this slot's name and user, or NULL if no such slot has
 * been seen.
 */
struct shim_bpf_known *shim_bpf_tags__find_slot(const struct shim_bpf_tags *t,
						const struct vc_direct *slot)
{
	uint64_t hash = hash_of_owner(t, slot->name, slot->user);

	for (struct shim_hnode *node = shim_hash__first(&t->slots, hash); node;
	     node = shim_hash__next(node)) {
		struct shim_bpf_known *known =
			shim_hnode__entry(node, struct shim_bpf_known, by_slot);

		if (known->tag.user == slot->user && !strcmp(known->tag.name, slot->name))
			return known;
	}
	return NULL;
}

/**
 * shim_bpf_tags__of_slot() - get the tag of a slot
 * @t: tags
 * @slot: as returned by shim_bpf_slots__read()
 * @i: the slot's index
 * @id: on success, the tag's ID, which has SHIM_DIRECT_ID set
 * @tag: on success, the tag, valid until shim_bpf_tags__forget()
 *
 * All slots with the same name and user share the tag created for the first of them.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_bpf_tags__of_slot(struct shim_bpf_tags *t, const struct vc_direct *slot, uint32_t i,
			   uint64_t *id, const struct shim_bpf_tag **tag)
{
	struct shim_bpf_known *known = shim_bpf_tags__find_slot(t, slot);
	struct vc_tag_name own;

	if (known) {
		*id = known->id;
		*tag = &known->tag;
		return 0;
	}
	own.user = slot->user;
	memcpy(own.name, slot->name, sizeof(own.name));
	*id = SHIM_DIRECT_ID | i;
	return keep(t, *id, &own, tag);
}

/* Return the number of known tags. */
size_t shim_bpf_tags__n(const struct shim_bpf_tags *t)
{
	return t->ids.n;
}

/* Forget all tags.  Tags that were returned become invalid. */
void shim_bpf_tags__forget(struct shim_bpf_tags *t)
{
	shim_hash__free(&t->ids);
	shim_hash__free(&t->names);
	shim_hash__free(&t->owners);
	shim_hash__free(&t->slots);
	shim_arena__free(&t->arena);
	t->arena = (struct shim_arena) { 0 };
}

void shim_bpf_tags__close(struct shim_bpf_tags *t)
{
	if (t->fd >= 0)
		close(t->fd);
	shim_bpf_tags__forget(t);
}

/* Read the statistics of each process's transactions. */

struct reading {
	struct shim_bpf_processes *p;
	struct shim_bpf_reader *r;
};

static int new_row(struct shim_bpf_processes *p, struct shim_bpf_process **row)
{
	int err = shim_vec__room(p->rows, &p->room, p->n);

	if (err)
		return err;
	*row = &p->rows[p->n];
	memset(*row, 0, sizeof(**row));
	return 0;
}

static int add_row(void *arg, const void *key, const void *value)
{
	const struct reading *reading = arg;
	struct shim_bpf_processes *p = reading->p;
	const struct vc_process *process = value;
	struct shim_bpf_process *row;
	struct vc_process_key k;
	int err = shim_vec__room(p->rows, &p->room, p->n);

	if (err)
		return err;
	row = &p->rows[p->n];
	memcpy(&k, key, sizeof(k));
	row->id = k.tag;
	row->pid = k.tgid;
	row->signature = k.events;
	row->events.nr = 0;
	err = shim_bpf_reader__tag(reading->r, k.tag, &row->tag);
	/* A row can outlive its tag for a while: skip it. */
	if (err)
		return err == -ENOENT ? 0 : err;
	err = k.events ? shim_bpf_reader__events(reading->r, k.events, &row->events) : 0;
	if (err && err != -ENOENT)
		return err;
	row->total = process->stat;
	memcpy(row->sum, process->sum, sizeof(row->sum));
	memcpy(row->command, process->command, sizeof(row->command) - 1);
	row->command[sizeof(row->command) - 1] = '\0';
	p->n += row->total.count != 0;
	return 0;
}

/**
 * shim_bpf_processes__read() - read the rows of all processes
 * @p: receives the rows
 * @r: the reader, to look up tags and events
 *
 * Return: 0; -ENODATA if tracing was turned on without statistics per process, -ENOMEM, or an errno
 *	from bpf(2).
 */
int shim_bpf_processes__read(struct shim_bpf_processes *p, struct shim_bpf_reader *r)
{
	struct reading reading = { p, r };
	int err = 0;

	if (p->map.fd < 0)
		err = shim_bpf_table__open(&p->map, VC_PIN_DIR "/vc_process", BPF_MAP_TYPE_LRU_HASH,
					   sizeof(struct vc_process_key),
					   sizeof(struct vc_process));
	if (err)
		return err == -ENOENT ? -ENODATA : err;
	p->n = 0;
	return shim_bpf_table__read(&p->map, add_row, &reading);
}

/* Find or create the row for all programs that write this tag's statistics themselves. */
static int find_own(struct shim_bpf_processes *p, size_t first, const struct shim_bpf_tag *tag,
		    struct shim_bpf_process **row)
{
	for (size_t i = first; i < p->n; i++) {
		*row = &p->rows[i];
		if ((*row)->tag == tag)
			return 0;
	}
	return new_row(p, row);
}

/**
 * shim_bpf_processes__add_slots() - append rows for statistics that programs wrote themselves
 * @p: the rows, which shim_bpf_processes__read() has read
 * @r: the reader
 * @slots: its slots
 *
 * Threads of several processes may use a slot in succession, so its statistics do not belong to any
 * one process.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_bpf_processes__add_slots(struct shim_bpf_processes *p, struct shim_bpf_reader *r,
				  const struct shim_bpf_slots *slots)
{
	const size_t first = p->n;

	for (uint32_t i = 0; i < slots->n; i++) {
		const struct shim_bpf_tag *tag;
		struct shim_bpf_process *row;
		struct vc_direct slot;
		uint64_t id;
		int err;

		if (!shim_bpf_slots__read(slots, i, &slot) || slot.kind != VC_TRANSACT ||
		    !slot.stat.count)
			continue;
		err = shim_bpf_reader__slot_tag(r, &slot, i, &id, &tag);
		if (!err)
			err = find_own(p, first, tag, &row);
		if (err)
			return err;
		if (row == &p->rows[p->n]) {
			row->id = id;
			row->tag = tag;
			p->n++;
		}
		shim_bpf_stat__add(&row->total, &slot.stat);
	}
	return 0;
}

void shim_bpf_processes__close(struct shim_bpf_processes *p)
{
	shim_bpf_table__close(&p->map);
	free(p->rows);
}
