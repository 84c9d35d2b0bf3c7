// SPDX-License-Identifier: LGPL-2.1-or-later
/* Print values, descriptors and labels for people to read. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"
#include "base/decimal.h"
#include "base/process.h"
#include "texts.h"

#define MAX_PADDED	80
#define STRING_SHOWN	34	/* for strings longer than STRING_MAX */
#define STRING_MAX	37
#define BYTES_SHOWN	12
#define NUMBER_ROOM	48	/* enough for 17 digits with sign, point and exponent */
#define FLAG_MISSED	(1u << 31)

static void string_text(const char *s, char *buf, int buflen)
{
	if (!s)
		snprintf(buf, buflen, "<null>");
	else if (strlen(s) > STRING_MAX)
		snprintf(buf, buflen, "\"%.*s...\"", STRING_SHOWN, s);
	else
		snprintf(buf, buflen, "\"%s\"", s);
}

static void block_text(const pmValueBlock *block, char *buf, int buflen)
{
	unsigned int len, shown;
	int at;

	if (!block || block->vlen < PM_VAL_HDR_SIZE) {
		snprintf(buf, buflen, "<null>");
		return;
	}
	len = block->vlen - PM_VAL_HDR_SIZE;
	shown = len < BYTES_SHOWN ? len : BYTES_SHOWN;
	at = snprintf(buf, buflen, "[type=%s len=%u]", pmTypeStr(block->vtype), len);
	for (unsigned int i = 0; i < shown && at < buflen; i++)
		at += snprintf(buf + at, buflen - at, "%s%02x", i % 4 ? "" : " ",
			       (unsigned char)block->vbuf[i]);
	if (len > shown && at < buflen)
		snprintf(buf + at, buflen - at, " ...");
}

static void events_text(const pmValueBlock *block, char *buf, int buflen)
{
	int n = 0;

	if (block && block->vlen >= PM_VAL_HDR_SIZE + sizeof(n))
		memcpy(&n, block->vbuf, sizeof(n));
	if (n == 1)
		snprintf(buf, buflen, "[1 event record]");
	else
		snprintf(buf, buflen, "[%d event records]", n);
}

/*
 * Format a real number with @digits significant digits in the usual notation, or as "%e" if 0.
 * A small number without a fraction is formatted as an integer.
 */
static size_t real_text(char to[NUMBER_ROOM], double real, int digits)
{
	double limit = digits >= 15 ? 1e15 : digits >= 6 ? 1e6 : 0;

	if (!signbit(real) && real < limit && real == (double)(int64_t)real)
		return shim_decimal__signed(to, (int64_t)real);
	return (size_t)(digits ? snprintf(to, NUMBER_ROOM, "%.*g", digits, real) :
				 snprintf(to, NUMBER_ROOM, "%e", real));
}

static size_t number_text(char to[NUMBER_ROOM], const pmAtomValue *v, int type, int digits)
{
	switch (type) {
	case PM_TYPE_32:
		return shim_decimal__signed(to, v->l);
	case PM_TYPE_U32:
		return shim_decimal__unsigned(to, v->ul);
	case PM_TYPE_64:
		return shim_decimal__signed(to, v->ll);
	case PM_TYPE_U64:
		return shim_decimal__unsigned(to, v->ull);
	}
	return real_text(to, type == PM_TYPE_FLOAT ? (double)v->f : v->d, digits);
}

/* Copy a text like snprintf(). */
static void put_text(char *buf, int buflen, const char *text, size_t len)
{
	if (!buflen)
		return;
	if (len >= (size_t)buflen)
		len = (size_t)buflen - 1;
	memcpy(buf, text, len);
	buf[len] = '\0';
}

/**
 * pmAtomStr_r() - format a value in a few characters
 * @avp: the value
 * @type: the value's type
 * @buf: buffer of @buflen bytes; 80 are always enough
 * @buflen: at least 1
 *
 * Return: @buf.
 */
