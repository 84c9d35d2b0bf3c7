// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run a typical program of each API at the limits of the system.  Its results must be the same as
 * without the limit, or a call must report an error.
 */
#include <limits.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "core/session.h"
#include "selftests/synthetic/backend_clock.h"
#include "selftests/synthetic/backend_sim.h"
#include "../aix/aix_test.h"
#include "../harness/often.h"
#include "../pcp/archive_file.h"
#include "../pcp/fake_pmcd.h"
#include "cpc/libcpc.h"
#include "pcp/import.h"
#include "pcp/pmapi.h"
#include "pcp/trace.h"
#include "shim/shim.h"

/*
 * Do not abort if malloc() fails: if /sys cannot be read, Debian 13's libpfm4 allocates a negative
 * size, and handles the resulting NULL.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

#define SECONDS		20
#define ANSWERS		65536

/* Sanitizers map much memory and make stack frames larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED	true
#else
#define SANITIZED	false
#endif

static const struct shim_backend_ops *backend;

const struct shim_backend_ops *shim_session__backend(void)
{
	return backend;
}

/* Memory shared with the child: its results, and the call that failed */
static struct said {
	char answers[ANSWERS];
	char error[128];
	size_t used;
} *said;
static char base[64];
static long clock_moves;	/* seconds to add to CLOCK_REALTIME from the fourth call on */

/* Move the clock while a program runs. */
int clock_gettime(clockid_t id, struct timespec *ts)
{
	static int looks;
	int err = (int)syscall(SYS_clock_gettime, id, ts);

	if (!err && clock_moves && id == CLOCK_REALTIME && ++looks > 3)
		ts->tv_sec += clock_moves;
	return err;
}

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	said->used += vsnprintf(said->answers + said->used, ANSWERS - said->used, fmt, ap);
	va_end(ap);
}

/* Make a call, and end the program if it fails. */
#define MUST(call, failed) do {								\
	if (failed((long)(call))) {							\
		snprintf(said->error, sizeof(said->error), "%.100s failed", #call);	\
		return;									\
	}										\
} while (0)
#define NEGATIVE(value)	((value) < 0)
#define NONZERO(value)	((value) != 0)
#define NULLED(value)	((value) == 0)

static void show(const pmResult *r)
{
	say("%ld", (long)r->timestamp.tv_sec);
	for (int i = 0; i < r->numpmid; i++)
		say(" %d", r->vset[i]->numval);
	say("\n");
}

static void replay(void)
{
	const char *names[] = { "v.cu32", "twice" };
	const struct timeval from = { AF_START + 2, 0 };
	pmID pmids[2];
	pmResult *r;
	int err;

	MUST(pmRegisterDerived("twice", "v.cu32 + v.cu32"), NONZERO);
	MUST(pmNewContext(PM_CONTEXT_ARCHIVE, base), NEGATIVE);
	MUST(pmNewContextZone(), NEGATIVE);
	MUST(pmLookupName(2, names, pmids), NEGATIVE);
	MUST(pmSetMode(PM_MODE_FORW, NULL, 0), NEGATIVE);
	while ((err = pmFetchArchive(&r)) >= 0) {
		show(r);
		pmFreeResult(r);
	}
	say("end %d\n", err);
	MUST(err != PM_ERR_EOL, NONZERO);
	MUST(pmSetMode(PM_MODE_INTERP, &from, 1000), NEGATIVE);
	for (int i = 0; i < 3; i++) {
		MUST(pmFetch(2, pmids, &r), NEGATIVE);
		show(r);
		pmFreeResult(r);
	}
}

static void import(void)
{
	const pmUnits none = pmiUnits(0, 0, 0, 0, 0, 0);

	MUST(pmiStart("imported", 0), NEGATIVE);
	MUST(pmiSetTimezone("UTC"), NEGATIVE);
	MUST(pmiAddMetric("one", pmiID(245, 0, 1), PM_TYPE_U32, PM_INDOM_NULL, PM_SEM_INSTANT, none), NEGATIVE);
	MUST(pmiPutLabel(PM_LABEL_ITEM, pmiID(245, 0, 1), PM_IN_NULL, "a", "b"), NEGATIVE);
	for (int i = 0; i < 3; i++) {
		MUST(pmiPutValue("one", NULL, "1"), NEGATIVE);
		MUST(pmiWrite(1000 + i, 0), NEGATIVE);
	}
	MUST(pmiEnd(), NEGATIVE);
	say("imported\n");
}

static void count_cpc(void)
{
	uint64_t value;
	cpc_set_t *set;
	cpc_buf_t *buf;
	cpc_t *cpc;

	backend = &shim_backend__sim;
	MUST(cpc = cpc_open(CPC_VER_CURRENT), NULLED);
	MUST(set = cpc_set_create(cpc), NULLED);
	MUST(cpc_set_add_request(cpc, set, "page-faults", 5, CPC_COUNT_USER, 0, NULL), NEGATIVE);
	MUST(buf = cpc_buf_create(cpc, set), NULLED);
	MUST(cpc_bind_curlwp(cpc, set, 0), NONZERO);
	MUST(cpc_set_sample(cpc, set, buf), NONZERO);
	MUST(cpc_buf_get(cpc, buf, 0, &value), NONZERO);
	MUST(cpc_unbind(cpc, set), NONZERO);
	say("%d\n", value >= 5);
	cpc_close(cpc);
}

