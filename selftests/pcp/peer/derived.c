// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run calls on derived metrics from a script on standard input; print each call's result and each
 * value to the last bit.  The build with libshim and the build with PCP's own library must print
 * the same output.
 *
 * The first word of a line is the call, the second its object, and the rest its argument.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>

#define NAMES_MAX 64

#if PMAPI_VERSION >= 4
typedef struct timespec stamp;
#define START(label)	((label).start)
#define FRACTION(t)	((long)(t).tv_nsec)
#else
typedef struct timeval stamp;
#define START(label)	((label).ll_start)
#define FRACTION(t)	((long)(t).tv_usec)
#endif

static stamp window_start;

static int set_mode(int mode, const stamp *when, int seconds)
{
#if PMAPI_VERSION >= 4
	struct timespec delta = { seconds, 0 };

	return pmSetMode(mode, when, &delta);
#else
	return pmSetMode(mode | (seconds ? PM_XTB_SET(PM_TIME_SEC) : 0), when, seconds);
#endif
}

static const char *text_of(int code)
{
	static char buf[PM_MAXERRMSGLEN];

	return pmErrStr_r(code, buf, sizeof(buf));
}

static void say(int code)
{
	printf(" %d", code);
	if (code < 0)
		printf(" %s", text_of(code));
	putchar('\n');
}

static void said(const char *expr, const char *at)
{
	const char *why = pmDerivedErrStr();

	if (!at) {
		puts(" ok");
		return;
	}
	/* If the text is empty, the original's pointer is before its start. */
	printf(" at %d: %s\n", *expr ? (int)(at - expr) : 0, why ? why : "(no reason)");
}

static void wordy(int (*fn)(const char *, const char *, char **), const char *name, char *expr)
{
	char *message = NULL;
	int code = fn(name, expr, &message);

	say(code);
	if (code && message)
		fputs(message, stdout);
	if (code)
		free(message);
}

static void do_register(char *name, char *expr)
{
	said(expr, pmRegisterDerived(name, expr));
}

static void do_register_wordy(char *name, char *expr)
{
	wordy(pmRegisterDerivedMetric, name, expr);
}

static void do_add(char *name, char *expr)
{
	said(expr, pmAddDerived(name, expr));
}

static void do_add_wordy(char *name, char *expr)
{
	wordy(pmAddDerivedMetric, name, expr);
}

static void do_load(char *path, char *rest)
{
	(void)rest;
	say(pmLoadDerivedConfig(path));
}

static void do_archive(char *path, char *rest)
{
	pmLogLabel label;
	int code = pmNewContext(PM_CONTEXT_ARCHIVE, path);

	(void)rest;
	say(code);
	if (code >= 0 && !pmGetArchiveLabel(&label))
		window_start = START(label);
}

static void do_host(char *spec, char *rest)
{
	(void)rest;
	say(pmNewContext(PM_CONTEXT_HOST, spec));
}

static void do_interp(char *seconds, char *rest)
{
	(void)rest;
	say(set_mode(PM_MODE_INTERP, &window_start, atoi(seconds)));
}

static void do_forward(char *none, char *rest)
{
	(void)none;
	(void)rest;
	say(set_mode(PM_MODE_FORW, &window_start, 0));
}

static void do_backward(char *interval, char *rest)
{
	stamp end;

	(void)rest;
	pmGetArchiveEnd(&end);
	say(set_mode(*interval ? PM_MODE_INTERP : PM_MODE_BACK, &end, -atoi(interval)));
}

static int find(const char *name, pmID *pmid)
{
	const char *names[] = { name };

	*pmid = PM_ID_NULL;
	return pmLookupName(1, names, pmid);
}

static void do_desc(char *name, char *rest)
{
	pmDesc desc;
	pmID pmid;
	int code = find(name, &pmid);

	(void)rest;
	printf(" %s", pmIDStr(pmid));
	say(code);
	if (code < 0)
		return;
	memset(&desc, 0, sizeof(desc));
	code = pmLookupDesc(pmid, &desc);
	fputs("desc", stdout);
	say(code);
	if (code < 0)
		return;
	printf("%s\n", pmIDStr(desc.pmid));
	pmPrintDesc(stdout, &desc);
}

static void print_value(const pmValueSet *set, const pmValue *value)
{
	const pmValueBlock *block = value->value.pval;

	printf(" [%d]", value->inst);
	if (set->valfmt == PM_VAL_INSITU) {
		printf(" %08x", value->value.lval);
		return;
	}
	printf(" t%d:", block->vtype);
	for (unsigned int i = 0; i < block->vlen - PM_VAL_HDR_SIZE; i++)
		printf("%02x", (unsigned char)block->vbuf[i]);
}

static void print_set(const char *name, const pmValueSet *set)
{
	printf("  %s %d", name, set->numval);
	if (set->numval > 0)
		printf(" %s", set->valfmt == PM_VAL_INSITU ? "here" : "there");
	for (int i = 0; i < set->numval; i++)
		print_value(set, &set->vlist[i]);
	putchar('\n');
}

static int split(char *rest, char **words)
{
	int n = 0;

	for (char *word = strtok(rest, " "); word && n < NAMES_MAX; word = strtok(NULL, " "))
		words[n++] = word;
	return n;
}

