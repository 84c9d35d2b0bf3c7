// SPDX-License-Identifier: GPL-2.0-or-later
/* Suggest the metric, or another name, that the user may have meant. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "series.h"
#include "vcpc.h"
#include "window.h"

/* The known name that is most similar to @name, an unknown name */
struct guess {
	const char *name;
	char best[256];
	unsigned int distance;
};

static unsigned int distance_min(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int vcpc_distance(const char *a, const char *b)
{
	size_t m = strlen(a), n = strlen(b);
	unsigned int rows[3][256];

	if (n >= sizeof(rows[0]) / sizeof(rows[0][0]))
		return UINT32_MAX;
	for (size_t j = 0; j <= n; j++)
		rows[0][j] = (unsigned int)j;
	for (size_t i = 1; i <= m; i++) {
		unsigned int *row = rows[i % 3], *above = rows[(i + 2) % 3];

		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= n; j++) {
			row[j] = distance_min(distance_min(row[j - 1], above[j]) + 1,
					      above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = distance_min(row[j], rows[(i + 1) % 3][j - 2] + 1);
		}
	}
	return rows[m % 3][n];
}

static void consider(const char *name, void *closure)
{
	struct guess *g = closure;
	const char *last = strrchr(name, '.');
	unsigned int d = vcpc_distance(g->name, name);

	/* "cycles" means vcpc.count.cycles, or vcpc.count.cycles_u if only that was counted. */
	if (last && *g->name && !strncmp(last + 1, g->name, strlen(g->name)))
		d = last[1 + strlen(g->name)] == '\0' ? 0 : last[1 + strlen(g->name)] == '_' ? 1 : d;
	if (d < g->distance) {
		g->distance = d;
		snprintf(g->best, sizeof(g->best), "%s", name);
	}
}

int vcpc_fail_metric(int code, const char *name)
{
	struct guess g = { .name = name, .distance = UINT32_MAX };

	if (code == PM_ERR_INST_LOG)
		return vcpc_fail(0, "the archive has no instance '%s'; 'vcpc dump --instances ARCHIVE' lists all", name);
	if (code != PM_ERR_NAME)
		return vcpc_fail_pm(code, name);
	pmTraversePMNS_r("", consider, &g);	/* after an error, suggest nothing */
	if (*g.best && g.distance <= strlen(name) / 2)
		return vcpc_fail(0, "unknown metric '%s'; did you mean '%s'?", name, g.best);
	return vcpc_fail(0, "the archive has no metric '%s'; 'vcpc dump -d ARCHIVE' lists all",
			 name);
}
