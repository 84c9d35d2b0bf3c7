// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Run calls on fetch groups from a script on standard input; print each call's result and each
 * value to the last bit. The build with libshim and the build with PCP's own library must print the
 * same output.
 *
 * Words on a line are separated by |; an empty word means NULL.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PM_NO_TIME_CHECKS	/* declarations are repeated below */
#include <pcp/pmapi.h>

/* The original has these functions, but does not declare them. */
int pmExtendFetchGroup_timespec(pmFG fg, struct timespec *out_value);
int pmExtendFetchGroup_timeval(pmFG fg, struct timeval *out_value);
int pmClearFetchGroup(pmFG fg);

#define WANTED	64
#define ROOM	40
#define WORDS	10

static pmFG group;
static struct wanted {
	char what;
	int type, sts;
	unsigned int max, num;
	int codes[ROOM], stss[ROOM];
	char *names[ROOM];
	pmAtomValue values[ROOM];
	struct timespec times[ROOM];
	struct timespec timespec;
	struct timeval timeval;
} all[WANTED];
static int n;

static int say(int code)
{
	char buf[PM_MAXERRMSGLEN];

	printf(" %d%s%s\n", code, code < 0 ? " " : "", code < 0 ? pmErrStr_r(code, buf, sizeof(buf)) : "");
	return code;
}

static void print_value(const pmAtomValue *v, int type)
{
	switch (type) {
	case PM_TYPE_32:
	case PM_TYPE_U32:
		printf(" %08x", v->ul);
		break;
	case PM_TYPE_FLOAT:
		printf(" %.9g", v->f != v->f ? 12345.0 : v->f);
		break;
	case PM_TYPE_DOUBLE:
		printf(" %.17g", v->d != v->d ? 12345.0 : v->d);
		break;
	case PM_TYPE_STRING:
		printf(" <%s>", v->cp ? v->cp : "null");
		break;
	default:
		printf(" %016llx", (unsigned long long)v->ull);
	}
}

static void print_wanted(const struct wanted *w, int live)
{
	printf("  %c", w->what);
	switch (w->what) {
	case 't':
		/* After an error, this is the current time, which is not printed. */
		if (live)
			printf(" %ld.%09ld %ld.%06ld\n", (long)w->timespec.tv_sec, (long)w->timespec.tv_nsec,
			       (long)w->timeval.tv_sec, (long)w->timeval.tv_usec);
		else
			putchar('\n');
		return;
	case 'i':
		print_value(w->values, w->type);
		printf(" %d\n", w->sts);
		return;
	}
	printf(" num %u sts %d\n", w->num, w->sts);
	for (unsigned int i = 0; i < w->max && i < ROOM; i++) {
		/* The code of an instance without a value is unchanged. */
		printf("    [%d] %s", w->what == 'd' && i < w->num ? w->codes[i] : 0,
		       w->names[i] ? w->names[i] : "-");
		print_value(&w->values[i], w->type);
		printf(" %d %ld.%09ld\n", w->stss[i], (long)w->times[i].tv_sec, (long)w->times[i].tv_nsec);
	}
}

static void fetch(int times)
{
	for (int i = 0; i < times; i++) {
		int code = pmFetchGroup(group);

		fputs(" fetch", stdout);
		say(code);
		for (int j = 0; j < n; j++)
			print_wanted(&all[j], code >= 0);
		if (code < 0)
			break;
	}
}

static void set_mode(const char *mode, int step)
{
	pmLogLabel label;
	struct timeval end;

	pmUseContext(pmGetFetchGroupContext(group));
	pmGetArchiveLabel(&label);
	pmGetArchiveEnd(&end);
	if (!strcmp(mode, "interp"))
		say(pmSetMode(PM_MODE_INTERP | PM_XTB_SET(PM_TIME_MSEC), &label.ll_start, step));
	else if (!strcmp(mode, "forward"))
		say(pmSetMode(PM_MODE_FORW, &label.ll_start, 0));
	else
		say(pmSetMode(PM_MODE_BACK, &end, 0));
}

