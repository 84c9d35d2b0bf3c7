// SPDX-License-Identifier: GPL-2.0-or-later
/* mmap(2) of a set: the last sample of each instance, for who needs no fresh one. */
#include <pthread.h>
#include <sched.h>

#include "heirs.h"
#include "overflow.h"
#include "page.h"

static long page_size(void)
{
	return sysconf(_SC_PAGESIZE);
}

static const struct vcpc_page *map_pages(int set, int pages)
{
	void *map = mmap(NULL, pages * page_size(), PROT_READ, MAP_SHARED, set, 0);

	return map == MAP_FAILED ? NULL : map;
}

static const struct vcpc_page *map(int set)
{
	return map_pages(set, 1);
}

/* A slot of few values */
struct copy {
	struct vcpc_page_slot slot;
	__u64 values[4];
};

static struct copy copy_at(const struct vcpc_page *page, unsigned int i)
{
	struct copy copy;

	if (!read_slot(slot_at(page, i), &copy,
		       page->slot_size < sizeof(copy) ? page->slot_size : sizeof(copy)))
		abort();
	return copy;
}

static struct copy slot_of(const struct vcpc_page *page, pid_t tid)
{
	struct copy copy;
	unsigned int i;

	for (i = 0; i < page->slots; i++) {
		copy = copy_at(page, i);
		if (copy.slot.used && copy.slot.tid == tid)
			return copy;
	}
	return (struct copy) { };
}

static unsigned int slots_used(const struct vcpc_page *page)
{
	unsigned int i, n = 0;

	for (i = 0; i < page->slots; i++)
		n += slot_at(page, i)->used;
	return n;
}

TEST(it_shows_what_a_sample_gave)
{
	const struct vcpc_request reqs[] = { page_faults, task_clock };
	int device = device_open(), set = set_create(device, reqs, 2, 0);
	const struct vcpc_page *page = map(set);
	struct room room;
	struct copy copy;
	int i;

	ASSERT_NE(NULL, page);
	EXPECT_EQ(2, page->nr);
	EXPECT_EQ(0, page->groups);
	EXPECT_EQ(0, page->missing);
	EXPECT_EQ(0, slots_used(page));
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(1, slots_used(page));
	copy = slot_of(page, own_tid());
	ASSERT_EQ(1, copy.slot.used);
	EXPECT_EQ(-1, copy.slot.cpu);
	EXPECT_EQ(0, copy.slot.sample.time);
	for (i = 0; i < 3; i++) {
		touch(10);
		ASSERT_EQ(0, set_sample(set, 0, &room));
		touch(10);
		copy = slot_of(page, own_tid());
		ASSERT_EQ(0, memcmp(&room.sample, &copy.slot.sample, sizeof(room.sample)));
		EXPECT_EQ(room.sample.values[0], copy.values[0]);
		EXPECT_EQ(room.sample.values[1], copy.values[1]);
	}
	ASSERT_EQ(sizeof(room.sample) + 16, read(set, &room, sizeof(room)));
	copy = slot_of(page, own_tid());
	EXPECT_EQ(room.sample.time, copy.slot.sample.time);
	ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, 0));
	copy = slot_of(page, own_tid());
	EXPECT_LT(room.sample.time, copy.slot.sample.time);
	EXPECT_EQ(0, copy.slot.sample.state);
	ASSERT_EQ(0, set_target(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(0, slots_used(page));
	close(set);
	close(device);
}

/* Mapped when there are instances already, and sampled by another. */
static void *thread(void *arg)
{
	int *pipes = arg;
	char c;

	touch(100);
	return (void *)(intptr_t)read(pipes[0], &c, 1);
}

TEST(threads_and_totals)
{
	const struct vcpc_page *page;
	int set = set_of(&page_faults, 0), pipes[2], i;
	pthread_t threads[5];
	struct copy copy;
	__u64 sum = 0;

	ASSERT_EQ(0, pipe(pipes));
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_INHERIT, 0));
	for (i = 0; i < 5; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, thread, pipes));
	while (set_count(set).nr != 6)
		sched_yield();
	page = map(set);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(6, slots_used(page));
	close(pipes[1]);
	for (i = 0; i < 5; i++)
		pthread_join(threads[i], NULL);
	first_total(set, 0);
	for (i = 0; i < 6; i++) {
		copy = copy_at(page, i);
		EXPECT_NE(0, copy.slot.tid);
		sum += copy.values[0];
	}
	EXPECT_LE(500, sum);
	EXPECT_GE(first_total(set, 0), sum);
	EXPECT_EQ(own_tid(), slot_of(page, own_tid()).slot.tid);
	close(set);
}

