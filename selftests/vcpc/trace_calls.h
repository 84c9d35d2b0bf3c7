/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Make trace calls, and examine ftrace's output. */
#ifndef VCPC_TRACE_CALLS_H
#define VCPC_TRACE_CALLS_H

#include "calls.h"
#include "tracing.h"

#define PARAMETERS "/sys/module/vcpc/parameters/"

/* Register a name, and store the tag in @args.  Return 0 or a negative errno. */
static inline int tag_args(int device, const char *name, unsigned int len,
			   struct vcpc_trace_tag_args *args)
{
	*args = (struct vcpc_trace_tag_args) {
		.size = sizeof(*args), .name = pointer(name), .name_len = len,
	};
	return call(device, VCPC_IOC_TRACE_TAG, args);
}

/* Return the tag's handle, or a negative errno. */
static UNUSED int tag_handle(int device, const char *name)
{
	struct vcpc_trace_tag_args args;
	int ret = tag_args(device, name, strlen(name), &args);

	return ret ?: (int)args.handle;
}

/* Return the tag's ID, or 0 if the name cannot be registered. */
static UNUSED __u64 tag_id(int device, const char *name)
{
	struct vcpc_trace_tag_args args;

	return tag_args(device, name, strlen(name), &args) ? 0 : args.tag;
}

/* Fire an event.  Return 0 or a negative errno. */
static UNUSED int fire(int device, __u32 op, __u32 handle, __u64 value)
{
	struct vcpc_trace_write event = { .op = op, .handle = handle, .value = value };
	ssize_t n = write(device, &event, sizeof(event));

	return n == sizeof(event) ? 0 : n < 0 ? -errno : -EIO;
}

static inline int put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_TRUNC);
	int ret = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;

	if (fd >= 0)
		close(fd);
	return ret;
}

static UNUSED int put_number(const char *path, unsigned int number)
{
	char text[16];

	snprintf(text, sizeof(text), "%u", number);
	return put(path, text);
}

static UNUSED unsigned int get_number(const char *path)
{
	FILE *f = fopen(path, "r");
	unsigned int number = 0;

	if (!f || fscanf(f, "%u", &number) != 1)
		abort();
	fclose(f);
	return number;
}

/* Make ftrace record events.  Return 0 on success. */
static UNUSED int listen_by_ftrace(void)
{
	return put(TRACING "events/vcpc/enable", "1") || put(TRACING "trace", "\n");
}

/* Return the number of lines of the trace that contain both strings. */
static UNUSED int lines_with(const char *event, const char *rest)
{
	FILE *f = fopen(TRACING "trace", "r");
	char line[2048];
	int found = 0;

	while (f && fgets(line, sizeof(line), f))
		found += strstr(line, event) && strstr(line, rest);
	if (f)
		fclose(f);
	return found;
}

#endif /* VCPC_TRACE_CALLS_H */
