/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escape arbitrary text for HTML, so that a browser does not interpret it as markup. */
#ifndef VCPC_HTML_TEXT_H
#define VCPC_HTML_TEXT_H

#include <stdio.h>

/* Write a text, truncated after @most bytes with an ellipsis; control characters become '?'. */
void vcpc_html_text(FILE *out, const char *text, size_t most);
/* Write JSON with '<', '>' and '&' escaped, so that it cannot end its script element. */
void vcpc_html_json(FILE *out, const char *json);
/* Write a text as a JSON string, truncated as in vcpc_html_text(). */
void vcpc_json_text_within(FILE *out, const char *text, size_t most);

#endif /* VCPC_HTML_TEXT_H */
