// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turn tracing on for recordings with --trace that can overlap, and off after the last of them.
 *
 * Each of these recordings holds a shared lock on a file. The one that turned tracing on writes the
 * inode of a pinned map into the file, which identifies the tracing session. A recording that ends
 * turns tracing off if it gets the exclusive lock, which means that it is the last one, and if the
 * file contains the inode of the present session.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_tracing.h"
#include "vcpc.h"

#define FOLDER	"/run/vcpc"
#define SHARED	FOLDER "/trace-recordings"
#define SESSION	"/sys/fs/bpf/vcpc/vc_stat"

/* Get the inode that identifies the tracing session. Return 0, or -1 with errno set. */
static int session(uint64_t *inode)
{
	struct stat st;

	if (stat(SESSION, &st))
		return -1;
	*inode = st.st_ino;
	return 0;
}

static int open_shared(void)
{
	int fd;

	if (mkdir(FOLDER, 0755) && errno != EEXIST)
		return -1;
	fd = open(SHARED, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && flock(fd, LOCK_SH)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void close_shared(struct record_tracing *tracing)
{
	if (tracing->lock < 0)
		return;
	/* A child process may still have the file open. */
	flock(tracing->lock, LOCK_UN);
	close(tracing->lock);
	tracing->lock = -1;
}

/* Return 1 if a recording turned the present session on, otherwise 0 or -errno. */
static int is_of_recording(const struct record_tracing *tracing)
{
	uint64_t marked, present;
	ssize_t n;

	if (tracing->lock < 0)
		return tracing->ours;
	if (session(&present))
		return errno == ENOENT ? 0 : -errno;
	n = pread(tracing->lock, &marked, sizeof(marked), 0);
	if (n < 0)
		return -errno;
	return n == sizeof(marked) && marked == present;
}

int record_tracing_on(struct record_tracing *tracing)
{
	uint64_t present;
	int ret;

	*tracing = (struct record_tracing) { .lock = open_shared() };
	ret = shim_trace_on(NULL);
	tracing->ours = !ret;
	/* If the session cannot be marked, this recording turns tracing off itself. */
	if (tracing->ours && tracing->lock >= 0 &&
	    (session(&present) || pwrite(tracing->lock, &present, sizeof(present), 0) != sizeof(present)))
		close_shared(tracing);
	if (ret && ret != -EEXIST)
		close_shared(tracing);
	return ret == -EEXIST ? 0 : ret;
}

/*
 * Release the shared lock. Return 1 if no other recording holds it, in which case new ones wait;
 * otherwise 0 or -errno.
 */
static int is_last(const struct record_tracing *tracing)
{
	if (tracing->lock < 0 || !flock(tracing->lock, LOCK_EX | LOCK_NB))
		return 1;
	return errno == EWOULDBLOCK ? 0 : -errno;
}

bool record_tracing_leave(struct record_tracing *tracing)
{
	return !is_last(tracing) && is_of_recording(tracing) > 0;
}

int record_tracing_off(struct record_tracing *tracing)
{
	int ret = is_last(tracing);

	if (ret > 0)
		ret = is_of_recording(tracing);
	if (ret > 0)
		ret = shim_trace_off();
	close_shared(tracing);
	return ret;
}
