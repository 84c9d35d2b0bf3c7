// SPDX-License-Identifier: LGPL-2.1-or-later
/* Create an archive's files, write to them in order, and finish them. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/process.h"
#include "files.h"
#include "output.h"

#define INDEX_DISTANCE	100000	/* bytes written between two entries of the index */

/*
 * Lock the metadata file of an archive that is being written.  Only users that may write the file can
 * hold this lock, unlike that of flock(2).  Return 0, -EBUSY or another error.
 */
int shim_output__lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK };

	if (!fcntl(fd, F_OFD_SETLK, &lock))
		return 0;
	return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

/* Return whether the existing archive is being written.  If it is, its metadata file is locked. */
static bool is_busy(const char *base)
{
	char *path = shim_files__path(base, SHIM_VOLUME_META);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	struct flock lock = { .l_type = F_RDLCK };
	bool busy = fd >= 0 && !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK;

	free(path);
	if (fd >= 0)
		close(fd);
	return busy;
}

static int check_absent(const char *base)
{
	struct shim_files files;
	bool any;
	int err;

	err = shim_files__scan(base, &files);
	if (err)
		return err;
	any = files.meta || files.index || files.nvolumes;
	shim_files__free(&files);
	if (any)
		return is_busy(base) ? -EBUSY : -EEXIST;
	return 0;
}

static void discard_files(struct shim_output *out)
{
	shim_sink__discard(&out->index, out->base, SHIM_VOLUME_INDEX);
	shim_sink__discard(&out->data, out->base, out->volume);
	/* Remove the metadata file last, because its lock excludes other writers. */
	shim_sink__discard(&out->meta, out->base, SHIM_VOLUME_META);
}

/* Create and lock the metadata file first, so that the second of two writers fails here. */
static int create_files(struct shim_output *out)
{
	int err;

	err = shim_sink__create(&out->meta, out->base, SHIM_VOLUME_META);
	if (err)
		return err == -EEXIST && is_busy(out->base) ? -EBUSY : err;
	/* Another process can already hold a read lock on the new file.  Write it without a lock. */
	err = shim_output__lock(out->meta.fd.nr);
	if (!err || err == -EBUSY)
		err = shim_sink__create(&out->index, out->base, SHIM_VOLUME_INDEX);
	if (!err)
		err = shim_sink__create(&out->data, out->base, 0);
	if (err)
		discard_files(out);
	return err;
}

/* Initialize the part that is the same for new and existing archives. */
int shim_output__init(struct shim_output *out, const char *base)
{
	int err = shim_fork__watch();

	if (err)
		return err;
	out->meta.fd = out->index.fd = out->data.fd = SHIM_NO_FD;
	out->generation = shim_fork__generation();
	out->pid = getpid();
	out->base = shim_files__absolute(base);
	return out->base ? 0 : -ENOMEM;
}

int shim_output__open(struct shim_output *out, const char *base, const struct shim_label *label)
{
	int err;

	*out = (struct shim_output){ .label = *label };
	out->format = shim_format__of(label->version);
	err = shim_output__init(out, base);
	if (err)
		return err;
	err = check_absent(base);
	if (!err)
		err = create_files(out);
	if (err)
		free(out->base);
	return err;
}

/*
 * Write a piece.  The label is written together with a file's first piece, so that no file contains
 * only a label.
 */
static int output_put(struct shim_output *out, struct shim_sink *sink, int volume,
		      const struct shim_buf *piece)
{
	if (sink->size)
		return shim_sink__write(sink, piece->data, piece->len);
	shim_buf__reset(&out->scratch);
	shim_rec_label__encode(&out->scratch, &out->label, volume);
	shim_buf__put(&out->scratch, piece->data, piece->len);
	if (out->scratch.err)
		return out->scratch.err;
	return shim_sink__write(sink, out->scratch.data, out->scratch.len);
}

static int put_meta(struct shim_output *out, struct shim_buf *meta)
{
	int err;

	if (!meta->len)
		return 0;
	err = output_put(out, &out->meta, SHIM_VOLUME_META, meta);
	if (err)
		return err;
	out->since += meta->len;
	shim_buf__reset(meta);
	return 0;
}

/*
 * Write the pending index entries.  On error they stay pending and are written with the next
 * entries.
 */
static int put_entries(struct shim_output *out)
{
	int err;

	if (!out->entries.len)
		return 0;
	err = output_put(out, &out->index, SHIM_VOLUME_INDEX, &out->entries);
	if (!err)
		shim_buf__reset(&out->entries);
	return err;
}

static int add_entry(struct shim_output *out, const struct shim_entry *entry)
{
	size_t len = out->entries.len;

	shim_rec_index__encode(out->format, &out->entries, entry);
	if (out->entries.err) {
		out->entries.len = len;
		out->entries.err = 0;
		return -ENOMEM;
	}
	out->indexed = *entry;
	out->since = 0;
	return 0;
}

