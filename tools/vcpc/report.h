/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of 'vcpc report' share. */
#ifndef VCPC_REPORT_H
#define VCPC_REPORT_H

#include <stdio.h>

#include "drawing.h"

#define REPORT_NAME	160	/* bytes of a name that are shown */

/* What the page's scripts draw, as one object of JSON: 0 or -ENOMEM; report_data.c */
int report_data(FILE *out, struct vcpc_drawing *d);
/* The page: 0, or the exit status after a message; report_page.c */
int report_page(FILE *out, struct vcpc_drawing *d, const char *archive);

/* Files of the folder report/, which are a part of the program; report_assets.c */
extern const char report_css[], report_js[], report_plot_css[], report_plot_js[], report_plot_license[];

#endif /* VCPC_REPORT_H */
