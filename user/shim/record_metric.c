// SPDX-License-Identifier: LGPL-2.1-or-later
/* Descriptions and texts of recorded metrics and instance domains. */
#include "record.h"

/* Write the one-line text and the help text of a metric or a domain. */
static int write_texts(struct shim_writer *w, uint32_t about, uint32_t ident, const char *line,
		       const char *help)
{
	int ret = shim_writer__text(w, about | SHIM_TEXT_ONELINE, ident, line);

	return ret ? ret : shim_writer__text(w, about | SHIM_TEXT_HELP, ident, help);
}

/**
 * shim_rec_metric__write() - declare a metric and write its texts
 * @w: the archive
 * @metric: the metric
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_metric__write(struct shim_writer *w, const struct shim_metric *metric)
{
	const struct shim_desc desc = {
		.pmid = metric->pmid,
		.type = metric->type,
		.indom = metric->indom,
		.sem = metric->sem,
		.units = metric->units,
		.nnames = 1,
		.names = &metric->name,
	};
	int ret = shim_writer__desc(w, &desc);

	return ret ? ret : write_texts(w, SHIM_TEXT_PMID, metric->pmid, metric->line, metric->help);
}

/**
 * shim_rec_indom__describe() - write the texts of an instance domain
 * @w: the archive
 * @indom: the domain
 *
 * Return: 0 or an error of the writer.
 */
int shim_rec_indom__describe(struct shim_writer *w, const struct shim_metric_indom *indom)
{
	return write_texts(w, SHIM_TEXT_INDOM, indom->indom, indom->line, indom->help);
}
