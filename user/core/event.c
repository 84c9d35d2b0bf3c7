// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse event names.
 *
 * A name has the form NAME[:MODE].  NAME is one of perf's event names, a raw code (r and
 * hexadecimal digits), PMU/TERMS/ (event_pmu.c), a tracepoint's GROUP:NAME (event_tracepoint.c), or
 * a libpfm event with its unit masks.  MODE is u for user mode, k for kernel mode, or both, in one
 * part or two (:uk, :u:k).  As in perf, MODE may also follow the last slash of PMU/TERMS/ without a
 * colon.
 */
#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event.h"
#include "pfm.h"
#include "pmus.h"

static __u32 mode_of(char c)
{
	return c == 'u' ? VCPC_REQ_F_USER : c == 'k' ? VCPC_REQ_F_KERNEL : 0;
}

/* The modes in a part of a name; 0 if it is not a list of modes or has a mode twice */
static __u32 modes_of(const char *part)
{
	__u32 modes = 0;

	for (; *part; part++) {
		__u32 mode = mode_of(*part);

		if (!mode || modes & mode)
			return 0;
		modes |= mode;
	}
	return modes;
}

/* PMU/TERMS/MODES, as in perf */
static int split_slash(char *name, __u32 *modes)
{
	char *slash = strrchr(name, '/');
	__u32 more;

	if (!slash || slash == strchr(name, '/') || !slash[1])
		return 0;
	more = modes_of(slash + 1);
	if (!more || *modes & more)
		return -EINVAL;
	*modes |= more;
	slash[1] = '\0';
	return 0;
}

/**
 * shim_event__split() - split the modes off the end of a name
 * @name: cut before its modes
 * @modes: VCPC_REQ_F_*, 0 if there are none
 *
 * Return: 0, or -EINVAL if nothing is left, or a mode is given twice.
 */
int shim_event__split(char *name, __u32 *modes)
{
	char *colon;
	__u32 more;

	*modes = 0;
	while ((colon = strrchr(name, ':')) != NULL) {
		if (!colon[1])
			return -EINVAL;
		more = modes_of(colon + 1);
		if (!more)
			break;
		if (*modes & more)
			return -EINVAL;
		*modes |= more;
		*colon = '\0';
	}
	return *name ? split_slash(name, modes) : -EINVAL;
}

/* Look up one of perf's own names and store its type and config.  Return whether it exists. */
bool shim_event__find(const char *name, struct vcpc_request *req)
{
	for (const struct shim_event_name *e = shim_event__names; e->name; e++) {
		if (strcasecmp(e->name, name))
			continue;
		req->type = e->type;
		req->config = e->config;
		return true;
	}
	return false;
}

static bool parse_raw(const char *name, struct vcpc_request *req)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (name[0] != 'r' || !digits || digits > 16 || name[1 + digits])
		return false;
	req->type = PERF_TYPE_RAW;
	req->config = strtoull(name + 1, NULL, 16);
	return true;
}

/* A name of a PMU, of tracefs, or of libpfm */
static int parse_other(char *name, struct vcpc_request *req)
{
	int ret = strchr(name, '/') ? shim_event__of_pmu(name, req) : shim_event__tracepoint(name, req);

	return ret == -ENOENT && !strchr(name, '/') ? shim_pfm__encode(name, req) : ret;
}

/**
 * shim_event__parse() - translate an event name
 * @name: see above
 * @out: on success, the whole request: its preset is 0, and its flags are the modes in the name, 0
 *	if there are none
 *
 * Return: 0, -ENOENT (no such event), -EINVAL (bad modes, unit mask or
 * attribute), -ENAMETOOLONG, -EOPNOTSUPP, -ELIBACC (libpfm may know the name, but cannot be used),
 * or a temporary error (shim_event__is_trouble()).
 */
int shim_event__parse(const char *name, struct vcpc_request *out)
{
	struct vcpc_request req = { 0 };
	char bare[SHIM_EVENT_LEN];
	int ret;

	if (strlen(name) >= sizeof(bare))
		return -ENAMETOOLONG;
	strcpy(bare, name);
	ret = shim_event__split(bare, &req.flags);
	if (!ret && !shim_event__find(bare, &req) && !parse_raw(bare, &req))
		ret = parse_other(bare, &req);
	if (ret)
		return ret;
	/* A libpfm code applies to one PMU.  A raw code without a PMU applies to all core PMUs. */
	if (req.type == PERF_TYPE_RAW && !parse_raw(bare, &req) && shim_pmus__several())
		req.reserved[0] = SHIM_REQ_ONE_PMU;
	*out = req;
	return 0;
}

static const char *known_name(__u32 type, __u64 config)
{
	for (const struct shim_event_name *e = shim_event__names; e->name; e++)
		if (e->type == type && e->config == config)
			return e->name;
	return NULL;
}

/**
 * shim_event__name() - make a name for an event that was not requested by name
 * @type: perf's type
 * @config: perf's config
 * @modes: VCPC_REQ_F_*
 * @buf: for the name: perf's own, rNNN, or TYPE/NNN
 * @size: of @buf
 */
void shim_event__name(__u32 type, __u64 config, __u32 modes, char *buf, size_t size)
{
	const __u32 both = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL;
	const char *name = known_name(type, config);
	const char *mode = (modes & both) == VCPC_REQ_F_USER ? ":u" :
			   (modes & both) == VCPC_REQ_F_KERNEL ? ":k" : "";

	if (name)
		snprintf(buf, size, "%s%s", name, mode);
	else if (type == PERF_TYPE_RAW)
		snprintf(buf, size, "r%llx%s", (unsigned long long)config, mode);
	else
		snprintf(buf, size, "%u/%llx/%s", type, (unsigned long long)config, mode);
}

/**
 * shim_event__metric() - convert an event's name to the last part of a metric's name
 * @name: the event's name
 * @buf: for the result: other characters than letters and digits become '_', and a name that does
 *	not begin with a letter gets the prefix "e_"
 * @size: of @buf
 *
 * Return: 0, -ENAMETOOLONG, or -EINVAL for an empty name.
 */
int shim_event__metric(const char *name, char *buf, size_t size)
{
	const char *front = isalpha((unsigned char)name[0]) ? "" : "e_";
	size_t len = strlen(name);

	if (!len)
		return -EINVAL;
	if (strlen(front) + len >= size)
		return -ENAMETOOLONG;
	strcpy(buf, front);
	buf += strlen(front);
	for (size_t i = 0; i < len; i++)
		buf[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	buf[len] = '\0';
	return 0;
}
