// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A name space's file, which consists of groups of names ("root" contains the others), and the name
 * space that a program has loaded to replace its contexts' name spaces.
 *
 *	root { group  name 60:0:1  whole 61:*:* } group { name 60:0:2 }
 *
 * A name followed by an identifier is a metric; any other name is a group.  An identifier with two
 * * means all names below it, which only the domain's agent knows.
 *
 * Threads: the process has one loaded name space, as in PCP's library.  A lock guards the pointer
 * to it and its reference count.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/process.h"
#include "base/vec.h"
#include "pmns.h"

/* A word, which points into the parsed text */
struct word {
	const char *at;
	size_t len;
};

struct item {
	struct word name;
	bool metric;
	uint32_t pmid;
};

struct group {
	struct word name;
	size_t first, n;	/* range of its items */
	bool used;
};

struct parser {
	const char *at;
	struct group *groups;
	size_t ngroups, groups_room;
	struct item *items;
	size_t nitems, items_room;
	const char *what;
};

static int parser_error(struct parser *p, const char *what)
{
	p->what = what;
	return PM_ERR_PMNS;
}

/*
 * Get the next word: a brace, or the text up to the next brace or blank.  It is empty at the end of
 * the text.
 */
static struct word next_word(struct parser *p)
{
	struct word w;

	p->at += strspn(p->at, " \t\r\n");
	w = (struct word){ p->at, strcspn(p->at, " \t\r\n{}") };
	if (!w.len && *p->at)
		w.len = 1;
	p->at += w.len;
	return w;
}

static bool is(struct word w, char c)
{
	return w.len == 1 && *w.at == c;
}

static bool same(struct word a, const char *s, size_t len)
{
	return a.len == len && !memcmp(a.at, s, len);
}

/*
 * Return whether a word is a letter followed by letters, digits and _.  With @dots, it may consist
 * of several parts of this form, joined by dots.
 */
static bool is_name(struct word w, bool dots)
{
	bool begin = true;

	for (size_t i = 0; i < w.len; i++) {
		unsigned char c = w.at[i];

		if (dots && c == '.' && !begin) {
			begin = true;
			continue;
		}
		if (!(isalpha(c) || (!begin && (isdigit(c) || c == '_'))))
			return false;
		begin = false;
	}
	return w.len && !begin;
}

/*
 * Parse a number of at most @most, and the character @end after it.  Return -1 for any other text.
 */
static int read_number(const char **s, int most, char end)
{
	int n = 0;

	if (!isdigit((unsigned char)**s))
		return -1;
	for (; isdigit((unsigned char)**s) && n <= most; (*s)++)
		n = 10 * n + (**s - '0');
	if (n > most || (end && *(*s)++ != end))
		return -1;
	return n;
}

static int identifier(struct parser *p, struct word w, uint32_t *out)
{
	char text[32];
	const char *s = text;
	int domain, cluster, item;

	if (w.len >= sizeof(text))
		return parser_error(p, "a metric identifier that is too long");
	memcpy(text, w.at, w.len);
	text[w.len] = '\0';
	domain = read_number(&s, DYNAMIC_PMID - 1, ':');
	if (domain >= 0 && !strcmp(s, "*:*")) {
		*out = pmID_build(DYNAMIC_PMID, domain, 0);
		return 0;
	}
	cluster = domain < 0 ? -1 : read_number(&s, 4095, ':');
	item = cluster < 0 ? -1 : read_number(&s, 1023, '\0');
	if (item < 0 || *s)
		return parser_error(p, "an invalid metric identifier");
	*out = pmID_build(domain, cluster, item);
	return 0;
}

static int add_item(struct parser *p, struct group *g, struct word name)
{
	if (!is_name(name, false))
		return parser_error(p, "an invalid name");
	for (size_t i = g->first; i < p->nitems; i++)
		if (same(p->items[i].name, name.at, name.len))
			return parser_error(p, "a name that occurs twice in a group");
	if (shim_vec__room(p->items, &p->items_room, p->nitems))
		return -ENOMEM;
	p->items[p->nitems++] = (struct item){ .name = name };
	g->n++;
	return 0;
}

static int read_items(struct parser *p, struct group *g)
{
	for (;;) {
		struct word w = next_word(p);
		int err;

		if (!w.len || is(w, '}'))
			return 0;	/* the last brace may be missing */
		if (isdigit((unsigned char)*w.at) && g->n && !p->items[p->nitems - 1].metric) {
			p->items[p->nitems - 1].metric = true;
			err = identifier(p, w, &p->items[p->nitems - 1].pmid);
		} else {
			err = add_item(p, g, w);
		}
		if (err)
			return err;
	}
}

static struct group *find_group(const struct parser *p, const char *name, size_t len)
{
	for (size_t i = 0; i < p->ngroups; i++)
		if (same(p->groups[i].name, name, len))
			return &p->groups[i];
	return NULL;
}

