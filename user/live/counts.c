// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics for counts: the table of vcpc.time.*, and the metrics of events. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lines.h"
#include "counts.h"

/*
 * The configuration.  It has a line "cpus EVENT..." for each set of events to count on every CPU,
 * and a line "processes PATTERN EVENT..." for each set to count in the processes of a command.
 */

#define BLANKS	" \t\r\n"

static int config_add_event(struct shim_config_line *line, const char *event)
{
	if (line->n == SHIM_CONFIG_EVENTS)
		return -E2BIG;
	line->events[line->n] = strdup(event);
	if (!line->events[line->n])
		return -ENOMEM;
	line->n++;
	return 0;
}

/* Parse a line's first word and its argument. */
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
	config->n++;	/* even after an error, so that shim_config__fini() frees it */
	ret = take_target(line, word, &rest);
	while (!ret && (word = strtok_r(NULL, BLANKS, &rest)))
		ret = config_add_event(line, word);
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
 * -ENOMEM, an error from opening or reading the file; -EOPNOTSUPP for a pipe.
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
		ret = config_add_event(to, from->events[i]);
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

#define INDOM_TARGETS	SHIM_INDOM(SHIM_DOMAIN_VCPC, 0)
#define INDOM_PROCESSES	SHIM_INDOM(SHIM_DOMAIN_VCPC, 8)

#define TIME(item, name, line, help)							\
	[item] = { "vcpc.time." name,							\
		   SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_TIME, item), INDOM_TARGETS,	\
		   SHIM_TYPE_U64, SHIM_SEM_COUNTER, SHIM_UNITS_NSEC, 0, line, help }

const struct shim_metric shim_live_times[SHIM_TIMES] = {
	TIME(SHIM_TIME_TICK, "tick", "CPU time of the process while counting",
	     "CPU time in nanoseconds that the counted threads used while counting was on.\n"
	     "Divide the rates of vcpc.count.* by the rate of this metric to get counts per\n"
	     "second of CPU time. For a whole CPU it is the elapsed time."),
	TIME(SHIM_TIME_ENABLED, "enabled", "time during which the counters were enabled",
	     "Time in nanoseconds during which the counters were enabled on running threads\n"
	     "of the process."),
	TIME(SHIM_TIME_RUNNING, "running", "time during which the counters were on the CPU",
	     "Time in nanoseconds during which the counters were on the CPU. It equals\n"
	     "vcpc.time.enabled: counts are never estimates."),
};

const struct shim_metric_indom shim_live_targets = {
	INDOM_TARGETS, 0, "counted processes",
	"The processes and CPUs whose sets were recorded. A process is named by its PID and\n"
	"command, and a CPU by its number. The counts of a process's children are included if\n"
	"the set was bound with inheritance."
};

/**
 * shim_count_metric__name() - build the name of an event's metric
 * @event: as for shim_event__parse()
 * @name: written
 * @size: size of @name
 *
 * Return: 0, or an error from shim_event__metric().
 */
int shim_count_metric__name(const char *event, char *name, size_t size)
{
	size_t front = snprintf(name, size, "vcpc.count.");

	return shim_event__metric(event, name + front, size - front);
}

/**
 * shim_count_metric__item() - compute the item number of a metric of counts
 * @name: name of the metric
 *
 * The number is a hash of the name, so it is the same in every archive and on every machine.  If
 * two metrics of one archive or machine have the same hash, the caller assigns the next free number
 * to the later one.
 *
 * Return: the number, less than SHIM_COUNT_ITEMS.
 */
unsigned int shim_count_metric__item(const char *name)
{
	uint32_t hash = 2166136261u;	/* FNV-1a hash */

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return (hash ^ hash >> 16) % SHIM_COUNT_ITEMS;
}

/* Return whether an event counts time: perf's software clocks count nanoseconds. */
static bool counts_time(const char *event)
{
	struct vcpc_request req;

	return !shim_event__parse(event, &req) && req.type == PERF_TYPE_SOFTWARE &&
	       (req.config == PERF_COUNT_SW_TASK_CLOCK || req.config == PERF_COUNT_SW_CPU_CLOCK);
}

/**
 * shim_count_metric__fill() - describe an event's metric
 * @m: written; it must not be moved, because its metric has pointers into it
 * @item: its item number
 * @name: from shim_count_metric__name()
 * @event: the event as the set's creator wrote it; it cannot always be derived from @name
 */
void shim_count_metric__fill(struct shim_count_metric *m, unsigned int item, const char *name,
			     const char *event)
{
	bool time = counts_time(event);

	snprintf(m->name, sizeof(m->name), "%s", name);
	snprintf(m->line, sizeof(m->line), "%s \"%s\"", time ? "nanoseconds of" : "events", event);
	snprintf(m->help, sizeof(m->help),
		 "%s \"%s\" since counting began, in the threads of the process\n"
		 "or on the CPU that the instance names. A 64-bit counter.",
		 time ? "Nanoseconds of" : "Number of events", event);
	m->metric = (struct shim_metric) {
		.name = m->name,
		.pmid = SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_COUNT, item),
		.indom = INDOM_TARGETS,
		.type = SHIM_TYPE_U64,
		.sem = SHIM_SEM_COUNTER,
		.units = time ? SHIM_UNITS_NSEC : SHIM_UNITS_COUNT,
		.line = m->line,
		.help = m->help,
	};
}

