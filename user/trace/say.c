// SPDX-License-Identifier: LGPL-2.1-or-later
/* Diagnostics on standard error, if the program's state flags request them. */
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pcp/trace.h>

#include "process.h"
#include "say.h"

static int asked_for(int flag)
{
	return atomic_load_explicit(&shim_process__inherited()->flags, memory_order_relaxed) & flag;
}

/* Print an event if @flag is among the state flags.  @err: 0, or the error to append */
void shim_say(int flag, const char *what, int err)
{
	if (asked_for(flag))
		fprintf(stderr, "pmtrace: %s%s%s\n", what, err ? ": " : "",
			err ? pmtraceerrstr(err) : "");
}

/*
 * For PMTRACE_STATE_PDUBUF, print the buffer of an event or an acknowledgement of @need bytes, in
 * the format of PCP's library, including its doubled "0x".
 */
void shim_say_buffer(size_t need, const void *buffer, size_t size)
{
	if (asked_for(PMTRACE_STATE_PDUBUF))
		fprintf(stderr, "__pmtracefindPDUbuf(%zu) -> 0x%p\n   free pdubuf[size]: 0x%p[%zu]\n",
			need, buffer, buffer, size);
}

/* For PMTRACE_STATE_PDU, print the words of an event or an acknowledgement in host byte order. */
void shim_say_pdu(const char *what, const unsigned char *bytes, size_t size)
{
	char line[SHIM_PDU_MAX_SIZE / 4 * 9 + 1];
	size_t at = 0;

	if (!asked_for(PMTRACE_STATE_PDU))
		return;
	for (size_t i = 0; i + 4 <= size && at + 9 < sizeof(line); i += 4) {
		uint32_t word;

		memcpy(&word, bytes + i, sizeof(word));
		at += sprintf(line + at, " %08x", ntohl(word));
	}
	fprintf(stderr, "pmtrace: %s%.*s\n", what, (int)at, line);
}
