/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Event sets on the command lines of cputrack and cpustat, and their columns:
 * [picN=]EVENT[,ATTR[N][=VALUE]]..., parsed into a set of libcpc.
 */
#ifndef CPCSPEC_H
#define CPCSPEC_H

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpc/libcpc.h"

#define CPCSPEC_ATTRS	32
#define CPCSPEC_TICK	"tick"
#define NS_PER_S	1e9

/* An attribute as it was given, of one counter or of all */
struct cpcspec_attr {
	char name[CPC_MAX_ATTR_LEN];
	int pic;		/* -1: of all */
	uint64_t value;
};

/*
 * struct cpcspec - an event set that was asked for
 * @text: as it was given
 * @event: by the counter's number, NULL for none
 * @npic: number of counters
 * @nreqs: how many of them are used
 * @attr: in the order given, of which the first of a name counts
 */
struct cpcspec {
	const char *text;
	char **event;
	int npic;
	int nreqs;
	int nattrs;
	struct cpcspec_attr attr[CPCSPEC_ATTRS];
};

static const char *cpcspec_program;
static int cpcspec_debug;

static void cpcspec_complain(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)subcode;
	fprintf(stderr, "%s: ", cpcspec_program);
	if (cpcspec_debug)
		fprintf(stderr, "%s: ", fn);
	vfprintf(stderr, fmt, ap);
}

static void __attribute__((format(printf, 1, 2))) cpcspec_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	cpcspec_complain("strtoset", 0, fmt, ap);
	va_end(ap);
}

static void cpcspec_silent(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)subcode;
	(void)fmt;
	(void)ap;
}

static int cpcspec_is_event(cpc_t *cpc, const char *event)
{
	cpc_set_t *set = cpc_set_create(cpc);
	int ret;

	cpc_seterrhndlr(cpc, cpcspec_silent);
	ret = set ? cpc_set_add_request(cpc, set, event, 0, CPC_COUNT_USER, 0, NULL) : -1;
	cpc_seterrhndlr(cpc, cpcspec_complain);
	if (set)
		cpc_set_destroy(cpc, set);
	return !ret;
}

struct cpcspec_name {
	const char *name;
	size_t len;
	int found;
};

static void cpcspec_see_attr(void *arg, const char *attr)
{
	struct cpcspec_name *name = arg;

	if (strcmp(attr, "picnum") && strlen(attr) == name->len &&
	    !strncmp(attr, name->name, name->len))
		name->found = 1;
}

/* Is it an attribute here, or one of the two words for modes? */
static int cpcspec_is_attr(cpc_t *cpc, const char *name, size_t len)
{
	struct cpcspec_name it = { name, len, 0 };

	cpcspec_see_attr(&it, "nouser");
	cpcspec_see_attr(&it, "sys");
	cpc_walk_attrs(cpc, &it, cpcspec_see_attr);
	return it.found;
}

static int cpcspec_set_event(cpc_t *cpc, struct cpcspec *spec, int pic, const char *event)
{
	if (pic >= spec->npic) {
		cpcspec_error("there is no counter %d\n", pic);
		return -1;
	}
	if (spec->event[pic]) {
		cpcspec_error("pic%d is specified twice\n", pic);
		return -1;
	}
	if (!cpcspec_is_event(cpc, event)) {
		cpcspec_error("pic%d cannot count '%s'\n", pic, event);
		return -1;
	}
	spec->event[pic] = strdup(event);
	spec->nreqs++;
	return spec->event[pic] ? 0 : -1;
}

/* An event by itself goes to the counter above the highest that is used. */
static int cpcspec_next_event(cpc_t *cpc, struct cpcspec *spec, const char *event)
{
	int pic = spec->npic;

	while (pic > 0 && !spec->event[pic - 1])
		pic--;
	if (pic == spec->npic || !cpcspec_is_event(cpc, event)) {
		cpcspec_error("bad token '%s'\n", event);
		return -1;
	}
	return cpcspec_set_event(cpc, spec, pic, event);
}

static int cpcspec_set_attr(struct cpcspec *spec, const char *name, size_t len, int pic,
			    const char *text)
{
	struct cpcspec_attr *attr = &spec->attr[spec->nattrs];
	char *end;

	if (spec->nattrs == CPCSPEC_ATTRS || len >= sizeof(attr->name) || pic >= spec->npic) {
		cpcspec_error("bad token '%s'\n", name);
		return -1;
	}
	attr->value = 1;
	if (text) {
		attr->value = (uint64_t)strtoll(text, &end, 0);
		if (end == text) {
			cpcspec_error("'%s' is not a number\n", text);
			return -1;
		}
	}
	memcpy(attr->name, name, len);
	attr->name[len] = '\0';
	attr->pic = pic;
	spec->nattrs++;
	return 0;
}

/* One of the parts between commas */
static int cpcspec_token(cpc_t *cpc, struct cpcspec *spec, char *token)
{
	char *equals = strchr(token, '=');
	size_t len = equals ? (size_t)(equals - token) : strlen(token);
	size_t stem = len;
	int pic = -1;

	while (stem && isdigit((unsigned char)token[stem - 1]))
		stem--;
	if (cpcspec_is_attr(cpc, token, len))
		return cpcspec_set_attr(spec, token, len, -1, equals ? equals + 1 : NULL);
	if (stem < len && len - stem < 9)
		pic = atoi(token + stem);
	if (pic >= 0 && stem == 3 && !strncmp(token, "pic", 3)) {
		if (equals && equals[1])
			return cpcspec_set_event(cpc, spec, pic, equals + 1);
		cpcspec_error("pic%d needs an event\n", pic);
		return -1;
	}
	if (pic >= 0 && stem && cpcspec_is_attr(cpc, token, stem))
		return cpcspec_set_attr(spec, token, stem, pic, equals ? equals + 1 : NULL);
	return cpcspec_next_event(cpc, spec, token);
}

