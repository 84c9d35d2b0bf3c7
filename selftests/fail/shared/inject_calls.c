// SPDX-License-Identifier: GPL-2.0-or-later
/* Definitions that replace those of the C library. inject_fails() selects the calls that fail. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
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

#include "inject.h"

#pragma GCC visibility push(default)

static long blocks;

long inject_blocks(void)
{
	return __atomic_load_n(&blocks, __ATOMIC_SEQ_CST);
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
	if (inject_fails(INJECT_MEMORY))
		return NULL;
	return counted((__interceptor_malloc ? __interceptor_malloc : __libc_malloc)(size));
}

void *calloc(size_t n, size_t size)
{
	if (inject_fails(INJECT_MEMORY))
		return NULL;
	return counted((__interceptor_calloc ? __interceptor_calloc : __libc_calloc)(n, size));
}

void *realloc(void *old, size_t size)
{
	void *p;

	if (inject_fails(INJECT_MEMORY))
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
	if (inject_fails(INJECT_MEMORY))
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
	return inject_fails(INJECT_OPEN) ? -1 : REAL(name)(path, flags, mode);	\
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
	return inject_fails(INJECT_OPEN) ? -1 : REAL(name)(dir, path, flags, mode);	\
}
OPENAT(openat)
OPENAT(openat64)

/* Define a function with @params that calls the original with @args, or returns @failed. */
#define FUNCTION(kind, type, name, params, args, failed)		\
type name params							\
{									\
	return inject_fails(kind) ? (failed) : REAL(name) args;		\
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

void inject_count_streams(void)
{
	preloaded = true;
	stdout = counted_writes(stdout);
}

#define OPEN_STREAM(name)						\
FILE *name(const char *path, const char *mode)				\
{									\
	FILE *f = inject_fails(INJECT_OPEN) ? NULL : REAL(name)(path, mode);	\
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

	if (inject_fails(INJECT_LABEL))
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
	int how = inject_fails(INJECT_LINE);

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
	int how = inject_fails(kind);						\
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
	int how = inject_fails(INJECT_WRITE);

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
	return inject_fails(INJECT_IOCTL) ? -1 : REAL(ioctl)(fd, request, arg);
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
	if (number == SYS_perf_event_open && inject_fails(INJECT_PERF))
		return -1;
	if (number == SYS_bpf && inject_fails(INJECT_BPF))
		return -1;
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
