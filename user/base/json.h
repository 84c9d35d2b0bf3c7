/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking a JSON object apart, member by member, where it stands.
 *
 * Nothing is copied or converted: names and values are found as they are
 * written.  What is not JSON, or is nested deeper than anybody needs, is refused.
 */
#ifndef SHIM_BASE_JSON_H
#define SHIM_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

/*
 * struct shim_json_member - one member of an object
 * @name: what stands between its quotes
 * @value: its value, quotes and brackets included
 */
struct shim_json_member {
	const char *name;
	size_t namelen;
	const char *value;
	size_t valuelen;
};

struct shim_json {
	const char *p;
	const char *end;
	bool first;
};

/* An object in the @len bytes at @text: 0 or -EINVAL */
int shim_json__begin(struct shim_json *j, const char *text, size_t len);
/* 1 and a member; 0 at the end, behind which there are blanks only; -EINVAL */
int shim_json__next(struct shim_json *j, struct shim_json_member *out);
/* Copies a value found by the above without the blanks that mean nothing; NULL: only counts */
size_t shim_json__squeeze(char *to, const char *value, size_t len);
/* Letters, digits and underscores, in parts that begin with a letter and are joined by dots */
bool shim_json__is_name(const char *name, size_t len);

#endif /* SHIM_BASE_JSON_H */
