// SPDX-License-Identifier: GPL-2.0-or-later
/* Choose and check the name of the archive that vcpc record creates, and write its labels. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "machine.h"
#include "record_name.h"
#include "text.h"
#include "vcpc.h"

#define MOST_NAMES	1000	/* maximum number of names to try */

static bool is_taken(const char *archive)
{
	char path[RECORD_NAME + 8];

	snprintf(path, sizeof(path), "%s.meta", archive);
	return !access(path, F_OK) || !access(archive, F_OK);
}

/* Choose COMMAND-20240301-143000. If that exists, append -2, -3 and so on. */
int record_name_choose(char name[RECORD_NAME], const char *command)
{
	const char *base = command ? basename(command) : "attached";
	time_t now = time(NULL);
	char when[32];
	struct tm tm;

	localtime_r(&now, &tm);
	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", &tm);
	for (int i = 1; i < MOST_NAMES; i++) {
		snprintf(name, RECORD_NAME, i == 1 ? "%.64s-%s" : "%.64s-%s-%d",
			 *base ? base : "run", when, i);
		if (!is_taken(name))
			return 0;
	}
	return vcpc_fail(0, "too many archives are named %.64s-%s*; choose another name with -o ARCHIVE", base, when);
}

/* Check an archive's name: the common part of its files' names, without .meta, .index or .0. */
int record_name_check(const char *archive)
{
	size_t len = archive ? strlen(archive) : 1;
	struct stat file;

	if (!len || (archive && archive[len - 1] == '/'))
		return vcpc_usage("-o: '%s' is not a valid archive name", archive);
	if (archive && !stat(archive, &file) && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode))
		return vcpc_usage("-o: '%s' is a device or a pipe; an archive consists of several files", archive);
	return 0;
}

static int label_one(struct shim_recorder *rec, const char *name, char *value)
{
	int ret = shim_record_label(rec, name, vcpc_printable(value, ""));

	return ret ? vcpc_fail(ret, "cannot write the label '%s'", name) : 0;
}

/* Describe the recording for readers of the archive. */
int record_label(struct shim_recorder *rec, char *const *argv)
{
	char command[1024] = "", cpu[256], kernel[256];
	size_t len = 0;
	int ret;

	for (size_t i = 0; argv[i] && len < sizeof(command); i++)
		len += snprintf(command + len, sizeof(command) - len, "%s%s", i ? " " : "", argv[i]);
	ret = label_one(rec, "command", command);
	errno = 0;
	if (!ret && vcpc_machine_cpu(cpu, sizeof(cpu)))
		ret = label_one(rec, "cpu", cpu);
	else if (!ret && vcpc_is_trouble(errno))
		ret = vcpc_fail(errno, "cannot read the processor's name");
	else if (!ret && errno)
		fprintf(stderr, "vcpc record: the archive will not name the processor: %s\n", strerror(errno));
	if (!ret && vcpc_machine_kernel(kernel, sizeof(kernel)))
		ret = label_one(rec, "kernel", kernel);
	return ret;
}
