// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Consistency check of an archive: labels and frames of each file, contradictory metadata, records
 * of undeclared metrics, times that go backwards, and invalid index entries.
 *
 * Loggers legitimately write some irregular archives.  An instance without a name, a removed file,
 * and anything that only a newer PCP defines are reported as notes, not as damage.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check_state.h"
#include "declare.h"
#include "record.h"
#include "unpacked.h"

/*
 * Check one metric's description.
 *
 * Loggers store metrics as agents describe them.  Therefore these rules are less strict than the
 * rules for metrics that this library writes: a derived metric may have the instance domain of
 * another agent, names in old archives may consist of digits, and some agents set a scale without
 * its dimension.
 */

#define TYPE_MAX 255	/* PM_TYPE_UNKNOWN; PCP cannot define types above it */

static bool is_sem(int32_t sem)
{
	return sem == SHIM_SEM_COUNTER || sem == SHIM_SEM_INSTANT || sem == SHIM_SEM_DISCRETE;
}

static bool is_printable(const uint8_t *name, uint32_t len)
{
	for (uint32_t i = 0; i < len; i++)
		if (name[i] <= ' ' || name[i] == 0x7f)
			return false;
	return true;
}

/* Return the name of the first field with an invalid value, or NULL. */
static const char *check_desc_damage(const struct shim_rec_desc *rec)
{
	struct shim_in names = rec->names;

	for (uint32_t i = 0; i < rec->nnames; i++) {
		uint32_t len;
		const uint8_t *name = shim_rec_desc__name(&names, &len);

		if (!is_printable(name, len))
			return "name";
	}
	if (rec->pmid >> 31)
		return "number";
	if (rec->type < SHIM_TYPE_NOSUPPORT || rec->type > TYPE_MAX)
		return "type";
	/* If a metric is not supported, its other fields have no meaning. */
	if (rec->type == SHIM_TYPE_NOSUPPORT)
		return NULL;
	return is_sem(rec->sem) ? NULL : "semantics";
}

/*
 * Return the name of the first field with a value that only a newer PCP or a faulty agent writes,
 * or NULL.
 */
static const char *check_desc_unknown(const struct shim_rec_desc *rec)
{
	if (rec->type == SHIM_TYPE_NOSUPPORT)
		return NULL;
	if (rec->type > SHIM_TYPE_HIGHRES_EVENT)
		return "type";
	return shim_declared__units_ok(rec->units) ? NULL : "units";
}

#define PROGRESS_BYTES	(1u << 20)

static void check_advance(struct shim_check_state *s, uint64_t bytes)
{
	s->done += bytes;
	if (!s->check->progress || s->done - s->reported < PROGRESS_BYTES)
		return;
	s->reported = s->done;
	s->check->progress(s->check->arg, s->done, s->total);
}

/*
 * Return whether an error is due to limits or permissions.  These errors end the check, because
 * continuing could miss damage.
 */
static bool is_no_damage(int err)
{
	return err == -ENOMEM || err == -EMFILE || err == -ENFILE || err == -EINTR ||
	       err == -ENOSPC || err == -EDQUOT || err == -EFBIG || err == -EACCES || err == -EPERM;
}

static int map_file(struct shim_check_state *s, int volume, struct shim_check_file *file)
{
	struct shim_file in;
	int err;

	file->volume = volume;
	file->path = shim_files__path(s->names.base, volume);
	if (!file->path)
		return -ENOMEM;
	err = shim_files__open(s->names.base, volume, &in);
	if (is_no_damage(err))
		return err;
	if (err) {
		shim_check__say(s, file, 0, "cannot be read: %s", strerror(-err));
		return 0;
	}
	file->size = (uint64_t)in.st.st_size;
	if (in.unpacked) {
		file->unpacked = shim_unpacked__share(in.unpacked);
		file->data = in.unpacked->data;
	} else if (file->size) {
		file->data = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, in.fd, 0);
		if (file->data == MAP_FAILED) {
			file->data = NULL;
			err = -errno;
		}
	}
	if (!file->size)
		shim_check__say(s, file, 0, "the file is empty");
	shim_file__close(&in);
	file->to = file->size;
	s->total += file->size;
	return err;
}

static void unmap_file(struct shim_check_file *file)
{
	if (file->data && !file->unpacked)
		munmap(file->data, file->size);
	shim_unpacked__put(file->unpacked);
	free(file->path);
}

