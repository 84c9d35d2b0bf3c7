// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Convert the events of libcpc's version 1 from a string to two 32-bit codes, and back.
 *
 * A name does not fit into a code, so names are numbered in order of first use.  A number is valid
 * for the life of the process.
 *
 * Locking: names are added under version 1's lock (v1.c), and read without a lock.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/api.h"
#include "impl.h"
#include "v1.h"

/* The bits of ce_pes that make up an event code of the CPU */
#define V1_RAW	(V1_CODE | V1_EDGE | V1_INVERT | V1_CMASK)

struct name {
	struct name *next;
	uint32_t number;
	char text[];
};

static _Atomic(struct name *) names;	/* last one first */

static _Atomic(cpc_errfn_t *) errfn;

/* Report an error to the process's error function, or to stderr if none is set. */
void shim_v1__tell(const char *fn, const char *fmt, ...)
{
	cpc_errfn_t *to = atomic_load(&errfn);
	va_list ap;

	va_start(ap, fmt);
	if (to) {
		to(fn, fmt, ap);
	} else {
		fprintf(stderr, "libcpc: %s: ", fn);
		vfprintf(stderr, fmt, ap);
	}
	va_end(ap);
}

/**
 * cpc_seterrfn() - set the error function for errors in strings and for cpc_access()
 * @fn: the function, for the whole process; NULL to print messages to stderr
 */
SHIM_API void cpc_seterrfn(cpc_errfn_t *fn)
{
	atomic_store(&errfn, fn);
}

/* Add a name with the next number.  Context: the lock is held. */
static struct name *add_name(const char *text)
{
	struct name *last = atomic_load(&names);
	size_t size = strlen(text) + 1;
	struct name *name;

	if (last && last->number == V1_CODE)
		return NULL;
	name = malloc(sizeof(*name) + size);
	if (!name)
		return NULL;
	name->next = last;
	name->number = last ? last->number + 1 : 0;
	memcpy(name->text, text, size);
	atomic_store(&names, name);
	return name;
}

/* Return a name's number, or -1 if memory runs out or there are too many names. */
static int64_t number_of(const char *text)
{
	struct name *name;

	shim_v1__lock();
	for (name = atomic_load(&names); name && strcmp(name->text, text); name = name->next)
		;
	if (!name)
		name = add_name(text);
	shim_v1__unlock();
	return name ? (int64_t)name->number : -1;
}

/* Convert an event to its name in version 2.  Return 0 or -1. */
static int event_of(uint32_t pes, char *buf, size_t size)
{
	const struct name *name;

	if (!(pes & V1_NAMED)) {
		snprintf(buf, size, "0x%x", pes & V1_RAW);
		return 0;
	}
	for (name = atomic_load(&names); name && name->number != (pes & V1_CODE); name = name->next)
		;
	if (name)
		snprintf(buf, size, "%s", name->text);
	return name ? 0 : -1;
}

/**
 * shim_v1__set() - create the set of version 2 for two events
 * @event: the events, with their presets
 * @flags: flags of both requests, in addition to their modes
 *
 * Return: a set of the process's handle, or NULL and errno.
 */
cpc_set_t *shim_v1__set(const cpc_event_t *event, uint_t flags)
{
	cpc_t *cpc = shim_v1__handle();
	cpc_set_t *set = cpc_set_create(cpc);
	char name[CPC_MAX_EVENT_LEN];

	for (int i = 0; set && i < 2; i++) {
		uint32_t pes = event->ce_pes[i];
		uint_t modes = (pes & V1_USER ? CPC_COUNT_USER : 0) |
			       (pes & V1_SYSTEM ? CPC_COUNT_SYSTEM : 0);

		if (!event_of(pes, name, sizeof(name)) &&
		    cpc_set_add_request(cpc, set, name, event->ce_pic[i], flags | modes, 0,
					NULL) == i)
			continue;
		cpc_set_destroy(cpc, set);
		set = NULL;
		errno = EINVAL;
	}
	return set;
}

