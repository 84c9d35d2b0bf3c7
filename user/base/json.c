// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parse a JSON object in place, member by member. */
#include <errno.h>
#include <string.h>

#include "json.h"

#define DEPTH_MAX	32

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static void skip_blanks(struct shim_json *j)
{
	while (j->p < j->end && is_blank(*j->p))
		j->p++;
}

/* Consume @c if it is next. */
static bool json_take(struct shim_json *j, char c)
{
	if (j->p == j->end || *j->p != c)
		return false;
	j->p++;
	return true;
}

static bool take_word(struct shim_json *j, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(j->end - j->p) < len || memcmp(j->p, word, len))
		return false;
	j->p += len;
	return true;
}

static bool take_escape(struct shim_json *j)
{
	if (j->p == j->end || !*j->p || !strchr("\"\\/bfnrtu", *j->p))
		return false;
	if (*j->p++ != 'u')
		return true;
	for (int i = 0; i < 4; i++, j->p++)
		if (j->p == j->end || !*j->p || !strchr("0123456789abcdefABCDEF", *j->p))
			return false;
	return true;
}

/* Consume the rest of a string, after its opening quote. */
static bool take_string(struct shim_json *j)
{
	while (j->p < j->end) {
		unsigned char c = (unsigned char)*j->p++;

		if (c == '"')
			return true;
		if (c < ' ' || (c == '\\' && !take_escape(j)))
			return false;
	}
	return false;
}

static bool take_digits(struct shim_json *j)
{
	const char *start = j->p;

	while (j->p < j->end && is_digit(*j->p))
		j->p++;
	return j->p > start;
}

static bool take_number(struct shim_json *j)
{
	json_take(j, '-');
	if (!json_take(j, '0') && !take_digits(j))
		return false;
	if (json_take(j, '.') && !take_digits(j))
		return false;
	if (!json_take(j, 'e') && !json_take(j, 'E'))
		return true;
	if (!json_take(j, '+'))
		json_take(j, '-');
	return take_digits(j);
}

static bool take_value(struct shim_json *j, int depth);

/* Consume the rest of an array or an object, after its opening bracket. */
static bool take_members(struct shim_json *j, char close, int depth)
{
	skip_blanks(j);
	if (json_take(j, close))
		return true;
	do {
		skip_blanks(j);
		if (close == '}') {
			if (!json_take(j, '"') || !take_string(j))
				return false;
			skip_blanks(j);
			if (!json_take(j, ':'))
				return false;
			skip_blanks(j);
		}
		if (!take_value(j, depth))
			return false;
		skip_blanks(j);
	} while (json_take(j, ','));
	return json_take(j, close);
}

static bool take_value(struct shim_json *j, int depth)
{
	if (depth > DEPTH_MAX || j->p == j->end)
		return false;
	switch (*j->p) {
	case '"':
		j->p++;
		return take_string(j);
	case '[':
		j->p++;
		return take_members(j, ']', depth + 1);
	case '{':
		j->p++;
		return take_members(j, '}', depth + 1);
	case 't':
		return take_word(j, "true");
	case 'f':
		return take_word(j, "false");
	case 'n':
		return take_word(j, "null");
	default:
		return take_number(j);
	}
}

int shim_json__begin(struct shim_json *j, const char *text, size_t len)
{
	*j = (struct shim_json){ .p = text, .end = text + len, .first = true };
	skip_blanks(j);
	return json_take(j, '{') ? 0 : -EINVAL;
}

static bool take_member(struct shim_json *j, struct shim_json_member *out)
{
	if (!json_take(j, '"'))
		return false;
	out->name = j->p;
	if (!take_string(j))
		return false;
	out->namelen = (size_t)(j->p - out->name) - 1;
	skip_blanks(j);
	if (!json_take(j, ':'))
		return false;
	skip_blanks(j);
	out->value = j->p;
	if (!take_value(j, 0))
		return false;
	out->valuelen = (size_t)(j->p - out->value);
	return true;
}

/**
 * shim_json__next() - get the object's next member
 * @j: the parser, initialized by shim_json__begin(); it must not be used after the end or an error
 * @out: the member
 *
 * Return: 1, 0 if there are no more members, or -EINVAL if the text is not JSON.
 */
int shim_json__next(struct shim_json *j, struct shim_json_member *out)
{
	struct shim_json_member member;

	skip_blanks(j);
	if (json_take(j, '}')) {
		skip_blanks(j);
		return j->p == j->end ? 0 : -EINVAL;
	}
	if (!j->first) {
		if (!json_take(j, ','))
			return -EINVAL;
		skip_blanks(j);
	}
	if (!take_member(j, &member))
		return -EINVAL;
	j->first = false;
	*out = member;
	/* Only a comma or the closing bracket may follow a member. */
	skip_blanks(j);
	return j->p < j->end && (*j->p == ',' || *j->p == '}') ? 1 : -EINVAL;
}

size_t shim_json__squeeze(char *to, const char *value, size_t len)
{
	bool quoted = false, escaped = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		char c = value[i];

		if (!quoted && is_blank(c))
			continue;
		if (c == '"' && !escaped)
			quoted = !quoted;
		escaped = quoted && c == '\\' && !escaped;
		if (to)
			to[n] = c;
		n++;
	}
	return n;
}

bool shim_json__is_name(const char *name, size_t len)
{
	bool first = true;

	for (size_t i = 0; i < len; i++) {
		char c = name[i];

		if (!is_letter(c) && !is_digit(c) && c != '_' && (first || c != '.'))
			return false;
		first = c == '.';
	}
	return !first;
}
