// SPDX-License-Identifier: LGPL-2.1-or-later
/* The texts of the trace calls' error codes. */
#include <stddef.h>
#include <string.h>

#include <pcp/trace.h>

#include "base/api.h"

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ 0, "No error" },
	{ PMTRACE_ERR_TAGNAME, "A tag needs a name" },
	{ PMTRACE_ERR_INPROGRESS, "The transaction has begun already" },
	{ PMTRACE_ERR_NOPROGRESS, "The transaction is not in progress" },
	{ PMTRACE_ERR_NOSUCHTAG, "No transaction of this tag was ever begun" },
	{ PMTRACE_ERR_TAGTYPE, "The tag is in use for something else" },
	{ PMTRACE_ERR_TAGLENGTH, "The tag is too long" },
	{ PMTRACE_ERR_IPC, "The connection for trace data failed" },
	{ PMTRACE_ERR_ENVFORMAT, "An environment variable cannot be understood" },
	{ PMTRACE_ERR_TIMEOUT, "No answer in time" },
	{ PMTRACE_ERR_VERSION, "The other side speaks another version of the protocol" },
	{ PMTRACE_ERR_PERMISSION, "This host may not send trace data" },
	{ PMTRACE_ERR_CONNLIMIT, "This host has too many connections for trace data" },
};

/**
 * pmtraceerrstr() - the meaning of a trace call's result
 * @code: what the call returned
 *
 * Return: text that is not to be changed or freed; never NULL.
 */
SHIM_API char *pmtraceerrstr(int code)
{
	if (code < 0 && code > -PMTRACE_ERR_BASE)
		return strerror(-code);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return (char *)texts[i].text;
	return (char *)"Unknown error of the trace library";
}