/*
 * Return the length of the record at @offset, or 0 if its frame is invalid.  In that case, later
 * records cannot be found.
 */
static uint32_t frame_at(struct shim_check_state *s, const struct shim_check_file *file,
			 uint64_t offset, uint32_t min)
{
	uint32_t len;
	int err = shim_unpacked__need_record(file->unpacked, offset);

	if (!shim_check__unpacked(s, file, offset, err))
		return 0;
	err = shim_frame__len(file->data + offset, file->size - offset, min, &len);
	if (!err)
		return len;
	shim_check__say(s, file, offset, err == -ENODATA ? "the file ends within a record" :
			"not a record: the two length words differ or are invalid");
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

/* The three parts of a pmid, as arguments for "%u.%u.%u" */
#define PMID_PARTS(pmid) (pmid) >> 22, (pmid) >> 10 & 0xfff, (pmid) & 0x3ff

/* Report a metric whose number or name is already used by another one. */
static int check_conflicts(struct shim_check_state *s, uint64_t offset,
			   const struct shim_rec_desc *rec)
{
	struct shim_desc desc = { rec->pmid, rec->type, rec->indom, rec->sem, rec->units,
				  rec->nnames, NULL };
	char **names = NULL;
	int err = copy_names(rec, &names);

	desc.names = (const char *const *)names;
	if (!err)
		err = shim_declared__any(&s->declared, &desc, &s->scratch);
	shim_buf__reset(&s->scratch);
	if (err == -EEXIST)
		shim_check__say(s, &s->meta, offset,
				"metric %u.%u.%u: its number or name belongs to another metric",
				PMID_PARTS(rec->pmid));
	for (uint32_t i = 0; names && i < rec->nnames; i++)
		free(names[i]);
	free(names);
	return err == -ENOMEM ? err : 0;
}

static int check_metric(struct shim_check_state *s, uint64_t offset,
			const struct shim_rec_desc *rec)
{
	const char *bad = check_desc_damage(rec);
	const char *unknown = check_desc_unknown(rec);

	if (bad) {
		shim_check__say(s, &s->meta, offset, "metric %u.%u.%u: bad %s",
				PMID_PARTS(rec->pmid), bad);
		return 0;
	}
	if (unknown)
		shim_check__note(s, SHIM_CHECK_UNKNOWN, &s->meta, offset,
				 "metric %u.%u.%u: %s unknown to this library",
				 PMID_PARTS(rec->pmid), unknown);
	return check_conflicts(s, offset, rec);
}

static int check_domain(struct shim_check_state *s, uint64_t offset,
			const struct shim_rec_indom *rec)
{
	if (shim_ts__cmp(rec->stamp, s->first.start) < 0)
		shim_check__say(s, &s->meta, offset,
				"an instance domain's state is older than the archive's start");
	return shim_nameless__name(&s->nameless, rec);
}

static int check_meta_record(struct shim_check_state *s, uint64_t offset, uint32_t len)
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
			shim_check__say(s, &s->meta, offset,
					"a record of a different archive version");
		err = shim_rec_indom__decode(p, len, &indom);
		if (!err)
			return check_domain(s, offset, &indom);
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
		shim_check__say(s, &s->meta, offset, err == -EPROTO ? "a record of an unknown type" :
				"a record with damaged content");
	return 0;
}

static int check_meta(struct shim_check_state *s)
{
	uint64_t offset;
	uint32_t len;
	int err = 0;

	if (!shim_check__label(s, &s->meta))
		return 0;
	for (offset = s->f->label_len; offset < s->meta.size && !err; offset += len) {
		len = frame_at(s, &s->meta, offset, SHIM_META_MIN);
		if (!len)
			return s->err;
		err = check_meta_record(s, offset, len);
		check_advance(s, len);
	}
	return err;
}

/* Check that each value has the metric's type.  Return NULL or a description of the problem. */
static const char *check_values(const struct shim_record *rec, const struct shim_vset *vset,
				const struct shim_desc *desc)
{
	if (desc->indom == SHIM_INDOM_NULL && vset->numval > 1)
		return "has several values, but no instances";
	for (int32_t i = 0; i < vset->numval && desc->type <= SHIM_TYPE_HIGHRES_EVENT; i++) {
		struct shim_value v;

		if (shim_vset__value(rec, vset, (unsigned int)i, desc->type, &v))
			return "has a value of the wrong type";
	}
	return NULL;
}

