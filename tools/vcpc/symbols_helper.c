// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Find symbols in other users' files in helper processes, whose memory and CPU time are limited.
 *
 * A small ELF file can make libdw use any amount of memory and time.  Each user's files are read by
 * a separate helper, so that they do not affect the symbols of other users.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "symbols_parts.h"

#define MOST_MEMORY	(1ul << 30)	/* maximum size of a helper's data */
#define MOST_SECONDS	30		/* maximum CPU time of a helper */
#define WAIT_FACTOR	4		/* maximum time to wait for a reply, relative to the CPU time */
#define MOST_STARTS	8		/* maximum number of helpers for a user, one after another */

/* The helper is a copy of this process, so the file has the same address in both. */
struct request {
	struct symbols_file *file;
	uint64_t offset;
};

struct reply {
	struct symbol symbol;
	bool no_room;
	bool failed;
};

static void set_limit(int resource, rlim_t most)
{
	setrlimit(resource, &(struct rlimit){ most, most });
}

/* Limit the data in addition to this process's own.  Sanitizers reserve terabytes. */
static void limit_memory(void)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	FILE *in = fopen("/proc/self/statm", "re");
	unsigned long pages = 0;

	if (in && fscanf(in, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	set_limit(RLIMIT_DATA, pages * sysconf(_SC_PAGESIZE) + MOST_MEMORY);
#endif
}

static unsigned int most_seconds(const struct symbols_room *room)
{
	return room->seconds ? room->seconds : MOST_SECONDS;
}

static void leave(void)
{
	_exit(EXIT_FAILURE);
}

/* libdw prints a message and calls exit(), which would write buffered output a second time. */
static void confine(const struct symbols_room *room)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0 ||
	    atexit(leave))
		leave();
	/* A signal for the process group must not run this process's handlers. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	set_limit(RLIMIT_CORE, 0);
	set_limit(RLIMIT_CPU, most_seconds(room));
	limit_memory();
}

static bool receive(int socket, void *to, size_t size)
{
	return TEMP_FAILURE_RETRY(recv(socket, to, size, 0)) == (ssize_t)size;
}

static bool transmit(int socket, const void *from, size_t size)
{
	return TEMP_FAILURE_RETRY(send(socket, from, size, MSG_NOSIGNAL)) == (ssize_t)size;
}

static void serve(int socket)
{
	struct request request;

	while (receive(socket, &request, sizeof(request))) {
		struct reply reply = { 0 };

		symbols_file_read(request.file, request.offset, &reply.symbol);
		reply.no_room = request.file->no_room;
		reply.failed = request.file->failed;
		if (!transmit(socket, &reply, sizeof(reply)))
			break;
	}
	_exit(EXIT_SUCCESS);
}

static bool helper_start(struct symbols_helper *helper, const struct symbols_room *room)
{
	const struct timeval wait = { .tv_sec = WAIT_FACTOR * most_seconds(room) };
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return false;
	helper->pid = fork();
	if (!helper->pid) {
		close(ends[0]);
		confine(room);
		serve(ends[1]);
	}
	close(ends[1]);
	if (helper->pid < 0) {
		helper->pid = 0;
		close(ends[0]);
		return false;
	}
	/* A read from a user's filesystem can block. */
	setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	helper->socket = ends[0];
	helper->files = room->files;
	helper->starts++;
	return true;
}

/* A filesystem can also delay the helper's end, so do not wait for it longer than a second. */
static void helper_end(struct symbols_helper *helper)
{
	if (!helper->pid)
		return;
	close(helper->socket);
	kill(helper->pid, SIGKILL);
	for (int i = 0; i < 1000 && !waitpid(helper->pid, NULL, WNOHANG); i++)
		usleep(1000);
	helper->pid = 0;
}

/* Return the user's helper, or an unused one, or NULL. */
static struct symbols_helper *helper_of(struct symbols_room *room, uid_t owner)
{
	for (size_t i = 0; i < SYMBOLS_HELPERS; i++) {
		struct symbols_helper *helper = &room->helper[i];

		if (!helper->starts)
			helper->owner = owner;
		if (helper->owner == owner)
			return helper;
	}
	return NULL;
}

/* A helper that is older than the file does not know it.  Return whether @reply was written. */
static bool ask(struct symbols_helper *helper, const struct request *request, struct reply *reply)
{
	const struct symbols_file *file = request->file;

	if (file->number >= helper->files)
		helper_end(helper);
	if (!helper->pid && (helper->starts >= MOST_STARTS || !helper_start(helper, file->room)))
		return false;
	if (transmit(helper->socket, request, sizeof(*request)) &&
	    receive(helper->socket, reply, sizeof(*reply)))
		return true;
	/* It exceeded a limit, or the file made libdw crash. */
	helper_end(helper);
	helper->starts = MOST_STARTS;
	return false;
}

/**
 * symbols_helper_find() - find a function and line in another user's file
 * @file: the file; its member @no_room is set if its owner's helper exceeded a limit
 * @offset: offset from the beginning of the file
 * @symbol: written
 */
void symbols_helper_find(struct symbols_file *file, uint64_t offset, struct symbol *symbol)
{
	struct symbols_helper *helper = helper_of(file->room, file->owner);
	const struct request request = { .file = file, .offset = offset };
	struct reply reply;

	if (!helper || !ask(helper, &request, &reply)) {
		file->no_room = true;
		symbols_file_unnamed(file, offset, symbol);
		return;
	}
	file->no_room |= reply.no_room;
	file->failed |= reply.failed;
	*symbol = reply.symbol;
}

/** symbols_helpers_end() - end all helpers */
void symbols_helpers_end(struct symbols_room *room)
{
	for (size_t i = 0; i < SYMBOLS_HELPERS; i++)
		helper_end(&room->helper[i]);
}
