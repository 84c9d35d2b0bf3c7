// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read the statistics of each process's transactions. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "base/vec.h"
#include "bpf_processes.h"
#include "bpf_stat.h"
#include "bpf_slots.h"

struct reading {
	struct shim_bpf_processes *p;
	struct shim_bpf_reader *r;
};

static int new_row(struct shim_bpf_processes *p, struct shim_bpf_process **row)
{
	int err = shim_vec__room(p->rows, &p->room, p->n);

	if (err)
		return err;
	*row = &p->rows[p->n];
	memset(*row, 0, sizeof(**row));
	return 0;
}

static int add_row(void *arg, const void *key, const void *value)
{
	const struct reading *reading = arg;
	struct shim_bpf_processes *p = reading->p;
	const struct vc_process *process = value;
	struct shim_bpf_process *row;
	struct vc_process_key k;
	int err = shim_vec__room(p->rows, &p->room, p->n);

	if (err)
		return err;
	row = &p->rows[p->n];
	memcpy(&k, key, sizeof(k));
	row->id = k.tag;
	row->pid = k.tgid;
	row->signature = k.events;
	row->events.nr = 0;
	err = shim_bpf_reader__tag(reading->r, k.tag, &row->tag);
	/* A row may outlive its tag for a while: skip it. */
	if (err)
		return err == -ENOENT ? 0 : err;
	err = k.events ? shim_bpf_reader__events(reading->r, k.events, &row->events) : 0;
	if (err && err != -ENOENT)
		return err;
	row->total = process->stat;
	memcpy(row->sum, process->sum, sizeof(row->sum));
	memcpy(row->command, process->command, sizeof(row->command) - 1);
	row->command[sizeof(row->command) - 1] = '\0';
	p->n += row->total.count != 0;
	return 0;
}

/**
 * shim_bpf_processes__read() - read the rows of all processes
 * @p: receives the rows
 * @r: the reader, to look up tags and events
 *
 * Return: 0; -ENODATA if tracing was turned on without statistics per process, -ENOMEM, or an errno
 *	of bpf(2).
 */
int shim_bpf_processes__read(struct shim_bpf_processes *p, struct shim_bpf_reader *r)
{
	struct reading reading = { p, r };
	int err = 0;

	if (p->map.fd < 0)
		err = shim_bpf_table__open(&p->map, VC_PIN_DIR "/vc_process",
					   BPF_MAP_TYPE_LRU_HASH,
					   sizeof(struct vc_process_key), sizeof(struct vc_process));
	if (err)
		return err == -ENOENT ? -ENODATA : err;
	p->n = 0;
	return shim_bpf_table__read(&p->map, add_row, &reading);
}

/* Find or make the row for all programs that write this tag's statistics themselves. */
static int find_own(struct shim_bpf_processes *p, size_t first, const struct shim_bpf_tag *tag,
		    struct shim_bpf_process **row)
{
	for (size_t i = first; i < p->n; i++) {
		*row = &p->rows[i];
		if ((*row)->tag == tag)
			return 0;
	}
	return new_row(p, row);
}

/**
 * shim_bpf_processes__add_slots() - append rows of tags that programs wrote themselves
 * @p: after shim_bpf_processes__read()
 * @r: the reader
 * @slots: its slots
 *
 * Threads of several processes may use a slot in turn, so its statistics do not belong to any one
 * process.
 *
 * Return: 0 or -ENOMEM.
 */
int shim_bpf_processes__add_slots(struct shim_bpf_processes *p, struct shim_bpf_reader *r,
				  const struct shim_bpf_slots *slots)
{
	const size_t first = p->n;

	for (uint32_t i = 0; i < slots->n; i++) {
		const struct shim_bpf_tag *tag;
		struct shim_bpf_process *row;
		struct vc_direct slot;
		uint64_t id;
		int err;

		if (!shim_bpf_slots__read(slots, i, &slot) || slot.kind != VC_TRANSACT ||
		    !slot.stat.count)
			continue;
		err = shim_bpf_reader__slot_tag(r, &slot, i, &id, &tag);
		if (!err)
			err = find_own(p, first, tag, &row);
		if (err)
			return err;
		if (row == &p->rows[p->n]) {
			row->id = id;
			row->tag = tag;
			p->n++;
		}
		shim_bpf_stat__add(&row->total, &slot.stat);
	}
	return 0;
}

void shim_bpf_processes__close(struct shim_bpf_processes *p)
{
	shim_bpf_table__close(&p->map);
	free(p->rows);
}
