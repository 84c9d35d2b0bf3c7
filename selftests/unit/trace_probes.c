// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes read the data of trace calls. The library calls the probed functions only while a probe is
 * attached.  This test attaches none, but increments the counter of attached probes.
 */
#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "core/probe.h"
#include "kselftest_harness.h"
#include "trace/env.h"

#define MOST	16

static struct call {
	bool begin;
	uint32_t op;
	uint64_t hash, value;
	char name[16];
} calls[MOST];
static unsigned int ncalls;

static void note(bool begin, uint32_t op, uint64_t hash, uint64_t value, const char *name)
{
	struct call *call = &calls[ncalls++ % MOST];

	*call = (struct call) { begin, op, hash, value, "" };
	snprintf(call->name, sizeof(call->name), "%s", name);
}

void __wrap_shim_probe_begin(uint32_t op, uint64_t hash, uint64_t value, const char *name);
void __wrap_shim_probe_event(uint32_t op, uint64_t hash, uint64_t value, const char *name);

void __wrap_shim_probe_begin(uint32_t op, uint64_t hash, uint64_t value, const char *name)
{
	note(true, op, hash, value, name);
}

void __wrap_shim_probe_event(uint32_t op, uint64_t hash, uint64_t value, const char *name)
{
	note(false, op, hash, value, name);
}

static uint64_t bits(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

FIXTURE(probes) {
	int unused;
};

/* Increment the counter, as the kernel does for an attached probe. */
FIXTURE_SETUP(probes)
{
	ASSERT_EQ(0, setenv("SHIM_TRACE", "probe", 1));
	shim_probe_wanted.events = 1;
	shim_probe_wanted.begins = 1;
}

FIXTURE_TEARDOWN(probes)
{
}

TEST_F(probes, each_call)
{
	static const uint32_t ops[] = {
		VCPC_TRACE_BEGIN, VCPC_TRACE_END, VCPC_TRACE_BEGIN, VCPC_TRACE_ABORT,
		VCPC_TRACE_POINT, VCPC_TRACE_OBSERVE, VCPC_TRACE_COUNTER,
	};
	uint64_t before = shim_clock__now();

	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(PMTRACE_ERR_INPROGRESS, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, pmtraceabort("t"));
	EXPECT_EQ(0, pmtracepoint("p"));
	EXPECT_EQ(0, pmtraceobs("o", -7e300));
	EXPECT_EQ(0, pmtracecounter("c", 0.1));
	ASSERT_EQ(7, ncalls);
	for (unsigned int i = 0; i < 7; i++) {
		EXPECT_EQ(ops[i], calls[i].op);
		EXPECT_EQ(ops[i] == VCPC_TRACE_BEGIN, calls[i].begin);
		EXPECT_STREQ(i < 4 ? "t" : i == 4 ? "p" : i == 5 ? "o" : "c", calls[i].name);
		EXPECT_EQ(i < 4, calls[i].hash == calls[0].hash);
	}
	for (unsigned int i = 1; i < 4; i += 2) {
		EXPECT_LE(before, calls[i].value);
		EXPECT_GE(shim_clock__now(), calls[i].value);
	}
	EXPECT_EQ(bits(-7e300), calls[5].value);
	EXPECT_EQ(bits(0.1), calls[6].value);
}

TEST_F(probes, ends_only)
{
	shim_probe_wanted.begins = 0;
	EXPECT_EQ(0, pmtracebegin("t"));
	EXPECT_EQ(0, ncalls);
	EXPECT_EQ(0, pmtraceend("t"));
	ASSERT_EQ(1, ncalls);
	EXPECT_EQ(VCPC_TRACE_END, calls[0].op);
}

/*
 * If no probe saw the start of a transaction, the transaction is not reported as if it had lasted
 * since boot.
 */
TEST_F(probes, put_there_in_the_middle)
{
	shim_probe_wanted.any = 0;
	EXPECT_EQ(0, pmtracebegin("t"));
	shim_probe_wanted.events = 1;
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_EQ(0, pmtracebegin("t"));
	shim_probe_wanted.any = 0;
	EXPECT_EQ(0, pmtraceend("t"));
	EXPECT_GE(1, ncalls);
	for (unsigned int i = 0; i < ncalls; i++)
		EXPECT_EQ(0, calls[i].value);
}

TEST_HARNESS_MAIN
