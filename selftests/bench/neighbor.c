// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the effect of counting on other threads of the same CPU:
 * - the wakeup latency of a SCHED_FIFO thread next to a thread with the maximum number of counters
 *   of a user without CAP_PERFMON, or next to a program that begins transactions and closes the
 *   device
 * - the cost of a pair of trace calls while another thread has counts in its transactions
 * - the cost of beginning and of ending a transaction after another user has begun transactions in
 *   all rows
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <shim/trace.h>

#include "counters.h"
#include "known_work.h"

#define WAKES	500
#define PAIRS	2000
#define FLOODS	50
#define ALL_ROWS 1024	/* rows of a share of vc_open_row */
#define MOST	31
#define NOBODY	65534

static __u32 tag_of(int device, const char *name)
{
	struct vcpc_trace_tag_args tag = {
		.size = sizeof(tag), .name = (__u64)(unsigned long)name, .name_len = strlen(name),
	};

	if (ioctl(device, VCPC_IOC_TRACE_TAG, &tag))
		die("a tag");
	return tag.handle;
}

/* Begin @n transactions, as @n threads whose numbers start at @first. */
static void begin(int device, __u32 handle, __u32 first, __u32 n)
{
	__u32 i;

	for (i = first; i < first + n; i++)
		if (posix_fadvise(device, 0, (__u64)(VCPC_TRACE_THREAD | i) << 32 | handle,
				  VCPC_TRACE_ADVICE + VCPC_TRACE_BEGIN))
			die("a begin");
}

static int open_device(void)
{
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC);

	if (device < 0)
		die("/dev/vcpc");
	return device;
}

/* Begin @n transactions on a new descriptor, close it, and return how long that took. */
static __u64 begin_and_close(__u32 n)
{
	int device = open_device();
	__u64 since;

	begin(device, tag_of(device, "closed"), 1, n);
	since = now();
	close(device);
	return now() - since;
}

static void open_and_close(__u32 n)
{
	for (;;)
		begin_and_close(n);
}

/* Use rows of vc_open for 2000 transactions.  Then open and close descriptors. */
static void after_use(__u32 n)
{
	begin_and_close(2000);
	open_and_close(n);
}

/* Open and close a descriptor while @n transactions of another program are open. */
static void beside_open(__u32 n)
{
	int device = open_device();

	begin(device, tag_of(device, "open"), 1, n);
	open_and_close(1);
}

/* Begin more transactions than the user is permitted to have. */
static void begin_too_many(__u32 n)
{
	int device = open_device();
	__u32 handle = tag_of(device, "many");

	begin(device, handle, 1, n);
	for (;;)
		begin(device, handle, n, 100);
}

/*
 * Repeatedly open a descriptor and use more tags than a user is permitted to have, so that old tags
 * are removed.
 */
static void use_up_tags(__u32 n)
{
	char name[32];

	for (;;) {
		int device = open_device();
		__u32 i;

		for (i = 0; i < 1000; i++) {
			snprintf(name, sizeof(name), "tag %u", n++);
			begin(device, tag_of(device, name), 1, 1);
		}
		close(device);
	}
}

static void on_first_cpu(void)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
}

static int make_set(unsigned int nr, __u64 config, __u32 flags, __u32 bind_flags)
{
	struct vcpc_request requests[MOST] = { 0 };
	struct vcpc_set_create_args create = {
		.size = sizeof(create), .nr_requests = nr, .request_size = sizeof(requests[0]),
		.requests = (__u64)(unsigned long)requests,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind), .flags = bind_flags };
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC), set;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		requests[i].type = PERF_TYPE_SOFTWARE;
		requests[i].config = config;
		requests[i].flags = VCPC_REQ_F_USER | flags;
	}
	set = ioctl(device, VCPC_IOC_SET_CREATE, &create);
	if (set < 0 || ioctl(set, VCPC_IOC_BIND, &bind))
		die("a set");
	return set;
}

