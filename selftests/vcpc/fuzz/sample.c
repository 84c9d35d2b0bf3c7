// SPDX-License-Identifier: GPL-2.0-or-later
/* Read samples and lists into buffers of any size at any address. */
#include <time.h>

#include "acts.h"

/* Check that values are plausible: no software event happens a trillion times. */
static void check_values(struct worker *w, const char *name, const struct own_set *own,
			 const struct vcpc_sample *sample)
{
	unsigned int i;

	if (!own || own->shared || !w->process->software)
		return;
	for (i = 0; i < own->nr; i++)
		if (sample->values[i] - own->presets[i] > 1ULL << 40)
			wrong(&w->f, name, "value", sample->values[i], own->presets[i]);
}

static bool is_state(__u32 state, const struct own_set *own)
{
	__u32 known = VCPC_STATE_COUNTING | VCPC_STATE_EXITED;

	if (!own || own->overflows)
		known |= VCPC_STATE_FROZEN;
	if (state & VCPC_STATE_COUNTING && state & VCPC_STATE_FROZEN)
		return false;
	return !(state & ~known);
}

/* Check that @from contains a valid sample of the set. */
void check_sample(struct worker *w, const char *name, const struct own_set *own, const void *from)
{
	union {
		struct vcpc_sample sample;
		unsigned char bytes[sizeof(struct vcpc_sample) + MAX_VALUES * 8];
	} room;
	struct timespec now;
	__u64 ns;

	memcpy(&room.sample, from, sizeof(room.sample));
	if (!room.sample.nr || room.sample.nr > MAX_VALUES ||
	    (own && room.sample.nr != own->nr)) {
		wrong(&w->f, name, "number of values", room.sample.nr, own ? own->nr : 0);
		return;
	}
	memcpy(&room, from, own ? sample_len(own) : sizeof(room.sample));
	clock_gettime(CLOCK_MONOTONIC, &now);
	ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	if (!is_state(room.sample.state, own))
		wrong(&w->f, name, "state", room.sample.state, 0);
	if (room.sample.size != sizeof(room.sample))
		wrong(&w->f, name, "head", room.sample.size, sizeof(room.sample));
	if (!room.sample.time || room.sample.time > ns || room.sample.tick > ns * 64)
		wrong(&w->f, name, "time", room.sample.time, room.sample.tick);
	check_values(w, name, own, &room.sample);
}

/* Check that a sample of @len bytes at @at was written, and nothing else. */
static void check_buffer(struct worker *w, const char *name, const struct own_set *own, long ret,
			 size_t at, size_t there)
{
	unsigned char *buf = w->f.data.rw + at;
	size_t i, end = 0;

	if (ret >= 0) {
		check_sample(w, name, own, buf);
		/* For a set of another process, only read() reveals the number of values. */
		if (own)
			end = sample_len(own);
		else
			end = ret ? (size_t)ret : there;
	}
	for (i = 0; i < 64; i++)
		if (at > i && buf[-1 - (long)i] != PATTERN)
			break;
	if (i < 64 && at > i)
		wrong(&w->f, name, "wrote before the buffer", i, ret);
	for (i = end; ret != -EFAULT && i < there; i++)
		if (buf[i] != PATTERN) {
			wrong(&w->f, name, "wrote after the sample", i, ret);
			break;
		}
}

static size_t some_room(struct worker *w, const struct own_set *own)
{
	size_t need = own ? sample_len(own) : sizeof(struct vcpc_sample) + 8 + below(&w->f, 64);

	switch (below(&w->f, 6)) {
	case 0: return below(&w->f, need + 1);
	case 1: return need + below(&w->f, 64);
	case 2: return 1024;
	default: return need;
	}
}

static int sample_must(const struct own_set *own, size_t size, enum place place)
{
	if (own && size < sample_len(own))
		return EINVAL;
	return place >= PLACE_READ_ONLY ? MUST_FAIL : MAY_ANY;
}

void do_sample(struct worker *w)
{
	struct vcpc_sample_args args = { .tid = some_tid(w) };
	struct hostile h = { .op = &contract[OP_SAMPLE] };
	const struct own_set *own = choose_set(w, &h);
	size_t size = some_room(w, own), there, at;
	enum place place = some_place(&w->f);
	long ret;

	if (place == PLACE_HALF && !size)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, size, &there);
	h.must = sample_must(own, size, place);
	args.buf = pointer(address(&w->f.data, place, at));
	args.buf_size = size;
	if (one_in(&w->f, 4)) {
		args.flags = VCPC_SAMPLE_F_TOTAL;
		args.tid = one_in(&w->f, 8) ? args.tid : 0;
	}
	if (args.tid < 0 || (args.flags && args.tid))
		h.must = EINVAL;
	if (one_in(&w->f, 20)) {
		args.flags |= 2U << below(&w->f, 31);
		h.must = EINVAL;
	}
	memset(w->f.data.rw, PATTERN, PAGES * PAGE);
	memcpy(h.image, &args, sizeof(args));
	ret = fire(&w->f, &h);
	/* Do not check a total, which contains the presets once per instance. */
	check_buffer(w, h.op->name, args.flags ? NULL : own, ret, at, there);
}

void do_instances(struct worker *w)
{
	struct vcpc_instances_args args = { .info_size = sizeof(struct vcpc_instance_info) };
	struct hostile h = { .op = &contract[OP_INSTANCES] };
	enum place place = some_place(&w->f);
	size_t there, at;

	choose_set(w, &h);
	args.room = below(&w->f, 4);
	if (one_in(&w->f, 4))
		args.info_size += below(&w->f, 64);
	if (place == PLACE_HALF && !args.room)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, (size_t)args.room * args.info_size, &there);
	args.info = pointer(address(&w->f.data, place, at));
	/* If the set has no instance, the call writes nothing. */
	if (one_in(&w->f, 20))
		args.room = place < PLACE_READ_ONLY ? args.room : (__u32)draw(&w->f);
	if (one_in(&w->f, 20)) {
		args.info_size = below(&w->f, sizeof(struct vcpc_instance_info));
		h.must = EINVAL;
	}
	if (one_in(&w->f, 20)) {
		args.flags = 1U << below(&w->f, 32);
		h.must = EINVAL;
	}
	memcpy(h.image, &args, sizeof(args));
	fire(&w->f, &h);
}

void do_read(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_READ] };
	const struct own_set *own = choose_set(w, &h);
	size_t size = some_room(w, own), there, at;
	enum place place = some_place(&w->f);
	long ret;

	if (place == PLACE_HALF && !size)
		place = PLACE_PLAIN;
	at = lay(&w->f, place, size, &there);
	h.must = sample_must(own, size, place);
	if (h.must == EINVAL && place >= PLACE_NULL)
		h.must = MUST_FAIL;
	if (one_in(&w->f, 50)) {
		size = draw(&w->f) | 1UL << 63;
		h.must = MUST_FAIL;
	}
	memset(w->f.data.rw, PATTERN, PAGES * PAGE);
	ret = read(h.fd, address(&w->f.data, place, at), size);
	ret = ret < 0 ? -errno : ret;
	/* If the descriptor belongs to another file, there may be no result to check. */
	if (h.strange_fd && !ret)
		return;
	judge(&w->f, &h, h.must, ret);
	check_buffer(w, h.op->name, own, ret, at, there);
	if (own && ret >= 0 && ret != (long)sample_len(own))
		wrong(&w->f, h.op->name, "length", ret, own->nr);
}
