// SPDX-License-Identifier: LGPL-2.1-or-later
/* Create an archive's files, write to them in order, and finish them. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "archive.h"
#include "files.h"
#include "output.h"

/* Append complete pieces to a file. */

static const struct shim_fd no_fd = { .nr = -1 };

/* Create a file.  Return -EEXIST if a file with that name exists. */
static int sink_create(struct shim_sink *sink, const char *base, int volume)
{
	char *path = shim_files__path(base, volume);
	int nr, err;

	if (!path)
		return -ENOMEM;
	*sink = (struct shim_sink){ .fd = no_fd };
	nr = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	err = nr < 0 ? -errno : shim_fd__own(nr, &sink->fd);
	if (nr >= 0 && err)
		unlink(path);
	free(path);
	return err;
}

/* Truncate the file to remove a partly written piece. */
static void cut_back(struct shim_sink *sink)
{
	if (!shim_fd__is_ours(sink->fd) || ftruncate(sink->fd.nr, (off_t)sink->size))
		sink->broken = true;
}

/*
 * Return whether the descriptor is still the file's, and not one that the program has opened after
 * closefrom(3).  Querying the file before each write would take half as much time again.  A
 * program that opens files until one gets the library's number needs about 900 system calls, and
 * thus more than CHECK_NS.
 */
#define CHECK_NS	50000

static bool is_ours(struct shim_sink *sink)
{
	struct timespec now;
	int64_t ns;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
	if (ns - sink->checked < CHECK_NS)
		return shim_fd__is_latest(sink->fd);
	sink->checked = ns;
	return shim_fd__is_ours(sink->fd);
}

static int sink_write(struct shim_sink *sink, const void *data, size_t len)
{
	size_t done = 0;

	if (sink->broken)
		return -EIO;
	if (!is_ours(sink))
		return -EBADF;
	while (done < len) {
		ssize_t n = pwrite(sink->fd.nr, (const char *)data + done, len - done,
				   (off_t)(sink->size + done));
		int err = n < 0 ? -errno : -EIO;

		if (err == -EINTR)
			continue;
		if (n <= 0) {
			if (done)
				cut_back(sink);
			return err;
		}
		done += (size_t)n;
	}
	sink->size += len;
	return 0;
}

/* Make the file durable, and close it. */
static int sink_close(struct shim_sink *sink)
{
	int err = sink->broken ? -EIO : 0, closed = -EBADF;

	if (shim_fd__is_ours(sink->fd)) {
		if (fsync(sink->fd.nr) && !err)
			err = -errno;
		closed = shim_fd__close(sink->fd);
	}
	sink->fd = no_fd;
	return err ? err : closed;
}

/* Close the file, and remove it. */
static void sink_discard(struct shim_sink *sink, const char *base, int volume)
{
	char *path;

	if (sink->fd.nr < 0)
		return;
	path = shim_files__path(base, volume);
	if (path)
		unlink(path);
	free(path);
	shim_fd__release(&sink->fd);
}

static int check_process(struct shim_output *out);

#define INDEX_DISTANCE	100000	/* bytes written between two entries of the index */

/* Return whether the existing archive is being written.  If it is, its metadata file is locked. */
static bool is_busy(const char *base)
{
	char *path = shim_files__path(base, SHIM_VOLUME_META);
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
	bool busy = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;

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
	sink_discard(&out->index, out->base, SHIM_VOLUME_INDEX);
	sink_discard(&out->data, out->base, out->volume);
	/* Remove the metadata file last, because its lock excludes other writers. */
	sink_discard(&out->meta, out->base, SHIM_VOLUME_META);
}

/* Create and lock the metadata file first, so that the second of two writers fails here. */
static int create_files(struct shim_output *out)
{
	int err;

	err = sink_create(&out->meta, out->base, SHIM_VOLUME_META);
	if (err)
		return err == -EEXIST && is_busy(out->base) ? -EBUSY : err;
	/* Another process that checks whether the archive is being written holds the lock briefly. */
	do {
		err = flock(out->meta.fd.nr, LOCK_EX) ? -errno : 0;
	} while (err == -EINTR);
	if (!err)
		err = sink_create(&out->index, out->base, SHIM_VOLUME_INDEX);
	if (!err)
		err = sink_create(&out->data, out->base, 0);
	if (err)
		discard_files(out);
	return err;
}

