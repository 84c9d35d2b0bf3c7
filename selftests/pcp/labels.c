// SPDX-License-Identifier: GPL-2.0-or-later
/* Read an archive's texts and labels, and merge labels. */
#include "pcp_fixture.h"

FIXTURE(notes)
{
	char base[256];
};

FIXTURE_VARIANT(notes)
{
	int version;
};

FIXTURE_VARIANT_ADD(notes, v2)
{
	.version = 2,
};

FIXTURE_VARIANT_ADD(notes, v3)
{
	.version = 3,
};

FIXTURE_SETUP(notes)
{
	af_folder(self->base, sizeof(self->base));
	af_vectors_with(self->base, variant->version, af_vectors_notes);
	ASSERT_GE(pmNewContext(PM_CONTEXT_ARCHIVE, self->base), 0);
}

FIXTURE_TEARDOWN(notes)
{
	pmDestroyContext(pmWhichContext());
	af_remove(self->base);
}

TEST_F(notes, texts)
{
	static const struct {
		pmID pmid;
		int level;
		int want;
		const char *text;
	} rows[] = {
		{ AF_PMID(CU32), PM_TEXT_ONELINE, 0, "one line" },
		{ AF_PMID(CU32), PM_TEXT_HELP, 0, "help\nin two lines" },
		{ AF_PMID(C32), PM_TEXT_HELP, 0, "only one line" },
		{ AF_PMID(C32), PM_TEXT_HELP | PM_TEXT_DIRECT, PM_ERR_TEXT, NULL },
		{ AF_PMID(CU64), PM_TEXT_HELP | PM_TEXT_DIRECT, 0, "only help" },
		{ AF_PMID(CU64), PM_TEXT_ONELINE, PM_ERR_TEXT, NULL },
		{ AF_PMID(INSTANT), PM_TEXT_HELP, 0, "help is empty" },
		{ AF_PMID(INSTANT), PM_TEXT_HELP | PM_TEXT_DIRECT, 0, "" },
		{ AF_PMID(C64), PM_TEXT_ONELINE, PM_ERR_TEXT, NULL },
		{ PM_ID_NULL, PM_TEXT_HELP, PM_ERR_TEXT, NULL },
		{ AF_PMID(CU32), 0, PM_ERR_ARG, NULL },
		{ AF_PMID(CU32), 3, PM_ERR_ARG, NULL },
		{ AF_PMID(CU32), PM_TEXT_DIRECT, PM_ERR_ARG, NULL },
		{ AF_PMID(CU32), 32 | PM_TEXT_HELP, PM_ERR_NOTHOST, NULL },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *text = NULL;

		EXPECT_EQ(pmLookupText(rows[i].pmid, rows[i].level, &text), rows[i].want) {
			TH_LOG("row %zu", i);
		}
		EXPECT_STREQ(text ? text : "none", rows[i].text ? rows[i].text : "none");
		free(text);
	}
	EXPECT_EQ(pmLookupText(AF_PMID(CU32), PM_TEXT_HELP, NULL), -EINVAL);
}

/* As in PCP 6.3.8 and 7.2.2, the level can also name the kind of object. */
TEST_F(notes, levels_of_texts)
{
	char *text;

	ASSERT_EQ(pmLookupText(AF_PMID(CU32), PM_TEXT_PMID | PM_TEXT_HELP, &text), 0);
	free(text);
	ASSERT_EQ(pmLookupInDomText(AF_INDOM, PM_TEXT_INDOM | PM_TEXT_HELP, &text), 0);
	free(text);
	EXPECT_EQ(pmLookupInDomText(AF_INDOM, 0, &text), PM_ERR_NOTHOST);
	EXPECT_EQ(pmLookupText(AF_PMID(CU32), PM_TEXT_INDOM | PM_TEXT_HELP, &text), PM_ERR_NOTHOST);
	EXPECT_EQ(pmLookupInDomText(AF_INDOM, PM_TEXT_PMID | PM_TEXT_HELP, &text), PM_ERR_NOTHOST);
}