static int read_groups(struct parser *p)
{
	struct word name;

	while ((name = next_word(p)).len) {
		int err;

		if (!is_name(name, true))
			return parser_error(p, "an invalid group name");
		if (!is(next_word(p), '{'))
			return parser_error(p, "a group without {");
		if (find_group(p, name.at, name.len))
			return parser_error(p, "a group that is defined twice");
		if (shim_vec__room(p->groups, &p->groups_room, p->ngroups))
			return -ENOMEM;
		p->groups[p->ngroups] = (struct group){ .name = name, .first = p->nitems };
		err = read_items(p, &p->groups[p->ngroups++]);
		if (err)
			return err;
	}
	return 0;
}

/* Take ownership of @name. */
static int add_entry(struct shim_pmns_file *names, char *name, uint32_t pmid)
{
	if (shim_vec__room(names->entries, &names->room, names->n)) {
		free(name);
		return -ENOMEM;
	}
	names->entries[names->n++] = (struct shim_pmns_entry){ name, pmid };
	return 0;
}

/*
 * Add the metrics of a group and of nested groups.  This terminates, because a nested group is
 * looked up by its path, which gets longer at each level.
 */
static int put_group(struct parser *p, struct group *g, const char *path,
		     struct shim_pmns_file *names)
{
	int err = 0;

	g->used = true;
	for (size_t i = g->first; i < g->first + g->n && !err; i++) {
		const struct item *item = &p->items[i];
		struct group *below;
		char *name;

		if (asprintf(&name, "%s%s%.*s", path, *path ? "." : "", (int)item->name.len,
			     item->name.at) < 0)
			return -ENOMEM;
		if (item->metric) {
			err = add_entry(names, name, item->pmid);
			continue;
		}
		below = find_group(p, name, strlen(name));
		err = below ? put_group(p, below, name, names) :
			      parser_error(p, "a name without an identifier and without a group");
		free(name);
	}
	return err;
}

static int put_all(struct parser *p, struct shim_pmns_file *names)
{
	struct group *root = find_group(p, "root", 4);
	int err;

	if (!root)
		return parser_error(p, "no group \"root\"");
	err = put_group(p, root, "", names);
	for (size_t i = 0; i < p->ngroups && !err; i++)
		if (!p->groups[i].used)
			err = parser_error(p, "a group that no other group contains");
	return err;
}