static const struct neighbor {
	const char *text;
	unsigned int nr;
	__u64 config;
	__u32 flags;
	/* If not NULL, the neighbor calls this with @nr while tracing is on. */
	void (*trace)(__u32 n);
} neighbors[] = {
	{ "no set", 0, 0, 0, NULL },
	{ "31 page-faults", 31, PERF_COUNT_SW_PAGE_FAULTS, 0, NULL },
	{ "31 cpu-clock", 31, PERF_COUNT_SW_CPU_CLOCK, 0, NULL },
	{ "31 page-faults that may overflow", 31, PERF_COUNT_SW_PAGE_FAULTS, VCPC_REQ_F_OVERFLOW, NULL },
	/* Each of these counts as eight counters for max_thread_counters. */
	{ "3 cpu-clock that may overflow", 3, PERF_COUNT_SW_CPU_CLOCK, VCPC_REQ_F_OVERFLOW, NULL },
	{ "closes with 0 transactions", 0, .trace = open_and_close },
	{ "closes with 1 transaction", 1, .trace = open_and_close },
	{ "closes with 16 transactions", 16, .trace = open_and_close },
	{ "closes with 2,000 transactions", 2000, .trace = open_and_close },
	{ "closes with 1 transaction, others have 9,000", 9000, .trace = beside_open },
	{ "begins with no rows left", 9300, .trace = begin_too_many },
	{ "closes with 1 transaction, vc_open was used", 1, .trace = after_use },
	{ "removes tags", 1, .trace = use_up_tags },
};

static void become_nobody(void)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || setgroups(0, NULL) ||
	    setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		die("a user");
}

static void be_neighbor(const struct neighbor *n, int ready)
{
	become_nobody();
	if (n->trace) {
		if (write(ready, "", 1) != 1)
			die("a pipe");
		n->trace(n->nr);
	}
	if (n->nr)
		make_set(n->nr, n->config, n->flags, 0);
	if (write(ready, "", 1) != 1)
		die("a pipe");
	for (;;)
		spin(1000000);
}

/* Average and maximum delay of a wakeup, in ns */
struct late {
	double mean, most;
};

static struct late lateness(void)
{
	__u64 sum = 0, most = 0, due, late;
	int i;

	for (i = 0; i < WAKES; i++) {
		struct timespec at;

		due = now() + 1000000;
		at.tv_sec = due / 1000000000ULL;
		at.tv_nsec = due % 1000000000ULL;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
		late = now() - due;
		sum += late;
		if (late > most)
			most = late;
	}
	return (struct late) { (double)sum / WAKES, most };
}

static struct late beside(const struct neighbor *n)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_MODULE,
	};
	int ends[2];
	char byte;
	struct late late;
	pid_t pid;

	if (pipe(ends))
		die("a pipe");
	if (n->trace && shim_trace_on(&options))
		die("tracing");
	pid = fork();
	if (!pid)
		be_neighbor(n, ends[1]);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 1)
		die("a neighbor");
	late = lateness();
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	if (n->trace)
		shim_trace_off();
	return late;
}

static double pair(int device, __u32 handle)
{
	struct vcpc_trace_write begin = { .op = VCPC_TRACE_BEGIN, .handle = handle };
	struct vcpc_trace_write end = { .op = VCPC_TRACE_END, .handle = handle };
	__u64 since = now();
	int i;

	for (i = 0; i < PAIRS; i++)
		if (write(device, &begin, sizeof(begin)) < 0 || write(device, &end, sizeof(end)) < 0)
			die("write");
	return (double)(now() - since) / PAIRS;
}

/*
 * Measure closing descriptors with open transactions.  If @used, first use rows of vc_open by
 * beginning transactions of more threads than vc_open_row has rows.
 */
