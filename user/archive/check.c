// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Consistency check of an archive: labels and frames of each file, metadata
 * that contradicts itself, records that metadata does not cover, times that
 * go back, index entries that lead nowhere.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "declare.h"
#include "files.h"
#include "reader.h"
#include "record.h"

#define PROGRESS_BYTES	(1u << 20)

/* One of the archive's files; @data is NULL if there is none */
struct file {
	int volume;
	char *path;
	uint8_t *data;
	uint64_t size;
};

/*
 * struct state - what is known so far
 * @first: the label that the others must agree with
 * @ar: the archive as a reader sees it, or NULL
 * @declared: the metrics found so far, to detect contradictions
 * @meta, @index, @volumes: the archive's files
 */
struct state {
	const struct shim_check *check;
	const struct shim_format *f;
	struct shim_label first;
	struct shim_archive *ar;
	struct shim_declared declared;
	struct shim_buf scratch;
	struct shim_files names;
	struct file meta, index, *volumes;
	unsigned int problems;
	uint64_t done, total, reported;
	struct shim_ts last;
	bool has_last;
};

static void __attribute__((format(printf, 4, 5)))
say(struct state *s, const struct file *file, uint64_t offset, const char *fmt, ...)
{
	const char *name = strrchr(file->path, '/');
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->problems < INT_MAX)
		s->problems++;
	s->check->problem(s->check->arg, name ? name + 1 : file->path, offset, text);
}

static void advance(struct state *s, uint64_t bytes)
{
	s->done += bytes;
	if (!s->check->progress || s->done - s->reported < PROGRESS_BYTES)
		return;
	s->reported = s->done;
	s->check->progress(s->check->arg, s->done, s->total);
}

static int map_file(struct state *s, int volume, struct file *file)
{
	struct stat st;
	int fd, err;

	file->volume = volume;
	file->path = shim_files__path(s->names.base, volume);
	if (!file->path)
		return -ENOMEM;
	err = shim_files__open(s->names.base, volume, &fd, &st);
	if (err) {
		say(s, file, 0, "cannot be read: %s", strerror(-err));
		return 0;
	}
	file->size = (uint64_t)st.st_size;
	if (file->size) {
		file->data = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (file->data == MAP_FAILED) {
			file->data = NULL;
			err = -errno;
		}
	} else {
		say(s, file, 0, "the file is empty");
	}
	close(fd);
	s->total += file->size;
	return err;
}

static void unmap_file(struct file *file)
{
	if (file->data)
		munmap(file->data, file->size);
	free(file->path);
}

/* Check a file's label; false if the records after it cannot be checked */
static bool check_label(struct state *s, const struct file *file)
{
	int err;

	if (!file->data)
		return false;
	if (!s->f) {
		err = shim_rec_label__decode(file->data, file->size, file->volume, &s->first);
		if (!err)
			s->f = shim_format__of(s->first.version);
	} else {
		err = shim_rec_label__agree(&s->first, file->data, file->size, file->volume);
	}
	if (err)
		say(s, file, 0, "the label is bad, or not that of the first volume");
	else if (file->size == s->f->label_len)
		say(s, file, file->size, "there is nothing behind the label");
	return !err;
}

/*
 * The length of the record at @offset; 0 if its frame is bad, so that no record
 * after it can be found
 */
static uint32_t frame_at(struct state *s, const struct file *file, uint64_t offset, uint32_t min)
{
	uint32_t len;
	int err = shim_frame__len(file->data + offset, file->size - offset, min, &len);

	if (!err)
		return len;
	say(s, file, offset, err == -ENODATA ? "the file ends within a record" :
	    "there is no record: its two lengths differ, or cannot be");
	return 0;
}

static int copy_names(const struct shim_rec_desc *rec, char ***out)
{
	struct shim_in in = rec->names;
	char **names = calloc(rec->nnames + 1, sizeof(*names));

	if (!names)
		return -ENOMEM;
	*out = names;
	for (uint32_t i = 0; i < rec->nnames; i++) {
		uint32_t len;
		const uint8_t *name = shim_rec_desc__name(&in, &len);

		names[i] = strndup((const char *)name, len);
		if (!names[i])
			return -ENOMEM;
	}
	return 0;
}

