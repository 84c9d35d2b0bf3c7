// SPDX-License-Identifier: LGPL-2.1-or-later
/* Read files and directories of derived metrics: name = expression, and name(attribute) = text. */
#define _GNU_SOURCE	/* for asprintf */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "derived.h"

#define DEPTH_MAX 32	/* maximum depth of directories */
#define READ_MIN 4095	/* minimum number of bytes for each read of a file */

/*
 * struct config - a file that is being read
 * @line: the current line's number; @joined: number of lines joined to it
 * @at: the current line, NUL-terminated; NULL after the last line
 * @next: the next line, or NULL
 */
struct config {
	const char *name;
	char *text;
	int line, joined;
	char *at, *next;
	int defined;
};

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static char *text_trim(char *text)
{
	char *end;

	while (is_space(*text))
		text++;
	end = text + strlen(text);
	while (end > text && is_space(end[-1]))
		*--end = '\0';
	return text;
}

static bool is_name(const char *name)
{
	bool first = true;

	for (; *name; name++) {
		if (first ? !is_letter(*name) :
			    !is_letter(*name) && (*name < '0' || *name > '9') && *name != '_' &&
			    *name != '.')
			return false;
		first = *name == '.';
	}
	return true;
}

static void config_complain(const struct config *c, const char *what, const char *line)
{
	pmprintf("[%s:%d] Error: pmLoadDerivedConfig: %s\n", c->name, c->line, what);
	if (line)
		pmprintf("%s\n", line);
	pmflush();
}

/* Report an error in an expression, with a mark below its position. */
static void complain_at(const struct config *c, const char *name, const char *expr, const char *at)
{
	const char *why = shim_derived__why();
	char *mark = strdup(expr);

	pmprintf("[%s:%d] Error: pmRegisterDerived(%s, ...) syntax error\n%s\n", c->name, c->line,
		 name, expr);
	for (char *q = mark; q && *q; q++) {
		if (q - mark == at - expr)
			*q = '^';
		else if (!is_space(*q))
			*q = ' ';
	}
	if (mark)
		pmprintf("%s\n", mark);
	if (why)
		pmprintf("%s\n", why);
	pmflush();
	free(mark);
}

static int metric_define(struct config *c, const char *name, const char *value)
{
	const char *expr = value, *at;
	int err;

	while (is_space(*expr))
		expr++;
	if (!*expr) {
		config_complain(c, "expression missing", c->at);
		return 0;
	}
	err = shim_registry__add(name, expr, &at);
	if (err == -ENOMEM)
		return err;
	if (err)
		complain_at(c, name, value, at);
	else
		c->defined++;
	return 0;
}

static const char *const text_problems[] = {
	[SHIM_REGISTRY_NO_METRIC] = "%1$.0scannot set attribute, derived metric (%2$s) not defined",
	[SHIM_REGISTRY_NO_ATTRIBUTE] = "attribute (%1$s) is unknown for metric (%2$s)",
	[SHIM_REGISTRY_DUPLICATE] = "duplicate value for attribute (%1$s) of metric (%2$s)",
};

static int set(struct config *c, const char *name, const char *attribute, const char *text,
	       int line)
{
	enum shim_registry_result result = shim_registry__set_text(name, attribute, text);
	int last = c->line;
	char *what;

	if (result == SHIM_REGISTRY_OK)
		return 0;
	if (result == SHIM_REGISTRY_NO_MEMORY)
		return -ENOMEM;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (asprintf(&what, text_problems[result], attribute, name) < 0)
		return -ENOMEM;
#pragma GCC diagnostic pop
	c->line = line;
	config_complain(c, what, c->at);
	c->line = last;
	free(what);
	return 0;
}

/* Terminate the line at @c->next, and return it. */
static char *cut_line(struct config *c)
{
	char *line = c->next;

	c->next = line ? strchr(line, '\n') : NULL;
	if (c->next)
		*c->next++ = '\0';
	if (c->next && !*c->next)
		c->next = NULL;
	return line;
}