/* State of parsing a string.  The next event without a number is assigned to counter @pic. */
struct parse {
	cpc_t *cpc;
	uint32_t pes[2];
	bool given[2];
	bool umask[2];
	int pic;
	int errors;
};

static void wrong(struct parse *p, const char *what, const char *token)
{
	shim_v1__tell("strtoevent", "%s '%s'\n", what, token);
	p->errors++;
}

static bool is_known(cpc_t *cpc, const char *event)
{
	cpc_set_t *set = cpc_set_create(cpc);
	bool known = set && !cpc_set_add_request(cpc, set, event, 0, CPC_COUNT_USER, 0, NULL);

	if (set)
		cpc_set_destroy(cpc, set);
	return known;
}

static void take_event(struct parse *p, int pic, const char *event)
{
	char *end;
	unsigned long code = strtoul(event, &end, 0);
	int64_t number;

	if (p->given[pic]) {
		wrong(p, "a counter is specified twice:", event);
		return;
	}
	p->given[pic] = true;
	p->pic = pic + 1;
	if (end != event && !*end) {
		if (code > 255)
			wrong(p, "not an event code:", event);
		p->pes[pic] |= code & V1_CODE;
		return;
	}
	number = is_known(p->cpc, event) ? number_of(event) : -1;
	if (number < 0)
		wrong(p, "no such event:", event);
	else
		p->pes[pic] |= V1_NAMED | (uint32_t)number;
}

/*
 * struct flag - a word of the string
 * @word: the word without the counter's number
 * @set: bits that it sets
 * @clear: bits that it clears
 * @shift: position of its value, 0 if it has none
 * @attr: attribute that the CPU's codes must have to support it, or NULL
 */
static const struct flag {
	const char *word;
	uint32_t set, clear;
	int shift;
	const char *attr;
} flags[] = {
	{ "nouser", 0, V1_USER, 0, NULL },
	{ "sys", V1_SYSTEM, 0, 0, NULL },
	{ "noedge", 0, V1_EDGE, 0, NULL },
	{ "edge", V1_EDGE, 0, 0, "edge" },
	{ "pc", V1_PIN, 0, 0, NULL },
	{ "int", V1_INTERRUPT, 0, 0, NULL },
	{ "inv", V1_INVERT, 0, 0, "inv" },
	{ "cmask", 0, V1_CMASK, 24, "cmask" },
	{ "umask", 0, V1_UMASK, 8, "umask" },
};

struct sought {
	const char *attr;
	bool found;
};

static void see_attr(void *arg, const char *attr)
{
	struct sought *sought = arg;

	sought->found |= !strcmp(sought->attr, attr);
}

static bool has_attr(cpc_t *cpc, const char *attr)
{
	struct sought sought = { attr, !attr };

	if (attr)
		cpc_walk_attrs(cpc, &sought, see_attr);
	return sought.found;
}

static void apply(struct parse *p, const struct flag *flag, int pic, uint32_t value)
{
	p->pes[pic] = (p->pes[pic] & ~flag->clear) | flag->set;
	if (flag->shift)
		p->pes[pic] |= value << flag->shift;
	p->umask[pic] |= flag->clear == V1_UMASK;
}

/*
 * Apply a flag to counter @pic, or to both if it is -1.  Return true if the token is a flag, valid
 * or not.
 */
static bool take_flag(struct parse *p, const char *token, size_t len, int pic, const char *text)
{
	const struct flag *flag = NULL;
	unsigned long value = 0;
	char *end = NULL;

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]) && !flag; i++)
		if (strlen(flags[i].word) == len && !strncmp(flags[i].word, token, len))
			flag = &flags[i];
	if (!flag)
		return false;
	if (flag->shift && text)
		value = strtoul(text, &end, 0);
	if (!has_attr(p->cpc, flag->attr) ||
	    (flag->shift && (!text || end == text || *end || value > 255)))
		wrong(p, "not available, or not a number from 0 to 255:", token);
	else
		for (int i = 0; i < 2; i++)
			if (pic < 0 || pic == i)
				apply(p, flag, i, value);
	return true;
}

