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
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <mntent.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "../../harness/often.h"
#include "inject.h"

/* These definitions replace those of the C library. */
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
static long fail_at, calls[INJECT_KINDS], blocks;
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

long inject_blocks(void)
{
	return __atomic_load_n(&blocks, __ATOMIC_SEQ_CST);
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

/*
 * If this call must fail, set errno and return the error; otherwise return 0. The n-th call fails,
 * or the first one after it that libpfm does not make.
 */
static int fails(enum inject_kind kind)
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

/* The allocator is the sanitizer's if the program has one, otherwise the C library's. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t), __libc_free(void *);
extern void *__interceptor_malloc(size_t) __attribute__((weak));
extern void *__interceptor_calloc(size_t, size_t) __attribute__((weak));
extern void *__interceptor_realloc(void *, size_t) __attribute__((weak));
extern void *__interceptor_memalign(size_t, size_t) __attribute__((weak));
extern void __interceptor_free(void *) __attribute__((weak));

static void *counted(void *p)
{
	if (p)
		__atomic_add_fetch(&blocks, 1, __ATOMIC_RELAXED);
	return p;
}

void *malloc(size_t size)
{
	if (fails(INJECT_MEMORY))
		return NULL;
	return counted((__interceptor_malloc ? __interceptor_malloc : __libc_malloc)(size));
}

void *calloc(size_t n, size_t size)
{
	if (fails(INJECT_MEMORY))
		return NULL;
	return counted((__interceptor_calloc ? __interceptor_calloc : __libc_calloc)(n, size));
}

void *realloc(void *old, size_t size)
{
	void *p;

	if (fails(INJECT_MEMORY))
		return NULL;
	p = (__interceptor_realloc ? __interceptor_realloc : __libc_realloc)(old, size);
	if (!old)
		counted(p);
	else if (!size && !p)
		__atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
	return p;
}

void *reallocarray(void *old, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(old, bytes);
}


void *memalign(size_t align, size_t size)
{
	if (fails(INJECT_MEMORY))
		return NULL;
	return counted((__interceptor_memalign ? __interceptor_memalign : __libc_memalign)(align,
											   size));
}

void *aligned_alloc(size_t align, size_t size)
{
	return memalign(align, size);
}

int posix_memalign(void **out, size_t align, size_t size)
{
	void *p = memalign(align, size);

	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void free(void *p)
{
	if (!p)
		return;
	__atomic_sub_fetch(&blocks, 1, __ATOMIC_RELAXED);
	(__interceptor_free ? __interceptor_free : __libc_free)(p);
}

/* The function that the definition in this file replaces */
#define REAL(name) ({							\
	static typeof(&name) real_;					\
	if (!real_)							\
		real_ = (typeof(&name))dlsym(RTLD_NEXT, #name);		\
	real_;								\
})

static mode_t mode_of(int flags, va_list ap)
{
	return flags & (O_CREAT | __O_TMPFILE) ? va_arg(ap, mode_t) : 0;
}

#define OPEN(name)							\
int name(const char *path, int flags, ...)				\
{									\
	va_list ap;							\
	mode_t mode;							\
									\
	va_start(ap, flags);						\
	mode = mode_of(flags, ap);					\
	va_end(ap);							\
	return fails(INJECT_OPEN) ? -1 : REAL(name)(path, flags, mode);	\
}
OPEN(open)
OPEN(open64)

#define OPENAT(name)							\
int name(int dir, const char *path, int flags, ...)			\
{									\
	va_list ap;							\
	mode_t mode;							\
									\
	va_start(ap, flags);						\
	mode = mode_of(flags, ap);					\
	va_end(ap);							\
	return fails(INJECT_OPEN) ? -1 : REAL(name)(dir, path, flags, mode);	\
}
OPENAT(openat)
OPENAT(openat64)

/* Define a function with @params that calls the original with @args, or returns @failed. */
#define FUNCTION(kind, type, name, params, args, failed)		\
type name params							\
{									\
	return fails(kind) ? (failed) : REAL(name) args;		\
}

FUNCTION(INJECT_OPEN, DIR *, opendir, (const char *path), (path), NULL)
static bool preloaded;

/* Write a stream's buffer through this file's write(), which the C library itself does not call. */
static ssize_t write_stream(void *stream, const char *data, size_t n)
{
	size_t done = 0;
	ssize_t now = 1;

	while (done < n && now > 0) {
		now = write(fileno(stream), data + done, n - done);
		done += now > 0 ? (size_t)now : 0;
	}
	return (ssize_t)done;
}