static void closes(bool used)
{
	static const __u32 numbers[] = { 0, 1, 16 };
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_MODULE,
	};
	unsigned int i, k;

	if (shim_trace_on(&options))
		die("tracing");
	if (used)
		begin_and_close(2000);
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		__u64 sum = 0;

		for (k = 0; k < 100; k++)
			sum += begin_and_close(numbers[i]);
		printf("a close with %2u transactions%-34s %10.0f\n", numbers[i],
		       used ? ", after others moved" : "", (double)sum / k);
	}
	shim_trace_off();
}

static void pairs(void)
{
	int device = open_device(), ends[2];
	__u32 handle = tag_of(device, "bench");
	double alone;
	char byte;
	pid_t pid;

	if (pipe(ends))
		die("a pipe");
	pair(device, handle);
	alone = pair(device, handle);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		make_set(4, PERF_COUNT_SW_PAGE_FAULTS, 0, VCPC_BIND_F_TRACE);
		if (write(ends[1], "", 1) == 1)
			pause();
		_exit(1);
	}
	if (read(ends[0], &byte, 1) != 1)
		die("a neighbor");
	printf("%-62s %10.0f\n", "a pair of trace calls", alone);
	printf("%-62s %10.0f\n", "  while another thread has counts in its own", pair(device, handle));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(device);
}

/* As another user, begin transactions in all rows of vc_open_row for each byte from @go. */
static void flood(int go, int ready)
{
	__u32 handle;
	int device;
	char byte;

	become_nobody();
	device = open_device();
	handle = tag_of(device, "flood");
	while (read(go, &byte, 1) == 1) {
		begin(device, handle, 1, ALL_ROWS);
		if (write(ready, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

/* Make the other user begin transactions, unless @go is negative.  Return the time afterwards. */
static __u64 after_flood(int go, int ready)
{
	char byte = 0;

	if (go >= 0 && (write(go, &byte, 1) != 1 || read(ready, &byte, 1) != 1))
		die("a flood");
	return now();
}

static void begin_and_end(const char *text, int go, int ready)
{
	struct vcpc_trace_write begun = { .op = VCPC_TRACE_BEGIN }, ended = { .op = VCPC_TRACE_END };
	int device = open_device();
	__u64 begins = 0, ends = 0, since;
	int i;

	begun.handle = ended.handle = tag_of(device, "flooded");
	for (i = 0; i < FLOODS; i++) {
		since = after_flood(go, ready);
		if (write(device, &begun, sizeof(begun)) < 0)
			die("write");
		begins += now() - since;
		since = after_flood(go, ready);
		if (write(device, &ended, sizeof(ended)) < 0)
			die("write");
		ends += now() - since;
	}
	printf("%-62s %10.0f %10.0f\n", text, (double)begins / i, (double)ends / i);
	close(device);
}

static void beside_flood(void)
{
	struct shim_trace_options options = {
		.size = sizeof(options), .flags = SHIM_TRACE_F_MODULE | SHIM_TRACE_F_BEGINS,
	};
	int go[2], ready[2];
	pid_t pid;

	if (shim_trace_on(&options) || pipe(go) || pipe(ready))
		die("tracing");
	begin_and_end("a begin, an end", -1, -1);
	pid = fork();
	if (!pid)
		flood(go[0], ready[1]);
	begin_and_end("  after another user began in all rows", go[1], ready[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	shim_trace_off();
}

int main(void)
{
	struct sched_param fifo = { .sched_priority = 10 };
	unsigned int i;

	if (chmod("/dev/vcpc", 0666))
		die("/dev/vcpc");
	on_first_cpu();
	pairs();
	beside_flood();
	closes(false);
	closes(true);
	for (i = 0; i < sizeof(neighbors) / sizeof(neighbors[0]); i++) {
		char text[96];
		struct late late;

		/* Do not pass the policy on to children, because the neighbor is a child. */
		if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &fifo))
			die("SCHED_FIFO");
		snprintf(text, sizeof(text), "SCHED_FIFO wakes up late beside %s", neighbors[i].text);
		late = beside(&neighbors[i]);
		printf("%-62s %10.0f %10.0f\n", text, late.mean, late.most);
		fflush(stdout);
	}
	return 0;
}
