// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A context follows an archive that is being written: its last volume grows, and new volumes are
 * added.
 */
#include <fcntl.h>
#include <pthread.h>

#include "pcp_fixture.h"

#define METRIC	AF_PMID(CU32)
#define READERS	4
#define RECORDS	2000
#define ROLL	20	/* records per volume */

struct writer {
	struct af a;
	char base[256];
	int volume;
	int n;
};

static void flush(struct writer *w)
{
	fflush(w->a.meta);
	fflush(w->a.data);
	fflush(w->a.index);
}

static void add(struct writer *w)
{
	af_begin(&w->a, w->n * AF_SEC);
	af_set(&w->a, METRIC, 0);
	af_u32(&w->a, -1, (uint32_t)w->n++);
	af_end(&w->a);
}

static void begin(struct writer *w)
{
	*w = (struct writer){ 0 };
	af_folder(w->base, sizeof(w->base));
	af_open(&w->a, w->base, 3);
	af_desc(&w->a, METRIC, 1, AF_NONE, 1, 0, "x");
	af_index(&w->a, 0);
	add(w);
	flush(w);
}

static void next_volume(struct writer *w)
{
	char suffix[16];

	fflush(w->a.data);
	fclose(w->a.data);
	snprintf(suffix, sizeof(suffix), "%d", ++w->volume);
	w->a.data = af_file(w->base, suffix, 3, w->volume);
}

static void end(struct writer *w)
{
	af_close(&w->a);
	af_remove(w->base);
}

/*
 * Read the remaining records, which are one second apart and have consecutive values from *@next
 * on.  Return their number.
 */
static int read_on(int *next)
{
	int64_t ms;
	int n = 0, got;

	while ((got = fetch_number(METRIC, &ms)) >= 0) {
		if (got != *next || ms != *next * 1000)
			return -1000000;
		++*next;
		n++;
	}
	return got == PM_ERR_EOL ? n : got;
}

TEST(the_last_volume)
{
	struct writer w;
	int next = 0;

	begin(&w);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
	EXPECT_EQ(read_on(&next), 1);
	for (int i = 1; i < 50; i++) {
		for (int j = 0; j < i; j++)
			add(&w);
		flush(&w);
		EXPECT_EQ(read_on(&next), i);
		EXPECT_EQ(read_on(&next), 0);
	}
	end(&w);
}

TEST(volumes_that_come)
{
	struct timespec stop;
	struct writer w;
	int next = 0, back;

	begin(&w);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
	EXPECT_EQ(read_on(&next), 1);
	/*
	 * Add several volumes at once, and more in total than the context first allocated memory
	 * for.
	 */
	for (int i = 1; i < 200; i++) {
		add(&w);
		next_volume(&w);
		if (i % 3 == 0)
			add(&w);
		flush(&w);
		if (i % 2)
			EXPECT_EQ(pmGetHighResArchiveEnd(&stop), 0);
		if (i % 2)
			EXPECT_EQ(stop.tv_sec, AF_START + w.n - 1);
		if (i % 5 == 0)
			EXPECT_GT(read_on(&next), 0);
	}
	EXPECT_GT(read_on(&next), 0);
	EXPECT_EQ(next, w.n);
	back = next;
	ASSERT_EQ(go_to(PM_MODE_BACK, w.n * 1000, 0), 0);
	while (back > 0 && fetch_number(METRIC, NULL) == back - 1)
		back--;
	EXPECT_EQ(back, 0);
	end(&w);
}

TEST(a_volume_with_half_a_label)
{
	struct writer w;
	char path[512], hidden[512];
	int next = 0;

	begin(&w);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
	next_volume(&w);
	add(&w);
	flush(&w);
	snprintf(path, sizeof(path), "%s.1", w.base);
	snprintf(hidden, sizeof(hidden), "%s-1", w.base);
	ASSERT_EQ(rename(path, hidden), 0);
	ASSERT_EQ(fclose(fopen(path, "w")), 0);
	EXPECT_EQ(read_on(&next), 1);
	ASSERT_EQ(truncate(path, 100), 0);
	EXPECT_EQ(read_on(&next), 0);
	ASSERT_EQ(rename(hidden, path), 0);
	EXPECT_EQ(read_on(&next), 1);
	end(&w);
}

/*
 * A context opened after a volume has been created, but before its first record has been written,
 * follows this volume.
 */
