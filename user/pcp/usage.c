// SPDX-License-Identifier: LGPL-2.1-or-later
/* The message that lists a program's options. */
#include <stdio.h>
#include <string.h>

#include <pcp/pmapi.h>

#include "base/api.h"

#define COLUMN 24	/* column of the explanations */

static void option_text(const pmLongOptions *o, char *text, size_t size)
{
	const char *name = o->has_arg ? o->argname ? o->argname : "?" : NULL;
	size_t len = 0;

	*text = '\0';
	if (o->short_opt)
		len += (size_t)pmsprintf(text, size, "-%c%s%s%s", o->short_opt, name ? " " : "",
					 name ? name : "", *o->long_opt ? ", " : "");
	if (*o->long_opt)
		pmsprintf(text + len, size - len, "--%s%s%s", o->long_opt, name ? "=" : "",
			  name ? name : "");
}

static void show_option(const pmLongOptions *o)
{
	char text[256];

	option_text(o, text, sizeof(text));
	/* two blanks before the option, and at least one after it */
	if (strlen(text) + 2 < COLUMN)
		pmprintf("  %-*s%s\n", COLUMN - 2, text, o->message);
	else
		pmprintf("  %s\n%*s%s\n", text, COLUMN, "", o->message);
}

static void show_line(const pmLongOptions *o)
{
	if (!o->message)
		return;
	switch (o->short_opt) {
	case '-':
		pmprintf("\n%s:\n", o->message);
		break;
	case '|':
		pmprintf("%s\n", o->message);
		break;
	default:
		show_option(o);
	}
}

/**
 * pmUsageMessage() - show the pending messages, and the program's usage
 * @opts: its options
 *
 * The usage is omitted if there were runtime errors, or if PM_OPTFLAG_EXIT is set.  With
 * PM_OPTFLAG_NOFLUSH, everything remains pending for the caller's pmflush().
 */
SHIM_API void pmUsageMessage(pmOptions *opts)
{
	if (!(opts->flags & (PM_OPTFLAG_EXIT | PM_OPTFLAG_RUNTIME_ERR))) {
		pmprintf("Usage: %s %s\n", pmGetProgname(),
			 opts->short_usage ? opts->short_usage : "[options]");
		for (const pmLongOptions *o = opts->long_options; o && o->long_opt; o++)
			show_line(o);
	}
	if (!(opts->flags & PM_OPTFLAG_NOFLUSH))
		pmflush();
}
