// SPDX-License-Identifier: LGPL-2.1-or-later
/* Load volumes at first use, and decode the records around an offset. */
#include "archive.h"

#define NSEC_PER_MSEC 1000000

/*
 * Return whether an error is caused by the file itself, in which case a retry is useless.  All
 * other errors may be transient: memory, descriptors, permission, the disk.
 */
bool shim_volume_record__is_damage(int err)
{
	static const int damage[] = {
		EBADMSG, EILSEQ, ENODATA, EINVAL, EOPNOTSUPP, ENOENT, EISDIR, ENOTDIR, ELOOP,
	};

	for (size_t i = 0; i < sizeof(damage) / sizeof(damage[0]); i++)
		if (err == -damage[i])
			return true;
	return false;
}

/* Load a volume and check its label.  A damaged volume is not tried again. */
static int first_use(struct shim_archive *ar, unsigned int i)
{
	struct shim_volume *v = shim_archive__volume(ar, i);
	struct shim_volume_view view;
	int err = shim_archive__list_locked(ar);

	if (err)
		return err;
	err = shim_volume__load(v, v->segment->files.base, i == shim_archive__nvolumes(ar) - 1,
				&ar->budget);
	if (!err) {
		shim_volume__view(v, &view);
		err = shim_unpacked__need(view.unpacked, 0, SHIM_LABEL_MAX);
	}
	if (!err)
		err = shim_rec_label__agree(&v->segment->label, view.data, view.size, v->number);
	if (!err)
		atomic_store_explicit(&v->ready, true, memory_order_release);
	if (shim_volume_record__is_damage(err))
		err = -SHIM_EVOLUME;
	/* An oversized file, packed or not, remains oversized. */
	if (err == -SHIM_EVOLUME || err == -EFBIG)
		v->err = err;
	return err;
}

/*
 * Make the mark of a joint.  Its time is a millisecond after the end of the previous segment, but
 * not after the start of the next one, unless the two segments overlap.
 */
static int make_joint(struct shim_archive *ar, struct shim_volume *v)
{
	const struct shim_format *f = shim_format__of(3);
	const struct shim_segment *before = v->segment - 1;
	struct shim_ts next = v->segment->label.start, stamp = next;
	struct shim_rec_result mark = { 0 };
	struct shim_record last;
	int err = shim_segment__last_record(ar, before, &last);

	if (err && err != -ENOENT)
		return err;
	if (!err) {
		stamp = shim_ts__add(last.stamp, (struct shim_ts){ .nsec = NSEC_PER_MSEC });
		if (shim_ts__cmp(last.stamp, next) < 0 && shim_ts__cmp(next, stamp) < 0)
			stamp = next;
	}
	shim_rec_result__begin(f, &mark, stamp);
	err = shim_rec_result__end(f, &mark);
	if (!err) {
		memcpy(v->segment->mark, mark.sets.data, sizeof(v->segment->mark));
		atomic_store_explicit(&v->ready, true, memory_order_release);
	}
	shim_rec_result__free(&mark);
	return err;
}

static void show(struct shim_volume *v, struct shim_volume_view *out)
{
	if (v->joint) {
		*out = (struct shim_volume_view){
			v->segment->mark, NULL, sizeof(v->segment->mark), shim_format__of(3), 0
		};
		return;
	}
	out->format = v->segment->format;
	out->head = v->segment->format->label_len;
	shim_volume__view(v, out);
}

int shim_archive__view_locked(struct shim_archive *ar, unsigned int i,
			      struct shim_volume_view *out)
{
	struct shim_volume *v = shim_archive__volume(ar, i);
	int err = v->err;

	if (!err && !atomic_load_explicit(&v->ready, memory_order_relaxed))
		err = v->joint ? make_joint(ar, v) : first_use(ar, i);
	if (!err)
		show(v, out);
	return err;
}

int shim_archive__view(struct shim_archive *ar, unsigned int i, struct shim_volume_view *out)
{
	struct shim_volume *v = shim_archive__volume(ar, i);
	int err;

	if (atomic_load_explicit(&v->ready, memory_order_acquire)) {
		show(v, out);
		return 0;
	}
	shim_fork_lock__enter(&ar->lock);
	err = shim_archive__view_locked(ar, i, out);
	shim_fork_lock__leave(&ar->lock);
	return err;
}

