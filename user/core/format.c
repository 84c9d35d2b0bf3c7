// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Read the fields of the event codes of this machine's CPUs from the kernel's files.
 *
 * DEVICES/PMU/format/NAME contains, for example, "config:0-7,32-35": the word and the bits of the
 * field.  A CPU's PMU is named cpu or has a file "cpus".  If there are several kinds of core, the
 * first PMU by name is used.
 */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "base/lines.h"

#define NAME_ROOM	32
#define MAX_RANGES	4
#define MAX_FIELDS	64
#define PATH_ROOM	512

struct field {
	char name[NAME_ROOM];
	unsigned int word;	/* 0: config, 1: config1, 2: config2 */
	unsigned int nr;
	struct {
		unsigned char low, high;
	} range[MAX_RANGES];	/* beginning with the field's lowest bits */
};

struct shim_pmu_format {
	char pmu[NAME_ROOM];
	size_t nr;
	struct field field[MAX_FIELDS];
};

static bool parse_ranges(const char *at, struct field *field)
{
	while (field->nr < MAX_RANGES) {
		unsigned int low, high;
		int used = 0;

		if (sscanf(at, "%2u%n", &low, &used) != 1)
			return false;
		at += used;
		high = low;
		if (*at == '-') {
			if (sscanf(at + 1, "%2u%n", &high, &used) != 1)
				return false;
			at += used + 1;
		}
		if (high < low || high > 63)
			return false;
		field->range[field->nr].low = low;
		field->range[field->nr++].high = high;
		if (*at != ',')
			return !*at || *at == '\n';
		at++;
	}
	return false;
}

static bool parse_field(const char *text, struct field *field)
{
	static const char *const words[] = { "config:", "config1:", "config2:" };

	field->nr = 0;
	for (unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = strlen(words[i]);

		field->word = i;
		if (!strncmp(text, words[i], len))
			return parse_ranges(text + len, field);
	}
	return false;
}

/*
 * Return whether the error means that a file or directory does not exist or is not accessible.
 * Other errors can be temporary.
 */
static bool is_absent(int err)
{
	return err == ENOENT || err == ENOTDIR || err == EACCES;
}

