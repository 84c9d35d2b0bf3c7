/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instances are asked for by name, as PCP's tools take lists of them. */
#ifndef VCPC_PICK_H
#define VCPC_PICK_H

#include <stdbool.h>
#include <stddef.h>

struct vcpc_pick;

/*
 * struct vcpc_picks - all that was asked for
 * @list: @n of them, one an option
 */
struct vcpc_picks {
	struct vcpc_pick **list;
	size_t n;
};

/*
 * One more: the name of an instance, or several with commas or blanks between; a name that has
 * these itself can be in quotes.  A name may be given as far as its first blank.  0, -ENOMEM
 */
int vcpc_picks_add(struct vcpc_picks *picks, const char *text);
/* Sets @chosen for those of a domain's @n names that are asked for: all, if nothing was */
void vcpc_picks_choose(const struct vcpc_picks *picks, char *const *names, size_t n, bool *chosen);
/* A name that no domain had of which instances were asked for so far, or NULL */
const char *vcpc_picks_missing(const struct vcpc_picks *picks);
void vcpc_picks_free(struct vcpc_picks *picks);

#endif /* VCPC_PICK_H */
