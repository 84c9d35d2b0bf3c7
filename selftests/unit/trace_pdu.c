// SPDX-License-Identifier: GPL-2.0-or-later
/* Events are encoded in the form that PCP's agent accepts, and its acknowledgments are decoded. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "kselftest_harness.h"
#include "trace/link.h"

static size_t encode(unsigned char *bytes, int sync, enum shim_pdu_kind kind, double value,
		     const char *tag)
{
	struct shim_pdu_event event = {
		.kind = kind,
		.sync = sync,
		.pid = 0x52e7,
		.value = value,
		.tag = tag,
		.tag_len = strlen(tag),
	};

	return shim_pdu__encode(bytes, &event);
}

/* The bytes are the same as those that PCP's own library sends. */
TEST(transaction_as_captured)
{
	static const unsigned char captured[] = {
		0, 0, 0, 0x20, 0, 0, 0x70, 0x51, 0, 0, 0x52, 0xe7, 1, 7, 1, 0x80,
		0x3f, 0x19, 0x6d, 0x8f, 0x4f, 0x93, 0xbc, 0x0a,
		's', 'i', 'm', 'p', 'l', 'e', 0, '~',
	};
	unsigned char bytes[SHIM_PDU_MAX_SIZE];

	ASSERT_EQ(sizeof(captured), encode(bytes, 1, SHIM_PDU_TRANSACTION, 0.000097, "simple"));
	EXPECT_EQ(0, memcmp(bytes, captured, sizeof(captured)));
}

TEST(sizes)
{
	unsigned char bytes[SHIM_PDU_MAX_SIZE];
	char tag[SHIM_PDU_MAX_TAG + 1];

	for (size_t len = 1; len <= SHIM_PDU_MAX_TAG; len++) {
		size_t size;

		memset(tag, 'x', len);
		tag[len] = '\0';
		size = encode(bytes, 1, SHIM_PDU_POINT, -1, tag);
		EXPECT_EQ((24 + len + 1 + 3) / 4 * 4, size);
		EXPECT_EQ(len + 1, bytes[13]);
		EXPECT_EQ(0, memcmp(bytes + 24, tag, len + 1));
		size = encode(bytes, 0, SHIM_PDU_POINT, -1, tag);
		EXPECT_EQ(0, size % 64);
		EXPECT_GE(size, 24 + len + 1);
		EXPECT_LT(size, 24 + len + 1 + 64);
		EXPECT_EQ(size, bytes[2] << 8 | bytes[3]);
		EXPECT_EQ(0, bytes[15]);
	}
}

TEST(acknowledgement)
{
	unsigned char bytes[SHIM_PDU_ACK_SIZE] = {
		0, 0, 0, 16, 0, 0, 0x70, 0x50, 0, 0, 0x51, 0xae, 0, 0, 0, 3,
	};
	int32_t value = 77;

	EXPECT_EQ(0, shim_pdu__decode_ack(bytes, &value));
	EXPECT_EQ(3, value);
	memset(bytes + 12, 0xff, 3);
	EXPECT_EQ(0, shim_pdu__decode_ack(bytes, &value));
	EXPECT_EQ(-253, value);
	for (int i = 0; i < 8; i++) {
		bytes[i] ^= 1;
		EXPECT_EQ(-EPROTO, shim_pdu__decode_ack(bytes, &value));
		bytes[i] ^= 1;
	}
	EXPECT_EQ(-253, value);
}

TEST_HARNESS_MAIN
