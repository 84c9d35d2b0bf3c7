/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A strict JSON reader, for tests of our tools' output */
#ifndef JSON_H
#define JSON_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define JSON_DEPTH	16

enum json_type { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* A value; the elements of an array or an object are linked from @first on by @next. */
struct json {
	enum json_type type;
	char *key;		/* name of a member of an object */
	char *text;		/* text of a string */
	double number;		/* value of a number; 1 for true */
	struct json *first, *next;
};

static inline struct json *json_value(const char **s, int depth);

static inline void json_free(struct json *j)
{
	while (j) {
		struct json *next = j->next;

		json_free(j->first);
		free(j->key);
		free(j->text);
		free(j);
		j = next;
	}
}

static inline int json_is(const char **s, char c)
{
	*s += strspn(*s, " \t\r\n");
	if (**s != c)
		return 0;
	(*s)++;
	return 1;
}

/*
 * Decode the escape sequence after a backslash.  \u is decoded as one code unit, which our tools
 * use for control characters.  Return 0, or -1 if the sequence is invalid.
 */
static inline int json_escape(const char **s, char **to)
{
	static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
	const char *which = strchr(escapes, **s);
	unsigned int code;

	if (**s && which) {
		*(*to)++ = meanings[which - escapes];
		(*s)++;
		return 0;
	}
	if (**s != 'u' || strspn(*s + 1, "0123456789abcdefABCDEF") < 4 ||
	    sscanf(*s + 1, "%4x", &code) != 1 || code / 0x800 == 0x1b)	/* surrogates are invalid */
		return -1;
	*s += 5;
	if (code >= 0x800)
		*(*to)++ = 0xe0 | code >> 12;
	if (code >= 0x80) {
		*(*to)++ = code < 0x800 ? 0xc0 | code >> 6 : 0x80 | (code >> 6 & 0x3f);
		code = 0x80 | (code & 0x3f);
	}
	*(*to)++ = code;
	return 0;
}

/* Read a string.  Return its text, or NULL if it is invalid. */
static inline char *json_text(const char **s)
{
	char *text, *to;
	int bad;

	if (!json_is(s, '"'))
		return NULL;
	/* Decoding never makes a string longer. */
	to = text = malloc(strlen(*s) + 1);
	bad = !text;
	while (!bad && **s != '"') {
		if (**s == '\\')
			bad = ((*s)++, json_escape(s, &to));
		else if ((unsigned char)**s < ' ')
			bad = 1;
		else
			*to++ = *(*s)++;
	}
	if (bad) {
		free(text);
		return NULL;
	}
	*to = '\0';
	(*s)++;
	return text;
}

/* Read the members up to @end.  Return 0, or -1 if one is invalid. */
static inline int json_members(struct json *j, const char **s, char end, int depth)
{
	struct json **last = &j->first;

	if (json_is(s, end))
		return 0;
	do {
		char *key = NULL;

		if (j->type == JSON_OBJECT) {
			key = json_text(s);
			if (!key || !json_is(s, ':')) {
				free(key);
				return -1;
			}
		}
		*last = json_value(s, depth + 1);
		if (!*last) {
			free(key);
			return -1;
		}
		(*last)->key = key;
		last = &(*last)->next;
	} while (json_is(s, ','));
	return json_is(s, end) ? 0 : -1;
}

static inline int json_word(const char **s, const char *word)
{
	if (strncmp(*s, word, strlen(word)))
		return 0;
	*s += strlen(word);
	return 1;
}

/* Read null, true, false or a number.  Return 0, or -1 if it is invalid. */
static inline int json_plain(struct json *j, const char **s)
{
	char *end;

	j->type = JSON_BOOL;
	j->number = 1;
	if (json_word(s, "true"))
		return 0;
	j->number = 0;
	if (json_word(s, "false"))
		return 0;
	j->type = JSON_NULL;
	if (json_word(s, "null"))
		return 0;
	j->type = JSON_NUMBER;
	if (!strspn(*s, "-0123456789") || (**s == '0' && strspn(*s + 1, "0123456789xX")))
		return -1;
	j->number = strtod(*s, &end);
	*s = end;
	return isfinite(j->number) ? 0 : -1;
}

static inline struct json *json_value(const char **s, int depth)
{
	struct json *j = calloc(1, sizeof(*j));
	int bad;

	*s += strspn(*s, " \t\r\n");
	if (!j || depth > JSON_DEPTH) {
		bad = 1;
	} else if (**s == '"') {
		j->type = JSON_STRING;
		j->text = json_text(s);
		bad = !j->text;
	} else if (**s == '[' || **s == '{') {
		j->type = **s == '[' ? JSON_ARRAY : JSON_OBJECT;
		(*s)++;
		bad = json_members(j, s, j->type == JSON_ARRAY ? ']' : '}', depth);
	} else {
		bad = json_plain(j, s);
	}
	if (!bad)
		return j;
	json_free(j);
	return NULL;
}

/* Read the value at @s, and set @s to its end.  Return NULL if it is not valid JSON. */
static inline struct json *json_read(const char **s)
{
	return json_value(s, 0);
}

static inline const struct json *json_get(const struct json *j, const char *key)
{
	for (j = j ? j->first : NULL; j; j = j->next)
		if (j->key && !strcmp(j->key, key))
			return j;
	return NULL;
}

static inline double json_number(const struct json *j, const char *key)
{
	j = json_get(j, key);
	return j && j->type == JSON_NUMBER ? j->number : NAN;
}

/* Return the text of member @key, or "" if it does not exist. */
static inline const char *json_string(const struct json *j, const char *key)
{
	j = json_get(j, key);
	return j && j->type == JSON_STRING ? j->text : "";
}

#endif /* JSON_H */
