// SPDX-License-Identifier: GPL-2.0-or-later
/* The output of vcpc trace show --json, of --watch, and of export contains all traced events. */
#include <libgen.h>
#include <math.h>

#include "../bpf/bpf_test.h"
#include "json.h"
#include "perfetto.h"

#define OUT "/tmp/vcpc-trace-json.out"

FIXTURE(trace_json) {
	const char *missing;
	struct shim_trace_options options;
	char vcpc[256];
	char *text;
	const char *at;
	struct json *json;
};

/* Find vcpc next to this test in the build directory, or in PATH if the test is installed. */
static void find_vcpc(char *path, size_t size)
{
	char self[200];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[len > 0 ? len : 0] = '\0';
	snprintf(path, size, "%s/../../bin/vcpc", dirname(self));
	if (access(path, X_OK))
		snprintf(path, size, "vcpc");
}

FIXTURE_SETUP(trace_json)
{
	ASSERT_EQ(0, trace_place(0, &self->missing));
	find_vcpc(self->vcpc, sizeof(self->vcpc));
	self->options = (struct shim_trace_options) { .size = sizeof(self->options) };
	if (access("/dev/vcpc", F_OK))
		setenv("SHIM_TRACE", "probe", 1);
}

FIXTURE_TEARDOWN(trace_json)
{
	json_free(self->json);
	free(self->text);
	unlink(OUT);
	shim_trace_off();
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	if (f && getdelim(&text, &size, '\0', f) < 0) {
		free(text);
		text = NULL;
	}
	if (f)
		fclose(f);
	return text;
}

/*
 * Run vcpc trace with @arguments, and return its exit status.  Store the output in @text, and set
 * @at to its start.
 */
