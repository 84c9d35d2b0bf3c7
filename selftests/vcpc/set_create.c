// SPDX-License-Identifier: GPL-2.0-or-later
/* VCPC_IOC_SET_CREATE creates valid sets, and returns each documented error. */
#include "vcpc_test.h"

FIXTURE(set_create) {
	int device;
	struct vcpc_request requests[3];
	struct vcpc_set_create_args args;
};

FIXTURE_SETUP(set_create)
{
	self->device = device_open();
	ASSERT_GE(self->device, 0);
	self->requests[0] = page_faults;
	self->requests[1] = task_clock;
	self->requests[2] = page_faults;
	self->args = create_args(self->requests, 3);
	self->args.bad_request = 77;
}

FIXTURE_TEARDOWN(set_create)
{
	close(self->device);
}

static int create(int device, struct vcpc_set_create_args *args)
{
	return call(device, VCPC_IOC_SET_CREATE, args);
}

TEST_F(set_create, gives_a_descriptor)
{
	int set = create(self->device, &self->args);

	ASSERT_GE(set, 0);
	EXPECT_EQ(FD_CLOEXEC, fcntl(set, F_GETFD));
	/* @bad_request is written only on failure. */
	EXPECT_EQ(77, self->args.bad_request);
	EXPECT_EQ(0, close(set));
}

TEST_F(set_create, outlives_the_device)
{
	int set = create(self->device, &self->args);
	struct room room;

	ASSERT_GE(set, 0);
	close(self->device);
	EXPECT_EQ(0, set_bind(set, 0));
	EXPECT_EQ(0, set_sample(set, 0, &room));
	close(set);
	self->device = -1;
}

TEST_F(set_create, wrong_sizes)
{
	struct {
		struct vcpc_set_create_args args;
		__u64 more;
	} longer = { .args = self->args };
	int set;

	self->args.size = 0;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->args.size = sizeof(self->args) - 4;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	/* A set can be created even if its events do not all fit on the PMU. */
	EXPECT_EQ(77, self->args.bad_request);
	longer.args.size = sizeof(longer);
	set = create(self->device, &longer.args);
	EXPECT_GE(set, 0);
	close(set);
	longer.more = 1;
	EXPECT_EQ(-E2BIG, create(self->device, &longer.args));
}

TEST_F(set_create, unknown_flags_and_reserved_fields)
{
	self->args.flags = 1U << 31;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	EXPECT_EQ(-1, self->args.bad_request);
	/* In ABI version 1, this flag was for groups. */
	self->args.flags = VCPC_SET_F_DISABLED << 1;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->args.flags = 0;
	self->args.reserved[0] = 1;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->args.reserved[0] = 0;
	self->args.reserved[1] = 1;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
}

TEST_F(set_create, number_of_requests)
{
	struct vcpc_info_args info = { .size = sizeof(info) };
	struct vcpc_request *many;
	unsigned int i;
	int set;

	ASSERT_EQ(0, call(self->device, VCPC_IOC_INFO, &info));
	many = calloc(info.max_requests + 1, sizeof(*many));
	ASSERT_NE(NULL, many);
	for (i = 0; i <= info.max_requests; i++)
		many[i] = page_faults;
	self->args.nr_requests = 0;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	EXPECT_EQ(-1, self->args.bad_request);
	self->args.requests = pointer(many);
	self->args.nr_requests = info.max_requests + 1;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->args.nr_requests = ~0U;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->args.nr_requests = info.max_requests;
	set = create(self->device, &self->args);
	EXPECT_GE(set, 0);
	close(set);
	free(many);
}

TEST_F(set_create, size_of_a_request)
{
	struct {
		struct vcpc_request request;
		__u64 more;
	} longer[2] = { { page_faults, 0 }, { page_faults, 0 } };
	int set;

	self->args.request_size = sizeof(struct vcpc_request) - 8;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	EXPECT_EQ(0, self->args.bad_request);
	self->args.request_size = 0;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->args.request_size = ~0U;
	EXPECT_EQ(-E2BIG, create(self->device, &self->args));

	self->args = create_args(&longer[0].request, 2);
	self->args.request_size = sizeof(longer[0]);
	set = create(self->device, &self->args);
	EXPECT_GE(set, 0);
	close(set);
	longer[1].more = 1;
	EXPECT_EQ(-E2BIG, create(self->device, &self->args));
	EXPECT_EQ(1, self->args.bad_request);
}