/* Move to the next line, which may continue the quoted text that is being read. */
static void advance(struct config *c)
{
	c->line += 1 + c->joined;
	c->joined = 0;
	c->at = cut_line(c);
}

/* Join lines that end in a backslash with the next one, even in comments, as in PCP. */
static void lines_join(struct config *c)
{
	char *end = c->at + strlen(c->at);

	while (end > c->at && end[-1] == '\\') {
		const char *more;
		size_t len;

		*--end = '\0';
		more = cut_line(c);
		if (!more)
			return;
		len = strlen(more);
		memmove(end, more, len + 1);
		end += len;
		c->joined++;
	}
}

static void warn_of_rest(const struct config *c, char *rest)
{
	rest = text_trim(rest);
	if (!*rest)
		return;
	pmprintf("[%s:%d] Warning: pmLoadDerivedConfig: extra text (%s) after attribute value will be ignored\n",
		 c->name, c->line, rest);
	pmflush();
}

/*
 * Read the rest of a quoted text, which may span several lines, and unescape it in place.  A
 * backslash makes the next character literal; at the end of a line it joins the line with the next
 * one.  Return NULL if the closing quote is missing.
 */
static char *quoted(struct config *c, char *from, char quote)
{
	char *text = from, *to = from;

	for (;;) {
		bool joined = false;

		for (; *from; from++) {
			if (*from == quote) {
				warn_of_rest(c, from + 1);
				*to = '\0';
				return text;
			}
			joined = *from == '\\' && !*++from;
			if (joined)
				break;
			*to++ = *from;
		}
		if (!c->next)
			return NULL;
		if (!joined)
			*to++ = '\n';
		advance(c);
		from = c->at;
	}
}

static int set_attribute(struct config *c, const char *name, const char *attribute, char *value)
{
	char *line = strdup(c->at), *text = value, *whole = c->at;
	int number = c->line, err = 0;
	char quote = '\0';

	if (!line)
		return -ENOMEM;
	while (is_space(*text))
		text++;
	if (*text == '"' || *text == '\'')
		quote = *text++;
	if (!*text) {
		config_complain(c, "attribute value missing", c->at);
	} else if (!quote) {
		err = set(c, name, attribute, text, number);
	} else {
		text = quoted(c, text, quote);
		whole = c->at;
		c->at = line;
		if (text) {
			err = set(c, name, attribute, text, c->line);
		} else {
			char what[] = "missing termination (?) for value";

			*strchr(what, '?') = quote;
			config_complain(c, what, NULL);
		}
		c->at = whole;
	}
	free(line);
	return err;
}

/* Define a metric.  @line is a copy of the text before the "=". */
static int read_definition(struct config *c, char *line, char *value)
{
	char *open = strchr(line, '('), *end = strchr(line, ')'), *name, *attribute;
	int err = 0;

	if (open)
		*open = '\0';
	name = text_trim(line);
	if (!*name) {
		config_complain(c, "derived metric name missing", c->at);
	} else if (!is_name(name)) {
		char *what;

		if (asprintf(&what, "illegal derived metric name (%s)", name) < 0)
			return -ENOMEM;
		config_complain(c, what, NULL);
		free(what);
	} else if (open && !end) {
		config_complain(c, "missing ')' after attribute", c->at);
	} else if (!open) {
		err = metric_define(c, name, value);
	} else {
		*end = '\0';
		attribute = text_trim(open + 1);
		if (*attribute)
			err = set_attribute(c, name, attribute, value);
		else
			config_complain(c, "attribute name missing", c->at);
	}
	return err;
}

static int read_line(struct config *c)
{
	char *equals = strchr(c->at, '='), *line;
	int err;

	if (!*c->at || *c->at == '#')
		return 0;
	if (!equals) {
		config_complain(c, "missing ``='' after derived metric name", c->at);
		return 0;
	}
	line = strndup(c->at, (size_t)(equals - c->at));
	if (!line)
		return -ENOMEM;
	err = read_definition(c, line, equals + 1);
	free(line);
	return err;
}

