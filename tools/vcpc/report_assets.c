// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Embed the files of the directory report/ into the program as strings; .incbin finds them by -I.
 */
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
ASSET(report_flame_css, "d3-flamegraph.css");
ASSET(report_flame_js, "d3-flamegraph.min.js");
ASSET(report_flame_license, "d3-flamegraph.LICENSE");
ASSET(report_select_js, "d3-selection.min.js");
ASSET(report_select_license, "d3-selection.LICENSE");