static int vcpc(FIXTURE_DATA(trace_json) *self, const char *arguments)
{
	char command[512];
	int status;

	snprintf(command, sizeof(command), "'%s' trace %s >" OUT, self->vcpc, arguments);
	status = system(command);
	free(self->text);
	self->text = slurp(OUT);
	self->at = self->text ? self->text : "";
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Return the next document of the output, or NULL if there is none or it is not valid JSON. */
static const struct json *next_json(FIXTURE_DATA(trace_json) *self)
{
	json_free(self->json);
	self->json = json_read(&self->at);
	return self->json;
}

static int is_at_end(FIXTURE_DATA(trace_json) *self)
{
	return !self->at[strspn(self->at, "\n")];
}

static int count(const struct json *export, const char *phase, const char *name)
{
	const struct json *events = json_get(export, "traceEvents");
	int n = 0;

	for (const struct json *e = events ? events->first : NULL; e; e = e->next)
		n += !strcmp(json_string(e, "ph"), phase) && !strcmp(json_string(e, "name"), name);
	return n;
}

static const struct json *find(const struct json *export, const char *phase, const char *name)
{
	const struct json *e = json_get(export, "traceEvents");

	for (e = e ? e->first : NULL; e; e = e->next)
		if (!strcmp(json_string(e, "ph"), phase) && !strcmp(json_string(e, "name"), name))
			return e;
	return NULL;
}

/*
 * Check that each slice that begins in an export has exactly one later end.  Return the number of
 * slices, or -1.
 */
static int slices(const struct json *export)
{
	const struct json *events = json_get(export, "traceEvents");
	int n = 0;

	for (const struct json *b = events->first; b; b = b->next) {
		const struct json *e;
		int ends = 0;

		if (strcmp(json_string(b, "ph"), "b") || json_get(b, "args"))
			continue;
		for (e = events->first; e; e = e->next)
			if (!strcmp(json_string(e, "ph"), "e") &&
			    !strcmp(json_string(e, "id"), json_string(b, "id")))
				ends += !strcmp(json_string(e, "name"), json_string(b, "name")) &&
					json_number(e, "ts") >= json_number(b, "ts");
		if (ends != 1)
			return -1;
		n++;
	}
	return n;
}

/* Difficult characters in names */
static const char odd[] = "=a \"quoted\" \\ <b>name\n\x01 \xe2\x80\xae with \xc3\xa4 and \xe4";
static const char odd_as_utf8[] = "=a \"quoted\" \\ <b>name\n\x01 \xe2\x80\xae with \xc3\xa4 and \xc3\xa4";

static int make_events(void)
{
	int err = 0;

	for (int i = 0; i < 5; i++) {
		err |= pmtracebegin("outer") | pmtracebegin("inner");
		/* These transactions overlap without being nested. */
		err |= i % 2 ? pmtraceend("outer") : pmtraceend("inner");
		err |= i % 2 ? pmtraceend("inner") : pmtraceend("outer");
	}
	err |= pmtracebegin("outer") | pmtraceabort("outer");
	for (int i = 0; i < 3; i++)
		err |= pmtracepoint(odd);
	return err | pmtraceobs("seen", -2.5) | pmtraceobs("seen", NAN) |
	       pmtracecounter("grows", 12345678.25);
}

TEST_F(trace_json, export_holds_every_event)
{
	const struct json *export, *event;

	UNLESS_MISSING();
	self->options.ring_bytes = 1 << 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, make_events());
	ASSERT_EQ(0, vcpc(self, "export"));
	export = next_json(self);
	ASSERT_NE(NULL, export);
	EXPECT_TRUE(is_at_end(self));
	EXPECT_EQ(6, count(export, "b", "outer"));
	EXPECT_EQ(6, count(export, "e", "outer"));
	EXPECT_EQ(5, count(export, "b", "inner"));
	EXPECT_EQ(11, slices(export));
	EXPECT_EQ(3, count(export, "i", odd_as_utf8));
	EXPECT_EQ(1, count(export, "C", "seen"));
	EXPECT_EQ(1, count(export, "i", "seen"));
	event = find(export, "C", "seen");
	EXPECT_EQ(getpid(), json_number(event, "pid"));
	EXPECT_EQ(getpid(), json_number(event, "tid"));
	EXPECT_TRUE(json_number(json_get(event, "args"), "value") == -2.5);
	event = find(export, "i", "seen");
	EXPECT_STREQ("NaN", json_string(json_get(event, "args"), "value"));
	event = find(export, "C", "grows");
	EXPECT_TRUE(json_number(json_get(event, "args"), "value") == 12345678.25);
	event = find(export, "M", "process_name");
	EXPECT_STREQ("trace_json", json_string(json_get(event, "args"), "name"));
	EXPECT_EQ(0, json_number(json_get(export, "otherData"), "lost"));
	/* Exported events are not exported again. */
	ASSERT_EQ(0, vcpc(self, "export -o " OUT ".2"));
	free(self->text);
	self->text = slurp(OUT ".2");
	unlink(OUT ".2");
	ASSERT_NE(NULL, self->text);
	self->at = self->text;
	export = next_json(self);
	ASSERT_NE(NULL, export);
	EXPECT_EQ(NULL, json_get(export, "traceEvents")->first);
}

TEST_F(trace_json, perfetto_export_holds_every_event)
{
	struct pf_slice slices[32];
	struct pf_trace trace;
	char data[65536];
	size_t len = 0;
	FILE *f;

	UNLESS_MISSING();
	self->options.ring_bytes = 1 << 16;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, make_events());
	ASSERT_EQ(0, vcpc(self, "export --format perfetto"));
	f = fopen(OUT, "r");
	ASSERT_NE(NULL, f);
	len = fread(data, 1, sizeof(data), f);
	fclose(f);
	pf_read(&trace, data, len);
	EXPECT_FALSE(trace.bad);
	EXPECT_EQ(6, pf_count(&trace, 1, "outer"));
	EXPECT_EQ(5, pf_count(&trace, 1, "inner"));
	EXPECT_EQ(3, pf_count(&trace, 3, odd_as_utf8));
	EXPECT_EQ(1, pf_count(&trace, 3, "seen"));
	EXPECT_EQ(2, pf_count(&trace, 4, ""));
	ASSERT_EQ(11, pf_slices(&trace, slices));
	for (int i = 0; i < 11; i++) {
		ASSERT_NE(NULL, slices[i].end);
		ASSERT_NE(NULL, slices[i].thread);
		EXPECT_EQ((uint32_t)getpid(), slices[i].thread->pid);
		EXPECT_EQ((uint32_t)getpid(), slices[i].thread->tid);
	}
	EXPECT_STREQ("aborted", slices[10].end->note);
	pf_free(&trace);
}

