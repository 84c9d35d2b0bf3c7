// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_SAMPLE and read() return the same sample, and fail in each documented case. */
#include <time.h>

#include "vcpc_test.h"

FIXTURE(sample) {
	int device, set;
	struct vcpc_sample_args args;
	struct room room;
};

FIXTURE_SETUP(sample)
{
	struct vcpc_request requests[2] = { page_faults, task_clock };

	self->device = device_open();
	self->set = set_create(self->device, requests, 2, 0);
	ASSERT_GE(self->set, 0);
	ASSERT_EQ(0, set_bind(self->set, 0));
	self->args.size = sizeof(self->args);
	self->args.buf = pointer(&self->room);
	self->args.buf_size = sizeof(struct vcpc_sample) + 2 * sizeof(__u64);
}

FIXTURE_TEARDOWN(sample)
{
	close(self->set);
	close(self->device);
}

static __u64 now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

TEST_F(sample, what_is_in_it)
{
	__u64 before = now();

	touch(20);
	memset(&self->room, 0xee, sizeof(self->room));
	ASSERT_EQ(0, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	EXPECT_GE(self->room.sample.time, before);
	EXPECT_LE(self->room.sample.time, now());
	EXPECT_EQ(2, self->room.sample.nr);
	EXPECT_EQ(VCPC_STATE_COUNTING, self->room.sample.state);
	EXPECT_GT(self->room.sample.tick, 0);
	EXPECT_EQ(sizeof(self->room.sample), self->room.sample.size);
	EXPECT_GE(self->room.sample.values[0], 20);
	/* Nothing is written after the sample. */
	EXPECT_EQ(0xeeeeeeeeeeeeeeeeULL, self->room.sample.values[2]);
}

TEST_F(sample, ioctl_and_read_agree)
{
	struct room again;
	ssize_t size = self->args.buf_size;

	/* Make each call once before, so that every page of the buffer is mapped. */
	ASSERT_EQ(0, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	ASSERT_EQ(size, read(self->set, &again, sizeof(again)));
	ASSERT_EQ(0, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	ASSERT_EQ(size, read(self->set, &again, sizeof(again)));
	EXPECT_EQ(self->room.sample.nr, again.sample.nr);
	EXPECT_EQ(self->room.sample.state, again.sample.state);
	EXPECT_EQ(self->room.sample.values[0], again.sample.values[0]);
	EXPECT_LT(self->room.sample.time, again.sample.time);
	EXPECT_LT(self->room.sample.values[1], again.sample.values[1]);
	EXPECT_LT(self->room.sample.tick, again.sample.tick);
}

TEST_F(sample, buffer_too_small)
{
	self->args.buf_size--;
	memset(&self->room, 0xee, sizeof(self->room));
	EXPECT_EQ(-EINVAL, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	self->args.buf_size = 0;
	EXPECT_EQ(-EINVAL, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	EXPECT_EQ(-1, read(self->set, &self->room, sizeof(self->room.sample) + 15));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-1, read(self->set, &self->room, 0));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0xeeeeeeeeeeeeeeeeULL, self->room.words[0]);
}

TEST_F(sample, wrong_arguments)
{
	struct {
		struct vcpc_sample_args args;
		__u64 more;
	} longer = { .args = self->args };

	self->args.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	self->args.flags = 0;
	self->args.size--;
	EXPECT_EQ(-EINVAL, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	self->args.size++;
	self->args.tid = 1;
	EXPECT_EQ(-EINVAL, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	self->args.tid = -1;
	EXPECT_EQ(-EINVAL, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	longer.args.size = sizeof(longer);
	EXPECT_EQ(0, call(self->set, VCPC_IOC_SAMPLE, &longer));
	longer.more = 1;
	EXPECT_EQ(-E2BIG, call(self->set, VCPC_IOC_SAMPLE, &longer));
}

TEST_F(sample, bad_pointers)
{
	void * volatile nowhere = NULL;

	EXPECT_EQ(-EFAULT, call(self->set, VCPC_IOC_SAMPLE, NULL));
	self->args.buf = 0;
	EXPECT_EQ(-EFAULT, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	self->args.buf = ~0ULL - 100;
	EXPECT_EQ(-EFAULT, call(self->set, VCPC_IOC_SAMPLE, &self->args));
	EXPECT_EQ(-1, read(self->set, nowhere, 4096));
	EXPECT_EQ(EFAULT, errno);
	/* The set still works. */
	EXPECT_EQ(0, set_sample(self->set, 0, &self->room));
}

TEST_F(sample, not_bound)
{
	int set = set_of(&page_faults, 0);

	ASSERT_GE(set, 0);
	EXPECT_EQ(-EINVAL, set_sample(set, 0, &self->room));
	EXPECT_EQ(-EINVAL, set_sample(set, own_tid(), &self->room));
	EXPECT_EQ(-1, read(set, &self->room, sizeof(self->room)));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_ENABLE));
	EXPECT_EQ(-EINVAL, set_own(set, VCPC_IOC_DISABLE));
}

TEST_F(sample, not_a_set)
{
	int pipes[2];

	ASSERT_EQ(0, pipe(pipes));
	EXPECT_EQ(-ENOTTY, call(pipes[0], VCPC_IOC_SAMPLE, &self->args));
	EXPECT_EQ(-ENOTTY, call(self->device, VCPC_IOC_SAMPLE, &self->args));
	EXPECT_EQ(-EBADF, call(-1, VCPC_IOC_SAMPLE, &self->args));
	EXPECT_EQ(-ENOTTY, call(self->set, VCPC_IOC_INFO, &self->args));
	EXPECT_EQ(-ENOTTY, call(self->set, VCPC_IOC_TRACE_TAG, &self->args));
	EXPECT_EQ(-ENOTTY, call(self->set, _IO(VCPC_IOC_TYPE, 0x7f), &self->args));
}

TEST_F(sample, other_file_operations)
{
	EXPECT_EQ(-1, write(self->set, &self->room, 8));
	EXPECT_EQ(-1, lseek(self->set, 0, SEEK_SET));
	EXPECT_EQ(ESPIPE, errno);
	EXPECT_EQ(-1, pread(self->set, &self->room, sizeof(self->room), 0));
	EXPECT_EQ(MAP_FAILED, mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, self->set, 0));
}

TEST_F(sample, never_goes_back)
{
	struct room last = { 0 };
	int i;

	for (i = 0; i < 20000; i++) {
		ASSERT_GT(read(self->set, &self->room, sizeof(self->room)), 0);
		ASSERT_GE(self->room.sample.time, last.sample.time);
		ASSERT_GE(self->room.sample.tick, last.sample.tick);
		ASSERT_GE(self->room.sample.values[1], last.sample.values[1]);
		last = self->room;
		if (i % 1000 == 0)
			usleep(100);
	}
}

/* The tick advances while the thread runs, and not while it sleeps. */
TEST_F(sample, tick_is_cpu_time)
{
	struct room first, slept, spun;
	struct timespec cpu[2];

	ASSERT_EQ(0, set_sample(self->set, 0, &first));
	usleep(50000);
	ASSERT_EQ(0, set_sample(self->set, 0, &slept));
	EXPECT_GE(slept.sample.time - first.sample.time, 50000000);
	EXPECT_LT(slept.sample.tick - first.sample.tick, 25000000);

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu[0]);
	do {
		spin(10000);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu[1]);
	} while ((cpu[1].tv_sec - cpu[0].tv_sec) * 1000000000LL +
		 cpu[1].tv_nsec - cpu[0].tv_nsec < 20000000);
	ASSERT_EQ(0, set_sample(self->set, 0, &spun));
	EXPECT_GE(spun.sample.tick - slept.sample.tick, share(20000000, 75, 50));
	/* The task-clock event, which is measured independently, has the same value. */
	EXPECT_LT(llabs((long long)(spun.sample.tick - spun.sample.values[1])),
		  (long long)share(20000000, 25, 50));
}

TEST_HARNESS_MAIN
