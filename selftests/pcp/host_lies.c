// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * If a server's reply has a wrong length, count, type or order, the call returns PM_ERR_IPC in
 * time, does not read past the end of the reply, and closes the connection.
 *
 * Each error is tested separately, then random errors, which HOST_FUZZ_SEED and HOST_FUZZ_TIMES
 * control.
 */
#include <time.h>

#include <kselftest_harness.h>

#include <pcp/pmapi.h>

#include "host_calls.h"

/*
 * Return whether @pdu is the greeting, an ERROR of 20 bytes, which the functions below do not
 * change.
 */
static bool is_greeting(const struct fake_pdu *pdu)
{
	return fake_get(pdu->bytes + 4) == FAKE_ERROR && pdu->len == 20;
}

/* Replace the word at an offset; @arg is offset << 32 | value. */
static enum fake_then set_word(struct fake_pdu *pdu, uint64_t arg)
{
	uint32_t at = arg >> 32;

	if (!is_greeting(pdu) && at + 4 <= pdu->len)
		fake_set(pdu->bytes + at, (uint32_t)arg);
	return is_greeting(pdu) ? FAKE_GO_ON : FAKE_CLOSE;
}

/* Remove the end of the reply without changing the length in its header. */
static enum fake_then cut(struct fake_pdu *pdu, uint64_t arg)
{
	if (is_greeting(pdu))
		return FAKE_GO_ON;
	if (pdu->len > arg)
		pdu->len = arg;
	return FAKE_CLOSE;
}

/* Shorten the reply, and change the length in its header. */
static enum fake_then shorten(struct fake_pdu *pdu, uint64_t arg)
{
	if (is_greeting(pdu))
		return FAKE_GO_ON;
	pdu->len -= arg;
	fake_end(pdu);
	return FAKE_CLOSE;
}

static enum fake_then lengthen(struct fake_pdu *pdu, uint64_t arg)
{
	if (is_greeting(pdu))
		return FAKE_GO_ON;
	memset(pdu->bytes + pdu->len, 0, arg);
	pdu->len += arg;
	fake_end(pdu);
	return FAKE_CLOSE;
}

static enum fake_then error_of(struct fake_pdu *pdu, uint64_t arg)
{
	if (is_greeting(pdu))
		return FAKE_GO_ON;
	fake_error(pdu, (int32_t)arg);
	fake_end(pdu);
	return FAKE_GO_ON;
}

/* Send an unsolicited PDU after the reply. */
static enum fake_then add_more(struct fake_pdu *pdu, uint64_t arg)
{
	(void)arg;
	if (is_greeting(pdu))
		return FAKE_GO_ON;
	memcpy(pdu->bytes + pdu->len, pdu->bytes, pdu->len);
	pdu->len *= 2;
	return FAKE_GO_ON;
}

#define WORD(at, value)	set_word, (uint64_t)(at) << 32 | (uint32_t)(value)

static int reconnect(struct fake_pmcd *fake, int handle, enum fake_then (*lie)(struct fake_pdu *, uint64_t),
		     uint64_t arg)
{
	fake->lies->lie = lie;
	fake->lies->arg = arg;
	return pmReconnectContext(handle);
}

TEST_F(host, none)
{
	for (size_t i = 0; i < NCALLS; i++) {
		EXPECT_EQ(calls[i].make(), calls[i].honest)
			TH_LOG("%s", calls[i].name);
	}
	EXPECT_EQ(self->fake.lies->connections, 1);
	EXPECT_EQ(self->fake.lies->profiles, 1);
}

/* Correct replies have correct values, with both resolutions of time, and with an old server. */
TEST_F(host, honest_values)
{
	static const uint32_t features[] = { 0xe40, 0x40 };

	for (int i = 0; i < 2; i++) {
		pmHighResResult *r;
		pmValueSet *set;
		uint64_t wide;

		self->fake.lies->features = features[i];
		ASSERT_EQ(pmReconnectContext(self->handle), self->handle);
		ASSERT_EQ(pmFetchHighRes(4, all, &r), 0);
		EXPECT_EQ(r->timestamp.tv_sec, 1700000000);
		EXPECT_EQ(r->timestamp.tv_nsec, i ? 123456000 : 123456789);
		set = r->vset[0];
		EXPECT_EQ(set->numval, 3);
		EXPECT_EQ(set->vlist[2].inst, 3);
		EXPECT_EQ(set->vlist[2].value.lval, 300);
		EXPECT_STREQ(r->vset[1]->vlist[0].value.pval->vbuf, "some text");
		memcpy(&wide, r->vset[2]->vlist[0].value.pval->vbuf, sizeof(wide));
		EXPECT_EQ(wide, 1ull << 32 | 2);
		EXPECT_EQ(r->vset[3]->numval, 1);
		pmFreeHighResResult(r);
		EXPECT_EQ(do_descs(), 4);
		EXPECT_EQ(do_labels(), i ? PM_ERR_NOLABELS : 5);
	}
}