TEST_F(trace_json, export_has_open_and_aborted)
{
	const struct json *export, *args;
	int aborted = 0;

	UNLESS_MISSING();
	self->options.ring_bytes = 1 << 16;
	self->options.flags = SHIM_TRACE_F_BEGINS;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, pmtracebegin("open"));
	ASSERT_EQ(0, pmtracebegin("given up"));
	ASSERT_EQ(0, pmtraceabort("given up"));
	ASSERT_EQ(0, vcpc(self, "export"));
	export = next_json(self);
	ASSERT_NE(NULL, export);
	args = json_get(find(export, "b", "open"), "args");
	EXPECT_TRUE(json_get(args, "open") && json_get(args, "open")->type == JSON_BOOL);
	EXPECT_EQ(0, count(export, "e", "open"));
	args = json_get(find(export, "e", "given up"), "args");
	aborted = json_get(args, "aborted") && json_get(args, "aborted")->number == 1;
	EXPECT_EQ(1, aborted);
}

/* The number of events that did not fit is reported, and all other events are exported. */
TEST_F(trace_json, export_says_what_is_lost)
{
	const struct json *export;

	UNLESS_MISSING();
	self->options.ring_bytes = 8192;
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 1000; i++)
		ASSERT_EQ(0, pmtracepoint("too many"));
	ASSERT_EQ(0, vcpc(self, "export 2>" OUT ".err"));
	export = next_json(self);
	ASSERT_NE(NULL, export);
	EXPECT_LT(0, count(export, "i", "too many"));
	EXPECT_EQ(1000, count(export, "i", "too many") +
			json_number(json_get(export, "otherData"), "lost"));
	free(self->text);
	self->text = slurp(OUT ".err");
	unlink(OUT ".err");
	ASSERT_NE(NULL, self->text);
	EXPECT_NE(NULL, strstr(self->text, "events were lost"));
	self->at = self->text;
}

/* Return a tag's statistics of a kind in the output of show --json. */
static const struct json *stat_of(const struct json *show, const char *tag, const char *kind)
{
	const struct json *tags = json_get(show, "tags");

	for (const struct json *t = tags ? tags->first : NULL; t; t = t->next)
		if (!strcmp(json_string(t, "tag"), tag) && !strcmp(json_string(t, "kind"), kind))
			return t;
	return NULL;
}

static double sum_of_hist(const struct json *stat)
{
	const struct json *hist = json_get(stat, "hist");
	double n = 0;

	for (hist = hist ? hist->first : NULL; hist; hist = hist->next)
		n += hist->first->next->number;
	return n;
}

