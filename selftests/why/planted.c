// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc why identifies the cause that was planted in every fifth transaction, and the function that
 * contains it.
 */
#include <libgen.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "../bpf/bpf_test.h"

#define NOBODY		65534
#define MS		1000000ull
#define CHUNKS		600000u
#define LISTS		4096u
#define CHUNK		24u	/* bytes of the smallest chunk */
#define CELLS		(1u << 20)
#define NEAR_CELLS	64u
#define STEPS		200000u
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

/* Run as another thread, and hold the lock most of the time. */
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

/*
 * Take a lock that another thread holds most of the time.  The C library has no frame pointers, so
 * the stack lacks the function that calls it.
 */
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

static int ends[2];	/* one end of a pair of sockets */

static void *answer_late(void *arg)
{
	char c;

	(void)arg;
	while (read(ends[1], &c, 1) == 1) {
		sleep_ms(20);
		if (write(ends[1], &c, 1) != 1)
			break;
	}
	return NULL;
}

static void start(void *(*run)(void *))
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, NULL))
		_exit(1);
}

static void prepare_socket(void)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		_exit(1);
	start(answer_late);
}

/* Use syscall(), which preserves the frame pointer.  With recv(), the caller would not be found. */
static FOREIGN void ask_peer(void)
{
	char c = 'x';

	if (send(ends[0], &c, 1, 0) != 1 || syscall(SYS_recvfrom, ends[0], &c, 1, 0, NULL, NULL) != 1)
		_exit(1);
	__asm__ volatile("");
}

static FOREIGN void planted_socket(void)
{
	ask_peer();
	__asm__ volatile("");
}

/*
 * The virtual machine has no disk, so another thread simulates a slow one.  The kernel notifies
 * this thread of each fsync(2) through the seccomp descriptor @fsyncs.
 */
static int fsyncs, file;

static void *slow_disk(void *arg)
{
	struct seccomp_notif_resp resp;
	struct seccomp_notif call;

	(void)arg;
	for (;;) {
		memset(&call, 0, sizeof(call));
		if (ioctl(fsyncs, SECCOMP_IOCTL_NOTIF_RECV, &call))
			return NULL;
		sleep_ms(20);
		resp = (struct seccomp_notif_resp) {
			.id = call.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE,
		};
		if (ioctl(fsyncs, SECCOMP_IOCTL_NOTIF_SEND, &resp))
			return NULL;
	}
}

static void prepare_fsync(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fsync, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	file = memfd_create("planted", MFD_CLOEXEC);
	fsyncs = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER,
			 &filter);
	if (file < 0 || fsyncs < 0)
		_exit(1);
	start(slow_disk);
}

static FOREIGN void write_file(void)
{
	if (fsync(file))
		_exit(1);
	__asm__ volatile("");
}

static FOREIGN void planted_fsync(void)
{
	write_file();
	__asm__ volatile("");
}

/*
 * Hold the allocator's lock most of the time, because counting the free memory takes several
 * milliseconds.
 */
static void *count_free(void *arg)
{
	for (;;) {
		struct mallinfo2 info = mallinfo2();

		__asm__ volatile("" : : "m"(info));
		sleep_ms(1);
	}
	return arg;
}

static void prepare_allocator(void)
{
	static void **list[LISTS];
	void **chunk, **next;

	/*
	 * Use one arena without fast bins, so that all free chunks are in lists that mallinfo2()
	 * visits.
	 */
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MXFAST, 0);
	for (unsigned int i = 0; i < CHUNKS; i++) {
		chunk = malloc(CHUNK);
		if (!chunk)
			_exit(1);
		if (i % 2)
			/* This chunk stays in use, so that its neighbors are not merged. */
			continue;
		*chunk = list[i / 2 % LISTS];
		list[i / 2 % LISTS] = chunk;
	}
	/*
	 * Free the chunks in an order in which each is far from the one before, which makes
	 * visiting them slow.
	 */
	for (unsigned int i = 0; i < LISTS; i++) {
		for (chunk = list[i]; chunk; chunk = next) {
			next = *chunk;
			free(chunk);
		}
	}
	start(count_free);
}

