/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Of transactions: the slots of their histograms, and what they have counted. */
#ifndef SHIM_SHIM_RECORD_SUMS_H
#define SHIM_SHIM_RECORD_SUMS_H

#include "archive/writer.h"
#include "record_tags.h"

struct shim_rec_slot {
	const struct shim_rec_tag *tag;
	uint32_t slot;
};

/* A tag and an event, over all times of tracing */
struct shim_rec_sum {
	char *name;		/* "tag/event" */
	uint64_t id;
	unsigned int session;
	uint64_t base[2], now[2];	/* transactions, counted */
};

struct shim_rec_sums {
	struct shim_rec_slot *slots;
	size_t nslots, slots_room, slots_written;
	struct shim_rec_sum *sums;
	size_t nsums, sums_room, sums_written;
};

void shim_rec_sums__init(struct shim_rec_sums *sums);
void shim_rec_sums__free(struct shim_rec_sums *sums);
int shim_rec_sums__metrics(struct shim_writer *w);
int shim_rec_sums__take(struct shim_rec_sums *sums, struct shim_bpf_reader *reader,
			const struct shim_rec_tags *tags, unsigned int session);
int shim_rec_sums__slots(struct shim_rec_sums *sums, const struct shim_rec_tags *tags);
int shim_rec_sums__instances(struct shim_rec_sums *sums, struct shim_writer *w,
			     struct shim_ts stamp);
int shim_rec_sums__values(const struct shim_rec_sums *sums, struct shim_writer *w);

#endif /* SHIM_SHIM_RECORD_SUMS_H */