TEST(a_volume_only_begun)
{
	struct writer w;
	int next = 0;

	for (int label = 0; label <= 100; label += 100) {
		begin(&w);
		next_volume(&w);
		if (label) {
			fflush(w.a.data);
			ASSERT_EQ(ftruncate(fileno(w.a.data), label), 0);
		}
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
		next = 0;
		EXPECT_EQ(read_on(&next), 1);
		if (label) {
			fclose(w.a.data);
			w.a.data = af_file(w.base, "1", 3, 1);
		}
		add(&w);
		next_volume(&w);
		add(&w);
		flush(&w);
		EXPECT_EQ(read_on(&next), 2);
		end(&w);
	}
}

/*
 * If the last volume ends within a record that is not being written, reading reports damage.  Once
 * the record is complete, it is read.
 */
TEST(half_a_record)
{
	struct writer w;
	char path[512];
	int next = 0;
	long whole, half;

	begin(&w);
	snprintf(path, sizeof(path), "%s.0", w.base);
	whole = ftell(w.a.data);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
	EXPECT_EQ(read_on(&next), 1);
	add(&w);
	flush(&w);
	half = (whole + ftell(w.a.data)) / 2;
	ASSERT_EQ(truncate(path, half), 0);
	EXPECT_EQ(read_on(&next), PM_ERR_LOGREC);
	/* The second half of the record is written. */
	ASSERT_EQ(truncate(path, whole), 0);
	ASSERT_EQ(fseek(w.a.data, whole, SEEK_SET), 0);
	w.n--;
	add(&w);
	flush(&w);
	EXPECT_EQ(read_on(&next), 1);
	end(&w);
}

struct halves {
	int fd;
	const unsigned char *data;
	long half, whole;
};

static void *write_rest(void *arg)
{
	const struct halves *h = arg;

	usleep(100000);
	return pwrite(h->fd, h->data + h->half, h->whole - h->half, h->half) < 0 ? "write" : NULL;
}

/*
 * During a single write(2), the kernel can expose half of a record, so the reader waits for the
 * rest.
 */
TEST(half_a_record_for_a_moment)
{
	unsigned char data[4096];
	char path[512];
	pthread_t thread;
	struct halves h;
	struct writer w;
	int next = 0;
	void *bad;

	begin(&w);
	add(&w);
	flush(&w);
	snprintf(path, sizeof(path), "%s.0", w.base);
	h = (struct halves){ open(path, O_RDWR), data, 0, ftell(w.a.data) };
	ASSERT_GE(h.fd, 0);
	ASSERT_EQ(pread(h.fd, data, sizeof(data), 0), h.whole);
	for (h.half = h.whole - 30; h.half < h.whole; h.half += 29) {
		ASSERT_EQ(ftruncate(h.fd, h.half), 0);
		ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
		ASSERT_EQ(pthread_create(&thread, NULL, write_rest, &h), 0);
		next = 0;
		EXPECT_EQ(read_on(&next), 2);
		pthread_join(thread, &bad);
		EXPECT_EQ(bad, NULL);
	}
	close(h.fd);
	end(&w);
}

TEST(interpolation)
{
	struct writer w;

	begin(&w);
	add(&w);
	flush(&w);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, w.base), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 0, 500), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(fetch_number(METRIC, NULL), (i + 1) / 2);
	EXPECT_EQ(fetch_number(METRIC, NULL), PM_ERR_EOL);
	next_volume(&w);
	add(&w);
	add(&w);
	flush(&w);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 1500, 500), 0);
	for (int i = 3; i < 7; i++)
		EXPECT_EQ(fetch_number(METRIC, NULL), (i + 1) / 2);
	EXPECT_EQ(fetch_number(METRIC, NULL), PM_ERR_EOL);
	end(&w);
}

static void *reader(void *base)
{
	int next = 0;
	int got = 0;

	if (pmNewContext(PM_CONTEXT_ARCHIVE, base) < 0)
		return "open";
	while (next < RECORDS && got >= 0) {
		got = read_on(&next);
		if (!got)
			usleep(1000);
	}
	return got < 0 ? pmErrStr(got) : NULL;
}

/* The writer writes only complete records, so no reader may see a partial one. */
TEST(several_readers)
{
	pthread_t readers[READERS];
	struct writer w;
	void *bad;

	begin(&w);
	for (int i = 0; i < READERS; i++)
		ASSERT_EQ(pthread_create(&readers[i], NULL, reader, w.base), 0);
	while (w.n < RECORDS) {
		if (w.n % ROLL == 0)
			next_volume(&w);
		add(&w);
		flush(&w);
	}
	for (int i = 0; i < READERS; i++) {
		pthread_join(readers[i], &bad);
		EXPECT_EQ(bad, NULL) {
			TH_LOG("%s", (char *)bad);
		}
	}
	end(&w);
}

TEST_HARNESS_MAIN