/* 0, or -1 after an error was told */
static int cpcspec_parse(cpc_t *cpc, const char *text, struct cpcspec *spec)
{
	char *copy = strdup(text), *rest = copy, *token;
	int ret = copy ? 0 : -1;

	*spec = (struct cpcspec){ .text = text, .npic = (int)cpc_npic(cpc) };
	spec->event = calloc((size_t)spec->npic + 1, sizeof(*spec->event));
	if (!spec->event)
		ret = -1;
	while (!ret && (token = strsep(&rest, ",")) != NULL)
		ret = cpcspec_token(cpc, spec, token);
	free(copy);
	if (!ret && !spec->nreqs) {
		cpcspec_error("'%s' has no events\n", text);
		ret = -1;
	}
	return ret;
}

static void cpcspec_free(struct cpcspec *spec)
{
	for (int pic = 0; spec->event && pic < spec->npic; pic++)
		free(spec->event[pic]);
	free(spec->event);
}

static int cpcspec_add(cpc_t *cpc, cpc_set_t *set, struct cpcspec *spec, int pic)
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

/* A new set of libcpc for it: requests by their counters' numbers; NULL: told */
static cpc_set_t *cpcspec_set(cpc_t *cpc, struct cpcspec *spec)
{
	cpc_set_t *set = cpc_set_create(cpc);

	for (int pic = 0; set && pic < spec->npic; pic++) {
		if (spec->event[pic] && cpcspec_add(cpc, set, spec, pic) < 0) {
			cpc_set_destroy(cpc, set);
			set = NULL;
		}
	}
	return set;
}

/* The header's columns behind what each command begins with */
static void cpcspec_columns(FILE *out, const struct cpcspec *spec, int tick)
{
	if (tick)
		fprintf(out, "%9s ", CPCSPEC_TICK);
	for (int pic = 0; pic < spec->npic; pic++)
		if (spec->event[pic])
			fprintf(out, "%8s%-2d", "pic", pic);
	fputc('\n', out);
}

/* A line's values and its end */
static void cpcspec_values(FILE *out, cpc_t *cpc, const struct cpcspec *spec, cpc_buf_t *buf,
			   int tick, int several)
{
	uint64_t value;

	if (tick)
		fprintf(out, "%9lld ", (long long)cpc_buf_tick(cpc, buf));
	for (int i = 0; i < spec->nreqs; i++) {
		value = 0;
		cpc_buf_get(cpc, buf, i, &value);
		fprintf(out, "%9lld ", (long long)value);
	}
	if (several)
		fprintf(out, " # %s", spec->text);
	fputc('\n', out);
}

/* Words in lines of 76 characters, those after the first behind a margin */
struct cpcspec_list {
	FILE *out;
	int margin;
	int column;
	const char *separator;
};

static void cpcspec_word(struct cpcspec_list *list, const char *word)
{
	int len = (int)strlen(word) + 1;

	if (list->column > list->margin && list->column + len > 76) {
		fprintf(list->out, "\n%*s", list->margin, "");
		list->column = list->margin;
	}
	list->column += fprintf(list->out, "%s%s", word, list->separator);
}

static void cpcspec_list_event(void *arg, const char *event)
{
	cpcspec_word(arg, event);
}

static void cpcspec_list_attr(void *arg, const char *attr)
{
	if (strcmp(attr, "picnum"))
		cpcspec_word(arg, attr);
}

static void cpcspec_label(struct cpcspec_list *list, const char *label)
{
	list->column = fprintf(list->out, "\t%s ", label) + 7;
	if (list->column < list->margin)
		list->column += fprintf(list->out, "%*s", list->margin - list->column, "");
}

/* What can be counted here, for -h: all counters count the same. */
static void cpcspec_capabilities(FILE *out, cpc_t *cpc)
{
	struct cpcspec_list list = { out, 17, 0, " " };
	char label[32], *reference = strdup(cpc_cpuref(cpc)), *rest = reference, *word;

	snprintf(label, sizeof(label), "event[0-%u]:", cpc_npic(cpc) - 1);
	fprintf(out, "\n\tCPU performance counter interface: %s\n\n", cpc_cciname(cpc));
	fputs("\tevent specification syntax:\n"
	      "\t[picn=]<eventn>[,attr[n][=<val>]][,[picn=]<eventn>[,attr[n][=<val>]],...]\n\n"
	      "\tGeneric Events:\n\n", out);
	cpcspec_label(&list, label);
	cpc_walk_generic_events_all(cpc, &list, cpcspec_list_event);
	fputs("\n\n\tPlatform Specific Events:\n\n", out);
	cpcspec_label(&list, label);
	cpc_walk_events_all(cpc, &list, cpcspec_list_event);
	list.margin = 20;
	fputs("\n\n", out);
	cpcspec_label(&list, "attributes:");
	cpc_walk_attrs(cpc, &list, cpcspec_list_attr);
	cpcspec_word(&list, "nouser");
	cpcspec_word(&list, "sys");
	list.margin = 8;
	fputs("\n\n\t", out);
	list.column = 8;
	while (reference && (word = strsep(&rest, " ")) != NULL)
		cpcspec_word(&list, word);
	fputs("\n", out);
	free(reference);
}

static cpc_t *cpcspec_open(const char *program)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);

	cpcspec_program = program;
	if (cpc)
		cpc_seterrhndlr(cpc, cpcspec_complain);
	else
		fprintf(stderr, "%s: cannot access performance counter library - %s\n", program,
			strerror(errno));
	return cpc;
}

#endif /* CPCSPEC_H */