static int find_nameless(struct shim_check_state *s, const struct shim_check_file *file,
			 const struct shim_record *rec, const struct shim_vset *vset,
			 uint32_t indom)
{
	struct shim_nameless_metric at = { vset->pmid, file->volume, rec->offset, 1 };
	int err = 0;

	for (int32_t i = 0; i < vset->numval && !err; i++) {
		int32_t inst = (int32_t)shim_be32__get(vset->vlist + (size_t)i * SHIM_VALUE_LEN);

		err = shim_nameless__value(&s->nameless, indom, inst, &at);
	}
	return err;
}

static int check_sets(struct shim_check_state *s, const struct shim_check_file *file,
		      const struct shim_record *rec)
{
	struct shim_vset vset;
	int err, failed = 0;

	for (err = shim_record__first(rec, &vset); !err && !failed;
	     err = shim_record__next(rec, &vset)) {
		const struct shim_desc *desc = shim_archive__desc(s->ar, vset.pmid);
		const char *text = "is not described";

		if (desc)
			text = check_values(rec, &vset, desc);
		if (text)
			shim_check__say(s, file, rec->offset, "metric %u.%u.%u %s",
					PMID_PARTS(vset.pmid), text);
		else if (desc->indom != SHIM_INDOM_NULL)
			failed = find_nameless(s, file, rec, &vset, desc->indom);
	}
	return failed;
}

/* Check a well-formed record against the metadata. */
static int check_content(struct shim_check_state *s, const struct shim_check_file *file,
			 const struct shim_record *rec)
{
	unsigned int problems = s->problems;
	uint64_t nameless = s->nameless.found;
	int err = s->ar ? check_sets(s, file, rec) : 0;

	if (!err && s->problems == problems && s->nameless.found == nameless)
		shim_check_kinds__add(&s->kinds, rec);
	return err;
}

static void check_time(struct shim_check_state *s, const struct shim_check_file *file,
		       const struct shim_record *rec)
{
	if (shim_ts__cmp(rec->stamp, s->first.start) < 0)
		shim_check__say(s, file, rec->offset, "a record is older than the archive's start");
	if (s->has_last && shim_ts__cmp(rec->stamp, s->last) < 0)
		shim_check__say(s, file, rec->offset,
				"time stamp is %.9g s before the previous one",
				shim_ts__seconds(shim_ts__sub(s->last, rec->stamp)));
	s->last = rec->stamp;
	s->has_last = true;
}

/* Check the record at @rec->offset, whose frame is valid.  Return 0 or -ENOMEM. */
static int check_record(struct shim_check_state *s, const struct shim_check_file *file,
			struct shim_record *rec)
{
	uint64_t offset = rec->offset;
	int err = shim_rec_result__decode(s->f, file->data + offset, file->size - offset, rec);
	bool known = !err && shim_check_kinds__has(&s->kinds, rec);

	if (err || (!known && shim_record__check(rec))) {
		shim_check__say(s, file, offset, "a record with damaged content");
		return 0;
	}
	check_time(s, file, rec);
	return known ? 0 : check_content(s, file, rec);
}

static int check_volume(struct shim_check_state *s, struct shim_check_file *file)
{
	struct shim_record rec = { .volume = (unsigned int)file->volume };
	uint64_t offset;
	uint32_t len;
	int err = 0;

	if (!shim_check__label(s, file))
		return 0;
	shim_check_part__limit(s, file);
	for (offset = file->from; offset < file->to && !err; offset += len) {
		len = frame_at(s, file, offset, s->f->record_min);
		if (!len)
			return s->err;
		rec.offset = offset;
		err = check_record(s, file, &rec);
		check_advance(s, len);
		shim_check__release(file, offset);
	}
	if (!err)
		shim_check_part__end(s, file);
	return err ? err : s->err;
}

/*
 * Report one note per metric: an archive with per-process metrics may have thousands of values
 * without instance names.
 */
static void note_nameless(struct shim_check_state *s)
{
	for (size_t i = 0; i < s->nameless.n; i++) {
		const struct shim_nameless_metric *m = &s->nameless.all[i];

		shim_check__note(s, SHIM_CHECK_INCOMPLETE, shim_check__volume(s, m->volume),
				 m->offset, "metric %u.%u.%u: %llu %s", PMID_PARTS(m->pmid),
				 (unsigned long long)m->values,
				 m->values == 1 ? "value of an instance without a name" :
						  "values of instances without a name");
	}
}

