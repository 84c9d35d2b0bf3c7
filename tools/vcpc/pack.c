// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compress the volumes of archives that are complete: vcpc record --compress.
 *
 * A volume is replaced only after its compressed copy is on disk, so one of the two is always
 * complete.  The format is xz, which every version of PCP's library reads without running another
 * program.  The file is divided into blocks, because the library unpacks only the blocks that it
 * needs.  Records of the same metrics are similar, so a fast preset suffices if its dictionary is
 * large enough for several records with many tags.
 */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "pack.h"
#include "vcpc.h"

#define PRESET		1
#define DICTIONARY	(1u << 23)
#define BLOCK		(1u << 24)
#define ROOM		(1u << 17)

/* A volume that is being compressed */
struct job {
	lzma_stream xz;
	int from, to;
	uint8_t in[ROOM], out[ROOM];
};

static int write_all(int fd, const uint8_t *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno != EINTR)
			return -errno;
		data += n < 0 ? 0 : n;
		len -= n < 0 ? 0 : n;
	}
	return 0;
}

/* Compress the data that was read.  With LZMA_FINISH, also end the file. */
static int packed_put(struct job *job, size_t len, lzma_action action)
{
	lzma_ret ret;

	job->xz.next_in = job->in;
	job->xz.avail_in = len;
	do {
		int err;

		job->xz.next_out = job->out;
		job->xz.avail_out = ROOM;
		ret = lzma_code(&job->xz, action);
		if (ret != LZMA_OK && ret != LZMA_STREAM_END)
			return ret == LZMA_MEM_ERROR ? -ENOMEM : -EIO;
		err = write_all(job->to, job->out, ROOM - job->xz.avail_out);
		if (err)
			return err;
	} while (job->xz.avail_in || (action == LZMA_FINISH && ret != LZMA_STREAM_END));
	return 0;
}

static int copy(struct job *job)
{
	for (;;) {
		ssize_t n = read(job->from, job->in, ROOM);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		err = packed_put(job, n, n ? LZMA_RUN : LZMA_FINISH);
		if (err || !n)
			return err;
	}
}

static int set_up(struct job *job)
{
	const lzma_stream fresh = LZMA_STREAM_INIT;
	lzma_options_lzma options;
	lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options }, { LZMA_VLI_UNKNOWN, NULL } };
	const lzma_mt mt = {
		.threads = 1, .block_size = BLOCK, .filters = filters, .check = LZMA_CHECK_CRC64,
	};

	job->xz = fresh;
	if (lzma_lzma_preset(&options, PRESET))
		return -EINVAL;
	options.dict_size = DICTIONARY;
	return lzma_stream_encoder_mt(&job->xz, &mt) == LZMA_OK ? 0 : -ENOMEM;
}

static int compress_to(int from, int to)
{
	struct job *job = calloc(1, sizeof(*job));
	int err = job ? set_up(job) : -ENOMEM;

	if (!err) {
		job->from = from;
		job->to = to;
		err = copy(job);
	}
	if (!err && fdatasync(to))
		err = -errno;
	if (job)
		lzma_end(&job->xz);
	free(job);
	return err;
}

/* Replace the volume with its compressed copy. */
static int volume_replace(const char *volume, const char *part)
{
	char packed[PATH_MAX + 32];

	snprintf(packed, sizeof(packed), "%s.xz", volume);
	if (rename(part, packed) || unlink(volume))
		return -errno;
	return 0;
}

static int pack_volume(const char *volume)
{
	int from = open(volume, O_RDONLY | O_CLOEXEC | O_NOFOLLOW), to, err;
	char part[PATH_MAX + 32];
	struct stat st;

	if (from < 0)
		return -errno;
	snprintf(part, sizeof(part), "%s.xz.part", volume);
	to = fstat(from, &st) ? -1 : open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, st.st_mode & 0777);
	err = to < 0 ? -errno : compress_to(from, to);
	if (to >= 0 && close(to) && !err)
		err = -errno;
	if (!err)
		err = volume_replace(volume, part);
	if (err && to >= 0)
		unlink(part);
	close(from);
	return err;
}

static void *pack(void *arg)
{
	struct vcpc_packer *packer = arg;

	for (int i = 0; !packer->err; i++) {
		char volume[PATH_MAX + 16];
		int err;

		snprintf(volume, sizeof(volume), "%s.%d", packer->archive, i);
		err = pack_volume(volume);
		if (err == -ENOENT && i)
			break;
		packer->err = err;
	}
	return NULL;
}

void vcpc_packer_start(struct vcpc_packer *packer, const char *archive)
{
	sigset_t all, mask;

	snprintf(packer->archive, sizeof(packer->archive), "%s", archive);
	packer->err = 0;
	/* Signals are handled by the recorder's thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &mask);
	packer->running = !pthread_create(&packer->thread, NULL, pack, packer);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (!packer->running)
		pack(packer);
}

int vcpc_packer_wait(struct vcpc_packer *packer)
{
	int err;

	if (packer->running)
		pthread_join(packer->thread, NULL);
	packer->running = false;
	err = packer->err;
	packer->err = 0;
	if (err)
		vcpc_fail(err, "--compress: cannot compress %s; it stays uncompressed", packer->archive);
	return err;
}