TEST_F_TIMEOUT(host, one_by_one, 120)
{
	static const struct {
		const char *call;
		enum fake_then (*lie)(struct fake_pdu *pdu, uint64_t arg);
		uint64_t arg;
		int line;
	} rows[] = {
#define ROW(...) { __VA_ARGS__, __LINE__ }
		/* the length, type and end of a reply of any type */
		ROW("desc", WORD(0, 0)), ROW("desc", WORD(0, 11)), ROW("desc", WORD(0, 0x7fffffff)),
		ROW("desc", WORD(0, -1)), ROW("desc", WORD(0, 31)), ROW("desc", WORD(0, 33)),
		ROW("desc", WORD(4, FAKE_TEXT_REPLY)), ROW("desc", WORD(4, 0)),
		ROW("desc", cut, 0), ROW("desc", cut, 5), ROW("desc", cut, 12), ROW("desc", cut, 31),
		ROW("desc", shorten, 4), ROW("desc", lengthen, 4),
		ROW("desc", error_of, 0), ROW("desc", error_of, 5),
		/* descriptors */
		ROW("desc", WORD(12, FAKE_TEXT)), ROW("descs", WORD(12, 3)), ROW("descs", WORD(12, 5)),
		ROW("descs", WORD(12, -1)), ROW("descs", WORD(16, FAKE_TEXT)), ROW("descs", shorten, 20),
		ROW("descs", lengthen, 20),
		/* names and identifiers */
		ROW("names", WORD(16, 3)), ROW("names", WORD(16, 5)), ROW("names", WORD(16, -1)),
		ROW("names", shorten, 4), ROW("names", lengthen, 4), ROW("names", error_of, 0),
		ROW("name_of", WORD(16, 1)), ROW("name_of", WORD(20, 0)), ROW("name_of", WORD(20, 1)),
		ROW("name_of", WORD(20, 3)), ROW("name_of", WORD(20, 0x40000000)),
		ROW("name_of", WORD(24, 2)), ROW("name_of", WORD(24, -1)), ROW("name_of", WORD(24, 0x7ffffffd)),
		ROW("name_of", WORD(28, 0)), ROW("name_of", shorten, 4),
		ROW("children", WORD(16, 0)), ROW("children", WORD(16, 2)), ROW("children", WORD(20, 2)),
		ROW("children", WORD(28, 0xfffffffc)), ROW("traverse", WORD(20, 5)),
		ROW("traverse", WORD(24, 100)), ROW("traverse", lengthen, 8),
		/* instances */
		ROW("indom", WORD(16, 2)), ROW("indom", WORD(16, 4)), ROW("indom", WORD(16, -1)),
		ROW("indom", WORD(24, 30)), ROW("indom", WORD(24, -4)), ROW("indom", WORD(24, 0x80000000)),
		ROW("indom", shorten, 4), ROW("instance", WORD(16, 0)), ROW("instance", WORD(16, 2)),
		ROW("instance", WORD(20, -1)), ROW("instance_name", WORD(16, 0)),
		ROW("instance_name", WORD(24, 0x10000)),
		/* texts */
		ROW("text", WORD(16, 0)), ROW("text", WORD(16, 9 + 4)), ROW("text", WORD(16, -1)),
		ROW("text", WORD(16, 0x7fffffff)), ROW("text", lengthen, 4), ROW("text", shorten, 4),
		/* labels: type, number of sets, number of labels, offsets */
		ROW("labels", WORD(16, 63)), ROW("labels", WORD(24, 0)), ROW("labels", WORD(24, 2)),
		ROW("labels", WORD(24, -1)), ROW("labels", WORD(32, 1)), ROW("labels", WORD(32, 3)),
		ROW("labels", WORD(32, 0x7fffffff)), ROW("labels", WORD(36, 0)),
		ROW("labels", WORD(36, 61)), ROW("labels", WORD(36, -1)), ROW("labels", WORD(40, 15)),
		ROW("labels", WORD(40, 17)), ROW("labels", WORD(40, 0x10000)), ROW("labels", WORD(40, -1)),
		ROW("labels", WORD(44, 16 << 16 | 1 << 8)), ROW("labels", WORD(48, 5 << 16 | 12)),
		ROW("labels", WORD(52, 0xffffff01)), ROW("labels", WORD(56, 0xffffffff)),
		/* values: number of metrics, time stamp, PMID, number of values, format */
		ROW("fetch", WORD(12, 3)), ROW("fetch", WORD(12, 5)), ROW("fetch", WORD(12, -1)),
		ROW("fetch", WORD(28, 1000000000)), ROW("fetch", WORD(24, 1)),
		ROW("fetch", WORD(32, FAKE_TEXT)), ROW("fetch", WORD(36, 4)), ROW("fetch", WORD(36, 2)),
		ROW("fetch", WORD(36, 0x7fffffff)), ROW("fetch", WORD(36, 0x20000001)),
		ROW("fetch", WORD(40, 1)), ROW("fetch", WORD(40, 3)), ROW("fetch", WORD(40, -1)),
		/*
		 * value blocks: offset, length, size of a number, numbers of records and parameters
		 * of events
		 */
		ROW("fetch", WORD(84, 0)), ROW("fetch", WORD(84, 31)), ROW("fetch", WORD(84, 33)),
		ROW("fetch", WORD(84, 0x40000020)), ROW("fetch", WORD(84, -1)),
		ROW("fetch", WORD(128, 6u << 24)), ROW("fetch", WORD(128, 6u << 24 | 3)),
		ROW("fetch", WORD(128, 6u << 24 | 17)), ROW("fetch", WORD(128, 0x06ffffff)),
		ROW("fetch", WORD(128, 5u << 24 | 14)), ROW("fetch", WORD(144, 3u << 24 | 11)),
		ROW("fetch", WORD(160, 100)), ROW("fetch", WORD(176, 2)), ROW("fetch", WORD(176, 0x7fffffff)),
		ROW("fetch", WORD(184, 1u << 24 | 3)), ROW("fetch", WORD(184, 1u << 24 | 900)),
		ROW("fetch", shorten, 4), ROW("fetch", lengthen, 4), ROW("fetch", error_of, 0),
		/* stores */
		ROW("store", error_of, 1), ROW("store", lengthen, 4), ROW("store", WORD(4, FAKE_RESULT)),
#undef ROW
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct call *call = call_of(rows[i].call);

		ASSERT_EQ(reconnect(&self->fake, self->handle, rows[i].lie, rows[i].arg), self->handle);
		EXPECT_EQ(call->make(), PM_ERR_IPC)
			TH_LOG("line %d", rows[i].line);
		/* The library has closed the connection, so another call also fails. */
		EXPECT_EQ(call->make(), PM_ERR_IPC)
			TH_LOG("line %d, again", rows[i].line);
	}
	ASSERT_EQ(reconnect(&self->fake, self->handle, NULL, 0), self->handle);
	EXPECT_EQ(do_fetch(), 0);
}