/* Initialize the part that is the same for new and existing archives. */
static int init(struct shim_output *out, const char *base)
{
	int err = shim_fork__watch();

	if (err)
		return err;
	out->meta.fd = out->index.fd = out->data.fd = no_fd;
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
	err = init(out, base);
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
		return sink_write(sink, piece->data, piece->len);
	shim_buf__reset(&out->scratch);
	shim_rec_label__encode(&out->scratch, &out->label, volume);
	shim_buf__put(&out->scratch, piece->data, piece->len);
	if (out->scratch.err)
		return out->scratch.err;
	return sink_write(sink, out->scratch.data, out->scratch.len);
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
	err = check_process(out);
	if (!err)
		err = sink_create(&next, out->base, out->volume + 1);
	if (err)
		return err;
	err = sink_close(&out->data);
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
	int err = check_process(out);

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
		err = first_error(err, sink_close(&out->data));
	else
		sink_discard(&out->data, out->base, out->volume);
	err = first_error(err, sink_close(&out->index));
	err = first_error(err, sync_dir(out->base));
	return first_error(err, sink_close(&out->meta));
}

static void close_files(struct shim_output *out)
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
	int err = check_process(out);

	if (err)
		close_files(out);
	else
		err = finish_or_discard(out, meta);
	shim_buf__free(&out->entries);
	shim_buf__free(&out->scratch);
	free(out->base);
	return err;
}

/* Open the files of an existing archive to append to it */

/*
 * Open an existing file, or create it if @flags has O_CREAT.  The next piece is written at its end.
 */
static int open_sink(struct shim_sink *sink, const char *base, int volume, int flags)
{
	char *path = shim_files__path(base, volume);
	struct stat st;
	int nr, err;

	if (!path)
		return -ENOMEM;
	nr = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags, 0666);
	err = nr < 0 ? -errno : shim_fd__own(nr, &sink->fd);
	free(path);
	if (err)
		return err;
	if (fstat(sink->fd.nr, &st))
		return -errno;
	sink->size = (uint64_t)st.st_size;
	return S_ISREG(st.st_mode) ? 0 : -EINVAL;
}

/* Take the lock before reading anything: afterwards, no other writer changes the files. */
static int lock_meta(struct shim_output *out)
{
	int err = open_sink(&out->meta, out->base, SHIM_VOLUME_META, 0);

	if (err)
		return err;
	if (flock(out->meta.fd.nr, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? -EBUSY : -errno;
	return 0;
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
	err = open_sink(&out->index, out->base, SHIM_VOLUME_INDEX, err ? 0 : O_CREAT);
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
	err = open_sink(&out->data, out->base, out->volume, 0);
	if (err == -ENOENT)
		return sink_create(&out->data, out->base, ++out->volume);
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
	err = init(out, base);
	if (err)
		return err;
	*ar = NULL;
	err = open_files(out, ar, last);
	if (err) {
		shim_archive__put(*ar);
		close_files(out);
		free(out->base);
	}
	return err;
}

/* Continue an archive in a forked child */

#define PARENT_WAIT_MS	1000	/* for the end of a parent that only had to fork */

static bool is_unchanged(const struct shim_sink *sink)
{
	struct stat st;

	return shim_fd__is_ours(sink->fd) && !fstat(sink->fd.nr, &st) &&
	       (uint64_t)st.st_size == sink->size;
}

static bool are_one_file(const struct shim_sink *a, const struct shim_sink *b)
{
	struct stat x, y;

	return !fstat(a->fd.nr, &x) && !fstat(b->fd.nr, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/*
 * Replace the lock that the parent took and that all its children share, so that only one of them
 * continues the archive.
 */
static int take_over(struct shim_output *out)
{
	struct shim_sink shared = out->meta;
	int err;

	if (!is_unchanged(&shared) || flock(shared.fd.nr, LOCK_UN))
		return -EBUSY;
	out->meta.fd = no_fd;
	err = lock_meta(out);
	if (!err && !(are_one_file(&shared, &out->meta) && is_unchanged(&shared) &&
		      is_unchanged(&out->index) && is_unchanged(&out->data)))
		err = -EBUSY;
	shim_fd__release(err ? &out->meta.fd : &shared.fd);
	if (err)
		out->meta = shared;
	return err;
}

/* Return 0 if this process may write the archive, or an error. */
static int check_process(struct shim_output *out)
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
