// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Print diagnostics on standard error, if the program's state flags request them, and describe the
 * trace calls' error codes.  These texts, like pmErrStr()'s, are identical to PCP's, because
 * programs and scripts compare them.
 */
#include <arpa/inet.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <pcp/trace.h>

#include "base/api.h"
#include "process.h"
#include "transport.h"

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ 0, "No error." },
	{ PMTRACE_ERR_TAGNAME, "Invalid tag name - tag names cannot be NULL" },
	{ PMTRACE_ERR_INPROGRESS, "Transaction is already in progress - cannot begin" },
	{ PMTRACE_ERR_NOPROGRESS, "Transaction is not currently in progress - cannot end" },
	{ PMTRACE_ERR_NOSUCHTAG, "Transaction tag was not successfully initialised" },
	{ PMTRACE_ERR_TAGTYPE, "Tag is already in use for a different type of tracing" },
	{ PMTRACE_ERR_TAGLENGTH, "Tag name is too long (maximum 256 characters)" },
	{ PMTRACE_ERR_IPC, "IPC protocol failure" },
	{ PMTRACE_ERR_ENVFORMAT, "Unrecognised environment variable format" },
	{ PMTRACE_ERR_TIMEOUT, "Application timed out connecting to the PMDA" },
	{ PMTRACE_ERR_VERSION, "Incompatible versions between application and PMDA" },
	{ PMTRACE_ERR_PERMISSION, "Cannot connect to PMDA - permission denied" },
	{ PMTRACE_ERR_CONNLIMIT, "Cannot connect to PMDA - connection limit reached" },
};

/**
 * pmtraceerrstr() - describe a trace call's result
 * @code: the result of the call
 *
 * Return: a text that the caller must not change or free; never NULL.
 */
SHIM_API char *pmtraceerrstr(int code)
{
	if (code < 0 && code > -PMTRACE_ERR_BASE)
		return strerror(-code);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return (char *)texts[i].text;
	return (char *)"Unknown error code.";
}

static int asked_for(int flag)
{
	return atomic_load_explicit(&shim_process__inherited()->flags, memory_order_relaxed) & flag;
}

/* Print an event if @flag is among the state flags.  @err is 0, or the error to append. */
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
