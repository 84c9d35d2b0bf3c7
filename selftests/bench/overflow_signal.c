// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure the time from a page fault that causes an overflow to the signal handler, with and
 * without restarting, for a set and for perf with F_SETSIG.
 *
 * In both cases the counters are stopped until the handler restarts them, through RESTART or
 * PERF_EVENT_IOC_REFRESH.  In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <signal.h>
#include <sys/mman.h>

#include "counters.h"
#include "known_work.h"

#define ROUNDS	1000
#define WORK	20000000UL	/* number of loop iterations, each two instructions */
#define PERIOD	100000

static volatile __u64 handled_at;
static volatile unsigned long handled;
static int handled_fd;

static void restart(int sig)
{
	struct vcpc_own_args args = { .size = sizeof(args) };

	(void)sig;
	handled_at = now();
	handled++;
	if (ioctl(handled_fd, VCPC_IOC_RESTART, &args))
		die("RESTART");
}

static void refresh(int sig)
{
	(void)sig;
	handled_at = now();
	handled++;
	if (ioctl(handled_fd, PERF_EVENT_IOC_REFRESH, 1))
		die("IOC_REFRESH");
}

static void catch(void (*handler)(int sig))
{
	struct sigaction sa = { .sa_handler = handler };

	handled = 0;
	sigaction(SIGUSR1, &sa, NULL);
}

/* Create a set of @nr counters, the first of which overflows every @period events. */
static void begin_set(const struct event *events, unsigned int nr, __u64 period)
{
	struct vcpc_request requests[MAX_COUNTERS] = { 0 };
	struct vcpc_set_create_args create = {
		.size = sizeof(create),
		.nr_requests = nr,
		.request_size = sizeof(requests[0]),
		.requests = (__u64)(unsigned long)requests,
		.signal = SIGUSR1,
	};
	struct vcpc_bind_args bind = { .size = sizeof(bind) };
	int device = open("/dev/vcpc", O_RDWR | O_CLOEXEC);
	unsigned int i;

	for (i = 0; i < nr; i++) {
		requests[i].type = events[i].type;
		requests[i].config = events[i].config;
		requests[i].flags = VCPC_REQ_F_USER;
	}
	requests[0].flags |= VCPC_REQ_F_OVERFLOW;
	requests[0].preset = -period;
	catch(restart);
	handled_fd = ioctl(device, VCPC_IOC_SET_CREATE, &create);
	if (handled_fd < 0 || ioctl(handled_fd, VCPC_IOC_BIND, &bind))
		die("a set that overflows");
	close(device);
}

static void begin_group(const struct event *events, unsigned int nr, __u64 period, int *fds)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .exclude_kernel = 1, .exclude_hv = 1, .pinned = 1,
		.disabled = 1, .wakeup_events = 1,
	};
	struct f_owner_ex owner = { F_OWNER_TID, syscall(SYS_gettid) };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		attr.type = events[i].type;
		attr.config = events[i].config;
		attr.sample_period = i ? 0 : period;
		attr.disabled = attr.pinned = !i;
		fds[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? fds[0] : -1, 0);
		if (fds[i] < 0)
			die("perf_event_open");
	}
	catch(refresh);
	handled_fd = fds[0];
	if (fcntl(fds[0], F_SETFL, O_ASYNC) || fcntl(fds[0], F_SETSIG, SIGUSR1) ||
	    fcntl(fds[0], F_SETOWN_EX, &owner) || ioctl(fds[0], PERF_EVENT_IOC_REFRESH, 1))
		die("F_SETSIG");
}

struct cost {
	double to_handler, in_all;
};

/*
 * Measure a page fault, which causes an overflow if page faults are counted.  Take the minimum,
 * because interrupts only increase the time.
 */
static struct cost fault(const char *by, unsigned int wanted)
{
	volatile char *map = mmap(NULL, ROUNDS * 4096UL, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	__u64 start, end, to = ~0ULL, all = ~0ULL;
	unsigned int i;

	if (map == MAP_FAILED)
		die("mmap");
	madvise((void *)map, ROUNDS * 4096UL, MADV_NOHUGEPAGE);
	handled = 0;
	for (i = 0; i < ROUNDS; i++) {
		start = now();
		map[i * 4096UL] = 1;
		end = now();
		if (handled_at - start < to)
			to = handled_at - start;
		if (end - start < all)
			all = end - start;
	}
	munmap((void *)map, ROUNDS * 4096UL);
	if (handled < wanted) {
		fprintf(stderr, "bench: %lu signals from %s for %u faults\n", handled, by, wanted);
		exit(1);
	}
	return (struct cost) { to, all };
}

/*
 * Return the additional time per overflow.  @without is the time of the work without overflows; if
 * it is 0, return the time of the work.
 */
static double work(double without)
{
	__u64 start = now();

	handled = 0;
	spin(WORK);
	if (without && !handled)
		die("cycles without an overflow");
	return (now() - start - without) / (without ? handled : 1);
}

static void faults(unsigned int nr)
{
	static const struct event events[MAX_COUNTERS] = {
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
		{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	};
	struct cost none, set, group;
	int fds[MAX_COUNTERS];

	signal(SIGUSR1, SIG_IGN);
	none = fault("nobody", 0);
	begin_set(events, nr, 1);
	set = fault("a set", ROUNDS);
	close(handled_fd);
	begin_group(events, nr, 1, fds);
	group = fault("perf", ROUNDS);
	close_group(fds, nr);
	printf("%u software events, a page fault (%.0f ns) overflows\n", nr, none.in_all);
	printf("set: to the handler\t%.0f ns\t%.3f of perf's\n", set.to_handler,
	       set.to_handler / group.to_handler);
	printf("set: with RESTART\t%.0f ns\t%.3f of perf's\n", set.in_all, set.in_all / group.in_all);
	printf("perf: to the handler\t%.0f ns\n", group.to_handler);
	printf("perf: with IOC_REFRESH\t%.0f ns\n", group.in_all);
}

static void cycles(unsigned int nr)
{
	double none, set, group;
	int fds[MAX_COUNTERS];

	none = work(0);
	begin_set(hardware, nr, PERIOD);
	set = work(none);
	close(handled_fd);
	begin_group(hardware, nr, PERIOD, fds);
	group = work(none);
	close_group(fds, nr);
	printf("%u hardware events, every %u cycles\n", nr, PERIOD);
	printf("set: interrupt, handler, RESTART\t%.0f ns\t%.3f of perf's\n", set, set / group);
	printf("perf: interrupt, handler, IOC_REFRESH\t%.0f ns\n", group);
}

int main(void)
{
	/* Lock all memory, because other page faults would also cause signals. */
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	faults(1);
	faults(4);
	if (events_for(4) == hardware) {
		cycles(1);
		cycles(4);
	}
	return 0;
}
