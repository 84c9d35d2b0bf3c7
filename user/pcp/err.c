// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PMAPI error codes: their texts, and the codes for errors of user/archive.  The texts are
 * identical to PCP's because programs compare them.
 *
 * Threads: pmErrStr() has a buffer per thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "archive/types.h"
#include "base/api.h"
#include "base/text.h"
#include "err.h"
#include "texts.h"

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ PM_ERR_GENERIC, "Generic error, already reported above" },
	{ PM_ERR_PMNS, "Problems parsing PMNS definitions" },
	{ PM_ERR_NOPMNS, "PMNS not accessible" },
	{ PM_ERR_DUPPMNS, "Attempt to reload the PMNS" },
	{ PM_ERR_TEXT, "One-line or help text is not available" },
	{ PM_ERR_APPVERSION, "Metric not supported by this version of monitored application" },
	{ PM_ERR_VALUE, "Missing metric value(s)" },
	{ PM_ERR_TIMEOUT, "Timeout waiting for a response from PMCD" },
	{ PM_ERR_NODATA, "Empty archive file" },
	{ PM_ERR_RESET, "PMCD reset or configuration change" },
	{ PM_ERR_NAME, "Unknown metric name" },
	{ PM_ERR_PMID, "Unknown or illegal metric identifier" },
	{ PM_ERR_INDOM, "Unknown or illegal instance domain identifier" },
	{ PM_ERR_INST, "Unknown or illegal instance identifier" },
	{ PM_ERR_UNIT, "Illegal pmUnits specification" },
	{ PM_ERR_CONV, "Impossible value or scale conversion" },
	{ PM_ERR_TRUNC, "Truncation in value conversion" },
	{ PM_ERR_SIGN, "Negative value in conversion to unsigned" },
	{ PM_ERR_PROFILE, "Explicit instance identifier(s) required" },
	{ PM_ERR_IPC, "IPC protocol failure" },
	{ PM_ERR_EOF, "IPC channel closed" },
	{ PM_ERR_NOTHOST, "Operation requires context with host source of metrics" },
	{ PM_ERR_EOL, "End of PCP archive" },
	{ PM_ERR_MODE, "Illegal mode specification" },
	{ PM_ERR_LABEL, "Illegal label record at start of a PCP archive file" },
	{ PM_ERR_LOGREC, "Corrupted record in a PCP archive" },
	{ PM_ERR_NOTARCHIVE, "Operation requires context with archive source of metrics" },
	{ PM_ERR_LOGFILE, "Missing PCP archive file" },
	{ PM_ERR_NOCONTEXT, "Attempt to use an illegal context" },
	{ PM_ERR_PROFILESPEC, "NULL pmInDom with non-NULL instlist" },
	{ PM_ERR_PMID_LOG, "Metric not defined in the PCP archive" },
	{ PM_ERR_INDOM_LOG, "Instance domain identifier not defined in the PCP archive" },
	{ PM_ERR_INST_LOG, "Instance identifier not defined in the PCP archive" },
	{ PM_ERR_NOPROFILE, "Missing profile - protocol botch" },
	{ PM_ERR_NOAGENT, "No PMCD agent for domain of request" },
	{ PM_ERR_PERMISSION, "No permission to perform requested operation" },
	{ PM_ERR_CONNLIMIT, "PMCD connection limit for this host exceeded" },
	{ PM_ERR_AGAIN, "Try again. Information not currently available" },
	{ PM_ERR_ISCONN, "Already Connected" },
	{ PM_ERR_NOTCONN, "Not Connected" },
	{ PM_ERR_NEEDPORT, "A non-null port name is required" },
	{ PM_ERR_NONLEAF, "Metric name is not a leaf in PMNS" },
	{ PM_ERR_TYPE, "Unknown or illegal metric type" },
	{ PM_ERR_THREAD, "Operation not supported for multi-threaded applications" },
	{ PM_ERR_NOCONTAINER, "Container not found" },
	{ PM_ERR_BADSTORE, "Bad input to pmstore" },
	{ PM_ERR_LOGOVERLAP, "Archives overlap in time" },
	{ PM_ERR_LOGHOST, "Archives differ by host" },
	{ PM_ERR_LOGCHANGETYPE, "The type of a metric has changed in an archive" },
	{ PM_ERR_LOGCHANGESEM, "The semantics of a metric has changed in an archive" },
	{ PM_ERR_LOGCHANGEINDOM, "The instance domain of a metric has changed in an archive" },
	{ PM_ERR_LOGCHANGEUNITS, "The units of a metric have changed in an archive" },
	{ PM_ERR_NEEDCLIENTCERT, "PMCD requires a client certificate" },
	{ PM_ERR_BADDERIVE, "Derived metric definition failed" },
	{ PM_ERR_NOLABELS, "No support for metric label metadata" },
	{ PM_ERR_PMDAFENCED, "PMDA is currently fenced and unable to respond to requests" },
	{ PM_ERR_RECTYPE, "Incorrect record type in an archive" },
	{ PM_ERR_FEATURE, "Archive feature not supported" },
	{ PM_ERR_TLS, "TLS protocol failure" },
	{ PM_ERR_ARG, "Bad value for function argument" },
	{ PM_ERR_BOTCH, "Internal inconsistency detected or assertion failed" },
	{ PM_ERR_TOOSMALL, "Insufficient elements in list" },
	{ PM_ERR_TOOBIG, "Result size exceeded" },
	{ PM_ERR_FAULT, "QA fault injected" },
	{ PM_ERR_PMDAREADY, "PMDA is now responsive to requests" },
	{ PM_ERR_PMDANOTREADY, "PMDA is not yet ready to respond to requests" },
	{ PM_ERR_NYI, "Functionality not yet implemented" },
};

