// SPDX-License-Identifier: LGPL-2.1-or-later
/* List the events that this machine can count, and suggest corrections for misspelled names. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "counters.h"
#include "event.h"
#include "pfm.h"

/**
 * shim_event__is_trouble() - check whether an error is due to something other than the event
 * @ret: error from shim_event__parse() or shim_event__probe()
 *
 * Return: true if memory, descriptors or the user's sets ran out, or a signal interrupted the call.
 * The error is temporary: the event may be countable and must not be left out of a list.
 */
bool shim_event__is_trouble(int ret)
{
	static const int troubles[] = { -ENOMEM, -EMFILE, -ENFILE, -EUSERS, -EINTR };

	for (size_t i = 0; i < sizeof(troubles) / sizeof(troubles[0]); i++)
		if (ret == troubles[i])
			return true;
	return false;
}

/**
 * shim_event__probe() - check whether the back end accepts an event
 * @session: the back end
 * @req: the event; its modes are ignored, because every user may count in user mode
 *
 * Return: 0 or a negative error of VCPC_IOC_SET_CREATE.
 */
int shim_event__probe(struct shim_session *session, const struct vcpc_request *req)
{
	struct vcpc_request user = *req;
	struct shim_counters *counters;
	int bad;
	int ret;

	user.flags = VCPC_REQ_F_USER;
	ret = shim_counters__create(session, &user, 1, VCPC_SET_F_DISABLED, &bad, &counters);
	if (!ret)
		shim_counters__put(counters);
	return ret;
}

/* Return 0, or the error from parsing the name or probing the event. */
static int usable(struct shim_session *session, const char *name)
{
	struct vcpc_request req;
	int ret = shim_event__parse(name, &req);

	return ret ? ret : shim_event__probe(session, &req);
}

struct walk {
	struct shim_session *session;
	shim_event_fn *fn;
	void *arg;
};

static int visit(void *arg, const char *name, const char *desc)
{
	const struct walk *walk = arg;
	int ret = walk->session ? usable(walk->session, name) : 0;

	if (ret)
		return shim_event__is_trouble(ret) ? ret : 0;
	return walk->fn(walk->arg, name, desc);
}

/**
 * shim_event__walk() - walk over all events by name
 * @session: walk only over events that it can count; NULL: over all known names
 * @fn: called for each event; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Return: 0, the value of @fn that ended the walk, or a temporary error (shim_event__is_trouble()).
 */
int shim_event__walk(struct shim_session *session, shim_event_fn *fn, void *arg)
{
	struct walk walk = { session, fn, arg };
	int ret = 0;

	for (const struct shim_event_name *e = shim_event__names; e->name && !ret; e++)
		ret = visit(&walk, e->name, e->desc);
	return ret ? ret : shim_pfm__walk(visit, &walk);
}

static unsigned int least(unsigned int a, unsigned int b, unsigned int c)
{
	unsigned int m = a < b ? a : b;

	return m < c ? m : c;
}

/*
 * Return the Levenshtein distance, ignoring case and treating '_' as '-'.  It is computed row by
 * row.
 */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[SHIM_EVENT_LEN + 1];
	size_t lb = strlen(b);

	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 0; a[i]; i++) {
		unsigned int corner = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < lb; j++) {
			int ca = a[i] == '_' ? '-' : tolower((unsigned char)a[i]);
			int cb = b[j] == '_' ? '-' : tolower((unsigned char)b[j]);
			unsigned int above = row[j + 1];

			row[j + 1] = least(above + 1, row[j] + 1, corner + (ca != cb));
			corner = above;
		}
	}
	return row[lb];
}

struct nearest {
	const char *name;
	unsigned int distance;
	char best[SHIM_EVENT_LEN];
};

static int compare(void *arg, const char *name, const char *desc)
{
	struct nearest *nearest = arg;
	unsigned int d;

	(void)desc;
	if (strlen(name) >= sizeof(nearest->best))
		return 0;
	d = distance(nearest->name, name);
	if (d < nearest->distance) {
		nearest->distance = d;
		strcpy(nearest->best, name);
	}
	return 0;
}

/**
 * shim_event__suggest() - find the known event whose name is most similar to an unknown one
 * @name: the unknown name, with or without modes
 * @buf: the most similar name, without modes
 * @size: size of @buf
 *
 * Return: 0, -ENOENT if no name is similar, or -ENAMETOOLONG.
 */
int shim_event__suggest(const char *name, char *buf, size_t size)
{
	char bare[SHIM_EVENT_LEN];
	struct nearest nearest = { .name = bare };
	__u32 modes;

	if (strlen(name) >= sizeof(bare))
		return -ENAMETOOLONG;
	strcpy(bare, name);
	shim_event__split(bare, &modes);
	nearest.distance = strlen(bare) / 3 + 2;
	shim_event__walk(NULL, compare, &nearest);
	if (!nearest.best[0])
		return -ENOENT;
	if (strlen(nearest.best) >= size)
		return -ENAMETOOLONG;
	strcpy(buf, nearest.best);
	return 0;
}
