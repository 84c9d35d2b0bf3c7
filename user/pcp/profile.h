/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which instances of which domain a context wants. */
#ifndef SHIM_PCP_PROFILE_H
#define SHIM_PCP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One domain: instances other than @inst are included if @include is set, those in @inst if not. */
struct shim_profile_indom {
	uint32_t indom;
	bool include;
	unsigned int n;
	size_t room;
	int32_t *inst;		/* ascending */
};

struct shim_profile {
	bool exclude;		/* what holds for a domain that has no entry */
	unsigned int n;
	size_t room;
	struct shim_profile_indom *indoms;
};

void shim_profile__fini(struct shim_profile *profile);
int shim_profile__copy(struct shim_profile *to, const struct shim_profile *from);
/* The profile is empty: all instances are wanted */
bool shim_profile__is_all(const struct shim_profile *profile);
/* for archive/interp.h's filter; @profile is a struct shim_profile */
bool shim_profile__has(const void *profile, uint32_t indom, int32_t inst);

#endif /* SHIM_PCP_PROFILE_H */