static int map_all(struct shim_check_state *s)
{
	int err = 0;

	s->volumes = calloc(s->names.nvolumes + 1, sizeof(*s->volumes));
	if (!s->volumes)
		return -ENOMEM;
	for (size_t i = 0; i < s->names.nvolumes && !err; i++) {
		s->volumes[i].volume = s->names.volumes[i];
		if (shim_check_part__has(s, i))
			err = map_file(s, s->names.volumes[i], &s->volumes[i]);
	}
	if (!err && s->names.meta)
		err = map_file(s, SHIM_VOLUME_META, &s->meta);
	if (!err && s->names.index)
		err = map_file(s, SHIM_VOLUME_INDEX, &s->index);
	return err;
}

static int check_presence(struct shim_check_state *s)
{
	struct shim_check_file meta = { .path = shim_files__path(s->names.base, SHIM_VOLUME_META) };
	struct shim_check_file data = { .path = shim_files__path(s->names.base, 0) };
	struct shim_check_file index = { .path = shim_files__path(s->names.base, SHIM_VOLUME_INDEX) };
	bool known = meta.path && data.path && index.path;

	if (known && !s->names.meta)
		shim_check__say(s, &meta, 0, "the file is missing");
	if (known && !s->names.nvolumes)
		shim_check__say(s, &data, 0, "the archive has no volumes");
	if (known && !s->names.index)
		shim_check__note(s, SHIM_CHECK_INCOMPLETE, &index, 0,
				 "the file is missing, so seeking to a time is slow");
	free(meta.path);
	free(data.path);
	free(index.path);
	return known ? 0 : -ENOMEM;
}

/* Report gaps in the numbers of volumes: the missing volumes were removed or lost. */
static void note_gaps(struct shim_check_state *s)
{
	int64_t next = s->partial ? s->from.volume : 0;

	for (size_t i = 0; i < s->names.nvolumes; i++) {
		int64_t n = s->volumes[i].volume - next;

		if (s->partial && s->volumes[i].volume > s->to.volume)
			break;
		if (s->volumes[i].volume < next)
			continue;
		if (n > 0)
			shim_check__note(s, SHIM_CHECK_INCOMPLETE, &s->volumes[i], 0,
					 "%lld %s before this one %s missing", (long long)n,
					 n == 1 ? "volume" : "volumes", n == 1 ? "is" : "are");
		next = (int64_t)s->volumes[i].volume + 1;
	}
}

/* Open the archive as readers do.  If that fails, records are not checked against the metadata. */
static int open_archive(struct shim_check_state *s, const char *name)
{
	int err = shim_archive__open_any(name, &s->ar);

	if (err)
		s->ar = NULL;
	return is_no_damage(err) ? err : 0;
}

/* Check all files.  The first valid label of a volume is the archive's label. */
static int check_all(struct shim_check_state *s, const char *name)
{
	int err = check_presence(s);

	if (!err)
		err = open_archive(s, name);
	if (!err && s->check->span)
		err = shim_check_part__find(s, s->check->span);
	if (!err)
		err = map_all(s);
	if (err)
		return err;
	note_gaps(s);
	for (size_t i = 0; i < s->names.nvolumes && !s->f; i++) {
		const struct shim_check_file *v = &s->volumes[i];

		if (v->data)
			shim_check__first_label(s, v);
	}
	if (s->names.meta)
		err = check_meta(s);
	for (size_t i = 0; i < s->names.nvolumes && !err; i++)
		err = check_volume(s, &s->volumes[i]);
	if (!err) {
		note_nameless(s);
		shim_check__index(s);
	}
	return err ? err : s->err;
}

/**
 * shim_archive__check() - check an archive's consistency
 * @name: the archive's base name, or the name of one of its files
 * @check: the callbacks for problems and progress, and what to check
 *
 * Even if only a time span is checked, the metadata, the index and the end of the last volume are
 * always checked.
 *
 * After a record with an invalid frame, the rest of that file is not checked.
 *
 * Return: the number of problems, -ENOENT, -ENOMEM, or a read error.
 */
int shim_archive__check(const char *name, const struct shim_check *check)
{
	struct shim_check_state s = { .check = check };
	int err = shim_files__find(name, NULL, &s.names);

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
	shim_nameless__fini(&s.nameless);
	shim_check_kinds__fini(&s.kinds);
	shim_files__free(&s.names);
	return err ? err : (int)s.problems;
}
