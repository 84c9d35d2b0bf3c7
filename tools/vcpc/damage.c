// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Warn if an archive whose values were shown is damaged or incomplete.
 *
 * Like PCP's own library, our PMAPI skips damage if possible; otherwise the archive ends there.
 * The caller gets no error in either case, so the part that was read is checked separately.  The
 * rest of the archive may be much larger; 'vcpc check' checks all of it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <shim/archive.h>

#include "archives.h"
#include "damage.h"
#include "vcpc.h"

static void damage_ignore(void *arg, const char *file, uint64_t offset, const char *text)
{
	(void)arg;
	(void)file;
	(void)offset;
	(void)text;
}

/* Count the notes of each kind. */
static void damage_count(void *arg, int kind, const char *file, uint64_t offset, const char *text)
{
	unsigned int *notes = arg;

	(void)file;
	(void)offset;
	(void)text;
	notes[kind == SHIM_ARCHIVE_UNKNOWN]++;
}

/* Return whether an archive is being written.  If it is, its last record may be incomplete. */
bool vcpc_is_written(const char *archive)
{
	char path[4096];
	struct flock lock = { .l_type = F_RDLCK };
	bool written;
	int fd;

	snprintf(path, sizeof(path), "%s.meta", archive);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	written = !fcntl(fd, F_OFD_GETLK, &lock) && lock.l_type == F_WRLCK;
	close(fd);
	return written;
}

static int say_damaged(const char *archive, int n)
{
	char problems[32] = "";

	if (n)
		snprintf(problems, sizeof(problems), " (%d %s)", n, n == 1 ? "problem" : "problems");
	return vcpc_fail(0, "%s is damaged%s: values may be missing or wrong; run 'vcpc check %s' for details",
			 archive, problems, archive);
}

static int damage_of(const char *archive, const struct vcpc_read *read)
{
	unsigned int notes[2] = { 0, 0 };
	const struct shim_archive_span span = {
		.from = read->window->from, .to = read->window->to, .points = read->points,
	};
	const struct shim_archive_watch watch = {
		.size = sizeof(watch), .problem = damage_ignore, .arg = notes, .note = damage_count,
		.span = &span,
	};
	int n;

	if (vcpc_is_written(archive))
		return 0;
	n = shim_archive_check(archive, &watch);
	if (n < 0)
		return vcpc_fail(n, "cannot check %s for damage", archive);
	if (!n && notes[1])
		vcpc_fail(0, "note: %s contains unknown data, perhaps from a newer PCP; run 'vcpc check %s' for details",
			  archive, archive);
	if (!n && notes[0])
		vcpc_fail(0, "note: %s is incomplete: names or files are missing; run 'vcpc check %s' for details",
			  archive, archive);
	return n ? say_damaged(archive, n) : 0;
}

int vcpc_damage(const char *archive, const struct vcpc_read *read)
{
	struct vcpc_archives archives = { 0 };
	bool written = false;
	int err = vcpc_archives_add(&archives, archive);
	int status = err ? vcpc_fail(err, "cannot check %s for damage", archive) : 0;

	for (size_t i = 0; i < archives.n; i++) {
		int one = damage_of(archives.names[i], read);

		status = one ? one : status;
		written |= vcpc_is_written(archives.names[i]);
	}
	vcpc_archives_free(&archives);
	/* The reader does not report which of several archives is damaged. */
	if (!status && read->damaged && !written)
		status = say_damaged(archive, 0);
	return status;
}
