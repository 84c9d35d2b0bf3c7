// SPDX-License-Identifier: LGPL-2.1-or-later
/* Create and destroy sets, and add requests to them. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>

#include "attr.h"
#include "base/api.h"
#include "base/vec.h"
#include "core/event.h"
#include "impl.h"

/* Return a number for a list of requests that no other list in this process has had. */
static uint64_t new_shape(void)
{
	static _Atomic uint64_t last;

	return atomic_fetch_add(&last, 1) + 1;
}

/**
 * cpc_set_create() - create an empty set
 * @cpc: the handle that owns it
 *
 * Return: the set, or NULL and errno: ENOMEM, EINVAL (no handle).
 */
SHIM_API cpc_set_t *cpc_set_create(cpc_t *cpc)
{
	cpc_set_t *set = cpc ? calloc(1, sizeof(*set)) : NULL;

	if (!set) {
		errno = cpc ? ENOMEM : EINVAL;
		return NULL;
	}
	set->cpc = cpc;
	set->shape = new_shape();
	shim_cpc__lock();
	set->next = cpc->sets;
	cpc->sets = set;
	shim_cpc__unlock();
	return set;
}

/* Return whether a set belongs to the handle.  Context: shim_cpc__lock() is held. */
bool shim_cpc__has_set(cpc_t *cpc, const cpc_set_t *set)
{
	const cpc_set_t *s;

	for (s = cpc->sets; s && s != set; s = s->next)
		;
	return s;
}

static void free_request(struct cpc_request *req)
{
	for (uint_t i = 0; req->attrs && i < req->nattrs; i++)
		free(req->attrs[i].ca_name);
	free(req->attrs);
	free(req->event);
}

/* End a set's counters.  Threads to which it is bound stop counting, and keep only a reference. */
void shim_cpc__end_counters(cpc_set_t *set)
{
	struct shim_counters *counters = atomic_exchange(&set->counters, NULL);

	shim_inheritable__remove(&set->inheritable);
	if (counters) {
		shim_counters__shut(counters);
		shim_counters__put(counters);
	}
}

/**
 * shim_cpc__settle() - unbind a set that was copied into a forked child
 * @cpc: its handle, not locked
 * @set: any set
 *
 * Only the child's reference is dropped; sets that the parent has bound stay bound.
 */
void shim_cpc__settle(cpc_t *cpc, cpc_set_t *set)
{
	const struct shim_counters *counters = atomic_load(&set->counters);

	if (!counters || shim_counters__is_own(counters))
		return;
	shim_cpc__end_counters(set);
	free(set->processor);
	set->processor = NULL;
	shim_cpc__leave_pctx(cpc, set);
	atomic_store(&set->where, CPC_UNBOUND);
}

static void free_set(cpc_set_t *set)
{
	shim_cpc__end_counters(set);
	for (uint_t i = 0; i < set->n; i++)
		free_request(&set->reqs[i]);
	free(set->reqs);
	free(set->packed);
	free(set);
}

/**
 * cpc_set_destroy() - unbind a set from all targets and free it
 * @cpc: the handle
 * @set: a set of this handle
 *
 * Return: 0, or -1 and EINVAL if the set belongs to another handle.
 */
SHIM_API int cpc_set_destroy(cpc_t *cpc, cpc_set_t *set)
{
	cpc_set_t **at;

	if (!cpc)
		return shim_cpc__fail(EINVAL);
	shim_cpc__lock();
	for (at = &cpc->sets; *at && *at != set; at = &(*at)->next)
		;
	if (*at)
		*at = set->next;
	else
		set = NULL;
	shim_cpc__unlock();
	if (!set)
		return shim_cpc__fail(EINVAL);
	shim_cpc__settle(cpc, set);
	shim_cpc__leave_pctx(cpc, set);
	if (set->processor)
		shim_cpc__unbind_cpu(set);
	free_set(set);
	return 0;
}

/* Parse a raw code: a C integer with at least one digit, and nothing else. */
static bool raw_code(const char *event, __u64 *code)
{
	char *end;
	long value;

	errno = 0;
	value = strtol(event, &end, 0);
	if (end == event || *end || errno || value < 0)
		return false;
	*code = value;
	return true;
}

/* Parse a name of perf or libpfm; the prefix "sw::" is accepted only for a software event. */
static bool pack_name(const char *event, struct vcpc_request *packed)
{
	bool software = !strncmp(event, CPC_SOFTWARE, strlen(CPC_SOFTWARE));

	if (shim_event__parse(software ? event + strlen(CPC_SOFTWARE) : event, packed))
		return false;
	return !packed->flags && (!software || packed->type == PERF_TYPE_SOFTWARE);
}

static bool pack_known(const char *event, struct vcpc_request *packed)
{
	if (shim_generic__is(event))
		return shim_generic__pack(event, packed);
	return pack_name(event, packed) || shim_native__pack(event, packed);
}

/*
 * Parse an event.  Modes belong in the request's flags, not in the event's name.  Return 0, -ENOENT
 * or -ENOMEM.
 */
