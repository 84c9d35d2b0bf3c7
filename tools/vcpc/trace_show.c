// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc trace show: print the statistics, once or repeatedly. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"
#include "vcpc.h"

static int by_kind_and_name(const void *a, const void *b)
{
	const struct shim_trace_stat *const *x = a, *const *y = b;

	if ((*x)->kind != (*y)->kind)
		return (*x)->kind < (*y)->kind ? -1 : 1;
	return strcmp((*x)->label, (*y)->label);
}

static int by_name_and_event(const void *a, const void *b)
{
	const struct shim_trace_count *const *x = a, *const *y = b;
	int order = strcmp((*x)->label, (*y)->label);

	return order ? order : strcmp((*x)->event, (*y)->event);
}

static int add_loss(void *arg, const struct shim_trace_loss *loss)
{
	struct trace_view *view = arg;
	struct shim_trace_loss *losses = reallocarray(view->losses, view->nlosses + 1,
						      sizeof(*losses));

	if (!losses)
		return -ENOMEM;
	view->losses = losses;
	view->losses[view->nlosses++] = *loss;
	return 0;
}

static int take_view(struct trace_view *view)
{
	int err = shim_trace_stats_get(view->trace, &view->n);

	if (!err)
		err = shim_trace_counts_get(view->trace, &view->ncounts);
	if (!err)
		err = shim_trace_drops_get(view->trace, &view->drops);
	if (!err)
		err = shim_trace_losses(view->trace, add_loss, view);
	if (err)
		return err;
	view->stats = calloc(view->n + 1, sizeof(*view->stats));
	view->counts = calloc(view->ncounts + 1, sizeof(*view->counts));
	if (!view->stats || !view->counts)
		return -ENOMEM;
	for (size_t i = 0; i < view->ncounts; i++)
		view->counts[i] = shim_trace_count_at(view->trace, i);
	qsort(view->counts, view->ncounts, sizeof(*view->counts), by_name_and_event);
	for (size_t i = 0; i < view->n; i++)
		view->stats[i] = shim_trace_stat_at(view->trace, i);
	qsort(view->stats, view->n, sizeof(*view->stats), by_kind_and_name);
	return 0;
}

static int show_once(const struct trace_options *options)
{
	struct trace_view view = { NULL };
	int err = shim_trace_open(&view.trace);

	if (!err)
		err = take_view(&view);
	if (!err && options->json)
		trace_json(stdout, &view);
	else if (!err && !view.n)
		puts("nothing has been traced since tracing was turned on; programs mark transactions\n"
		     "with pmtracebegin() and pmtraceend(), see libshim-trace(3)");
	else if (!err)
		trace_table(&view, options->hist);
	free(view.stats);
	free(view.counts);
	free(view.losses);
	shim_trace_close(view.trace);
	return err;
}

/*
 * Show the statistics at each interval. Use a new handle each time, because tracing may be turned
 * off and on.
 */
static int show_watch(const struct trace_options *options)
{
	const struct timespec pause = {
		.tv_sec = options->watch / 1000000000,
		.tv_nsec = options->watch % 1000000000,
	};
	int terminal = isatty(STDOUT_FILENO);
	int err = 0;

	for (unsigned long i = 0; !err && (!options->rounds || i < options->rounds); i++) {
		if (i)
			nanosleep(&pause, NULL);
		if (terminal && !options->json)
			fputs("\033[H\033[2J", stdout);
		err = show_once(options);
		if (err == -ENOENT || err == -ESTALE) {
			puts(options->json ? "null" : "tracing is off");
			err = 0;
		}
		if (!options->json)
			putchar('\n');
		if (fflush(stdout))
			break;	/* vcpc_flush() reports the error */
	}
	return err;
}

int trace_show(const struct trace_options *options)
{
	int err = options->watch ? show_watch(options) : show_once(options);

	if (err == -ENOENT)
		return vcpc_fail(0, "tracing is off; turn it on with 'vcpc trace on'");
	return err ? vcpc_fail(err, "cannot read the statistics") : 0;
}