TEST_F(notes, texts_of_domains)
{
	char *text = NULL;

	ASSERT_EQ(pmLookupInDomText(AF_INDOM, PM_TEXT_HELP, &text), 0);
	EXPECT_STREQ(text, "of the domain");
	free(text);
	text = NULL;
	EXPECT_EQ(pmLookupInDomText(AF_INDOM + 1, PM_TEXT_ONELINE, &text), PM_ERR_TEXT);
	EXPECT_EQ(pmLookupInDomText(AF_INDOM, PM_TEXT_HELP | PM_TEXT_DIRECT, &text),
		  PM_ERR_NOTHOST);
	EXPECT_EQ(text, NULL);
}

/* Return the text of the only label set, or the error of the call. */
static const char *said(int n, pmLabelSet *sets)
{
	static char text[256];

	snprintf(text, sizeof(text), "%d", n);
	if (n == 1)
		snprintf(text, sizeof(text), "%s", sets[0].json);
	if (n > 0)
		pmFreeLabelSets(sets, n);
	return text;
}

TEST_F(notes, levels)
{
	pmLabelSet *sets = NULL;
	int n;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 20000, 0), 0);
	n = pmGetContextLabels(&sets);
	EXPECT_STREQ(said(n, sets), "{\"hostname\":\"h\"}");
	n = pmGetDomainLabels(60, &sets);
	EXPECT_STREQ(said(n, sets), "{\"a\":\"late\"}");
	n = pmGetInDomLabels(AF_INDOM, &sets);
	EXPECT_STREQ(said(n, sets), "{\"n\":7}");
	n = pmGetClusterLabels(AF_PMID(CU32), &sets);
	EXPECT_STREQ(said(n, sets), "{\"n\":7}");
	n = pmGetClusterLabels(AF_PMID(0), &sets);
	EXPECT_STREQ(said(n, sets), "{\"n\":7}");
	n = pmGetItemLabels(AF_PMID(CU32), &sets);
	EXPECT_STREQ(said(n, sets), "{\"n\":[1,2]}");
	sets = (void *)1;
	EXPECT_EQ(pmGetItemLabels(AF_PMID(C32), &sets), 0);
	EXPECT_EQ(sets, NULL);
	EXPECT_EQ(pmGetDomainLabels(61, &sets), 0);
	EXPECT_EQ(pmGetDomainLabels(-1, &sets), 0);
	EXPECT_EQ(pmGetInDomLabels(PM_INDOM_NULL, &sets), 0);
	EXPECT_EQ(pmGetItemLabels(AF_PMID(CU32), NULL), -EINVAL);
}

TEST_F(notes, labels_are_those_of_the_time)
{
	pmLabelSet *sets = NULL;
	int n;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 19999, 0), 0);
	n = pmGetDomainLabels(60, &sets);
	EXPECT_STREQ(said(n, sets), "{\"a\":\"early\"}");
	EXPECT_EQ(pmGetInDomLabels(AF_INDOM, &sets), 0);
	ASSERT_EQ(go_to(PM_MODE_INTERP, 40000, 0), 0);
	n = pmGetDomainLabels(60, &sets);
	EXPECT_STREQ(said(n, sets), "{\"a\":\"late\"}");
	ASSERT_EQ(go_to(PM_MODE_INTERP, -1000, 0), 0);
	EXPECT_EQ(pmGetContextLabels(&sets), 0);
}

TEST_F(notes, instances_have_a_set_each)
{
	pmLabelSet *sets;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 10000, 0), 0);
	ASSERT_EQ(pmGetInstancesLabels(AF_INDOM, &sets), 2);
	EXPECT_EQ(sets[0].inst, 0);
	EXPECT_EQ(sets[0].nlabels, 1);
	EXPECT_EQ(strncmp(sets[0].json + sets[0].labels[0].value, "\"zero\"", 6), 0);
	EXPECT_EQ((int)sets[0].labels[0].valuelen, 6);
	EXPECT_EQ((int)sets[0].labels[0].flags, PM_LABEL_INSTANCES);
	EXPECT_EQ(sets[1].inst, 1);
	EXPECT_EQ(sets[1].nlabels, 0);
	EXPECT_EQ((int)sets[1].jsonlen, 0);
	pmFreeLabelSets(sets, 2);
}