/* Who finds no slot is counted, and gets the next that is free. */
TEST(more_instances_than_slots)
{
	int set = set_of(&page_faults, 0), pipes[2], i, n, more = 3;
	const struct vcpc_page *page = map(set);
	pthread_t *threads;
	struct copy own;

	ASSERT_NE(NULL, page);
	n = page->slots + more;
	threads = calloc(n, sizeof(*threads));
	ASSERT_EQ(0, pipe(pipes));
	for (i = 0; i < n; i++)
		ASSERT_EQ(0, pthread_create(&threads[i], NULL, thread, pipes));
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_PROCESS, 0));
	EXPECT_EQ(n + 1, (int)set_count(set).nr);
	EXPECT_EQ(page->slots, slots_used(page));
	EXPECT_EQ(more + 1, (int)page->missing);
	/* The first has a slot; it makes room for the first that has none. */
	own = slot_of(page, own_tid());
	ASSERT_EQ(1, own.slot.used);
	ASSERT_EQ(0, set_target(set, VCPC_IOC_UNBIND, 0));
	EXPECT_EQ(more, (int)page->missing);
	EXPECT_EQ(page->slots, slots_used(page));
	EXPECT_EQ(0, slot_of(page, own_tid()).slot.used);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(more + 1, (int)page->missing);
	EXPECT_NE(~0ULL, first_value(set, 0));
	close(pipes[1]);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	close(set);
}

static volatile bool stop;

static void *samples(void *arg)
{
	struct room room;

	set_bind(*(int *)arg, 0, 0);
	while (!stop) {
		touch(1);
		set_sample(*(int *)arg, 0, &room);
	}
	return NULL;
}

/* All values of a sample are the same count; a torn one would show two. */
TEST(what_is_read_is_whole)
{
	const struct vcpc_request reqs[] = { page_faults, page_faults, page_faults, page_faults };
	int device = device_open(), set = set_create(device, reqs, 4, 0), i;
	const struct vcpc_page *page = map(set);
	__u64 last = 0, changes = 0;
	pthread_t id;
	struct copy copy;
	time_t end;

	ASSERT_NE(NULL, page);
	stop = false;
	ASSERT_EQ(0, pthread_create(&id, NULL, samples, &set));
	for (end = time(NULL) + 3; time(NULL) < end;) {
		copy = copy_at(page, 0);
		if (!copy.slot.sample.time)
			continue;
		ASSERT_LE(last, copy.slot.sample.time);
		changes += last != copy.slot.sample.time;
		last = copy.slot.sample.time;
		ASSERT_EQ(4, copy.slot.sample.nr);
		ASSERT_EQ(copy.slot.sample.tick, copy.slot.sample.running);
		for (i = 1; i < 4; i++)
			ASSERT_EQ(copy.values[0], copy.values[i]);
	}
	EXPECT_LT(1, changes);
	stop = true;
	pthread_join(id, NULL);
	close(set);
	close(device);
}

TEST(groups_are_there)
{
	struct vcpc_request reqs[] = { page_faults, task_clock };
	int device = device_open(), set;
	const struct vcpc_page *page;
	const struct vcpc_group_sample *groups;
	struct {
		struct vcpc_sample sample;
		__u64 values[2];
		struct vcpc_group_sample groups[2];
	} now;

	reqs[1].group = 1;
	set = set_create(device, reqs, 2, VCPC_SET_F_GROUPS);
	page = map(set);
	ASSERT_NE(NULL, page);
	EXPECT_EQ(2, page->groups);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(10);
	ASSERT_EQ(sizeof(now), read(set, &now, sizeof(now)));
	groups = (const void *)&slot_at(page, 0)->sample.values[2];
	EXPECT_EQ(0, memcmp(&now.sample, &slot_at(page, 0)->sample, sizeof(now.sample) + 16));
	EXPECT_EQ(0, memcmp(now.groups, groups, sizeof(now.groups)));
	EXPECT_LT(0, groups[0].tick);
	close(set);
	close(device);
}

TEST(an_overflow_shows_by_itself)
{
	const struct vcpc_request req = overflowing(&page_faults, 100);
	int set = overflow_set(&req, 1, 0, 0);
	const struct vcpc_page *page = map(set);
	struct copy copy;

	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(200);
	copy = slot_of(page, own_tid());
	EXPECT_EQ(VCPC_STATE_FROZEN, copy.slot.sample.state);
	EXPECT_EQ(0, copy.values[0]);
	close(set);
}

static int refused(int set, size_t len, int prot, int flags, off_t offset)
{
	void *p = mmap(NULL, len, prot, flags, set, offset);

	if (p == MAP_FAILED)
		return errno;
	munmap(p, len);
	return 0;
}