static void count_aix(void)
{
	pm_prog_t prog;
	pm_data_t data;

	backend = &shim_backend__clock;
	MUST(initialize(), NONZERO);
	prog = program("PM_INST_CMPL");
	MUST(pm_set_program_mythread(&prog), NONZERO);
	MUST(pm_start_mythread(), NONZERO);
	shim_clock__run((pid_t)syscall(SYS_gettid), 1000000);
	MUST(pm_stop_mythread(), NONZERO);
	MUST(pm_get_data_mythread(&data), NONZERO);
	say("%lld\n", data.accu[0]);
	MUST(pm_delete_program_mythread(), NONZERO);
}

static void transact(void)
{
	pmtracestate(PMTRACE_STATE_NOAGENT);
	for (int i = 0; i < 3; i++) {
		MUST(pmtracebegin("tag"), NEGATIVE);
		MUST(pmtraceend("tag"), NEGATIVE);
	}
	MUST(pmtraceobs("value", 1), NEGATIVE);
	say("traced\n");
}

static void record(void)
{
	const char *events[] = { "page-faults" };
	struct shim_recorder *rec;
	struct shim_handle *handle;
	struct shim_set *set;

	backend = &shim_backend__sim;
	MUST(shim_open(&handle), NONZERO);
	MUST(shim_set_create(handle, events, 1, NULL, &set), NONZERO);
	MUST(shim_set_bind(set, 0, 0), NONZERO);
	MUST(shim_record_open("recorded", NULL, &rec), NONZERO);
	MUST(shim_record_add_named(rec, set, 1, "this"), NONZERO);
	for (int i = 0; i < 4; i++)
		MUST(shim_record_tick(rec), NONZERO);
	say("%d records\n", (int)shim_record_count(rec));
	MUST(shim_record_close(rec), NONZERO);
	shim_set_destroy(set);
	shim_close(handle);
}

/* Record, then fetch all records, whose times must increase. */
static void record_and_replay(void)
{
	struct timespec last = { 0 };
	pmHighResResult *r;
	int n = 0, err;

	record();
	if (*said->error)
		return;
	MUST(pmNewContext(PM_CONTEXT_ARCHIVE, "recorded"), NEGATIVE);
	MUST(pmSetMode(PM_MODE_FORW, NULL, 0), NEGATIVE);
	while ((err = pmFetchHighResArchive(&r)) >= 0) {
		n += r->numpmid > 0;
		say("%s", r->timestamp.tv_sec < last.tv_sec ? "earlier than before\n" : "");
		last = r->timestamp;
		pmFreeHighResResult(r);
	}
	MUST(err != PM_ERR_EOL, NONZERO);
	say("%d read\n", n);
}

/* The server runs outside of the limit. */
static struct fake_pmcd fake;

static void host(void)
{
	const char *name = "a.word";
	int *inst = NULL, n;
	char **names = NULL;
	pmID pmid;
	pmResult *r;

	MUST(pmNewContext(PM_CONTEXT_HOST, fake.spec), NEGATIVE);
	MUST(pmLookupName(1, &name, &pmid), NEGATIVE);
	MUST(n = pmGetInDom(FAKE_INDOM, &inst, &names), NEGATIVE);
	say("%d instances\n", n);
	free(inst);
	free(names);
	for (int i = 0; i < 20; i++) {
		MUST(pmFetch(1, &pmid, &r), NEGATIVE);
		say("%d\n", r->vset[0]->numval);
		pmFreeResult(r);
	}
}

static const struct program {
	const char *name;
	void (*run)(void);
} programs[] = {
	{ "replay", replay }, { "import", import }, { "libcpc", count_cpc }, { "aix", count_aix },
	{ "trace", transact }, { "record", record_and_replay }, { "host", host },
};

static void (*run_now)(void);

static void *run_it(void *arg)
{
	run_now();
	return arg;
}

/* Each of the functions below sets a limit, and returns false if this is not possible here. */
static bool no_limit(void)
{
	return true;
}

static bool few_files(void)
{
	return !setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 5, 5 });
}

static bool no_files(void)
{
	return !setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 3, 3 });
}

static bool little_memory(void)
{
	return !setrlimit(RLIMIT_AS, &(struct rlimit){ 64 << 20, 64 << 20 });
}

static bool closed_descriptors(void)
{
	return !close(0) && !close(1) && !close(2);
}

static bool hide(const char *path)
{
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && !mount("none", path, "tmpfs", MS_RDONLY, "size=4k");
}

static bool no_proc(void)
{
	return hide("/proc");
}

static bool no_sys(void)
{
	return hide("/sys");
}