static int pack_event(cpc_t *cpc, const char *event, struct vcpc_request *packed)
{
	*packed = (struct vcpc_request) { .type = PERF_TYPE_RAW };
	if (raw_code(event, &packed->config))
		return 0;
	if (!pack_known(event, packed))
		return -ENOENT;
	switch (shim_event__probe(cpc->session, packed)) {
	case -ENOENT:
	case -EOPNOTSUPP:
	case -EINVAL:
		return -ENOENT;
	case -ENOMEM:
		return -ENOMEM;
	default:
		/* Other errors, such as missing permission, are reported when the set is bound. */
		return 0;
	}
}

/*
 * Set a request's flags.  A request without a mode can be bound, but it counts nothing and
 * therefore never overflows.
 */
static void pack_flags(uint_t flags, struct vcpc_request *packed)
{
	if (flags & CPC_COUNT_USER)
		packed->flags |= VCPC_REQ_F_USER;
	if (flags & CPC_COUNT_SYSTEM)
		packed->flags |= VCPC_REQ_F_KERNEL;
	if (flags & CPC_OVF_NOTIFY_EMT && packed->flags)
		packed->flags |= VCPC_REQ_F_OVERFLOW;
	if (packed->flags)
		return;
	packed->type = PERF_TYPE_SOFTWARE;
	packed->config = PERF_COUNT_SW_DUMMY;
	packed->flags = VCPC_REQ_F_USER;
}

static int copy_request(struct cpc_request *req, const char *event, uint_t nattrs,
			const cpc_attr_t *attrs)
{
	req->event = strndup(event, CPC_MAX_EVENT_LEN - 1);
	req->attrs = calloc(nattrs ? nattrs : 1, sizeof(*attrs));
	if (!req->event || !req->attrs)
		return -ENOMEM;
	for (; req->nattrs < nattrs; req->nattrs++) {
		cpc_attr_t *copy = &req->attrs[req->nattrs];

		copy->ca_val = attrs[req->nattrs].ca_val;
		copy->ca_name = strdup(attrs[req->nattrs].ca_name);
		if (!copy->ca_name)
			return -ENOMEM;
	}
	return 0;
}

/* Allocate space for one more request, so that binding need not allocate memory. */
static int grow(cpc_set_t *set)
{
	size_t room = set->room;

	if (shim_vec__room(set->reqs, &room, set->n))
		return -ENOMEM;
	return shim_vec__room(set->packed, &set->room, set->n);
}

bool shim_cpc__owns(cpc_t *cpc, const cpc_set_t *set)
{
	bool has;

	if (!cpc || !set)
		return false;
	shim_cpc__lock();
	has = shim_cpc__has_set(cpc, set);
	shim_cpc__unlock();
	return has;
}

static bool may_change(cpc_t *cpc, cpc_set_t *set)
{
	if (!shim_cpc__owns(cpc, set))
		return false;
	shim_cpc__settle(cpc, set);
	return atomic_load(&set->where) == CPC_UNBOUND;
}

/**
 * cpc_set_add_request() - add an event to a set
 * @cpc: the handle
 * @set: a set of this handle that is not bound
 * @event: a name from cpc_walk_events_all() or cpc_walk_generic_events_all(), a name known to
 *	libpfm, or a raw code (a C integer)
 * @preset: start value of its counter
 * @flags: CPC_COUNT_USER, CPC_COUNT_SYSTEM, CPC_OVF_NOTIFY_EMT (send SIGEMT when its counter
 *	exceeds 2^64 - 1); checked when the set is bound
 * @nattrs: number of attributes
 * @attrs: cpc_attr_t[@nattrs], copied; names as in cpc_walk_attrs().  If a name occurs twice, the
 *	last value is used.  Values are checked when the set is bound
 *
 * Return: the request's index, counted from 0, or -1 and errno: ENOMEM or EINVAL.  For EINVAL, the
 * error handler is called with CPC_INVALID_EVENT, CPC_INVALID_ATTRIBUTE or CPC_INVALID_PICNUM,
 * unless the set itself is rejected.
 */
SHIM_API int cpc_set_add_request(cpc_t *cpc, cpc_set_t *set, const char *event, uint64_t preset,
				 uint_t flags, uint_t nattrs, const cpc_attr_t *attrs)
{
	struct cpc_request req = { .flags = flags };
	struct vcpc_request packed;
	int subcode, ret;

	if (!may_change(cpc, set))
		return shim_cpc__fail(EINVAL);
	ret = event ? pack_event(cpc, event, &packed) : -ENOENT;
	if (ret == -ENOMEM)
		return shim_cpc__fail(ENOMEM);
	if (ret)
		return shim_cpc__complain(cpc, __func__, EINVAL, CPC_INVALID_EVENT);
	subcode = shim_attr__check(cpc, nattrs, attrs, &req.picnum);
	if (subcode)
		return shim_cpc__complain(cpc, __func__, EINVAL, subcode);
	if (copy_request(&req, event, nattrs, attrs) || grow(set)) {
		free_request(&req);
		return shim_cpc__fail(ENOMEM);
	}
	req.subcode = shim_attr__pack(cpc, &req, &packed);
	pack_flags(flags, &packed);
	packed.preset = preset;
	shim_cpc__end_counters(set);
	set->reqs[set->n] = req;
	set->packed[set->n] = packed;
	set->shape = new_shape();
	return set->n++;
}
