// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * List a program's options in a message, and parse options.
 *
 * The parser returns short and long options one by one, with all state in the caller's structure.
 * Non-option arguments are moved after the options, unless PM_OPTFLAG_POSIX or POSIXLY_CORRECT
 * prevents it.
 *
 * In the state, __first_nonopt and __last_nonopt delimit the non-option arguments passed so far:
 * the first one, and the one after the last. __nextchar points into an argument with several short
 * options.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
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
	/* Print two blanks before the option, and at least one after it. */
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
 * @opts: the program's options
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

enum { PERMUTE, IN_ORDER_ONLY };

static bool loud(const pmOptions *opts)
{
	return opts->opterr && (!opts->short_options || *opts->short_options != ':');
}

/* Return the character that reports a missing argument. */
static int missing(const pmOptions *opts)
{
	return *opts->short_options == ':' ? ':' : '?';
}

static void options_start(char **argv, pmOptions *opts)
{
	if (argv[0])
		pmSetProgname(argv[0]);
	if (!opts->optind)
		opts->optind = 1;
	opts->opterr = !(opts->flags & PM_OPTFLAG_QUIET);
	opts->__first_nonopt = opts->__last_nonopt = opts->optind;
	opts->__nextchar = NULL;
	opts->__posixly_correct = getenv("POSIXLY_CORRECT") != NULL;
	opts->__ordering = opts->__posixly_correct || (opts->flags & PM_OPTFLAG_POSIX) ?
			   IN_ORDER_ONLY : PERMUTE;
	opts->__initialized = 1;
}

static void reverse(char **argv, int from, int to)
{
	for (to--; from < to; from++, to--) {
		char *arg = argv[from];

		argv[from] = argv[to];
		argv[to] = arg;
	}
}

/* Swap the non-option arguments passed so far with the options found after them. */
static void move_back(char **argv, pmOptions *opts)
{
	int first = opts->__first_nonopt, middle = opts->__last_nonopt, last = opts->optind;

	if (first == middle) {
		opts->__first_nonopt = last;
	} else if (middle != last) {
		reverse(argv, first, middle);
		reverse(argv, middle, last);
		reverse(argv, first, last);
		opts->__first_nonopt += last - middle;
	}
	opts->__last_nonopt = last;
}

static bool is_option(const char *arg)
{
	return arg[0] == '-' && arg[1];
}

/*
 * Return whether there is an option at optind; if not, move optind to the first non-option
 * argument.
 */
static bool next_argument(int argc, char **argv, pmOptions *opts)
{
	if (opts->__ordering == PERMUTE) {
		move_back(argv, opts);
		while (opts->optind < argc && !is_option(argv[opts->optind]))
			opts->optind++;
		opts->__last_nonopt = opts->optind;
	}
	if (opts->optind < argc && !strcmp(argv[opts->optind], "--")) {
		opts->optind++;
		move_back(argv, opts);
		opts->__last_nonopt = argc;
		opts->optind = argc;
	}
	if (opts->optind >= argc) {
		if (opts->__first_nonopt != opts->__last_nonopt)
			opts->optind = opts->__first_nonopt;
		return false;
	}
	return is_option(argv[opts->optind]);
}

static bool is_heading(const pmLongOptions *o)
{
	return !*o->long_opt;
}

static bool is_abbreviated(const pmLongOptions *o, const char *name, size_t len)
{
	return !is_heading(o) && !strncmp(o->long_opt, name, len);
}

/* Return whether two options differ in more than their names; always true if one dash is enough. */
static bool differ(const pmOptions *opts, const pmLongOptions *a, const pmLongOptions *b)
{
	return opts->flags & PM_OPTFLAG_LONG_ONLY || a->has_arg != b->has_arg ||
	       a->short_opt != b->short_opt;
}

/*
 * List options in the original's order: the first one, and then all that differ from it, starting
 * with the last.
 */
static void tell_ambiguous(const pmOptions *opts, const char *arg, const char *name, size_t len)
{
	const pmLongOptions *first = opts->long_options, *o;

	while (!is_abbreviated(first, name, len))
		first++;
	for (o = first; o->long_opt; o++)
		;
	pmprintf("%s: option '%s' is ambiguous; possibilities: '--%s'", pmGetProgname(), arg,
		 first->long_opt);
	while (--o > first)
		if (is_abbreviated(o, name, len) && differ(opts, o, first))
			pmprintf(" '--%s'", o->long_opt);
	pmprintf("\n");
}

/*
 * Return the index of the option that @name names or abbreviates, -1 if there is none, or -2 if
 * @name is ambiguous.
 */
static int find_long(const pmOptions *opts, const char *name, size_t len)
{
	int found = -1;

	for (int i = 0; opts->long_options && opts->long_options[i].long_opt; i++) {
		const pmLongOptions *o = &opts->long_options[i];

		if (!is_abbreviated(o, name, len))
			continue;
		if (strlen(o->long_opt) == len)
			return i;
		if (found == -1)
			found = i;
		else if (found >= 0 && differ(opts, &opts->long_options[found], o))
			found = -2;
	}
	return found;
}

