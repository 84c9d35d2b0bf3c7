/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generate the rows of the tables of misuse.  Each call runs in a separate child, so a crash is a
 * result like any other.
 *
 * A row is a TAP line, "ok N - CALL | MISUSE | RESULT"; misuse/table.sh generates
 * Documentation/api/misuse.rst from these lines.  A row fails if the call crashes or does not
 * return within several seconds.
 */
#ifndef SELFTESTS_MISUSE_H
#define SELFTESTS_MISUSE_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MISUSE_SECONDS	20

/* Disable the sanitizer's handlers, because a crash must end the child with a signal. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "handle_segv=0:handle_sigbus=0:handle_abort=0:detect_leaks=0:allocator_may_return_null=1";
}

static int misuse_rows, misuse_failed, misuse_pipe = -1;
/* If not NULL, the original whose calls crash in the following rows */
static const char *misuse_original;

/* Write the name of a result to @text; each program defines this function. */
void misuse_name(char *text, size_t size, long value, int error);

static void misuse_says(const char *text)
{
	if (write(misuse_pipe, text, strlen(text)) < 0)
		_exit(1);
	fflush(NULL);
	_exit(0);
}

static inline void misuse_int(long value)
{
	char text[128];

	misuse_name(text, sizeof(text), value, errno);
	misuse_says(text);
}

static inline void misuse_pointer(const void *value)
{
	char text[128] = "a pointer";

	if (!value)
		snprintf(text, sizeof(text), errno ? "NULL, %s" : "NULL", strerrorname_np(errno));
	misuse_says(text);
}

static void misuse_prints(const char *call, const char *misuse, const char *result, int status)
{
	char crash[64];

	if (status && misuse_original) {
		snprintf(crash, sizeof(crash), "crashes, as in %s", misuse_original);
		result = crash;
		status = 0;
	} else if (WIFSIGNALED(status)) {
		snprintf(crash, sizeof(crash), WTERMSIG(status) == SIGKILL ? "hangs" : "crashes: SIG%s",
			 sigabbrev_np(WTERMSIG(status)));
		result = crash;
	} else if (WEXITSTATUS(status)) {
		snprintf(crash, sizeof(crash), "exits with %d", WEXITSTATUS(status));
		result = crash;
	}
	misuse_failed += status != 0;
	printf("%sok %d - %s | %s | %s\n", status ? "not " : "", ++misuse_rows, call, misuse, result);
}

/*
 * Fork.  Return true in the child, which must make the call.  In the parent, print the result of
 * the call and return false.
 */
static bool misuse_begins(const char *misuse, const char *call)
{
	char result[256] = "";
	int ends[2], status;
	ssize_t n = 0;
	pid_t pid;

	fflush(NULL);
	if (pipe(ends) || (pid = fork()) < 0)
		abort();
	if (!pid) {
		const struct rlimit no_core = { 0, 0 };
		int null = open("/dev/null", O_RDWR);

		setrlimit(RLIMIT_CORE, &no_core);
		dup2(null, 1);
		dup2(null, 2);
		misuse_pipe = ends[1];
		return true;
	}
	close(ends[1]);
	/* Use SIGKILL, because a call that hangs may have blocked other signals. */
	if (poll(&(struct pollfd){ .fd = ends[0], .events = POLLIN }, 1, MISUSE_SECONDS * 1000) > 0)
		n = read(ends[0], result, sizeof(result) - 1);
	else
		kill(pid, SIGKILL);
	close(ends[0]);
	if (waitpid(pid, &status, 0) != pid)
		abort();
	result[n > 0 ? n : 0] = 0;
	misuse_prints(call, misuse, result, status);
	return false;
}

static inline int misuse_ends(void)
{
	printf("1..%d\n", misuse_rows);
	fflush(stdout);
	return misuse_failed != 0;
}

/* Each macro below prints a row for a call of one return type, and evaluates @ready first. */
#define ROW(ready, misuse, call, result)		\
	do {						\
		if (misuse_begins(misuse, call)) {	\
			ready;				\
			errno = 0;			\
			result;				\
		}					\
	} while (0)

#define INT(ready, misuse, call)	ROW(ready, misuse, #call, misuse_int(call))
#define POINTER(ready, misuse, call)	ROW(ready, misuse, #call, misuse_pointer(call))
#define NOTHING(ready, misuse, call)	ROW(ready, misuse, #call, call; misuse_says("returns"))

/* Create a directory for the row in the current directory, and change to it. */
static inline void own_folder(void)
{
	char name[] = "XXXXXX";

	if (!mkdtemp(name) || chdir(name))
		exit(9);
}

struct misuse_call {
	long (*fn)(void);
	long result;
	int error;
};

static void *misuse_thread(void *arg)
{
	struct misuse_call *call = arg;

	errno = 0;
	call->result = call->fn();
	call->error = errno;
	return NULL;
}

/* Call @fn in another thread, and return its result after the thread has exited. */
static inline long in_another_thread(long (*fn)(void))
{
	struct misuse_call call = { .fn = fn };
	pthread_t thread;

	if (pthread_create(&thread, NULL, misuse_thread, &call) || pthread_join(thread, NULL))
		abort();
	errno = call.error;
	return call.result;
}

#endif /* SELFTESTS_MISUSE_H */
