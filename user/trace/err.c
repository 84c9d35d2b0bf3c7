// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The texts of the trace calls' error codes.  They are identical to those of PCP's library, because
 * programs and scripts compare them, like those of pmErrStr().
 */
#include <stddef.h>
#include <string.h>

#include <pcp/trace.h>

#include "base/api.h"

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