TEST(hostile_arguments)
{
	const size_t one = page_size();
	int set = set_of(&page_faults, 0);

	EXPECT_EQ(EACCES, refused(set, one, PROT_READ | PROT_WRITE, MAP_SHARED, 0));
	EXPECT_EQ(EACCES, refused(set, one, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0));
	EXPECT_EQ(EACCES, refused(set, one, PROT_READ | PROT_EXEC, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, refused(set, one, PROT_READ, MAP_PRIVATE, 0));
	EXPECT_EQ(EINVAL, refused(set, one, PROT_READ, MAP_SHARED, one));
	EXPECT_EQ(EINVAL, refused(set, 1UL << 30, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(EINVAL, refused(set, VCPC_PAGE_MAX + one, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, refused(set, 2 * one, PROT_READ, MAP_SHARED, 0));
	/* As long as it was first, or shorter */
	EXPECT_EQ(EINVAL, refused(set, 3 * one, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, refused(set, one, PROT_READ, MAP_SHARED, 0));
	close(set);
	set = set_of(&page_faults, 0);
	EXPECT_EQ(0, refused(set, VCPC_PAGE_MAX, PROT_READ, MAP_SHARED, 0));
	close(set);
}

TEST(what_is_done_to_the_mapping_later)
{
	const long one = page_size();
	int set = set_of(&page_faults, 0);
	const struct vcpc_page *page = map_pages(set, 4);
	void *p = (void *)page, *q;

	ASSERT_NE(NULL, page);
	EXPECT_EQ(-1, mprotect(p, one, PROT_READ | PROT_WRITE));
	EXPECT_EQ(EACCES, errno);
	EXPECT_EQ(-1, mprotect(p, one, PROT_READ | PROT_EXEC));
	EXPECT_EQ(MAP_FAILED, mremap(p, 4 * one, 8 * one, MREMAP_MAYMOVE));
	q = mmap(NULL, 4 * one, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ASSERT_EQ(q, mremap(p, 4 * one, 4 * one, MREMAP_MAYMOVE | MREMAP_FIXED, q));
	page = q;
	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(1, slots_used(page));
	EXPECT_EQ(0, madvise(q, one, MADV_DONTNEED));
	EXPECT_EQ(1, slots_used(page));
	EXPECT_EQ(0, munmap((char *)q + one, one));
	first_value(set, 0);
	EXPECT_EQ(own_tid(), slot_at(page, 0)->tid);
	munmap(q, 4 * one);
	/* The set goes on. */
	EXPECT_NE(~0ULL, first_value(set, 0));
	close(set);
}

/* The mapping holds the set; what has gone with the last of both is its instances. */
TEST(closed_while_mapped)
{
	int set = set_of(&page_faults, 0), again = dup(set);
	const struct vcpc_page *page = map(set);

	ASSERT_NE(NULL, page);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	first_value(set, 0);
	close(set);
	close(again);
	EXPECT_EQ(own_tid(), slot_at(page, 0)->tid);
	EXPECT_NE(0, slot_at(page, 0)->sample.time);
	munmap((void *)page, page_size());
}

static int sees_parent(void *arg)
{
	const struct vcpc_page *page = arg;

	return slot_at(page, 0)->tid == getppid() ? 0 : 1;
}

TEST(a_child_sees_it_too)
{
	int set = set_of(&page_faults, 0);
	const struct vcpc_page *page = map(set);

	ASSERT_EQ(0, set_bind(set, 0, 0));
	EXPECT_EQ(0, in_child(sees_parent, (void *)page));
	close(set);
}

static void set_limit(unsigned int pages)
{
	FILE *f = fopen("/sys/module/vcpc/parameters/max_user_pages", "w");

	if (!f || fprintf(f, "%u", pages) < 0 || fclose(f))
		abort();
}

TEST(a_user_has_so_many_pages)
{
	const size_t one = page_size();
	int set = set_of(&page_faults, 0), other = set_of(&page_faults, 0), i;

	set_limit(3);
	EXPECT_EQ(EUSERS, refused(set, 4 * one, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, refused(set, 2 * one, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(EUSERS, refused(other, 2 * one, PROT_READ, MAP_SHARED, 0));
	EXPECT_EQ(0, refused(other, one, PROT_READ, MAP_SHARED, 0));
	close(set);
	close(other);
	/* All has been given back. */
	for (i = 0; i < 20; i++) {
		set = set_of(&page_faults, 0);
		EXPECT_EQ(0, refused(set, 3 * one, PROT_READ, MAP_SHARED, 0));
		close(set);
	}
	set_limit(4096);
}

TEST_HARNESS_MAIN
