// SPDX-License-Identifier: LGPL-2.1-or-later
/* Append complete pieces to a file of an archive. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/now.h"
#include "files.h"
#include "sink.h"

int shim_sink__create(struct shim_sink *sink, const char *base, int volume)
{
	char *path = shim_files__path(base, volume);
	int nr, err;

	if (!path)
		return -ENOMEM;
	*sink = (struct shim_sink){ .fd = SHIM_NO_FD };
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
	int64_t ns = shim_now_ns();

	if (ns - sink->checked < CHECK_NS)
		return shim_fd__is_latest(sink->fd);
	sink->checked = ns;
	return shim_fd__is_ours(sink->fd);
}

int shim_sink__write(struct shim_sink *sink, const void *data, size_t len)
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

int shim_sink__close(struct shim_sink *sink)
{
	int err = sink->broken ? -EIO : 0, closed = -EBADF;

	if (shim_fd__is_ours(sink->fd)) {
		if (fsync(sink->fd.nr) && !err)
			err = -errno;
		closed = shim_fd__close(sink->fd);
	}
	sink->fd = SHIM_NO_FD;
	return err ? err : closed;
}

void shim_sink__discard(struct shim_sink *sink, const char *base, int volume)
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

int shim_sink__open(struct shim_sink *sink, const char *base, int volume, int flags)
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

bool shim_sink__is_unchanged(const struct shim_sink *sink)
{
	struct stat st;

	return shim_fd__stat(sink->fd, &st) && (uint64_t)st.st_size == sink->size;
}

bool shim_sink__are_one_file(const struct shim_sink *a, const struct shim_sink *b)
{
	struct stat x, y;

	return !fstat(a->fd.nr, &x) && !fstat(b->fd.nr, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}
