// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An importer's texts and labels, kept until they are written with the next record.
 *
 * For a reader, a target's last record of labels replaces all earlier ones.  Therefore each record
 * repeats the labels that were added before.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "archive/record.h"
#include "base/json.h"
#include "base/vec.h"
#include "importer.h"

struct text {
	struct shim_hnode node;
	struct text *next;
	uint32_t type;
	uint32_t ident;
	char *text;
	bool pending;
};

/* The labels of an instance, or of a target without instances: JSON without its closing brace */
struct set {
	int32_t inst;
	struct shim_buf json;
};

/* An object that has labels, identified by @ident at @level */
struct target {
	struct shim_hnode node;
	struct target *next;
	uint32_t level;
	uint32_t ident;
	struct set *sets;
	size_t n;
	size_t cap;
	bool pending;
};

struct shim_imp_notes {
	struct shim_hash texts;
	struct shim_hash targets;
	struct text *text_list, **next_text;
	struct target *target_list, **next_target;
	bool pending;
	bool added;
};

int shim_imp_notes__create(struct shim_imp_notes **out)
{
	struct shim_imp_notes *notes = calloc(1, sizeof(*notes));

	if (!notes)
		return -ENOMEM;
	shim_hash__init(&notes->texts);
	shim_hash__init(&notes->targets);
	notes->next_text = &notes->text_list;
	notes->next_target = &notes->target_list;
	*out = notes;
	return 0;
}

static void free_target(struct target *t)
{
	for (size_t i = 0; i < t->n; i++)
		shim_buf__free(&t->sets[i].json);
	free(t->sets);
	free(t);
}

void shim_imp_notes__destroy(struct shim_imp_notes *notes)
{
	if (!notes)
		return;
	while (notes->text_list) {
		struct text *next = notes->text_list->next;

		free(notes->text_list->text);
		free(notes->text_list);
		notes->text_list = next;
	}
	while (notes->target_list) {
		struct target *next = notes->target_list->next;

		free_target(notes->target_list);
		notes->target_list = next;
	}
	shim_hash__free(&notes->texts);
	shim_hash__free(&notes->targets);
	free(notes);
}

static struct text *find_text(const struct shim_imp_notes *notes, uint32_t type, uint32_t ident)
{
	struct shim_hnode *node = shim_hash__first(&notes->texts,
						   shim_hash__u32(&notes->texts, ident));

	for (; node; node = shim_hash__next(node)) {
		struct text *t = shim_hnode__entry(node, struct text, node);

		if (t->type == type && t->ident == ident)
			return t;
	}
	return NULL;
}

static struct text *new_text(struct shim_imp_notes *notes, uint32_t type, uint32_t ident)
{
	struct text *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->type = type;
	t->ident = ident;
	if (shim_hash__add(&notes->texts, &t->node, shim_hash__u32(&notes->texts, ident))) {
		free(t);
		return NULL;
	}
	*notes->next_text = t;
	notes->next_text = &t->next;
	return t;
}

/**
 * shim_imp_notes__text() - describe a metric or a domain
 * @notes: the importer's notes
 * @type: SHIM_TEXT_*
 * @ident: the metric or the domain
 * @text: the text, which replaces an earlier one
 *
 * Return: 0, PMI_ERR_DUPTEXT if it already has this text, -ENOMEM.
 */
int shim_imp_notes__text(struct shim_imp_notes *notes, uint32_t type, uint32_t ident,
			 const char *text)
{
	struct text *t = find_text(notes, type, ident);
	char *copy;

	if (t && t->text && !strcmp(t->text, text))
		return PMI_ERR_DUPTEXT;
	copy = strdup(text);
	if (copy && !t)
		t = new_text(notes, type, ident);
	if (!copy || !t) {
		free(copy);
		return -ENOMEM;
	}
	free(t->text);
	t->text = copy;
	t->pending = true;
	notes->pending = true;
	notes->added = true;
	return 0;
}

static struct target *find_target(const struct shim_imp_notes *notes, uint32_t level,
				  uint32_t ident)
{
	struct shim_hnode *node = shim_hash__first(&notes->targets,
						   shim_hash__u32(&notes->targets, ident));

	for (; node; node = shim_hash__next(node)) {
		struct target *t = shim_hnode__entry(node, struct target, node);

		if (t->level == level && t->ident == ident)
			return t;
	}
	return NULL;
}

static struct target *need_target(struct shim_imp_notes *notes, uint32_t level, uint32_t ident)
{
	struct target *t = find_target(notes, level, ident);