SHIM_API char *pmAtomStr_r(const pmAtomValue *avp, int type, char *buf, int buflen)
{
	char number[NUMBER_ROOM];

	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
	case PM_TYPE_64:
	case PM_TYPE_U64:
	case PM_TYPE_FLOAT:
	case PM_TYPE_DOUBLE:
		put_text(buf, buflen, number, number_text(number, avp, type, 0));
		break;
	case PM_TYPE_STRING:
		string_text(avp->cp, buf, buflen);
		break;
	case PM_TYPE_AGGREGATE:
	case PM_TYPE_AGGREGATE_STATIC:
		block_text(avp->vbp, buf, buflen);
		break;
	case PM_TYPE_EVENT:
	case PM_TYPE_HIGHRES_EVENT:
		events_text(avp->vbp, buf, buflen);
		break;
	case PM_TYPE_NOSUPPORT:
		snprintf(buf, buflen, "Error: unexpected type: Not Supported");
		break;
	case PM_TYPE_UNKNOWN:
		snprintf(buf, buflen, "Error: unexpected type: Unknown");
		break;
	default:
		snprintf(buf, buflen, "Error: unexpected type: Illegal type=%d", type);
	}
	return buf;
}

SHIM_API const char *pmAtomStr(const pmAtomValue *avp, int type)
{
	struct shim_texts *texts = shim_texts();

	return pmAtomStr_r(avp, type, texts->atom, sizeof(texts->atom));
}

static void pad(FILE *f, const char *blank, int minwidth, int width)
{
	fprintf(f, "%s%*s", blank, minwidth > width ? minwidth - width : 0, "");
}

static void print_string(FILE *f, const pmAtomValue *v, int minwidth)
{
	size_t len = strlen(v->cp);
	char text[2 * MAX_PADDED + 2];

	if (len > MAX_PADDED || minwidth > (int)len + 2) {
		pad(f, "", minwidth, (int)len + 2);
		fprintf(f, "\"%s\"", v->cp);
		return;
	}
	text[0] = '"';
	memcpy(text + 1, v->cp, len);
	text[len + 1] = '"';
	fwrite(text, 1, len + 2, f);
}

/* Print a 32-bit word of unknown type as an integer, as a float, and in hexadecimal. */
static void print_word(FILE *f, const pmValue *val, int minwidth)
{
	float x;

	memcpy(&x, &val->value.lval, sizeof(x));
	fprintf(f, "%*u", minwidth, (unsigned int)val->value.lval);
	if (!isnan(x))
		fprintf(f, " %*.8g", minwidth, (double)x);
	fprintf(f, " 0x%*x", minwidth > 2 ? minwidth - 2 : minwidth, (unsigned int)val->value.lval);
}

static int printable(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)s[i]))
			return 0;
	return 1;
}

/* Print a block of unknown type in each possible representation, each padded to the width. */
static void print_bytes(FILE *f, const pmValueBlock *block, int minwidth)
{
	size_t len = block->vlen - PM_VAL_HDR_SIZE;
	const char *blank = "";
	pmAtomValue v;

	if (len == sizeof(v.ull)) {
		memcpy(&v, block->vbuf, len);
		fprintf(f, "%*" PRIu64, minwidth, v.ull);
		blank = " ";
		if (!isnan(v.d))
			fprintf(f, " %*.16g", minwidth, v.d);
	} else if (len == sizeof(v.f)) {
		memcpy(&v, block->vbuf, len);
		if (!isnan(v.f)) {
			fprintf(f, "%*.8g", minwidth, (double)v.f);
			blank = " ";
		}
	}
	if (printable(block->vbuf, len)) {
		pad(f, blank, minwidth, (int)len + 2);
		fprintf(f, "\"%.*s\"", (int)len, block->vbuf);
		blank = " ";
	}
	pad(f, blank, minwidth, (int)len * 2 + 2);
	fputc('[', f);
	for (size_t i = 0; i < len; i++)
		fprintf(f, "%02x", (unsigned char)block->vbuf[i]);
	fputc(']', f);
}

