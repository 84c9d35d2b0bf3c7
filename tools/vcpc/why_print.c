// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc why: print where a tag's transactions spent their time. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "json_text.h"
#include "text.h"
#include "vcpc.h"
#include "why.h"

#define MOST_REASONS	8
#define OTHERS		5

static const char *const part_names[SHIM_WHY_PARTS] = {
	[SHIM_WHY_ON_CPU] = "on CPU",
	[SHIM_WHY_RUNNABLE] = "waiting for a CPU",
	[SHIM_WHY_BLOCKED] = "blocked",
};

/* Return whether a name ends in "@" and digits, like a label. */
static bool ends_in_user(const char *name)
{
	const char *at = strrchr(name, '@');

	return at && at[1] && !at[1 + strspn(at + 1, "0123456789")];
}

/**
 * why_label() - get the label of a tag: its name, or NAME@USER if another user has the same name
 * @view: contains the tags
 * @i: index of the tag
 * @label: written
 * @size: size of @label
 *
 * The labels are those of shim_bpf__label(), so users cannot imitate other users' tags.
 *
 * Return: @label.
 */
const char *why_label(const struct why_view *view, size_t i, char *label, size_t size)
{
	const struct shim_why_tag *tag = shim_why_tag_at(view->why, i);
	bool several = ends_in_user(tag->name);

	for (size_t j = 0; j < view->ntags && !several; j++) {
		const struct shim_why_tag *other = shim_why_tag_at(view->why, j);

		several = other->user != tag->user && !strcmp(other->name, tag->name);
	}
	if (several)
		snprintf(label, size, "%s@%u", tag->name, tag->user);
	else
		snprintf(label, size, "%s", tag->name);
	return vcpc_printable(label, "");
}

/** why_duration() - format a time in a suitable unit */
const char *why_duration(double ns, char *text, size_t size)
{
	if (ns < 1e3)
		snprintf(text, size, "%.0f ns", ns);
	else if (ns < 1e6)
		snprintf(text, size, "%.3g us", ns / 1e3);
	else if (ns < 1e9)
		snprintf(text, size, "%.3g ms", ns / 1e6);
	else
		snprintf(text, size, "%.3g s", ns / 1e9);
	return text;
}

static double time_of(const struct shim_why_parts *parts)
{
	return (double)parts->ns[0] + parts->ns[1] + parts->ns[2];
}

static double per(uint64_t ns, const struct shim_why_parts *parts)
{
	return parts->count ? (double)ns / parts->count : 0;
}