static void take_token(struct parse *p, char *token)
{
	char *equals = strchr(token, '=');
	size_t len = equals ? (size_t)(equals - token) : strlen(token);
	const char *text = equals ? equals + 1 : NULL;
	bool numbered = len && (token[len - 1] == '0' || token[len - 1] == '1');
	int pic = numbered ? token[len - 1] - '0' : -1;

	if (pic >= 0 && len == 4 && !strncmp(token, "pic", 3) && text) {
		take_event(p, pic, text);
		return;
	}
	if (take_flag(p, token, len, -1, text) ||
	    (pic >= 0 && take_flag(p, token, len - 1, pic, text)))
		return;
	if (p->pic < 2 && !equals)
		take_event(p, p->pic, token);
	else
		wrong(p, "neither a counter nor a flag:", token);
}

/*
 * Check that both events are complete.  Some flags are fields of an event code, so they are invalid
 * for an event with a name.
 */
static void check(struct parse *p)
{
	for (int i = 0; i < 2; i++) {
		if (!p->given[i])
			wrong(p, "no event for counter", i ? "1" : "0");
		else if (p->pes[i] & V1_NAMED &&
			 (p->umask[i] || p->pes[i] & (V1_EDGE | V1_INVERT | V1_CMASK)))
			wrong(p, "only allowed with event codes:", "edge, inv, cmask, umask");
	}
}

/**
 * cpc_strtoevent() - parse a string with two events
 * @cpuver: result of cpc_getcpuver()
 * @spec: a string as described by cpc_getusage(), with an event for both counters
 * @event: set if there is no error; ce_pic is 0
 *
 * Return: 0, or the number of errors, for each of which the error function was called.
 */
SHIM_API int cpc_strtoevent(int cpuver, const char *spec, cpc_event_t *event)
{
	struct parse p = { .pes = { V1_USER, V1_USER } };
	char *copy, *rest, *token;

	p.cpc = cpuver == CPC_LINUX ? shim_v1__handle() : NULL;
	copy = rest = spec && event && p.cpc ? strdup(spec) : NULL;
	if (!copy) {
		wrong(&p, "cannot parse:", spec ? spec : "");
		return p.errors;
	}
	while ((token = strsep(&rest, ",")) != NULL)
		take_token(&p, token);
	check(&p);
	free(copy);
	if (!p.errors)
		*event = (cpc_event_t){ .ce_cpuver = cpuver, .ce_pes = { p.pes[0], p.pes[1] } };
	return p.errors;
}

static size_t put(char *buf, size_t size, size_t at, const char *word, int pic, int value)
{
	char text[16] = "";

	if (value >= 0)
		snprintf(text, sizeof(text), "=%d", value);
	return at + (size_t)snprintf(buf + at, size - at, ",%s%d%s", word, pic, text);
}

static size_t put_flags(char *buf, size_t size, size_t at, uint32_t pes, int pic)
{
	if (!(pes & V1_USER))
		at = put(buf, size, at, "nouser", pic, -1);
	if (pes & V1_SYSTEM)
		at = put(buf, size, at, "sys", pic, -1);
	if (pes & V1_EDGE)
		at = put(buf, size, at, "edge", pic, -1);
	if (pes & V1_PIN)
		at = put(buf, size, at, "pc", pic, -1);
	if (pes & V1_INTERRUPT)
		at = put(buf, size, at, "int", pic, -1);
	if (pes & V1_INVERT)
		at = put(buf, size, at, "inv", pic, -1);
	if (pes & V1_CMASK)
		at = put(buf, size, at, "cmask", pic, pes >> 24);
	if (!(pes & V1_NAMED) && pes & 0xff00)
		at = put(buf, size, at, "umask", pic, pes >> 8 & 0xff);
	return at;
}

