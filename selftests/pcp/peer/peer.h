/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For programs whose output is compared with PCP's: print results exactly, and generate random
 * numbers
 */
#ifndef PEER_H
#define PEER_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <pcp/pmapi.h>

static inline void dump_value(int valfmt, const pmValue *v)
{
	const unsigned char *bytes;

	printf(" %d:", v->inst);
	if (valfmt == PM_VAL_INSITU) {
		printf("%08x", (unsigned int)v->value.lval);
		return;
	}
	bytes = (const unsigned char *)v->value.pval->vbuf;
	printf("%u/%u/", v->value.pval->vtype, v->value.pval->vlen);
	for (unsigned int i = 0; i + PM_VAL_HDR_SIZE < v->value.pval->vlen; i++)
		printf("%02x", bytes[i]);
}

static inline void dump_stamp(int64_t sec, long nsec)
{
	if (nsec == 1000000000) {	/* PCP does not carry nanoseconds into the seconds */
		nsec = 0;
		sec++;
	}
	printf("%" PRId64 ".%09ld", sec, nsec);
}

/* Print value sets; metrics without values only if @all. */
static inline void dump_vsets(int n, pmValueSet *const *vsets, int all)
{
	for (int i = 0; i < n; i++) {
		const pmValueSet *set = vsets[i];

		if (set->numval == 0 && !all)
			continue;
		printf("  %s %d", pmIDStr(set->pmid), set->numval);
		if (set->numval > 0)
			printf(" (%d)", set->valfmt);
		for (int j = 0; j < set->numval; j++)
			dump_value(set->valfmt, &set->vlist[j]);
		putchar('\n');
	}
}

static inline void dump_result(const pmHighResResult *r, int all)
{
	dump_stamp(r->timestamp.tv_sec, r->timestamp.tv_nsec);
	printf(" %d\n", r->numpmid);
	dump_vsets(r->numpmid, r->vset, all);
}

static inline void dump_instances(pmInDom indom, int (*get)(pmInDom, int **, char ***))
{
	int *ids;
	char **names;
	int n = get(indom, &ids, &names);

	printf("instances %s: %d\n", pmInDomStr(indom), n);
	for (int i = 0; i < n; i++)
		printf("  %d %s\n", ids[i], names[i]);
	if (n > 0) {
		free(ids);
		free(names);
	}
}

static inline void dump_set(const pmLabelSet *set)
{
	printf("  set %d: %d labels, %d bytes <%.*s>\n", (int)set->inst, set->nlabels,
	       (int)set->jsonlen, (int)set->jsonlen, set->json ? set->json : "");
	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *l = &set->labels[i];

		printf("    %.*s=%.*s %x\n", l->namelen, set->json + l->name, l->valuelen,
		       set->json + l->value, l->flags);
	}
}

static inline unsigned int random_next(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

#endif /* PEER_H */
