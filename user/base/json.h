/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parse a JSON object in place, member by member.
 *
 * Nothing is copied or converted: names and values are pointers into the text.  Text that is not
 * JSON, or is nested too deeply (DEPTH_MAX), is rejected.
 */
#ifndef SHIM_BASE_JSON_H
#define SHIM_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

/*
 * struct shim_json_member - one member of an object
 * @name: the text between its quotes
 * @value: the value, including quotes and brackets
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

/* Start parsing the object in the @len bytes at @text.  Return 0 or -EINVAL. */
int shim_json__begin(struct shim_json *j, const char *text, size_t len);
/*
 * Get the next member.  Return 1; 0 at the end of the object, after which only blanks may follow;
 * or -EINVAL.
 */
int shim_json__next(struct shim_json *j, struct shim_json_member *out);
/*
 * Copy a value without the blanks outside of strings.  Return its length.  If @to is NULL, only
 * compute the length.
 */
size_t shim_json__squeeze(char *to, const char *value, size_t len);
/*
 * Return whether a name consists of dot-separated parts of letters, digits and _.  Before 7.2, PCP
 * required a letter at the start.
 */
bool shim_json__is_name(const char *name, size_t len);

#endif /* SHIM_BASE_JSON_H */
