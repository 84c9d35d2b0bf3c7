// SPDX-License-Identifier: GPL-2.0-or-later
/* Print the rates of each interval on a line, with a heading every HEADING_EACH lines. */
#include <stdio.h>
#include <string.h>

#include "counts.h"
#include "plot.h"
#include "rates.h"
#include "value.h"

#define HEADING_EACH	20
#define LEAST_WIDTH	10
#define TIME_WIDTH	10

static int width_of(const char *event)
{
	int len = strlen(event);

	return len > LEAST_WIDTH ? len : LEAST_WIDTH;
}

static void put_heading(FILE *out, const struct shim_set *set)
{
	fprintf(out, "%*s", TIME_WIDTH, "seconds");
	for (unsigned int i = 0; i < shim_set_size(set); i++)
		fprintf(out, "  %*s", width_of(shim_set_event(set, i)), shim_set_event(set, i));
	fprintf(out, "\n%*s", TIME_WIDTH, "");
	for (unsigned int i = 0; i < shim_set_size(set); i++)
		fprintf(out, "  %*s", width_of(shim_set_event(set, i)),
			vcpc_is_clock(shim_set_event(set, i)) ? "CPUs" : "/s");
	fputc('\n', out);
}

void vcpc_rates_print(FILE *out, struct vcpc_rates *rates, const struct shim_set *set,
		      const struct shim_sample *total, double seconds)
{
	double length = seconds - rates->seconds;

	if (!(length > 0))
		return;
	if (rates->lines++ % HEADING_EACH == 0)
		put_heading(out, set);
	fprintf(out, "%*.3f", TIME_WIDTH, seconds);
	for (unsigned int i = 0; i < total->nr; i++) {
		const char *event = shim_set_event(set, i);
		double rate = (double)(total->values[i] - rates->before[i]) / length;
		char text[32];

		vcpc_plot_number(text, sizeof(text), vcpc_is_clock(event) ? rate / 1e9 : rate);
		fprintf(out, "  %*s", width_of(event), text);
	}
	fputc('\n', out);
	memcpy(rates->before, total->values, total->nr * sizeof(total->values[0]));
	rates->seconds = seconds;
}
