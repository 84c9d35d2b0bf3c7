// SPDX-License-Identifier: GPL-2.0
/* Create the maximum number of tags, and check the limits, root's reserve, IDs and handles. */
#include <kunit/test.h>
#include <linux/cred.h>
#include <linux/slab.h>

#include "limits.h"
#include "trace/tag.h"

/* The default limits */
#define SHARE	2048
#define IDLE	4096

/* A user with an open file, and an account that only this test uses */
struct actor {
	struct vcpc_user user;
	struct vcpc_tag_holder holder;
};

static void begin_actor(struct actor *actor, unsigned int uid)
{
	*actor = (struct actor) {
		.user.uid = KUIDT_INIT(uid),
		/* The account is not in the list, so it must never be freed. */
		.user.refs = REFCOUNT_INIT(1 << 30),
		.user.root = !uid,
	};
	INIT_LIST_HEAD(&actor->user.idle_tags);
	vcpc_tag_holder_init(&actor->holder, &actor->user);
}

static void reopen(struct actor *actor)
{
	vcpc_tag_holder_release(&actor->holder);
	vcpc_tag_holder_init(&actor->holder, &actor->user);
}

static int actor_take(struct actor *actor, unsigned int nr, u32 *handle)
{
	char name[16];

	snprintf(name, sizeof(name), "test %u", nr);
	return vcpc_tag_hold(&actor->holder, name, handle);
}

/* Create up to @most tags.  Return their number, and store the first error in @error. */
static unsigned int take_all(struct actor *actor, unsigned int most, int *error)
{
	unsigned int nr;
	u32 handle;

	for (nr = 0; nr < most; nr++) {
		*error = actor_take(actor, nr, &handle);
		if (*error)
			break;
	}
	return nr;
}

static u64 id_of(struct kunit *test, struct actor *actor, unsigned int nr)
{
	u32 handle = 0;

	KUNIT_EXPECT_EQ(test, 0, actor_take(actor, nr, &handle));
	return handle ? vcpc_tag_find(&actor->holder, handle)->id : 0;
}

static const struct cred *without_capabilities(struct kunit *test)
{
	struct cred *cred = prepare_creds();
	const struct cred *old;

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cap_clear(cred->cap_effective);
	old = override_creds(cred);
	put_cred(cred);
	return old;
}

static struct actor actors[5];

static int tags_of(const struct actor *actor)
{
	return atomic_read(&actor->user.used[VCPC_LIMIT_TAGS]);
}

/*
 * All users can create the same number of tags, regardless of the tags of others.  The limit on
 * idle tags is global.
 */
static void shares(struct kunit *test)
{
	const struct cred *old = without_capabilities(test);
	int error, idle = 0;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(actors); i++) {
		begin_actor(&actors[i], 70001 + i);
		KUNIT_EXPECT_EQ(test, SHARE, take_all(&actors[i], IDLE, &error));
		KUNIT_EXPECT_EQ(test, -EUSERS, error);
	}
	for (i = 0; i < ARRAY_SIZE(actors); i++) {
		KUNIT_EXPECT_EQ(test, SHARE, tags_of(&actors[i]));
		vcpc_tag_holder_release(&actors[i].holder);
	}
	for (i = 0; i < ARRAY_SIZE(actors); i++) {
		idle += tags_of(&actors[i]);
		/* Tags are removed from the account with the most idle tags. */
		KUNIT_EXPECT_LE(test, tags_of(&actors[i]), IDLE / 5 + 1);
	}
	KUNIT_EXPECT_EQ(test, IDLE, idle);
	vcpc_tag_exit();
	KUNIT_EXPECT_EQ(test, 0, tags_of(&actors[0]) + tags_of(&actors[4]));
	revert_creds(old);
}

static void ids(struct kunit *test)
{
	u64 first, second, other;

	begin_actor(&actors[0], 70001);
	begin_actor(&actors[1], 70002);
	first = id_of(test, &actors[0], 1);
	other = id_of(test, &actors[1], 1);
	KUNIT_EXPECT_NE(test, first, other);
	/* An idle tag keeps its ID. */
	reopen(&actors[0]);
	KUNIT_EXPECT_EQ(test, first, id_of(test, &actors[0], 1));
	/* After a tag has been removed, its ID is not reused. */
	reopen(&actors[0]);
	vcpc_tag_exit();
	second = id_of(test, &actors[0], 1);
	KUNIT_EXPECT_GT(test, second, other);
	KUNIT_EXPECT_EQ(test, other, id_of(test, &actors[1], 1));
	vcpc_tag_holder_release(&actors[0].holder);
	vcpc_tag_holder_release(&actors[1].holder);
	vcpc_tag_exit();
}

static void handles(struct kunit *test)
{
	static const u32 bad[] = { 0, 41, 63, 64, 65, U32_MAX };
	u32 handle[40], again;
	size_t i;

	begin_actor(&actors[0], 70001);
	KUNIT_EXPECT_NULL(test, vcpc_tag_find(&actors[0].holder, 1));
	for (i = 0; i < ARRAY_SIZE(handle); i++)
		KUNIT_EXPECT_EQ(test, 0, actor_take(&actors[0], i, &handle[i]));
	for (i = 0; i < ARRAY_SIZE(handle); i++) {
		KUNIT_EXPECT_EQ(test, 0, actor_take(&actors[0], i, &again));
		KUNIT_EXPECT_EQ(test, handle[i], again);
		KUNIT_EXPECT_NOT_NULL(test, vcpc_tag_find(&actors[0].holder, again));
	}
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(handle), tags_of(&actors[0]));
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		KUNIT_EXPECT_NULL(test, vcpc_tag_find(&actors[0].holder, bad[i]));
	vcpc_tag_holder_release(&actors[0].holder);
	vcpc_tag_exit();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(shares),
	KUNIT_CASE(ids),
	KUNIT_CASE(handles),
	{ }
};

static struct kunit_suite suite = {
	.name = "vcpc_tag",
	.test_cases = cases,
};

kunit_test_suite(suite);
