// SPDX-License-Identifier: LGPL-2.1-or-later
/* Append complete pieces to a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "files.h"
#include "sink.h"

int shim_sink__create(struct shim_sink *sink, const char *base, int volume)
{
	char *path = shim_files__path(base, volume);
	int fd;

	if (!path)
		return -ENOMEM;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	free(path);
	if (fd < 0)
		return -errno;
	*sink = (struct shim_sink){ .fd = fd };
	return 0;
}

/* Truncate the file to remove a partly written piece. */
static void cut_back(struct shim_sink *sink)
{
	if (ftruncate(sink->fd, (off_t)sink->size))
		sink->broken = true;
}

int shim_sink__write(struct shim_sink *sink, const void *data, size_t len)
{
	size_t done = 0;

	if (sink->broken)
		return -EIO;
	while (done < len) {
		ssize_t n = pwrite(sink->fd, (const char *)data + done, len - done,
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
	int err = sink->broken ? -EIO : 0;

	if (fsync(sink->fd) && !err)
		err = -errno;
	if (close(sink->fd) && !err)
		err = -errno;
	sink->fd = -1;
	return err;
}

void shim_sink__discard(struct shim_sink *sink, const char *base, int volume)
{
	char *path;

	if (sink->fd < 0)
		return;
	path = shim_files__path(base, volume);
	if (path)
		unlink(path);
	free(path);
	close(sink->fd);
	sink->fd = -1;
}