TEST_F(set_create, bad_pointers)
{
	EXPECT_EQ(-EFAULT, create(self->device, NULL));
	self->args.requests = 0;
	EXPECT_EQ(-EFAULT, create(self->device, &self->args));
	EXPECT_EQ(0, self->args.bad_request);
	self->args.requests = ~0ULL;
	EXPECT_EQ(-EFAULT, create(self->device, &self->args));
	self->args.requests = 1ULL << 63;
	EXPECT_EQ(-EFAULT, create(self->device, &self->args));
}

TEST_F(set_create, request_fields)
{
	unsigned int i;

	self->requests[1].flags = 0;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	EXPECT_EQ(1, self->args.bad_request);
	self->requests[1].flags = VCPC_REQ_F_USER | 1U << 5;
	EXPECT_EQ(-EINVAL, create(self->device, &self->args));
	self->requests[1] = task_clock;
	for (i = 0; i < 3; i++) {
		self->requests[2] = page_faults;
		self->requests[2].reserved[i] = 1;
		EXPECT_EQ(-EINVAL, create(self->device, &self->args));
		EXPECT_EQ(2, self->args.bad_request);
	}
}

struct refused {
	const char *what;
	__u32 type;
	__u64 config;
};

/* The module rejects these events for all users, including root. */
static const struct refused refused[] = {
	{ "tracepoint", PERF_TYPE_TRACEPOINT, 1 },
	{ "breakpoint", PERF_TYPE_BREAKPOINT, 0 },
	{ "software beyond the last", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_MAX },
	{ "software, upper half", PERF_TYPE_SOFTWARE, 1ULL << 32 },
	{ "BPF output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "generic event of no core", PERF_TYPE_HARDWARE, 1ULL << 40 },
	{ "no such PMU", 4711, 0 },
	{ "no such PMU", ~0U, 0 },
};

TEST_F(set_create, refused_events)
{
	unsigned int i;
	int ret;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		self->requests[1].type = refused[i].type;
		self->requests[1].config = refused[i].config;
		self->args.bad_request = 77;
		ret = create(self->device, &self->args);
		EXPECT_EQ(-EOPNOTSUPP, ret) {
			TH_LOG("%s", refused[i].what);
		}
		EXPECT_EQ(1, self->args.bad_request);
	}
}

static __u32 pmu_type(const char *name)
{
	char path[256];
	unsigned int type = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", name);
	f = fopen(path, "r");
	if (f && fscanf(f, "%u", &type) != 1)
		type = 0;
	if (f)
		fclose(f);
	return type;
}

TEST_F(set_create, refused_pmus)
{
	static const char * const names[] = { "kprobe", "uprobe", "msr", "tracepoint", "breakpoint" };
	unsigned int i, seen = 0;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		self->requests[1].type = pmu_type(names[i]);
		if (!self->requests[1].type)
			continue;
		seen++;
		EXPECT_EQ(-EOPNOTSUPP, create(self->device, &self->args)) {
			TH_LOG("%s", names[i]);
		}
	}
	EXPECT_GT(seen, 0);
}

TEST_F(set_create, hardware_that_is_not_there)
{
	int ret;

	if (hw_slots())
		SKIP(return, "this machine has hardware counters");
	self->requests[1] = cycles;
	ret = create(self->device, &self->args);
	EXPECT_TRUE(ret == -ENOENT || ret == -EOPNOTSUPP);
	EXPECT_EQ(1, self->args.bad_request);
}

TEST_F(set_create, core_pmu_by_its_own_number)
{
	__u32 type = pmu_type("armv8_pmuv3") ?: pmu_type("armv8_pmuv3_0") ?: pmu_type("cpu");
	int set;

	if (!type || !hw_slots())
		SKIP(return, "no PMU of the core");
	self->requests[1] = cycles;
	self->requests[1].type = type;
	self->requests[1].config = 0x11;
	set = create(self->device, &self->args);
	EXPECT_GE(set, 0);
	close(set);
}

static int as_nobody(void *arg)
{
	struct vcpc_set_create_args *args = arg;
	struct vcpc_request *requests = (void *)(uintptr_t)args->requests;
	int device = device_open();
	int set;

	if (become_nobody())
		return 1;
	set = create(device, args);
	if (set < 0)
		return 2;
	requests[2].flags |= VCPC_REQ_F_KERNEL;
	if (create(device, args) != -EACCES || args->bad_request != 2)
		return 3;
	requests[2].flags = VCPC_REQ_F_KERNEL;
	return create(device, args) == -EACCES ? 0 : 4;
}

TEST_F(set_create, kernel_mode_is_not_for_everybody)
{
	int set;

	EXPECT_EQ(0, in_child(as_nobody, &self->args));
	self->requests[2].flags |= VCPC_REQ_F_KERNEL;
	set = create(self->device, &self->args);
	EXPECT_GE(set, 0);
	close(set);
}

TEST_HARNESS_MAIN
