// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Our own reader and protoc correctly read events that were exported in Perfetto's format: slices
 * that overlap in any way, more names than the file keeps, and names with any bytes.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../tools/perfetto.h"
#include "tools/vcpc/trace_export.h"

#include "kselftest_harness.h"

#define SLICES	3000
#define NAMES	70000	/* more than the file keeps */

/* The messages that the command writes, with Perfetto's names and numbers */
static const char definitions[] =
	"syntax = \"proto2\";\n"
	"message Trace { repeated TracePacket packet = 1; }\n"
	"message TracePacket {\n"
	"  optional ClockSnapshot clock_snapshot = 6; optional uint64 timestamp = 8;\n"
	"  optional uint32 trusted_packet_sequence_id = 10; optional TrackEvent track_event = 11;\n"
	"  optional InternedData interned_data = 12; optional uint32 sequence_flags = 13;\n"
	"  optional TracePacketDefaults trace_packet_defaults = 59;\n"
	"  optional TrackDescriptor track_descriptor = 60;\n"
	"}\n"
	"message ClockSnapshot {\n"
	"  message Clock { optional uint32 clock_id = 1; optional uint64 timestamp = 2; }\n"
	"  repeated Clock clocks = 1; optional int32 primary_trace_clock = 2;\n"
	"}\n"
	"message TracePacketDefaults { optional uint32 timestamp_clock_id = 58; }\n"
	"message EventName { optional uint64 iid = 1; optional string name = 2; }\n"
	"message InternedData { repeated EventName event_names = 2; }\n"
	"message TrackDescriptor {\n"
	"  optional uint64 uuid = 1; optional string name = 2;\n"
	"  optional ProcessDescriptor process = 3; optional ThreadDescriptor thread = 4;\n"
	"  optional uint64 parent_uuid = 5; optional CounterDescriptor counter = 8;\n"
	"}\n"
	"message ProcessDescriptor { optional int32 pid = 1; optional string process_name = 6; }\n"
	"message ThreadDescriptor { optional int32 pid = 1; optional int64 tid = 2; }\n"
	"message CounterDescriptor { }\n"
	"message TrackEvent {\n"
	"  enum Type { TYPE_SLICE_BEGIN = 1; TYPE_SLICE_END = 2; TYPE_INSTANT = 3; TYPE_COUNTER = 4; }\n"
	"  repeated DebugAnnotation debug_annotations = 4; optional Type type = 9;\n"
	"  optional uint64 name_iid = 10; optional uint64 track_uuid = 11;\n"
	"  optional double double_counter_value = 44;\n"
	"}\n"
	"message DebugAnnotation {\n"
	"  optional bool bool_value = 2; optional uint64 uint_value = 3;\n"
	"  optional double double_value = 5; optional string name = 10;\n"
	"}\n";

FIXTURE(perfetto) {
	char *data;
	size_t len;
	FILE *file;
	void *state;
	struct pf_trace trace;
};

FIXTURE_SETUP(perfetto)
{
	self->file = open_memstream(&self->data, &self->len);
	ASSERT_NE(NULL, self->file);
	self->state = trace_perfetto.open(self->file);
	ASSERT_NE(NULL, self->state);
	memset(&self->trace, 0, sizeof(self->trace));
}

FIXTURE_TEARDOWN(perfetto)
{
	trace_perfetto.close(self->state);
	fclose(self->file);
	free(self->data);
	pf_free(&self->trace);
}

static struct shim_trace_event event_of(uint32_t op, const char *label, uint64_t start, uint64_t ns)
{
	return (struct shim_trace_event){
		.name = label, .label = label, .op = op, .ns = ns, .start_ns = start, .pid = 7, .tid = 8,
	};
}

static int put(FIXTURE_DATA(perfetto) *self, struct shim_trace_event event)
{
	return trace_perfetto.event(self->state, &event);
}

static void complete(FIXTURE_DATA(perfetto) *self, uint64_t lost)
{
	trace_perfetto.end(self->state, lost);
	fflush(self->file);
	pf_read(&self->trace, self->data, self->len);
}

static int put_each_kind(FIXTURE_DATA(perfetto) *self)
{
	struct shim_trace_event seen = event_of(SHIM_TRACE_OP_OBSERVE, "seen", 0, 60);
	struct shim_trace_event grows = event_of(SHIM_TRACE_OP_COUNTER, "grows", 0, 70);
	int err = trace_perfetto.process(self->state, 7, "orders");

	err |= put(self, event_of(SHIM_TRACE_OP_END, "inner", 20, 30));
	err |= put(self, event_of(SHIM_TRACE_OP_END, "outer", 10, 40));
	err |= put(self, event_of(SHIM_TRACE_OP_ABORT, "crossing", 35, 50));
	err |= put(self, event_of(SHIM_TRACE_OP_POINT, "b\xc3\xa4r \xe4\n", 0, 55));
	seen.value = -2.5;
	err |= put(self, seen);
	seen.value = NAN;
	err |= put(self, seen);
	grows.value = 12345678.25;
	err |= put(self, grows);
	return err | put(self, event_of(SHIM_TRACE_OP_BEGIN, "outer", 0, 80));
}

