// SPDX-License-Identifier: LGPL-2.1-or-later
/* Continue an archive: append to an existing one, or write on in a forked child. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "archive.h"
#include "files.h"
#include "output.h"

/* Take the lock before reading anything: afterwards, no other writer changes the files. */
static int lock_meta(struct shim_output *out)
{
	int err = shim_sink__open(&out->meta, out->base, SHIM_VOLUME_META, 0);

	return err ? err : shim_output__lock(out->meta.fd.nr);
}

static bool meta_is_whole(const struct shim_archive *ar, const struct shim_output *out)
{
	const struct shim_meta_file *file = &ar->meta.files[0];
	size_t at = out->format->label_len;
	uint32_t len;

	while (at < file->size) {
		if (file->size - at < SHIM_FRAME_LEN ||
		    shim_frame__len(file->data + at, file->size - at, SHIM_META_MIN, &len))
			return false;
		at += len;
	}
	return file->size == out->meta.size;
}

static int open_index(struct shim_output *out)
{
	const struct shim_format *f = out->format;
	int err = shim_files__exists(out->base, SHIM_VOLUME_INDEX);

	if (err < 0)
		return err;
	err = shim_sink__open(&out->index, out->base, SHIM_VOLUME_INDEX, err ? 0 : O_CREAT);
	if (err)
		return err;
	if (out->index.size && (out->index.size < f->label_len ||
				(out->index.size - f->label_len) % f->entry_len))
		return -EBADMSG;
	return 0;
}

/*
 * Append to the last volume, which must end with a complete record.  If it is compressed, start a
 * new volume instead.
 */
static int open_data(struct shim_output *out, struct shim_archive *ar, struct shim_ts *last)
{
	struct shim_record rec = { 0 };
	struct shim_cursor cur;
	unsigned int n;
	int err;

	err = shim_archive__list(ar);
	if (err)
		return err;
	shim_cursor__init(&cur, ar);
	err = shim_archive__end(ar, last);
	if (!err)
		err = shim_cursor__seek_after(&cur, *last);
	if (!err)
		err = shim_cursor__prev(&cur, &rec);
	if (err)
		return err == -ERANGE ? -EBADMSG : err;
	n = shim_archive__nvolumes(ar);
	out->volume = ar->segments[0].files.volumes[n - 1];
	err = shim_sink__open(&out->data, out->base, out->volume, 0);
	if (err == -ENOENT)
		return shim_sink__create(&out->data, out->base, ++out->volume);
	if (err || out->data.size == out->format->label_len)
		return err;
	return rec.volume == n - 1 && rec.offset + rec.len == out->data.size ? 0 : -EBADMSG;
}

static int open_files(struct shim_output *out, struct shim_archive **ar, struct shim_ts *last)
{
	int err = lock_meta(out);

	if (!err)
		err = shim_archive__open(out->base, ar);
	if (err)
		return err;
	out->label = *shim_archive__label(*ar);
	out->format = shim_format__of(out->label.version);
	if (!meta_is_whole(*ar, out))
		return -EBADMSG;
	err = open_index(out);
	return err ? err : open_data(out, *ar, last);
}

int shim_output__append(struct shim_output *out, const char *base, struct shim_archive **ar,
			struct shim_ts *last)
{
	int err;

	*out = (struct shim_output){ .has_record = true, .since = UINT64_MAX / 2 };
	err = shim_output__init(out, base);
	if (err)
		return err;
	*ar = NULL;
	err = open_files(out, ar, last);
	if (err) {
		shim_archive__put(*ar);
		shim_output__close_files(out);
		free(out->base);
	}
	return err;
}

/* Continue an archive in a forked child */

#define PARENT_WAIT_MS	1000	/* for the end of a parent that only had to fork */

/*
 * Replace the lock that the parent took and that all its children share, so that only one of them
 * continues the archive.
 */
static int take_over(struct shim_output *out)
{
	struct shim_sink shared = out->meta;
	struct flock none = { .l_type = F_UNLCK };
	int err;

	if (!shim_sink__is_unchanged(&shared) || fcntl(shared.fd.nr, F_OFD_SETLK, &none))
		return -EBUSY;
	out->meta.fd = SHIM_NO_FD;
	err = lock_meta(out);
	if (!err && !(shim_sink__are_one_file(&shared, &out->meta) && shim_sink__is_unchanged(&shared) &&
		      shim_sink__is_unchanged(&out->index) && shim_sink__is_unchanged(&out->data)))
		err = -EBUSY;
	shim_fd__release(err ? &out->meta.fd : &shared.fd);
	if (err)
		out->meta = shared;
	return err;
}

int shim_output__check_process(struct shim_output *out)
{
	unsigned int generation = shim_fork__generation();
	int err = 0;

	if (out->generation == generation)
		return 0;
	if (!shim_process__has_ended(out->pid, out->refused ? 0 : PARENT_WAIT_MS))
		err = -EBUSY;
	if (!err)
		err = take_over(out);
	out->refused = err;
	if (err)
		return err;
	out->generation = generation;
	out->pid = getpid();
	return 0;
}

static int take_state(struct shim_declared *d, struct shim_archive *ar, uint32_t indom,
		      struct shim_buf *unused, struct shim_ts *last)
{
	const struct shim_format *f = shim_format__of(shim_archive__label(ar)->version);
	const struct shim_indom *state;
	int err;

	if (indom == SHIM_INDOM_NULL || shim_declared__group(d, indom) ||
	    !shim_archive__nindoms(ar, indom))
		return 0;
	state = shim_archive__indom_at(ar, indom, 0);
	if (!state)
		return -ENOMEM;
	if (shim_ts__cmp(state->stamp, *last) > 0)
		*last = state->stamp;
	/*
	 * Ignore a state that this library could not have written, because the next state is
	 * complete.
	 */
	err = shim_declared__indom(d, f, state, unused);
	return err == -EINVAL ? 0 : err;
}

int shim_declared__from(struct shim_declared *d, struct shim_archive *ar, struct shim_ts *last)
{
	struct shim_buf unused = { 0 };
	int err = 0;

	for (unsigned int i = 0; i < shim_archive__ndescs(ar) && !err; i++) {
		const struct shim_desc *desc = shim_archive__desc_at(ar, i);

		err = shim_declared__any(d, desc, &unused);
		if (!err)
			err = take_state(d, ar, desc->indom, &unused, last);
		shim_buf__reset(&unused);
	}
	shim_buf__free(&unused);
	return err;
}