static int close_stream(void *stream)
{
	return fclose(stream);
}

/* Make writes to a stream of a preloaded program count and fail. */
static FILE *counted_writes(FILE *f)
{
	static const cookie_io_functions_t calls_of = { .write = write_stream, .close = close_stream };
	FILE *counted = preloaded && f ? fopencookie(f, "w", calls_of) : NULL;

	return counted ? counted : f;
}

#define OPEN_STREAM(name)						\
FILE *name(const char *path, const char *mode)				\
{									\
	FILE *f = fails(INJECT_OPEN) ? NULL : REAL(name)(path, mode);	\
									\
	return *mode == 'w' ? counted_writes(f) : f;			\
}
OPEN_STREAM(fopen)
OPEN_STREAM(fopen64)

FILE *fdopen(int fd, const char *mode)
{
	FILE *f = REAL(fdopen)(fd, mode);

	return *mode == 'w' ? counted_writes(f) : f;
}

FUNCTION(INJECT_OPEN, int, memfd_create, (const char *name, unsigned int flags), (name, flags), -1)

int pmdaAddLabels(void *sets, const char *fmt, ...);
int pmdaAddLabels(void *sets, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	if (fails(INJECT_LABEL))
		return -ENOMEM;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return REAL(pmdaAddLabels)(sets, "%s", text);
}

FUNCTION(INJECT_TIMER, int, timerfd_create, (clockid_t clock, int flags), (clock, flags), -1)
FUNCTION(INJECT_OPEN, int, signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags), -1)
FUNCTION(INJECT_MAP, void *, mmap, (void *at, size_t n, int prot, int flags, int fd, off_t offset),
	 (at, n, prot, flags, fd, offset), MAP_FAILED)
FUNCTION(INJECT_MAP, void *, mmap64,
	 (void *at, size_t n, int prot, int flags, int fd, off64_t offset),
	 (at, n, prot, flags, fd, offset), MAP_FAILED)
FUNCTION(INJECT_STAT, int, stat, (const char *path, struct stat *st), (path, st), -1)
FUNCTION(INJECT_STAT, int, lstat, (const char *path, struct stat *st), (path, st), -1)
FUNCTION(INJECT_STAT, int, fstat, (int fd, struct stat *st), (fd, st), -1)
FUNCTION(INJECT_STAT, int, access, (const char *path, int mode), (path, mode), -1)
FUNCTION(INJECT_CHANGE, int, rename, (const char *from, const char *to), (from, to), -1)
FUNCTION(INJECT_CHANGE, int, unlink, (const char *path), (path), -1)
FUNCTION(INJECT_CHANGE, int, ftruncate, (int fd, off_t size), (fd, size), -1)
FUNCTION(INJECT_CHANGE, int, fchmod, (int fd, mode_t mode), (fd, mode), -1)
FUNCTION(INJECT_CHANGE, int, fsync, (int fd), (fd), -1)
FUNCTION(INJECT_CHANGE, int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
FUNCTION(INJECT_SOCKET, int, socket, (int family, int type, int protocol), (family, type, protocol),
	 -1)
FUNCTION(INJECT_SOCKET, int, pipe2, (int fds[2], int flags), (fds, flags), -1)
FUNCTION(INJECT_NETWORK, int, connect, (int fd, const struct sockaddr *to, socklen_t len),
	 (fd, to, len), -1)
FUNCTION(INJECT_NETWORK, int, poll, (struct pollfd *fds, nfds_t n, int ms), (fds, n, ms), -1)
FUNCTION(INJECT_NETWORK, int, ppoll, (struct pollfd *fds, nfds_t n, const struct timespec *limit,
	 const sigset_t *mask), (fds, n, limit, mask), -1)
FUNCTION(INJECT_NETWORK, int, getsockopt, (int fd, int level, int option, void *value,
	 socklen_t *len), (fd, level, option, value, len), -1)
FUNCTION(INJECT_NETWORK, int, setsockopt, (int fd, int level, int option, const void *value,
	 socklen_t len), (fd, level, option, value, len), -1)
/* The C library's pthread_atfork() calls this. */
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object);
FUNCTION(INJECT_MEMORY, int, __register_atfork,
	 (void (*prepare)(void), void (*parent)(void), void (*child)(void), void *object),
	 (prepare, parent, child, object), ENOMEM)
FUNCTION(INJECT_THREAD, int, pthread_create, (pthread_t *thread, const pthread_attr_t *attr,
	 void *(*start)(void *), void *arg), (thread, attr, start, arg), EAGAIN)

