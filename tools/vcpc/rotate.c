// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc record --rotate: decide when an archive ends, name the next one, and remove old ones. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "damage.h"
#include "record_why.h"
#include "rotate.h"
#include "vcpc.h"
#include "window.h"

#define MOST_NAMES	1000	/* maximum number of names to try, one per millisecond */
#define MOST_KEPT	1000000
#define SHORTEST	1000000000LL

/* The files of an archive, compressed or not, and its stacks */
static const char *const suffixes[] = {
	".meta", ".index", ".0", ".0.xz", ".0.xz.part", VCPC_STACKS_SUFFIX,
};

#define N_SUFFIXES	(sizeof(suffixes) / sizeof(suffixes[0]))

bool vcpc_parse_size(const char *text, double *size)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;

	*size = strtod(text, &end);
	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (*text < '0' || *text > '9' || (*end && (!unit || end[1])) || !(*size >= 1))
		return false;
	for (long i = unit ? unit - units : -1; i >= 0; i--)
		*size *= 1024;
	return true;
}

/*
 * A size must end in K, M or G, so that "5" and "5m" are not mistaken for bytes.  Any other text is
 * a time.
 */
int vcpc_rotate_parse(struct vcpc_rotate *rotate, const char *text)
{
	size_t len = strlen(text);
	bool is_size = len && strchr("KMG", text[len - 1]);

	if (is_size && vcpc_parse_size(text, &rotate->size))
		return 0;
	if (!is_size && len && isalpha((unsigned char)text[len - 1]) &&
	    !vcpc_parse_interval(text, &rotate->time) && rotate->time >= SHORTEST)
		return 0;
	rotate->time = 0;
	return vcpc_usage("--rotate: invalid size or time '%s' (examples: 64M, 1h; a time must be at least 1s)", text);
}

int vcpc_rotate_parse_keep(struct vcpc_rotate *rotate, const char *text)
{
	char *end;
	unsigned long keep = strtoul(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || keep < 2 || keep > MOST_KEPT)
		return vcpc_usage("--keep: invalid number of archives '%s' (at least 2: one is being written, the others are complete)",
				  text);
	rotate->keep = keep;
	return 0;
}

bool vcpc_rotate_wanted(const struct vcpc_rotate *rotate)
{
	return rotate->size > 0 || rotate->time > 0;
}

int vcpc_rotate_folder(struct vcpc_rotate *rotate, const char *folder)
{
	rotate->made = !mkdir(folder, 0777);
	return rotate->made || errno == EEXIST ? 0 : -errno;
}

static bool is_taken(const char *archive)
{
	char path[PATH_MAX + 8];

	for (size_t i = 0; i < N_SUFFIXES; i++) {
		snprintf(path, sizeof(path), "%s%s", archive, suffixes[i]);
		if (!access(path, F_OK))
			return true;
	}
	return false;
}

/*
 * Use UTC in names so that they sort in the order of the archives: local time goes back once a
 * year.
 */