TEST_F(perfetto, each_kind_of_event)
{
	struct pf_slice slices[16];
	const struct pf_event *e;

	ASSERT_EQ(0, put_each_kind(self));
	complete(self, 3);
	EXPECT_FALSE(self->trace.bad);
	EXPECT_EQ(3, self->trace.primary);
	EXPECT_GT(self->trace.clocks[3], 0);
	EXPECT_GT(self->trace.clocks[1], self->trace.clocks[3]);
	ASSERT_EQ(4, pf_slices(&self->trace, slices));
	EXPECT_STREQ("inner", slices[0].begin->name);
	EXPECT_STREQ("outer", slices[1].begin->name);
	EXPECT_EQ(slices[0].begin->track, slices[1].begin->track);
	EXPECT_EQ(10, slices[1].begin->ns);
	EXPECT_EQ(40, slices[1].end->ns);
	EXPECT_STREQ("crossing", slices[2].begin->name);
	EXPECT_NE(slices[1].begin->track, slices[2].begin->track);
	EXPECT_STREQ("aborted", slices[2].end->note);
	EXPECT_EQ(NULL, slices[3].end);
	EXPECT_STREQ("open", slices[3].begin->note);
	for (int i = 0; i < 4; i++) {
		ASSERT_NE(NULL, slices[i].thread);
		EXPECT_EQ(7, slices[i].thread->pid);
		EXPECT_EQ(8, slices[i].thread->tid);
		ASSERT_NE(NULL, pf_track(&self->trace, slices[i].thread->parent));
		EXPECT_EQ(7, pf_track(&self->trace, slices[i].thread->parent)->pid);
	}
	EXPECT_EQ(1, pf_count(&self->trace, 3, "b\xc3\xa4r \xc3\xa4\n"));
	EXPECT_EQ(1, pf_count(&self->trace, 3, "seen"));
	EXPECT_EQ(2, pf_count(&self->trace, 4, ""));
	EXPECT_EQ(1, pf_count(&self->trace, 3, "events lost"));
	e = &self->trace.events[self->trace.nevents - 1];
	EXPECT_STREQ("lost", e->note);
	EXPECT_EQ(3, e->noted);
	EXPECT_EQ(0, e->track);
}

static uint32_t roll(uint64_t *state, uint32_t sides)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33) % sides;
}

/* Return whether a slice was put, and mark it as found. */
static bool take(struct shim_trace_event *events, size_t n, const struct pf_slice *s)
{
	for (size_t i = 0; i < n; i++) {
		struct shim_trace_event *e = &events[i];

		if (e->op && e->start_ns == s->begin->ns && e->ns == s->end->ns &&
		    e->tid == s->thread->tid && !strcmp(e->label, s->begin->name)) {
			e->op = 0;
			return true;
		}
	}
	return false;
}

static bool slices_survive(FIXTURE_DATA(perfetto) *self, uint64_t seed, uint32_t longest)
{
	static const char *const labels[] = { "a", "b", "c" };
	static struct shim_trace_event events[SLICES];
	static struct pf_slice slices[SLICES];
	size_t n;

	for (int i = 0; i < SLICES; i++) {
		uint64_t end = 1000 + i / 2;

		/*
		 * The end of an event on another CPU can be earlier than that of the previous
		 * event.
		 */
		end -= roll(&seed, 20) ? 0 : roll(&seed, 30);
		events[i] = event_of(SHIM_TRACE_OP_END, labels[roll(&seed, 3)],
				     end - roll(&seed, longest), end);
		events[i].tid = 8 + roll(&seed, 3);
		if (put(self, events[i]))
			return false;
	}
	complete(self, 0);
	n = pf_slices(&self->trace, slices);
	if (n != SLICES || self->trace.bad)
		return false;
	for (size_t i = 0; i < n; i++)
		if (!slices[i].end || !take(events, SLICES, &slices[i]))
			return false;
	return true;
}

TEST_F(perfetto, short_slices_overlap)
{
	EXPECT_TRUE(slices_survive(self, 1, 12));
}

TEST_F(perfetto, more_slices_overlap_than_a_thread_has_tracks)
{
	EXPECT_TRUE(slices_survive(self, 2, 900));
}