TEST_F(trace_json, show)
{
	const struct json *show, *stat;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	ASSERT_EQ(0, make_events());
	ASSERT_EQ(0, vcpc(self, "show --json"));
	show = next_json(self);
	ASSERT_NE(NULL, show);
	EXPECT_TRUE(is_at_end(self));
	stat = stat_of(show, "outer", "transaction");
	EXPECT_EQ(5, json_number(stat, "count"));
	EXPECT_EQ(1, json_number(stat, "aborted"));
	EXPECT_EQ(5, sum_of_hist(stat));
	EXPECT_LT(0, json_number(stat, "min_ns"));
	EXPECT_LE(json_number(stat, "min_ns"), json_number(stat, "p50_ns"));
	EXPECT_LE(json_number(stat, "p50_ns"), json_number(stat, "p90_ns"));
	EXPECT_LE(json_number(stat, "p90_ns"), json_number(stat, "p99_ns"));
	EXPECT_LE(json_number(stat, "p99_ns"), json_number(stat, "max_ns"));
	EXPECT_LE(json_number(stat, "max_ns"), json_number(stat, "sum_ns"));
	EXPECT_LE(json_number(stat, "min_ns"), json_number(stat, "last_took_ns"));
	EXPECT_LE(json_number(stat, "last_took_ns"), json_number(stat, "max_ns"));
	EXPECT_EQ(3, json_number(stat_of(show, odd_as_utf8, "point"), "count"));
	stat = stat_of(show, "seen", "observation");
	EXPECT_EQ(2, json_number(stat, "count"));
	EXPECT_STREQ("NaN", json_string(stat, "value"));
	EXPECT_TRUE(json_number(stat, "value_min") == -2.5);
	EXPECT_TRUE(json_number(stat_of(show, "grows", "counter"), "value") == 12345678.25);
	EXPECT_NE(NULL, json_get(show, "counts"));
	for (const struct json *d = json_get(show, "drops")->first; d; d = d->next)
		EXPECT_EQ(0, d->number);
}

/* The command prints one document per interval, each later than the one before. */
TEST_F(trace_json, watch)
{
	double before = -1;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(0, pmtracepoint("watched"));
	ASSERT_EQ(0, vcpc(self, "show --json --watch=50ms --rounds 3"));
	for (int i = 0; i < 3; i++) {
		const struct json *show = next_json(self);

		ASSERT_NE(NULL, show);
		EXPECT_EQ(3, json_number(stat_of(show, "watched", "point"), "count"));
		EXPECT_LE(before, json_number(stat_of(show, "watched", "point"), "last_ns"));
		before = json_number(stat_of(show, "watched", "point"), "last_ns");
	}
	EXPECT_TRUE(is_at_end(self));
	ASSERT_EQ(0, vcpc(self, "show --watch=50ms --rounds 4"));
	ASSERT_NE(NULL, self->text);
	for (int i = 0; i < 4; i++) {
		self->at = strstr(self->at, "watched");
		ASSERT_NE(NULL, self->at);
		self->at++;
	}
	EXPECT_EQ(NULL, strstr(self->at, "watched"));
	ASSERT_EQ(0, shim_trace_off());
	ASSERT_EQ(0, vcpc(self, "show --json --watch=10ms --rounds 2"));
	for (int i = 0; i < 2; i++) {
		const struct json *show = next_json(self);

		ASSERT_NE(NULL, show);
		EXPECT_EQ(JSON_NULL, show->type);
	}
}

/* The document after an interval contains the events of this interval. */
TEST_F(trace_json, watch_is_live)
{
	double first, last = 0;
	int status, n = 0;
	pid_t pid;

	UNLESS_MISSING();
	ASSERT_EQ(0, shim_trace_on(&self->options));
	pid = fork();
	if (!pid)
		for (int i = 0; i < 100000; i++) {
			pmtracepoint("lives");
			usleep(1000);
		}
	ASSERT_LT(0, pid);
	usleep(100000);
	ASSERT_EQ(0, vcpc(self, "show --json --watch=500ms --rounds 5"));
	kill(pid, SIGKILL);
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	first = json_number(stat_of(next_json(self), "lives", "point"), "count");
	for (; next_json(self); n++) {
		EXPECT_LT(last, json_number(stat_of(self->json, "lives", "point"), "count"));
		last = json_number(stat_of(self->json, "lives", "point"), "count");
	}
	EXPECT_EQ(4, n);
	EXPECT_LT(first, last);
}

TEST_HARNESS_MAIN