static int not_optional(const pmLabel *label, const char *json, void *arg)
{
	(void)json;
	++*(int *)arg;
	return !(label->flags & PM_LABEL_OPTIONAL);
}

TEST_F(notes, all_of_a_metric_merged)
{
	static const char whole[] = "{\"a\":\"late\",\"hostname\":\"h\",\"n\":[1,2]}";
	pmLabelSet *list[4];
	pmLabelSet *sets;
	char json[64];
	int calls = 0;

	ASSERT_EQ(go_to(PM_MODE_INTERP, 50000, 0), 0);
	ASSERT_EQ(pmLookupLabels(AF_PMID(CU32), &sets), 4);
	for (int i = 0; i < 4; i++)
		list[i] = &sets[i];
	EXPECT_EQ(pmMergeLabelSets(list, 4, json, sizeof(json), NULL, NULL), strlen(whole));
	EXPECT_STREQ(json, whole);
	EXPECT_EQ(pmMergeLabelSets(list, 4, json, sizeof(whole), NULL, NULL), strlen(whole));
	EXPECT_EQ(pmMergeLabelSets(list, 4, json, sizeof(whole) - 1, NULL, NULL), -E2BIG);
	EXPECT_EQ(pmMergeLabelSets(list, 4, json, 0, NULL, NULL), -E2BIG);
	EXPECT_EQ(pmMergeLabelSets(list, 4, json, -1, NULL, NULL), -E2BIG);
	EXPECT_GT(pmMergeLabelSets(list, 4, json, sizeof(json), not_optional, &calls), 0);
	EXPECT_STREQ(json, "{\"hostname\":\"h\",\"n\":[1,2]}");
	EXPECT_EQ(calls, 4);
	/* If the filter rejects the stronger "n", the weaker one does not take its place. */
	sets[3].labels[0].flags |= PM_LABEL_OPTIONAL;
	EXPECT_GT(pmMergeLabelSets(list, 4, json, sizeof(json), not_optional, &calls), 0);
	EXPECT_STREQ(json, "{\"hostname\":\"h\"}");
	EXPECT_EQ(pmMergeLabelSets(&list[3], 1, json, sizeof(json), not_optional, &calls), 2);
	EXPECT_STREQ(json, "{}");
	/* Nothing outside the text is read. */
	sets[3].labels[0].valuelen++;
	sets[3].jsonlen = 10;
	EXPECT_EQ(pmMergeLabelSets(list, 4, json, sizeof(json), NULL, NULL), -EINVAL);
	sets[3].nlabels = PM_ERR_APPVERSION;
	list[0] = NULL;
	EXPECT_GT(pmMergeLabelSets(list, 4, json, sizeof(json), NULL, NULL), 0);
	EXPECT_STREQ(json, "{\"a\":\"late\",\"n\":7}");
	sets[3].nlabels = 1;
	pmFreeLabelSets(sets, 4);
	/* A metric with instances has the labels of its domain, and no item labels. */
	EXPECT_EQ(pmLookupLabels(AF_PMID(SET), &sets), 4);
	EXPECT_EQ((int)sets[2].labels[0].flags, PM_LABEL_INDOM);
	pmFreeLabelSets(sets, 4);
	EXPECT_EQ(pmLookupLabels(PM_ID_NULL, &sets), PM_ERR_PMID_LOG);
}

