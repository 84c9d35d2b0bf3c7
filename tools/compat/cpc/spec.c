// SPDX-License-Identifier: GPL-2.0-or-later
/* Parse [picN=]EVENT[,ATTR[N][=VALUE]]... into a set of libcpc. */
#define _GNU_SOURCE
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "spec.h"

static void silent(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)subcode;
	(void)fmt;
	(void)ap;
}

static int is_event(cpc_t *cpc, const char *event)
{
	cpc_set_t *set = cpc_set_create(cpc);
	int ret;

	cpc_seterrhndlr(cpc, silent);
	ret = set ? cpc_set_add_request(cpc, set, event, 0, CPC_COUNT_USER, 0, NULL) : -1;
	cpc_seterrhndlr(cpc, command_complain);
	if (set)
		cpc_set_destroy(cpc, set);
	return !ret;
}

struct sought {
	const char *name;
	size_t len;
	int found;
};

static void see_attr(void *arg, const char *attr)
{
	struct sought *name = arg;

	if (strcmp(attr, "picnum") && strlen(attr) == name->len &&
	    !strncmp(attr, name->name, name->len))
		name->found = 1;
}

/*
 * Return whether @name is an attribute that libcpc knows, or one of the mode words "nouser" and
 * "sys".
 */
static int is_attr(cpc_t *cpc, const char *name, size_t len)
{
	struct sought it = { name, len, 0 };

	see_attr(&it, "nouser");
	see_attr(&it, "sys");
	cpc_walk_attrs(cpc, &it, see_attr);
	return it.found;
}

static int set_event(cpc_t *cpc, struct cpcspec *spec, int pic, const char *event)
{
	if (pic >= spec->npic) {
		command_error("counter %d does not exist\n", pic);
		return -1;
	}
	if (spec->event[pic]) {
		command_error("pic%d is specified twice\n", pic);
		return -1;
	}
	if (!is_event(cpc, event)) {
		command_error("pic%d cannot count '%s'\n", pic, event);
		return -1;
	}
	spec->event[pic] = strdup(event);
	spec->nreqs++;
	return spec->event[pic] ? 0 : -1;
}

/* Assign an event without picN= to the counter above the highest one in use. */
static int next_event(cpc_t *cpc, struct cpcspec *spec, const char *event)
{
	int pic = spec->npic;

	while (pic > 0 && !spec->event[pic - 1])
		pic--;
	if (pic == spec->npic || !is_event(cpc, event)) {
		command_error("bad token '%s'\n", event);
		return -1;
	}
	return set_event(cpc, spec, pic, event);
}

/* The mode words "sys" and "nouser" have no value.  If there is one, it is ignored. */
static int is_mode(const char *name, size_t len)
{
	return (len == 3 && !strncmp(name, "sys", len)) || (len == 6 && !strncmp(name, "nouser", len));
}

static int set_attr(struct cpcspec *spec, const char *name, size_t len, int pic,
			    const char *text)
{
	struct cpcspec_attr *attr = &spec->attr[spec->nattrs];
	char *end;

	if (spec->nattrs == CPCSPEC_ATTRS || len >= sizeof(attr->name) || pic >= spec->npic) {
		command_error("bad token '%s'\n", name);
		return -1;
	}
	attr->value = 1;
	if (text && !is_mode(name, len)) {
		attr->value = (uint64_t)strtoll(text, &end, 0);
		if (end == text) {
			command_error("'%s' is not a number\n", text);
			return -1;
		}
	}
	memcpy(attr->name, name, len);
	attr->name[len] = '\0';
	attr->pic = pic;
	spec->nattrs++;
	return 0;
}

/* Parse one comma-separated part. */
static int take_token(cpc_t *cpc, struct cpcspec *spec, char *token)
{
	char *equals = strchr(token, '=');
	size_t len = equals ? (size_t)(equals - token) : strlen(token);
	size_t stem = len;
	int pic = -1;

	while (stem && isdigit((unsigned char)token[stem - 1]))
		stem--;
	if (is_attr(cpc, token, len))
		return set_attr(spec, token, len, -1, equals ? equals + 1 : NULL);
	if (stem < len && len - stem < 9)
		pic = atoi(token + stem);
	if (pic >= 0 && stem == 3 && !strncmp(token, "pic", 3)) {
		if (equals && equals[1])
			return set_event(cpc, spec, pic, equals + 1);
		command_error("pic%d requires an event\n", pic);
		return -1;
	}
	if (pic >= 0 && stem && is_attr(cpc, token, stem))
		return set_attr(spec, token, stem, pic, equals ? equals + 1 : NULL);
	return next_event(cpc, spec, token);
}

/* Return 0, or -1 after printing a message. */
int cpcspec_parse(cpc_t *cpc, const char *text, struct cpcspec *spec)
{
	char *copy = strdup(text), *rest = copy, *token;
	int ret = copy ? 0 : -1;

	*spec = (struct cpcspec){ .text = text, .npic = (int)cpc_npic(cpc) };
	spec->event = calloc((size_t)spec->npic + 1, sizeof(*spec->event));
	if (!spec->event)
		ret = -1;
	while (!ret && (token = strsep(&rest, ",")) != NULL)
		ret = take_token(cpc, spec, token);
	free(copy);
	if (!ret && !spec->nreqs) {
		command_error("'%s' has no events\n", text);
		ret = -1;
	}
	return ret;
}

void cpcspec_free(struct cpcspec *spec)
{
	for (int pic = 0; spec->event && pic < spec->npic; pic++)
		free(spec->event[pic]);
	free(spec->event);
}

static int add(cpc_t *cpc, cpc_set_t *set, struct cpcspec *spec, int pic)
{
	static char picnum[] = "picnum";
	cpc_attr_t attrs[CPCSPEC_ATTRS + 1];
	uint_t flags = CPC_COUNT_USER, n = 0, i;

	for (int a = 0; a < spec->nattrs; a++) {
		struct cpcspec_attr *attr = &spec->attr[a];

		if (attr->pic >= 0 && attr->pic != pic)
			continue;
		if (!strcmp(attr->name, "nouser")) {
			flags &= ~(uint_t)CPC_COUNT_USER;
			continue;
		}
		if (!strcmp(attr->name, "sys")) {
			flags |= CPC_COUNT_SYSTEM;
			continue;
		}
		for (i = 0; i < n && strcmp(attrs[i].ca_name, attr->name); i++)
			;
		if (i == n)
			attrs[n++] = (cpc_attr_t){ attr->name, attr->value };
	}
	attrs[n++] = (cpc_attr_t){ picnum, (uint64_t)pic };
	return cpc_set_add_request(cpc, set, spec->event[pic], 0, flags, n, attrs);
}

/* Create a libcpc set with a request for each counter in use.  Return NULL after a message. */
cpc_set_t *cpcspec_set(cpc_t *cpc, struct cpcspec *spec)
{
	cpc_set_t *set = cpc_set_create(cpc);

	for (int pic = 0; set && pic < spec->npic; pic++) {
		if (spec->event[pic] && add(cpc, set, spec, pic) < 0) {
			cpc_set_destroy(cpc, set);
			set = NULL;
		}
	}
	return set;
}
