/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The instances of each domain that a context includes. */
#ifndef SHIM_PCP_PROFILE_H
#define SHIM_PCP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One domain: includes instances other than @inst if @include is set, otherwise those in @inst */
struct shim_profile_indom {
	uint32_t indom;
	bool include;
	unsigned int n;
	size_t room;
	int32_t *inst;		/* ascending */
};

struct shim_profile {
	bool exclude;		/* default for a domain without an entry */
	unsigned int n;
	size_t room;
	struct shim_profile_indom *indoms;
};

void shim_profile__fini(struct shim_profile *profile);
int shim_profile__copy(struct shim_profile *to, const struct shim_profile *from);
/* Whether the profile is empty, so all instances are included */
bool shim_profile__is_all(const struct shim_profile *profile);
/* Filter function for archive/interp.h; @profile is a struct shim_profile. */
bool shim_profile__has(const void *profile, uint32_t indom, int32_t inst);

#endif /* SHIM_PCP_PROFILE_H */
