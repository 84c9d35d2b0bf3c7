// SPDX-License-Identifier: LGPL-2.1-or-later
/* Looking into volumes: their first use, and the records around an offset. */
#include "archive.h"

/* Load a volume and look at its label; what is wrong with it stays known */
static void first_use(struct shim_archive *ar, unsigned int i)
{
	struct shim_volume *v = &ar->volumes[i];
	struct shim_view view;

	v->err = shim_volume__load(v, ar->base, i == ar->nvolumes - 1, &ar->copy);
	if (v->err)
		return;
	shim_volume__view(v, &view);
	v->err = shim_rec_label__agree(&ar->label, view.data, view.size, v->number);
	if (!v->err)
		atomic_store_explicit(&v->ready, true, memory_order_release);
}

bool shim_archive__view_locked(struct shim_archive *ar, unsigned int i, struct shim_view *out)
{
	struct shim_volume *v = &ar->volumes[i];

	if (!v->err && !atomic_load_explicit(&v->ready, memory_order_relaxed))
		first_use(ar, i);
	return !v->err && shim_volume__view(v, out);
}

bool shim_archive__view(struct shim_archive *ar, unsigned int i, struct shim_view *out)
{
	struct shim_volume *v = &ar->volumes[i];
	bool usable;

	if (atomic_load_explicit(&v->ready, memory_order_acquire))
		return shim_volume__view(v, out);
	pthread_mutex_lock(&ar->lock);
	usable = shim_archive__view_locked(ar, i, out);
	pthread_mutex_unlock(&ar->lock);
	return usable;
}

int shim_view__at(const struct shim_archive *ar, const struct shim_view *view, uint64_t offset,
		  struct shim_record *out)
{
	int err;

	if (offset >= view->size)
		return -ENODATA;
	err = shim_rec_result__decode(ar->format, view->data + offset, view->size - offset, out);
	if (err)
		return -EBADMSG;	/* also if the file ends within it */
	out->offset = offset;
	return 0;
}

int shim_view__before(const struct shim_archive *ar, const struct shim_view *view, uint64_t offset,
		      struct shim_record *out)
{
	uint64_t room;
	uint32_t len;

	if (offset > view->size)
		offset = view->size;
	if (offset <= ar->format->label_len)
		return -ENODATA;
	room = offset - ar->format->label_len;
	if (room < ar->format->record_min)
		return -EBADMSG;
	len = shim_be32__get(view->data + offset - 4);
	if (len > room || shim_rec_result__decode(ar->format, view->data + offset - len, len, out))
		return -EBADMSG;
	/* the length before the record may be a shorter one */
	if (out->len != len)
		return -EBADMSG;
	out->offset = offset - len;
	return 0;
}

bool shim_view__is_boundary(const struct shim_archive *ar, const struct shim_view *view,
			    uint64_t offset)
{
	struct shim_record rec;

	return offset >= ar->format->label_len && offset <= view->size &&
	       shim_view__at(ar, view, offset, &rec) != -EBADMSG &&
	       shim_view__before(ar, view, offset, &rec) != -EBADMSG;
}
