// SPDX-License-Identifier: GPL-2.0-or-later
/* The lists of events and attributes are consistent with each other. */
#include "cpc.h"
#include "kselftest_harness.h"

#define MOST	4096

FIXTURE(lists) {
	cpc_t *cpc;
};

FIXTURE_SETUP(lists)
{
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc) TH_LOG("cpc_open: %s", strerror(errno));
}

FIXTURE_TEARDOWN(lists)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

struct names {
	char *name[MOST];
	int n;
	int calls;
};

/* Check that each name is listed once. */
static void see(void *arg, const char *event)
{
	struct names *names = arg;

	names->calls++;
	for (int i = 0; i < names->n; i++)
		if (!strcmp(names->name[i], event))
			return;
	if (names->n < MOST)
		names->name[names->n++] = strdup(event);
}

static void see_pic(void *arg, uint_t picno, const char *event)
{
	(void)picno;
	see(arg, event);
}

static void forget(struct names *names)
{
	while (names->n)
		free(names->name[--names->n]);
}

static int beginning_with(const struct names *names, const char *start)
{
	int n = 0;

	for (int i = 0; i < names->n; i++)
		n += !strncmp(names->name[i], start, strlen(start));
	return n;
}

TEST_F(lists, every_counter_has_events)
{
	bool pmu = has_pmu(self->cpc);

	ASSERT_LE(1, cpc_npic(self->cpc));
	for (uint_t pic = 0; pic < cpc_npic(self->cpc); pic++) {
		struct names platform = { 0 }, generic = { 0 };

		cpc_walk_events_pic(self->cpc, pic, &platform, see_pic);
		cpc_walk_generic_events_pic(self->cpc, pic, &generic, see_pic);
		EXPECT_LT(0, platform.n);
		EXPECT_EQ(pmu, beginning_with(&generic, "PAPI_tot_ins") == 1);
		forget(&platform);
		forget(&generic);
	}
}

TEST_F(lists, counters_lists_make_up_the_list_of_all)
{
	struct names all = { 0 }, pics = { 0 };

	cpc_walk_events_all(self->cpc, &all, see);
	EXPECT_EQ(all.calls, all.n) TH_LOG("a name is listed twice");
	pics = all;
	for (uint_t pic = 0; pic < cpc_npic(self->cpc); pic++)
		cpc_walk_events_pic(self->cpc, pic, &pics, see_pic);
	EXPECT_EQ(all.n, pics.n);
	forget(&pics);
	memset(&all, 0, sizeof(all));
	cpc_walk_generic_events_all(self->cpc, &all, see);
	EXPECT_EQ(all.calls, all.n) TH_LOG("a name is listed twice");
	pics = all;
	for (uint_t pic = 0; pic < cpc_npic(self->cpc); pic++)
		cpc_walk_generic_events_pic(self->cpc, pic, &pics, see_pic);
	EXPECT_EQ(all.n, pics.n);
	forget(&pics);
}

TEST_F(lists, generic_names_begin_with_papi_and_no_others)
{
	struct names platform = { 0 }, generic = { 0 };

	cpc_walk_events_all(self->cpc, &platform, see);
	cpc_walk_generic_events_all(self->cpc, &generic, see);
	EXPECT_EQ(0, beginning_with(&platform, "PAPI"));
	EXPECT_EQ(generic.n, beginning_with(&generic, "PAPI_"));
	EXPECT_LT(0, beginning_with(&platform, "sw::"));
	forget(&platform);
	forget(&generic);
}

TEST_F(lists, no_counter_beyond_the_last)
{
	struct names none = { 0 };

	errno = 0;
	cpc_walk_events_pic(self->cpc, cpc_npic(self->cpc), &none, see_pic);
	EXPECT_EQ(EINVAL, errno);
	errno = 0;
	cpc_walk_generic_events_pic(self->cpc, cpc_npic(self->cpc), &none, see_pic);
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, none.calls);
}

