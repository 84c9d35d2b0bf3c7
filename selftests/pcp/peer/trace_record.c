// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turn tracing on, run a command, and record the trace statistics before and after it.
 *
 * usage: trace_record ARCHIVE COMMAND [ARGUMENT...]
 */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <shim/shim.h>
#include <shim/trace.h>

static int run(char **argv)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		execvp(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return -1;
	return status ? -1 : 0;
}

static int record(const char *archive, char **argv)
{
	struct shim_recorder *rec;
	int err = shim_record_open(archive, NULL, &rec);

	if (err)
		return err;
	err = shim_record_add_trace(rec);
	if (!err)
		err = shim_record_tick(rec);
	if (!err)
		err = run(argv);
	if (!err)
		err = shim_record_tick(rec);
	return err ? err : shim_record_close(rec);
}

int main(int argc, char **argv)
{
	int err;

	if (argc < 3)
		return 2;
	err = shim_trace_on(NULL);
	if (!err)
		err = record(argv[1], argv + 2);
	shim_trace_off();
	if (err)
		fprintf(stderr, "trace_record: %s\n", strerror(-err));
	return err != 0;
}