static FOREIGN void planted_allocator(void)
{
	for (int i = 0; i < 8; i++) {
		void *volatile memory = malloc(50000);

		free(memory);
	}
}

static struct cell {
	struct cell *next;
	char line[64 - sizeof(struct cell *)];
} *cells;

/*
 * Execute the same instructions each time.  Their duration depends on whether the cells are in the
 * cache.
 */
static FOREIGN void follow_cells(const struct cell *cell)
{
	for (unsigned int i = 0; i < STEPS; i++)
		cell = cell->next;
	__asm__ volatile("" : : "r"(cell));
}

/* Link @n cells in a ring, in random order. */
static void make_ring(struct cell *first, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		first[i].next = &first[i];
	for (unsigned int i = n - 1; i; i--) {
		unsigned int other = random() % i;
		struct cell *next = first[i].next;

		first[i].next = first[other].next;
		first[other].next = next;
	}
}

static void prepare_misses(void)
{
	cells = calloc(NEAR_CELLS + CELLS, sizeof(*cells));
	if (!cells)
		_exit(1);
	make_ring(cells, NEAR_CELLS);
	make_ring(cells + NEAR_CELLS, CELLS);
}

static FOREIGN void typical_misses(void)
{
	follow_cells(cells);
	__asm__ volatile("");
}

static FOREIGN void planted_misses(void)
{
	follow_cells(cells + NEAR_CELLS);
	__asm__ volatile("");
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
	planted_recursion(30);
}

/* Compete for the CPU with processes that were started before. */
static FOREIGN void planted_jobs(void)
{
	spin(20 * MS, CLOCK_THREAD_CPUTIME_ID);
	__asm__ volatile("");
}

/* Do the work of one of many tenants, which has more work than the others. */
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
	void (*typical)(void);	/* NULL: spin */
	const char *part;	/* the part that dominates */
	const char *reason;	/* why the transaction blocks, or NULL */
	const char *function;	/* function in the first stack, or NULL */
	uid_t user;		/* user that runs the process */
};

#define PLANT(name, plant, prepare, typical, part, reason, function) \
	FIXTURE_VARIANT_ADD(planted, name) { plant, prepare, typical, part, reason, function, 0 }

PLANT(mutex, planted_mutex, NULL, NULL, "blocked", "futex", "planted_mutex");
PLANT(sleep, planted_sleep, NULL, NULL, "blocked", "nanosleep", NULL);
PLANT(socket, planted_socket, prepare_socket, NULL, "blocked", "recvfrom", "planted_socket");
PLANT(fsync, planted_fsync, prepare_fsync, NULL, "blocked", "fsync", "planted_fsync");
PLANT(allocator, planted_allocator, prepare_allocator, NULL, "blocked", "futex",
      "__lll_lock_wait_private");
PLANT(faults, planted_faults, NULL, NULL, "on CPU", NULL, "planted_faults");
PLANT(misses, planted_misses, prepare_misses, typical_misses, "on CPU", NULL, "follow_cells");
PLANT(recursion, call_recursion, NULL, NULL, "on CPU", NULL, "planted_recursion");
PLANT(nice_jobs, planted_jobs, share_a_cpu, NULL, "waiting for a CPU", NULL, NULL);
PLANT(tenant, planted_tenant, NULL, NULL, "on CPU", NULL, "planted_tenant");

/* For users other than root, frames are identified by address, not by build ID. */
FIXTURE_VARIANT_ADD(planted, another_users_socket) {
	planted_socket, prepare_socket, NULL, "blocked", "recvfrom", "planted_socket", NOBODY
};
FIXTURE_VARIANT_ADD(planted, another_users_faults) {
	planted_faults, NULL, NULL, "on CPU", NULL, "planted_faults", NOBODY
};

static void typical(void)
{
	spin(MS / 2, CLOCK_MONOTONIC);
}

