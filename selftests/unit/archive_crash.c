// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kill writers at random moments, or make them run out of disk space.  Committed records are
 * complete, others are absent, and the archive can be opened.
 */
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "archive_sample.h"
#include "kselftest_harness.h"

FIXTURE(crash) {
	struct place place;
};

FIXTURE_VARIANT(crash) {
	int version;
};

FIXTURE_VARIANT_ADD(crash, v2) {
	.version = 2,
};

FIXTURE_VARIANT_ADD(crash, v3) {
	.version = 3,
};

FIXTURE_SETUP(crash)
{
	ASSERT_EQ(0, place_make(&self->place));
}

FIXTURE_TEARDOWN(crash)
{
	place_remove(&self->place);
}

/* Write record @i.  Instances change between records, so all three files are written. */
static int write_on(struct shim_writer *w, unsigned int i)
{
	static const int32_t inst[] = { 0, 3, 7, 8 };
	char name[4][16];
	const char *names[4];
	struct shim_indom indom = { at(i), SAMPLE_INDOM, i % 2 ? 4 : 3, inst, names, false };

	for (int k = 0; k < 4; k++) {
		sprintf(name[k], "n%d-%u", k, k == 3 ? i : 0);
		names[k] = name[k];
	}
	if (i % 50 == 49 && shim_writer__next_volume(w))
		return -1;
	return shim_writer__indom(w, &indom) ? -1 : sample_record(w, at(i), i);
}

/* Write until killed, and store the number of committed records in *@committed. */
static void write_forever(const char *base, int version, volatile unsigned int *committed)
{
	struct shim_label label = sample_label(version);
	struct shim_writer *w;

	if (shim_writer__open(base, &label, &w))
		_exit(1);
	for (int i = 0; i < NMETRICS; i++) {
		struct shim_desc desc = sample_desc(i);

		if (shim_writer__desc(w, &desc))
			_exit(2);
	}
	for (unsigned int i = 0;; i++) {
		if (write_on(w, i))
			_exit(3);
		*committed = i + 1;
	}
}

/*
 * Return the number of records, or an error if a record is wrong or the archive does not end with
 * the last record.  Reading may end with the error @behind instead of -ERANGE.
 */
static int count(const char *base, int behind)
{
	struct shim_ts end, last = { 0, 0 };
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	int n = 0, err;

	err = shim_archive__open(base, &ar);
	if (err)
		return err;
	shim_cursor__init(&cur, ar);
	while (!(err = shim_cursor__next(&cur, &rec))) {
		if (!sample_matches(&rec, n))
			err = -EFAULT;
		last = rec.stamp;
		n++;
	}
	if (err != -ERANGE && err != behind)
		n = -EFAULT;
	if (shim_archive__end(ar, &end) || shim_ts__cmp(end, last))
		n = -EPROTO;
	shim_archive__put(ar);
	return n;
}

TEST_F_TIMEOUT(crash, killed_at_any_moment, 1200)
{
	volatile unsigned int *committed = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
						MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int seed = 17, most = 0, none = 0, longest = 3000;

	ASSERT_NE(MAP_FAILED, committed);
	for (int round = 0; round < 300; round++) {
		struct place place;
		int status, n;
		pid_t pid;

		ASSERT_EQ(0, place_make(&place));
		*committed = 0;
		pid = fork();
		if (!pid)
			write_forever(place.base, variant->version, committed);
		usleep(rand_r(&seed) % (round % 4 ? longest : 10 * longest));
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status)) {
			TH_LOG("writer said %d", WEXITSTATUS(status));
		}
		n = count(place.base, -EBADMSG);	/* part of a record may follow */
		if (!*committed) {
			/* Nothing was committed, so the archive may contain one record or none. */
			none++;
			/* On a busy machine, the first record takes longer to write. */
			if (none * 2 > (unsigned int)round)
				longest += 500;
		} else {
			/* One more record can be complete without having been reported. */
			ASSERT_LE((int)*committed, n) {
				TH_LOG("round %d: %s", round, place.base);
			}
			ASSERT_GE((int)*committed + 1, n);
		}
		most = *committed > most ? *committed : most;
		place_remove(&place);
	}
	EXPECT_LT(100, most);
	EXPECT_GT(200, none);
}

/* A limit on the size of files simulates disks that fill up after different numbers of bytes. */
TEST_F_TIMEOUT(crash, out_of_room, 1200)
{
	for (unsigned int limit = 0; limit < 12000; limit += limit < 3000 ? 13 : 101) {
		struct shim_label label = sample_label(variant->version);
		struct rlimit room = { limit, RLIM_INFINITY };
		unsigned int good = 0, refused = 0;
		struct shim_writer *w;
		int err, n;

		signal(SIGXFSZ, SIG_IGN);
		ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &w));
		ASSERT_EQ(0, sample_declare(w, at(0)));
		ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
		for (unsigned int i = 0; i < 40; i++) {
			/* A record that follows a rejected one uses its number again. */
			err = sample_record(w, at(i), good);
			ASSERT_TRUE(!err || err == -EFBIG);
			good += !err;
			refused += !!err;
			/* A rejected record has no effect. */
			n = good ? count(self->place.base, -ERANGE) : 0;
			ASSERT_EQ((int)good, n) {
				TH_LOG("limit %u, record %u", limit, i);
			}
		}
		ASSERT_NE(0, refused);
		/* Once space is available again, records are accepted. */
		room.rlim_cur = RLIM_INFINITY;
		ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
		ASSERT_EQ(0, sample_record(w, at(50), good++));
		ASSERT_EQ(0, shim_writer__close(w));
		ASSERT_EQ((int)good, count(self->place.base, -ERANGE));
		ASSERT_EQ(0, unlink(place_file(&self->place, "meta")));
		ASSERT_EQ(0, unlink(place_file(&self->place, "index")));
		ASSERT_EQ(0, unlink(place_file(&self->place, "0")));
	}
}

/*
 * If the last index entry cannot be written, closing reports the error, and the records still
 * exist.
 */
TEST_F(crash, closing_says_what_failed)
{
	struct shim_label label = sample_label(variant->version);
	struct rlimit room = { 0, RLIM_INFINITY };
	struct shim_writer *w;
	size_t len;

	signal(SIGXFSZ, SIG_IGN);
	ASSERT_EQ(0, shim_writer__open(self->place.base, &label, &w));
	ASSERT_EQ(0, sample_declare(w, at(0)));
	ASSERT_EQ(0, sample_record(w, at(0), 0));
	ASSERT_EQ(0, sample_record(w, at(1), 1));
	free(slurp(place_file(&self->place, "index"), &len));
	room.rlim_cur = len;
	ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
	EXPECT_EQ(-EFBIG, shim_writer__close(w));
	EXPECT_EQ(2, count(self->place.base, -ERANGE));
}

TEST_HARNESS_MAIN
