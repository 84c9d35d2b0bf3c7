// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz with libFuzzer: make every call that reads an archive, on an archive of arbitrary bytes.
 *
 * An input contains the three files of an archive: the lengths of metadata and index as
 * little-endian words, then metadata, index and volume.  The upper two bits of the second word are
 * the form of the files (enum form).  The mutator changes, repeats, drops and
 * swaps whole records and keeps their frames valid, so that code after the first check is reached.
 *
 * If compiled with FUZZ_SEED, this program converts an archive to an input.
 */
#include <fcntl.h>
#include <pcp/pmapi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define HEAD		8
#define LABEL_MIN	132
#define LABEL_V3	808
#define METRICS		24
#define FETCHES		40
#define RECORDS		300

#define FORM_SHIFT	30
#define FRAME		1000	/* bytes that are compressed into one frame */

/* FRAMES: the fuzzer compresses the files; XZ, ZSTD: they are the bytes of compressed files */
enum form { PLAIN, FRAMES, XZ, ZSTD };
static const char *const form_suffix[] = { "", ".zst", ".xz", ".zst" };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max);

static uint32_t get_le(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_le(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

#ifdef FUZZ_SEED
static size_t slurp(const char *base, const char *suffix, enum form form, uint8_t **out)
{
	char path[4096];
	uint8_t *data = calloc(1, 1 << 20);
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s%s", base, suffix,
		 form == FRAMES ? "" : form_suffix[form]);
	f = fopen(path, "r");
	if (f && data) {
		n = fread(data, 1, 1 << 20, f);
		fclose(f);
	}
	*out = data;
	return n;
}

int main(int argc, char **argv)
{
	uint8_t *meta, *index, *data, head[HEAD];
	size_t nmeta, nindex, ndata;

	enum form form = argc > 2 ? (enum form)atoi(argv[2]) : PLAIN;

	if (argc < 2)
		return 2;
	nmeta = slurp(argv[1], "meta", form, &meta);
	nindex = slurp(argv[1], "index", form, &index);
	ndata = slurp(argv[1], "0", form, &data);
	put_le(head, (uint32_t)nmeta);
	put_le(head + 4, (uint32_t)nindex | (uint32_t)form << FORM_SHIFT);
	fwrite(head, 1, HEAD, stdout);
	fwrite(meta, 1, nmeta, stdout);
	fwrite(index, 1, nindex, stdout);
	fwrite(data, 1, ndata, stdout);
	return !nmeta || !ndata;
}
#else

static char dir[] = "/dev/shm/vcpc-fuzz-XXXXXX";
static char base[64];
static struct {
	pmID pmids[METRICS];
	int n;
} seen;

static void clean(void)
{
	static const char *const files[] = { "meta", "index", "0" };
	char path[96];

	for (int i = 0; i < 3; i++)
		for (int form = PLAIN; form <= ZSTD; form++) {
			snprintf(path, sizeof(path), "%s.%s%s", base, files[i], form_suffix[form]);
			unlink(path);
		}
}

static void finish(void)
{
	clean();
	rmdir(dir);
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	if (!mkdtemp(dir))
		abort();
	snprintf(base, sizeof(base), "%s/a", dir);
	atexit(finish);
	return 0;
}

static int put_frames(FILE *f, const uint8_t *data, size_t size)
{
	uint8_t frame[2 * FRAME];

	for (size_t at = 0; at < size; at += FRAME) {
		size_t n = ZSTD_compress(frame, sizeof(frame), data + at,
					 size - at < FRAME ? size - at : FRAME, 1);

		if (fwrite(frame, 1, n, f) != n)
			return -1;
	}
	return 0;
}

/*
 * Write a file with an old modification time, because the reader of a recently written file waits
 * for the rest of a partial record.
 */
static void spit(const char *suffix, enum form form, const uint8_t *data, size_t size)
{
	const struct timespec long_ago[2] = { { 0 } };
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s%s", base, suffix, form_suffix[form]);
	if (!size)
		return;
	f = fopen(path, "w");
	if (!f || (form == FRAMES ? put_frames(f, data, size) : fwrite(data, 1, size, f) != size))
		abort();
	fclose(f);
	if (utimensat(AT_FDCWD, path, long_ago, 0))
		abort();
}

static void see(const char *name)
{
	char **names;
	pmID pmid;

	if (seen.n == METRICS || pmLookupName(1, &name, &pmid) < 0)
		return;
	seen.pmids[seen.n++] = pmid;
	if (pmNameAll(pmid, &names) > 0)
		free(names);
}

static void read_instances(pmInDom indom)
{
	int *inst;
	char **names;

	if (pmGetInDom(indom, &inst, &names) > 0) {
		free(inst);
		free(names);
	}
	if (pmGetInDomArchive(indom, &inst, &names) > 0) {
		free(inst);
		free(names);
	}
}

static void read_metadata(void)
{
	seen.n = 0;
	pmTraversePMNS("", see);
	for (int i = 0; i < seen.n; i++) {
		pmLabelSet *sets = NULL;
		char *text;
		pmDesc desc;
		int n;

		if (pmLookupDesc(seen.pmids[i], &desc) < 0)
			continue;
		if (desc.indom != PM_INDOM_NULL)
			read_instances(desc.indom);
		if (pmLookupText(seen.pmids[i], PM_TEXT_HELP, &text) >= 0)
			free(text);
		n = pmGetItemLabels(seen.pmids[i], &sets);
		if (n > 0)
			pmFreeLabelSets(sets, n);
	}
}

static void read_values(int mode, const struct timespec *from, long delta)
{
	struct timespec step = { delta, 0 };
	pmHighResResult *r;

	pmSetModeHighRes(mode, from, &step);
	for (int i = 0; i < FETCHES && seen.n; i++) {
		int err = pmFetchHighRes(seen.n, seen.pmids, &r);

		if (!err)
			pmFreeHighResResult(r);
		else if (mode != PM_MODE_INTERP)
			break;
	}
}

static void read_records(int mode, const struct timespec *from)
{
	pmHighResResult *r;

	pmSetModeHighRes(mode, from, NULL);
	for (int i = 0; i < RECORDS && !pmFetchHighResArchive(&r); i++)
		pmFreeHighResResult(r);
}

static void read_all(void)
{
	struct timespec end = { 0 };
	pmHighResLogLabel label;

	pmGetHighResArchiveLabel(&label);
	read_metadata();
	if (pmGetHighResArchiveEnd(&end) < 0)
		end = label.start;
	read_records(PM_MODE_FORW, &label.start);
	read_records(PM_MODE_BACK, &end);
	read_values(PM_MODE_FORW, &label.start, 0);
	read_values(PM_MODE_INTERP, &label.start, 3);
	read_values(PM_MODE_INTERP, &end, -7);
	read_values(PM_MODE_BACK, &end, 0);
	read_values(PM_MODE_INTERP, &label.start, 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t nmeta, nindex;
	enum form form;
	int handle;

	if (size < HEAD)
		return 0;
	nmeta = get_le(data);
	nindex = get_le(data + 4) & ((1u << FORM_SHIFT) - 1);
	form = (enum form)(get_le(data + 4) >> FORM_SHIFT);
	data += HEAD;
	size -= HEAD;
	if (nmeta > size || nindex > size - nmeta)
		return 0;
	clean();
	spit("meta", form, data, nmeta);
	spit("index", form, data + nmeta, nindex);
	spit("0", form, data + nmeta + nindex, size - nmeta - nindex);
	handle = pmNewContext(PM_CONTEXT_ARCHIVE, base);
	if (handle < 0)
		return 0;
	read_all();
	pmDestroyContext(handle);
	return 0;
}

static uint32_t get_be(const uint8_t *p)
{
	return __builtin_bswap32(get_le(p));
}

static void put_be(uint8_t *p, uint32_t v)
{
	put_le(p, __builtin_bswap32(v));
}

/* Store the offsets of a file's records and of the end of the last one in @starts. */
static size_t records_of(const uint8_t *p, size_t size, size_t *starts, size_t max)
{
	size_t at = size >= LABEL_V3 && get_be(p) == LABEL_V3 ? LABEL_V3 : LABEL_MIN;
	size_t n = 0;

	while (n + 1 < max && at + 8 <= size) {
		uint32_t len = get_be(p + at);

		if (len < 8 || len > size - at)
			break;
		starts[n++] = at;
		at += len;
	}
	starts[n] = at < size ? at : size;
	return n;
}

/* The part of the input to mutate */
struct part {
	uint8_t *all;
	size_t size, max;
	size_t at, len;		/* range of the part in the input */
	int which;		/* 0: metadata, 2: volume */
};

/* Replace the @old bytes at @at with the @len bytes of @data.  Return 0 if they do not fit. */
static int exchange(struct part *p, size_t at, size_t old, const uint8_t *data, size_t len)
{
	size_t behind = p->size - at - old;

	if (len > old && p->max - p->size < len - old)
		return 0;
	memmove(p->all + at + len, p->all + at + old, behind);
	if (len)
		memcpy(p->all + at, data, len);
	p->size = p->size - old + len;
	if (!p->which)
		put_le(p->all, (uint32_t)(p->len - old + len));
	return 1;
}

static int change_payload(struct part *p, size_t at, uint32_t len)
{
	static uint8_t record[1 << 16];
	size_t room = sizeof(record) - 8, n;

	if (len > room)
		return 0;
	memcpy(record, p->all + at, len);
	n = LLVMFuzzerMutate(record + 4, len - 8, len - 8 + 64 < room ? len - 8 + 64 : room) + 8;
	put_be(record, (uint32_t)n);
	put_be(record + n - 4, (uint32_t)n);
	return exchange(p, at, len, record, n);
}

static int change_word(struct part *p, size_t at, uint32_t len, unsigned int roll)
{
	static const uint32_t words[] = { 0, 1, 0xffffffff, 0x7fffffff, 0x80000000, 16, 0xffff, 255 };
	uint32_t words_in = (len - 8) / 4;
	uint8_t *word;

	if (!words_in)
		return 0;
	word = p->all + at + 4 + roll / 16 % words_in * 4;
	put_be(word, roll & 1 ? words[roll / 2 % 8] : get_be(word) + (roll & 2 ? 1 : -1));
	return 1;
}

static int change_record(struct part *p, unsigned int roll)
{
	static uint8_t copy[1 << 16];
	static size_t starts[4096];
	size_t n = records_of(p->all + p->at, p->len, starts, 4096), i, j, len;

	if (!n)
		return 0;
	i = roll / 8 % n;
	j = roll / 64 % n;
	len = starts[i + 1] - starts[i];
	switch (roll % 8) {
	case 0:
		return exchange(p, p->at + starts[i], len, NULL, 0);
	case 1:
		if (len > sizeof(copy))
			return 0;
		memcpy(copy, p->all + p->at + starts[i], len);
		return exchange(p, p->at + starts[j], 0, copy, len);
	case 2:
	case 3:
	case 4:
		return change_payload(p, p->at + starts[i], (uint32_t)len);
	default:
		return change_word(p, p->at + starts[i], (uint32_t)len, roll / 512);
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned int seed)
{
	struct part p = { .all = data, .size = size, .max = max };
	uint32_t nmeta, nindex;

	if (size < HEAD || seed % 5 == 0)
		return LLVMFuzzerMutate(data, size, max);
	nmeta = get_le(data);
	nindex = get_le(data + 4) & ((1u << FORM_SHIFT) - 1);
	if (nmeta > size - HEAD || nindex > size - HEAD - nmeta)
		return LLVMFuzzerMutate(data, size, max);
	p.which = seed / 5 % 2 ? 0 : 2;
	p.at = p.which ? HEAD + nmeta + nindex : HEAD;
	p.len = p.which ? size - p.at : nmeta;
	return change_record(&p, seed / 10) ? p.size : LLVMFuzzerMutate(data, size, max);
}
#endif
