// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A child can unpack files even if another thread was using the list of unpacked files when the
 * process forked.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include "archive/unpacked.h"
#include "kselftest_harness.h"

#define FORKS	500

FIXTURE(packed) {
	char path[32];
	int fd;
	atomic_bool ends;
};

FIXTURE_SETUP(packed)
{
	gzFile gz;

	strcpy(self->path, "/tmp/packed-XXXXXX");
	self->fd = mkstemp(self->path);
	ASSERT_LE(0, self->fd);
	gz = gzdopen(dup(self->fd), "w");
	ASSERT_EQ(4, gzwrite(gz, "text", 4));
	ASSERT_EQ(Z_OK, gzclose(gz));
}

FIXTURE_TEARDOWN(packed)
{
	close(self->fd);
	unlink(self->path);
}

static int use(FIXTURE_DATA(packed) *self)
{
	struct shim_unpacked *u;
	struct stat st;
	int err = fstat(self->fd, &st) ? -errno : shim_unpacked__get(self->fd, &st, ".gz", &u);

	if (err)
		return err;
	err = u->size == 4 && !memcmp(u->data, "text", 4) ? 0 : -EBADMSG;
	shim_unpacked__put(u);
	return err;
}

/*
 * In another thread, repeatedly take and release a reference to the unpacked file, so that the lock
 * of the list is often held.
 */
static void *share(void *arg)
{
	FIXTURE_DATA(packed) *self = arg;
	struct shim_unpacked *u, *same;
	struct stat st;

	if (fstat(self->fd, &st) || shim_unpacked__get(self->fd, &st, ".gz", &u))
		return arg;
	while (!atomic_load(&self->ends)) {
		same = shim_unpacked__share(u);
		shim_unpacked__put(same);
	}
	shim_unpacked__put(u);
	return NULL;
}

TEST_F(packed, fork_while_another_thread_is_in_the_list)
{
	pthread_t thread;
	void *failed;
	int status;

	ASSERT_EQ(0, use(self));
	ASSERT_EQ(0, pthread_create(&thread, NULL, share, self));
	for (int i = 0; i < FORKS; i++) {
		pid_t pid = fork();

		if (!pid) {
			alarm(20);
			_exit(use(self) ? 1 : 0);
		}
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_EQ(0, status);
	}
	atomic_store(&self->ends, true);
	ASSERT_EQ(0, pthread_join(thread, &failed));
	EXPECT_EQ(NULL, failed);
	EXPECT_EQ(0, use(self));
}

TEST_HARNESS_MAIN