static int name_at(const char *folder, const struct timespec *when, char path[PATH_MAX])
{
	char text[32];
	struct tm tm;
	int len;

	if (!gmtime_r(&when->tv_sec, &tm))
		return -EOVERFLOW;
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	len = snprintf(path, PATH_MAX, "%s/%s-%03ldZ", folder, text, when->tv_nsec / 1000000);
	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int vcpc_rotate_name(const char *folder, char path[PATH_MAX])
{
	struct timespec when;

	clock_gettime(CLOCK_REALTIME, &when);
	for (int i = 0; i < MOST_NAMES; i++) {
		int ret = name_at(folder, &when, path);

		if (ret || !is_taken(path))
			return ret;
		when.tv_nsec += 1000000;
		when.tv_sec += when.tv_nsec / 1000000000;
		when.tv_nsec %= 1000000000;
	}
	return -EEXIST;
}

void vcpc_rotate_begin(struct vcpc_rotate *rotate, const char *path)
{
	snprintf(rotate->archive, sizeof(rotate->archive), "%s", path);
	rotate->since = vcpc_now();
}

double vcpc_archive_size(const char *archive)
{
	double size = 0;

	for (size_t i = 0; i < N_SUFFIXES; i++) {
		char path[PATH_MAX + 8];
		struct stat st;

		snprintf(path, sizeof(path), "%s%s", archive, suffixes[i]);
		size += stat(path, &st) ? 0 : (double)st.st_size;
	}
	return size;
}

bool vcpc_rotate_due(const struct vcpc_rotate *rotate)
{
	if (rotate->time > 0 && vcpc_now() - rotate->since >= (uint64_t)rotate->time)
		return true;
	return rotate->size > 0 && vcpc_archive_size(rotate->archive) >= rotate->size;
}

/* Match only names created by name_at(), such as 20260301T143000-250Z.meta, and no other files. */
static int is_ours(const struct dirent *entry)
{
	static const char shape[] = "ddddddddTdddddd-dddZ";
	const char *name = entry->d_name;

	for (const char *s = shape; *s; s++, name++)
		if (*s == 'd' ? !isdigit((unsigned char)*name) : *name != *s)
			return 0;
	return !strcmp(name, ".meta");
}

/*
 * Remove an archive's files. Remove .meta last, so that the next attempt finds an interrupted
 * removal.
 */
static int remove_archive(const char *folder, const char *meta)
{
	int len = strlen(meta) - strlen(suffixes[0]);
	int ret = 0;

	for (int i = N_SUFFIXES - 1; i >= 0; i--) {
		char path[PATH_MAX + 8];

		snprintf(path, sizeof(path), "%s/%.*s%s", folder, len, meta, suffixes[i]);
		if (unlink(path) && errno != ENOENT && !ret)
			ret = -errno;
	}
	return ret;
}

/*
 * Return whether a file may have been created by an earlier recorder of this user, and is not a
 * link to another file.
 */
static bool is_own(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return errno == ENOENT;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() && st.st_nlink == 1;
}

static bool is_own_archive(const char *folder, const char *meta)
{
	int len = strlen(meta) - strlen(suffixes[0]);

	for (size_t i = 0; i < N_SUFFIXES; i++) {
		char path[PATH_MAX + 8];

		snprintf(path, sizeof(path), "%s/%.*s%s", folder, len, meta, suffixes[i]);
		if (!is_own(path))
			return false;
	}
	return true;
}

/*
 * Remove from the list the archives that this user's recorders did not create, so that they are
 * neither counted nor deleted.
 */
static int keep_own(const char *folder, struct dirent **entries, int n)
{
	int kept = 0;

	for (int i = 0; i < n; i++) {
		if (is_own_archive(folder, entries[i]->d_name))
			entries[kept++] = entries[i];
		else
			free(entries[i]);
	}
	return kept;
}

/* Remove an archive unless another process, such as another recorder, is writing it. */
static int prune_archive(const char *folder, const char *meta)
{
	char path[PATH_MAX];
	int len = strlen(meta) - strlen(suffixes[0]);

	snprintf(path, sizeof(path), "%s/%.*s", folder, len, meta);
	return vcpc_is_written(path) ? 0 : remove_archive(folder, meta);
}

/* Return the index of archive @present, or of the last archive if it is not in the list. */
static int find_present(struct dirent *const *entries, int n, const char *present)
{
	size_t len = strlen(present);

	for (int i = 0; i < n; i++)
		if (!strncmp(entries[i]->d_name, present, len) && !strcmp(entries[i]->d_name + len, suffixes[0]))
			return i;
	return n - 1;
}

/*
 * Treat names that sort after the current archive as the oldest: they were created while the clock
 * was ahead.
 */
int vcpc_rotate_prune(const struct vcpc_rotate *rotate, const char *folder)
{
	const char *present = strrchr(rotate->archive, '/') + 1;
	struct dirent **entries;
	int ret = 0, n, at;

	if (!rotate->keep)
		return 0;
	n = scandir(folder, &entries, is_ours, alphasort);
	if (n < 0)
		return -errno;
	n = keep_own(folder, entries, n);
	at = find_present(entries, n, present);
	for (int i = 0; i + (int)rotate->keep < n; i++) {
		int removed = prune_archive(folder, entries[(at + 1 + i) % n]->d_name);

		ret = ret ? ret : removed;
	}
	for (int i = 0; i < n; i++)
		free(entries[i]);
	free(entries);
	return ret;
}