static int check_metric(struct state *s, uint64_t offset, const struct shim_rec_desc *rec)
{
	struct shim_desc desc = { rec->pmid, rec->type, rec->indom, rec->sem, rec->units,
				  rec->nnames, NULL };
	char **names = NULL;
	int err = copy_names(rec, &names);

	desc.names = (const char *const *)names;
	/*
	 * Accept types that only other writers make.  The other fields of a metric
	 * without support mean nothing, so they are not checked.
	 */
	if (desc.type == SHIM_TYPE_NOSUPPORT) {
		desc.indom = SHIM_INDOM_NULL;
		desc.sem = SHIM_SEM_INSTANT;
		desc.units = 0;
	}
	if (desc.type == SHIM_TYPE_EVENT || desc.type == SHIM_TYPE_HIGHRES_EVENT ||
	    desc.type == SHIM_TYPE_NOSUPPORT)
		desc.type = SHIM_TYPE_AGGREGATE;
	if (!err)
		err = shim_declared__desc(&s->declared, &desc, &s->scratch);
	shim_buf__reset(&s->scratch);
	if (err == -EINVAL)
		say(s, &s->meta, offset, "metric %u.%u.%u: bad name, type, semantics, units or domain",
		    rec->pmid >> 22, rec->pmid >> 10 & 0xfff, rec->pmid & 0x3ff);
	else if (err == -EEXIST)
		say(s, &s->meta, offset, "metric %u.%u.%u: number or name is another metric's",
		    rec->pmid >> 22, rec->pmid >> 10 & 0xfff, rec->pmid & 0x3ff);
	for (uint32_t i = 0; names && i < rec->nnames; i++)
		free(names[i]);
	free(names);
	return err == -ENOMEM ? err : 0;
}

static void check_domain(struct state *s, uint64_t offset, const struct shim_rec_indom *rec)
{
	if (shim_ts__cmp(rec->stamp, s->first.start) < 0)
		say(s, &s->meta, offset, "an instance domain's state is older than the archive");
	for (uint32_t i = 1; i < rec->n; i++) {
		if (rec->delta && shim_rec_indom__id(rec, i) <= shim_rec_indom__id(rec, i - 1)) {
			say(s, &s->meta, offset, "changes of instances are not in their order");
			return;
		}
	}
}

static int check_meta_record(struct state *s, uint64_t offset, uint32_t len)
{
	const uint8_t *p = s->meta.data + offset;
	uint32_t type = shim_be32__get(p + 4);
	struct shim_rec_labels labels;
	struct shim_rec_indom indom;
	struct shim_rec_desc desc;
	struct shim_rec_text text;
	bool v3 = s->f->version == 3;
	int err = -EPROTO;

	switch (type) {
	case SHIM_META_DESC:
		err = shim_rec_desc__decode(p, len, &desc);
		if (!err)
			return check_metric(s, offset, &desc);
		break;
	case SHIM_META_INDOM_V2:
	case SHIM_META_INDOM:
	case SHIM_META_INDOM_DELTA:
		if ((type == SHIM_META_INDOM_V2) == v3)
			say(s, &s->meta, offset, "a record of the other version");
		err = shim_rec_indom__decode(p, len, &indom);
		if (!err)
			check_domain(s, offset, &indom);
		break;
	case SHIM_META_LABEL_V2:
	case SHIM_META_LABEL:
		err = shim_rec_labels__decode(p, len, &labels);
		break;
	case SHIM_META_TEXT:
		err = shim_rec_text__decode(p, len, &text);
		break;
	default:
		break;
	}
	if (err)
		say(s, &s->meta, offset, err == -EPROTO ? "a record of no known type" :
		    "a record that is damaged inside");
	return 0;
}

static int check_meta(struct state *s)
{
	uint64_t offset;
	uint32_t len;
	int err = 0;

	if (!check_label(s, &s->meta))
		return 0;
	for (offset = s->f->label_len; offset < s->meta.size && !err; offset += len) {
		len = frame_at(s, &s->meta, offset, SHIM_META_MIN);
		if (!len)
			return 0;
		err = check_meta_record(s, offset, len);
		advance(s, len);
	}
	return err;
}

