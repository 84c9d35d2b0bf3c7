/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A model of the transaction maps, whose contents the test writes: rows appear, change and
 * disappear at random, and can be torn or inconsistent.
 */
#ifndef CORE_BPF_MODEL_H
#define CORE_BPF_MODEL_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "core/bpf.h"
#include "core_bpf.h"

#define TAGS	400
#define DIRECT	12

struct model {
	int tag, stat, count, events, cpus;
	struct vc_direct *slots;
	struct vc_stat *row[TAGS];	/* per CPU; NULL: no row */
	unsigned char named[TAGS];
	uint32_t kind[TAGS];
	uint64_t id[TAGS], last_id, now;
};

static struct model m;

static uint64_t some(uint64_t n)
{
	return random() % n;
}

static uint32_t slot_of(uint64_t ns)
{
	return vc_hist_slot(ns, 63 - __builtin_clzll(ns | 1));
}

static void event(struct vc_stat *stat, uint32_t kind)
{
	uint64_t ns = random() >> some(31);

	if (kind != VC_TRANSACT) {
		stat->count++;
		stat->last_ns = ++m.now;
		stat->value = m.now * 3;
		return;
	}
	stat->count++;
	stat->last_ns = ++m.now;
	stat->last_took_ns = ns;
	stat->sum_ns += ns;
	if (ns > stat->max_ns)
		stat->max_ns = ns;
	if (stat->count == 1 || ns < stat->min_ns)
		stat->min_ns = ns;
	stat->hist[slot_of(ns)]++;
}

static void beyond(struct vc_stat *stat, uint32_t kind)
{
	if (kind != VC_TRANSACT || !stat->count)
		return;
	stat->count++;
	stat->last_ns = ++m.now;
	stat->hist[some(VC_HIST_SLOTS)]++;
}

static uint64_t in_hist(const struct vc_stat *stat)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < VC_HIST_SLOTS; i++)
		n += stat->hist[i];
	return n;
}

static void put_row(int i)
{
	struct vc_stat_key key = { .tag = m.id[i], .kind = m.kind[i] };

	bpf_map_update_elem(m.stat, &key, m.row[i], BPF_ANY);
}

static void put_name(int i)
{
	struct vc_tag_name name = { .user = i % 3 };

	snprintf(name.name, sizeof(name.name), "tag %d", i / 3);
	bpf_map_update_elem(m.tag, &m.id[i], &name, BPF_ANY);
	m.named[i] = 1;
}

static void new_row(int i, uint32_t kind)
{
	m.row[i] = calloc(m.cpus, sizeof(*m.row[i]));
	m.kind[i] = kind;
	m.id[i] = ++m.last_id;
	m.named[i] = 0;
	if (some(2))
		event(m.row[i], m.kind[i]);
	if (some(3))
		put_name(i);
	put_row(i);
}

static void delete_row(int i)
{
	struct vc_stat_key key = { .tag = m.id[i], .kind = m.kind[i] };

	bpf_map_delete_elem(m.stat, &key);
	bpf_map_delete_elem(m.tag, &m.id[i]);
	free(m.row[i]);
	m.row[i] = NULL;
}

/* Change a row as a complete event does, or as an incomplete one. */
static void change_row(int i)
{
	struct vc_stat *stat = &m.row[i][some(m.cpus)];

	switch (some(40)) {
	case 0:
		delete_row(i);
		return;
	case 1:
		stat->aborted++;
		break;
	case 2:		/* counted, but not yet in its bucket */
		stat->count++;
		break;
	case 3:		/* outside the extremes, as another program could write them */
		beyond(stat, m.kind[i]);
		break;
	case 4:		/* now the value is in its bucket */
		if (m.kind[i] == VC_TRANSACT && in_hist(stat) < stat->count)
			stat->hist[slot_of(stat->max_ns)]++;
		break;
	default:
		event(stat, m.kind[i]);
	}
	put_row(i);
}

static void change_slot(void)
{
	struct vc_direct *slot = &m.slots[some(DIRECT)];
	int i = some(TAGS);

	if (!slot->kind) {
		snprintf(slot->name, sizeof(slot->name), "tag %d", i / 3);
		slot->user = i % 3;
		slot->owner = 1;
		slot->kind = some(3) ? VC_TRANSACT : VC_POINT;
	}
	event(&slot->stat, slot->kind);
	if (slot->kind != VC_TRANSACT || some(2))
		return;
	if (!slot->events.nr)
		slot->events = (struct vc_events) { .nr = 1 + some(3), .event[0].config = some(2) };
	slot->count.count++;
	slot->count.sum[some(slot->events.nr)] += some(100);
}

static void change_count(void)
{
	struct vc_count_key key = { .tag = m.id[some(TAGS)], .events = 1 + some(3) };
	struct vc_count *cpus = calloc(m.cpus, sizeof(*cpus));
	struct vc_events events = { .nr = key.events };

	bpf_map_update_elem(m.events, &key.events, &events, BPF_ANY);
	bpf_map_lookup_elem(m.count, &key, cpus);
	cpus[some(m.cpus)].count++;
	cpus[some(m.cpus)].sum[some(3)] += some(100);
	bpf_map_update_elem(m.count, &key, cpus, BPF_ANY);
	if (!some(50))
		bpf_map_delete_elem(m.count, &key);
	free(cpus);
}

static void change_something(void)
{
	static const uint32_t kinds[] = { VC_TRANSACT, VC_TRANSACT, VC_POINT, VC_OBSERVE, VC_COUNTER };
	int i = some(TAGS);

	if (!some(20)) {
		change_slot();
	} else if (!some(20)) {
		change_count();
	} else if (!m.row[i]) {
		if (!some(4))
			new_row(i, kinds[some(5)]);
	} else if (!m.named[i]) {
		if (!some(5))
			put_name(i);
	} else {
		change_row(i);
	}
}

#endif /* CORE_BPF_MODEL_H */