/*
 * Write the first entry before the first record, because an archive whose index file is empty or
 * has only a label cannot be opened.
 */
static int put_first_entry(struct shim_output *out, const struct shim_entry *entry)
{
	int err;

	if (out->index.size)
		return 0;	/* the entry was already written, but writing its record failed */
	err = add_entry(out, entry);
	if (!err)
		err = put_entries(out);
	shim_buf__reset(&out->entries);
	return err;
}

static int put_record(struct shim_output *out, const struct shim_buf *record,
		      const struct shim_entry *entry, bool due)
{
	int err;

	if (!out->has_record) {
		err = put_first_entry(out, entry);
		if (err)
			return err;
		due = false;
	}
	err = output_put(out, &out->data, out->volume, record);
	if (err)
		return err;
	out->since += record->len;
	out->before = *entry;
	out->has_record = true;
	/* The record is complete even if writing its index entry fails. */
	if (due && !add_entry(out, entry))
		put_entries(out);
	return 0;
}

static uint64_t size_or_label(const struct shim_output *out, const struct shim_sink *sink)
{
	return sink->size ? sink->size : out->format->label_len;
}

int shim_output__next_volume(struct shim_output *out)
{
	struct shim_sink next;
	int err;

	if (!out->data.size)
		return 0;
	err = shim_output__check_process(out);
	if (!err)
		err = shim_sink__create(&next, out->base, out->volume + 1);
	if (err)
		return err;
	err = shim_sink__close(&out->data);
	out->data = next;
	out->volume++;
	return err;
}

int shim_output__put(struct shim_output *out, struct shim_buf *meta, const struct shim_buf *record,
		     struct shim_ts stamp, bool due)
{
	struct shim_entry entry = {
		.stamp = stamp,
		.volume = out->volume,
		.off_meta = size_or_label(out, &out->meta),
		.off_data = size_or_label(out, &out->data),
	};
	int err = shim_output__check_process(out);

	if (err)
		return err;
	if (entry.off_meta + meta->len > out->format->offset_max)
		return -EFBIG;
	if (entry.off_data + record->len > out->format->offset_max) {
		err = out->data.size ? shim_output__next_volume(out) : -EFBIG;
		if (err)
			return err;
		entry.volume = out->volume;
		entry.off_data = out->format->label_len;
	}
	due = due || !out->data.size || out->since > INDEX_DISTANCE;
	err = put_meta(out, meta);
	return err ? err : put_record(out, record, &entry, due);
}

/* Ensure that the last index entry refers to the last record. */
static int put_last_entry(struct shim_output *out)
{
	int err, written;

	if (out->before.volume == out->indexed.volume &&
	    out->before.off_data == out->indexed.off_data)
		return put_entries(out);
	err = add_entry(out, &out->before);
	written = put_entries(out);
	return err ? err : written;
}

/* Sync the directory to make the names of the files durable. */
static int sync_dir(const char *base)
{
	const char *slash = strrchr(base, '/');
	char *path = slash ? strndup(base, slash - base + 1) : strdup(".");
	int fd = path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	int err = 0;

	free(path);
	if (fd < 0)
		return -errno;
	/* EINVAL: the file system does not support fsync(2) of directories and does not need it. */
	if (fsync(fd) && errno != EINVAL)
		err = -errno;
	close(fd);
	return err;
}

static int first_error(int a, int b)
{
	return a ? a : b;
}

static int finish(struct shim_output *out, struct shim_buf *meta)
{
	int err;

	err = put_meta(out, meta);
	err = first_error(err, put_last_entry(out));
	if (out->data.size)
		err = first_error(err, shim_sink__close(&out->data));
	else
		shim_sink__discard(&out->data, out->base, out->volume);
	err = first_error(err, shim_sink__close(&out->index));
	err = first_error(err, sync_dir(out->base));
	return first_error(err, shim_sink__close(&out->meta));
}

void shim_output__close_files(struct shim_output *out)
{
	shim_fd__release(&out->data.fd);
	shim_fd__release(&out->index.fd);
	shim_fd__release(&out->meta.fd);
}

static int finish_or_discard(struct shim_output *out, struct shim_buf *meta)
{
	if (out->has_record)
		return finish(out, meta);
	discard_files(out);
	return -ENODATA;
}

int shim_output__close(struct shim_output *out, struct shim_buf *meta)
{
	int err = shim_output__check_process(out);

	if (err)
		shim_output__close_files(out);
	else
		err = finish_or_discard(out, meta);
	shim_buf__free(&out->entries);
	shim_buf__free(&out->scratch);
	free(out->base);
	return err;
}
