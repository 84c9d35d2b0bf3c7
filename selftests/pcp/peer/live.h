/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For programs that query a host's pmcd: find metrics by name, and print complete results of
 * fetches
 */
#ifndef PEER_LIVE_H
#define PEER_LIVE_H

#include "peer.h"

static inline pmID id_of(const char *name)
{
	pmID pmid = PM_ID_NULL;
	int n = pmLookupName(1, &name, &pmid);

	if (n != 1)
		printf("%s: %d\n", name, n);
	return pmid;
}

static inline void fetch(const char *what, int n, pmID *pmids)
{
	pmHighResResult *r;
	pmResult *old;
	int err = pmFetchHighRes(n, pmids, &r);

	printf("fetch %s: %d\n", what, err);
	if (err >= 0) {
		dump_vsets(r->numpmid, r->vset, 1);
		pmFreeHighResResult(r);
	}
	err = pmFetch(n, pmids, &old);
	printf("again: %d\n", err);
	if (err >= 0) {
		printf("  %d, a stamp %d\n", old->numpmid, old->timestamp.tv_sec > 1500000000 &&
		       old->timestamp.tv_usec >= 0 && old->timestamp.tv_usec < 1000000);
		pmFreeResult(old);
	}
}

struct play {
	const char *name;
	void (*play)(void);
};

/* Run the play that argv[2] names, one of @n plays, with the host argv[1]. */
static inline int play_one(const struct play *plays, size_t n, int argc, char **argv)
{
	int handle;

	if (argc != 3)
		return 2;
	handle = pmNewContext(PM_CONTEXT_HOST, argv[1]);
	printf("context %d\n", handle);
	for (size_t i = 0; i < n && handle >= 0; i++)
		if (!strcmp(plays[i].name, argv[2]))
			plays[i].play();
	return handle < 0;
}

#endif /* PEER_LIVE_H */
