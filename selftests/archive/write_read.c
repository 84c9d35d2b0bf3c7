// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Write an archive with values of every type, errors, marks, instances that appear and disappear,
 * and several volumes, and read it back.
 *
 * usage: write_read [BASE 2|3]
 *
 * With arguments it writes only the archive BASE, and prints for comparison with other readers
 * "HH:MM:SS.UUUUUU METRIC INSTANCE VALUE" for each value (UTC; "-" for no instance), "... METRIC -
 * error" for an error, and "... mark" for a mark.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

#include "../unit/archive_sample.h"

#define RECORDS	500
#define VOLUME	200

/*
 * Seven of ten records have values of all metrics.  The others have a value of one metric, an
 * error, or a mark.
 */
static bool has_metric(unsigned int n, int metric)
{
	return n % 10 < 7 || (n % 10 == 7 && metric == (int)(n / 10 % NMETRICS)) ||
	       (n % 10 == 9 && metric == M_U32);
}

static bool has_error(unsigned int n, int metric)
{
	return n % 10 == 8 && metric == M_STRING;
}

static bool is_mark(unsigned int n)
{
	return n % 100 == 99;
}

/* wlan0 exists only in every other hundred records. */
static bool has_instance(unsigned int n, int k)
{
	return k != 1 || n / 100 % 2;
}

static struct shim_ts stamp_of(unsigned int n)
{
	/* Three records have the same time.  Both archive versions can represent its fraction. */
	return (struct shim_ts){ START + n / 3 * 3, 123456000 };
}

static int put_indom(struct shim_writer *w, unsigned int n)
{
	struct shim_indom indom = { .stamp = stamp_of(n), .indom = SAMPLE_INDOM };
	const char *names[3];
	int32_t inst[3];

	for (int k = 0; k < 3; k++) {
		if (has_instance(n, k)) {
			inst[indom.n] = sample_inst[k];
			names[indom.n++] = sample_inst_names[k];
		}
	}
	indom.inst = inst;
	indom.name = names;
	return shim_writer__indom(w, &indom);
}

static void say_time(unsigned int n)
{
	struct shim_ts t = stamp_of(n);
	time_t sec = t.sec;
	char text[16];

	strftime(text, sizeof(text), "%H:%M:%S", gmtime(&sec));
	printf("%s.%06d ", text, t.nsec / 1000);
}

static void say(unsigned int n, int metric, const char *inst, const struct shim_value *v)
{
	say_time(n);
	printf("%s %s ", sample_names[metric], inst);
	switch (v->type) {
	case SHIM_TYPE_32:
		printf("%" PRId32 "\n", v->l);
		break;
	case SHIM_TYPE_U32:
		printf("%" PRIu32 "\n", v->ul);
		break;
	case SHIM_TYPE_64:
		printf("%" PRId64 "\n", v->ll);
		break;
	case SHIM_TYPE_U64:
		printf("%" PRIu64 "\n", v->ull);
		break;
	case SHIM_TYPE_FLOAT:
		printf("%.8g\n", (double)v->f);
		break;
	case SHIM_TYPE_DOUBLE:
		printf("%.16g\n", v->d);
		break;
	case SHIM_TYPE_STRING:
		printf("\"%s\"\n", (const char *)v->bytes);
		break;
	default:
		printf("[");
		for (uint32_t i = 0; i < v->len; i++)
			printf("%02x", ((const uint8_t *)v->bytes)[i]);
		printf("]\n");
		break;
	}
}

static int put_metric(struct shim_writer *w, unsigned int n, int metric, bool aloud)
{
	int err = shim_writer__vset(w, sample_pmid(metric), has_error(n, metric) ? -12350 : 0);
	struct shim_value v;
	char text[32];

	if (has_error(n, metric)) {
		if (aloud) {
			say_time(n);
			printf("%s - error\n", sample_names[metric]);
		}
		return err;
	}
	if (metric < M_SET) {
		v = sample_value(metric, SHIM_IN_NULL, n, text);
		if (aloud)
			say(n, metric, "-", &v);
		return err ? err : shim_writer__value(w, &v);
	}
	for (int k = 0; k < 3 && !err; k++) {
		if (!has_instance(n, k))
			continue;
		v = sample_value(metric, sample_inst[k], n, text);
		if (aloud)
			say(n, metric, sample_inst_names[k], &v);
		err = shim_writer__value(w, &v);
	}
	return err;
}