static void do_fetch(char *times, char *rest)
{
	char *names[NAMES_MAX];
	pmID pmids[NAMES_MAX];
	int n = split(rest, names);

	putchar('\n');
	for (int i = 0; i < n; i++)
		find(names[i], &pmids[i]);
	for (int i = 0; i < atoi(times); i++) {
		pmResult *result;
		int code = pmFetch(n, pmids, &result);

		fputs(" fetch", stdout);
		say(code);
		if (code < 0)
			break;
		printf("  %ld.%06ld %d\n", (long)(result->timestamp.tv_sec), FRACTION(result->timestamp),
		       result->numpmid);
		for (int j = 0; j < result->numpmid; j++)
			print_set(j < n ? names[j] : "?", result->vset[j]);
		pmFreeResult(result);
	}
}

static void do_children(char *name, char *rest)
{
	char **names = NULL;
	int *status = NULL;
	int n = pmGetChildrenStatus(*name == '/' ? "" : name, &names, &status);

	(void)rest;
	say(n);
	for (int i = 0; i < n; i++)
		printf("  %s %d\n", names[i], status[i]);
	if (n > 0) {
		free(names);
		free(status);
	}
}

static void print_name(const char *name)
{
	printf("  %s\n", name);
}

static void do_walk(char *name, char *rest)
{
	(void)rest;
	putchar('\n');
	say(pmTraversePMNS(*name == '/' ? "" : name, print_name));
}

static void do_names(char *name, char *rest)
{
	char **names = NULL, *one = NULL;
	pmID pmid;
	int n;

	(void)rest;
	say(find(name, &pmid));
	n = pmNameAll(pmid, &names);
	say(n);
	for (int i = 0; i < n; i++)
		printf("  %s\n", names[i]);
	if (n > 0)
		free(names);
	n = pmNameID(pmid, &one);
	printf(" %d %s\n", n, n < 0 ? "" : one);
	if (n >= 0)
		free(one);
}

static void do_text(char *name, char *level)
{
	char *text = NULL;
	pmID pmid;
	int code;

	say(find(name, &pmid));
	code = pmLookupText(pmid, atoi(level), &text);
	say(code);
	if (code >= 0 && text)
		printf("<%s>\n", text);
	if (code >= 0)
		free(text);
}

static void do_labels(char *name, char *rest)
{
	pmLabelSet *sets = NULL;
	pmID pmid;
	int n;

	(void)rest;
	say(find(name, &pmid));
	n = pmLookupLabels(pmid, &sets);
	say(n);
	if (n > 0)
		pmFreeLabelSets(sets, n);
}

static void do_dup(char *none, char *rest)
{
	(void)none;
	(void)rest;
	say(pmDupContext());
}

static void do_use(char *handle, char *rest)
{
	(void)rest;
	say(pmUseContext(atoi(handle)));
}

static void do_reconnect(char *none, char *rest)
{
	(void)none;
	(void)rest;
	say(pmReconnectContext(pmWhichContext()));
}

static void do_close(char *none, char *rest)
{
	(void)none;
	(void)rest;
	say(pmDestroyContext(pmWhichContext()));
}

static void do_set(char *what, char *value)
{
	say(pmSetDerivedControl(atoi(what), atoi(value)));
}

static void do_get(char *what, char *rest)
{
	int value = -77, code = pmGetDerivedControl(atoi(what), &value);

	(void)rest;
	say(code);
	printf(" %d\n", value);
}

static void do_only(char *name, char *rest)
{
	char *words[NAMES_MAX];
	int insts[NAMES_MAX], n = split(rest, words);
	pmDesc desc;
	pmID pmid;

	if (find(name, &pmid) < 0 || pmLookupDesc(pmid, &desc) < 0)
		return;
	for (int i = 0; i < n; i++)
		insts[i] = atoi(words[i]);
	pmDelProfile(desc.indom, 0, NULL);
	say(pmAddProfile(desc.indom, n, insts));
}

static const struct {
	const char *word;
	void (*fn)(char *object, char *rest);
} actions[] = {
	{ "r", do_register },
	{ "R", do_register_wordy },
	{ "a", do_add },
	{ "A", do_add_wordy },
	{ "load", do_load },
	{ "archive", do_archive },
	{ "host", do_host },
	{ "interp", do_interp },
	{ "forward", do_forward },
	{ "backward", do_backward },
	{ "desc", do_desc },
	{ "fetch", do_fetch },
	{ "children", do_children },
	{ "walk", do_walk },
	{ "names", do_names },
	{ "text", do_text },
	{ "labels", do_labels },
	{ "dup", do_dup },
	{ "use", do_use },
	{ "reconnect", do_reconnect },
	{ "close", do_close },
	{ "set", do_set },
	{ "get", do_get },
	{ "only", do_only },
};

static int act(char *line)
{
	char *object = strchr(line, ' '), *rest;

	if (object)
		*object++ = '\0';
	else
		object = line + strlen(line);
	rest = strchr(object, ' ');
	if (rest)
		*rest++ = '\0';
	else
		rest = object + strlen(object);
	for (unsigned int i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		if (strcmp(actions[i].word, line))
			continue;
		printf("== %s %s %s:", line, object, rest);
		actions[i].fn(object, rest);
		fflush(stdout);
		return 0;
	}
	fprintf(stderr, "no such action: %s\n", line);
	return 1;
}

int main(void)
{
	static char line[1 << 20];

	pmSetProgname("derived");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#' && act(line))
			return 1;
	}
	return 0;
}