static int wrong_long(pmOptions *opts, const pmLongOptions *o, const char *dashes,
		      const char *what, int result)
{
	if (loud(opts))
		pmprintf("%s: option '%s%s' %s\n", pmGetProgname(), dashes, o->long_opt, what);
	opts->optopt = o->short_opt;
	return result;
}

/* The argument is the text after the equals sign, or the next element of @argv. */
static int take_long_argument(int argc, char **argv, pmOptions *opts, const pmLongOptions *o,
			      char *equals, const char *dashes)
{
	if (equals && !o->has_arg)
		return wrong_long(opts, o, dashes, "doesn't allow an argument", '?');
	if (o->has_arg == 1 && !equals && opts->optind >= argc)
		return wrong_long(opts, o, "--", "requires an argument", missing(opts));
	if (equals)
		opts->optarg = equals + 1;
	else if (o->has_arg == 1)
		opts->optarg = argv[opts->optind++];
	opts->index = (int)(o - opts->long_options);
	return o->short_opt;
}

static int take_long(int argc, char **argv, pmOptions *opts, const char *dashes, char *name)
{
	char *arg = argv[opts->optind++], *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	int i = find_long(opts, name, len);

	opts->__nextchar = NULL;
	if (i >= 0)
		return take_long_argument(argc, argv, opts, &opts->long_options[i], equals, dashes);
	opts->optopt = 0;
	if (loud(opts) && i == -2)
		tell_ambiguous(opts, arg, name, len);
	else if (loud(opts))
		pmprintf("%s: unrecognized option '%s%s'\n", pmGetProgname(), dashes, name);
	return '?';
}

static int take_short_argument(int argc, char **argv, pmOptions *opts, int c, bool optional)
{
	if (*opts->__nextchar) {
		opts->optarg = opts->__nextchar;
		opts->optind++;
	} else {
		opts->optind++;
		if (!optional && opts->optind >= argc) {
			if (loud(opts))
				pmprintf("%s: option requires an argument -- '%c'\n",
					 pmGetProgname(), c);
			opts->optopt = c;
			c = missing(opts);
		} else if (!optional) {
			opts->optarg = argv[opts->optind++];
		}
	}
	opts->__nextchar = NULL;
	return c;
}

static int take_short(int argc, char **argv, pmOptions *opts)
{
	int c = (unsigned char)*opts->__nextchar++;
	const char *known = c == ':' || c == ';' ? NULL : strchr(opts->short_options, c);

	if (known && known[1] == ':')
		return take_short_argument(argc, argv, opts, c, known[2] == ':');
	if (!*opts->__nextchar) {
		opts->optind++;
		opts->__nextchar = NULL;
	}
	if (known)
		return c;
	if (loud(opts))
		pmprintf("%s: invalid option -- '%c'\n", pmGetProgname(), c);
	opts->optopt = c;
	return '?';
}

/*
 * Return whether the rest of -word is a long option rather than short ones, which requires
 * PM_OPTFLAG_LONG_ONLY.  As in the original, it may follow some short ones.
 */
static bool is_long_only(const pmOptions *opts, const char *arg, const char *name)
{
	if (!(opts->flags & PM_OPTFLAG_LONG_ONLY))
		return false;
	if (!arg[2] && strchr(opts->short_options, arg[1]))
		return false;
	return find_long(opts, name, strcspn(name, "=")) != -1 || !strchr(opts->short_options, *name);
}

/**
 * pmgetopt_r() - get the next option of a command line
 * @argc: number of arguments
 * @argv: the arguments; non-option arguments are moved to the end
 * @opts: the known options, and state; zeroed by the caller, except for the fields that the caller
 *	sets
 *
 * optarg, optind, optopt and index are set like the variables of getopt_long().  Messages go to
 * pmprintf().
 *
 * Return: the option's character; 0 for a long option that has none; '?' for an invalid option, or
 * ':' for a missing argument if short_options begins with ':'; -1 at the end.
 */
SHIM_API int pmgetopt_r(int argc, char *const *argv, pmOptions *opts)
{
	char **args = (char **)argv, *arg;

	if (argc < 1)
		return -1;
	if (!opts->optind || !opts->__initialized)
		options_start(args, opts);
	opts->optarg = NULL;
	if (!opts->__nextchar || !*opts->__nextchar) {
		if (!next_argument(argc, args, opts))
			return -1;
		arg = args[opts->optind];
		if (arg[1] == '-' && opts->long_options)
			return take_long(argc, args, opts, "--", arg + 2);
		opts->__nextchar = arg + 1;
	}
	if (opts->long_options && is_long_only(opts, args[opts->optind], opts->__nextchar))
		return take_long(argc, args, opts, "-", opts->__nextchar);
	return take_short(argc, args, opts);
}