static int put_record(struct shim_writer *w, unsigned int n, bool aloud)
{
	int err = n % 100 ? 0 : put_indom(w, n);

	if (n && n % VOLUME == 0)
		err = err ? err : shim_writer__next_volume(w);
	err = err ? err : shim_writer__begin(w, stamp_of(n));
	if (is_mark(n) && aloud) {
		say_time(n);
		printf("mark\n");
	}
	for (int i = 0; i < NMETRICS && !err && !is_mark(n); i++)
		if (has_metric(n, i) || has_error(n, i))
			err = put_metric(w, n, i, aloud);
	return err ? err : shim_writer__commit(w);
}

/* Add the labels and help texts that pcp_tools.sh expects in the output of PCP's tools. */
static int annotate(struct shim_writer *w)
{
	static const char *const context[] = { "{ \"role\": [1, 2],\"host\":\"h1\" }" };
	static const char *const each[] = { "{\"speed\":1}", "{\"speed\":3}", "{}" };
	const uint32_t one = SHIM_TEXT_PMID | SHIM_TEXT_ONELINE;
	struct shim_labels labels = { stamp_of(0), SHIM_LEVEL_CONTEXT, SHIM_INDOM_NULL, 1, NULL,
				      context };
	int err = shim_writer__text(w, one, sample_pmid(M_SET), "packets");

	if (!err)
		err = shim_writer__text(w, SHIM_TEXT_PMID | SHIM_TEXT_HELP, sample_pmid(M_SET),
					"packets\nof each");
	if (!err)
		err = shim_writer__text(w, SHIM_TEXT_INDOM | SHIM_TEXT_HELP, SAMPLE_INDOM,
					"the interfaces");
	if (!err)
		err = shim_writer__labels(w, &labels);
	labels = (struct shim_labels){ stamp_of(0), SHIM_LEVEL_INSTANCES, SAMPLE_INDOM, 3, sample_inst,
				       each };
	return err ? err : shim_writer__labels(w, &labels);
}

static int generate(const char *base, int version, bool aloud)
{
	struct shim_label label = sample_label(version);
	struct shim_writer *w;
	int err;

	err = shim_writer__open(base, &label, &w);
	if (err)
		return err;
	for (int i = 0; i < NMETRICS && !err; i++) {
		struct shim_desc desc = sample_desc(i);

		err = shim_writer__desc(w, &desc);
	}
	err = err ? err : annotate(w);
	for (unsigned int n = 0; n < RECORDS && !err; n++)
		err = put_record(w, n, aloud);
	if (err) {
		shim_writer__close(w);
		return err;
	}
	return shim_writer__close(w);
}

static bool set_matches(const struct shim_record *rec, unsigned int n, int metric)
{
	struct shim_value got, want;
	struct shim_vset vset;
	char text[32];
	int i = 0;

	if (shim_record__find(rec, sample_pmid(metric), &vset))
		return !has_metric(n, metric) && !has_error(n, metric);
	if (has_error(n, metric))
		return vset.numval == -12350;
	for (int k = 0; k < (metric < M_SET ? 1 : 3); k++) {
		if (metric >= M_SET && !has_instance(n, k))
			continue;
		want = sample_value(metric, metric < M_SET ? SHIM_IN_NULL : sample_inst[k], n, text);
		if (shim_vset__value(rec, &vset, i++, want.type, &got) || !same_value(&got, &want))
			return false;
	}
	return i == vset.numval && has_metric(n, metric);
}

static bool read_back(const char *base)
{
	struct shim_archive *ar;
	struct shim_cursor cur;
	struct shim_record rec;
	unsigned int n = 0;
	bool good = true;

	if (shim_archive__open(base, &ar))
		return false;
	shim_cursor__init(&cur, ar);
	while (!shim_cursor__next(&cur, &rec)) {
		good = good && !shim_record__check(&rec) && (rec.npmids == 0) == is_mark(n) &&
		       !shim_ts__cmp(rec.stamp, stamp_of(n)) && rec.volume == n / VOLUME;
		for (int i = 0; i < NMETRICS && !is_mark(n); i++)
			good = good && set_matches(&rec, n, i);
		n++;
	}
	while (!shim_cursor__prev(&cur, &rec))
		n--;
	shim_archive__put(ar);
	return good && !n;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc == 3) {
		int err = generate(argv[1], atoi(argv[2]), true);

		if (err)
			fprintf(stderr, "write_read: %s: %s\n", argv[1], strerror(-err));
		return !!err;
	}
	printf("1..2\n");
	for (int version = 2; version <= 3; version++) {
		struct place place;
		bool good = !place_make(&place) && !generate(place.base, version, false) &&
			    read_back(place.base);

		printf("%sok %d - version %d\n", good ? "" : "not ", version - 1, version);
		failed += !good;
		place_remove(&place);
	}
	return failed;
}