TEST_F(archive, text_of_an_undefined_derived_metric)
{
	char *text;

	EXPECT_EQ(pmLookupText(pmID_build(511, 1, 1), PM_TEXT_ONELINE, &text), PM_ERR_PMID);
	EXPECT_EQ(pmLookupText(pmID_build(511, 1, 0), PM_TEXT_ONELINE, &text), PM_ERR_NOTHOST);
}

TEST_F(archive, without_texts_and_labels)
{
	pmLabelSet *sets;
	char *text;

	EXPECT_EQ(pmLookupText(AF_PMID(CU32), PM_TEXT_ONELINE, &text), PM_ERR_NOTHOST);
	EXPECT_EQ(pmLookupInDomText(AF_INDOM, PM_TEXT_HELP, &text), PM_ERR_NOTHOST);
	EXPECT_EQ(pmGetDomainLabels(60, &sets), 0);
	/* There is always a label for the host. */
	ASSERT_EQ(pmGetContextLabels(&sets), 1);
	EXPECT_STREQ(sets[0].json, "{\"hostname\":\"testhost\"}");
	EXPECT_EQ(sets[0].nlabels, 1);
	EXPECT_EQ(strncmp(sets[0].json + sets[0].labels[0].value, "\"testhost\"", 10), 0);
	pmFreeLabelSets(sets, 1);
	ASSERT_EQ(pmLookupLabels(AF_PMID(CU32), &sets), 1);
	pmFreeLabelSets(sets, 1);
	pmFreeLabelSets(NULL, 0);
}

TEST(without_a_context)
{
	pmLabelSet *sets;
	char *text;

	EXPECT_EQ(pmLookupText(AF_PMID(CU32), PM_TEXT_ONELINE, &text), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupText(AF_PMID(CU32), PM_TEXT_ONELINE | 8, &text), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupText(AF_PMID(CU32), 0, &text), PM_ERR_ARG);
	EXPECT_EQ(pmLookupInDomText(AF_PMID(1), 0, &text), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupText(PM_ID_NULL, PM_TEXT_ONELINE, &text), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupText(pmID_build(511, 1, 0), PM_TEXT_HELP, &text), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupText(pmID_build(511, 1, 1), PM_TEXT_HELP, &text), PM_ERR_PMID);
	EXPECT_EQ(pmGetContextLabels(&sets), PM_ERR_NOCONTEXT);
	EXPECT_EQ(pmLookupLabels(AF_PMID(CU32), &sets), PM_ERR_NOCONTEXT);
}

TEST(merge_texts)
{
	static const struct {
		const char *a, *b, *want;
	} rows[] = {
		{ "{\"b\":1}", "{\"a\":2}", "{\"a\":2,\"b\":1}" },
		{ "{\"a\":1}", "{\"a\":2}", "{\"a\":2}" },
		{ "{\"B\":1,\"a\":2,\"aa\":3,\"A_\":4}", "", "{\"A_\":4,\"B\":1,\"a\":2,\"aa\":3}" },
		{ " { \"a\" : [ 1, 2 , \"x y\" ] } ", "{\"b\":null,\"c\":true}",
		  "{\"a\":[1,2,\"x y\"],\"b\":null,\"c\":true}" },
		{ "{\"a\":{\"y\":1, \"x\" : \"a b\"}}", NULL, "{\"a.x\":\"a b\",\"a.y\":1}" },
		{ "{\"a\":{\"b\":{\"c\":1,\"d\":[{\"z\":1}, {}]}}}", NULL,
		  "{\"a.b.c\":1,\"a.b.d\":[{\"z\":1},{}]}" },
		{ "{\"a\":{\"x\":1}}", "{\"a\":{\"x\":2}}", "{\"a.x\":2}" },
		{ "{\"a\":{}}", "{\"a.b\":1}", "{\"a\":{},\"a.b\":1}" },
		{ "{\"a\":\"q\\\"r \\u00e9\\\\\"}", "{\"b\":-1.5e+3}",
		  "{\"a\":\"q\\\"r \\u00e9\\\\\",\"b\":-1.5e+3}" },
	};
	char json[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *list[] = { (char *)rows[i].a, (char *)rows[i].b };

		EXPECT_EQ(pmMergeLabels(list, 2, json, sizeof(json)), strlen(rows[i].want)) {
			TH_LOG("row %zu", i);
		}
		EXPECT_STREQ(json, rows[i].want);
	}
}

