// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure a thread's sample of four of its own counters through each API, with the module and with
 * perf's pages. Compare it with read() of a perf group and with reading perf's pages directly.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include <sys/mman.h>
#include <sys/wait.h>

#include "counters.h"
#undef MAX_COUNTERS	/* <aix/pmapi.h> also defines MAX_COUNTERS. */
#include "aix/pmapi.h"
#include "cpc/libcpc.h"
#include "shim/shim.h"

#define NR	4
#define ROUNDS	20
#define CALLS	1000

static const char *const names[2][NR] = {
	{ "cycles:u", "instructions:u", "cycles:u", "instructions:u" },
	{ "page-faults:u", "context-switches:u", "cpu-migrations:u", "task-clock:u" },
};
static const char *const aix_names[2][NR] = {
	{ "PM_CYC", "PM_INST_CMPL", "PM_CYC", "PM_INST_CMPL" },
	{ "PM_PAGE_FAULTS", "PM_PAGE_FAULTS", "PM_PAGE_FAULTS", "PM_PAGE_FAULTS" },
};

/* Index into names: 0 for hardware events, 1 for software events if there is no PMU */
static unsigned int kind;
static double by_group;

/* Return the minimum of several rounds, because interrupts only add time. */
static double cost(void (*call)(void))
{
	__u64 start, took, least = ~0ULL;

	for (int round = 0; round < ROUNDS; round++) {
		start = now();
		for (int i = 0; i < CALLS; i++)
			call();
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / CALLS;
}

static void say(const char *what, const char *back_end, double took)
{
	printf("%s of %d, %s\t%.0f ns\t%.3f of the group\n", what, NR, back_end, took,
	       by_group ? took / by_group : 0);
}

static double first(void (*call)(void))
{
	__u64 start = now();

	call();
	return now() - start;
}

static int group[NR];
static volatile struct perf_event_mmap_page *pages[NR];

static void group_read(void)
{
	__u64 words[3 + NR];

	if (read(group[0], words, sizeof(words)) != sizeof(words))
		die("read of the group");
}

/* Read the counter whose number is in the page. */
static __u64 counter(__u32 index)
{
	__u64 value = 0;

#if defined(__aarch64__)
	switch (index) {
	case 1:
		__asm__ volatile("mrs %0, pmevcntr0_el0" : "=r"(value));
		break;
	case 2:
		__asm__ volatile("mrs %0, pmevcntr1_el0" : "=r"(value));
		break;
	case 3:
		__asm__ volatile("mrs %0, pmevcntr2_el0" : "=r"(value));
		break;
	case 4:
		__asm__ volatile("mrs %0, pmevcntr3_el0" : "=r"(value));
		break;
	case 32:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
		break;
	}
#elif defined(__x86_64__)
	value = __builtin_ia32_rdpmc(index - 1);
#else
	(void)index;
#endif
	return value;
}

/* Use the loop from <linux/perf_event.h> for each page.  The pages are read at different times. */
static void by_hand(void)
{
	volatile __u64 values[NR];

	for (int i = 0; i < NR; i++) {
		volatile struct perf_event_mmap_page *page = pages[i];
		__u32 lock, index;
		__u64 count;

		do {
			lock = page->lock;
			__asm__ volatile("" : : : "memory");
			index = page->index;
			count = page->offset;
			if (page->cap_user_rdpmc && index) {
				unsigned int shift = 64 - page->pmc_width;

				count += (__s64)(counter(index) << shift) >> shift;
			}
			__asm__ volatile("" : : : "memory");
		} while (page->lock != lock);
		values[i] = count;
	}
	(void)values;
}

static void perf_rows(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .exclude_kernel = 1, .exclude_hv = 1, .pinned = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
#if defined(__aarch64__)
		.config1 = kind ? 0 : 2,
#endif
	};
	const struct event *events = kind ? software : hardware;

	for (int i = 0; i < NR; i++) {
		attr.type = events[i].type;
		attr.config = events[i].config;
		group[i] = syscall(SYS_perf_event_open, &attr, 0, -1, i ? group[0] : -1, 0);
		if (group[i] < 0)
			die("perf_event_open");
		attr.pinned = 0;
		pages[i] = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, group[i], 0);
		if (pages[i] == MAP_FAILED)
			die("mmap of an event");
	}
	by_group = cost(group_read);
	printf("read() of a perf group of %d\t%.0f ns\n", NR, by_group);
	if (pages[0]->index)
		say("pages read by hand", "perf's own", cost(by_hand));
	else
		printf("pages read by hand of %d\tnot measured: user mode may not read "
		       "these counters\n", NR);
	close_group(group, NR);
	for (int i = 0; i < NR; i++)
		munmap((void *)pages[i], sysconf(_SC_PAGESIZE));
}

static struct shim_set *shim_set;
static struct shim_sample shim_sample;