TEST_F(perfetto, nested_slices_share_the_threads_track)
{
	struct pf_slice slices[60];

	for (uint64_t i = 0; i < 30; i++) {
		ASSERT_EQ(0, put(self, event_of(SHIM_TRACE_OP_END, "in", 10 * i + 2, 10 * i + 4)));
		ASSERT_EQ(0, put(self, event_of(SHIM_TRACE_OP_END, "out", 10 * i + 1, 10 * i + 8)));
	}
	complete(self, 0);
	ASSERT_EQ(60, pf_slices(&self->trace, slices));
	for (int i = 0; i < 60; i++)
		EXPECT_EQ(slices[0].begin->track, slices[i].begin->track);
	EXPECT_EQ(2, self->trace.ntracks);	/* the process and the thread */
}

TEST_F(perfetto, a_slice_that_crosses_an_early_one)
{
	struct pf_slice slices[21];

	for (uint64_t i = 0; i < 20; i++)
		ASSERT_EQ(0, put(self, event_of(SHIM_TRACE_OP_END, "short", 10 * i, 10 * i + 5)));
	ASSERT_EQ(0, put(self, event_of(SHIM_TRACE_OP_END, "long", 12, 300)));
	complete(self, 0);
	ASSERT_EQ(21, pf_slices(&self->trace, slices));
	EXPECT_STREQ("long", slices[20].begin->name);
	EXPECT_EQ(12, slices[20].begin->ns);
	EXPECT_NE(slices[0].begin->track, slices[20].begin->track);
}

TEST_F(perfetto, more_names_than_are_kept)
{
	char label[32];

	for (int i = 0; i < NAMES; i++) {
		snprintf(label, sizeof(label), "tag %d", i);
		ASSERT_EQ(0, put(self, event_of(SHIM_TRACE_OP_POINT, label, 0, 1000 + i)));
	}
	complete(self, 0);
	EXPECT_FALSE(self->trace.bad);
	EXPECT_EQ(2, self->trace.begins);
	ASSERT_EQ(NAMES, self->trace.nevents);
	for (int i = 0; i < NAMES; i += 777) {
		snprintf(label, sizeof(label), "tag %d", i);
		EXPECT_STREQ(label, self->trace.events[i].name);
	}
}

/*
 * Return the number of lines of protoc's output that contain a text, or -1 if protoc rejects the
 * file.
 */
static int protoc_lines(FIXTURE_DATA(perfetto) *self, const char *dir, const char *text)
{
	char path[128], command[512], line[256];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/trace.proto", dir);
	f = fopen(path, "w");
	fputs(definitions, f);
	fclose(f);
	snprintf(path, sizeof(path), "%s/trace", dir);
	f = fopen(path, "w");
	fwrite(self->data, 1, self->len, f);
	fclose(f);
	snprintf(command, sizeof(command), "protoc --decode=Trace -I%s trace.proto <%s/trace", dir, dir);
	f = popen(command, "r");
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, text) != NULL;
	return f && !pclose(f) ? n : -1;
}

TEST_F(perfetto, protoc_reads_it)
{
	char dir[] = "/tmp/tools_perfetto.XXXXXX", command[64];

	if (system("protoc --version >/dev/null 2>&1"))
		SKIP(return, "protobuf-compiler is not installed");
	ASSERT_EQ(0, put_each_kind(self));
	complete(self, 3);
	ASSERT_NE(NULL, mkdtemp(dir));
	EXPECT_EQ(4, protoc_lines(self, dir, "type: TYPE_SLICE_BEGIN"));
	EXPECT_EQ(3, protoc_lines(self, dir, "type: TYPE_SLICE_END"));
	EXPECT_EQ(3, protoc_lines(self, dir, "type: TYPE_INSTANT"));
	EXPECT_EQ(2, protoc_lines(self, dir, "type: TYPE_COUNTER"));
	EXPECT_EQ(1, protoc_lines(self, dir, "double_counter_value: 12345678.25"));
	EXPECT_EQ(1, protoc_lines(self, dir, "double_value: nan"));
	EXPECT_EQ(1, protoc_lines(self, dir, "process_name: \"orders\""));
	EXPECT_EQ(1, protoc_lines(self, dir, "uint_value: 3"));
	EXPECT_EQ(1, protoc_lines(self, dir, "name: \"b\\303\\244r \\303\\244\\n\""));
	/* protoc prints fields without a definition as numbers. */
	EXPECT_EQ(0, protoc_lines(self, dir, "  1: "));
	snprintf(command, sizeof(command), "rm -r %s", dir);
	EXPECT_EQ(0, system(command));
}

TEST_HARNESS_MAIN