static struct wanted *want(char what, const char *type, const char *max)
{
	struct wanted *w = &all[n];

	memset(w, 0, sizeof(*w));
	w->what = what;
	w->type = atoi(type ? type : "5");
	w->max = (unsigned int)atoi(max ? max : "0");
	w->sts = 99;
	return w;
}

static void act(char **word)
{
	struct wanted *w;

	if (!strcmp(word[0], "archive") || !strcmp(word[0], "host")) {
		if (group)
			pmDestroyFetchGroup(group);
		n = 0;
		say(pmCreateFetchGroup(&group, *word[0] == 'a' ? PM_CONTEXT_ARCHIVE : PM_CONTEXT_HOST,
				       word[1]));
	} else if (!strcmp(word[0], "item")) {
		w = want('i', word[4], NULL);
		n += !say(pmExtendFetchGroup_item(group, word[1], word[2], word[3], w->values, w->type,
						  &w->sts));
	} else if (!strcmp(word[0], "indom")) {
		w = want('d', word[3], word[4]);
		n += !say(pmExtendFetchGroup_indom(group, word[1], word[2], w->codes, w->names, w->values,
						   w->type, w->stss, w->max, &w->num, &w->sts));
	} else if (!strcmp(word[0], "event")) {
		w = want('e', word[5], word[6]);
		n += !say(pmExtendFetchGroup_event(group, word[1], word[2], word[3], word[4], w->times,
						   w->values, w->type, w->stss, w->max, &w->num,
						   &w->sts));
	} else if (!strcmp(word[0], "nothing")) {
		/* The outputs are NULL, because the caller does not need the values. */
		say(pmExtendFetchGroup_item(group, word[1], word[2], word[3], NULL, PM_TYPE_STRING, NULL));
		say(pmExtendFetchGroup_indom(group, word[1], word[3], NULL, NULL, NULL, PM_TYPE_STRING, NULL,
					     3, NULL, NULL));
		say(pmExtendFetchGroup_timespec(group, NULL));
		say(pmExtendFetchGroup_timeval(group, NULL));
	} else if (!strcmp(word[0], "stamp")) {
		w = want('t', NULL, NULL);
		say(pmExtendFetchGroup_timespec(group, &w->timespec));
		n += !say(pmExtendFetchGroup_timestamp(group, &w->timeval));
	} else if (!strcmp(word[0], "mode")) {
		set_mode(word[1], atoi(word[2] ? word[2] : "0"));
	} else if (!strcmp(word[0], "fetch")) {
		fetch(atoi(word[1]));
	} else if (!strcmp(word[0], "clear")) {
		say(pmClearFetchGroup(group));
		n = 0;
	} else if (!strcmp(word[0], "derive")) {
		printf(" %s\n", pmRegisterDerived(word[1], word[2]) ? "no" : "yes");
	} else if (!strcmp(word[0], "none")) {
		say(pmCreateFetchGroup(NULL, PM_CONTEXT_ARCHIVE, "x"));
		say(pmFetchGroup(NULL));
		say(pmGetFetchGroupContext(NULL));
		say(pmExtendFetchGroup_item(NULL, "x", NULL, NULL, NULL, PM_TYPE_32, NULL));
		say(pmClearFetchGroup(NULL));
	}
}

int main(void)
{
	char line[1000];

	while (fgets(line, sizeof(line), stdin)) {
		char *word[WORDS] = { line }, *rest;
		int i = 0;

		line[strcspn(line, "\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		printf("== %s:", line);
		for (rest = line; rest && i < WORDS; i++) {
			char *end = strchr(rest, '|');

			if (end)
				*end++ = '\0';
			word[i] = *rest ? rest : NULL;
			rest = end;
		}
		act(word);
		fflush(stdout);
	}
	if (group)
		say(pmDestroyFetchGroup(group));
	return 0;
}
