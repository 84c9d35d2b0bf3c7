// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads exit, destroy and record while other threads use the same object.  This is mainly for
 * ThreadSanitizer.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/time.h>

#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "../cpc/cpc.h"
#include "../pcp/archive_file.h"
#include "kselftest_harness.h"
#include "pcp/pmapi.h"
#include "pcp/trace.h"
#include "shim/shim.h"

#define THREADS	3
#define ROUNDS	100

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

static cpc_t *cpc;
static cpc_set_t *set;
static _Thread_local cpc_buf_t *mine;
static atomic_int errors;
static atomic_int samples;

/*
 * Sample in a signal handler.  The thread can receive signals before it binds the set and after it
 * unbinds the set.
 */
static void sample_in_handler(int sig)
{
	int err = errno;

	(void)sig;
	if (mine && !cpc_set_sample(cpc, set, mine))
		atomic_fetch_add(&samples, 1);
	errno = err;
}

static void *bind_and_exit(void *buf)
{
	mine = buf;
	atomic_fetch_add(&errors, cpc_bind_curlwp(cpc, set, 0) != 0);
	for (int i = 0; i < 20; i++)
		atomic_fetch_add(&errors, cpc_set_sample(cpc, set, buf) != 0);
	raise(SIGUSR1);
	return NULL;
}

TEST(exit_while_a_handler_samples)
{
	const struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	struct sigaction action = { .sa_handler = sample_in_handler, .sa_flags = SA_RESTART };
	cpc_buf_t *bufs[THREADS];
	pthread_t threads[THREADS];

	cpc = open_with(&set, "page-faults", 0);
	ASSERT_NE(NULL, cpc);
	for (int i = 0; i < THREADS; i++)
		bufs[i] = cpc_buf_create(cpc, set);
	ASSERT_EQ(0, sigaction(SIGALRM, &action, NULL));
	ASSERT_EQ(0, sigaction(SIGUSR1, &action, NULL));
	ASSERT_EQ(0, setitimer(ITIMER_REAL, &often, NULL));
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < THREADS; i++)
			ASSERT_EQ(0, pthread_create(&threads[i], NULL, bind_and_exit, bufs[i]));
		for (int i = 0; i < THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_IGN);
	EXPECT_EQ(0, errors);
	EXPECT_LE(ROUNDS * THREADS, samples);
	cpc_close(cpc);
}

static atomic_int context, fetched, done;
static char base[64];

static void *fetch_often(void *arg)
{
	pmID pmid = *(pmID *)arg;
	pmResult *r;

	while (!done) {
		int err = pmUseContext(context);

		if (!err)
			err = pmFetch(1, &pmid, &r);
		if (!err)
			pmFreeResult(r);
		atomic_fetch_add(&fetched, !err || err == PM_ERR_EOL);
		if (err && err != PM_ERR_NOCONTEXT && err != PM_ERR_EOL)
			atomic_fetch_add(&errors, 1);
	}
	return NULL;
}

TEST(destroy_a_context_while_others_fetch)
{
	char folder[] = "/tmp/threads.XXXXXX";
	const char *name = "v.cu32";
	pthread_t threads[THREADS];
	pmID pmid;

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(base, sizeof(base), "%s/archive", folder);
	af_vectors(base, 2);
	context = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	ASSERT_LE(0, context);
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	for (int i = 0; i < THREADS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, fetch_often, &pmid));
	for (int round = 0; round < ROUNDS; round++) {
		int enough = fetched + 2, old = context;

		while (fetched < enough)
			sched_yield();
		context = pmNewContext(PM_CONTEXT_ARCHIVE, base);
		EXPECT_EQ(0, pmDestroyContext(old));
	}
	done = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, errors);
	EXPECT_EQ(0, pmDestroyContext(context));
	af_remove(base);
}

#define OPENERS	6

static pthread_barrier_t start;

static void *open_and_read(void *arg)
{
	const char *name = "v.cu32";

	for (int round = 0; round < ROUNDS / 10; round++) {
		int opened, err;
		pmResult *r;
		pmID pmid;

		pthread_barrier_wait(&start);
		opened = pmNewContext(PM_CONTEXT_ARCHIVE, arg);
		err = opened < 0 ? opened : pmLookupName(1, &name, &pmid);
		if (err == 1)
			err = pmFetch(1, &pmid, &r);
		if (!err) {
			atomic_fetch_add(&errors, r->vset[0]->numval != 1);
			pmFreeResult(r);
		}
		atomic_fetch_add(&errors, err != 0);
		atomic_fetch_add(&errors, opened >= 0 && pmDestroyContext(opened) != 0);
	}
	return NULL;
}

/* All threads open the packed archive, and so need its unpacked files, at the same time. */
TEST(open_a_packed_archive_at_once)
{
	char folder[] = "/tmp/threads.XXXXXX", command[160];
	pthread_t threads[OPENERS];

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(base, sizeof(base), "%s/archive", folder);
	af_vectors(base, 2);
	snprintf(command, sizeof(command), "gzip %s.0 %s.meta", base, base);
	ASSERT_EQ(0, system(command));
	ASSERT_EQ(0, pthread_barrier_init(&start, NULL, OPENERS));
	for (int i = 0; i < OPENERS; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, open_and_read, base));
	for (int i = 0; i < OPENERS; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(0, errors);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	EXPECT_EQ(0, system(command));
}

static void *trace_often(void *arg)
{
	while (!done) {
		atomic_fetch_add(&errors, pmtracebegin("together") != 0);
		atomic_fetch_add(&errors, pmtraceobs("value", 1) != 0);
		atomic_fetch_add(&errors, pmtraceend("together") != 0);
	}
	return arg;
}

static void *count_often(void *arg)
{
	struct shim_sample sample;

	atomic_fetch_add(&errors, shim_set_bind(arg, 0, 0) != 0);
	while (!done)
		atomic_fetch_add(&errors, shim_set_sample(arg, 0, &sample) != 0);
	atomic_fetch_add(&errors, shim_set_unbind(arg, 0) != 0);
	return NULL;
}

TEST(record_while_others_count_and_trace)
{
	const char *events[] = { "page-faults", "minor-faults" };
	char folder[] = "/tmp/threads.XXXXXX";
	pthread_t tracer, counter;
	struct shim_handle *handle;
	struct shim_recorder *rec;
	struct shim_set *counted;

	ASSERT_NE(NULL, mkdtemp(folder));
	snprintf(base, sizeof(base), "%s/archive", folder);
	pmtracestate(PMTRACE_STATE_NOAGENT);
	ASSERT_EQ(0, shim_open(&handle));
	ASSERT_EQ(0, shim_set_create(handle, events, 2, NULL, &counted));
	ASSERT_EQ(0, shim_set_bind(counted, 0, 0));
	ASSERT_EQ(0, shim_record_open(base, NULL, &rec));
	ASSERT_EQ(0, shim_record_add_named(rec, counted, 1, "this"));
	ASSERT_EQ(0, pthread_create(&tracer, NULL, trace_often, NULL));
	ASSERT_EQ(0, pthread_create(&counter, NULL, count_often, counted));
	for (int i = 0; i < ROUNDS; i++)
		EXPECT_EQ(0, shim_record_tick(rec));
	done = 1;
	pthread_join(tracer, NULL);
	pthread_join(counter, NULL);
	EXPECT_EQ(0, errors);
	EXPECT_EQ(ROUNDS, shim_record_count(rec));
	EXPECT_EQ(0, shim_record_close(rec));
	shim_set_destroy(counted);
	shim_close(handle);
	af_remove(base);
}

TEST_HARNESS_MAIN
