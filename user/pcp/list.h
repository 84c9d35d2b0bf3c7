/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of strings as returned by the PMAPI, in one allocation: the pointers, then the texts */
#ifndef SHIM_PCP_LIST_H
#define SHIM_PCP_LIST_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct shim_list {
	char **strings;
	char *end;
};

static inline int shim_list__new(struct shim_list *list, size_t n, size_t bytes)
{
	list->strings = malloc(n * sizeof(char *) + bytes);
	list->end = (char *)(list->strings + n);
	return list->strings ? 0 : -ENOMEM;
}

static inline void shim_list__add(struct shim_list *list, size_t i, const char *s, size_t len)
{
	list->strings[i] = list->end;
	memcpy(list->end, s, len);
	list->end[len] = '\0';
	list->end += len + 1;
}

#endif /* SHIM_PCP_LIST_H */
