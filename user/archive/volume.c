// SPDX-License-Identifier: LGPL-2.1-or-later
/* Load a volume's file by copying or mapping it, and follow its growth. */
#define _DEFAULT_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "base/fd.h"
#include "base/vec.h"
#include "files.h"
#include "unpacked.h"
#include "volume.h"

/* A read buffer for a few records around a place, used instead of the mapping */

void shim_readbuf__fini(struct shim_readbuf *readbuf)
{
	free(readbuf->bytes);
	*readbuf = (struct shim_readbuf){ 0 };
}

static bool read_from(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, uint32_t room)
{
	const struct shim_volume *v = shim_archive__volume(ar, volume);
	struct shim_volume_view view;
	size_t len = room;

	if (shim_archive__view(ar, volume, &view) || v->joint || v->look.nr < 0 ||
	    offset >= view.size || shim_vec__reserve(readbuf->bytes, &readbuf->room, room))
		return false;
	/* Do not read beyond the view, even if the file has grown. */
	if (len > view.size - offset)
		len = view.size - offset;
	readbuf->len = 0;
	if (!shim_fd__is_ours(v->look) ||
	    shim_file__read(v->look.nr, readbuf->bytes, len, offset, &len))
		return false;
	readbuf->volume = volume;
	readbuf->offset = offset;
	readbuf->len = (uint32_t)len;
	return true;
}

bool shim_readbuf__read(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		     uint64_t offset)
{
	return read_from(readbuf, ar, volume, offset, SHIM_READBUF_SIZE);
}

static bool is_next_to(const struct shim_readbuf *readbuf, unsigned int volume, uint64_t offset)
{
	return readbuf->len >= SHIM_READBUF_SIZE && volume == readbuf->volume &&
	       offset >= readbuf->offset && offset - readbuf->offset <= readbuf->len;
}

bool shim_readbuf__go_on(struct shim_readbuf *readbuf, struct shim_archive *ar, unsigned int volume,
		      uint64_t offset, bool back)
{
	uint64_t reach;
	uint32_t room, other;

	if (offset == UINT64_MAX)
		return false;
	room = is_next_to(readbuf, volume, offset) ? 2 * readbuf->len : SHIM_READBUF_SIZE;
	/*
	 * Include some bytes on the other side for a cursor that changes direction, unless it has
	 * continued for long.
	 */
	other = room > SHIM_READBUF_MAX ? 0 : room / 8;
	if (room > SHIM_READBUF_MAX)
		room = SHIM_READBUF_MAX;
	reach = back ? room - other : other;
	return read_from(readbuf, ar, volume, offset > reach ? offset - reach : 0, room);
}

static const struct shim_format *format_of(const struct shim_archive *ar, unsigned int volume)
{
	return shim_archive__volume(ar, volume)->segment->format;
}

bool shim_readbuf__at(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		   unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t from = offset - readbuf->offset;

	/* Without this check, the label before the first record could be mistaken for a record. */
	if (volume != readbuf->volume || offset < readbuf->offset || from >= readbuf->len ||
	    offset < shim_archive__head(ar, volume) ||
	    shim_rec_result__decode(format_of(ar, volume), readbuf->bytes + from,
				    readbuf->len - from, rec))
		return false;
	rec->offset = offset;
	return true;
}

bool shim_readbuf__before(const struct shim_readbuf *readbuf, const struct shim_archive *ar,
		       unsigned int volume, uint64_t offset, struct shim_record *rec)
{
	uint64_t to = offset - readbuf->offset;
	uint32_t len;

	if (volume != readbuf->volume || offset < readbuf->offset || to > readbuf->len || to < 4)
		return false;
	len = shim_be32__get(readbuf->bytes + to - 4);
	return len <= to && shim_readbuf__at(readbuf, ar, volume, offset - len, rec) &&
	       rec->len == len;
}

int shim_readbuf__keep(const struct shim_readbuf *readbuf, struct shim_archive *ar,
		    const struct shim_record *rec, struct shim_value *value)
{
	struct shim_volume_view view;
	int err;

	if (value->type < SHIM_TYPE_STRING || !readbuf->len || rec->data < readbuf->bytes ||
	    rec->data >= readbuf->bytes + readbuf->len)
		return 0;
	err = shim_archive__view(ar, rec->volume, &view);
	if (err)
		return err;
	if (view.size - rec->len < rec->offset)
		return -EBADMSG;
	value->bytes = view.data + rec->offset + ((const uint8_t *)value->bytes - rec->data);
	return 0;
}

/*
 * struct shim_extent - one range of memory that holds the volume
 * @older: an earlier extent, to which returned records may still refer
 * @room: number of bytes available at @data
 * @size: number of bytes that contain file content
 * @unpacked: if set, @data is its mapping
 */
struct shim_extent {
	struct shim_extent *older;
	uint8_t *data;
	size_t room;
	bool mapped;
	_Atomic uint64_t size;
	struct shim_unpacked *unpacked;
};