static void shim_read(void)
{
	if (shim_set_sample(shim_set, 0, &shim_sample))
		die("shim_set_sample");
}

static void shim_rows(const char *back_end)
{
	struct shim_handle *handle;

	if (shim_open(&handle) || shim_set_create(handle, names[kind], NR, NULL, &shim_set) ||
	    shim_set_bind(shim_set, 0, 0))
		die("shim_set_bind");
	say("shim_set_sample, first call,", back_end, first(shim_read));
	say("shim_set_sample", back_end, cost(shim_read));
	shim_set_destroy(shim_set);
	shim_close(handle);
}

static cpc_t *cpc;
static cpc_set_t *cpc_set;
static cpc_buf_t *cpc_buf;

static void cpc_read(void)
{
	uint64_t value;

	if (cpc_set_sample(cpc, cpc_set, cpc_buf))
		die("cpc_set_sample");
	for (int i = 0; i < NR; i++)
		cpc_buf_get(cpc, cpc_buf, i, &value);
}

static void cpc_rows(const char *back_end)
{
	cpc = cpc_open(CPC_VER_CURRENT);
	cpc_set = cpc ? cpc_set_create(cpc) : NULL;
	for (int i = 0; i < NR && cpc_set; i++) {
		char name[32];

		/* In AIX's API, the modes are flags of the program, not part of an event's name. */
		snprintf(name, sizeof(name), "%s", names[kind][i]);
		*strchr(name, ':') = '\0';
		if (cpc_set_add_request(cpc, cpc_set, name, 0, CPC_COUNT_USER, 0, NULL) != i)
			die("cpc_set_add_request");
	}
	cpc_buf = cpc_set ? cpc_buf_create(cpc, cpc_set) : NULL;
	if (!cpc_buf || cpc_bind_curlwp(cpc, cpc_set, 0))
		die("cpc_bind_curlwp");
	say("cpc_set_sample and cpc_buf_get, first call,", back_end, first(cpc_read));
	say("cpc_set_sample and cpc_buf_get", back_end, cost(cpc_read));
	cpc_close(cpc);
}

static void aix_read(void)
{
	pm_data_t data;

	if (pm_get_data_mythread(&data))
		die("pm_get_data_mythread");
}

static pm_info2_t aix_info;

static int aix_event(int at, const char *name)
{
	for (int i = 0; i < aix_info.maxevents[at]; i++)
		if (!strcmp(aix_info.list_events[at][i].short_name, name))
			return aix_info.list_events[at][i].event_id;
	return COUNT_NOTHING;
}

static void aix_rows(const char *back_end)
{
	pm_prog_t prog = { .mode = { .b = { .user = 1, .count = 1 } } };
	pm_groups_info_t groups;

	if (pm_initialize(PM_VERIFIED | PM_UNVERIFIED | PM_CAVEAT | PM_GET_GROUPS, &aix_info,
			  &groups, PM_CURRENT))
		die("pm_initialize");
	for (int i = 0; i < MAX_COUNTERS; i++)
		prog.events[i] = i < NR && i < aix_info.maxpmcs ?
				 aix_event(i, aix_names[kind][i]) : COUNT_NOTHING;
	if (pm_set_program_mythread(&prog))
		die("pm_set_program_mythread");
	say("pm_get_data_mythread", back_end, cost(aix_read));
	pm_delete_program_mythread();
}

/*
 * AIX's calls use the same back end for the whole life of a process, so measure each back end in
 * its own process.
 */
static void rows_of(const char *back_end, void (*rows)(const char *back_end))
{
	pid_t pid;
	int status;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (strcmp(back_end, "both"))
			setenv("SHIM_BACKEND", back_end, 1);
		rows(back_end);
		exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(1);
}

/* Set kernel.perf_user_access, which permits a thread to read its own counters, to "0" or "1". */
static void allow_pages(const char *yes)
{
	int fd = open("/proc/sys/kernel/perf_user_access", O_RDWR);

	if (fd >= 0 && write(fd, yes, 1) != 1)
		printf("kernel.perf_user_access cannot be set to %s\n", yes);
	close(fd);
}

/*
 * Measure the module alone, and the module together with perf's mmap pages, which the library
 * prefers if they are readable.
 */
static void rows_of_module(void (*rows)(const char *back_end))
{
	allow_pages("0");
	rows_of("vcpc", rows);
	allow_pages("1");
	rows_of("both", rows);
}

static int has_pmu(void)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_HARDWARE, .exclude_kernel = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	close(fd);
	return fd >= 0;
}

int main(void)
{
	static void (*const rows[])(const char *) = { shim_rows, cpc_rows, aix_rows };

	allow_pages("1");
	kind = !has_pmu();
	printf("%s events\n", kind ? "software" : "hardware");
	perf_rows();
	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!access("/dev/vcpc", F_OK))
			rows_of_module(rows[i]);
		rows_of("perf", rows[i]);
	}
	return 0;
}