/*
 * Codes below PM_ERR_NYI come from servers that authenticate users through SASL: PM_ERR_NYI minus
 * the code is the absolute value of SASL's error number.
 */
#define SASL_CODES	1000

static const char *const sasl_texts[] = {
	[1] = "generic failure",
	[2] = "no memory available",
	[3] = "overflowed buffer",
	[4] = "no mechanism available",
	[5] = "bad protocol / cancel",
	[6] = "can't request information until later in exchange",
	[7] = "invalid parameter supplied",
	[8] = "transient failure (e.g., weak key)",
	[9] = "integrity check failed",
	[10] = "server failed mutual authentication step",
	[11] = "mechanism doesn't support requested feature",
	[12] = "SASL library is not initialized",
	[13] = "authentication failure",
	[14] = "authorization failure",
	[15] = "mechanism too weak for this user",
	[16] = "encryption needed to use mechanism",
	[17] = "One time use of a plaintext password will enable requested mechanism for user",
	[18] = "passphrase expired, has to be reset",
	[19] = "account disabled",
	[20] = "user not found",
	[21] = "passphrase locked",
	[22] = "requested change was not needed",
	[23] = "version mismatch with plug-in",
	[24] = "remote authentication server unavailable",
	[26] = "user exists, but no verifier for user",
	[27] = "passphrase is too weak for security policy",
	[28] = "user supplied passwords are not permitted",
	[29] = "sasl_setpass needs old password in order to perform password change",
	[30] = "sasl_setpass can't store a property because of a constraint violation",
	[32] = "channel binding failure",
	[100] = "error when parsing configuration file",
};

/*
 * The errors listed in archive/types.h; all others are system errors and are passed on unchanged.
 */
static const struct {
	int err;
	int code;
} archive_errors[] = {
	{ ENXIO, PM_ERR_LOGFILE },
	{ ENODATA, PM_ERR_NODATA },
	{ EILSEQ, PM_ERR_LABEL },
	{ EBADMSG, PM_ERR_LOGREC },
	{ SHIM_EVOLUME, PM_ERR_LOGREC },
	{ SHIM_ECHANGE_TYPE, PM_ERR_LOGCHANGETYPE },
	{ SHIM_ECHANGE_SEM, PM_ERR_LOGCHANGESEM },
	{ SHIM_ECHANGE_INDOM, PM_ERR_LOGCHANGEINDOM },
	{ SHIM_ECHANGE_UNITS, PM_ERR_LOGCHANGEUNITS },
	{ SHIM_EHOST, PM_ERR_LOGHOST },
	{ SHIM_EOVERLAP, PM_ERR_LOGOVERLAP },
	{ EPROTO, PM_ERR_RECTYPE },
	{ EOPNOTSUPP, PM_ERR_FEATURE },
	{ ERANGE, PM_ERR_EOL },
};

int shim_pcp__error(int err)
{
	for (unsigned int i = 0; i < sizeof(archive_errors) / sizeof(archive_errors[0]); i++)
		if (archive_errors[i].err == -err)
			return archive_errors[i].code;
	return err;
}

bool shim_pcp__is_failure(int err)
{
	return err == -ENOMEM || err == PM_ERR_TIMEOUT || err == PM_ERR_IPC;
}

static const char *sasl_text(int64_t number)
{
	const size_t n = sizeof(sasl_texts) / sizeof(sasl_texts[0]);

	return number < (int64_t)n && sasl_texts[number] ? sasl_texts[number] : "undefined error!";
}

static const char *text_of(int code)
{
	if (code > -PM_ERR_BASE)
		return NULL;
	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return NULL;
}

/**
 * pmErrStr_r() - get the text of an error code
 * @code: the result of a PMAPI call
 * @buf: buffer of @buflen bytes; PM_MAXERRMSGLEN are always enough
 * @buflen: at least 1
 *
 * Return: @buf, or NULL if @buflen is too small.
 */
SHIM_API char *pmErrStr_r(int code, char *buf, int buflen)
{
	const int64_t below = (int64_t)PM_ERR_NYI - code;
	const char *text = text_of(code);
	char sys[PM_MAXERRMSGLEN];

	if (!buf || buflen < 1)
		return NULL;
	if (!text && code == 0)
		text = "No error";
	else if (!text && code < 0 && code > -PM_ERR_BASE)
		text = strerror_r(-code, sys, sizeof(sys));
	if (text)
		shim_text__put(buf, buflen, text);
	else if (code > PM_ERR_NYI)
		snprintf(buf, buflen, "No such PMAPI error code (%d)", code);
	else if (below <= SASL_CODES)
		snprintf(buf, buflen, "Authentication - %s", sasl_text(below));
	else
		snprintf(buf, buflen, "Unknown secure sockets error %d (%" PRId64 ")", code,
			 -below);
	return buf;
}

/**
 * pmErrStr() - get the text of an error code
 * @code: the result of a PMAPI call
 *
 * Return: the text, valid until this thread's next call.
 */
SHIM_API char *pmErrStr(int code)
{
	struct shim_texts *texts = shim_texts();

	return pmErrStr_r(code, texts->error, sizeof(texts->error));
}
