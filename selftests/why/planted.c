// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc why names the cause that was planted in every fifth transaction, and its function. */
#include <libgen.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "../bpf/bpf_test.h"

#define MS		1000000ull
#define FOREIGN		__attribute__((noinline, noclone))

static char vcpc[256];

static uint64_t now(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static void sleep_ms(unsigned int ms)
{
	const struct timespec ts = { .tv_nsec = ms * MS };

	nanosleep(&ts, NULL);
}

static FOREIGN void spin(uint64_t ns, clockid_t clock)
{
	uint64_t end = now(clock) + ns;

	while (now(clock) < end)
		__asm__ volatile("");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Another thread: holds the lock mostly */
static void *other_thread(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&lock);
		sleep_ms(20);
		pthread_mutex_unlock(&lock);
		sleep_ms(1);
	}
	return NULL;
}

/* The C library has no frame pointers: the function that calls it is not in the stack. */
static FOREIGN void take_lock(void)
{
	sleep_ms(2);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("");
}

static FOREIGN void planted_mutex(void)
{
	take_lock();
	__asm__ volatile("");
}

static FOREIGN void planted_sleep(void)
{
	sleep_ms(20);
	__asm__ volatile("");
}

static FOREIGN void planted_faults(void)
{
	const size_t size = 16 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < size; i += 4096)
		((volatile char *)memory)[i] = 1;
	munmap(memory, size);
}

static FOREIGN unsigned int planted_recursion(unsigned int n)
{
	unsigned int low;

	if (n < 2)
		return n;
	low = planted_recursion(n - 1);
	__asm__ volatile("" : "+r"(low));
	return low + planted_recursion(n - 2);
}

static FOREIGN void call_recursion(void)
{
	planted_recursion(27);
}

/* The CPU is shared with processes that were started before */
static FOREIGN void planted_jobs(void)
{
	spin(20 * MS, CLOCK_THREAD_CPUTIME_ID);
	__asm__ volatile("");
}

/* One tenant among many has much to do */
static FOREIGN void planted_tenant(void)
{
	spin(20 * MS, CLOCK_MONOTONIC);
	__asm__ volatile("");
}

static void fork_job(void)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		spin(MS, CLOCK_MONOTONIC);
}

static void share_a_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	fork_job();
	fork_job();
}

FIXTURE(planted) {
	const char *missing;
	pid_t child;
};

FIXTURE_VARIANT(planted) {
	void (*plant)(void);
	void (*prepare)(void);
	const char *part;	/* the largest of the three */
	const char *reason;	/* of blocking, or NULL */
	const char *function;	/* in the first stack, or NULL */
};

FIXTURE_VARIANT_ADD(planted, mutex) { planted_mutex, NULL, "blocked", "futex", "planted_mutex" };
FIXTURE_VARIANT_ADD(planted, sleep) { planted_sleep, NULL, "blocked", "nanosleep", NULL };
FIXTURE_VARIANT_ADD(planted, faults) { planted_faults, NULL, "on CPU", NULL, "planted_faults" };
FIXTURE_VARIANT_ADD(planted, recursion) { call_recursion, NULL, "on CPU", NULL, "planted_recursion" };
FIXTURE_VARIANT_ADD(planted, nice_jobs) { planted_jobs, share_a_cpu, "waiting for a CPU", NULL, NULL };
FIXTURE_VARIANT_ADD(planted, tenant) { planted_tenant, NULL, "on CPU", NULL, "planted_tenant" };

static void child(const FIXTURE_VARIANT(planted) *variant)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (variant->prepare)
		variant->prepare();
	if (pthread_create(&thread, NULL, other_thread, NULL))
		_exit(1);
	for (unsigned int i = 0;; i++) {
		if (pmtracebegin("planted"))
			_exit(1);
		if (i % 5 == 4)
			variant->plant();
		else
			spin(MS / 2, CLOCK_MONOTONIC);
		pmtraceend("planted");
	}
}

FIXTURE_SETUP(planted)
{
	char path[200];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	snprintf(vcpc, sizeof(vcpc), "%s/../../bin/vcpc", dirname(path));
	if (access(vcpc, X_OK))
		strcpy(vcpc, "vcpc");
	ASSERT_EQ(0, trace_place(SHIM_TRACE_F_MODULE, &self->missing));
	if (!self->missing && access("/sys/kernel/btf/vmlinux", F_OK))
		self->missing = "this kernel has no BTF";
}

FIXTURE_TEARDOWN(planted)
{
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
}

/* What vcpc why says of the child */
static int explain(char *text, size_t size)
{
	char command[400];
	size_t n;
	FILE *out;

	snprintf(command, sizeof(command), "%s why planted --above p81 --for 3s 2>&1", vcpc);
	out = popen(command, "r");
	if (!out)
		return -1;
	n = fread(text, 1, size - 1, out);
	text[n] = '\0';
	return pclose(out);
}

/* The slow transactions' percentage in the line of a part */
static double share_of(const char *text, const char *part)
{
	char start[48];
	const char *line, *last = NULL;

	snprintf(start, sizeof(start), "\n  %s ", part);
	line = strstr(text, start);
	for (const char *c = line ? line + 1 : ""; *c && *c != '\n'; c++)
		if (*c == '%')
			last = c;
	while (last && last[-1] == ' ')
		last--;
	while (last && strchr("0123456789.", last[-1]))
		last--;
	return last ? atof(last) : -1;
}

TEST_F_TIMEOUT(planted, is_named, 60)
{
	char text[8192], wanted[48];
	const char *stacks;

	UNLESS_MISSING();
	self->child = fork();
	if (!self->child)
		child(variant);
	ASSERT_EQ(0, explain(text, sizeof(text)));
	EXPECT_LT(50, share_of(text, variant->part));
	snprintf(wanted, sizeof(wanted), "%s)", variant->reason ? variant->reason : "");
	EXPECT_TRUE(!variant->reason || strstr(text, wanted));
	stacks = strstr(text, "\nStacks");
	EXPECT_TRUE(!variant->function || (stacks && strstr(stacks, variant->function)));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		TH_LOG("%s", line);
}

TEST_HARNESS_MAIN
