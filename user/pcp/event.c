// SPDX-License-Identifier: LGPL-2.1-or-later
/* Convert the event records in a value from disk byte order to host byte order. */
#include <errno.h>

#include <pcp/pmapi.h>

#include "base/bytes.h"
#include "event.h"

#define FLAG_MISSED (1u << 31)

/*
 * @in is read in disk byte order, @out written in host byte order; once @in is invalid, nothing is
 *	written.
 */
struct turn {
	struct shim_in in;
	char *out;
};

static uint32_t turn32(struct turn *t)
{
	uint32_t v = shim_in__u32(&t->in);

	if (t->in.bad)
		return 0;
	memcpy(t->out, &v, sizeof(v));
	t->out += sizeof(v);
	return v;
}

static void turn64(struct turn *t)
{
	uint64_t v = shim_in__u64(&t->in);

	if (t->in.bad)
		return;
	memcpy(t->out, &v, sizeof(v));
	t->out += sizeof(v);
}

static void copy(struct turn *t, uint32_t len)
{
	const uint8_t *p = shim_in__bytes(&t->in, len);

	if (!p)
		return;
	memcpy(t->out, p, len);
	t->out += len;
}

static void turn_parameter(struct turn *t)
{
	uint32_t head, type, len;

	turn32(t);
	head = turn32(t);
	type = head >> 24;
	len = head & PM_VAL_VLEN_MAX;
	if (len < PM_VAL_HDR_SIZE) {
		t->in.bad = true;
		return;
	}
	len = (len - PM_VAL_HDR_SIZE + 3) & ~3u;
	if (len == 4 && (type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT))
		turn32(t);
	else if (len == 8 && (type == PM_TYPE_64 || type == PM_TYPE_U64 || type == PM_TYPE_DOUBLE))
		turn64(t);
	else
		copy(t, len);
}

static void turn_record(struct turn *t, int type)
{
	uint32_t flags, parameters;

	if (type == PM_TYPE_EVENT) {
		turn32(t);
		turn32(t);
	} else {
		turn64(t);
		turn64(t);
	}
	flags = turn32(t);
	parameters = turn32(t);
	if (flags & FLAG_MISSED)
		return;		/* @parameters is the number of lost records in this case */
	for (uint32_t i = 0; i < parameters && !t->in.bad; i++)
		turn_parameter(t);
}

int shim_event__to_host(int type, const uint8_t *p, uint32_t len, char *out)
{
	struct turn t = { .in = shim_in__of(p, len), .out = out };
	uint32_t records = turn32(&t);

	for (uint32_t i = 0; i < records && !t.in.bad; i++)
		turn_record(&t, type);
	copy(&t, shim_in__left(&t.in));
	return t.in.bad ? -EBADMSG : 0;
}
