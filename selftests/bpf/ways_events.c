// SPDX-License-Identifier: GPL-2.0-or-later
/* Single events are the same with the module and, without it, with probes on libshim. */
#include "ways.h"

/* Stop reading at the second event, by returning a value that shim_trace_events() must pass on. */
static int take_two(void *arg, const struct shim_trace_event *event)
{
	struct events *events = arg;

	take(arg, event);
	return events->n == 2 ? 7 : 0;
}

TEST_F(ways, single_events_until_it_is_enough)
{
	struct events events = { .n = 0 };

	UNLESS_MISSING();
	self->options.ring_bytes = 1 << 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	EXPECT_EQ(0, shim_trace_events(self->trace, 0, take, &events));
	for (int i = 0; i < 5; i++)
		ASSERT_EQ(0, pmtraceobs("one of five", i));
	EXPECT_EQ(7, shim_trace_events(self->trace, 1000, take_two, &events));
	EXPECT_EQ(2, events.n);
	EXPECT_TRUE(events.last.value == 1);
	EXPECT_EQ(3, shim_trace_events(self->trace, 1000, take, &events));
	EXPECT_EQ(5, events.n);
	EXPECT_TRUE(events.last.value == 4);
}

TEST_F(ways, single_events)
{
	struct events events = { .n = 0 };
	struct shim_trace *other;

	UNLESS_MISSING();
	self->options.ring_bytes = 1 << 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	EXPECT_EQ(0, shim_trace_events(self->trace, 0, take, &events));
	ASSERT_EQ(0, pmtraceobs("event", 7));
	ASSERT_EQ(0, pmtracebegin("event"));
	ASSERT_EQ(0, pmtraceend("event"));
	EXPECT_EQ(2, shim_trace_events(self->trace, 1000, take, &events));
	EXPECT_EQ(SHIM_TRACE_OP_END, events.last.op);
	EXPECT_EQ(getpid(), events.last.pid);
	EXPECT_STREQ("event", events.last.name);
	EXPECT_LE(events.last.start_ns, events.last.ns);
	EXPECT_EQ(0, events.backwards);
	EXPECT_EQ(0, shim_trace_events(self->trace, 10, take, &events));
	ASSERT_EQ(0, shim_trace_open(&other));
	EXPECT_EQ(-EBUSY, shim_trace_events(other, 0, take, &events));
	shim_trace_close(other);
}

struct nested {
	struct shim_trace *trace;
	struct events inner;
	int returned;
};

static int take_within(void *arg, const struct shim_trace_event *event)
{
	struct nested *nested = arg;
	size_t n;

	(void)event;
	nested->returned = shim_trace_events(nested->trace, 0, take, &nested->inner);
	return shim_trace_stats_get(nested->trace, &n);
}

/* A callback can make all other calls, but cannot read events itself. */
TEST_F(ways, events_in_a_callback)
{
	struct nested nested = { .returned = 0 };

	UNLESS_MISSING();
	self->options.ring_bytes = 1 << 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	nested.trace = self->trace;
	EXPECT_EQ(0, shim_trace_events(self->trace, 0, take, &nested.inner));
	ASSERT_EQ(0, pmtracepoint("one"));
	ASSERT_EQ(0, pmtracepoint("two"));
	EXPECT_EQ(2, shim_trace_events(self->trace, 1000, take_within, &nested));
	EXPECT_EQ(-EBUSY, nested.returned);
	EXPECT_EQ(0, nested.inner.n);
}

TEST_F(ways, ring_is_full)
{
	struct events events = { .n = 0 };

	UNLESS_MISSING();
	self->options.ring_bytes = 8192;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(0, pmtracepoint("too many"));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	EXPECT_GT(shim_trace_events(self->trace, 0, take, &events), 0);
	ASSERT_EQ(0, read_drops(&self->drops));
	EXPECT_GT(self->drops.ring_full, 0);
	EXPECT_EQ(1000, self->drops.ring_full + events.n);
	EXPECT_EQ(1000, count_of("too many", SHIM_TRACE_POINT));
}

TEST_F(ways, no_ring)
{
	struct events events = { .n = 0 };

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, shim_trace_open(&self->trace));
	EXPECT_EQ(-ENODATA, shim_trace_events(self->trace, 0, take, &events));
}

TEST_HARNESS_MAIN
