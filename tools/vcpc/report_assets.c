// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of the folder report/ as texts in the program; the compiler finds them by -I. */
#include "report.h"

#define ASSET(symbol, file)					\
	asm(".pushsection .rodata\n"				\
	    ".global " #symbol "\n"				\
	    ".hidden " #symbol "\n"				\
	    #symbol ":\n"					\
	    ".incbin \"" file "\"\n"				\
	    ".byte 0\n"						\
	    ".popsection\n")

ASSET(report_css, "report.css");
ASSET(report_js, "report.js");
ASSET(report_plot_css, "uPlot.min.css");
ASSET(report_plot_js, "uPlot.iife.min.js");
ASSET(report_plot_license, "uPlot.LICENSE");
