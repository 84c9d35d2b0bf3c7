// SPDX-License-Identifier: LGPL-2.1-or-later
/* Values of an importer's next record, from text or a pmAtomValue, one per instance */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "base/vec.h"
#include "importer.h"

/*
 * Add a metric to the list.  A metric whose values were dropped with a deleted instance is still in
 * the list.
 */
static void queue_metric(struct shim_importer *imp, struct shim_imp_metric *m)
{
	if (m->waiting || imp->last_waiting == &m->waiting)
		return;
	*imp->last_waiting = m;
	imp->last_waiting = &m->waiting;
}

/* Append a slot with a value to its metric's list, and the metric to the importer's list. */
static void queue(struct shim_importer *imp, struct shim_imp_slot *slot)
{
	struct shim_imp_metric *m = slot->metric;

	slot->set = true;
	slot->next = NULL;
	if (m->last) {
		m->last->next = slot;
	} else {
		m->first = slot;
		queue_metric(imp, m);
	}
	m->last = slot;
	m->nvalues++;
}

void shim_imp_metric__taken(struct shim_importer *imp, struct shim_imp_metric *m, size_t n)
{
	m->taken = imp->nvalues - n;
	m->nvalues = n;
	queue_metric(imp, m);
}

void shim_imp_metric__bare(struct shim_importer *imp, struct shim_imp_metric *m, int error)
{
	m->bare = true;
	m->error = error;
	queue_metric(imp, m);
}

void shim_importer__drop_values(struct shim_importer *imp)
{
	struct shim_imp_metric *m = imp->waiting;

	while (m) {
		struct shim_imp_metric *next = m->waiting;

		for (struct shim_imp_slot *slot = m->first; slot; slot = slot->next)
			slot->set = false;
		m->first = m->last = NULL;
		m->nvalues = 0;
		m->bare = false;
		m->error = 0;
		m->waiting = NULL;
		m = next;
	}
	imp->waiting = NULL;
	imp->last_waiting = &imp->waiting;
	imp->nvalues = 0;
}

static int keep_text(struct shim_imp_slot *slot, const char *text)
{
	size_t len = strlen(text) + 1;

	if (len > PM_VAL_VLEN_MAX - PM_VAL_HDR_SIZE)
		return PM_ERR_TOOBIG;
	if (shim_vec__reserve(slot->text, &slot->room, len))
		return -ENOMEM;
	memcpy(slot->text, text, len);
	slot->value.bytes = slot->text;
	slot->value.len = (uint32_t)len;
	return 0;
}

#define PLAIN_DIGITS	15	/* a double represents this many digits exactly */

/*
 * Append digits to *@n, which wraps if there are too many.  Return a pointer to the first other
 * character.
 */
static const char *take_digits(const char *text, uint64_t *n)
{
	unsigned int digit;

	for (; (digit = (unsigned int)*text - '0') <= 9; text++)
		*n = *n * 10 + digit;
	return text;
}

/*
 * Parse up to PLAIN_DIGITS digits with an optional minus and point.  Return false for any other
 * text.
 */
static bool plain_number(const char *text, int64_t *number, unsigned int *decimals, bool *has_point)
{
	bool minus = *text == '-';
	const char *whole = text + minus;
	uint64_t n = 0;
	const char *end = take_digits(whole, &n);
	size_t digits = end - whole, behind = 0;

	*has_point = *end == '.';
	if (*has_point) {
		const char *fraction = end + 1;

		end = take_digits(fraction, &n);
		behind = end - fraction;
	}
	if (*end || !digits || digits + behind > PLAIN_DIGITS || (minus && !n))
		return false;
	*number = minus ? -(int64_t)n : (int64_t)n;
	*decimals = (unsigned int)behind;
	return true;
}

/*
 * Fast path for plain decimal numbers, which are by far the most common.  The digits and the power
 * of ten are both exact as doubles, so their quotient is the double nearest to the text.
 */
static bool parse_plain(struct shim_value *v, const char *text)
{
	static const double tens[PLAIN_DIGITS] = { 1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9,
						   1e10, 1e11, 1e12, 1e13, 1e14 };
	unsigned int decimals;
	bool point;
	int64_t n;

	if (v->type == PM_TYPE_STRING || !plain_number(text, &n, &decimals, &point))
		return false;
	if (v->type == PM_TYPE_DOUBLE)
		v->d = (double)n / tens[decimals];
	else if (v->type == PM_TYPE_FLOAT)
		v->f = (float)((double)n / tens[decimals]);
	else if (point)
		return false;
	else if (v->type == PM_TYPE_64 || v->type == PM_TYPE_U64)
		v->ll = n;
	else
		v->l = (int32_t)n;
	return true;
}

/*
 * Parse a value.  A decimal integer that is too large for a 32-bit type wraps, as in PCP's library,
 * because it may come from a counter that is wider on another system.
 */
static int value_parse(struct shim_imp_slot *slot, const char *text)
{
	struct shim_value *v = &slot->value;
	char *end = NULL;

	if (parse_plain(v, text))
		return 0;
	switch (v->type) {
	case PM_TYPE_32:
		v->l = (int32_t)strtol(text, &end, 10);
		break;
	case PM_TYPE_U32:
		v->ul = (uint32_t)strtoul(text, &end, 10);
		break;
	case PM_TYPE_64:
		v->ll = strtoll(text, &end, 10);
		break;
	case PM_TYPE_U64:
		v->ull = strtoull(text, &end, 10);
		break;
	case PM_TYPE_FLOAT:
		v->f = (float)shim_real__parse(text, &end);
		break;
	case PM_TYPE_DOUBLE:
		v->d = shim_real__parse(text, &end);
		break;
	default:
		return keep_text(slot, text);
	}
	return *end ? PM_ERR_CONV : 0;
}

/**
 * shim_imp_slot__parse() - set the value of an instance from text
 * @imp: the importer
 * @slot: the metric's instance
 * @text: the number, or the string if the metric is of that type
 *
 * Return: 0, PMI_ERR_DUPVALUE if it already has a value, PM_ERR_CONV if the text is not a valid
 * value, -ENOMEM.
 */
int shim_imp_slot__parse(struct shim_importer *imp, struct shim_imp_slot *slot, const char *text)
{
	int err;

	if (slot->set)
		return PMI_ERR_DUPVALUE;
	err = text ? value_parse(slot, text) : PM_ERR_CONV;
	if (!err)
		queue(imp, slot);
	return err;
}

/**
 * shim_imp_slot__atom() - set the value of an instance
 * @imp: the importer
 * @slot: the metric's instance
 * @atom: the member for the metric's type
 *
 * Return: as for shim_imp_slot__parse().
 */
int shim_imp_slot__atom(struct shim_importer *imp, struct shim_imp_slot *slot,
			const pmAtomValue *atom)
{
	int err = 0;

	if (slot->set)
		return PMI_ERR_DUPVALUE;
	if (!atom)
		return PM_ERR_CONV;
	if (slot->value.type == PM_TYPE_STRING)
		err = atom->cp ? keep_text(slot, atom->cp) : PM_ERR_CONV;
	else
		slot->value.ull = atom->ull;
	if (!err)
		queue(imp, slot);
	return err;
}
