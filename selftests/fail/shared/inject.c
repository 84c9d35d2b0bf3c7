// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make the n-th call of one kind fail, in this process.
 *
 * A test that links this file calls inject_start().  A preloaded program uses the environment
 * variable INJECT=WAY:N from its first call on; with INJECT=signals:0 no call fails, but signals
 * interrupt system calls.  To the file in INJECT_COUNT it appends each way with the number of calls
 * that can fail in this way and, unless FAIL_POINTS is set, the numbers of those whose chain of
 * callers is new, and in a last line the number of calls for WAY until one failed, whether one
 * failed, and the number of blocks in use.  If WAY is "none", calls of all kinds count, otherwise only
 * those of its kind.  With INJECT_TRAP the failing call stops in a debugger.  Calls made by the
 * library whose name begins with INJECT_NOT neither count nor fail; without it, the C library's
 * writes to standard output and to streams that are opened for writing also count.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../harness/often.h"
#include "inject.h"

#pragma GCC visibility push(default)

const struct inject_way inject_ways[] = {
	{ "memory", INJECT_MEMORY, ENOMEM },
	{ "open-EMFILE", INJECT_OPEN, EMFILE },
	{ "open-EACCES", INJECT_OPEN, EACCES },
	{ "open-EINTR", INJECT_OPEN, EINTR },
	{ "map-ENOMEM", INJECT_MAP, ENOMEM },
	{ "read-short", INJECT_READ, INJECT_SHORT },
	{ "read-EINTR", INJECT_READ, EINTR },
	{ "read-EIO", INJECT_READ, EIO },
	{ "write-short", INJECT_WRITE, INJECT_SHORT },
	{ "write-EINTR", INJECT_WRITE, EINTR },
	{ "write-ENOSPC", INJECT_WRITE, ENOSPC },
	{ "write-EIO", INJECT_WRITE, EIO },
	{ "write-EDQUOT", INJECT_WRITE, EDQUOT },
	{ "write-KILL", INJECT_WRITE, INJECT_KILL },
	{ "write-TERM", INJECT_WRITE, INJECT_TERM },
	{ "ioctl-EIO", INJECT_IOCTL, EIO },
	{ "perf-EMFILE", INJECT_PERF, EMFILE },
	{ "thread-EAGAIN", INJECT_THREAD, EAGAIN },
	{ "stat-EIO", INJECT_STAT, EIO },
	{ "change-EIO", INJECT_CHANGE, EIO },
	{ "socket-EMFILE", INJECT_SOCKET, EMFILE },
	{ "network-ENOBUFS", INJECT_NETWORK, ENOBUFS },
	{ "entry-EIO", INJECT_ENTRY, EIO },
	{ "line-EIO", INJECT_LINE, EIO },
	{ "bpf-ENOMEM", INJECT_BPF, ENOMEM },
	{ "bpf-EPERM", INJECT_BPF, EPERM },
	{ "bpf-ENOSPC", INJECT_BPF, ENOSPC },
	{ "bpf-E2BIG", INJECT_BPF, E2BIG },
	{ "timer-EMFILE", INJECT_TIMER, EMFILE },
	{ "label-ENOMEM", INJECT_LABEL, ENOMEM },
	{ 0 },
};

/* Count calls of all kinds. */
static const struct inject_way no_way = { "none", INJECT_NONE, 0 };

static const struct inject_way *chosen;
static long fail_at, calls[INJECT_KINDS];
static bool fired;

/* Calls that were the first with their call chain, and the hashes of all chains of each kind */
#define CHAIN	48
static long firsts[INJECT_KINDS][INJECT_FIRSTS], nfirsts[INJECT_KINDS];
static uint64_t chains[INJECT_KINDS][2 * INJECT_FIRSTS];

void inject_start(const struct inject_way *way, long n)
{
	void *frame;

	backtrace(&frame, 1);	/* loads what backtrace() needs */
	memset(calls, 0, sizeof(calls));
	fired = false;
	fail_at = n;
	if (!n) {
		memset(nfirsts, 0, sizeof(nfirsts));
		memset(chains, 0, sizeof(chains));
	}
	__atomic_store_n(&chosen, way ?: &no_way, __ATOMIC_SEQ_CST);
}

void inject_stop(void)
{
	__atomic_store_n(&chosen, NULL, __ATOMIC_SEQ_CST);
}

long inject_calls(enum inject_kind kind)
{
	return __atomic_load_n(&calls[kind], __ATOMIC_SEQ_CST);
}

const long *inject_firsts(enum inject_kind kind, long *n)
{
	*n = nfirsts[kind] < INJECT_FIRSTS ? nfirsts[kind] : INJECT_FIRSTS;
	return firsts[kind];
}

bool inject_fired(void)
{
	return fired;
}

/*
 * Return whether a function of libpfm is in the call chain.  pfm_initialize() of libpfm 4.13
 * crashes if it cannot allocate memory or open a file, and the library cannot prevent this.
 */
