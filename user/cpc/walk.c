// SPDX-License-Identifier: LGPL-2.1-or-later
/* Visit a set's requests, and the events and attributes of this machine. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "attr.h"
#include "base/api.h"
#include "base/vec.h"
#include "core/event.h"
#include "impl.h"

/*
 * Return whether there is a handle, or set errno to EINVAL.  Programs also call walks without a
 * handle, after cpc_open() has failed.
 */
static bool is_handle(const cpc_t *cpc)
{
	if (!cpc)
		errno = EINVAL;
	return cpc;
}

/**
 * cpc_walk_requests() - visit a set's requests, starting with the last one added
 * @cpc: the handle
 * @set: the set
 * @arg: argument for @action
 * @action: called once per request; its arguments are valid during the call
 */
SHIM_API void cpc_walk_requests(cpc_t *cpc, cpc_set_t *set, void *arg,
				void (*action)(void *arg, int index, const char *event,
					       uint64_t preset, uint_t flags, int nattrs,
					       const cpc_attr_t *attrs))
{
	if (!is_handle(cpc) || !set || !action)
		return;
	for (uint_t i = set->n; i-- > 0;) {
		const struct cpc_request *req = &set->reqs[i];

		action(arg, i, req->event, set->packed[i].preset, req->flags, req->nattrs,
		       req->attrs);
	}
}

struct names {
	char **name;
	size_t n;
	size_t room;
};

static int add_name(struct names *names, const char *prefix, const char *name)
{
	if (shim_vec__reserve(names->name, &names->room, names->n + 2))
		return -ENOMEM;
	if (asprintf(&names->name[names->n], "%s%s", prefix, name) < 0) {
		names->name[names->n] = NULL;
		return -ENOMEM;
	}
	names->name[++names->n] = NULL;
	return 0;
}

static int name_collect(void *arg, const char *name, const char *desc)
{
	struct vcpc_request req;
	int ret = shim_event__parse(name, &req);

	(void)desc;
	if (ret)
		return shim_event__is_trouble(ret) ? ret : 0;
	return add_name(arg, req.type == PERF_TYPE_SOFTWARE ? CPC_SOFTWARE : "", name);
}

/*
 * If walks include the event names of Solaris' processors, collect those that can be counted here.
 */
static int collect_natives(cpc_t *cpc, struct names *names)
{
	struct vcpc_request req = { 0 };
	const char *name;
	int ret = 0;

	for (size_t i = 0; !ret && (name = shim_native__at(i)); i++) {
		if (!shim_native__pack(name, &req))
			continue;
		req.flags = VCPC_REQ_F_USER;
		ret = shim_event__probe(cpc->session, &req);
		if (!shim_event__is_trouble(ret))
			ret = ret ? 0 : add_name(names, "", name);
	}
	return ret;
}

void shim_cpc__free_names(char **names)
{
	for (size_t i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

/* Get the names, which are looked up once per handle.  Return NULL and set errno if that fails. */
static char **names_of(cpc_t *cpc)
{
	struct names names = { 0 };
	char **ret;
	int err;

	shim_cpc__lock();
	if (!cpc->names) {
		err = shim_event__walk(cpc->session, name_collect, &names);
		if (!err && shim_native__are_listed())
			err = collect_natives(cpc, &names);
		if (err) {
			shim_cpc__free_names(names.name);
			errno = -err;
		} else {
			cpc->names = names.name;
		}
	}
	ret = cpc->names;
	shim_cpc__unlock();
	return ret;
}

/**
 * cpc_walk_events_all() - visit the events that can be counted here
 * @cpc: the handle
 * @arg: argument for @action
 * @action: called once per name; it is not called, and errno is set, if memory (ENOMEM) or
 *	descriptors (EMFILE, ENFILE) run out
 */
SHIM_API void cpc_walk_events_all(cpc_t *cpc, void *arg,
				  void (*action)(void *arg, const char *event))
{
	char **names = is_handle(cpc) && action ? names_of(cpc) : NULL;

	for (size_t i = 0; names && names[i]; i++)
		action(arg, names[i]);
}

/* Return whether a counter with this number exists; false without a handle. */
static bool is_pic(cpc_t *cpc, uint_t picno)
{
	if (picno < cpc_npic(cpc))
		return true;
	errno = EINVAL;
	return false;
}

/**
 * cpc_walk_events_pic() - visit the events that one counter can count: all events
 * @cpc: the handle
 * @picno: below cpc_npic(), otherwise errno is EINVAL and nothing is visited
 * @arg: argument for @action
 * @action: called once per name
 */
SHIM_API void cpc_walk_events_pic(cpc_t *cpc, uint_t picno, void *arg,
				  void (*action)(void *arg, uint_t picno, const char *event))
{
	char **names;

	if (!is_pic(cpc, picno) || !action)
		return;
	names = names_of(cpc);
	for (size_t i = 0; names && names[i]; i++)
		action(arg, picno, names[i]);
}

/*
 * Determine which generic events can be counted here, as a bit mask.  The result does not change,
 * but is not cached.  On failure it is 0, and errno is set.
 */
static __u64 countable(cpc_t *cpc)
{
	struct vcpc_request req = { .flags = VCPC_REQ_F_USER };
	__u64 can = 0;
	int ret;

	for (size_t i = 0; shim_generic__at(i, &req); i++) {
		ret = shim_event__probe(cpc->session, &req);
		if (ret == -ENOMEM) {
			errno = ENOMEM;
			return 0;
		}
		can |= (__u64)!ret << i;
	}
	return can;
}

/**
 * cpc_walk_generic_events_all() - visit the generic events that can be counted here
 * @cpc: the handle
 * @arg: argument for @action
 * @action: called once per name, which begins with "PAPI_"; if memory runs out, it is not called,
 *	and errno is ENOMEM
 */
SHIM_API void cpc_walk_generic_events_all(cpc_t *cpc, void *arg,
					  void (*action)(void *arg, const char *event))
{
	struct vcpc_request req;
	__u64 can = is_handle(cpc) && action ? countable(cpc) : 0;

	for (size_t i = 0; can >> i; i++)
		if (can >> i & 1)
			action(arg, shim_generic__at(i, &req));
}

/**
 * cpc_walk_generic_events_pic() - visit the generic events that one counter can count: all of them
 * @cpc: the handle
 * @picno: below cpc_npic(), otherwise errno is EINVAL and nothing is visited
 * @arg: argument for @action
 * @action: called once per name
 */
SHIM_API void cpc_walk_generic_events_pic(cpc_t *cpc, uint_t picno, void *arg,
					  void (*action)(void *arg, uint_t picno,
							 const char *event))
{
	struct vcpc_request req;
	__u64 can = is_pic(cpc, picno) && action ? countable(cpc) : 0;

	for (size_t i = 0; can >> i; i++)
		if (can >> i & 1)
			action(arg, picno, shim_generic__at(i, &req));
}

/**
 * cpc_walk_attrs() - visit the attributes that a request may have
 * @cpc: the handle
 * @arg: argument for @action
 * @action: called for each attribute: the fields of the CPU's event codes, and picnum
 */
SHIM_API void cpc_walk_attrs(cpc_t *cpc, void *arg, void (*action)(void *arg, const char *attr))
{
	const char *name;

	if (!is_handle(cpc) || !action)
		return;
	for (size_t i = 0; (name = shim_attr__at(cpc, i)); i++)
		action(arg, name);
}