/* Valid error codes are returned to the caller, and the connection stays open. */
TEST_F(host, errors_are_no_lies)
{
	ASSERT_EQ(reconnect(&self->fake, self->handle, error_of, (uint32_t)PM_ERR_AGAIN), self->handle);
	for (size_t i = 0; i < NCALLS; i++) {
		EXPECT_EQ(calls[i].make(), PM_ERR_AGAIN)
			TH_LOG("%s", calls[i].name);
	}
	EXPECT_EQ(self->fake.lies->connections, 2);
}

/* An unsolicited reply is not used as the answer to the next request. */
TEST_F(host, order)
{
	ASSERT_EQ(reconnect(&self->fake, self->handle, add_more, 0), self->handle);
	EXPECT_EQ(do_desc(), 0);
	EXPECT_EQ(do_desc(), PM_ERR_IPC);
}

/*
 * Send one reply of the connection twice, but not the greeting.  All later replies are sent once,
 * so there is never more than one extra reply.
 */
static enum fake_then repeat_one(struct fake_pdu *pdu, uint64_t arg)
{
	static bool repeated;	/* kept in the server's process for this connection */

	(void)arg;
	if (is_greeting(pdu) || repeated)
		return FAKE_GO_ON;
	repeated = true;
	return FAKE_AGAIN;
}

static int fetch_one(pmID pmid)
{
	pmResult *r;
	int err = pmFetch(1, &pmid, &r);

	if (err >= 0)
		pmFreeResult(r);
	return err;
}

/*
 * A fetch that follows at once can return the repeated reply.  A fetch after a pause, or of other
 * metrics, must not.
 */
TEST_F(host, order_of_fetches)
{
	for (unsigned int other = 0; other < 2; other++) {
		volatile unsigned int *repeats = &self->fake.lies->repeats;

		ASSERT_EQ(reconnect(&self->fake, self->handle, repeat_one, 0), self->handle);
		ASSERT_EQ(fetch_one(all[0]), 0);
		for (int i = 0; *repeats == other && i < 60000; i++)
			usleep(1000);
		ASSERT_EQ(*repeats, other + 1);
		usleep(2000);
		EXPECT_EQ(fetch_one(all[other]), PM_ERR_IPC);
	}
}

