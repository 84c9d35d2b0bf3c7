/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the tests archive_writer*: a writer with the metrics of the sample, and checks of the
 * archives that it writes
 */
#ifndef SELFTESTS_ARCHIVE_WRITER_H
#define SELFTESTS_ARCHIVE_WRITER_H

#include "archive/record.h"
#include "archive/output.h"
#include "archive_sample.h"
#include "kselftest_harness.h"

FIXTURE(writer) {
	struct place place;
	struct shim_writer *w;
};

FIXTURE_SETUP(writer)
{
	struct shim_label label = sample_label(3);

	ASSERT_EQ(0, place_make(&self->place));
	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &self->w));
	ASSERT_EQ(0, sample_declare(self->w, at(0)));
}

FIXTURE_TEARDOWN(writer)
{
	place_remove(&self->place);
}

static inline bool is_there(struct place *p, const char *suffix)
{
	return !access(place_file(p, suffix), F_OK);
}

/* Close the archive, and check that it has @n records of the sample. */
static inline bool is_sample(struct shim_writer *w, const char *base, unsigned int n)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	bool good = !shim_writer__close(w);
	unsigned int i = 0;

	if (!good || shim_archive__open(base, &ar))
		return false;
	shim_cursor__init(&cur, ar);
	while (!shim_cursor__next(&cur, &rec))
		good = good && sample_matches(&rec, i++);
	shim_archive__put(ar);
	return good && i == n;
}

#endif /* SELFTESTS_ARCHIVE_WRITER_H */