FUNCTION(INJECT_ENTRY, struct dirent *, readdir, (DIR *dir), (dir), NULL)
FUNCTION(INJECT_ENTRY, int, scandir, (const char *path, struct dirent ***list,
	 int (*filter)(const struct dirent *), int (*compare)(const struct dirent **,
	 const struct dirent **)), (path, list, filter, compare), -1)

/*
 * If the call must fail, set the stream's error flag, because the C library reads the stream
 * without calling a function of this file, and ferror() checks the flag.
 */
static int fails_stream(FILE *f)
{
	int how = fails(INJECT_LINE);

	if (how)
		f->_flags |= _IO_ERR_SEEN;
	return how;
}

char *fgets(char *line, int size, FILE *f)
{
	return fails_stream(f) ? NULL : REAL(fgets)(line, size, f);
}

struct mntent *getmntent_r(FILE *f, struct mntent *mount, char *line, int size)
{
	return fails_stream(f) ? NULL : REAL(getmntent_r)(f, mount, line, size);
}

ssize_t __getdelim(char **line, size_t *room, int end, FILE *f)
{
	return fails_stream(f) ? -1 : REAL(__getdelim)(line, room, end, f);
}

ssize_t getline(char **line, size_t *room, FILE *f)
{
	return __getdelim(line, room, '\n', f);
}

size_t fread(void *data, size_t size, size_t n, FILE *f)
{
	return fails_stream(f) ? 0 : REAL(fread)(data, size, n, f);
}

int __isoc99_fscanf(FILE *f, const char *format, ...);
int __isoc99_fscanf(FILE *f, const char *format, ...)
{
	va_list ap;
	int n;

	if (fails_stream(f))
		return EOF;
	va_start(ap, format);
	n = vfscanf(f, format, ap);
	va_end(ap);
	return n;
}

/* Define a transfer of @n bytes with @args.  A short one has half of them, but at least one. */
#define TRANSFER(kind, name, params, args)				\
ssize_t name params							\
{									\
	int how = fails(kind);						\
									\
	if (how > 0)							\
		return -1;						\
	if (how == INJECT_SHORT)					\
		n = n > 1 ? n / 2 : n;					\
	else if (how)							\
		raise(how == INJECT_KILL ? SIGKILL : SIGTERM);		\
	return REAL(name) args;						\
}

TRANSFER(INJECT_READ, read, (int fd, void *data, size_t n), (fd, data, n))
TRANSFER(INJECT_READ, pread, (int fd, void *data, size_t n, off_t at), (fd, data, n, at))
TRANSFER(INJECT_READ, pread64, (int fd, void *data, size_t n, off64_t at), (fd, data, n, at))
TRANSFER(INJECT_READ, recv, (int fd, void *data, size_t n, int flags), (fd, data, n, flags))
TRANSFER(INJECT_WRITE, write, (int fd, const void *data, size_t n), (fd, data, n))
TRANSFER(INJECT_WRITE, pwrite, (int fd, const void *data, size_t n, off_t at), (fd, data, n, at))
TRANSFER(INJECT_WRITE, pwrite64, (int fd, const void *data, size_t n, off64_t at),
	 (fd, data, n, at))
TRANSFER(INJECT_WRITE, send, (int fd, const void *data, size_t n, int flags), (fd, data, n, flags))

/* A short call sends half of the first part. */
ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	struct iovec part = message->msg_iovlen ? message->msg_iov[0] : (struct iovec){ 0 };
	struct msghdr one = *message;
	int how = fails(INJECT_WRITE);

	if (how > 0)
		return -1;
	if (how == INJECT_SHORT && part.iov_len) {
		part.iov_len = part.iov_len > 1 ? part.iov_len / 2 : 1;
		one.msg_iov = &part;
		one.msg_iovlen = 1;
	} else if (how) {
		raise(how == INJECT_KILL ? SIGKILL : SIGTERM);
	}
	return REAL(sendmsg)(fd, &one, flags);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	return fails(INJECT_IOCTL) ? -1 : REAL(ioctl)(fd, request, arg);
}

/* Read all six arguments, although callers pass only those that their system call has. */
__attribute__((no_sanitize("address"))) long syscall(long number, ...)
{
	long a[6];
	va_list ap;

	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_perf_event_open && fails(INJECT_PERF))
		return -1;
	if (number == SYS_bpf && fails(INJECT_BPF))
		return -1;
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
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
	preloaded = !getenv("INJECT_NOT");
	stdout = counted_writes(stdout);
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
