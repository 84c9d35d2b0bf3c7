// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a thread forks while others are inside PMAPI, the child can use PMAPI with its own contexts.
 * With PCP's library, the child can inherit locks that no thread will release.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../pcp/archive_file.h"
#include "kselftest_harness.h"
#include "pcp/deprecated.h"
#include "pcp/import.h"
#include "pcp/pmapi.h"

#define FORKS	150
#define SECONDS	20	/* time after which a child is considered to hang */

static char base[64], import_base[80];
static atomic_bool done;
static atomic_int rounds, wrong;

/* Open the archive, and fetch a value from it. */
static int fetch_once(void)
{
	const char *name = "v.cu32";
	int err, context = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	pmResult *result;
	pmID pmid;

	if (context < 0)
		return context;
	err = pmLookupName(1, &name, &pmid);
	if (err == 1)
		err = pmFetch(1, &pmid, &result);
	if (!err)
		pmFreeResult(result);
	pmDestroyContext(context);
	return err;
}

/* Make calls that take the locks for zones, messages, configuration, names and derived metrics. */
static int other_calls(void)
{
	int err = pmUseZone(0);
	char *message = NULL;

	err = err ? err : pmprintf("%s", "") < 0;
	pmflush();
	pmSyslog(0);
	err = err ? err : !pmGetConfig("PCP_VAR_DIR");
	if (!err && pmRegisterDerivedMetric("a.b.c", "v.cu32 +", &message) >= 0)
		err = 1;
	free(message);
	err = err ? err : pmUnregisterDerived("a.b") != PM_ERR_NAME;
	pmUnloadNameSpace();
	return err;
}

static int import_once(void)
{
	int context = pmiStart(import_base, 0);

	return context < 0 ? context : pmiUseContext(context);
}

static void *work(void *arg)
{
	int (*fn)(void) = *(int (**)(void))arg;

	while (!done) {
		atomic_fetch_add(&wrong, fn() != 0);
		atomic_fetch_add(&rounds, 1);
	}
	return NULL;
}

static int (*const works[])(void) = { fetch_once, fetch_once, other_calls };
#define THREADS	(sizeof(works) / sizeof(works[0]))

/* Return the exit status of a forked child that makes the calls. */
static int child_status(void)
{
	int status;
	pid_t pid = fork();

	if (!pid) {
		alarm(SECONDS);
		_exit(fetch_once() ? 1 : other_calls() ? 2 : import_once() ? 3 : 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

FIXTURE(forks) {
	char folder[32];
};

FIXTURE_SETUP(forks)
{
	setenv("PCP_DERIVED_CONFIG", "", 1);
	strcpy(self->folder, "/tmp/forks.XXXXXX");
	ASSERT_NE(NULL, mkdtemp(self->folder));
	snprintf(base, sizeof(base), "%s/archive", self->folder);
	snprintf(import_base, sizeof(import_base), "%s/import", self->folder);
	af_vectors(base, 2);
	ASSERT_EQ(0, pmNewZone("UTC"));
}

FIXTURE_TEARDOWN(forks)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", self->folder);
	ASSERT_EQ(0, system(command));
}

TEST_F(forks, while_others_are_in_calls)
{
	pthread_t threads[THREADS];

#ifdef __SANITIZE_ADDRESS__
	SKIP(return, "AddressSanitizer does not release its allocator's locks in a child");
#endif
	for (size_t i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, work, (void *)&works[i]));
	for (int i = 0; i < FORKS; i++) {
		int enough = rounds + 3, status;

		while (rounds < enough)
			sched_yield();
		status = child_status();
		ASSERT_EQ(0, status) TH_LOG("child %d: status %x", i, status);
	}
	done = true;
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, wrong);
}

/* Call functions that lock the archive, not only the thread's own context. */
static int lock_archive(void)
{
	static __thread int context = -1;
	struct timespec end;

	if (context < 0)
		context = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	return context < 0 ? context : pmGetHighResArchiveEnd(&end);
}

/* Fetch the first value of the archive in the current context. */
static int first_value(void)
{
	const char *name = "v.cu32";
	struct timeval start = { 0 };
	pmResult *result;
	int err, value;
	pmID pmid;

	err = pmSetMode(PM_MODE_FORW, &start, 0);
	if (!err)
		err = pmLookupName(1, &name, &pmid);
	if (err == 1)
		err = pmFetch(1, &pmid, &result);
	if (err)
		return err;
	value = result->vset[0]->vlist[0].value.lval;
	pmFreeResult(result);
	return value;
}

/*
 * A context that only the forking thread uses stays usable in the child, even if another thread is
 * in a call with the same archive.
 */
TEST_F(forks, of_an_archive_that_others_read)
{
	int (*const fn)(void) = lock_archive, value, status = 0;
	pthread_t threads[2];
	pid_t pid;

#ifdef __SANITIZE_ADDRESS__
	SKIP(return, "AddressSanitizer does not release its allocator's locks in a child");
#endif
	done = false;
	ASSERT_LE(0, pmNewContext(PM_CONTEXT_ARCHIVE, base));
	value = first_value();
	ASSERT_LE(0, value);
	for (int i = 0; i < 2; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, work, (void *)&fn));
	for (int i = 0; i < FORKS && !status; i++) {
		pid = fork();
		if (!pid) {
			alarm(SECONDS);
			/* A second fork must not wait for threads that do not exist. */
			pid = fork();
			_exit(first_value() != value || (pid && waitpid(pid, &status, 0) != pid));
		}
		if (waitpid(pid, &status, 0) != pid)
			status = -1;
	}
	done = true;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, wrong);
}

static atomic_int forked;

/* Fork in a signal handler, whose interrupted call may hold a lock. */
static void fork_in_handler(int sig)
{
	int status, err = errno;
	pid_t pid = fork();

	(void)sig;
	if (!pid)
		_exit(0);
	if (pid > 0 && waitpid(pid, &status, 0) == pid)
		atomic_fetch_add(&forked, !status);
	errno = err;
}

TEST_F(forks, in_a_handler_that_interrupts_a_call)
{
	struct sigaction action = { .sa_handler = fork_in_handler, .sa_flags = SA_RESTART };

	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	for (int i = 0; i < FORKS; i++) {
		const struct itimerval soon = { .it_value.tv_usec = 20 + i * 7 % 300 };

		ASSERT_EQ(0, setitimer(ITIMER_REAL, &soon, NULL));
		while (forked <= i)
			ASSERT_EQ(0, other_calls());
	}
}

TEST_HARNESS_MAIN
