/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Performance Co-Pilot's trace calls: mark transactions, points, observations
 * and counters in a program.
 *
 * The calls return 0, or a negative PMTRACE_ERR_* or a negated errno; see
 * libshim-trace(3).  All may be called from any thread.
 */
#ifndef PCP_TRACE_H
#define PCP_TRACE_H

#ifdef __cplusplus
extern "C" {
#endif

int pmtracebegin(const char *tag);
int pmtraceend(const char *tag);
int pmtraceabort(const char *tag);
int pmtracepoint(const char *tag);
int pmtraceobs(const char *tag, double value);
int pmtracecounter(const char *tag, double value);
char *pmtraceerrstr(int code);
int pmtracestate(int flags);

/* Not in PCP: return the number of events of this process that have not reached the agent. */
unsigned long long shim_trace_lost(void);

#define PMTRACE_ERR_BASE		12000
#define PMTRACE_ERR_TAGNAME		(-PMTRACE_ERR_BASE - 0)
#define PMTRACE_ERR_INPROGRESS		(-PMTRACE_ERR_BASE - 1)
#define PMTRACE_ERR_NOPROGRESS		(-PMTRACE_ERR_BASE - 2)
#define PMTRACE_ERR_NOSUCHTAG		(-PMTRACE_ERR_BASE - 3)
#define PMTRACE_ERR_TAGTYPE		(-PMTRACE_ERR_BASE - 4)
#define PMTRACE_ERR_TAGLENGTH		(-PMTRACE_ERR_BASE - 5)
#define PMTRACE_ERR_IPC			(-PMTRACE_ERR_BASE - 6)
#define PMTRACE_ERR_ENVFORMAT		(-PMTRACE_ERR_BASE - 7)
#define PMTRACE_ERR_TIMEOUT		(-PMTRACE_ERR_BASE - 8)
#define PMTRACE_ERR_VERSION		(-PMTRACE_ERR_BASE - 9)
#define PMTRACE_ERR_PERMISSION		(-PMTRACE_ERR_BASE - 10)
#define PMTRACE_ERR_CONNLIMIT		(-PMTRACE_ERR_BASE - 11)

/* Flags of pmtracestate() */
#define PMTRACE_STATE_NONE		0
#define PMTRACE_STATE_API		1
#define PMTRACE_STATE_COMMS		2
#define PMTRACE_STATE_PDU		4
#define PMTRACE_STATE_PDUBUF		8
#define PMTRACE_STATE_NOAGENT		16
#define PMTRACE_STATE_ASYNC		32

/*
 * Not in PCP: while there is no listener, a call with a literal tag in optimized code returns
 * without calling the library.  This changes only one result: the call returns 0 without checking
 * whether the module has space for its tag.  The calls are then also macros; a source file with
 * other functions of these names defines PCP_TRACE_NO_INLINE.
 */

/**
 * struct shim_trace_state - a tag of this process
 * @gate: location of the listener flags; NULL: call the library
 * @progress: the tag's transaction: the two lower bits are 1 if it has begun, 2 if it has ended
 */
struct shim_trace_state {
	const unsigned int *const *gate;
	unsigned long long progress;
};

/**
 * struct shim_trace_site - the cached tag of a literal
 * @literal: the literal's address, set once
 * @state: the tag's state
 */
struct shim_trace_site {
	const char *literal;
	struct shim_trace_state *state;
};

void shim_trace_meet(const char *tag, struct shim_trace_site *site);

#ifdef __cplusplus
}
#endif

#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(PCP_TRACE_NO_INLINE)
#include <pcp/trace_inline.h>
#endif

#endif /* PCP_TRACE_H */