/* Read a whole file into memory, terminated by a NUL. */
static int read_whole(FILE *f, char **out)
{
	size_t len = 0, room = 0, n;
	char *text = NULL;

	do {
		if (shim_vec__reserve(text, &room, len + READ_MIN + 1)) {
			free(text);
			return -ENOMEM;
		}
		n = fread(text + len, 1, room - len - 1, f);
		len += n;
	} while (n);
	text[len] = '\0';
	*out = text;
	return ferror(f) ? -EIO : 0;
}

static int load_text(struct config *c)
{
	int err = 0;

	c->next = c->text;
	for (advance(c); c->at && !err; advance(c)) {
		lines_join(c);
		err = read_line(c);
	}
	return err ? err : c->defined;
}

static int load_file(const char *name)
{
	struct config c = { .name = name };
	FILE *f = fopen(name, "re");
	int err;

	if (!f)
		return -errno;
	err = read_whole(f, &c.text);
	fclose(f);
	if (!err)
		err = load_text(&c);
	free(c.text);
	return err;
}

/* A directory that is being read; @in is its parent directory, or NULL */
struct folder {
	const struct folder *in;
	unsigned int depth;
	dev_t dev;
	ino_t ino;
};

static int load_one(const char *name, bool lenient, const struct folder *in);

static int load_folder(const char *name, bool lenient, const struct folder *folder)
{
	DIR *dir = opendir(name);
	struct dirent *entry;
	int n = 0, err = 0;

	if (!dir)
		return -errno;
	while (errno = 0, err >= 0 && (entry = readdir(dir))) {
		char *path;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		err = asprintf(&path, "%s/%s", name, entry->d_name) < 0 ? -ENOMEM : 0;
		if (err)
			break;
		err = load_one(path, lenient, folder);
		free(path);
		if (err > 0)
			n += err;
	}
	if (err >= 0 && errno)
		err = -errno;
	closedir(dir);
	return err < 0 ? err : n;
}

/* Return whether the directory is already being read.  A symbolic link to it would cause a loop. */
static bool is_inside(const struct folder *folder, const struct stat *st)
{
	for (; folder; folder = folder->in)
		if (folder->dev == st->st_dev && folder->ino == st->st_ino)
			return true;
	return false;
}

static void say_skipped(const char *name, int err)
{
	char text[PM_MAXERRMSGLEN];

	pmprintf("%s: Warning: derived metrics of %s are not loaded: %s\n", pmGetProgname(), name,
		 pmErrStr_r(err, text, sizeof(text)));
	pmflush();
}

static int load_one(const char *name, bool lenient, const struct folder *in)
{
	struct folder folder = { .in = in, .depth = in ? in->depth + 1 : 0 };
	struct stat st;
	int err = 0;

	if (stat(name, &st)) {
		err = -errno;
	} else if (S_ISREG(st.st_mode)) {
		err = load_file(name);
	} else if (S_ISDIR(st.st_mode) && !is_inside(in, &st)) {
		folder.dev = st.st_dev;
		folder.ino = st.st_ino;
		err = folder.depth < DEPTH_MAX ? load_folder(name, lenient, &folder) : -ELOOP;
	}
	if (err >= 0 || !lenient || shim_registry__passes(err))
		return err;
	if (err != -ENOENT)
		say_skipped(name, err);
	return 0;
}

int shim_derived__load(const char *path, bool lenient)
{
	int n = 0, err = 0;

	while (*path && err >= 0) {
		size_t len = strcspn(path, ":");
		char *name = strndup(path, len);

		if (!name)
			return -ENOMEM;
		err = load_one(name, lenient, NULL);
		if (err > 0)
			n += err;
		free(name);
		path += len;
		path += *path == ':';
	}
	return err < 0 ? err : n;
}
