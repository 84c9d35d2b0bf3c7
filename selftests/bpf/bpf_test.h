/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions for the tests of the BPF programs: read statistics by name, and pass events directly to
 * the device.
 */
#ifndef BPF_TEST_H
#define BPF_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/bpf.h>
#include <linux/vcpc.h>
#include <pcp/trace.h>
#include <shim/trace.h>

#include "kselftest_harness.h"

/* Read the current statistics of a tag. Return 0, -ENOENT, or a library error. */
static inline int read_stat(const char *name, uint32_t kind, struct shim_trace_stat *stat)
{
	struct shim_trace *trace;
	size_t n = 0;
	int err = shim_trace_open(&trace);

	if (err)
		return err;
	err = shim_trace_stats_get(trace, &n);
	if (!err)
		err = -ENOENT;
	for (size_t i = 0; i < n; i++) {
		const struct shim_trace_stat *s = shim_trace_stat_at(trace, i);

		if (strcmp(s->name, name) || s->kind != kind)
			continue;
		*stat = *s;
		stat->name = NULL;
		err = 0;
	}
	shim_trace_close(trace);
	return err;
}

static inline uint64_t count_of(const char *name, uint32_t kind)
{
	struct shim_trace_stat stat = { 0 };
	int err = read_stat(name, kind, &stat);

	if (err)
		return err == -ENOENT ? 0 : UINT64_MAX;
	return stat.count;
}

static inline int read_drops(struct shim_trace_drops *drops)
{
	struct shim_trace *trace;
	int err = shim_trace_open(&trace);

	if (err)
		return err;
	err = shim_trace_drops_get(trace, drops);
	shim_trace_close(trace);
	return err;
}

/* Return the number of rows of a pinned map, or -1. */
static inline int rows_of(const char *path)
{
	union bpf_attr attr = { .pathname = (uintptr_t)path };
	char key[64];	/* longer than the key of any map */
	int n = 0, fd = syscall(SYS_bpf, BPF_OBJ_GET, &attr, sizeof(attr));

	if (fd < 0)
		return -1;
	attr = (union bpf_attr) { .map_fd = fd, .next_key = (uintptr_t)key };
	while (!syscall(SYS_bpf, BPF_MAP_GET_NEXT_KEY, &attr, sizeof(attr))) {
		attr.key = (uintptr_t)key;
		n++;
	}
	close(fd);
	return n;
}

static inline int raw_open(void)
{
	return open("/dev/vcpc", O_RDWR | O_CLOEXEC);
}

/*
 * Return the handle of a tag on this descriptor, or 0 with errno set.  If @id is not NULL, set it
 * to the tag's ID.
 */
static inline uint32_t raw_tag_id(int fd, const char *name, uint64_t *id)
{
	struct vcpc_trace_tag_args args = {
		.size = sizeof(args),
		.name = (uintptr_t)name,
		.name_len = strlen(name),
	};

	if (ioctl(fd, VCPC_IOC_TRACE_TAG, &args))
		return 0;
	if (id)
		*id = args.tag;
	return args.handle;
}

static inline uint32_t raw_tag(int fd, const char *name)
{
	return raw_tag_id(fd, name, NULL);
}

static inline int raw_fire(int fd, uint32_t op, uint32_t handle)
{
	struct vcpc_trace_write event = { .op = op, .handle = handle };

	return write(fd, &event, sizeof(event)) == sizeof(event) ? 0 : -errno;
}

/*
 * Mount a private BPF file system and a private /run, to keep the test from affecting the machine's
 * tracing.  Return 0, or a negated errno.
 */
static inline int private_bpffs(void)
{
	if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("bpf", "/sys/fs/bpf", "bpf", 0, NULL) || mount("run", "/run", "tmpfs", 0, NULL))
		return -errno;
	return 0;
}

/*
 * Return whether no listener is attached, after waiting for it: Linux 6.12 detaches a program from
 * a tracepoint some time after the request.
 */
