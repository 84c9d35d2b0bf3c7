// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * LOGIMPORT's error codes in words.
 *
 * Threads: pmiErrStr's buffer is the thread's own.
 */
#include <stdio.h>

#include "base/api.h"
#include "importer.h"

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ PMI_ERR_DUPMETRICNAME, "There is a metric of that name, or a group" },
	{ PMI_ERR_DUPMETRICID, "There is a metric with that identifier" },
	{ PMI_ERR_DUPINSTNAME, "There is an instance of that name" },
	{ PMI_ERR_DUPINSTID, "There is an instance of that number" },
	{ PMI_ERR_INSTNOTNULL, "The metric has no instances, but one is named" },
	{ PMI_ERR_INSTNULL, "The metric has instances, but none is named" },
	{ PMI_ERR_BADHANDLE, "No such handle" },
	{ PMI_ERR_DUPVALUE, "The next record has a value there already" },
	{ PMI_ERR_BADTYPE, "No type that can be imported" },
	{ PMI_ERR_BADSEM, "No such semantics" },
	{ PMI_ERR_NODATA, "There are no values to write" },
	{ PMI_ERR_BADMETRICNAME, "No name that a metric can have" },
	{ PMI_ERR_BADTIMESTAMP, "The time is none, or before the last record" },
	{ PMI_ERR_BADTEXTTYPE, "A text is about a metric or an instance domain" },
	{ PMI_ERR_BADTEXTCLASS, "A text is one line or help" },
	{ PMI_ERR_BADTEXTID, "Nothing that can have a text" },
	{ PMI_ERR_EMPTYTEXTCONTENT, "The text is empty" },
	{ PMI_ERR_DUPTEXT, "The text is there already" },
	{ PMI_ERR_BADLABELTYPE, "Labels of no such level" },
	{ PMI_ERR_BADLABELID, "Nothing that can have labels" },
	{ PMI_ERR_BADLABELINSTANCE, "No number of an instance" },
	{ PMI_ERR_EMPTYLABELNAME, "The label has no name" },
	{ PMI_ERR_EMPTYLABELVALUE, "The label has no value" },
	{ PMI_ERR_ADDLABELERROR, "The label's name or value cannot stand in an archive" },
	{ PMI_ERR_BADVERSION, "Archives have version 2 or 3" },
};

/**
 * pmiErrStr_r() - an error code's text
 * @code: what a call returned, or -1 for what the current context's last call did
 * @buf: @buflen bytes; PMI_MAXERRMSGLEN are always enough
 * @buflen: at least 1
 *
 * Return: @buf, or NULL if there is no room at all.
 */
SHIM_API char *pmiErrStr_r(int code, char *buf, int buflen)
{
	if (code == -1)
		code = shim_import__last_error();
	for (size_t i = 0; buf && buflen > 0 && i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (texts[i].code == code) {
			snprintf(buf, buflen, "%s", texts[i].text);
			return buf;
		}
	}
	return pmErrStr_r(code, buf, buflen);
}

/**
 * pmiErrStr() - an error code's text
 * @code: as for pmiErrStr_r()
 *
 * Return: the text, good until this thread's next call.
 */
SHIM_API const char *pmiErrStr(int code)
{
	static __thread char buf[PMI_MAXERRMSGLEN];

	return pmiErrStr_r(code, buf, sizeof(buf));
}
