// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The configuration: a line "cpus EVENT..." for each set of events to count on every CPU, and
 * "processes PATTERN EVENT..." for each set to count in the processes of a command.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
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

/* Parse the first word of a line and its argument. */
static int take_target(struct shim_config_line *line, const char *word, char **rest)
{
	if (!strcmp(word, "cpus"))
		return 0;
	if (strcmp(word, "processes"))
		return -EINVAL;
	word = strtok_r(NULL, BLANKS, rest);
	if (!word)
		return -EINVAL;
	line->command = strdup(word);
	return line->command ? 0 : -ENOMEM;
}

/* Parse one line. '#' begins a comment, and empty lines are skipped. */
static int parse(struct shim_config *config, char *text)
{
	struct shim_config_line *line = &config->lines[config->n];
	char *rest, *word;
	int ret;

	text[strcspn(text, "#")] = '\0';
	word = strtok_r(text, BLANKS, &rest);
	if (!word)
		return 0;
	if (config->n == SHIM_CONFIG_LINES)
		return -E2BIG;
	config->n++;	/* even after an error, for shim_config__fini() */
	ret = take_target(line, word, &rest);
	while (!ret && (word = strtok_r(NULL, BLANKS, &rest)))
		ret = add_event(line, word);
	return ret || line->n ? ret : -EINVAL;
}

/* Open a regular file, or a device such as /dev/null, but nothing that could block the program. */
static int open_text(const char *path, FILE **out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret = 0;
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st))
		ret = -errno;
	else if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		ret = S_ISDIR(st.st_mode) ? -EISDIR : -EOPNOTSUPP;
	*out = ret ? NULL : fdopen(fd, "r");
	if (*out)
		return 0;
	if (!ret)
		ret = -errno;
	close(fd);
	return ret;
}

/**
 * shim_config__read() - read a configuration
 * @config: written even on error; release it with shim_config__fini()
 * @path: the file
 * @line: set to the number of the invalid line; unchanged if the file cannot be opened
 *
 * Return: 0, -EINVAL (invalid line), -E2BIG (too many lines, or too many events in a line),
 * -ENOMEM, an error of reading or opening the file; -EOPNOTSUPP for a pipe.
 */
int shim_config__read(struct shim_config *config, const char *path, unsigned int *line)
{
	FILE *f = NULL;
	char *text = NULL;
	size_t room = 0;
	int ret = open_text(path, &f), more;

	memset(config, 0, sizeof(*config));
	if (ret)
		return ret;
	for (*line = 1; (more = shim_lines__next(f, &text, &room)) > 0; (*line)++) {
		ret = parse(config, text);
		if (ret)
			break;
	}
	if (!ret)
		ret = more;
	free(text);
	fclose(f);
	return ret;
}

static int copy_line(struct shim_config_line *to, const struct shim_config_line *from)
{
	int ret = 0;

	if (from->command) {
		to->command = strdup(from->command);
		ret = to->command ? 0 : -ENOMEM;
	}
	for (unsigned int i = 0; i < from->n && !ret; i++)
		ret = add_event(to, from->events[i]);
	return ret;
}

/**
 * shim_config__copy() - copy the lines of one kind
 * @to: zeroed; release it with shim_config__fini(), even after an error
 * @from: a configuration
 * @processes: true to copy lines about processes, false for lines about CPUs
 *
 * Return: 0 or -ENOMEM.
 */
int shim_config__copy(struct shim_config *to, const struct shim_config *from, bool processes)
{
	int ret = 0;

	for (unsigned int i = 0; i < from->n && !ret; i++)
		if (!from->lines[i].command == !processes)
			ret = copy_line(&to->lines[to->n++], &from->lines[i]);
	return ret;
}

void shim_config__fini(struct shim_config *config)
{
	for (unsigned int i = 0; i < config->n; i++) {
		free(config->lines[i].command);
		for (unsigned int j = 0; j < config->lines[i].n; j++)
			free(config->lines[i].events[j]);
	}
	memset(config, 0, sizeof(*config));
}