static __attribute__((noinline)) bool in_libpfm(void)
{
	struct dl_find_object object;
	void *frames[32];
	int n = backtrace(frames, 32);

	for (int i = 0; i < n; i++)
		if (!_dl_find_object(frames[i], &object) &&
		    strstr(object.dlfo_link_map->l_name, "/libpfm.so"))
			return true;
	return false;
}

/*
 * Return whether the first caller outside of this file and the C library is in the library that
 * INJECT_NOT names.  If this were inlined, its array would make the sanitizer check the stack in each
 * call, also before it is initialized.
 */
static __attribute__((noinline)) bool is_exempt(void)
{
	const char *not = getenv("INJECT_NOT"), *name;
	struct dl_find_object object;
	void *frames[12], *own = NULL;
	int n = not ? backtrace(frames, 12) : 0;

	for (int i = 0; i < n; i++) {
		if (_dl_find_object(frames[i], &object))
			continue;
		name = strrchr(object.dlfo_link_map->l_name, '/');
		own = own ?: object.dlfo_link_map;
		if (object.dlfo_link_map == own || (name && !strncmp(name, "/libc.so", 8)))
			continue;
		return name && !strncmp(name + 1, not, strlen(not));
	}
	return false;
}

/* Add @hash to a set.  Return whether it was not in it. */
static bool is_new(uint64_t *set, uint64_t hash)
{
	for (uint64_t at = hash >> 32;; at++) {
		uint64_t found = 0;

		if (__atomic_compare_exchange_n(&set[at % (2 * INJECT_FIRSTS)], &found, hash, false,
						__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
			return true;
		if (found == hash)
			return false;
	}
}

/* Record the @n-th call of a kind if no earlier one had the same chain of callers. */
static void note_first(enum inject_kind kind, long n)
{
	void *frames[CHAIN];
	int depth = backtrace(frames, CHAIN);
	uint64_t hash = 1;
	long at;

	for (int i = 0; i < depth; i++)
		hash = (hash ^ (uintptr_t)frames[i]) * 0x9e3779b97f4a7c15 | 1;
	if (__atomic_load_n(&nfirsts[kind], __ATOMIC_SEQ_CST) >= INJECT_FIRSTS || !is_new(chains[kind], hash))
		return;
	at = __atomic_fetch_add(&nfirsts[kind], 1, __ATOMIC_SEQ_CST);
	if (at < INJECT_FIRSTS)
		firsts[kind][at] = n;
}

int inject_fails(enum inject_kind kind)
{
	const struct inject_way *way = __atomic_load_n(&chosen, __ATOMIC_SEQ_CST);
	long n;

	if (!way || (way->kind && way->kind != kind) || fired || is_exempt())
		return 0;
	n = __atomic_add_fetch(&calls[kind], 1, __ATOMIC_SEQ_CST);
	if (!fail_at)
		note_first(kind, n);
	if (fail_at <= 0 || n < fail_at || in_libpfm() ||
	    __atomic_exchange_n(&fired, true, __ATOMIC_SEQ_CST))
		return 0;
	if (getenv("INJECT_TRAP"))
		raise(SIGTRAP);
	if (way->error > 0)
		errno = way->error;
	return way->error;
}

/* Return the way whose name ends at @end, or NULL. */
static const struct inject_way *way_of(const char *name, const char *end)
{
	const struct inject_way *way = inject_ways;
	size_t len = (size_t)(end - name);

	while (way->name && (strncmp(name, way->name, len) || way->name[len]))
		way++;
	return way->name ? way : NULL;
}

/* If preloaded, start counting as the environment requests. */
static void __attribute__((constructor)) begin(void)
{
	const char *how = getenv("INJECT");
	const char *n = how ? strchr(how, ':') : NULL;

	if (!n)
		return;
	/* Programs that this program starts must not inherit this. */
	unsetenv("LD_PRELOAD");
	if (!strcmp(how, "signals:0") && !often_interrupt())
		abort();
	/* Do not replace the stream for PCP's library, which needs its descriptor. */
	if (!getenv("INJECT_NOT"))
		inject_count_streams();
	inject_start(way_of(how, n), atol(n + 1) ?: getenv("FAIL_POINTS") ? INJECT_COUNT_ONLY : 0);
}

static void __attribute__((destructor)) end(void)
{
	const struct inject_way *way = chosen;
	const long held = inject_blocks();
	const char *path = getenv("INJECT_COUNT");
	enum inject_kind kind;
	size_t size;
	char *text;
	FILE *f;
	long n;
	int fd;

	inject_stop();
	if (!path || !way)
		return;
	kind = way->kind;
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
	if (fd < 0)
		return;
	f = open_memstream(&text, &size);
	for (way = inject_ways; way->name; way++) {
		const long *first = inject_firsts(way->kind, &n);

		fprintf(f, "%s %ld", way->name, inject_calls(way->kind));
		for (long i = 0; i < n; i++)
			fprintf(f, " %ld", first[i]);
		fputc('\n', f);
	}
	fprintf(f, "%ld %d %ld\n", inject_calls(kind), fired, held);
	fclose(f);
	if (write(fd, text, size) < 0)
		perror(path);
	free(text);
	close(fd);
}