static int count_calls(const pmLabel *label, const char *json, void *calls)
{
	(void)label, (void)json;
	return ++*(int *)calls;
}

/*
 * The filter is called once for each label of each set, and not again when later sets are merged.
 */
TEST(a_filter_is_called_once_a_label)
{
	char former[] = "{\"a\":1,\"b\":2}", latter[] = "{\"b\":3,\"c\":4}";
	pmLabel labels[] = { { .name = 2, .namelen = 1, .value = 5, .valuelen = 1 },
			     { .name = 8, .namelen = 1, .value = 11, .valuelen = 1 } };
	pmLabelSet sets[] = { { .nlabels = 2, .json = former, .jsonlen = 13, .labels = labels },
			      { .nlabels = 2, .json = latter, .jsonlen = 13, .labels = labels } };
	pmLabelSet *list[] = { &sets[0], &sets[1] };
	char json[64];
	int calls = 0;

	EXPECT_EQ(pmMergeLabelSets(list, 2, json, sizeof(json), count_calls, &calls), 19);
	EXPECT_STREQ(json, "{\"a\":1,\"b\":3,\"c\":4}");
	EXPECT_EQ(calls, 4);
}

/* As in PCP 7.2, names can begin with a digit or an underscore. */
TEST(merge_names_without_initial_letter)
{
	char *texts[] = { "{\"_block_size\":16}", "{\"1a\":{\"2\":3}}" };
	char json[100];

	ASSERT_EQ(pmMergeLabels(texts, 2, json, sizeof(json)), 27);
	EXPECT_STREQ(json, "{\"1a.2\":3,\"_block_size\":16}");
}

TEST(merge_bad_texts)
{
	static const char *const bad[] = {
		"x", "1", "null", "[1]", "\"a\"", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\":1",
		"{a:1}", "{\"\":1}", "{\"a-b\":1}", "{\"a..b\":1}",
		"{\"a\":1,\"a\":2}", "{\"a\":1} x", "{\"a\":01}", "{\"a\":1}{\"b\":1}",
		"{\"a\":{\"b\":1,\"b\":2}}", "{\"a\":{\"b\":1},\"a.b\":2}",
	};
	char *none[] = { NULL, "", "{}", " { } " };
	char name[300] = "{\"";
	char *list[] = { name };
	char json[300] = "x";

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char *texts[] = { "{\"z\":1}", (char *)bad[i] };

		EXPECT_EQ(pmMergeLabels(texts, 2, json, sizeof(json)), -EINVAL) {
			TH_LOG("%s", bad[i]);
		}
	}
	EXPECT_STREQ(json, "x");
	EXPECT_EQ(pmMergeLabels(none, 4, json, sizeof(json)), 0);
	EXPECT_STREQ(json, "");
	EXPECT_EQ(pmMergeLabels(none, 0, json, sizeof(json)), -EINVAL);
	EXPECT_EQ(pmMergeLabels(NULL, 1, json, sizeof(json)), -EINVAL);
	EXPECT_EQ(pmMergeLabels(none, 1, NULL, sizeof(json)), -EINVAL);
	EXPECT_EQ(pmMergeLabelSets(NULL, 1, json, sizeof(json), NULL, NULL), -EINVAL);
	memset(name + 2, 'n', 255);
	strcpy(name + 257, "\":1}");
	EXPECT_EQ(pmMergeLabels(list, 1, json, sizeof(json)), 261);
	memset(name + 2, 'n', 256);
	strcpy(name + 258, "\":1}");
	EXPECT_EQ(pmMergeLabels(list, 1, json, sizeof(json)), -E2BIG);
}

TEST_HARNESS_MAIN