void shim_archive__enter(struct shim_archive *ar, unsigned int volume)
{
	uint32_t slot, former;

	for (slot = 0; slot < SHIM_VOLUMES_ENTERED; slot++)
		if (atomic_load_explicit(&ar->entered[slot], memory_order_relaxed) == volume)
			break;
	if (slot == SHIM_VOLUMES_ENTERED) {
		slot = atomic_fetch_add_explicit(&ar->next, 1, memory_order_relaxed) %
			SHIM_VOLUMES_ENTERED;
		former = atomic_exchange_explicit(&ar->entered[slot], volume, memory_order_relaxed);
		if (former != UINT32_MAX)
			shim_volume__release(shim_archive__volume(ar, former));
	}
	shim_volume__enter(shim_archive__volume(ar, volume));
}

/**
 * shim_archive__joint() - check whether a record is the mark between two archives opened as one
 * @ar: the archive
 * @rec: a record
 * @back: if it is the mark, set to its time for a reader that moves backward
 *
 * Return: 1 if it is the mark, 0 if not, or -SHIM_EOVERLAP if it is the mark and the first archive
 * ends after the start of the second one.
 */
int shim_archive__joint(const struct shim_archive *ar, const struct shim_record *rec,
			struct shim_ts *back)
{
	const struct shim_volume *v = shim_archive__volume(ar, rec->volume);

	if (!v->joint)
		return 0;
	*back = shim_ts__sub(v->segment->label.start, (struct shim_ts){ .nsec = NSEC_PER_MSEC });
	return shim_ts__cmp(rec->stamp, v->segment->label.start) > 0 ? -SHIM_EOVERLAP : 1;
}

int shim_volume_record__at(const struct shim_volume_view *view, uint64_t offset,
			   struct shim_record *out)
{
	int err;

	/* As in PCP, a remainder too short for a length word ends the volume. */
	if (offset >= view->size || view->size - offset < sizeof(uint32_t))
		return -ENODATA;
	err = shim_unpacked__need_record(view->unpacked, offset);
	if (err)
		return err;
	err = shim_rec_result__decode(view->format, view->data + offset, view->size - offset, out);
	if (err)
		return -EBADMSG;	/* also returned if the file ends within the record */
	out->offset = offset;
	return 0;
}

bool shim_volume_record__is_half(const struct shim_volume_view *view, uint64_t offset)
{
	uint32_t len;

	return !view->unpacked && offset < view->size &&
	       shim_frame__len(view->data + offset, view->size - offset, view->format->record_min,
			       &len) == -ENODATA;
}

int shim_volume_record__before(const struct shim_volume_view *view, uint64_t offset,
			       struct shim_record *out)
{
	uint64_t room;
	uint32_t len;
	int err;

	if (offset > view->size)
		offset = view->size;
	if (offset <= view->head)
		return -ENODATA;
	room = offset - view->head;
	if (room < view->format->record_min)
		return -EBADMSG;
	err = shim_unpacked__need(view->unpacked, offset - 4, 4);
	if (err)
		return err;
	len = shim_be32__get(view->data + offset - 4);
	if (len > room)
		return -EBADMSG;
	err = shim_unpacked__need(view->unpacked, offset - len, len);
	if (err)
		return err;
	if (shim_rec_result__decode(view->format, view->data + offset - len, len, out))
		return -EBADMSG;
	/* The opening length word may be smaller than the closing one. */
	if (out->len != len)
		return -EBADMSG;
	out->offset = offset - len;
	return 0;
}

bool shim_volume_record__is_boundary(const struct shim_volume_view *view, uint64_t offset)
{
	struct shim_record rec;

	return offset >= view->head && offset <= view->size &&
	       shim_volume_record__at(view, offset, &rec) != -EBADMSG &&
	       shim_volume_record__before(view, offset, &rec) != -EBADMSG;
}
