// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code shared by cputrack and cpustat.
 *
 * The command's name, which begins each error message, is kept in a static variable, because
 * libcpc's error handler has no argument for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "device.h"
#include "written.h"

static struct {
	const struct command *command;
	int debug;
} self;

void command_begin(const struct command *command)
{
	self.command = command;
}

void command_debug(void)
{
	self.debug = 1;
}

void command_complain(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)subcode;
	fprintf(stderr, "%s: ", self.command->name);
	if (self.debug)
		fprintf(stderr, "%s: ", fn);
	vfprintf(stderr, fmt, ap);
}

void command_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	command_complain("strtoset", 0, fmt, ap);
	va_end(ap);
}

int command_written(FILE *out, const char *file)
{
	return written(self.command->name, out, file);
}

int command_failed(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", self.command->name, what, strerror(errno));
	return 1;
}

int command_usage(void)
{
	fputs(self.command->usage, stderr);
	return 2;
}

int command_mistake(const char *what)
{
	fprintf(stderr, "%s: %s\n", self.command->name, what);
	return command_usage();
}

/* Print the same message as the Solaris commands, and any advice. */
static void cannot_open(int err)
{
	const char *hint = device_hint(err);

	fprintf(stderr, "%s: cannot access performance counter library - %s\n",
		self.command->name, strerror(err));
	if (hint)
		fprintf(stderr, "%s: %s\n", self.command->name, hint);
}

cpc_t *command_open(void)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);

	if (cpc)
		cpc_seterrhndlr(cpc, command_complain);
	else
		cannot_open(errno);
	return cpc;
}

int command_help(void)
{
	cpc_t *cpc = command_open();

	if (!cpc)
		return 1;
	fputs(self.command->usage, stdout);
	cpcspec_capabilities(stdout, cpc);
	cpc_close(cpc);
	return command_written(stdout, NULL);
}

int command_number(const char *text, double least, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= least && *value < 1e6;
}

int specs_add(struct specs *specs, const char *text)
{
	if (specs->n == COMMAND_SPECS)
		return command_mistake("too many event sets");
	specs->text[specs->n++] = text;
	return -1;
}

int specs_parse(struct specs *specs, cpc_t *cpc)
{
	for (int s = 0; s < specs->n; s++)
		if (cpcspec_parse(cpc, specs->text[s], &specs->at[s]))
			return command_usage();
	return -1;
}

void specs_free(struct specs *specs)
{
	for (int s = 0; s < specs->n; s++)
		cpcspec_free(&specs->at[s]);
}

int meter_make(struct meter *meter, cpc_t *cpc, struct specs *specs)
{
	for (int s = 0; s < specs->n; s++) {
		meter->set[s] = cpcspec_set(cpc, &specs->at[s]);
		if (!meter->set[s])
			return -1;
		meter->now[s] = cpc_buf_create(cpc, meter->set[s]);
		meter->before[s] = cpc_buf_create(cpc, meter->set[s]);
		if (!meter->now[s] || !meter->before[s])
			return -1;
	}
	return 0;
}

void meter_end(struct meter *meter, cpc_t *cpc)
{
	for (int s = 0; s < COMMAND_SPECS; s++) {
		if (meter->set[s])
			cpc_set_destroy(cpc, meter->set[s]);
		if (meter->now[s])
			cpc_buf_destroy(cpc, meter->now[s]);
		if (meter->before[s])
			cpc_buf_destroy(cpc, meter->before[s]);
	}
	memset(meter, 0, sizeof(*meter));
}

int meter_take(struct meter *meter, cpc_t *cpc, int s)
{
	if (cpc_set_sample(cpc, meter->set[s], meter->now[s]))
		return -1;
	cpc_buf_sub(cpc, meter->before[s], meter->now[s], meter->before[s]);
	return 0;
}

void meter_keep(struct meter *meter, cpc_t *cpc, int s)
{
	cpc_buf_copy(cpc, meter->before[s], meter->now[s]);
}
