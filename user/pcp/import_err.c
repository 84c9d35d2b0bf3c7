// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * LOGIMPORT's error codes and their texts, which are identical to those of PCP's library because
 * programs compare them.
 *
 * Threads: pmiErrStr() has a buffer per thread.
 */
#include <stdio.h>

#include "base/api.h"
#include "importer.h"
#include "texts.h"

static const struct {
	int code;
	const char *text;
} texts[] = {
	{ PMI_ERR_DUPMETRICNAME, "Metric name already defined" },
	{ PMI_ERR_DUPMETRICID, "Metric pmID already defined" },
	{ PMI_ERR_DUPINSTNAME, "External instance name already defined" },
	{ PMI_ERR_DUPINSTID, "Internal instance identifer already defined" },
	{ PMI_ERR_INSTNOTNULL, "Null instance expected for a singular metric" },
	{ PMI_ERR_INSTNULL, "Null instance not allowed for a non-singular metric" },
	{ PMI_ERR_BADHANDLE, "Illegal handle" },
	{ PMI_ERR_DUPVALUE, "Value already assigned for this metric-instance" },
	{ PMI_ERR_BADTYPE, "Illegal metric type" },
	{ PMI_ERR_BADSEM, "Illegal metric semantics" },
	{ PMI_ERR_NODATA, "No data to output" },
	{ PMI_ERR_BADMETRICNAME, "Illegal metric name" },
	{ PMI_ERR_BADTIMESTAMP, "Illegal result timestamp" },
	{ PMI_ERR_BADTEXTTYPE, "Illegal text type" },
	{ PMI_ERR_BADTEXTCLASS, "Illegal text class" },
	{ PMI_ERR_BADTEXTID, "Illegal text identifier" },
	{ PMI_ERR_EMPTYTEXTCONTENT, "Text is empty" },
	{ PMI_ERR_DUPTEXT, "Help text already exists" },
	{ PMI_ERR_BADLABELTYPE, "Illegal label type" },
	{ PMI_ERR_BADLABELID, "Illegal label identifier" },
	{ PMI_ERR_BADLABELINSTANCE, "Illegal label instance" },
	{ PMI_ERR_EMPTYLABELNAME, "Label name is empty" },
	{ PMI_ERR_EMPTYLABELVALUE, "Label value is empty" },
	{ PMI_ERR_ADDLABELERROR, "Error adding label" },
	{ PMI_ERR_BADVERSION, "Illegal archive version" },
};

/**
 * pmiErrStr_r() - get the text of an error code
 * @code: the result of a call, or -1 for the result of the current context's last call
 * @buf: @buflen bytes; PMI_MAXERRMSGLEN are always enough
 * @buflen: at least 1
 *
 * Return: @buf, or NULL if @buflen is too small.
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
 * pmiErrStr() - get the text of an error code
 * @code: as for pmiErrStr_r()
 *
 * Return: the text, valid until this thread's next call.
 */
SHIM_API const char *pmiErrStr(int code)
{
	struct shim_texts *texts = shim_texts();

	return pmiErrStr_r(code, texts->import_error, sizeof(texts->import_error));
}