	if (t)
		return t;
	t = calloc(1, sizeof(*t));
	if (!t)
		return NULL;
	t->level = level;
	t->ident = ident;
	if (shim_hash__add(&notes->targets, &t->node, shim_hash__u32(&notes->targets, ident))) {
		free(t);
		return NULL;
	}
	*notes->next_target = t;
	notes->next_target = &t->next;
	return t;
}

/* Find the set of an instance. A new set is inserted in the order of the instances' IDs. */
static struct set *need_set(struct target *t, int32_t inst)
{
	size_t at = t->n;

	while (at && t->sets[at - 1].inst > inst)
		at--;
	if (at && t->sets[at - 1].inst == inst)
		return &t->sets[at - 1];
	if (shim_vec__room(t->sets, &t->cap, t->n))
		return NULL;
	memmove(&t->sets[at + 1], &t->sets[at], (t->n - at) * sizeof(*t->sets));
	t->sets[at] = (struct set){ .inst = inst };
	t->n++;
	return &t->sets[at];
}

/* Remove a set without labels, because a record with an empty set would not be readable. */
static void drop_set(struct target *t, struct set *set)
{
	size_t at = (size_t)(set - t->sets);

	shim_buf__free(&set->json);
	memmove(set, set + 1, (t->n - at - 1) * sizeof(*set));
	t->n--;
}

static bool is_word(const char *value)
{
	return !strcmp(value, "true") || !strcmp(value, "false") || !strcmp(value, "null");
}

/* Return 1 if a text is a number or a quoted string of JSON, 0 if not, or -ENOMEM. */
static int is_number_or_string(const char *text)
{
	struct shim_buf object = { 0 };
	struct shim_json_member m;
	struct shim_json j;
	int is;

	shim_buf__put(&object, "{\"x\":", 5);
	shim_buf__put(&object, text, strlen(text));
	shim_buf__put(&object, "}", 1);
	is = object.err;
	if (!is && strchr("\"-0123456789", *text))
		is = !shim_json__begin(&j, (char *)object.data, object.len) &&
		     shim_json__next(&j, &m) == 1 && m.valuelen == strlen(text) &&
		     !shim_json__next(&j, &m);
	shim_buf__free(&object);
	return is;
}

/* Append a label, whose value is already escaped.  Add quotes to it, unless it is @whole. */
static void put_label(struct shim_buf *json, const char *name, const char *value, bool whole)
{
	const char *quote = whole ? "" : "\"";

	shim_buf__put(json, json->len ? ",\"" : "{\"", 2);
	shim_buf__put(json, name, strlen(name));
	shim_buf__put(json, "\":", 2);
	shim_buf__put(json, quote, strlen(quote));
	shim_buf__put(json, value, strlen(value));
	shim_buf__put(json, quote, strlen(quote));
}

/* Remove the label with that name, if there is one. */
static void remove_label(struct shim_buf *json, const char *name)
{
	struct shim_buf rest = { 0 };
	struct shim_json_member m;
	struct shim_json j;

	if (!json->len)
		return;
	shim_buf__put(json, "}", 1);
	if (json->err || shim_json__begin(&j, (char *)json->data, json->len))
		return;
	while (shim_json__next(&j, &m) == 1) {
		if (m.namelen == strlen(name) && !memcmp(m.name, name, m.namelen))
			continue;
		shim_buf__put(&rest, rest.len ? ",\"" : "{\"", 2);
		shim_buf__put(&rest, m.name, m.namelen);
		shim_buf__put(&rest, "\":", 2);
		shim_buf__put(&rest, m.value, m.valuelen);
	}
	shim_buf__free(json);
	*json = rest;
}

/* Check that a record can contain the set, by encoding one. */
static int check_set(struct shim_buf *json)
{
	struct shim_buf record = { 0 };
	const char *text;
	struct shim_labels labels = { .level = SHIM_LEVEL_CONTEXT, .ident = SHIM_INDOM_NULL,
				      .n = 1, .json = &text };
	int err = json->err;

	shim_buf__put(json, "}", 2);
	text = (const char *)json->data;
	if (!err && !json->err)
		err = shim_rec_labels__encode(shim_format__of(3), &record, &labels);
	shim_buf__free(&record);
	if (json->err)
		return json->err;
	json->len -= 2;
	return err && err != -ENOMEM ? PMI_ERR_ADDLABELERROR : err;
}

/* Add a label to @json, or replace the label with that name. On error @json is unchanged. */
static int add_label(struct shim_buf *json, const char *name, const char *value, bool whole)
{
	struct shim_buf more = { 0 };
	int err;

	shim_buf__put(&more, json->data, json->len);
	remove_label(&more, name);
	put_label(&more, name, value, whole);
	err = check_set(&more);
	if (err) {
		shim_buf__free(&more);
		return err;
	}
	shim_buf__free(json);
	*json = more;
	return 0;
}

