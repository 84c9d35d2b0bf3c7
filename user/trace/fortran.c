// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Define the trace calls for Fortran, in gfortran's calling convention: an underscore after the
 * name, all arguments by reference, and the lengths of strings by value at the end.
 *
 * Fortran strings are padded with blanks, which are not part of the tag.
 */
#include <string.h>

#include <pcp/trace.h>

#include "base/api.h"

#define ROOM	256	/* longer than any tag, so a truncated tag is still too long */

int pmtracebegin_(const char *tag, size_t len);
int pmtraceend_(const char *tag, size_t len);
int pmtraceabort_(const char *tag, size_t len);
int pmtracepoint_(const char *tag, size_t len);
int pmtraceobs_(const char *tag, const double *value, size_t len);
int pmtracecounter_(const char *tag, const double *value, size_t len);
void pmtraceerrstr_(const int *code, char *text, size_t len);
int pmtracestate_(const int *flags);

static const char *c_string(char room[ROOM], const char *from, size_t len)
{
	while (len && from[len - 1] == ' ')
		len--;
	if (len > ROOM - 1)
		len = ROOM - 1;
	memcpy(room, from, len);
	room[len] = '\0';
	return room;
}

/**
 * pmtracebegin_() - pmtracebegin() for Fortran
 * @tag: @len bytes
 * @len: length, including blanks at the end
 *
 * Return: as for pmtracebegin().
 */
SHIM_API int pmtracebegin_(const char *tag, size_t len)
{
	char room[ROOM];

	return pmtracebegin(c_string(room, tag, len));
}

/**
 * pmtraceend_() - pmtraceend() for Fortran
 * @tag: @len bytes
 * @len: length, including blanks at the end
 *
 * Return: as for pmtraceend().
 */
SHIM_API int pmtraceend_(const char *tag, size_t len)
{
	char room[ROOM];

	return pmtraceend(c_string(room, tag, len));
}

/**
 * pmtraceabort_() - pmtraceabort() for Fortran
 * @tag: @len bytes
 * @len: length, including blanks at the end
 *
 * Return: as for pmtraceabort().
 */
SHIM_API int pmtraceabort_(const char *tag, size_t len)
{
	char room[ROOM];

	return pmtraceabort(c_string(room, tag, len));
}

/**
 * pmtracepoint_() - pmtracepoint() for Fortran
 * @tag: @len bytes
 * @len: length, including blanks at the end
 *
 * Return: as for pmtracepoint().
 */
SHIM_API int pmtracepoint_(const char *tag, size_t len)
{
	char room[ROOM];

	return pmtracepoint(c_string(room, tag, len));
}

/**
 * pmtraceobs_() - pmtraceobs() for Fortran
 * @tag: @len bytes
 * @value: a double precision
 * @len: length, including blanks at the end
 *
 * Return: as for pmtraceobs().
 */
SHIM_API int pmtraceobs_(const char *tag, const double *value, size_t len)
{
	char room[ROOM];

	return pmtraceobs(c_string(room, tag, len), *value);
}

/**
 * pmtracecounter_() - pmtracecounter() for Fortran
 * @tag: @len bytes
 * @value: a double precision
 * @len: length, including blanks at the end
 *
 * Return: as for pmtracecounter().
 */
SHIM_API int pmtracecounter_(const char *tag, const double *value, size_t len)
{
	char room[ROOM];

	return pmtracecounter(c_string(room, tag, len), *value);
}

/**
 * pmtraceerrstr_() - pmtraceerrstr() for Fortran, a subroutine
 * @code: result of a call
 * @text: filled in, truncated or padded with blanks
 * @len: size of @text
 */
SHIM_API void pmtraceerrstr_(const int *code, char *text, size_t len)
{
	const char *from = pmtraceerrstr(*code);
	size_t n = strlen(from);

	if (n > len)
		n = len;
	memcpy(text, from, n);
	memset(text + n, ' ', len - n);
}

/**
 * pmtracestate_() - pmtracestate() for Fortran, a function or a subroutine
 * @flags: PMTRACE_STATE_*
 *
 * Return: as for pmtracestate().
 */
SHIM_API int pmtracestate_(const int *flags)
{
	return pmtracestate(*flags);
}