static int map_file(struct shim_extent *e, int fd, uint64_t size)
{
	void *p = mmap(NULL, e->room, PROT_READ, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		return -errno;
	e->data = p;
	e->mapped = true;
	atomic_init(&e->size, size);
	return 0;
}

static int copy_file(struct shim_extent *e, const struct shim_file *file, uint64_t size)
{
	size_t got;
	int err;

	e->data = malloc(e->room ? e->room : 1);
	if (!e->data)
		return -ENOMEM;
	err = shim_file__copy(file, e->data, size, 0, &got);
	if (err)
		free(e->data);
	else
		atomic_init(&e->size, got);
	return err;
}

/*
 * Use the content of a compressed file.  If it has only one unit, unpack that now: if the unit is
 * damaged, so is the whole volume.
 */
static int use_unpacked(struct shim_extent *e, struct shim_unpacked *u)
{
	int err = u->nunits == 1 ? shim_unpacked__need(u, 0, u->size) : 0;

	if (err)
		return err;
	e->unpacked = shim_unpacked__share(u);
	e->data = u->data;
	e->mapped = true;
	atomic_init(&e->size, u->size);
	return 0;
}

/* Load the current file into a new extent of @room bytes, which replaces the older one. */
static int extent_replace(struct shim_volume *v, const struct shim_file *file, uint64_t size,
			  uint64_t room)
{
	struct shim_extent *e;
	int err = 0;

	if (room > SIZE_MAX / 2)
		return -EFBIG;
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	e->room = room;
	if (!v->map)
		err = copy_file(e, file, size);
	else if (file->unpacked)
		err = use_unpacked(e, file->unpacked);
	else
		err = map_file(e, file->fd, size);
	if (err) {
		free(e);
		return err;
	}
	e->older = atomic_load_explicit(&v->extent, memory_order_relaxed);
	atomic_store_explicit(&v->extent, e, memory_order_release);
	return 0;
}

/*
 * Keep the descriptor of a loaded file if it is needed: to follow growth, or for reads instead of
 * the mapping.  A followed volume gets a second descriptor, because the first one is closed when
 * the volume stops growing.
 */
static void keep(struct shim_volume *v, struct shim_file *file, bool follow,
		 struct shim_budget *left)
{
	bool look = v->map && left->looks;

	if (look) {
		int nr = follow ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : file->fd;

		left->looks -= !shim_fd__own(nr, &v->look);
	}
	if (follow)
		shim_fd__own(file->fd, &v->fd);
	if (look || follow)
		file->fd = -1;
}

/* Take over the descriptor that is kept of the segment's first volume, if it is this one. */
static bool take_kept(const struct shim_volume *v, struct shim_file *file)
{
	struct shim_fd *kept = &v->segment->kept;

	if (v->number != v->segment->files.volumes[0] || kept->nr < 0)
		return false;
	*file = (struct shim_file){ .fd = kept->nr };
	if (shim_fd__stat(*kept, &file->st)) {
		kept->nr = -1;
		return true;
	}
	shim_fd__release(kept);
	return false;
}

int shim_volume__load(struct shim_volume *v, const char *base, bool follow,
		      struct shim_budget *left)
{
	struct shim_file file;
	uint64_t size;
	int err = take_kept(v, &file) ? 0 : shim_files__open(base, v->number, &file);

	if (err)
		return err;
	size = (uint64_t)file.st.st_size;
	/* mmap(2) rejects a length of zero, so an empty volume is not mapped. */
	v->map = size && (file.unpacked || size > left->copy);
	err = extent_replace(v, &file, size, size);
	if (!err && !v->map)
		left->copy -= size;
	if (!err && !file.unpacked)
		keep(v, &file, follow, left);
	shim_file__close(&file);
	return err;
}

/* Append the file's new bytes to the extent, which has space for them. */
static int append(struct shim_volume *v, struct shim_extent *e, uint64_t old, uint64_t size)
{
	size_t got = size - old;
	int err = 0;

	if (!e->mapped)
		err = shim_file__read(v->fd.nr, e->data + old, size - old, old, &got);
	if (!err)
		atomic_store_explicit(&e->size, old + got, memory_order_release);
	return err;
}

int shim_volume__refresh(struct shim_volume *v, bool *changed)
{
	struct shim_extent *e = atomic_load_explicit(&v->extent, memory_order_relaxed);
	uint64_t old, size;
	struct stat st;

	*changed = false;
	if (!e || v->fd.nr < 0 || !shim_fd__stat(v->fd, &st))
		return 0;
	old = atomic_load_explicit(&e->size, memory_order_relaxed);
	size = (uint64_t)st.st_size;
	if (size == old)
		return 0;
	*changed = true;
	/*
	 * Read a copy again if it ends within a record, because those bytes may have been
	 * rewritten.
	 */
	if (size > old && size <= e->room && (e->mapped || v->good == old))
		return append(v, e, old, size);
	v->map = v->map ? size > 0 : size > SHIM_VOLUME_COPY;
	return extent_replace(v, &(struct shim_file){ .fd = v->fd.nr }, size, 2 * size);
}

void shim_volume__release(struct shim_volume *v)
{
	const struct shim_extent *e = atomic_load_explicit(&v->extent, memory_order_acquire);

	atomic_store_explicit(&v->windows, 0, memory_order_relaxed);
	if (e && e->mapped)
		madvise(e->data, e->room, MADV_DONTNEED);
}

void shim_volume__enter(struct shim_volume *v)
{
	if (atomic_fetch_add_explicit(&v->windows, 1, memory_order_relaxed) >= SHIM_VOLUME_WINDOWS)
		shim_volume__release(v);
}

void shim_volume__free(struct shim_volume *v)
{
	struct shim_extent *e = atomic_load_explicit(&v->extent, memory_order_relaxed), *older;

	for (; e; e = older) {
		older = e->older;
		if (!e->mapped)
			free(e->data);
		else if (!e->unpacked)
			munmap(e->data, e->room);
		shim_unpacked__put(e->unpacked);
		free(e);
	}
	shim_fd__release(&v->fd);
	shim_fd__release(&v->look);
}

bool shim_volume__view(struct shim_volume *v, struct shim_volume_view *out)
{
	struct shim_extent *e = atomic_load_explicit(&v->extent, memory_order_acquire);

	if (!e)
		return false;
	out->data = e->data;
	out->unpacked = e->unpacked;
	out->size = atomic_load_explicit(&e->size, memory_order_acquire);
	return true;
}
