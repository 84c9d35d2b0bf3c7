// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process's tags are found by name and by address, regardless of their number and similarity, and
 * in any thread.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "trace/tags.h"

#define MANY	5000

static struct shim_process *process(void)
{
	return shim_process__get(shim_process__inherited());
}

static struct shim_tag *get(const char *name)
{
	struct shim_tag_key key;
	struct shim_tag *tag;

	if (shim_tag_key__init(&key, name) || shim_tags__get(process(), &key, &tag))
		return NULL;
	return tag;
}

/*
 * Return the maximum number of names per bucket, for names that differ in one byte at any position.
 */
static unsigned int most_in_a_bucket(size_t len, size_t at)
{
	unsigned int in[64] = { 0 }, most = 0;
	struct shim_tag_key key;
	char name[64];

	memset(name, 'n', len);
	name[len] = '\0';
	for (int i = 1; i < 256; i++) {
		name[at] = (char)i;
		if (shim_tag_key__init(&key, name))
			return 256;
		in[key.hash % 64]++;
	}
	for (int i = 0; i < 64; i++)
		most = in[i] > most ? in[i] : most;
	return most;
}

/*
 * 255 names in 64 buckets are four per bucket on average.  If one bucket has 20, the byte does not
 * affect the hash.
 */
TEST(each_byte_reaches_the_bucket)
{
	for (size_t len = 1; len < 40; len++)
		for (size_t at = 0; at < len; at++)
			EXPECT_GT(20, most_in_a_bucket(len, at));
}

TEST(numbered_names)
{
	unsigned int in[512] = { 0 }, used = 0;
	struct shim_tag_key key;
	char name[16];

	for (int i = 0; i < 2000; i++) {
		snprintf(name, sizeof(name), "tag-%04d", i);
		ASSERT_EQ(0, shim_tag_key__init(&key, name));
		used += !in[key.hash % 512]++;
	}
	EXPECT_LT(480, used);
}

TEST(many)
{
	static struct shim_tag *tags[MANY];
	char name[16];

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		tags[i] = get(name);
		ASSERT_NE(NULL, tags[i]);
		EXPECT_EQ(i, tags[i]->index);
		EXPECT_EQ(0, strcmp(name, tags[i]->name));
	}
	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "%d", i);
		EXPECT_EQ(tags[i], get(name));
	}
}

/* Tags with the same hash are found independently of each other. */
TEST(equal_hashes)
{
	struct shim_tag_key key[20];
	struct shim_tag *tag[20], *found;
	char name[20][16];

	for (int i = 0; i < 20; i++) {
		snprintf(name[i], sizeof(name[i]), "e%d", i);
		key[i] = (struct shim_tag_key) { name[i], strlen(name[i]), UINT32_MAX };
		EXPECT_EQ(NULL, shim_tags__find(process(), &key[i]));
		ASSERT_EQ(0, shim_tags__get(process(), &key[i], &tag[i]));
	}
	for (int i = 0; i < 20; i++) {
		ASSERT_EQ(0, shim_tags__get(process(), &key[i], &found));
		EXPECT_EQ(tag[i], found);
		EXPECT_EQ(0, strcmp(found->name, name[i]));
	}
}

/* Later, the same address can contain another name. */
TEST(another_name_at_the_same_address)
{
	struct shim_tag *first, *second;
	char name[16] = "first";

	first = get(name);
	ASSERT_NE(NULL, first);
	EXPECT_EQ(first, shim_tags__recent(process(), name));
	strcpy(name, "fir");
	EXPECT_EQ(NULL, shim_tags__recent(process(), name));
	second = get(name);
	EXPECT_NE(first, second);
	EXPECT_EQ(second, shim_tags__recent(process(), name));
	EXPECT_EQ(first, get("first"));
}

/*
 * Expect that names of this length and alignment that differ in exactly one byte are different
 * tags.
 */
static void expect_all_bytes_count(struct __test_metadata *_metadata, char *name, size_t len)
{
	struct shim_tag *tag;

	memset(name, 'a' + len % 26, len);
	name[len] = '\0';
	tag = get(name);
	ASSERT_NE(NULL, tag);
	EXPECT_EQ(tag, shim_tags__recent(process(), name));
	for (size_t i = 0; i < len; i++) {
		char was = name[i];

		name[i] = '\0';
		EXPECT_EQ(NULL, shim_tags__recent(process(), name));
		name[i] = '~';
		EXPECT_EQ(NULL, shim_tags__recent(process(), name));
		name[i] = was;
	}
	EXPECT_EQ(tag, shim_tags__recent(process(), name));
}

/* The last byte of a name can be the last one of its page, so reads must not continue after it. */
TEST(at_the_end_of_a_page)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ASSERT_NE(MAP_FAILED, room);
	ASSERT_EQ(0, mprotect(room + page, page, PROT_NONE));
	for (size_t len = 1; len < 40; len++)
		expect_all_bytes_count(_metadata, room + page - len - 1, len);
	munmap(room, 2 * page);
}

/* The bytes after the NUL in the same word of an aligned name are not compared. */
TEST(at_the_begin_of_a_word)
{
	static _Alignas(uint64_t) char name[64];

	for (size_t len = 1; len < 40; len++) {
		struct shim_tag *tag;

		memset(name, '#', sizeof(name));
		expect_all_bytes_count(_metadata, name, len);
		tag = get(name);
		memset(name + len + 1, '*', sizeof(name) - len - 1);
		EXPECT_EQ(tag, shim_tags__recent(process(), name));
		name[len] = '!';
		EXPECT_EQ(NULL, shim_tags__recent(process(), name));
	}
}

/* A short name at the end of readable memory replaces a long one at the same address. */
TEST(shorter_at_the_end_of_a_page)
{
	size_t page = sysconf(_SC_PAGESIZE);
	char *room = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *name = room + page - 8;

	ASSERT_NE(MAP_FAILED, room);
	strcpy(name, "a long name of two pages");
	ASSERT_NE(NULL, get(name));
	strcpy(name, "a long ");
	ASSERT_EQ(0, mprotect(room + page, page, PROT_NONE));
	EXPECT_EQ(NULL, shim_tags__recent(process(), name));
	munmap(room, 2 * page);
}

static struct shim_tag *seen[4][MANY];

static void *get_all(void *arg)
{
	struct shim_tag **mine = arg;
	char name[16];

	for (int i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "t%d", i);
		mine[i] = get(name);
	}
	return NULL;
}

/* Threads that create the same tags while the table grows get the same tags. */
TEST(threads)
{
	pthread_t thread[4];

	for (int t = 0; t < 4; t++)
		ASSERT_EQ(0, pthread_create(&thread[t], NULL, get_all, seen[t]));
	for (int t = 0; t < 4; t++)
		pthread_join(thread[t], NULL);
	for (int i = 0; i < MANY; i++)
		for (int t = 0; t < 4; t++) {
			ASSERT_NE(NULL, seen[t][i]);
			ASSERT_EQ(seen[0][i], seen[t][i]);
		}
	EXPECT_EQ(MANY, process()->nr_tags);
}

TEST_HARNESS_MAIN