/* The state of reading packed event records; @p to @end is the remaining part */
struct events {
	const char *p;
	const char *end;
	int type;
	uint32_t missed;
	uint32_t shown;			/* number of records with a stamp */
	char first[32], last[32];	/* stamps of the first and the last record */
};

/* Consume the next @len bytes.  Return NULL if there are fewer. */
static const char *event_take(struct events *e, size_t len)
{
	const char *at = e->p;

	if ((size_t)(e->end - at) < len)
		return NULL;
	e->p += len;
	return at;
}

/* Format the time of day with millisecond or nanosecond precision, depending on the record. */
static void event_time(const char *head, int type, char *buf, size_t size)
{
	int64_t sec, nsec;
	int32_t sec32, usec;
	struct tm tm = { 0 };
	time_t t;
	size_t len;

	if (type == PM_TYPE_EVENT) {
		memcpy(&sec32, head, 4);
		memcpy(&usec, head + 4, 4);
		sec = sec32;
		nsec = usec * 1000LL;
	} else {
		memcpy(&sec, head, 8);
		memcpy(&nsec, head + 8, 8);
	}
	t = sec;
	localtime_r(&t, &tm);
	len = strftime(buf, size, "%H:%M:%S", &tm);
	if (type == PM_TYPE_EVENT)
		snprintf(buf + len, size - len, ".%03d", (int)(nsec / 1000000 % 1000));
	else
		snprintf(buf + len, size - len, ".%09d", (int)(nsec % 1000000000));
}

/* Skip one record.  Return 0, or -1 if it is malformed. */
static int pass_event(struct events *e)
{
	size_t stamp = e->type == PM_TYPE_EVENT ? 8 : 16;
	const char *head = event_take(e, stamp + 8);
	uint32_t flags, n;

	if (!head)
		return -1;
	memcpy(&flags, head + stamp, 4);
	memcpy(&n, head + stamp + 4, 4);
	if (flags & FLAG_MISSED) {
		e->missed += n;
		return 0;
	}
	event_time(head, e->type, e->last, sizeof(e->last));
	if (!e->shown++)
		memcpy(e->first, e->last, sizeof(e->first));
	while (n--) {
		const char *parameter = event_take(e, 8);
		uint32_t word;

		if (!parameter)
			return -1;
		memcpy(&word, parameter + 4, 4);
		word &= PM_VAL_VLEN_MAX;
		if (word < PM_VAL_HDR_SIZE || !event_take(e, (word - PM_VAL_HDR_SIZE + 3) & ~3u))
			return -1;
	}
	return 0;
}

/* As in PCP, the text is not padded to a width. */
static void print_events(FILE *f, const pmValueBlock *block, int type)
{
	struct events e = {
		.p = block->vbuf, .end = (const char *)block + block->vlen, .type = type,
	};
	uint32_t n = 0;
	char text[160];
	int at;

	if (event_take(&e, sizeof(n)))
		memcpy(&n, block->vbuf, sizeof(n));
	for (uint32_t i = 0; i < n; i++)
		if (pass_event(&e))
			break;
	at = snprintf(text, sizeof(text), "[%u event record%s", n, n == 1 ? "" : "s");
	if (e.missed)
		at += snprintf(text + at, sizeof(text) - at, " (%u missed)", e.missed);
	if (e.shown)
		at += snprintf(text + at, sizeof(text) - at, " timestamp%s %s%s%s",
			       n > 1 ? "s" : "", e.first, n > 1 ? "..." : "",
			       n > 1 ? e.last : "");
	fprintf(f, "%s]", text);
}

/* Significant digits of a number, from 1 to @most, if the environment specifies them */
static const struct precision {
	const char *variable;
	int usual, most;
} precisions[] = {
	[PM_TYPE_FLOAT] = { "PCP_FLOAT_PRECISION", 8, 10 },
	[PM_TYPE_DOUBLE] = { "PCP_DOUBLE_PRECISION", 16, 18 },
};

