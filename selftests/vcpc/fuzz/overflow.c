// SPDX-License-Identifier: GPL-2.0-or-later
/* Set presets. */
#include "acts.h"

/* Choose a preset, usually near the current value, so that values can still be checked. */
static __u64 some_preset(struct worker *w, struct own_set *own, __u32 request)
{
	if (!own || request >= own->nr)
		return draw(&w->f);
	if (!one_in(&w->f, 3))
		return own->presets[request] + below(&w->f, 1 << 10);
	own->shared = true;
	return one_in(&w->f, 2) ? draw(&w->f) : -1000000ULL - below(&w->f, 1 << 24);
}

void do_preset(struct worker *w)
{
	struct vcpc_preset_args args = { 0 };
	struct hostile h = { .op = &contract[OP_PRESET] };
	struct own_set *own = choose_set(w, &h);

	args.request = one_in(&w->f, 10) ? (__u32)draw(&w->f) : below(&w->f, own ? own->nr : 4);
	args.preset = some_preset(w, own, args.request);
	if (own && args.request >= own->nr)
		h.must = EINVAL;
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}
