/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parse event names, list countable events, and suggest corrections for misspelled names. */
#ifndef SHIM_CORE_EVENT_H
#define SHIM_CORE_EVENT_H

#include <stdbool.h>

#include "session.h"

#define SHIM_EVENT_LEN	256	/* a name, with its NUL */

int shim_event__parse(const char *name, struct vcpc_request *out);
int shim_event__split(char *name, __u32 *modes);
void shim_event__name(__u32 type, __u64 config, __u32 modes, char *buf, size_t size);
bool shim_event__find(const char *name, struct vcpc_request *req);
int shim_event__on(const char *pmu, const char *name, char *buf, size_t size);
int shim_event__metric(const char *name, char *buf, size_t size);

typedef int shim_event_fn(void *arg, const char *name, const char *desc);

int shim_event__walk(struct shim_session *session, shim_event_fn *fn, void *arg);
bool shim_event__is_trouble(int ret);
int shim_event__probe(struct shim_session *session, const struct vcpc_request *req);
int shim_event__suggest(const char *name, char *buf, size_t size);

/* perf's own names; the last entry has a NULL name */
struct shim_event_name {
	const char *name;
	const char *desc;
	__u32 type;
	__u64 config;
};

extern const struct shim_event_name shim_event__names[];

#endif /* SHIM_CORE_EVENT_H */