static inline int nobody_listens(void)
{
	int fd = open("/dev/vcpc", O_RDWR | O_CLOEXEC), listening = 1;
	const volatile struct vcpc_trace_page *page;

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return 0;
	for (int i = 0; i < 1000 && listening; i++) {
		listening = page->flags & VCPC_TRACE_LISTENING;
		usleep(listening ? 10000 : 0);
	}
	munmap((void *)page, sysconf(_SC_PAGESIZE));
	return !listening;
}

#define HAS_MODULE (!access("/dev/vcpc", F_OK))

static inline int count_event(void *arg, const struct shim_trace_event *event)
{
	(void)event;
	++*(unsigned int *)arg;
	return 0;
}

/* Return the number of open transactions, or ~0 if it cannot be read. */
static inline unsigned int open_now(struct shim_trace *trace)
{
	unsigned int n = 0;

	return shim_trace_events_open(trace, count_event, &n) ? ~0u : n;
}

/*
 * Set up a test that turns tracing on through @way (SHIM_TRACE_F_MODULE, _PROBES, or 0).  Return 0
 * or a negated errno.  Set @missing to the feature that the machine lacks, or to NULL.
 */
static inline int trace_place(uint32_t way, const char **missing)
{
	int err = private_bpffs();

	*missing = NULL;
	if (err == -EPERM)
		*missing = "needs root";
	else if (way == SHIM_TRACE_F_MODULE && !HAS_MODULE)
		*missing = "needs the vcpc module";
	/* Probes need the kernel's type information. */
	else if ((way == SHIM_TRACE_F_PROBES || !HAS_MODULE) &&
		 access("/sys/kernel/btf/vmlinux", F_OK))
		*missing = "this kernel has no BTF";
	return *missing ? 0 : err;
}

/* Begin each test with this, because the harness runs a test even if its set-up was skipped. */
#define UNLESS_MISSING() do {						\
	if (self->missing)						\
		SKIP(return, "%s", self->missing);			\
} while (0)

/* Run @fn in a child.  Return its exit status, or -1 if it was killed. */
static inline int in_child(void (*fn)(void))
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		fn();
		_exit(0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* One thread of traced_by_threads() */
struct tracing_thread {
	pthread_t thread;
	char tag[24];
	unsigned int rounds;
	int bad;
};

static inline void *trace_in_thread(void *arg)
{
	struct tracing_thread *t = arg;

	for (unsigned int i = 0; i < t->rounds; i++) {
		t->bad |= pmtracebegin("shared by all");
		t->bad |= pmtracebegin(t->tag) | pmtraceend(t->tag);
		t->bad |= pmtraceend("shared by all");
		t->bad |= pmtracepoint("of all threads");
	}
	return NULL;
}

/*
 * Run @n threads at the same time.  Each performs @rounds transactions of its own tag, each with a
 * nested transaction of a shared tag, and passes @rounds points of another shared tag.  Return 0 if
 * no call fails and the statistics are complete.
 */
static inline int traced_by_threads(unsigned int n, unsigned int rounds)
{
	struct tracing_thread *threads = calloc(n, sizeof(*threads));
	unsigned int started = 0;
	int bad = !threads;

	while (!bad && started < n) {
		struct tracing_thread *t = &threads[started];

		t->rounds = rounds;
		snprintf(t->tag, sizeof(t->tag), "thread %u", started);
		bad = pthread_create(&t->thread, NULL, trace_in_thread, t);
		started += !bad;
	}
	for (unsigned int i = 0; i < started; i++)
		pthread_join(threads[i].thread, NULL);
	for (unsigned int i = 0; i < started; i++)
		bad |= threads[i].bad | (count_of(threads[i].tag, SHIM_TRACE_TRANSACTION) != rounds);
	free(threads);
	bad |= count_of("shared by all", SHIM_TRACE_TRANSACTION) != (uint64_t)n * rounds;
	return bad || count_of("of all threads", SHIM_TRACE_POINT) != (uint64_t)n * rounds;
}

/* The kernel allocates all rows when tracing is turned on, so tests turn it on faster with fewer. */
#define FEW_TAGS 256

/* Turn tracing off in case it is on, and then on with these options. */
#define TRACING_ON(options) do {					\
	shim_trace_off();						\
	ASSERT_EQ(0, shim_trace_on(options));				\
} while (0)

#endif /* BPF_TEST_H */
