/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random scripts of calls on an archive: declarations shared by the parts of the program */
#ifndef PEER_SCRIPT_H
#define PEER_SCRIPT_H

#include <stdbool.h>
#include <string.h>

#include "peer.h"

#define NSEC		1000000000LL
#define MAX_CONTEXTS	6
#define MAX_WANTED	48
#define MAX_STAMPS	4096

/*
 * struct archive - possible arguments of calls, collected at the start
 * @pmids: the recorded metrics, each once, with their @names and @descs
 * @indoms: each domain once
 * @instances: IDs and names of all instances; @first[i] to @first[i + 1] are those of indom i
 * @stamps: times of the first records
 * @several: this is a directory or a list of archives
 * @marks: the archive has marks, or there are several archives
 * @twins: consecutive records can have the same time stamp
 */
struct archive {
	const char *name;
	int n;
	char **names;
	pmID *pmids;
	pmDesc *descs;
	int nindoms;
	pmInDom *indoms;
	int *first;
	int *ids;
	char **instances;
	int nstamps;
	struct timespec stamps[MAX_STAMPS];
	struct timespec start, end;
	bool several;
	bool marks;
	bool twins;
};

/*
 * struct actor - one context of a script
 * @handle: handle, or -1
 * @wanted: the metrics that the context fetches whenever it is in INTERP
 * @texts: some of these metrics are not numbers
 * @partial: the context is a copy or has been copied, and there are several archives: in the
 *	original, it knows only the metadata of the archives that it has visited, and misses records
 *	after a change of time
 * @asked: the context has fetched in INTERP, so its profile must not change and its time must only
 *	step
 * @at_end: the context's time can be that of the last record
 * @next: time of the next fetch in ns, as far as known
 * @step: time between fetches in ns
 */
struct actor {
	int handle;
	int mode;
	int n;
	pmID wanted[MAX_WANTED];
	bool texts;
	bool partial;
	bool asked;
	bool at_end;
	int64_t next, step;
};

struct script {
	const struct archive *ar;
	uint64_t dice;
	struct actor actors[MAX_CONTEXTS];
	int at;			/* index of the current context, or -1 */
};

/* Return a number from 0 to @sides - 1. */
static inline unsigned int roll(struct script *s, unsigned int sides)
{
	return random_next(&s->dice) % (sides ? sides : 1);
}

/*
 * Return whether the time is in the second half of a second that the original handles wrongly.  It
 * rounds the time to 10^9 ns after the previous second, and does not treat this time as the next
 * second when it looks up metadata.
 */
static inline bool is_odd_second(const struct script *s)
{
	const struct actor *a = s->at < 0 ? NULL : &s->actors[s->at];

	return a && a->mode == PM_MODE_INTERP && a->next % NSEC == 0 && a->step % NSEC;
}

int archive_learn(struct archive *ar, const char *name);

void play_context(struct script *s);
void play_profile(struct script *s);
void play_mode(struct script *s);
void play_fetch(struct script *s);
void play_names(struct script *s);
void play_instances(struct script *s);
void play_labels(struct script *s);
void play_texts(struct script *s);
void play_archive(struct script *s);

#endif /* PEER_SCRIPT_H */
