// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The instance profile: pmAddProfile(), pmDelProfile(), and a check of whether it includes an
 * instance
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/api.h"
#include "base/vec.h"
#include "context.h"

void shim_profile__fini(struct shim_profile *profile)
{
	for (unsigned int i = 0; i < profile->n; i++)
		free(profile->indoms[i].inst);
	free(profile->indoms);
	memset(profile, 0, sizeof(*profile));
}

static struct shim_profile_indom *entry_of(const struct shim_profile *profile, uint32_t indom)
{
	for (unsigned int i = 0; i < profile->n; i++)
		if (profile->indoms[i].indom == indom)
			return &profile->indoms[i];
	return NULL;
}

static struct shim_profile_indom *entry_add(struct shim_profile *profile, uint32_t indom,
					    bool include)
{
	struct shim_profile_indom *entry;

	if (shim_vec__room(profile->indoms, &profile->room, profile->n))
		return NULL;
	entry = &profile->indoms[profile->n++];
	*entry = (struct shim_profile_indom){ .indom = indom, .include = include };
	return entry;
}

static unsigned int place_of(const struct shim_profile_indom *entry, int32_t inst)
{
	unsigned int lo = 0, hi = entry->n;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (entry->inst[mid] < inst)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool listed(const struct shim_profile_indom *entry, int32_t inst)
{
	unsigned int at = place_of(entry, inst);

	return at < entry->n && entry->inst[at] == inst;
}

static int compare_instances(const void *a, const void *b)
{
	int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

	return (x > y) - (x < y);
}

/* Sort the IDs, and drop duplicates.  Return the number of IDs left. */
static int sort_all(int32_t *all, int n)
{
	bool ascends = true;
	int kept = 0;

	for (int i = 1; i < n && ascends; i++)
		ascends = all[i - 1] < all[i];
	if (ascends)
		return n;
	qsort(all, (size_t)n, sizeof(*all), compare_instances);
	for (int i = 0; i < n; i++)
		if (!i || all[i] != all[i - 1])
			all[kept++] = all[i];
	return kept;
}

static void entry_move(struct shim_profile_indom *entry, unsigned int to, unsigned int from,
		       unsigned int n)
{
	memmove(&entry->inst[to], &entry->inst[from], n * sizeof(*entry->inst));
}

/* Add @n ascending instances, starting with the largest.  @all is changed. */
static int add_all(struct shim_profile_indom *entry, int n, int32_t *all)
{
	unsigned int total, left = 0;

	for (int i = 0; i < n; i++)
		if (!listed(entry, all[i]))
			all[left++] = all[i];
	total = entry->n + left;
	if (shim_vec__reserve(entry->inst, &entry->room, total))
		return -ENOMEM;
	for (; left; left--) {
		unsigned int at = place_of(entry, all[left - 1]);

		entry_move(entry, at + left, at, entry->n - at);
		entry->inst[at + left - 1] = all[left - 1];
		entry->n = at;		/* the rest is already in its place */
	}
	entry->n = total;
	return 0;
}

/* Remove @n ascending instances. */
static void remove_all(struct shim_profile_indom *entry, int n, const int32_t *all)
{
	unsigned int kept = 0, from = 0;

	for (int i = 0; i < n; i++) {
		unsigned int at = place_of(entry, all[i]);

		if (at == entry->n || entry->inst[at] != all[i])
			continue;
		entry_move(entry, kept, from, at - from);
		kept += at - from;
		from = at + 1;
	}
	if (!from)
		return;
	entry_move(entry, kept, from, entry->n - from);
	entry->n -= from - kept;
}

int shim_profile__copy(struct shim_profile *to, const struct shim_profile *from)
{
	to->exclude = from->exclude;
	for (unsigned int i = 0; i < from->n; i++) {
		const struct shim_profile_indom *f = &from->indoms[i];
		struct shim_profile_indom *t = entry_add(to, f->indom, f->include);

		if (!t || shim_vec__reserve(t->inst, &t->room, f->n))
			return -ENOMEM;
		if (f->n)
			memcpy(t->inst, f->inst, f->n * sizeof(*t->inst));
		t->n = f->n;
	}
	return 0;
}

bool shim_profile__is_all(const struct shim_profile *profile)
{
	return !profile->exclude && !profile->n;
}

bool shim_profile__has(const void *arg, uint32_t indom, int32_t inst)
{
	const struct shim_profile *profile = arg;
	const struct shim_profile_indom *entry = entry_of(profile, indom);

	if (!entry)
		return !profile->exclude;
	return entry->include != listed(entry, inst);
}

/* Include or exclude all instances of the domain, or of all domains. */
static int set_all(struct shim_profile *profile, pmInDom indom, bool include)
{
	struct shim_profile_indom *entry;

	if (indom == PM_INDOM_NULL) {
		shim_profile__fini(profile);
		profile->exclude = !include;
		return 0;
	}
	entry = entry_of(profile, indom);
	if (!entry)
		entry = entry_add(profile, indom, include);
	if (!entry)
		return -ENOMEM;
	entry->include = include;
	entry->n = 0;
	return 0;
}

/*
 * Include or exclude the instances in a list.  If instances are included, a domain without an entry
 * becomes "none except these".  If they are excluded, it becomes "all except these", or "none" if
 * the profile excludes by default.
 */
static int set_some(struct shim_profile *profile, pmInDom indom, int n, const int *list,
		    bool include)
{
	struct shim_profile_indom *entry = entry_of(profile, indom);
	int32_t *all = malloc((size_t)n * sizeof(*all));
	int err = 0;

	if (all && !entry)
		entry = entry_add(profile, indom, !include && !profile->exclude);
	if (!all || !entry) {
		free(all);
		return -ENOMEM;
	}
	memcpy(all, list, (size_t)n * sizeof(*all));
	n = sort_all(all, n);
	if (entry->include == include)
		remove_all(entry, n, all);
	else
		err = add_all(entry, n, all);
	free(all);
	return err;
}

static int change(pmInDom indom, int n, const int *list, bool include)
{
	struct shim_context *ctx;
	int err;

	if (indom == PM_INDOM_NULL && list)
		return PM_ERR_PROFILESPEC;
	err = shim_context__enter(&ctx);
	if (err)
		return err;
	if (ctx->source->profile_changed)
		ctx->source->profile_changed(ctx);
	if (n > 0 && list)
		err = set_some(&ctx->profile, indom, n, list, include);
	else if (!n || indom != PM_INDOM_NULL)	/* a number without list and domain is ignored */
		err = set_all(&ctx->profile, indom, include);
	return shim_context__leave(ctx, err);
}

/**
 * pmAddProfile() - include instances in later fetches of the current context
 * @indom: their domain, or PM_INDOM_NULL for all domains
 * @numinst: number of instances; 0 for all
 * @instlist: their IDs, or NULL for all of @indom
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_PROFILESPEC for a list without a domain.
 */
SHIM_API int pmAddProfile(pmInDom indom, int numinst, int *instlist)
{
	return change(indom, numinst, instlist, true);
}

/**
 * pmDelProfile() - exclude instances from later fetches of the current context
 * @indom: their domain, or PM_INDOM_NULL for all domains
 * @numinst: number of instances; 0 for all
 * @instlist: their IDs, or NULL for all of @indom
 *
 * Return: 0, PM_ERR_NOCONTEXT, PM_ERR_PROFILESPEC for a list without a domain.
 */
SHIM_API int pmDelProfile(pmInDom indom, int numinst, int *instlist)
{
	return change(indom, numinst, instlist, false);
}