/* Return 1, 0 if the file is not a field, or -errno. */
static int read_field(const char *dir, const char *name, struct field *field)
{
	char path[PATH_ROOM], text[128];
	FILE *file;
	int ret;

	if (strlen(name) >= NAME_ROOM ||
	    snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return 0;
	file = fopen(path, "re");
	if (!file)
		return is_absent(errno) ? 0 : -errno;
	ret = fgets(text, sizeof(text), file) ? parse_field(text, field) : ferror(file) ? -errno : 0;
	fclose(file);
	if (ret > 0)
		strcpy(field->name, name);
	return ret;
}

static int by_name(const void *a, const void *b)
{
	const struct field *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int read_fields(const char *devices, struct shim_pmu_format *format)
{
	char path[PATH_ROOM];
	struct dirent *entry;
	int ret = 0;
	DIR *dir;

	if (snprintf(path, sizeof(path), "%s/%s/format", devices, format->pmu) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	dir = opendir(path);
	if (!dir)
		return is_absent(errno) ? 0 : -errno;
	while (format->nr < MAX_FIELDS && (ret = shim_entries__next(dir, &entry)) > 0) {
		ret = entry->d_name[0] == '.' ? 0 :
			read_field(path, entry->d_name, &format->field[format->nr]);
		if (ret < 0)
			break;
		format->nr += ret;
	}
	closedir(dir);
	qsort(format->field, format->nr, sizeof(format->field[0]), by_name);
	return ret < 0 ? ret : 0;
}

static bool is_cpu(const char *devices, const char *name)
{
	char path[PATH_ROOM];

	if (!strcmp(name, "cpu"))
		return true;
	return snprintf(path, sizeof(path), "%s/%s/cpus", devices, name) < (int)sizeof(path) &&
	       !access(path, F_OK);
}

static int find_pmu(const char *devices, char *pmu)
{
	DIR *dir = opendir(devices);
	struct dirent *entry;
	int ret;

	if (!dir)
		return is_absent(errno) ? 0 : -errno;
	while ((ret = shim_entries__next(dir, &entry)) > 0)
		if (strlen(entry->d_name) < NAME_ROOM && is_cpu(devices, entry->d_name) &&
		    (!*pmu || strcmp(entry->d_name, pmu) < 0))
			strcpy(pmu, entry->d_name);
	closedir(dir);
	return ret;
}

/* Read the fields of the format's PMU, if it has one, and store the format in @out. */
static int fill(const char *devices, struct shim_pmu_format *format, struct shim_pmu_format **out)
{
	int ret = format->pmu[0] ? read_fields(devices, format) : 0;

	if (ret)
		free(format);
	else
		*out = format;
	return ret;
}

/**
 * shim_pmu_format__open() - read the fields of the CPUs' event codes
 * @devices: SHIM_FORMAT_DEVICES
 * @out: the format, to be closed with shim_pmu_format__close(); it has no fields if the CPUs have
 *	no PMU
 *
 * Return: 0, -ENOMEM, or another error from opendir(3), readdir(3) or fopen(3).
 */
int shim_pmu_format__open(const char *devices, struct shim_pmu_format **out)
{
	struct shim_pmu_format *format = calloc(1, sizeof(*format));
	int ret;

	if (!format)
		return -ENOMEM;
	ret = find_pmu(devices, format->pmu);
	if (!ret)
		return fill(devices, format, out);
	free(format);
	return ret;
}

/**
 * shim_pmu_format__open_of() - read the fields of a PMU's event codes
 * @devices: SHIM_FORMAT_DEVICES
 * @pmu: the PMU's name
 * @out: the format, to be closed with shim_pmu_format__close(); it has no fields if the PMU does
 *	not exist
 *
 * Return: 0, -ENAMETOOLONG, -ENOMEM, or another error from opendir(3), readdir(3) or fopen(3).
 */
int shim_pmu_format__open_of(const char *devices, const char *pmu, struct shim_pmu_format **out)
{
	struct shim_pmu_format *format;

	if (strlen(pmu) >= NAME_ROOM)
		return -ENAMETOOLONG;
	format = calloc(1, sizeof(*format));
	if (!format)
		return -ENOMEM;
	strcpy(format->pmu, pmu);
	return fill(devices, format, out);
}

void shim_pmu_format__close(struct shim_pmu_format *format)
{
	free(format);
}

/**
 * shim_pmu_format__pmu() - get the kernel's name of the CPUs' PMU
 * @format: handle from shim_pmu_format__open()
 *
 * Return: the PMU's name; NULL if there is no PMU.
 */
const char *shim_pmu_format__pmu(const struct shim_pmu_format *format)
{
	return format->pmu[0] ? format->pmu : NULL;
}

/**
 * shim_pmu_format__name() - get the name of the i-th field in alphabetical order
 * @format: handle from shim_pmu_format__open()
 * @i: index from 0
 *
 * Return: the name; NULL after the last one.
 */
const char *shim_pmu_format__name(const struct shim_pmu_format *format, size_t i)
{
	return i < format->nr ? format->field[i].name : NULL;
}

static const struct field *field_find(const struct shim_pmu_format *format, const char *name)
{
	for (size_t i = 0; i < format->nr; i++)
		if (!strcmp(format->field[i].name, name))
			return &format->field[i];
	return NULL;
}

/* Distribute the value's bits over the field's ranges.  Return the bits that do not fit. */
static __u64 scatter(const struct field *field, __u64 value, __u64 *word)
{
	for (unsigned int i = 0; i < field->nr; i++) {
		unsigned int low = field->range[i].low;
		unsigned int width = field->range[i].high - low + 1;
		__u64 mask = width == 64 ? ~0ULL : (1ULL << width) - 1;

		*word = (*word & ~(mask << low)) | (value & mask) << low;
		value = width == 64 ? 0 : value >> width;
	}
	return value;
}

/**
 * shim_pmu_format__set() - set a field of an event's code
 * @format: handle from shim_pmu_format__open()
 * @name: the field's name
 * @value: replaces the field's value in the code
 * @req: the event; changed only on success
 *
 * Return: 0, -ENOENT (no such field), or -ERANGE (the value does not fit).
 */
int shim_pmu_format__set(const struct shim_pmu_format *format, const char *name, __u64 value,
			 struct vcpc_request *req)
{
	const struct field *field = field_find(format, name);
	__u64 words[] = { req->config, req->config1, req->config2 };

	if (!field)
		return -ENOENT;
	if (scatter(field, value, &words[field->word]))
		return -ERANGE;
	req->config = words[0];
	req->config1 = words[1];
	req->config2 = words[2];
	return 0;
}
