/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which way events leave the process: through the module, to an agent, or not at all. */
#ifndef SHIM_TRACE_WAY_H
#define SHIM_TRACE_WAY_H

#include "kernel.h"
#include "mapped.h"
#include "process.h"

/* Whether all is done for this tag, so that an event of it can be sent at once */
static inline int shim_way__is_ready(const struct shim_process *p, const struct shim_tag *tag)
{
	if (shim_kernel__is_ready(shim_kernel__connection(p), tag))
		return 1;
	switch (atomic_load_explicit(&p->way, memory_order_relaxed)) {
	case SHIM_WAY_PROBE:
		return 1;
	case SHIM_WAY_DIRECT:
		return shim_mapped__get(p) != NULL;
	}
	return atomic_load_explicit(&p->agent_up, memory_order_relaxed) &&
	       tag->len <= SHIM_PDU_MAX_TAG;
}

int shim_way__wants_none(struct shim_inherited *inherited);

/* Whether the user wants no way at all; looked at until there is one */
static inline int shim_way__is_none(const struct shim_process *p, struct shim_inherited *inherited)
{
	return atomic_load_explicit(&p->way, memory_order_relaxed) == SHIM_WAY_OPEN &&
	       shim_way__wants_none(inherited);
}

int shim_way__connect(struct shim_process *p);
int shim_way__prepare(struct shim_process *p, struct shim_tag *tag);
int shim_way__begin(struct shim_process *p, struct shim_tag *tag);
int shim_way__value(struct shim_process *p, struct shim_tag *tag, uint32_t op, double value);
int shim_way__end(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns, uint64_t end_ns);
void shim_way__abort(struct shim_process *p, struct shim_tag *tag, uint64_t begin_ns);
uint64_t shim_way__begin_ns(const struct shim_process *p);
uint64_t shim_way__end_ns(const struct shim_process *p);

#endif /* SHIM_TRACE_WAY_H */
