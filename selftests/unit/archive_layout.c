// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two records are recognized as having the same layout if, and only if, their layouts are the same.
 */
#include <string.h>

#include "archive/record.h"
#include "kselftest_harness.h"

/* Write a record of two metrics, one with a value in place and one with blocks. */
static void make(struct shim_buf *buf, struct shim_record *rec, int64_t sec, int32_t inst,
		 uint32_t narrow, uint64_t wide)
{
	const struct shim_format *f = shim_format__of(3);
	struct shim_rec_result r = { 0 };

	shim_rec_result__begin(f, &r, (struct shim_ts) { .sec = sec });
	shim_rec_result__set(&r, 1, 0);
	shim_rec_result__value(&r, &(struct shim_value) {
		.inst = inst, .type = SHIM_TYPE_U32, .ul = narrow,
	});
	shim_rec_result__set(&r, 2, 0);
	shim_rec_result__value(&r, &(struct shim_value) {
		.inst = 7, .type = SHIM_TYPE_U64, .ull = wide,
	});
	if (shim_rec_result__end(f, &r))
		abort();
	*buf = r.sets;
	r.sets = (struct shim_buf) { 0 };
	shim_rec_result__free(&r);
	if (shim_rec_result__decode(f, buf->data, buf->len, rec))
		abort();
}

FIXTURE(layout) {
	struct shim_buf of, buf;
	struct shim_record rec, other;
	struct shim_record_layout layout;
};

FIXTURE_SETUP(layout)
{
	memset(self, 0, sizeof(*self));
	make(&self->of, &self->rec, 5, 1, 10, 1ull << 40);
	ASSERT_EQ(0, shim_record_layout__make(&self->layout, &self->rec));
}

FIXTURE_TEARDOWN(layout)
{
	shim_record_layout__fini(&self->layout);
	shim_buf__free(&self->of);
	shim_buf__free(&self->buf);
}

TEST_F(layout, its_own)
{
	EXPECT_TRUE(shim_record_layout__fits(&self->layout, &self->rec));
}

TEST_F(layout, other_stamp_and_values)
{
	make(&self->buf, &self->other, 99, 1, 0xffffffff, 3);
	EXPECT_TRUE(shim_record_layout__fits(&self->layout, &self->other));
}

TEST_F(layout, other_instance)
{
	make(&self->buf, &self->other, 5, 2, 10, 1ull << 40);
	EXPECT_FALSE(shim_record_layout__fits(&self->layout, &self->other));
}

/* A change of any byte changes the layout, except in the time stamp and in the values. */
TEST_F(layout, each_byte)
{
	unsigned int free = 0;

	for (uint32_t i = self->layout.head; i < self->rec.len - 4; i++) {
		uint8_t *p = self->of.data + i;

		*p ^= 0x10;
		free += shim_record_layout__fits(&self->layout, &self->rec);
		*p ^= 0x10;
	}
	EXPECT_EQ(4 + 8, free);
}

TEST_F(layout, none_fits_nothing)
{
	struct shim_record_layout none = { 0 };

	EXPECT_FALSE(shim_record_layout__fits(&none, &self->rec));
}

TEST_HARNESS_MAIN
