// SPDX-License-Identifier: LGPL-2.1-or-later
/* Code shared by the parts of an archive's check: reporting, labels, volumes. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>

#include "check_state.h"
#include "record.h"

#define RELEASE_BYTES	(4u << 20)	/* a multiple of any page size */

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

void __attribute__((format(printf, 4, 5)))
shim_check__say(struct shim_check_state *s, const struct shim_check_file *file, uint64_t offset,
		const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->problems < INT_MAX)
		s->problems++;
	s->check->problem(s->check->arg, base_of(file->path), offset, text);
}

void __attribute__((format(printf, 5, 6)))
shim_check__note(struct shim_check_state *s, enum shim_check_note kind,
		 const struct shim_check_file *file, uint64_t offset, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (s->check->note)
		s->check->note(s->check->arg, kind, base_of(file->path), offset, text);
}

int shim_check__first_label(struct shim_check_state *s, const struct shim_check_file *file)
{
	int err = shim_rec_label__decode(file->data, file->size, file->volume, &s->first);

	if (err == -EOPNOTSUPP) {
		shim_check__note(s, SHIM_CHECK_UNKNOWN, file, 0,
				 "features %#x that this library does not know", s->first.features);
		err = 0;
	}
	if (!err)
		s->f = shim_format__of(s->first.version);
	return err;
}

bool shim_check__label(struct shim_check_state *s, const struct shim_check_file *file)
{
	int err;

	if (!file->data)
		return false;
	err = s->f ? shim_rec_label__agree(&s->first, file->data, file->size, file->volume) :
		     shim_check__first_label(s, file);
	if (err)
		shim_check__say(s, file, 0, "the label is bad, or not that of the first volume");
	else if (file->size == s->f->label_len)
		shim_check__say(s, file, file->size, "there is nothing after the label");
	return !err;
}

struct shim_check_file *shim_check__volume(const struct shim_check_state *s, int32_t volume)
{
	for (size_t i = 0; i < s->names.nvolumes; i++)
		if (s->volumes[i].volume == volume)
			return &s->volumes[i];
	return NULL;
}

void shim_check__release(struct shim_check_file *file, uint64_t offset)
{
	uint64_t upto = (offset < file->size ? offset : file->size) / RELEASE_BYTES * RELEASE_BYTES;

	if (upto > file->released)
		madvise(file->data + file->released, upto - file->released, MADV_DONTNEED);
	file->released = upto;
}