static double percentage(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static void line(const char *name, const struct shim_why_tag *tag, uint64_t all, uint64_t slow)
{
	char mean[32], high[32];

	printf("  %-28.28s %10s %5.1f %%   %10s %5.1f %%\n", name,
	       why_duration(per(all, &tag->all), mean, sizeof(mean)),
	       percentage(all, time_of(&tag->all)),
	       why_duration(per(slow, &tag->slow), high, sizeof(high)),
	       percentage(slow, time_of(&tag->slow)));
}

/* Print the reasons for blocking, and the blocked time without a known reason. */
static void reason_lines(const struct why_view *view, const struct shim_why_tag *tag, size_t n)
{
	uint64_t all = tag->all.ns[SHIM_WHY_BLOCKED], slow = tag->slow.ns[SHIM_WHY_BLOCKED];
	char name[64], indented[72];

	for (size_t i = 0; i < n && i < MOST_REASONS; i++) {
		const struct shim_why_reason *r = shim_why_reason_at(view->why, i);

		shim_why_reason_name(r->reason, name, sizeof(name));
		snprintf(indented, sizeof(indented), "  in %s", name);
		line(indented, tag, r->all_ns, r->slow_ns);
		all -= r->all_ns < all ? r->all_ns : all;
		slow -= r->slow_ns < slow ? r->slow_ns : slow;
	}
	if (all)
		line("  in others", tag, all, slow);
}

static void print_table(const struct why_view *view, const struct shim_why_tag *tag, size_t nreasons)
{
	char above[32], mean[32], high[32];

	printf("  %-28s %18s   %18s\n", "", "all", "slow");
	printf("  %-28s %10llu           %10llu           (%s or longer)\n", "transactions",
	       (unsigned long long)tag->all.count, (unsigned long long)tag->slow.count,
	       why_duration(tag->above_ns, above, sizeof(above)));
	printf("  %-28s %10s           %10s\n", "mean duration",
	       why_duration(per((uint64_t)time_of(&tag->all), &tag->all), mean, sizeof(mean)),
	       why_duration(per((uint64_t)time_of(&tag->slow), &tag->slow), high, sizeof(high)));
	for (int i = 0; i < SHIM_WHY_PARTS; i++)
		line(part_names[i], tag, tag->all.ns[i], tag->slow.ns[i]);
	reason_lines(view, tag, nreasons);
}

/*
 * Print a sentence such as "transactions above p99 take 5.8 ms on average: 400 us on CPU, 4.9 ms
 * blocked (98 % of that in fsync, I/O), ..."
 */
static void print_sentence(const struct why_view *view, const struct shim_why_tag *tag,
			   size_t nreasons)
{
	const struct shim_why_reason *first = nreasons ? shim_why_reason_at(view->why, 0) : NULL;
	uint64_t blocked = tag->slow.ns[SHIM_WHY_BLOCKED];
	char whole[32], cpu[32], wait[32], block[32], reason[64];

	printf("transactions above p%s take %s on average: %s on CPU, %s blocked", view->above,
	       why_duration(per((uint64_t)time_of(&tag->slow), &tag->slow), whole, sizeof(whole)),
	       why_duration(per(tag->slow.ns[SHIM_WHY_ON_CPU], &tag->slow), cpu, sizeof(cpu)),
	       why_duration(per(blocked, &tag->slow), block, sizeof(block)));
	if (first && first->slow_ns) {
		shim_why_reason_name(first->reason, reason, sizeof(reason));
		printf(" (%.0f %% of that in %s)", percentage(first->slow_ns, blocked), reason);
	}
	printf(", %s waiting for a CPU\n",
	       why_duration(per(tag->slow.ns[SHIM_WHY_RUNNABLE], &tag->slow), wait, sizeof(wait)));
}

static const struct drop {
	size_t at;
	const char *text;
} drop_texts[] = {
#define DROP(member, text) { offsetof(struct shim_why_drops, member), text }
	DROP(not_seen, "ends of transactions that began earlier or in another thread"),
	DROP(moved, "transactions that another thread ended, or that began again before they ended"),
	DROP(died, "transactions whose thread ended, executed a program, or left the function without returning"),
	DROP(deep, "transactions of threads that had more than four open"),
	DROP(broken, "transactions whose parts do not add up"),
	DROP(threads, "transactions of threads that did not fit into the table or the user's share of it"),
	DROP(tags, "transactions of tags that did not fit into the table or the user's share of it"),
	DROP(reasons, "waits whose reason did not fit into the table"),
	DROP(stacks, "stacks that did not fit into the table"),
#undef DROP
};

static uint64_t drop_of(const struct shim_why_drops *drops, const struct drop *drop)
{
	return *(const uint64_t *)(const void *)((const char *)drops + drop->at);
}

/**
 * why_print_drops() - print the numbers of lost transactions and stacks
 * @view: contains the handle
 * @out: output file
 *
 * Return: 0, or an exit status after printing a message.
 */
int why_print_drops(const struct why_view *view, FILE *out)
{
	struct shim_why_drops drops;
	int err = shim_why_drops_get(view->why, &drops);

	if (err)
		return vcpc_fail(err, "cannot read the numbers of lost transactions");
	for (size_t i = 0; i < sizeof(drop_texts) / sizeof(drop_texts[0]); i++)
		if (drop_of(&drops, &drop_texts[i]))
			fprintf(out, "Not included: %llu %s\n",
				(unsigned long long)drop_of(&drops, &drop_texts[i]),
				drop_texts[i].text);
	return 0;
}

static void print_others(const struct why_view *view)
{
	char label[WHY_LABEL], time[32];
	size_t shown = 0;

	for (size_t i = 0; i < view->ntags && shown < OTHERS; i++) {
		const struct shim_why_tag *tag = shim_why_tag_at(view->why, i);

		if (i == view->at)
			continue;
		printf("%s %s (%llu, %s)", shown++ ? "," : "\nOther tags:",
		       why_label(view, i, label, sizeof(label)),
		       (unsigned long long)tag->all.count,
		       why_duration(time_of(&tag->all), time, sizeof(time)));
	}
	if (shown + 1 < view->ntags)
		printf(", and %zu more", view->ntags - shown - 1);
	if (shown)
		putchar('\n');
}

/**
 * why_print() - print one screen
 * @view: the data and options
 *
 * Return: 0, or an exit status after printing a message.
 */
int why_print(const struct why_view *view)
{
	const struct shim_why_tag *tag = shim_why_tag_at(view->why, view->at);
	char label[WHY_LABEL];
	size_t n = 0;
	int err = shim_why_reasons_get(view->why, view->at, &n);

	if (err)
		return vcpc_fail(err, "cannot read the reasons of waits");
	printf("%s, ", why_label(view, view->at, label, sizeof(label)));
	print_sentence(view, tag, n);
	putchar('\n');
	print_table(view, tag, n);
	err = why_print_stacks(view);
	if (err)
		return err;
	print_others(view);
	return why_print_drops(view, stdout);
}

static void json_parts(const char *key, const struct shim_why_parts *parts)
{
	printf("\"%s\": {\"count\": %llu, \"oncpu_ns\": %llu, \"runnable_ns\": %llu, \"blocked_ns\": %llu}",
	       key, (unsigned long long)parts->count,
	       (unsigned long long)parts->ns[SHIM_WHY_ON_CPU],
	       (unsigned long long)parts->ns[SHIM_WHY_RUNNABLE],
	       (unsigned long long)parts->ns[SHIM_WHY_BLOCKED]);
}

static int json_reasons(const struct why_view *view, size_t tag)
{
	char name[64];
	size_t n = 0;
	int err = shim_why_reasons_get(view->why, tag, &n);

	if (err)
		return vcpc_fail(err, "cannot read the reasons of waits");
	fputs(", \"reasons\": [", stdout);
	for (size_t i = 0; i < n; i++) {
		const struct shim_why_reason *r = shim_why_reason_at(view->why, i);

		shim_why_reason_name(r->reason, name, sizeof(name));
		printf("%s{\"reason\": ", i ? ", " : "");
		vcpc_json_text(stdout, name);
		printf(", \"all_ns\": %llu, \"all_times\": %llu, \"slow_ns\": %llu, \"slow_times\": %llu}",
		       (unsigned long long)r->all_ns, (unsigned long long)r->all_times,
		       (unsigned long long)r->slow_ns, (unsigned long long)r->slow_times);
	}
	putchar(']');
	return 0;
}

static int json_tag(const struct why_view *view, size_t i)
{
	const struct shim_why_tag *tag = shim_why_tag_at(view->why, i);
	int err;

	fputs("{\"tag\": ", stdout);
	vcpc_json_text(stdout, tag->name);
	printf(", \"user\": %u, \"above_ns\": %llu, ", tag->user, (unsigned long long)tag->above_ns);
	json_parts("all", &tag->all);
	fputs(", ", stdout);
	json_parts("slow", &tag->slow);
	err = json_reasons(view, i);
	if (!err && view->symbols)
		err = why_json_stacks(view, i);
	putchar('}');
	return err;
}

static const char *const drop_names[] = {
	"not_seen", "moved", "died", "deep", "broken", "threads", "tags", "reasons", "stacks",
};

_Static_assert(sizeof(drop_names) / sizeof(drop_names[0]) ==
	       sizeof(drop_texts) / sizeof(drop_texts[0]), "a name for each");

/**
 * why_print_json() - print all tags as one JSON object
 * @view: the data and options; its tag comes first
 *
 * Return: 0, or an exit status after printing a message.
 */
int why_print_json(const struct why_view *view)
{
	struct shim_why_drops drops;
	int err = shim_why_drops_get(view->why, &drops);

	if (err)
		return vcpc_fail(err, "cannot read the numbers of lost transactions");
	printf("{\"above\": \"p%s\", \"tags\": [", view->above);
	err = json_tag(view, view->at);
	for (size_t i = 0; i < view->ntags && !err; i++) {
		if (i == view->at)
			continue;
		fputs(", ", stdout);
		err = json_tag(view, i);
	}
	fputs("], \"dropped\": {", stdout);
	for (size_t i = 0; i < sizeof(drop_names) / sizeof(drop_names[0]); i++)
		printf("%s\"%s\": %llu", i ? ", " : "", drop_names[i],
		       (unsigned long long)drop_of(&drops, &drop_texts[i]));
	puts("}}");
	why_print_nameless(view->symbols, stderr);
	return err;
}
