/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Choose instances by lists of their names, as PCP's tools do. */
#ifndef VCPC_PICK_H
#define VCPC_PICK_H

#include <stdbool.h>
#include <stddef.h>

struct vcpc_pick;

/*
 * struct vcpc_picks - all requested names
 * @list: @n texts, one per option
 */
struct vcpc_picks {
	struct vcpc_pick **list;
	size_t n;
};

/*
 * Add a text: the names of one or more instances, separated by commas or blanks.  A name that
 * contains these can be quoted.  A name may be abbreviated to the part before its first blank.
 * Return 0 or -ENOMEM.
 */
int vcpc_picks_add(struct vcpc_picks *picks, const char *text);
/*
 * Set @chosen for the requested names among a domain's @n names, or for all of them if none was
 * requested.
 */
void vcpc_picks_choose(const struct vcpc_picks *picks, char *const *names, size_t n, bool *chosen);
/* Return a requested name that vcpc_picks_choose() has not found in any domain so far, or NULL. */
const char *vcpc_picks_missing(const struct vcpc_picks *picks);
void vcpc_picks_free(struct vcpc_picks *picks);

#endif /* VCPC_PICK_H */
