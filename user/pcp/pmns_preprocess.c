// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The text of a name space without comments, directives and macros.
 *
 * This supports the subset of the C preprocessor that name spaces use: comments, #include, #define
 * of a word, #undef, #ifdef, #ifndef, #else and #endif.
 */
#define _GNU_SOURCE	/* for asprintf */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/lines.h"
#include "pmns.h"

#define DEPTH	16	/* limit on nested files, and on nested conditions */

struct macro {
	struct macro *next;
	char *value;
	char name[];
};

/*
 * struct reading - the state of the preprocessor
 * @out: the text so far
 * @comment: inside a comment
 * @conditions: number of open conditions; unless @off is 0, lines in condition number @off are
 *	skipped
 */
struct reading {
	FILE *out;
	struct macro *macros;
	unsigned int files;
	unsigned int conditions, off;
	bool comment;
};

static size_t word_len(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

static struct macro **macro_find(struct reading *r, const char *name, size_t len)
{
	struct macro **m = &r->macros;

	while (*m && (strncmp((*m)->name, name, len) || (*m)->name[len]))
		m = &(*m)->next;
	return m;
}

static void undefine(struct reading *r, const char *name)
{
	struct macro **at = macro_find(r, name, word_len(name)), *m = *at;

	if (!m)
		return;
	*at = m->next;
	free(m->value);
	free(m);
}

static int macro_define(struct reading *r, const char *name)
{
	size_t len = word_len(name), value_len;
	const char *value = name + len;
	struct macro *m;

	if (!len)
		return PM_ERR_PMNS;
	undefine(r, name);
	value += strspn(value, " \t");
	value_len = strlen(value);
	while (value_len && isspace((unsigned char)value[value_len - 1]))
		value_len--;
	m = calloc(1, sizeof(*m) + len + 1);
	if (!m)
		return -ENOMEM;
	memcpy(m->name, name, len);
	m->value = strndup(value, value_len);
	m->next = r->macros;
	r->macros = m;
	return m->value ? 0 : -ENOMEM;
}

/* Replace comments, including multi-line comments, with blanks. */
static void drop_comments(struct reading *r, char *line)
{
	for (; *line; line++) {
		if (r->comment && line[0] == '*' && line[1] == '/') {
			line[0] = ' ';
			line[1] = ' ';
			r->comment = false;
		} else if (!r->comment && line[0] == '/' && line[1] == '*') {
			r->comment = true;
			line[0] = ' ';
			*++line = ' ';
		} else if (r->comment && *line != '\n') {
			*line = ' ';
		}
	}
}

static void copy_line(struct reading *r, const char *line)
{
	while (*line) {
		size_t len = word_len(line);
		const struct macro *m = len ? *macro_find(r, line, len) : NULL;

		if (m)
			fputs(m->value, r->out);
		else
			fwrite(line, 1, len ? len : 1, r->out);
		line += len ? len : 1;
	}
}

static int read_file(struct reading *r, const char *path);

/*
 * Read a file from the directory of the including file, otherwise from PCP's directory of name
 * spaces.
 */
static int include(struct reading *r, const char *from, const char *what)
{
	size_t len = *what ? strcspn(what + 1, ">\"\n") : 0;
	const char *slash = strrchr(from, '/');
	char *path;
	int err;

	if ((*what != '"' && *what != '<') || !len)
		return PM_ERR_PMNS;
	if (what[1] == '/')
		slash = NULL;
	if (asprintf(&path, "%.*s%.*s", slash ? (int)(slash + 1 - from) : 0, from, (int)len,
		     what + 1) < 0)
		return -ENOMEM;
	err = read_file(r, path);
	free(path);
	if (err != -ENOENT)
		return err;
	if (asprintf(&path, "%s/pmns/%.*s", pmGetConfig("PCP_VAR_DIR"), (int)len, what + 1) < 0)
		return -ENOMEM;
	err = read_file(r, path);
	free(path);
	return err;
}

/* Open a condition; if it does not hold, its content is skipped. */
static int open_condition(struct reading *r, bool holds)
{
	if (r->conditions == DEPTH)
		return PM_ERR_PMNS;
	r->conditions++;
	if (!holds && !r->off)
		r->off = r->conditions;
	return 0;
}

static int condition(struct reading *r, const char *word, const char *rest)
{
	bool defined = *macro_find(r, rest, word_len(rest));

	if (!strncmp(word, "ifdef", 5))
		return open_condition(r, defined);
	if (!strncmp(word, "ifndef", 6))
		return open_condition(r, !defined);
	if (!r->conditions)
		return PM_ERR_PMNS;
	if (!strncmp(word, "else", 4)) {
		if (!r->off)
			r->off = r->conditions;
		else if (r->off == r->conditions)
			r->off = 0;
		return 0;
	}
	if (r->off == r->conditions)
		r->off = 0;
	r->conditions--;
	return 0;
}

static int directive(struct reading *r, const char *path, const char *word)
{
	size_t len = word_len(word);
	const char *rest = word + len + strspn(word + len, " \t");

	if ((len == 5 && !memcmp(word, "ifdef", 5)) || (len == 6 && !memcmp(word, "ifndef", 6)) ||
	    (len == 4 && !memcmp(word, "else", 4)) || (len == 5 && !memcmp(word, "endif", 5)))
		return condition(r, word, rest);
	if (r->off)
		return 0;
	if (len == 6 && !memcmp(word, "define", 6))
		return macro_define(r, rest);
	if (len == 7 && !memcmp(word, "include", 7))
		return include(r, path, rest);
	if (len == 5 && !memcmp(word, "undef", 5)) {
		undefine(r, rest);
		return 0;
	}
	return PM_ERR_PMNS;
}

static int read_line(struct reading *r, const char *path, char *line)
{
	char *first;

	drop_comments(r, line);
	first = line + strspn(line, " \t");
	if (*first == '#')
		return directive(r, path, first + 1 + strspn(first + 1, " \t"));
	if (!r->off)
		copy_line(r, line);
	return 0;
}

static int read_file(struct reading *r, const char *path)
{
	unsigned int conditions = r->conditions;
	char *line = NULL;
	size_t room = 0;
	int err = 0, more = 0;
	FILE *f;

	if (r->files == DEPTH)
		return PM_ERR_PMNS;
	f = fopen(path, "re");
	if (!f)
		return -errno;
	r->files++;
	while (!err && (more = shim_lines__next(f, &line, &room)) > 0)
		err = read_line(r, path, line);
	if (!err)
		err = more;
	if (!err && (r->comment || r->conditions != conditions))
		err = PM_ERR_PMNS;
	r->files--;
	free(line);
	fclose(f);
	return err;
}

int shim_pmns_preprocess__read(const char *path, char **out)
{
	struct reading r = { 0 };
	char *text = NULL;
	size_t size = 0;
	int err;

	r.out = open_memstream(&text, &size);
	if (!r.out)
		return -ENOMEM;
	err = read_file(&r, path);
	while (r.macros)
		undefine(&r, r.macros->name);
	/* If memory runs out, text may be NULL, and fclose() does not report earlier losses. */
	if (ferror(r.out) && !err)
		err = -ENOMEM;
	if ((fclose(r.out) || !text) && !err)
		err = -ENOMEM;
	if (err)
		free(text);
	else
		*out = text;
	return err;
}