static int read_precision(const struct precision *p)
{
	const char *text = shim_environ__get(p->variable);
	char *end;
	long n;

	if (!text)
		return p->usual;
	n = strtol(text, &end, 10);
	if (end != text && !*end && n >= 1 && n <= p->most)
		return (int)n;
	pmprintf("%s: '%s' is ignored; use a number of digits from 1 to %d\n", p->variable, text,
		 p->most);
	return p->usual;
}

/*
 * Return the precision of a type.  As in PCP, the variable is read only when the process first
 * prints a number of this type.
 */
static int precision(int type)
{
	static int known[PM_TYPE_DOUBLE + 1];
	int n = __atomic_load_n(&known[type], __ATOMIC_RELAXED);

	if (!n) {
		n = read_precision(&precisions[type]);
		__atomic_store_n(&known[type], n, __ATOMIC_RELAXED);
	}
	return n;
}

static void print_number(FILE *f, const pmAtomValue *v, int type, int w)
{
	char text[MAX_PADDED + NUMBER_ROOM], *number = text + MAX_PADDED;
	size_t len, more = 0;

	len = number_text(number, v, type, type == PM_TYPE_FLOAT || type == PM_TYPE_DOUBLE ?
			  precision(type) : 0);
	if (w > MAX_PADDED || w < 0) {
		fprintf(f, "%*s", w, number);
		return;
	}
	if ((size_t)w > len)
		more = (size_t)w - len;
	memset(number - more, ' ', more);
	fwrite(number - more, 1, len + more, f);
}

/**
 * pmPrintValue() - print a value of a result
 * @f: the output stream
 * @valfmt: format of the value set
 * @type: type of the metric
 * @val: the value
 * @minwidth: minimum width; the value is padded on the left
 *
 * A value that does not have its metric's type is printed in every possible representation.
 */
SHIM_API void pmPrintValue(FILE *f, int valfmt, int type, const pmValue *val, int minwidth)
{
	const pmValueBlock *block = valfmt == PM_VAL_INSITU ? NULL : val->value.pval;
	pmAtomValue v;

	if (type >= PM_TYPE_32 && type <= PM_TYPE_STRING &&
	    !pmExtractValue(valfmt, val, type, &v, type)) {
		if (type == PM_TYPE_STRING) {
			print_string(f, &v, minwidth);
			free(v.cp);
		} else {
			print_number(f, &v, type, minwidth);
		}
	} else if (!block) {
		print_word(f, val, minwidth);
	} else if (type == PM_TYPE_EVENT || type == PM_TYPE_HIGHRES_EVENT) {
		print_events(f, block, type);
	} else {
		print_bytes(f, block, minwidth);
	}
}

static const struct {
	int type;
	const char *text;
} types[] = {
	{ PM_TYPE_32, "32-bit int" },
	{ PM_TYPE_U32, "32-bit unsigned int" },
	{ PM_TYPE_64, "64-bit int" },
	{ PM_TYPE_U64, "64-bit unsigned int" },
	{ PM_TYPE_FLOAT, "float" },
	{ PM_TYPE_DOUBLE, "double" },
	{ PM_TYPE_STRING, "string" },
	{ PM_TYPE_AGGREGATE, "aggregate" },
	{ PM_TYPE_AGGREGATE_STATIC, "static aggregate" },
	{ PM_TYPE_EVENT, "event record array" },
	{ PM_TYPE_HIGHRES_EVENT, "highres event record array" },
};

static void print_type(FILE *f, int type)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		if (types[i].type == type) {
			fputs(types[i].text, f);
			return;
		}
	}
	fprintf(f, "??? (%d)", type);
}

static void print_semantics(FILE *f, int sem)
{
	if (sem == PM_SEM_COUNTER || sem == PM_SEM_INSTANT || sem == PM_SEM_DISCRETE) {
		char buf[20];

		fputs(pmSemStr_r(sem, buf, sizeof(buf)), f);
	} else {
		fprintf(f, "??? (%d)", sem);
	}
}