static void child(const FIXTURE_VARIANT(planted) *variant)
{
	if (variant->user && setuid(variant->user))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	start(other_thread);
	if (variant->prepare)
		variant->prepare();
	for (unsigned int i = 0;; i++) {
		if (pmtracebegin("planted"))
			_exit(1);
		if (i % 5 == 4)
			variant->plant();
		else
			(variant->typical ? variant->typical : typical)();
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
	ASSERT_EQ(0, trace_place(HAS_MODULE ? SHIM_TRACE_F_MODULE : SHIM_TRACE_F_PROBES,
				 &self->missing));
	setenv("SHIM_TRACE", HAS_MODULE ? "kernel" : "probe", 1);
	if (!self->missing && access("/sys/kernel/btf/vmlinux", F_OK))
		self->missing = "this kernel has no BTF";
}

FIXTURE_TEARDOWN(planted)
{
	(void)!chmod("/dev/vcpc", 0600);
	if (self->child > 0) {
		kill(self->child, SIGKILL);
		waitpid(self->child, NULL, 0);
	}
}

/* Run vcpc why for the child, and store its output in @text. */
static int explain(char *text, size_t size)
{
	char command[400];
	size_t n;
	FILE *out;

	snprintf(command, sizeof(command), "%s why planted --above p81 --for 1s 2>&1", vcpc);
	out = popen(command, "r");
	if (!out)
		return -1;
	n = fread(text, 1, size - 1, out);
	text[n] = '\0';
	return pclose(out);
}

/* Return the stack that differs most, as printed in @text.  This modifies @text. */
static const char *first_stack(char *text)
{
	char *stack = strstr(text, "\nStacks"), *end;

	stack = stack ? strstr(stack, "\n\n") : NULL;
	end = stack ? strstr(stack + 2, "\n\n") : NULL;
	if (end)
		*end = '\0';
	return stack ? stack : "";
}

/* Return the percentage of slow transactions in the line of @part. */
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

/*
 * Return the share of @part in the time without waiting for a CPU.  Competing for a CPU is the only
 * effect of jobs that are not planted.
 */
static double share_without_waiting(const char *text, const char *part)
{
	const char *waiting = "waiting for a CPU";

	if (!strcmp(part, waiting))
		return share_of(text, part);
	return 100 * share_of(text, part) / (100 - share_of(text, waiting));
}

/*
 * Return whether the cause requires two CPUs.  The allocator's lock is contended only if threads
 * run at the same time.  The VM with one CPU derives its time from the number of instructions, so a
 * cache miss costs no time in it.
 */
static bool needs_two_cpus(const FIXTURE_VARIANT(planted) *variant)
{
	return variant->plant == planted_allocator || variant->plant == planted_misses;
}

TEST_F_TIMEOUT(planted, is_named, 180)
{
	char text[8192], wanted[48], *line;
	const char *stack;

	UNLESS_MISSING();
	/* Ignore an error: without the module, the node does not exist. */
	(void)!chmod("/dev/vcpc", 0666);
	if (needs_two_cpus(variant) && sysconf(_SC_NPROCESSORS_ONLN) < 2)
		SKIP(return, "there is only one CPU");
	self->child = fork();
	if (!self->child)
		child(variant);
	ASSERT_EQ(0, explain(text, sizeof(text)));
	for (line = text; *line; line += strcspn(line, "\n") + !!strchr(line, '\n'))
		TH_LOG("%.*s", (int)strcspn(line, "\n"), line);
	EXPECT_LT(50, share_without_waiting(text, variant->part));
	snprintf(wanted, sizeof(wanted), "%s)", variant->reason ? variant->reason : "");
	EXPECT_TRUE(!variant->reason || strstr(text, wanted));
	stack = first_stack(text);
	EXPECT_EQ(NULL, strstr(stack, "bpf_prog_"));
	EXPECT_TRUE(!variant->function || strstr(stack, variant->function));
}

TEST_HARNESS_MAIN
