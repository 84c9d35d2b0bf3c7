// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several processes, each with several sets, can be recorded in one archive, and have separate
 * counts.
 */
#include <pcp/pmapi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/shim.h"
#include "known_work.h"
#include "kselftest_harness.h"

FIXTURE(several) {
	char dir[64];
	char base[80];
	struct shim_handle *handle;
	struct shim_recorder *rec;
};

FIXTURE_SETUP(several)
{
	strcpy(self->dir, "/tmp/vcpc-several-XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->dir));
	snprintf(self->base, sizeof(self->base), "%s/a", self->dir);
	ASSERT_EQ(0, shim_open(&self->handle));
	ASSERT_EQ(0, shim_record_open(self->base, NULL, &self->rec));
}

FIXTURE_TEARDOWN(several)
{
	static const char *const files[] = { "meta", "index", "0" };
	char path[128];

	if (self->rec)
		shim_record_discard(self->rec);
	for (int i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s.%s", self->base, files[i]);
		unlink(path);
	}
	EXPECT_EQ(0, rmdir(self->dir));
	shim_close(self->handle);
}

#define PROCESSES 3

/*
 * Start a child that waits until it is counted, does work that depends on @number, and waits again.
 */
static pid_t start_worker(int number, int go, int done)
{
	pid_t pid = fork();
	char c;

	if (pid)
		return pid;
	if (read(go, &c, 1) != 1)
		_exit(1);
	touch(1000 * number);
	if (write(done, "", 1) != 1)
		_exit(1);
	pause();
	_exit(0);
}

/* Return the last value of an instance of a metric in an archive, or -1 if there is none. */
static long long last_value(const char *base, const char *metric, int inst)
{
	long long value = -1;
	pmResult *result;
	pmID pmid;
	int context = pmNewContext(PM_CONTEXT_ARCHIVE, base);

	if (context < 0 || pmLookupName(1, &metric, &pmid) < 0)
		return -2;
	while (pmFetch(1, &pmid, &result) >= 0) {
		for (int i = 0; i < result->vset[0]->numval; i++)
			if (result->vset[0]->vlist[i].inst == inst)
				memcpy(&value, result->vset[0]->vlist[i].value.pval->vbuf, 8);
		pmFreeResult(result);
	}
	pmDestroyContext(context);
	return value;
}

TEST_F(several, processes)
{
	const char *events[] = { "page-faults:u", "task-clock" };
	struct shim_set *sets[PROCESSES][2];
	pid_t pids[PROCESSES];
	int go[2], done[2];
	char c;

	ASSERT_EQ(0, pipe(go));
	ASSERT_EQ(0, pipe(done));
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = start_worker(i + 1, go[0], done[1]);
		ASSERT_LT(0, pids[i]);
		for (int j = 0; j < 2; j++) {
			ASSERT_EQ(0, shim_set_create(self->handle, &events[j], 1, NULL,
						     &sets[i][j]));
			ASSERT_EQ(0, shim_set_bind(sets[i][j], pids[i], 0));
			ASSERT_EQ(0, shim_record_add_set(self->rec, sets[i][j], pids[i]));
		}
	}
	ASSERT_EQ(0, shim_record_tick(self->rec));
	ASSERT_EQ(PROCESSES, write(go[1], "xxx", PROCESSES));
	for (int i = 0; i < PROCESSES; i++)
		ASSERT_EQ(1, read(done[0], &c, 1));
	ASSERT_EQ(0, shim_record_tick(self->rec));
	EXPECT_EQ(0, shim_record_missing(self->rec));
	ASSERT_EQ(0, shim_record_close(self->rec));
	self->rec = NULL;
	for (int i = 0; i < PROCESSES; i++) {
		EXPECT_LE(1000 * (i + 1), last_value(self->base, "vcpc.count.page_faults_u",
						     pids[i]));
		EXPECT_GT(1000 * (i + 1) + 200, last_value(self->base, "vcpc.count.page_faults_u",
							   pids[i]));
		EXPECT_LT(0, last_value(self->base, "vcpc.count.task_clock", pids[i]));
		EXPECT_LT(0, last_value(self->base, "vcpc.time.tick", pids[i]));
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
		shim_set_destroy(sets[i][0]);
		shim_set_destroy(sets[i][1]);
	}
}

TEST_HARNESS_MAIN
