// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * PMAPI error codes: their texts, and which of the archive's errors becomes which.
 *
 * Threads: pmErrStr's buffer is the thread's own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "archive/types.h"
#include "base/api.h"
#include "err.h"

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ PM_ERR_GENERIC, "A failure that was reported before" },
	{ PM_ERR_PMNS, "The name space file has a syntax error" },
	{ PM_ERR_NOPMNS, "There is no name space" },
	{ PM_ERR_DUPPMNS, "A name space is loaded already" },
	{ PM_ERR_TEXT, "There is no help text" },
	{ PM_ERR_APPVERSION, "The monitored program's version does not support the metric" },
	{ PM_ERR_VALUE, "Values are missing" },
	{ PM_ERR_TIMEOUT, "PMCD did not answer in time" },
	{ PM_ERR_NODATA, "The archive file is empty" },
	{ PM_ERR_RESET, "PMCD was reset or its configuration changed" },
	{ PM_ERR_NAME, "No such metric name" },
	{ PM_ERR_PMID, "No such metric identifier" },
	{ PM_ERR_INDOM, "No such instance domain" },
	{ PM_ERR_INST, "No such instance" },
	{ PM_ERR_UNIT, "Units that do not exist" },
	{ PM_ERR_CONV, "The value cannot be converted to that type or scale" },
	{ PM_ERR_TRUNC, "The value is too big for that type" },
	{ PM_ERR_SIGN, "A negative value does not fit an unsigned type" },
	{ PM_ERR_PROFILE, "The metric wants its instances named in the profile" },
	{ PM_ERR_IPC, "Malformed message or value" },
	{ PM_ERR_EOF, "The connection was closed" },
	{ PM_ERR_NOTHOST, "Possible only with a live source of metrics" },
	{ PM_ERR_EOL, "Before the start or after the end of the archive" },
	{ PM_ERR_MODE, "No such mode" },
	{ PM_ERR_LABEL, "The archive's label is bad" },
	{ PM_ERR_LOGREC, "The archive has a corrupt record" },
	{ PM_ERR_NOTARCHIVE, "Possible only with an archive" },
	{ PM_ERR_LOGFILE, "A file of the archive is missing" },
	{ PM_ERR_NOCONTEXT, "No such context" },
	{ PM_ERR_PROFILESPEC, "A list of instances needs an instance domain" },
	{ PM_ERR_PMID_LOG, "The archive does not have the metric" },
	{ PM_ERR_INDOM_LOG, "The archive does not have the instance domain at that time" },
	{ PM_ERR_INST_LOG, "The archive does not have the instance at that time" },
	{ PM_ERR_NOPROFILE, "The protocol's instance profile is missing" },
	{ PM_ERR_NOAGENT, "No agent for the metric's domain" },
	{ PM_ERR_PERMISSION, "Not permitted" },
	{ PM_ERR_CONNLIMIT, "PMCD has too many connections" },
	{ PM_ERR_AGAIN, "Not available now, try again" },
	{ PM_ERR_ISCONN, "Already connected" },
	{ PM_ERR_NOTCONN, "Not connected" },
	{ PM_ERR_NEEDPORT, "The port's name is needed" },
	{ PM_ERR_NONLEAF, "The name is not that of a metric but of a group" },
	{ PM_ERR_TYPE, "No such type, or not possible with it" },
	{ PM_ERR_THREAD, "Not possible in more than one thread" },
	{ PM_ERR_NOCONTAINER, "No such container" },
	{ PM_ERR_BADSTORE, "The value to store is bad" },
	{ PM_ERR_LOGOVERLAP, "The archives overlap in time" },
	{ PM_ERR_LOGHOST, "The archives are of different hosts" },
	{ PM_ERR_LOGCHANGETYPE, "The archive changes the metric's type" },
	{ PM_ERR_LOGCHANGESEM, "The archive changes the metric's semantics" },
	{ PM_ERR_LOGCHANGEINDOM, "The archive changes the metric's instance domain" },
	{ PM_ERR_LOGCHANGEUNITS, "The archive changes the metric's units" },
	{ PM_ERR_NEEDCLIENTCERT, "PMCD wants a client certificate" },
	{ PM_ERR_BADDERIVE, "The derived metric's definition is wrong" },
	{ PM_ERR_NOLABELS, "The source has no labels" },
	{ PM_ERR_PMDAFENCED, "The agent is fenced off" },
	{ PM_ERR_RECTYPE, "The archive has a record of unknown type" },
	{ PM_ERR_FEATURE, "The archive uses a feature that is not known here" },
	{ PM_ERR_TLS, "TLS failed" },
	{ PM_ERR_BOTCH, "Internal inconsistency" },
	{ PM_ERR_TOOSMALL, "The list is too short" },
	{ PM_ERR_TOOBIG, "The result is too big" },
	{ PM_ERR_FAULT, "A fault was injected" },
	{ PM_ERR_PMDAREADY, "The agent is ready" },
	{ PM_ERR_PMDANOTREADY, "The agent is not ready yet" },
	{ PM_ERR_NYI, "Not implemented" },
};

/* What archive/types.h lists; other errors are the system's and stay what they are. */
static const struct {
	int err;
	int code;
} archive_errors[] = {
	{ ENXIO, PM_ERR_LOGFILE },
	{ ENODATA, PM_ERR_NODATA },
	{ EILSEQ, PM_ERR_LABEL },
	{ EBADMSG, PM_ERR_LOGREC },
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

static const char *text_of(int code)
{
	for (unsigned int i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return NULL;
}

/**
 * pmErrStr_r() - an error code's text
 * @code: what a PMAPI call returned
 * @buf: @buflen bytes; PM_MAXERRMSGLEN are always enough
 * @buflen: at least 1
 *
 * Return: @buf, or NULL if there is no room at all.
 */
SHIM_API char *pmErrStr_r(int code, char *buf, int buflen)
{
	const char *text = text_of(code);
	char sys[PM_MAXERRMSGLEN];

	if (!buf || buflen < 1)
		return NULL;
	if (text)
		snprintf(buf, buflen, "%s", text);
	else if (code == 0)
		snprintf(buf, buflen, "No error");
	else if (code < 0 && code > -PM_ERR_BASE)
		snprintf(buf, buflen, "%s", strerror_r(-code, sys, sizeof(sys)));
	else
		snprintf(buf, buflen, "No such error code (%d)", code);
	return buf;
}

/**
 * pmErrStr() - an error code's text
 * @code: what a PMAPI call returned
 *
 * Return: the text, good until this thread's next call.
 */
SHIM_API char *pmErrStr(int code)
{
	static __thread char buf[PM_MAXERRMSGLEN];

	return pmErrStr_r(code, buf, sizeof(buf));
}
