/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as a part of a page of HTML, so that a browser takes nothing of it for more than text. */
#ifndef VCPC_HTML_TEXT_H
#define VCPC_HTML_TEXT_H

#include <stdio.h>

/* At most @most bytes of it, and an ellipsis; control characters become '?' */
void vcpc_html_text(FILE *out, const char *text, size_t most);
/* JSON, as it may stand in a script element: nothing there ends one */
void vcpc_html_json(FILE *out, const char *json);
/* A text as a string of JSON, of at most @most bytes */
void vcpc_json_text_within(FILE *out, const char *text, size_t most);

#endif /* VCPC_HTML_TEXT_H */