static bool read_only(void)
{
	char here[PATH_MAX];

	return getcwd(here, sizeof(here)) && !unshare(CLONE_NEWUSER | CLONE_NEWNS) &&
	       !mount("/tmp", "/tmp", NULL, MS_BIND | MS_REC, NULL) &&
	       !mount(NULL, "/tmp", NULL, MS_BIND | MS_REMOUNT | MS_RDONLY | MS_NOSUID | MS_NODEV, NULL) &&
	       !chdir(here);
}

static bool write_to(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written = fd >= 0 && write(fd, text, strlen(text)) > 0;

	close(fd);
	return written;
}

/* Enter namespaces in which this user is root and can mount file systems. */
static bool become_root(void)
{
	char users[32], groups[32];

	snprintf(users, sizeof(users), "0 %u 1", geteuid());
	snprintf(groups, sizeof(groups), "0 %u 1", getegid());
	return !unshare(CLONE_NEWUSER | CLONE_NEWNS) && write_to("/proc/self/setgroups", "deny") &&
	       write_to("/proc/self/uid_map", users) && write_to("/proc/self/gid_map", groups);
}

/* Mount a file system of 64 kB on the current directory, and fill it. */
static bool full_disk(void)
{
	char here[PATH_MAX], block[1024] = { 0 };
	int fd;

	if (!getcwd(here, sizeof(here)) || !become_root() ||
	    mount("none", here, "tmpfs", 0, "size=64k") || chdir(here))
		return false;
	fd = open("filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	while (write(fd, block, sizeof(block)) > 0)
		;
	return errno == ENOSPC && !close(fd);
}

static bool clock_back(void)
{
	clock_moves = -3600;
	return true;
}

static bool clock_forward(void)
{
	clock_moves = 3600;
	return true;
}

static bool small_stack(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (pthread_attr_init(&attr) || pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN) ||
	    pthread_create(&thread, &attr, run_it, NULL) || pthread_join(thread, NULL))
		return false;
	run_now = NULL;
	return true;
}

static const struct limit {
	const char *name;
	bool (*set)(void);
} limits[] = {
	{ "no limit", no_limit }, { "RLIMIT_NOFILE 5", few_files }, { "RLIMIT_NOFILE 3", no_files },
	{ "RLIMIT_AS 64 MB", little_memory }, { "a thread with the minimum stack size", small_stack },
	{ "descriptors 0 to 2 closed", closed_descriptors }, { "no /proc", no_proc }, { "no /sys", no_sys },
	{ "read-only /tmp", read_only }, { "a full disk", full_disk },
	{ "a signal each millisecond", often_interrupt }, { "the clock set back by an hour", clock_back },
	{ "the clock set forward by an hour", clock_forward },
};

/* Run the program in the child.  Return 0, or 7 if the limit cannot be set here. */
static int child(const struct program *p, const struct limit *l)
{
	char name[] = "XXXXXX";

	alarm(SECONDS);
	run_now = p->run;
	if (!mkdtemp(name) || chdir(name))
		return 9;
	if (!l->set())
		return 7;
	if (run_now)
		run_now();
	return 0;
}

static int run(const struct program *p, const struct limit *l)
{
	int status;
	pid_t pid;

	memset(said, 0, sizeof(*said));
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(child(p, l));
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		abort();
	return status;
}

/* Run a program at a limit, and print a result.  Return 1 if it has failed. */
static int row(int n, const struct program *p, const struct limit *l, char *usual)
{
	int status = run(p, l);

	if (l->set == no_limit)
		snprintf(usual, ANSWERS, "%s", said->answers);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 7) {
		printf("ok %d - %s: %s # SKIP this limit cannot be set here\n", n, p->name, l->name);
		return 0;
	}
	if (!status && !*said->error && !strcmp(usual, said->answers)) {
		printf("ok %d - %s: %s: the same\n", n, p->name, l->name);
		return 0;
	}
	if (!status && *said->error && l->set != no_limit) {
		printf("ok %d - %s: %s: %s\n", n, p->name, l->name, said->error);
		return 0;
	}
	printf("not ok %d - %s: %s: status %x, %s\n# %.200s\n", n, p->name, l->name, status, said->error,
	       said->answers);
	return 1;
}

int main(void)
{
	static char usual[ANSWERS], folder[] = "/tmp/limits.XXXXXX";
	int n = 0, failed = 0;

	said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (said == MAP_FAILED || !mkdtemp(folder) || chdir(folder) || fake_start(&fake))
		return 1;
	snprintf(base, sizeof(base), "%s/archive", folder);
	af_vectors(base, 2);
	for (size_t p = 0; p < sizeof(programs) / sizeof(programs[0]); p++)
		for (size_t l = 0; l < sizeof(limits) / sizeof(limits[0]); l++)
			if (!SANITIZED || (limits[l].set != little_memory && limits[l].set != small_stack))
				failed += row(++n, &programs[p], &limits[l], usual);
	fake_stop(&fake);
	printf("1..%d\n", n);
	fflush(stdout);
	return execlp("sh", "sh", "-c", "rm -rf \"$0\"; exit $1", folder, failed ? "1" : "0", NULL);
}