const struct shim_metric shim_live_process_time = {
	"vcpc.process.cpu_time",
	SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_PROCESS_TIME, 0),
	INDOM_PROCESSES,
	SHIM_TYPE_U64,
	SHIM_SEM_COUNTER,
	SHIM_UNITS_NSEC,
	1,
	"CPU time of the process while its events were counted",
	"CPU time in nanoseconds that the threads of the process used while their events were\n"
	"counted. The first configuration line that matches the command selects the events."};

const struct shim_metric_indom shim_live_process_indom = {
	INDOM_PROCESSES, 1, "counted processes",
	"Processes whose command matches a \"processes\" line of the configuration. The number\n"
	"is the PID, and the name is the PID and the command."
};

/*
 * Turn a CPU metric into a metric of processes.  They differ only in the domain's serial and the
 * cluster.
 */
static void make_process_metric(struct shim_count_metric *m, unsigned int item)
{
	m->metric.pmid = SHIM_PMID(SHIM_DOMAIN_VCPC, SHIM_CLUSTER_PROCESS, item);
	m->metric.indom = INDOM_PROCESSES;
	m->metric.live_only = true;
}

/**
 * shim_count_table__init() - allocate a table for a configuration's metrics
 * @table: the caller must free table->all
 * @config: the configuration
 * @processes: true for its lines about processes, false for its lines about CPUs
 *
 * Return: 0 or -ENOMEM.
 */
int shim_count_table__init(struct shim_count_table *table, const struct shim_config *config,
			   bool processes)
{
	size_t n = 1;

	for (unsigned int i = 0; i < config->n; i++)
		n += config->lines[i].n;
	table->processes = processes;
	table->n = 0;
	table->all = calloc(n, sizeof(*table->all));
	return table->all ? 0 : -ENOMEM;
}

static bool is_taken(const struct shim_count_table *table, unsigned int item)
{
	for (unsigned int i = 0; i < table->n; i++)
		if ((table->all[i].metric.pmid & (SHIM_COUNT_ITEMS - 1)) == item)
			return true;
	return false;
}

/* Return the index of the metric with this name, or table->n. */
static unsigned int count_find(const struct shim_count_table *table, const char *name)
{
	unsigned int i = 0;

	while (i < table->n && strcmp(table->all[i].name, name))
		i++;
	return i;
}

static int counts_add_event(struct shim_count_table *table, const char *event, unsigned int *at)
{
	char name[SHIM_EVENT_LEN + SHIM_COUNT_PREFIX];
	size_t front = snprintf(name, sizeof(name), table->processes ? "vcpc.process.count." :
								       "vcpc.count.");
	int ret = shim_event__metric(event, name + front, sizeof(name) - front);
	struct shim_count_metric *m = &table->all[table->n];
	unsigned int item;

	if (ret)
		return ret;
	*at = count_find(table, name);
	if (*at < table->n)
		return table->processes ? 0 : -EEXIST;
	item = shim_count_metric__item(name);
	while (is_taken(table, item))
		item = (item + 1) % SHIM_COUNT_ITEMS;
	shim_count_metric__fill(m, item, name, event);
	if (table->processes)
		make_process_metric(m, item);
	table->n++;
	return 0;
}

/**
 * shim_count_table__add() - add the metrics of a line's events
 * @table: the table, which has space for them
 * @line: a line of the table's configuration
 * @at: set to the index of each event's metric, which lines about processes may share
 *
 * Return: 0, -EEXIST (two events of one line, or of lines about CPUs, have the same metric name),
 * -EINVAL, -ENAMETOOLONG.
 */
int shim_count_table__add(struct shim_count_table *table, const struct shim_config_line *line,
			  unsigned int *at)
{
	for (unsigned int i = 0; i < line->n; i++) {
		int ret = counts_add_event(table, line->events[i], &at[i]);

		for (unsigned int k = 0; k < i && !ret; k++)
			if (at[k] == at[i])
				ret = -EEXIST;
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * shim_count_requests__of() - convert a line's events to requests for a set
 * @line: the line
 * @reqs: an array of SHIM_CONFIG_EVENTS elements
 *
 * An event without a mode counts in user and kernel mode.
 *
 * Return: 0 or an error from shim_event__parse().
 */
int shim_count_requests__of(const struct shim_config_line *line, struct vcpc_request *reqs)
{
	int ret = 0;

	for (unsigned int i = 0; i < line->n && !ret; i++) {
		ret = shim_event__parse(line->events[i], &reqs[i]);
		if (!ret && !reqs[i].flags)
			reqs[i].flags = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL;
	}
	return ret;
}
