// SPDX-License-Identifier: GPL-2.0-or-later
/* Misuse <pcp/trace.h>, without a listener. */
#define PCP_TRACE_NO_INLINE
#include "pcp/trace.h"
#include "misuse.h"

static const struct {
	int code;
	const char *name;
} codes[] = {
	{ PMTRACE_ERR_TAGNAME, "PMTRACE_ERR_TAGNAME" },
	{ PMTRACE_ERR_INPROGRESS, "PMTRACE_ERR_INPROGRESS" },
	{ PMTRACE_ERR_NOPROGRESS, "PMTRACE_ERR_NOPROGRESS" },
	{ PMTRACE_ERR_NOSUCHTAG, "PMTRACE_ERR_NOSUCHTAG" },
	{ PMTRACE_ERR_TAGTYPE, "PMTRACE_ERR_TAGTYPE" },
	{ PMTRACE_ERR_TAGLENGTH, "PMTRACE_ERR_TAGLENGTH" },
	{ PMTRACE_ERR_IPC, "PMTRACE_ERR_IPC" },
	{ PMTRACE_ERR_ENVFORMAT, "PMTRACE_ERR_ENVFORMAT" },
};

void misuse_name(char *text, size_t size, long value, int error)
{
	(void)error;
	snprintf(text, size, "%ld", value);
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == value)
			snprintf(text, size, "%s", codes[i].name);
}

static char *long_tag;

static void ready(void)
{
	long_tag = malloc(1 << 20);
	memset(long_tag, 't', 1 << 20);
	long_tag[(1 << 20) - 1] = 0;
}

static long end_in_thread(void)
{
	return pmtraceend("begun");
}

static int many_tags(int many)
{
	char tag[16];
	int n = 0, err;

	for (int i = 0; i < many; i++) {
		sprintf(tag, "tag %d", i);
		err = pmtracepoint(tag);
		if (err < 0)
			return err;
		n++;
	}
	return n;
}

int main(void)
{
	INT(, "no agent", pmtracepoint("tag"));
	pmtracestate(PMTRACE_STATE_NOAGENT);
	INT(, "NULL tag", pmtracebegin(NULL));
	INT(, "empty tag", pmtracebegin(""));
	INT(ready(), "a tag of 1 MB", pmtracebegin(long_tag));
	INT(pmtracebegin("begun"), "begun twice", pmtracebegin("begun"));
	INT(pmtracepoint("point"), "a tag of another kind", pmtracebegin("point"));
	INT(, "NULL tag", pmtraceend(NULL));
	INT(, "never begun", pmtraceend("never"));
	INT(pmtracepoint("point"), "a tag of another kind", pmtraceend("point"));
	INT(pmtracebegin("begun"); pmtraceend("begun"), "ended twice", pmtraceend("begun"));
	INT(pmtracebegin("begun"), "in another thread", in_another_thread(end_in_thread));
	INT(, "NULL tag", pmtraceabort(NULL));
	INT(, "never begun", pmtraceabort("never"));
	INT(pmtracebegin("begun"); pmtraceend("begun"), "after its end", pmtraceabort("begun"));
	INT(, "NULL tag", pmtracepoint(NULL));
	INT(ready(), "a tag of 1 MB", pmtracepoint(long_tag));
	INT(pmtracebegin("begun"), "a tag of another kind", pmtracepoint("begun"));
	INT(, "10^5 tags", many_tags(100000));
	INT(, "NULL tag", pmtraceobs(NULL, 1));
	INT(, "NaN", pmtraceobs("obs", __builtin_nan("")));
	INT(pmtracepoint("point"), "a tag of another kind", pmtraceobs("point", 1));
	INT(, "NULL tag", pmtracecounter(NULL, 1));
	INT(, "infinity", pmtracecounter("counter", __builtin_inf()));
	INT(pmtraceobs("obs", 1), "a tag of another kind", pmtracecounter("obs", 1));
	POINTER(, "unknown error code", pmtraceerrstr(-1));
	POINTER(, "the minimum code", pmtraceerrstr(-2147483647 - 1));
	INT(, "all flags", pmtracestate(~PMTRACE_STATE_NOAGENT & ~PMTRACE_STATE_ASYNC));
	INT(pmtracebegin("begun"), "after the first call", pmtracestate(PMTRACE_STATE_ASYNC));
	INT(, "before any call", shim_trace_lost());
	NOTHING(, "NULL tag", shim_trace_meet(NULL, &(struct shim_trace_site){ 0 }));
	NOTHING(, "NULL site", shim_trace_meet("tag", NULL));
	return misuse_ends();
}