static bool has_instance(const struct shim_indom *indom, int32_t inst)
{
	unsigned int lo = 0, hi = indom->n;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (indom->inst[mid] < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < indom->n && indom->inst[lo] == inst;
}

/*
 * Whether a domain had an instance in the state @now, or at any other time: many
 * writers record an instance late, and readers tolerate that
 */
static bool has_ever(const struct state *s, const struct shim_indom *now, uint32_t indom,
		     int32_t inst)
{
	unsigned int n = shim_archive__nindoms(s->ar, indom);
	bool found = now && has_instance(now, inst);

	for (unsigned int i = 0; i < n && !found; i++) {
		const struct shim_indom *state = shim_archive__indom_at(s->ar, indom, i);

		found = state && has_instance(state, inst);
	}
	return found;
}

/* Check that each value has the metric's type and a known instance; NULL, or what is wrong */
static const char *check_values(struct state *s, const struct shim_record *rec,
				const struct shim_vset *vset, const struct shim_desc *desc)
{
	const struct shim_indom *indom = NULL;
	bool singular = desc->indom == SHIM_INDOM_NULL;

	if (singular && vset->numval > 1)
		return "has several values, but no instances";
	if (!singular && vset->numval > 0)
		indom = shim_archive__indom(s->ar, desc->indom, rec->stamp);
	for (int32_t i = 0; i < vset->numval; i++) {
		struct shim_value v;

		if (shim_vset__value(rec, vset, (unsigned int)i, desc->type, &v))
			return "has a value that is not of its type";
		if (!singular && !has_ever(s, indom, desc->indom, v.inst))
			return "has a value of an instance that its domain never had";
	}
	return NULL;
}

static void check_sets(struct state *s, const struct file *file, const struct shim_record *rec)
{
	struct shim_vset vset;
	int err;

	for (err = shim_record__first(rec, &vset); !err; err = shim_record__next(rec, &vset)) {
		const struct shim_desc *desc = shim_archive__desc(s->ar, vset.pmid);
		const char *text = "is not described";

		if (desc)
			text = check_values(s, rec, &vset, desc);
		if (text)
			say(s, file, rec->offset, "metric %u.%u.%u %s", vset.pmid >> 22,
			    vset.pmid >> 10 & 0xfff, vset.pmid & 0x3ff, text);
	}
}

static void check_time(struct state *s, const struct file *file, const struct shim_record *rec)
{
	if (shim_ts__cmp(rec->stamp, s->first.start) < 0)
		say(s, file, rec->offset, "a record is older than the archive");
	if (s->has_last && shim_ts__cmp(rec->stamp, s->last) < 0)
		say(s, file, rec->offset, "time goes back by %.9g s",
		    shim_ts__seconds(shim_ts__sub(s->last, rec->stamp)));
	s->last = rec->stamp;
	s->has_last = true;
}

static void check_volume(struct state *s, const struct file *file)
{
	struct shim_record rec = { .volume = (unsigned int)file->volume };
	uint64_t offset;
	uint32_t len;

	if (!check_label(s, file))
		return;
	for (offset = s->f->label_len; offset < file->size; offset += len) {
		len = frame_at(s, file, offset, s->f->record_min);
		if (!len)
			return;
		rec.offset = offset;
		if (shim_rec_result__decode(s->f, file->data + offset, file->size - offset, &rec) ||
		    shim_record__check(&rec)) {
			say(s, file, offset, "a record that is damaged inside");
		} else {
			check_time(s, file, &rec);
			if (s->ar)
				check_sets(s, file, &rec);
		}
		advance(s, len);
	}
}

/* Whether a record begins at @offset, or the file ends there, judged by the record before it */
static bool is_boundary(const struct state *s, const struct file *file, uint64_t offset)
{
	uint32_t len, before;

	if (offset == s->f->label_len)
		return true;
	if (offset < s->f->label_len + SHIM_FRAME_LEN || offset > file->size)
		return false;
	before = shim_be32__get(file->data + offset - 4);
	if (before < SHIM_META_MIN || before > offset - s->f->label_len)
		return false;
	return !shim_frame__len(file->data + offset - before, before, SHIM_META_MIN, &len) &&
	       len == before;
}

static const struct file *volume_of(const struct state *s, int32_t volume)
{
	for (size_t i = 0; i < s->names.nvolumes; i++)
		if (s->volumes[i].volume == volume)
			return &s->volumes[i];
	return NULL;
}

static const char *check_entry(const struct state *s, const struct shim_entry *e,
			       const struct shim_entry *before)
{
	const struct file *volume = volume_of(s, e->volume);
	struct shim_record rec;

	if (before && shim_ts__cmp(e->stamp, before->stamp) < 0)
		return "is older than the one before it";
	if (before && (e->volume < before->volume || e->off_meta < before->off_meta ||
		       (e->volume == before->volume && e->off_data < before->off_data)))
		return "leads back";
	if (s->meta.data && !is_boundary(s, &s->meta, e->off_meta))
		return "names a place in .meta where no record begins";
	/* an old volume may have been removed, but none can follow the last one */
	if (!volume || !volume->data)
		return e->volume < 0 || (s->names.nvolumes &&
					 e->volume > s->names.volumes[s->names.nvolumes - 1]) ?
		       "names a volume that there is not" : NULL;
	if (!is_boundary(s, volume, e->off_data))
		return "names a place in its volume where no record begins";
	if (e->off_data < volume->size &&
	    !shim_rec_result__decode(s->f, volume->data + e->off_data, volume->size - e->off_data,
				     &rec) && shim_ts__cmp(rec.stamp, e->stamp) < 0)
		return "leads to an older record";
	return NULL;
}

static void check_index(struct state *s)
{
	struct shim_entry entry, before;
	bool has_before = false;
	uint64_t offset;

	if (!s->names.index || !check_label(s, &s->index))
		return;
	for (offset = s->f->label_len; offset < s->index.size; offset += s->f->entry_len) {
		const char *text;

		if (s->index.size - offset < s->f->entry_len) {
			say(s, &s->index, offset, "the file ends within an entry");
			return;
		}
		if (shim_rec_index__decode(s->f, s->index.data + offset, &entry)) {
			say(s, &s->index, offset, "an entry is damaged");
			continue;
		}
		text = check_entry(s, &entry, has_before ? &before : NULL);
		if (text)
			say(s, &s->index, offset, "an entry %s", text);
		before = entry;
		has_before = true;
	}
}

static int map_all(struct state *s)
{
	int err = 0;

	s->volumes = calloc(s->names.nvolumes + 1, sizeof(*s->volumes));
	if (!s->volumes)
		return -ENOMEM;
	for (size_t i = 0; i < s->names.nvolumes && !err; i++)
		err = map_file(s, s->names.volumes[i], &s->volumes[i]);
	if (!err && s->names.meta)
		err = map_file(s, SHIM_VOLUME_META, &s->meta);
	if (!err && s->names.index)
		err = map_file(s, SHIM_VOLUME_INDEX, &s->index);
	return err;
}

static void check_presence(struct state *s)
{
	struct file meta = { .path = shim_files__path(s->names.base, SHIM_VOLUME_META) };
	struct file data = { .path = shim_files__path(s->names.base, 0) };
	struct file index = { .path = shim_files__path(s->names.base, SHIM_VOLUME_INDEX) };

	if (!s->names.meta && meta.path)
		say(s, &meta, 0, "the file is missing");
	if (!s->names.nvolumes && data.path)
		say(s, &data, 0, "there is no volume");
	if (!s->names.index && index.path)
		say(s, &index, 0, "the file is missing: finding a time takes long");
	free(meta.path);
	free(data.path);
	free(index.path);
}

/*
 * The label of the first volume that has a valid one is the archive's.  If the
 * archive cannot be opened, records are not checked against the metadata.
 */
static int check_all(struct state *s, const char *name)
{
	int err;

	check_presence(s);
	err = map_all(s);
	if (err)
		return err;
	for (size_t i = 0; i < s->names.nvolumes && !s->f; i++) {
		const struct file *v = &s->volumes[i];

		if (v->data && !shim_rec_label__decode(v->data, v->size, v->volume, &s->first))
			s->f = shim_format__of(s->first.version);
	}
	if (s->names.meta)
		err = check_meta(s);
	if (!err && shim_archive__open(name, &s->ar))
		s->ar = NULL;
	for (size_t i = 0; i < s->names.nvolumes && !err; i++)
		check_volume(s, &s->volumes[i]);
	if (!err)
		check_index(s);
	return err;
}

/**
 * shim_archive__check() - check an archive's consistency
 * @name: its base name, or that of one of its files
 * @check: the callbacks for problems and progress
 *
 * After a record whose frame is bad, the rest of that file is not checked.
 *
 * Return: the number of problems, -ENOENT, -ENOMEM, or what reading failed with.
 */
int shim_archive__check(const char *name, const struct shim_check *check)
{
	struct state s = { .check = check };
	int err = shim_files__find(name, &s.names);

	if (err)
		return err;
	shim_declared__init(&s.declared);
	err = check_all(&s, name);
	if (s.ar)
		shim_archive__put(s.ar);
	for (size_t i = 0; s.volumes && i < s.names.nvolumes; i++)
		unmap_file(&s.volumes[i]);
	free(s.volumes);
	unmap_file(&s.meta);
	unmap_file(&s.index);
	shim_buf__free(&s.scratch);
	shim_declared__free(&s.declared);
	shim_files__free(&s.names);
	return err ? err : (int)s.problems;
}