/**
 * shim_imp_notes__label() - add a label
 * @notes: the importer's notes
 * @level: SHIM_LEVEL_*
 * @ident: the identifier of the labeled object, at that level
 * @inst: the instance, or SHIM_IN_NULL
 * @name: the label's name; a later value replaces an earlier one
 * @value: a text, or one of the words true, false and null
 * @json: @value can also be a number or a quoted string of JSON
 *
 * Return: 0, PMI_ERR_ADDLABELERROR if the label is invalid or does not fit into the set
 * (SHIM_LABELS_MAX, SHIM_LABELS_JSON_MAX), -ENOMEM.
 */
int shim_imp_notes__label(struct shim_imp_notes *notes, uint32_t level, uint32_t ident,
			  int32_t inst, const char *name, const char *value, bool json)
{
	int whole = is_word(value);
	struct shim_buf alone = { 0 };
	struct target *t;
	struct set *set;
	int err;

	if (!shim_json__is_name(name, strlen(name)) || strchr(name, '.'))
		return PMI_ERR_ADDLABELERROR;
	if (!whole && json)
		whole = is_number_or_string(value);
	if (whole < 0)
		return whole;
	/* Try the label alone first, so that no empty target is left if the label is rejected. */
	err = add_label(&alone, name, value, whole);
	shim_buf__free(&alone);
	if (err)
		return err;
	t = need_target(notes, level, ident);
	set = t ? need_set(t, inst) : NULL;
	if (!set)
		return -ENOMEM;
	err = add_label(&set->json, name, value, whole);
	if (err) {
		if (!set->json.len)
			drop_set(t, set);
		return err;
	}
	t->pending = true;
	notes->pending = true;
	notes->added = true;
	return 0;
}

bool shim_imp_notes__take_added(struct shim_imp_notes *notes)
{
	bool added = notes->added;

	notes->added = false;
	return added;
}

static int fill_sets(const struct target *t, int32_t *ids, char **json)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct shim_buf *buf = &t->sets[i].json;

		ids[i] = t->sets[i].inst;
		json[i] = malloc(buf->len + 2);
		if (!json[i])
			return -ENOMEM;
		memcpy(json[i], buf->data, buf->len);
		memcpy(json[i] + buf->len, "}", 2);
	}
	return 0;
}

static int write_target(struct shim_importer *imp, const struct target *t, struct shim_ts stamp)
{
	struct shim_labels labels = { .stamp = stamp, .level = t->level, .ident = t->ident,
				      .n = (unsigned int)t->n };
	int32_t *ids = malloc(t->n * sizeof(*ids));
	char **json = calloc(t->n, sizeof(*json));
	int err = ids && json ? fill_sets(t, ids, json) : -ENOMEM;

	if (!err) {
		labels.inst = t->level == SHIM_LEVEL_INSTANCES ? ids : NULL;
		labels.json = (const char *const *)json;
		err = shim_writer__labels(imp->writer, &labels);
	}
	for (size_t i = 0; json && i < t->n; i++)
		free(json[i]);
	free(json);
	free(ids);
	return err;
}

/* Declare a metric that has a text or label in the archive, even if it has no values. */
static int declare_metric(struct shim_importer *imp, uint32_t pmid)
{
	struct shim_imp_metric *m = shim_importer__by_pmid(imp, pmid);

	return m ? shim_importer__declare(imp, m) : 0;
}

static int write_texts(struct shim_importer *imp)
{
	int err = 0;

	for (struct text *t = imp->notes->text_list; t && !err; t = t->next) {
		if (!t->pending)
			continue;
		if (t->type & SHIM_TEXT_PMID)
			err = declare_metric(imp, t->ident);
		if (!err)
			err = shim_writer__text(imp->writer, t->type, t->ident, t->text);
		if (!err)
			t->pending = false;
	}
	return err;
}

/**
 * shim_imp_notes__write() - write the texts and labels that are not in the archive yet
 * @imp: the importer, whose writer is open
 * @stamp: the time from which the labels are valid
 *
 * Return: 0 or an error from the writer; after an error, the next call writes the rest.
 */
int shim_imp_notes__write(struct shim_importer *imp, struct shim_ts stamp)
{
	struct shim_imp_notes *notes = imp->notes;
	int err;

	notes->added = false;
	if (!notes->pending)
		return 0;
	err = write_texts(imp);
	for (struct target *t = notes->target_list; t && !err; t = t->next) {
		if (!t->pending)
			continue;
		if (t->level == SHIM_LEVEL_ITEM)
			err = declare_metric(imp, t->ident);
		if (!err)
			err = write_target(imp, t, stamp);
		if (!err)
			t->pending = false;
	}
	notes->pending = err;
	return err;
}
