/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Write arbitrary text as a JSON string. */
#ifndef VCPC_JSON_TEXT_H
#define VCPC_JSON_TEXT_H

#include <stdio.h>

/* Write a text in quotes, escaped. */
void vcpc_json_text(FILE *out, const char *text);

#endif /* VCPC_JSON_TEXT_H */
