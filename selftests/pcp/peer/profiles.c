// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Query pmcd with random instance profiles and unusual lists of metrics.  The values must be the
 * same as those of a query of all instances.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define MANY	16000	/* metrics that fit into one request */

static pmID pmid, singular;
static pmInDom indom;
static int *all, n;
static pmResult *whole;

static int fail(const char *what, int code)
{
	printf("# %s: %s\n", what, pmErrStr(code));
	return 1;
}

static const pmValue *value_of(const pmValueSet *set, int inst)
{
	for (int i = 0; i < set->numval; i++)
		if (set->vlist[i].inst == inst)
			return &set->vlist[i];
	return NULL;
}

/* Return whether a fetch returns exactly the marked instances, with their values. */
static int has_marked(const char *what, const char *marks)
{
	pmID pmids[] = { pmid, singular };
	pmResult *result;
	int ret = pmFetch(2, pmids, &result), wrong = 0, expected = 0;

	if (ret < 0)
		return !fail(what, ret);
	for (int i = 0; i < n; i++) {
		const pmValue *v = value_of(result->vset[0], all[i]), *w = &whole->vset[0]->vlist[i];

		expected += marks[i];
		wrong += !v != !marks[i] || (v && memcmp(v->value.pval, w->value.pval, w->value.pval->vlen));
	}
	if (wrong || result->vset[0]->numval != expected || result->vset[1]->numval != 1)
		printf("# %s: %d values in place of %d, %d wrong, %d of another metric\n", what,
		       result->vset[0]->numval, expected, wrong, result->vset[1]->numval);
	else
		expected = -1;
	pmFreeResult(result);
	return expected == -1;
}

/*
 * Store instances in @list in random order, with repetitions and nonexistent ones, and mark them in
 * @marks.
 */
static int some(int *list, char *marks, char mark)
{
	int len = rand() % (2 * n);

	memset(marks, !mark, n);
	for (int i = 0; i < len; i++) {
		int at = rand() % n;

		list[i] = rand() % 5 ? all[at] : 100000 + rand() % 1000;
		if (list[i] == all[at])
			marks[at] = mark;
	}
	return len;
}

static int profiles(void)
{
	int *list = calloc(2 * n, sizeof(*list)), good = 1;
	char *marks = calloc(n, 1);

	for (int i = 0; i < 50 && good; i++) {
		int len;

		pmDelProfile(indom, 0, NULL);
		len = some(list, marks, 1);
		if (len)
			pmAddProfile(indom, len, list);
		good = has_marked("some added", marks);
		pmAddProfile(indom, 0, NULL);
		len = some(list, marks, 0);
		if (len)
			pmDelProfile(indom, len, list);
		good = good && has_marked("some deleted", marks);
	}
	pmDelProfile(PM_INDOM_NULL, 0, NULL);
	memset(marks, 0, n);
	good = good && has_marked("all deleted", marks);
	pmAddProfile(indom, 0, NULL);
	memset(marks, 1, n);
	good = good && has_marked("all of the domain added", marks);
	pmAddProfile(PM_INDOM_NULL, 0, NULL);
	good = good && has_marked("all added", marks);
	free(list);
	free(marks);
	return good;
}

/* Fetch a nonexistent metric together with others, and the same metric twice. */
static int odd_lists(void)
{
	pmID pmids[] = { pmid, pmID_build(pmID_domain(pmid), pmID_cluster(pmid), 999), pmid, singular };
	pmResult *result;
	int ret = pmFetch(4, pmids, &result), good;

	if (ret < 0)
		return !fail("odd list", ret);
	good = result->vset[0]->numval == n && result->vset[1]->numval == PM_ERR_PMID &&
	       result->vset[2]->numval == n && result->vset[3]->numval == 1;
	if (!good)
		printf("# odd list: %d %d %d %d\n", result->vset[0]->numval, result->vset[1]->numval,
		       result->vset[2]->numval, result->vset[3]->numval);
	pmFreeResult(result);
	return good;
}

/*
 * Request more values than a reply can have.  The request is rejected, and the next one is
 * answered.
 */
static int too_much(void)
{
	pmID *pmids = calloc(MANY, sizeof(*pmids));
	pmResult *result;
	int ret, good;

	for (int i = 0; i < MANY; i++)
		pmids[i] = pmid;
	ret = pmFetch(MANY, pmids, &result);
	free(pmids);
	if (ret < 0)
		return !fail("too much", ret);
	good = result->vset[0]->numval == PM_ERR_TOOBIG && result->vset[MANY - 1]->numval == PM_ERR_TOOBIG;
	if (!good)
		printf("# too much: %d values\n", result->vset[0]->numval);
	pmFreeResult(result);
	return good && odd_lists();
}

/* usage: profiles METRIC SINGULAR, where the instances of METRIC have constant values */
int main(int argc, char **argv)
{
	int ret = argc > 2 ? pmNewContext(PM_CONTEXT_HOST, "127.0.0.1") : PM_ERR_NAME;
	pmDesc desc;

	if (ret >= 0)
		ret = pmLookupName(1, (const char **)&argv[1], &pmid);
	if (ret >= 0)
		ret = pmLookupName(1, (const char **)&argv[2], &singular);
	if (ret >= 0)
		ret = pmLookupDesc(pmid, &desc);
	if (ret >= 0)
		ret = pmFetch(1, &pmid, &whole);
	if (ret < 0)
		return fail("connection", ret);
	indom = desc.indom;
	n = whole->vset[0]->numval;
	printf("# %d instances\n", n);
	if (n < 300)
		return 1;
	all = calloc(n, sizeof(*all));
	for (int i = 0; i < n; i++)
		all[i] = whole->vset[0]->vlist[i].inst;
	ret = profiles() & odd_lists();
	ret &= too_much();
	free(all);
	pmFreeResult(whole);
	return !ret;
}
