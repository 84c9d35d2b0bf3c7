// SPDX-License-Identifier: LGPL-2.1-or-later
/* The configuration: a line "cpus EVENT..." for each set of events that every CPU counts. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

#define BLANKS	" \t\r\n"

static int add_event(struct shim_config_line *line, const char *event)
{
	if (line->n == SHIM_CONFIG_EVENTS)
		return -E2BIG;
	line->events[line->n] = strdup(event);
	if (!line->events[line->n])
		return -ENOMEM;
	line->n++;
	return 0;
}

/* Parse one line: '#' begins a comment, and an empty line is skipped */
static int parse(struct shim_config *config, char *text)
{
	char *rest, *word;
	int ret = 0;

	text[strcspn(text, "#")] = '\0';
	word = strtok_r(text, BLANKS, &rest);
	if (!word)
		return 0;
	if (strcmp(word, "cpus"))
		return -EINVAL;
	if (config->n == SHIM_CONFIG_LINES)
		return -E2BIG;
	while (!ret && (word = strtok_r(NULL, BLANKS, &rest)))
		ret = add_event(&config->lines[config->n], word);
	if (!ret && !config->lines[config->n].n)
		return -EINVAL;
	config->n++;	/* also after an error, to be freed */
	return ret;
}

/**
 * shim_config__read() - read a configuration
 * @config: written also on error; to be given to shim_config__fini()
 * @path: the file
 * @line: set to the number of the wrong line; untouched if the file cannot be opened
 *
 * Return: 0, -EINVAL (a line that is not understood), -E2BIG (too many lines, or events in
 * one), -ENOMEM, -EIO if reading fails, or the error of opening the file.
 */
int shim_config__read(struct shim_config *config, const char *path, unsigned int *line)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;
	int ret = 0;

	memset(config, 0, sizeof(*config));
	if (!f)
		return -errno;
	for (*line = 1; getline(&text, &room, f) >= 0; (*line)++) {
		ret = parse(config, text);
		if (ret)
			break;
	}
	if (!ret && ferror(f))
		ret = -EIO;
	free(text);
	fclose(f);
	return ret;
}

void shim_config__fini(struct shim_config *config)
{
	for (unsigned int i = 0; i < config->n; i++)
		for (unsigned int j = 0; j < config->lines[i].n; j++)
			free(config->lines[i].events[j]);
	memset(config, 0, sizeof(*config));
}