static int by_pmid(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int refuse_twins(struct parser *p, const struct shim_pmns_file *names)
{
	uint32_t *pmids = malloc((names->n + 1) * sizeof(*pmids));
	bool twice = false;

	if (!pmids)
		return -ENOMEM;
	for (unsigned int i = 0; i < names->n; i++)
		pmids[i] = names->entries[i].pmid;
	qsort(pmids, names->n, sizeof(*pmids), by_pmid);
	for (unsigned int i = 1; i < names->n; i++)
		twice |= pmids[i] == pmids[i - 1];
	free(pmids);
	return twice ? parser_error(p, "two names with the same metric identifier") : 0;
}

static int names_parse(const char *text, bool dups, struct shim_pmns_file *names, const char **what)
{
	struct parser p = { .at = text };
	int err = read_groups(&p);

	if (!err)
		err = put_all(&p, names);
	if (!err && !dups)
		err = refuse_twins(&p, names);
	*what = p.what;
	free(p.groups);
	free(p.items);
	return err;
}

static void pmns_file_free(struct shim_pmns_file *names)
{
	if (!names)
		return;
	for (unsigned int i = 0; i < names->n; i++)
		free((char *)names->entries[i].name);
	free(names->entries);
	shim_pmns_tree__free(names->tree);
	free(names);
}

/*
 * Read a file.  With @dups, a metric may have several names.  Return 0; -errno if the file cannot
 * be read; or PM_ERR_PMNS if it is malformed, with the reason in *@what.
 */
static int pmns_file_read(const char *path, bool dups, struct shim_pmns_file **out,
			  const char **what)
{
	struct shim_pmns_file *names;
	char *text;
	int err;

	*what = "an unknown directive";
	err = shim_pmns_preprocess__read(path, &text);
	if (err)
		return err;
	names = calloc(1, sizeof(*names));
	err = names ? names_parse(text, dups, names, what) : -ENOMEM;
	if (!err)
		err = shim_pmns_tree__of(names->entries, names->n, &names->tree);
	free(text);
	if (err)
		pmns_file_free(names);
	else
		*out = names;
	return err;
}

int shim_pmns_file__subset(const struct shim_pmns_file *from,
			   bool (*keep)(const void *arg, uint32_t pmid), const void *arg,
			   struct shim_pmns_file **out)
{
	struct shim_pmns_file *names = calloc(1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (unsigned int i = 0; i < from->n && !err; i++) {
		char *name;

		if (!keep(arg, from->entries[i].pmid))
			continue;
		name = strdup(from->entries[i].name);
		err = name ? add_entry(names, name, from->entries[i].pmid) : -ENOMEM;
	}
	if (!err)
		err = shim_pmns_tree__of(names->entries, names->n, &names->tree);
	if (err)
		pmns_file_free(names);
	else
		*out = names;
	return err;
}

SHIM_FORK_LOCK(loaded_lock, 2);
static struct shim_pmns_file *loaded;
static bool asked;	/* a load was requested, even if it failed */

int shim_pmns_loaded__get(struct shim_pmns_file **out)
{
	int err;

	shim_fork_lock__enter(&loaded_lock);
	*out = loaded;
	if (loaded)
		loaded->refs++;
	err = asked && !loaded ? PM_ERR_NOPMNS : 0;
	shim_fork_lock__leave(&loaded_lock);
	return err;
}

void shim_pmns_loaded__put(struct shim_pmns_file *names)
{
	bool last;

	if (!names)
		return;
	shim_fork_lock__enter(&loaded_lock);
	last = --names->refs == 0;
	shim_fork_lock__leave(&loaded_lock);
	if (last)
		pmns_file_free(names);
}

void shim_pmns_loaded__replace(struct shim_pmns_file *old, struct shim_pmns_file *names)
{
	bool current;

	names->refs = 1;
	shim_fork_lock__enter(&loaded_lock);
	current = loaded == old;
	if (current)
		loaded = names;
	shim_fork_lock__leave(&loaded_lock);
	if (current)
		shim_pmns_loaded__put(old);	/* the process's reference */
	else
		pmns_file_free(names);
	shim_pmns_loaded__put(old);
}

/* Return the file in PMNS_DEFAULT, or PCP's default. */
static char *default_path(void)
{
	const char *path = pmGetOptionalConfig("PMNS_DEFAULT");
	char *made;

	if (path && *path)
		return strdup(path);
	return asprintf(&made, "%s/pmns/root", pmGetConfig("PCP_VAR_DIR")) < 0 ? NULL : made;
}

/* Print the same message as PCP's library */
static void load_complain(const char *path, int err, const char *what)
{
	if (err == PM_ERR_PMNS)
		pmprintf("Error Parsing ASCII PMNS: %s: %s\n", path, what);
	else
		pmprintf("Error Parsing ASCII PMNS: Cannot open \"%s\"\n", path);
	pmflush();
}

static int load_uncancelled(const char *filename, bool dups)
{
	char *path = filename ? strdup(filename) : default_path();
	struct shim_pmns_file *names = NULL;
	const char *what;
	int err;

	if (!path)
		return -ENOMEM;
	err = pmns_file_read(path, dups, &names, &what);
	if (err)
		load_complain(path, err, what);
	free(path);
	shim_fork_lock__enter(&loaded_lock);
	asked = true;
	if (loaded && !err) {
		err = PM_ERR_DUPPMNS;
	} else if (!err) {
		names->refs = 1;
		loaded = names;
		names = NULL;
	}
	shim_fork_lock__leave(&loaded_lock);
	pmns_file_free(names);
	return err;
}

/* Disable cancellation, because reading a file and printing messages are cancellation points. */
static int load(const char *filename, bool dups)
{
	int before = shim_cancel__off();
	int err = load_uncancelled(filename, dups);

	shim_cancel__restore(before);
	return err;
}

static bool is_loaded(void)
{
	bool is;

	shim_fork_lock__enter(&loaded_lock);
	is = loaded;
	shim_fork_lock__leave(&loaded_lock);
	return is;
}

/**
 * pmLoadASCIINameSpace() - use the names in a file instead of the contexts' names
 * @filename: the file; PM_NS_DEFAULT means the file in PMNS_DEFAULT, or PCP's own
 * @dupok: 0 if no metric may have two names
 *
 * An error in the file is reported through pmprintf().
 *
 * Return: 0; PM_ERR_DUPPMNS if a name space is already loaded, which remains in use; PM_ERR_PMNS
 * for a malformed file; -errno for a file that cannot be read.  If loading failed, there are no
 * names until pmUnloadNameSpace().
 */
SHIM_API int pmLoadASCIINameSpace(const char *filename, int dupok)
{
	return is_loaded() ? PM_ERR_DUPPMNS : load(filename, dupok);
}

/** pmLoadNameSpace() - like pmLoadASCIINameSpace(), but metrics may have two names */
SHIM_API int pmLoadNameSpace(const char *filename)
{
	return pmLoadASCIINameSpace(filename, 1);
}

/** pmUnloadNameSpace() - use the contexts' own names again */
SHIM_API void pmUnloadNameSpace(void)
{
	struct shim_pmns_file *names;

	shim_fork_lock__enter(&loaded_lock);
	names = loaded;
	loaded = NULL;
	asked = false;
	shim_fork_lock__leave(&loaded_lock);
	shim_pmns_loaded__put(names);
}
