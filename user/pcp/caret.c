// SPDX-License-Identifier: LGPL-2.1-or-later
/* Messages that show a text with a mark below the position of an error. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caret.h"

char *shim_caret__message(const char *text, size_t at, const char *what)
{
	size_t len = strlen(text), room = len + at + strlen(what) + sizeof("\n^ -- \n");
	char *message = malloc(room);

	if (!message)
		return NULL;
	memcpy(message, text, len);
	message[len++] = '\n';
	/* Keep tabs and other white space, so the mark is below its position. */
	for (size_t i = 0; i < at; i++)
		message[len++] = isgraph((unsigned char)text[i]) ? ' ' : text[i];
	snprintf(message + len, room - len, "^ -- %s\n", what);
	return message;
}