/**
 * pmPrintDesc() - print a descriptor as two lines
 * @f: the output stream
 * @desc: the descriptor
 */
SHIM_API void pmPrintDesc(FILE *f, const pmDesc *desc)
{
	char indom[20], units[80];

	fputs("    Data Type: ", f);
	if (desc->type == PM_TYPE_NOSUPPORT) {
		fputs("Not Supported\n", f);
		return;
	}
	print_type(f, desc->type);
	fprintf(f, "  InDom: %s 0x%x\n", pmInDomStr_r(desc->indom, indom, sizeof(indom)),
		desc->indom);
	fputs("    Semantics: ", f);
	print_semantics(f, desc->sem);
	pmUnitsStr_r(&desc->units, units, sizeof(units));
	fprintf(f, "  Units: %s\n", *units ? units : "none");
}

static const struct {
	int level;
	const char *name;
} levels[] = {
	{ PM_LABEL_CONTEXT, "context" },
	{ PM_LABEL_DOMAIN, "domain" },
	{ PM_LABEL_INDOM, "indom" },
	{ PM_LABEL_CLUSTER, "cluster" },
	{ PM_LABEL_ITEM, "pmid" },
	{ PM_LABEL_INSTANCES, "instances" },
};

static const char *level_name(int level)
{
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		if (levels[i].level == level)
			return levels[i].name;
	return "?";
}

/* Print the object to which the labels belong. */
static void print_owner(FILE *f, int ident, int type)
{
	char buf[20];

	switch (type) {
	case PM_LABEL_CONTEXT:
		fputs("Context", f);
		break;
	case PM_LABEL_DOMAIN:
		fprintf(f, "Domain %u", ident);
		break;
	case PM_LABEL_CLUSTER:
		fprintf(f, "Cluster %u.%u", pmID_domain(ident), pmID_cluster(ident));
		break;
	case PM_LABEL_ITEM:
		fprintf(f, "PMID %s", pmIDStr_r(ident, buf, sizeof(buf)));
		break;
	case PM_LABEL_INDOM:
	case PM_LABEL_INSTANCES:
		fprintf(f, "InDom %s", pmInDomStr_r(ident, buf, sizeof(buf)));
		break;
	}
}

static void print_label(FILE *f, int i, const pmLabel *label)
{
	fprintf(f, "        [%d] name(%d,%d) : value(%d,%d) [%s%s%s]\n", i, label->name,
		label->namelen, label->value, label->valuelen,
		level_name(label->flags & ~(PM_LABEL_COMPOUND | PM_LABEL_OPTIONAL)),
		label->flags & PM_LABEL_COMPOUND ? ",compound" : "",
		label->flags & PM_LABEL_OPTIONAL ? ",optional" : "");
}

/**
 * pmPrintLabelSets() - print sets of labels, one line for each set and each label
 * @f: the output stream
 * @ident: the object that they describe: a domain, pmID or pmInDom
 * @type: type of @ident: one of PM_LABEL_CONTEXT to PM_LABEL_INSTANCES
 * @sets: the sets
 * @nsets: number of sets
 */
SHIM_API void pmPrintLabelSets(FILE *f, int ident, int type, pmLabelSet *sets, int nsets)
{
	for (int i = 0; i < nsets; i++) {
		const pmLabelSet *set = &sets[i];

		fputs("    ", f);
		print_owner(f, ident, type);
		if (type & PM_LABEL_INSTANCES)
			fprintf(f, "[%u]", set->inst);
		fprintf(f, " labels (%u bytes): %.*s\n", set->jsonlen,
			set->json ? (int)set->jsonlen : 6, set->json ? set->json : "(null)");
		for (int j = 0; j < set->nlabels; j++)
			print_label(f, j, &set->labels[j]);
	}
}
