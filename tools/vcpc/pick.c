// SPDX-License-Identifier: GPL-2.0-or-later
/* Choose instances by lists of their names, as PCP's tools do. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "pick.h"

/*
 * struct vcpc_pick - a text that is an instance's name in some domain, or else a list of names
 * @found: a domain has an instance of that name
 * @parts: the @n items, if it can be a list, separated by commas or blanks
 */
struct vcpc_pick {
	char *text;
	bool found;
	struct vcpc_pick **parts;
	size_t n;
};

static void pick_free(struct vcpc_pick *pick)
{
	if (!pick)
		return;
	for (size_t i = 0; i < pick->n; i++)
		pick_free(pick->parts[i]);
	free(pick->parts);
	free(pick->text);
	free(pick);
}

static int pick_append(struct vcpc_pick ***list, size_t *n, struct vcpc_pick *pick)
{
	struct vcpc_pick **more = pick ? realloc(*list, (*n + 1) * sizeof(*more)) : NULL;

	if (!more) {
		pick_free(pick);
		return -ENOMEM;
	}
	*list = more;
	more[(*n)++] = pick;
	return 0;
}

/* Return an item's length.  It ends at the first character of @ends that is not in quotes. */
static size_t item_length(const char *text, size_t len, const char *ends)
{
	char quote = '\0';
	size_t i;

	for (i = 0; i < len; i++) {
		if (quote)
			quote = text[i] == quote ? '\0' : quote;
		else if (text[i] == '\'' || text[i] == '"')
			quote = text[i];
		else if (strchr(ends, text[i]))
			break;
	}
	return i;
}

static struct vcpc_pick *pick_new(const char *text, size_t len, const char *const *ends);

/*
 * Split a text into items at the characters of @ends[0].  Each item may be a list that is split at
 * the next characters of @ends.  A text that contains no character of @ends[0] is split at the next
 * ones.
 */
static int pick_split(struct vcpc_pick *pick, const char *text, size_t len, const char *const *ends)
{
	size_t at = 0;
	int err = 0;

	if (!*ends)
		return 0;
	if (item_length(text, len, *ends) == len)
		return pick_split(pick, text, len, ends + 1);
	while (at < len && !err) {
		size_t item = item_length(text + at, len - at, *ends);

		if (item)
			err = pick_append(&pick->parts, &pick->n,
					  pick_new(text + at, item, ends + 1));
		at += item + 1;
	}
	return err;
}

static struct vcpc_pick *pick_new(const char *text, size_t len, const char *const *ends)
{
	struct vcpc_pick *pick = calloc(1, sizeof(*pick));
	bool quoted;

	while (len && strchr(" \t", *text)) {
		text++;
		len--;
	}
	while (len && strchr(" \t", text[len - 1]))
		len--;
	quoted = len > 1 && strchr("'\"", *text) && memchr(text + 1, *text, len - 1) == text + len - 1;
	if (!pick)
		return NULL;
	pick->text = strndup(text + quoted, len - 2 * quoted);
	if (!pick->text || (!quoted && pick_split(pick, text, len, ends))) {
		pick_free(pick);
		return NULL;
	}
	return pick;
}

int vcpc_picks_add(struct vcpc_picks *picks, const char *text)
{
	static const char *const ends[] = { ",", " \t", NULL };

	return pick_append(&picks->list, &picks->n, pick_new(text, strlen(text), ends));
}

/* Return whether @text is @name or, unless @whole is set, the part of @name before a blank. */
static bool is_name(const char *name, const char *text, bool whole)
{
	size_t len = strlen(text);

	return !strncmp(name, text, len) && (!name[len] || (!whole && len && name[len] == ' '));
}

static void pick_choose(struct vcpc_pick *pick, char *const *names, size_t n, bool *chosen)
{
	bool any = false;

	for (int whole = 1; whole >= 0 && !any; whole--) {
		for (size_t i = 0; i < n; i++) {
			if (is_name(names[i], pick->text, whole))
				any = chosen[i] = true;
		}
	}
	pick->found |= any;
	for (size_t i = 0; !any && i < pick->n; i++)
		pick_choose(pick->parts[i], names, n, chosen);
}

void vcpc_picks_choose(const struct vcpc_picks *picks, char *const *names, size_t n, bool *chosen)
{
	for (size_t i = 0; i < n; i++)
		chosen[i] = !picks->n;
	for (size_t i = 0; i < picks->n; i++)
		pick_choose(picks->list[i], names, n, chosen);
}

static const char *missing(const struct vcpc_pick *pick)
{
	const char *text = NULL;

	if (pick->found)
		return NULL;
	if (!pick->n)
		return pick->text;
	for (size_t i = 0; i < pick->n && !text; i++)
		text = missing(pick->parts[i]);
	return text;
}

const char *vcpc_picks_missing(const struct vcpc_picks *picks)
{
	const char *text = NULL;

	for (size_t i = 0; i < picks->n && !text; i++)
		text = missing(picks->list[i]);
	return text;
}

void vcpc_picks_free(struct vcpc_picks *picks)
{
	for (size_t i = 0; i < picks->n; i++)
		pick_free(picks->list[i]);
	free(picks->list);
	*picks = (struct vcpc_picks){ 0 };
}
