// SPDX-License-Identifier: LGPL-2.1-or-later
/* A metric that is recorded: its description and its texts. */
#include "record.h"

/**
 * shim_rec_metric__write() - declare a metric and say what it is
 * @w: to where
 * @metric: all of it
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_metric__write(struct shim_writer *w, const struct shim_rec_metric *metric)
{
	uint32_t pmid = metric->desc.pmid;
	int ret = shim_writer__desc(w, &metric->desc);

	if (!ret)
		ret = shim_writer__text(w, SHIM_TEXT_PMID | SHIM_TEXT_ONELINE, pmid, metric->line);
	if (!ret)
		ret = shim_writer__text(w, SHIM_TEXT_PMID | SHIM_TEXT_HELP, pmid, metric->help);
	return ret;
}