TEST_F(lists, picnum_is_the_last_attribute)
{
	struct names attrs = { 0 };

	cpc_walk_attrs(self->cpc, &attrs, see);
	ASSERT_LT(0, attrs.n);
	EXPECT_STREQ("picnum", attrs.name[attrs.n - 1]);
	EXPECT_EQ(attrs.calls, attrs.n);
	forget(&attrs);
}

static int reported;

static void tell(const char *fn, int subcode, const char *fmt, va_list ap)
{
	silent(fn, subcode, fmt, ap);
	reported = subcode;
}

/* Bind a set of @event with the attribute.  Return the subcode of the error. */
static int bound_with(cpc_t *cpc, const char *event, const char *attr, uint64_t with)
{
	cpc_attr_t attrs = { (char *)attr, with };
	cpc_set_t *set = cpc_set_create(cpc);
	int ret;

	reported = 0;
	cpc_seterrhndlr(cpc, tell);
	if (cpc_set_add_request(cpc, set, event, 0, CPC_COUNT_USER, 1, &attrs))
		return -1;
	ret = cpc_bind_curlwp(cpc, set, 0) ? reported : 0;
	if (ret && errno != EINVAL)
		ret = -2;
	cpc_set_destroy(cpc, set);
	return ret;
}

TEST_F(lists, attributes_have_a_range_and_need_an_event_of_the_cpu)
{
	struct names attrs = { 0 };
	const char *attr;

	cpc_walk_attrs(self->cpc, &attrs, see);
	if (attrs.n < 2 || !has_pmu(self->cpc)) {
		forget(&attrs);
		SKIP(return, "no PMU counts with attributes");
	}
	attr = attrs.name[0];
	EXPECT_EQ(CPC_ATTRIBUTE_OUT_OF_RANGE, bound_with(self->cpc, "PAPI_tot_ins", attr, 0));
	EXPECT_EQ(CPC_INVALID_ATTRIBUTE, bound_with(self->cpc, "sw::page-faults", attr, 0));
	EXPECT_EQ(CPC_INVALID_ATTRIBUTE, bound_with(self->cpc, "instructions", attr, 0));
	EXPECT_EQ(CPC_ATTRIBUTE_OUT_OF_RANGE, bound_with(self->cpc, "0x8", attr, -1ULL));
	EXPECT_EQ(0, bound_with(self->cpc, "0x8", attr, 0));
	forget(&attrs);
}

TEST(without_a_handle_nothing_happens)
{
	struct names none = { 0 };

	cpc_walk_events_all(NULL, &none, see);
	cpc_walk_attrs(NULL, &none, see);
	cpc_walk_generic_events_all(NULL, &none, see);
	cpc_walk_requests(NULL, NULL, NULL, NULL);
	EXPECT_EQ(0, none.calls);
	EXPECT_EQ(0, cpc_npic(NULL));
	EXPECT_EQ(NULL, cpc_set_create(NULL));
	EXPECT_EQ(NULL, cpc_buf_create(NULL, NULL));
	EXPECT_EQ(-1, cpc_set_add_request(NULL, NULL, "cycles", 0, CPC_COUNT_USER, 0, NULL));
	EXPECT_EQ(-1, cpc_bind_curlwp(NULL, NULL, 0));
	EXPECT_EQ(-1, cpc_bind_cpu(NULL, 0, NULL, 0));
	EXPECT_EQ(-1, cpc_set_sample(NULL, NULL, NULL));
	EXPECT_EQ(-1, cpc_unbind(NULL, NULL));
	EXPECT_EQ(-1, cpc_set_restart(NULL, NULL));
	EXPECT_EQ(-1, cpc_request_preset(NULL, 0, 0));
	EXPECT_EQ(0, cpc_caps(NULL));
	EXPECT_EQ(-1, cpc_set_destroy(NULL, NULL));
	EXPECT_EQ(-1, cpc_buf_destroy(NULL, NULL));
	EXPECT_EQ(EINVAL, errno);
	cpc_buf_sub(NULL, NULL, NULL, NULL);
	cpc_buf_zero(NULL, NULL);
	EXPECT_EQ(0, cpc_close(NULL));
}

TEST_HARNESS_MAIN
