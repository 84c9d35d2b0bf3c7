// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Of transactions: the slots of their histograms, and what they have counted.
 *
 * Instances are pairs: "tag/4096ns", the slot that begins there, and "tag/event".
 * They come when there is something to count, and stay.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/event.h"
#include "record.h"
#include "record_sums.h"

#define SLOT_INDOM	INDOM(DOMAIN_VCPC, 2)
#define SUM_INDOM	INDOM(DOMAIN_VCPC, 3)

enum { HIST, COUNTED, SUM };

static const struct {
	const char *name;
	uint32_t pmid;
	uint32_t indom;
	uint32_t units;
	const char *line;
	const char *help;
} metrics[] = {
	[HIST] = { "vcpc.transact.hist", PMID(DOMAIN_VCPC, 2, 6), SLOT_INDOM, UNITS_COUNT,
	  "how many transactions took how long",
	  "Transactions of the tag that took the time of the instance or longer, and less\n"
	  "than that of the next slot, which is an eighth more at most." },
	[COUNTED] = { "vcpc.transact.counted", PMID(DOMAIN_VCPC, 2, 7), SUM_INDOM, UNITS_COUNT,
	  "transactions in which an event was counted",
	  "How many transactions of the tag had the event's counter at begin and end." },
	[SUM] = { "vcpc.transact.sum", PMID(DOMAIN_VCPC, 2, 8), SUM_INDOM, UNITS_COUNT,
	  "what transactions have counted",
	  "The event's count in all transactions of the tag, from begin to end. Over\n"
	  "vcpc.transact.counted, the mean of one." },
};

void shim_rec_sums__init(struct shim_rec_sums *sums)
{
	*sums = (struct shim_rec_sums) { NULL };
}

void shim_rec_sums__free(struct shim_rec_sums *sums)
{
	for (size_t i = 0; i < sums->nsums; i++)
		free(sums->sums[i].name);
	free(sums->sums);
	free(sums->slots);
}

int shim_rec_sums__metrics(struct shim_writer *w)
{
	int ret = 0;

	for (size_t i = 0; i < sizeof(metrics) / sizeof(metrics[0]) && !ret; i++) {
		const struct shim_rec_metric metric = {
			.desc = {
				.pmid = metrics[i].pmid,
				.type = SHIM_TYPE_U64,
				.indom = metrics[i].indom,
				.sem = SHIM_SEM_COUNTER,
				.units = metrics[i].units,
				.nnames = 1,
				.names = &metrics[i].name,
			},
			.line = metrics[i].line,
			.help = metrics[i].help,
		};

		ret = shim_rec_metric__write(w, &metric);
	}
	if (!ret)
		ret = shim_rec_indom__describe(w, SLOT_INDOM, "slots of the transactions' histograms",
					       "Each tag and least time of a slot that has any.");
	if (!ret)
		ret = shim_rec_indom__describe(w, SUM_INDOM, "events counted in transactions",
					       "Each tag and event that was counted in it.");
	return ret;
}

/* Room for one more of an array's elements */
static int make_room(void **array, size_t n, size_t *room, size_t size)
{
	size_t more = *room ? 2 * *room : 64;
	void *grown;

	if (n < *room)
		return 0;
	grown = reallocarray(*array, more, size);
	if (!grown)
		return -ENOMEM;
	*array = grown;
	*room = more;
	return 0;
}

static struct shim_rec_sum *find(struct shim_rec_sums *sums, const char *name)
{
	for (size_t i = 0; i < sums->nsums; i++)
		if (!strcmp(sums->sums[i].name, name))
			return &sums->sums[i];
	return NULL;
}

/* Takes over @name, whatever happens */
static int take_one(struct shim_rec_sums *sums, char *name, const struct shim_rec_sum *from)
{
	struct shim_rec_sum *sum = find(sums, name);
	void *array = sums->sums;
	int ret;

	if (sum) {
		free(name);
		if (sum->session != from->session || sum->id != from->id) {
			sum->base[0] += sum->now[0];
			sum->base[1] += sum->now[1];
		}
	} else {
		ret = make_room(&array, sums->nsums, &sums->sums_room, sizeof(*sums->sums));
		sums->sums = array;
		if (ret) {
			free(name);
			return ret;
		}
		sum = &sums->sums[sums->nsums++];
		*sum = (struct shim_rec_sum) { .name = name };
	}
	sum->session = from->session;
	sum->id = from->id;
	memcpy(sum->now, from->now, sizeof(sum->now));
	return 0;
}

static int take_row(struct shim_rec_sums *sums, const struct shim_bpf_count *row,
		    const char *tag, unsigned int session)
{
	char event[SHIM_EVENT_LEN];
	int ret = 0;

	for (uint32_t i = 0; i < row->events.nr && !ret; i++) {
		const struct vc_event_desc *desc = &row->events.event[i];
		const struct shim_rec_sum from = {
			.id = row->id,
			.session = session,
			.now = { row->total.count, row->total.sum[i] },
		};
		char *name;

		shim_event__name(desc->type, desc->config, desc->flags, event, sizeof(event));
		if (asprintf(&name, "%s/%s", tag, event) < 0)
			return -ENOMEM;
		ret = take_one(sums, name, &from);
	}
	return ret;
}

/**
 * shim_rec_sums__take() - take in what transactions have counted by now
 * @sums: where to
 * @reader: from where
 * @tags: transactions, taken in before
 * @session: another number after tracing was off
 *
 * Return: 0, -ENOMEM, or an error of shim_bpf_reader__counts().
 */
