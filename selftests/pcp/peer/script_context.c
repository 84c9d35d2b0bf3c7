// SPDX-License-Identifier: GPL-2.0-or-later
/* Random scripts of calls: create, copy, select and destroy contexts, and change their profiles */
#include "script.h"

static bool is_number(int type)
{
	return type >= PM_TYPE_32 && type <= PM_TYPE_DOUBLE;
}

static bool has(const struct actor *a, pmID pmid)
{
	for (int i = 0; i < a->n; i++)
		if (a->wanted[i] == pmid)
			return true;
	return false;
}

/*
 * Choose the metrics that a context always requests: the original loops if a metric is requested
 * twice in INTERP, and confuses its state of metrics that are left out of a fetch.
 */
static void choose_metrics(struct script *s, struct actor *a)
{
	int n = 1 + roll(s, roll(s, 4) ? 5 : MAX_WANTED - 1);

	a->n = 0;
	a->texts = false;
	for (int i = 0; i < n; i++) {
		int k = roll(s, s->ar->n);

		if (has(a, s->ar->pmids[k]))
			continue;
		a->texts |= !is_number(s->ar->descs[k].type);
		a->wanted[a->n++] = s->ar->pmids[k];
	}
	if (!roll(s, 8) && a->n < MAX_WANTED)
		a->wanted[a->n++] = pmID_build(300, roll(s, 100), roll(s, 100));
}

static struct actor *vacant(struct script *s)
{
	for (int i = 0; i < MAX_CONTEXTS; i++)
		if (s->actors[i].handle < 0)
			return &s->actors[i];
	return NULL;
}

static void make_new(struct script *s)
{
	struct actor *a = vacant(s);

	if (!a)
		return;
	*a = (struct actor){ .mode = PM_MODE_FORW };
	choose_metrics(s, a);
	a->handle = pmNewContext(PM_CONTEXT_ARCHIVE, s->ar->name);
	printf("new: %d\n", a->handle);
	s->at = (int)(a - s->actors);
}

static void make_copy(struct script *s)
{
	struct actor *a = vacant(s);

	if (!a)
		return;
	if (s->at < 0) {
		printf("copy of none: %d\n", pmDupContext());
		return;
	}
	if (s->ar->several && s->actors[s->at].mode == PM_MODE_INTERP) {
		make_new(s);
		return;
	}
	s->actors[s->at].partial = s->ar->several;
	*a = s->actors[s->at];
	a->handle = pmDupContext();
	/* Reset the profile, because the original does not copy it exactly. */
	pmAddProfile(PM_INDOM_NULL, 0, NULL);
	/*
	 * The copy has no observations yet, so it can request other metrics, except between two
	 * steps of INTERP.
	 */
	a->asked = false;
	if (a->mode != PM_MODE_INTERP)
		choose_metrics(s, a);
	printf("copy: %d\n", a->handle);
	s->at = (int)(a - s->actors);
}

static void change(struct script *s)
{
	int i = roll(s, MAX_CONTEXTS);
	int handle = s->actors[i].handle;
	int err = pmUseContext(handle);

	printf("use %d: %d\n", handle, err);
	if (!err)
		s->at = i;
}

static void end(struct script *s)
{
	int i = roll(s, MAX_CONTEXTS);

	printf("destroy %d: %d\n", s->actors[i].handle, pmDestroyContext(s->actors[i].handle));
	s->actors[i].handle = -1;
	if (s->at == i)
		s->at = -1;
}

static void fail(struct script *s)
{
	char name[16];

	switch (roll(s, 4)) {
	case 0:
		printf("use: %d\n", pmUseContext(1000 + (int)roll(s, 9)));
		break;
	case 1:
		printf("destroy: %d\n", pmDestroyContext(1000 + (int)roll(s, 9)));
		break;
	case 2:
		snprintf(name, sizeof(name), "/no/such/%u", roll(s, 99));
		printf("new: %d\n", pmNewContext(PM_CONTEXT_ARCHIVE, name));
		break;
	default:
		printf("new: %d\n", pmNewContext(PM_CONTEXT_ARCHIVE, ""));
	}
	printf("which: %d\n", pmWhichContext());
}

void play_context(struct script *s)
{
	static void (*const ways[])(struct script *) = {
		make_new, make_new, make_copy, make_copy, change, change, change, change, end, fail,
	};

	if (s->at < 0 && roll(s, 8))
		make_new(s);
	else
		ways[roll(s, sizeof(ways) / sizeof(ways[0]))](s);
}

static int some_instances(struct script *s, int at, int *list, int room)
{
	int from = s->ar->first[at], n = s->ar->first[at + 1] - from;
	int k = 0;

	for (int tries = 1 + roll(s, room); tries; tries--)
		list[k++] = roll(s, 9) && n ? s->ar->ids[from + roll(s, n)] : (int)roll(s, 99);
	return k;
}

/*
 * Change the profile, except after a fetch in INTERP: the original would use stale state for
 * instances that are added later.  Include all instances of a domain before some are excluded: the
 * first time that the original excludes instances of a domain, it also excludes all others.
 */
void play_profile(struct script *s)
{
	int list[8];
	int at, n;

	if (s->at < 0 || s->actors[s->at].asked || !s->ar->nindoms)
		return;
	at = roll(s, s->ar->nindoms);
	n = some_instances(s, at, list, 8);
	switch (roll(s, 6)) {
	case 5:
		printf("without a list: %d\n",
		       (roll(s, 2) ? pmAddProfile : pmDelProfile)(
			       roll(s, 2) ? s->ar->indoms[at] : PM_INDOM_NULL, roll(s, 3), NULL));
		break;
	case 0:
		printf("list without indom: %d\n", pmAddProfile(PM_INDOM_NULL, n, list));
		break;
	case 1:
		printf("all: %d\n", pmAddProfile(s->ar->indoms[at], 0, NULL));
		break;
	case 2:
		printf("none: %d\n", pmDelProfile(s->ar->indoms[at], 0, NULL));
		break;
	case 3:
		printf("add %d: %d\n", n, pmAddProfile(s->ar->indoms[at], n, list));
		break;
	default:
		printf("all: %d\n", pmAddProfile(s->ar->indoms[at], 0, NULL));
		printf("take away %d: %d\n", n, pmDelProfile(s->ar->indoms[at], n, list));
	}
}