/**
 * cpc_eventtostr() - format two events as a string
 * @event: from cpc_strtoevent()
 *
 * Return: a string, to be freed by the caller, that cpc_strtoevent() parses into the same events;
 * NULL if @event is invalid.
 */
SHIM_API char *cpc_eventtostr(cpc_event_t *event)
{
	char buf[2 * CPC_MAX_EVENT_LEN + 256], name[CPC_MAX_EVENT_LEN];
	size_t at = 0;

	if (!event || event->ce_cpuver != CPC_LINUX)
		return NULL;
	for (int i = 0; i < 2; i++) {
		uint32_t pes = event->ce_pes[i];

		if (event_of(pes, name, sizeof(name)))
			return NULL;
		if (!(pes & V1_NAMED))
			snprintf(name, sizeof(name), "0x%x", pes & 0xff);
		at += (size_t)snprintf(buf + at, sizeof(buf) - at, "%spic%d=%s", i ? "," : "", i,
				       name);
	}
	for (int i = 0; i < 2; i++)
		at = put_flags(buf, sizeof(buf), at, event->ce_pes[i], i);
	return strdup(buf);
}

/**
 * cpc_getusage() - describe the syntax of cpc_strtoevent()
 * @cpuver: result of cpc_getcpuver()
 *
 * Return: a line, or NULL for another @cpuver.
 */
SHIM_API const char *cpc_getusage(int cpuver)
{
	return cpuver == CPC_LINUX ?
	       "[pic0=]<event0>,[pic1=]<event1>[,sys[0|1]][,nouser[0|1]][,edge[0|1]]"
	       "[,pc[0|1]][,int[0|1]][,inv[0|1]][,cmask[0|1]=<0-255>][,umask[0|1]=<0-255>]" : NULL;
}

struct walk {
	int regno;
	void *arg;
	void (*action)(void *arg, int regno, const char *name, uint8_t bits);
};

static void see_event(void *arg, const char *event)
{
	const struct walk *walk = arg;

	walk->action(walk->arg, walk->regno, event, 0);
}

/**
 * cpc_walk_names() - visit all names that a counter's event can have
 * @cpuver: result of cpc_getcpuver()
 * @regno: the counter, 0 or 1
 * @arg: argument for @action
 * @action: called for each name; @bits, formerly the event's code, is 0
 */
SHIM_API void cpc_walk_names(int cpuver, int regno, void *arg,
			     void (*action)(void *arg, int regno, const char *name, uint8_t bits))
{
	struct walk walk = { regno, arg, action };
	cpc_t *cpc = cpuver == CPC_LINUX ? shim_v1__handle() : NULL;

	if (!cpc || regno < 0 || regno > 1 || !action)
		return;
	cpc_walk_events_all(cpc, &walk, see_event);
	cpc_walk_generic_events_all(cpc, &walk, see_event);
}

/**
 * cpc_event_accum() - add values and ticks; the time is set to the later one
 * @accum: the sum so far
 * @event: the values to add
 */
SHIM_API void cpc_event_accum(cpc_event_t *accum, cpc_event_t *event)
{
	if (!accum || !event)
		return;
	if (event->ce_hrt > accum->ce_hrt)
		accum->ce_hrt = event->ce_hrt;
	accum->ce_tsc += event->ce_tsc;
	for (int i = 0; i < 2; i++)
		accum->ce_pic[i] += event->ce_pic[i];
}

/**
 * cpc_event_diff() - subtract values and ticks; other fields are copied from the later sample
 * @diff: the difference; may be the same as @after or @before
 * @after: the later sample
 * @before: the earlier sample
 */
SHIM_API void cpc_event_diff(cpc_event_t *diff, cpc_event_t *after, cpc_event_t *before)
{
	cpc_event_t d;

	if (!diff || !after || !before)
		return;
	d = *after;
	d.ce_tsc -= before->ce_tsc;
	for (int i = 0; i < 2; i++)
		d.ce_pic[i] -= before->ce_pic[i];
	*diff = d;
}