int shim_rec_sums__take(struct shim_rec_sums *sums, struct shim_bpf_reader *reader,
			const struct shim_rec_tags *tags, unsigned int session)
{
	const struct shim_bpf_count *rows;
	size_t n;
	int ret = shim_bpf_reader__counts(reader, &rows, &n);

	for (size_t i = 0; i < n && !ret; i++) {
		const struct shim_rec_tag *known = NULL;
		const struct shim_bpf_tag *tag;

		ret = shim_bpf_reader__tag(reader, rows[i].id, &tag);
		if (!ret)
			known = shim_rec_tags__find(tags, tag);
		/* One that has come since the transactions were read is there the next time. */
		if (known)
			ret = take_row(sums, &rows[i], known->label, session);
		/* Just evicted. */
		if (ret == -ENOENT)
			ret = 0;
	}
	return ret;
}

/**
 * shim_rec_sums__slots() - make instances of the slots that have something now
 * @sums: where to
 * @tags: transactions
 *
 * Return: 0 or -ENOMEM.
 */
int shim_rec_sums__slots(struct shim_rec_sums *sums, const struct shim_rec_tags *tags)
{
	for (size_t i = 0; i < tags->n; i++) {
		struct shim_rec_tag *tag = tags->at[i];

		for (uint32_t slot = 0; slot < VC_HIST_SLOTS; slot++) {
			void *array = sums->slots;
			int ret;

			if (tag->slots[slot] || !tag->total.hist[slot])
				continue;
			ret = make_room(&array, sums->nslots, &sums->slots_room,
					sizeof(*sums->slots));
			sums->slots = array;
			if (ret)
				return ret;
			sums->slots[sums->nslots++] = (struct shim_rec_slot) { tag, slot };
			tag->slots[slot] = sums->nslots;
		}
	}
	return 0;
}

static char *slot_name(const struct shim_rec_slot *slot)
{
	char *name;

	if (asprintf(&name, "%s/%lluns", slot->tag->label,
		     (unsigned long long)vc_hist_floor(slot->slot)) < 0)
		return NULL;
	return name;
}

/* An instance domain of @n pairs; the names are freed */
static int write_indom(struct shim_writer *w, uint32_t id, char **names, size_t n,
		       struct shim_ts stamp)
{
	int32_t *inst = calloc(n, sizeof(*inst));
	int ret = inst ? 0 : -ENOMEM;

	for (size_t i = 0; i < n; i++) {
		if (inst)
			inst[i] = i + 1;
		if (!names[i])
			ret = -ENOMEM;
	}
	if (!ret) {
		const struct shim_indom indom = {
			.stamp = stamp,
			.indom = id,
			.n = n,
			.inst = inst,
			.name = (const char **)names,
		};

		ret = shim_writer__indom(w, &indom);
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(inst);
	return ret;
}

static int write_slots(struct shim_rec_sums *sums, struct shim_writer *w, struct shim_ts stamp)
{
	char **names = calloc(sums->nslots, sizeof(*names));
	int ret = -ENOMEM;

	if (names) {
		for (size_t i = 0; i < sums->nslots; i++)
			names[i] = slot_name(&sums->slots[i]);
		ret = write_indom(w, SLOT_INDOM, names, sums->nslots, stamp);
	}
	free(names);
	if (!ret)
		sums->slots_written = sums->nslots;
	return ret;
}

static int write_sums(struct shim_rec_sums *sums, struct shim_writer *w, struct shim_ts stamp)
{
	char **names = calloc(sums->nsums, sizeof(*names));
	int ret = -ENOMEM;

	if (names) {
		for (size_t i = 0; i < sums->nsums; i++)
			names[i] = strdup(sums->sums[i].name);
		ret = write_indom(w, SUM_INDOM, names, sums->nsums, stamp);
	}
	free(names);
	if (!ret)
		sums->sums_written = sums->nsums;
	return ret;
}

/* Write the instance domains that have grown. */
int shim_rec_sums__instances(struct shim_rec_sums *sums, struct shim_writer *w,
			     struct shim_ts stamp)
{
	int ret = 0;

	if (sums->nslots != sums->slots_written)
		ret = write_slots(sums, w, stamp);
	if (!ret && sums->nsums != sums->sums_written)
		ret = write_sums(sums, w, stamp);
	return ret;
}

static int put(struct shim_writer *w, size_t i, uint64_t n)
{
	const struct shim_value value = { .inst = i + 1, .type = SHIM_TYPE_U64, .ull = n };

	return shim_writer__value(w, &value);
}

static int put_hist(const struct shim_rec_sums *sums, struct shim_writer *w)
{
	int ret = shim_writer__vset(w, metrics[HIST].pmid, 0);

	for (size_t i = 0; i < sums->nslots && !ret; i++)
		ret = put(w, i, sums->slots[i].tag->total.hist[sums->slots[i].slot]);
	return ret;
}

static int put_sums(const struct shim_rec_sums *sums, struct shim_writer *w, int metric)
{
	int which = metric == SUM;
	int ret = shim_writer__vset(w, metrics[metric].pmid, 0);

	for (size_t i = 0; i < sums->nsums && !ret; i++)
		ret = put(w, i, sums->sums[i].base[which] + sums->sums[i].now[which]);
	return ret;
}

/* Write the values; a metric without any instance yet is left out. */
int shim_rec_sums__values(const struct shim_rec_sums *sums, struct shim_writer *w)
{
	int ret = sums->nslots ? put_hist(sums, w) : 0;

	if (!ret && sums->nsums)
		ret = put_sums(sums, w, COUNTED);
	if (!ret && sums->nsums)
		ret = put_sums(sums, w, SUM);
	return ret;
}