TEST_F(host, notices)
{
	self->fake.lies->notices = 1;
	EXPECT_EQ(do_fetch(), PMCD_ADD_AGENT);
	self->fake.lies->notices = 3;
	EXPECT_EQ(do_fetch(), PMCD_ADD_AGENT);
	self->fake.lies->notices = 100000;
	EXPECT_EQ(do_fetch(), PM_ERR_IPC);
}

/* Send one byte at a time; the whole reply must arrive within the timeout of a request. */
static enum fake_then stall_within(struct fake_pdu *pdu, uint64_t arg)
{
	if (is_greeting(pdu))
		return FAKE_GO_ON;
	pdu->len = arg;
	return FAKE_STALL;
}

TEST_F_TIMEOUT(host, silence, 120)
{
	int handle;

	setenv("PMCD_REQUEST_TIMEOUT", "0.5", 1);
	handle = pmNewContext(PM_CONTEXT_HOST, self->fake.spec);
	ASSERT_GE(handle, 0);
	for (int len = 0; len < 32; len += 9) {
		double before;

		ASSERT_EQ(reconnect(&self->fake, handle, stall_within, len), handle);
		before = now();
		EXPECT_EQ(do_desc(), PM_ERR_TIMEOUT);
		EXPECT_GE(now() - before, 0.49);
		EXPECT_LT(now() - before, 10);
		EXPECT_EQ(do_desc(), PM_ERR_IPC);
	}
	pmDestroyContext(handle);
}

static uint64_t dice;

static uint32_t roll(uint32_t n)
{
	dice = dice * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(dice >> 33) % n;
}

/* Change random words, bytes, or the length of a reply. */
static enum fake_then mutate(struct fake_pdu *pdu, uint64_t arg)
{
	static const uint32_t values[] = { 0, 1, 2, 3, 4, 5, 12, 255, 256, 0xffff, 0x10000, 0xffffff,
					   0x1000000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff };

	if (is_greeting(pdu) && !(arg & 1))
		return FAKE_GO_ON;
	dice = arg;
	for (uint32_t i = roll(3) + 1; i; i--) {
		uint32_t at = roll(pdu->len);

		switch (roll(5)) {
		case 0:
			pdu->bytes[at] ^= 1 << roll(8);
			break;
		case 1:
			fake_set(pdu->bytes + (at & ~3u), values[roll(sizeof(values) / sizeof(values[0]))]);
			break;
		case 2:
			fake_set(pdu->bytes + (at & ~3u), fake_get(pdu->bytes + (at & ~3u)) + roll(9) - 4);
			break;
		case 3:
			pdu->len = at > 16 ? at : 16;
			fake_end(pdu);
			break;
		case 4:
			memset(pdu->bytes + pdu->len, roll(256), 64);
			pdu->len += roll(64);
			fake_end(pdu);
			break;
		}
	}
	return FAKE_CLOSE;	/* ends a reply whose length is too large */
}

static uint64_t number(const char *name, uint64_t usual)
{
	const char *value = getenv(name);

	return value ? strtoull(value, NULL, 10) : usual;
}

TEST_F_TIMEOUT(host, random_replies, 250)
{
	uint64_t seed = number("HOST_FUZZ_SEED", 1), times = number("HOST_FUZZ_TIMES", 1500);
	unsigned int good = 0, bad = 0;

	for (uint64_t i = 0; i < times; i++) {
		uint64_t arg = (seed * 1000003 + i) * 2 * 6364136223846793005ull & ~1ull;
		int result;

		ASSERT_EQ(reconnect(&self->fake, self->handle, mutate, arg), self->handle);
		result = calls[i % NCALLS].make();
		EXPECT_NE(result, PM_ERR_TIMEOUT)
			TH_LOG("%s, seed %llu, round %llu", calls[i % NCALLS].name,
			       (unsigned long long)seed, (unsigned long long)i);
		good += result >= 0;
		bad += result == PM_ERR_IPC;
	}
	TH_LOG("%u taken, %u refused", good, bad);
	EXPECT_GT(good, 0);
	EXPECT_GT(bad, times / 4);
}

TEST_F_TIMEOUT(host, random_greetings, 250)
{
	uint64_t seed = number("HOST_FUZZ_SEED", 1), times = number("HOST_FUZZ_TIMES", 1500) / 4;
	unsigned int refused = 0;

	self->fake.lies->lie = mutate;
	for (uint64_t i = 0; i < times; i++) {
		int handle;

		self->fake.lies->arg = (seed * 1000003 + i) * 6364136223846793005ull | 1;
		handle = pmNewContext(PM_CONTEXT_HOST, self->fake.spec);
		refused += handle < 0;
		if (handle >= 0)
			pmDestroyContext(handle);
	}
	EXPECT_GT(refused, times / 4);
}

TEST_HARNESS_MAIN
