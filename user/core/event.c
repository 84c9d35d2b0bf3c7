// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parse event names.
 *
 * A name has the form NAME[:MODE].  NAME is one of perf's event names, a raw code (r and
 * hexadecimal digits), PMU/TERMS/, a tracepoint's GROUP:NAME, or a libpfm event with its unit
 * masks.  MODE is u for user mode, k for kernel mode, or both, in one part or two (:uk, :u:k).  As
 * in perf, MODE may also follow the last slash of PMU/TERMS/ without a colon.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "event.h"
#include "format.h"
#include "pfm.h"
#include "pmus.h"

/* The event names that perf users know, with descriptions */

#define HW(name, id, desc)	{ name, desc, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id }
#define SW(name, id, desc)	{ name, desc, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##id }
#define CACHE(name, id, op, result, desc)				\
	{ name, desc, PERF_TYPE_HW_CACHE,				\
	  PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 |	\
	  PERF_COUNT_HW_CACHE_RESULT_##result << 16 }

/* If an event has several names, the first one is shown. */
const struct shim_event_name shim_event__names[] = {
	HW("cycles", CPU_CYCLES, "CPU cycles"),
	HW("cpu-cycles", CPU_CYCLES, "CPU cycles"),
	HW("instructions", INSTRUCTIONS, "instructions retired"),
	HW("branches", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HW("branch-instructions", BRANCH_INSTRUCTIONS, "branch instructions retired"),
	HW("branch-misses", BRANCH_MISSES, "mispredicted branches"),
	HW("cache-references", CACHE_REFERENCES, "accesses to the last-level cache"),
	HW("cache-misses", CACHE_MISSES, "accesses that missed the last-level cache"),
	HW("bus-cycles", BUS_CYCLES, "bus cycles"),
	HW("ref-cycles", REF_CPU_CYCLES, "cycles of the processor's nominal clock"),
	HW("stalled-cycles-frontend", STALLED_CYCLES_FRONTEND, "cycles stalled for instructions"),
	HW("stalled-cycles-backend", STALLED_CYCLES_BACKEND, "cycles stalled in execution"),
	CACHE("L1-dcache-loads", L1D, READ, ACCESS, "loads from the first-level data cache"),
	CACHE("L1-dcache-load-misses", L1D, READ, MISS, "loads that missed the first-level data cache"),
	CACHE("L1-dcache-stores", L1D, WRITE, ACCESS, "stores to the first-level data cache"),
	CACHE("L1-dcache-prefetches", L1D, PREFETCH, ACCESS,
	      "prefetches into the first-level data cache"),
	CACHE("L1-dcache-prefetch-misses", L1D, PREFETCH, MISS, 
	      "prefetches that missed the first-level data cache"),
	CACHE("L1-icache-loads", L1I, READ, ACCESS,
	      "fetches from the first-level instruction cache"),
	CACHE("L1-icache-load-misses", L1I, READ, MISS,
	      "fetches that missed the first-level instruction cache"),
	CACHE("LLC-loads", LL, READ, ACCESS, "loads from the last-level cache"),
	CACHE("LLC-load-misses", LL, READ, MISS, "loads that missed the last-level cache"),
	CACHE("LLC-stores", LL, WRITE, ACCESS, "stores to the last-level cache"),
	CACHE("LLC-store-misses", LL, WRITE, MISS, "stores that missed the last-level cache"),
	CACHE("dTLB-loads", DTLB, READ, ACCESS, "data TLB lookups by loads"),
	CACHE("dTLB-load-misses", DTLB, READ, MISS, "data TLB misses by loads"),
	CACHE("dTLB-store-misses", DTLB, WRITE, MISS, "data TLB misses by stores"),
	CACHE("iTLB-loads", ITLB, READ, ACCESS, "instruction TLB lookups"),
	CACHE("iTLB-load-misses", ITLB, READ, MISS, "instruction TLB misses"),
	CACHE("branch-loads", BPU, READ, ACCESS, "branch predictor lookups"),
	CACHE("branch-load-misses", BPU, READ, MISS, "branch predictor misses"),
	SW("task-clock", TASK_CLOCK, "CPU time of the task in nanoseconds"),
	SW("cpu-clock", CPU_CLOCK, "time of the CPU's clock while the task ran, in nanoseconds"),
	SW("page-faults", PAGE_FAULTS, "page faults"),
	SW("faults", PAGE_FAULTS, "page faults"),
	SW("minor-faults", PAGE_FAULTS_MIN, "page faults without disk I/O"),
	SW("major-faults", PAGE_FAULTS_MAJ, "page faults with disk I/O"),
	SW("context-switches", CONTEXT_SWITCHES, "context switches away from the task"),
	SW("cs", CONTEXT_SWITCHES, "context switches away from the task"),
	SW("cpu-migrations", CPU_MIGRATIONS, "migrations of the task to another CPU"),
	SW("migrations", CPU_MIGRATIONS, "migrations of the task to another CPU"),
	SW("alignment-faults", ALIGNMENT_FAULTS, "unaligned accesses that the kernel emulated"),
	SW("emulation-faults", EMULATION_FAULTS, "instructions that the kernel emulated"),
	SW("dummy", DUMMY, "nothing; this event is always 0"),
	{NULL, NULL, 0, 0}};

/*
 * Parse events of a named PMU: PMU/TERMS/, as in perf.
 *
 * TERMS is one of perf's own names, if the PMU is a core PMU; an event that the kernel lists in
 * /sys/bus/event_source/devices/PMU/events; or a comma-separated list of FIELD=VALUE, where FIELD
 * is config, config1, config2, or a file in the PMU's directory "format".
 */

#define PATH_ROOM	512
#define TYPE_SHIFT	32	/* PERF_PMU_TYPE_SHIFT */

/*
 * Read the first line of a file.  Return 0, -ENOENT if the file does not exist, or another error.
 */
static int read_file(const char *pmu, const char *folder, const char *name, char *text, int size)
{
	char path[PATH_ROOM];
	FILE *file;
	int ret = 0;

	if (snprintf(path, sizeof(path), "%s/%s%s/%s", SHIM_FORMAT_DEVICES, pmu, folder, name) >=
	    (int)sizeof(path))
		return -ENAMETOOLONG;
	file = fopen(path, "re");
	if (!file)
		return errno == ENOTDIR || errno == EACCES ? -ENOENT : -errno;
	/* A term such as ".." names a directory. */
	if (!fgets(text, size, file))
		ret = ferror(file) && errno != EISDIR ? -errno : -ENOENT;
	fclose(file);
	text[strcspn(text, "\n")] = '\0';
	return ret;
}

/* Return config, config1 or config2 of a request, or NULL. */
static __u64 *word_of(const char *name, struct vcpc_request *req)
{
	return !strcmp(name, "config") ? &req->config : !strcmp(name, "config1") ? &req->config1 :
	       !strcmp(name, "config2") ? &req->config2 : NULL;
}

/* Set FIELD=VALUE, or FIELD, which means FIELD=1. */
static int set_term(const struct shim_pmu_format *format, char *term, struct vcpc_request *req)
{
	char *equals = strchr(term, '='), *end;
	unsigned long long value = 1;
	__u64 *word;

	if (equals) {
		*equals = '\0';
		errno = 0;
		value = strtoull(equals + 1, &end, 0);
		if (end == equals + 1 || *end || errno || equals[1] == '-')
			return -EINVAL;
	}
	word = equals ? word_of(term, req) : NULL;
	if (!word)
		return shim_pmu_format__set(format, term, value, req) ? -EINVAL : 0;
	*word = value;
	return 0;
}

/*
 * Set each term.  A term that is the name of a listed event is replaced by the terms in the event's
 * file.
 */
static int set_terms(const char *pmu, const struct shim_pmu_format *format, char *terms,
		     bool listed, struct vcpc_request *req)
{
	char text[SHIM_EVENT_LEN], *rest = terms, *term;
	bool named = listed && !strpbrk(terms, ",=");
	int ret = 0;

	while (!ret && (term = strsep(&rest, ",")) != NULL) {
		bool may_be_listed = listed && !strpbrk(term, "=/");

		*text = '\0';
		ret = may_be_listed ? read_file(pmu, "/events", term, text, sizeof(text)) : -ENOENT;
		if (!ret)
			ret = set_terms(pmu, format, text, false, req);
		else if (ret == -ENOENT || ret == -ENAMETOOLONG)
			ret = set_term(format, term, req);
	}
	return ret && named ? -ENOENT : ret;
}

static const struct shim_pmu *find_core(const char *name)
{
	const struct shim_pmus *pmus = shim_pmus__get();

	for (unsigned int i = 0; i < pmus->n; i++)
		if (!strcmp(pmus->pmu[i].name, name))
			return &pmus->pmu[i];
	return NULL;
}

/* Look up one of perf's own names for one core PMU. */
static bool find_own(const struct shim_pmu *pmu, const char *terms, struct vcpc_request *req)
{
	struct vcpc_request one = *req;

	if (!pmu || !shim_event__find(terms, &one) ||
	    (one.type != PERF_TYPE_HARDWARE && one.type != PERF_TYPE_HW_CACHE))
		return false;
	if (shim_pmus__several())
		one.config |= (__u64)pmu->type << TYPE_SHIFT;
	*req = one;
	return true;
}

static int encode(const char *pmu, char *terms, struct vcpc_request *req)
{
	struct shim_pmu_format *format;
	char type[16];
	int ret = read_file(pmu, "", "type", type, sizeof(type));

	if (ret)
		return ret;
	req->type = strtoul(type, NULL, 10);
	if (find_own(find_core(pmu), terms, req))
		return 0;
	ret = shim_pmu_format__open_of(SHIM_FORMAT_DEVICES, pmu, &format);
	if (ret)
		return ret;
	ret = set_terms(pmu, format, terms, true, req);
	shim_pmu_format__close(format);
	if (!ret && req->type == PERF_TYPE_RAW && shim_pmus__several())
		req->reserved[0] = SHIM_REQ_ONE_PMU;
	return ret;
}

/**
 * find_pmu_event() - look up PMU/TERMS/
 * @name: as described above, without modes
 * @req: on success, type, config* and reserved are set
 *
 * Return: 0, -ENOENT (no such PMU or event), -EINVAL (bad term or value), -ENAMETOOLONG, -ENOMEM,
 * or another error from reading the kernel's files.
 */
static int find_pmu_event(const char *name, struct vcpc_request *req)
{
	char text[SHIM_EVENT_LEN], *terms, *end;
	struct vcpc_request one = *req;
	int ret;

	if (strlen(name) >= sizeof(text))
		return -ENAMETOOLONG;
	strcpy(text, name);
	terms = strchr(text, '/');
	*terms++ = '\0';
	end = strchr(terms, '/');
	if (!end || end[1] || end == terms || !*text || *text == '.')
		return -EINVAL;
	*end = '\0';
	ret = encode(text, terms, &one);
	if (!ret)
		*req = one;
	return ret;
}

/**
 * shim_event__on() - add a core PMU to an event's name
 * @pmu: the PMU's name
 * @name: perf's own name of a hardware event, or a raw code, with or without modes
 * @buf: receives PMU/NAME/ and the modes
 * @size: size of @buf
 *
 * Return: 0, -ENOENT if the event is of another kind or already names its PMU, -ENAMETOOLONG, or an
 * error from shim_event__split().
 */
int shim_event__on(const char *pmu, const char *name, char *buf, size_t size)
{
	char bare[SHIM_EVENT_LEN];
	struct vcpc_request req = { 0 };
	size_t length;
	__u32 modes;
	int ret, n;

	if (strlen(name) >= sizeof(bare))
		return -ENAMETOOLONG;
	strcpy(bare, name);
	ret = shim_event__split(bare, &modes);
	if (ret)
		return ret;
	length = strlen(bare);
	ret = shim_event__parse(bare, &req);
	if (ret || (req.type != PERF_TYPE_HARDWARE && req.type != PERF_TYPE_HW_CACHE &&
		    req.type != PERF_TYPE_RAW) || strpbrk(bare, "/:"))
		return -ENOENT;
	if (req.type == PERF_TYPE_RAW)
		n = snprintf(buf, size, "%s/config=0x%llx/%s", pmu, (unsigned long long)req.config,
			     name + length);
	else
		n = snprintf(buf, size, "%s/%s/%s", pmu, bare, name + length);
	return n >= (int)size ? -ENAMETOOLONG : 0;
}

/* Look up tracepoints: GROUP:NAME, as in perf.  Their numbers are in files of tracefs. */

#define NEWER	"/sys/kernel/tracing/events/"
#define OLDER	"/sys/kernel/debug/tracing/events/"

/* Mount points of tracefs; older systems mount it only in debugfs */
static const char *const mounts[] = { NEWER, OLDER };

static bool is_word(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) && !strchr("_-", text[i]))
			return false;
	return length != 0;
}

/* Return whether a name without modes has the form GROUP:NAME. */
static bool has_form(const char *name)
{
	const char *colon = strchr(name, ':');

	return colon && is_word(name, colon - name) && is_word(colon + 1, strlen(colon + 1));
}

/*
 * Open the file that contains an event's number.  Return a descriptor, or -errno.  This uses little
 * stack, because the caller's stack may be small.
 */
static int open_id(const char *mount, const char *name)
{
	char path[sizeof(OLDER) + SHIM_EVENT_LEN + sizeof("/id")], *at;
	int fd;

	at = stpcpy(path, mount);
	strcpy(stpcpy(at, name), "/id");
	*strchr(at, ':') = '/';
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	return errno == EACCES || errno == EPERM || errno == ENOTDIR ? -ENOENT : -errno;
}

static int read_id(const char *mount, const char *name, __u64 *id)
{
	int fd = open_id(mount, name), err;
	char text[24];
	ssize_t len;

	if (fd < 0)
		return fd;
	len = read(fd, text, sizeof(text) - 1);
	err = len < 0 ? -errno : 0;
	close(fd);
	if (err)
		return err;
	text[len] = '\0';
	*id = strtoull(text, NULL, 10);
	return *id ? 0 : -ENOENT;
}

/**
 * find_tracepoint() - look up GROUP:NAME in tracefs
 * @name: without modes
 * @req: type and config are set on success; the rest is unchanged
 *
 * Return: 0, -ENOENT (the name has a different form, tracefs has no such event, or the caller may
 * not read tracefs), or an error from reading the event's number, such as -EMFILE.
 */
static int find_tracepoint(const char *name, struct vcpc_request *req)
{
	int err = -ENOENT;
	__u64 id;

	if (!has_form(name) || strlen(name) >= SHIM_EVENT_LEN)
		return -ENOENT;
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]) && err == -ENOENT; i++)
		err = read_id(mounts[i], name, &id);
	if (err)
		return err;
	req->type = PERF_TYPE_TRACEPOINT;
	req->config = id;
	return 0;
}

static __u32 mode_of(char c)
{
	return c == 'u' ? VCPC_REQ_F_USER : c == 'k' ? VCPC_REQ_F_KERNEL : 0;
}

/*
 * Return the modes in a part of a name, or 0 if the part is not a list of modes or has a mode
 * twice.
 */
static __u32 modes_of(const char *part)
{
	__u32 modes = 0;

	for (; *part; part++) {
		__u32 mode = mode_of(*part);

		if (!mode || modes & mode)
			return 0;
		modes |= mode;
	}
	return modes;
}

/* Split PMU/TERMS/MODES, as in perf. */
static int split_slash(char *name, __u32 *modes)
{
	char *slash = strrchr(name, '/');
	__u32 more;

	if (!slash || slash == strchr(name, '/') || !slash[1])
		return 0;
	more = modes_of(slash + 1);
	if (!more || *modes & more)
		return -EINVAL;
	*modes |= more;
	slash[1] = '\0';
	return 0;
}

/**
 * shim_event__split() - split the modes off the end of a name
 * @name: truncated before its modes
 * @modes: VCPC_REQ_F_*, 0 if the name has no modes
 *
 * Return: 0, or -EINVAL if nothing is left, or a mode is given twice.
 */
int shim_event__split(char *name, __u32 *modes)
{
	char *colon;
	__u32 more;

	*modes = 0;
	while ((colon = strrchr(name, ':')) != NULL) {
		if (!colon[1])
			return -EINVAL;
		more = modes_of(colon + 1);
		if (!more)
			break;
		if (*modes & more)
			return -EINVAL;
		*modes |= more;
		*colon = '\0';
	}
	return *name ? split_slash(name, modes) : -EINVAL;
}

/* Look up one of perf's own names and store its type and config.  Return whether it exists. */
bool shim_event__find(const char *name, struct vcpc_request *req)
{
	for (const struct shim_event_name *e = shim_event__names; e->name; e++) {
		if (strcasecmp(e->name, name))
			continue;
		req->type = e->type;
		req->config = e->config;
		return true;
	}
	return false;
}

static bool parse_raw(const char *name, struct vcpc_request *req)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (name[0] != 'r' || !digits || digits > 16 || name[1 + digits])
		return false;
	req->type = PERF_TYPE_RAW;
	req->config = strtoull(name + 1, NULL, 16);
	return true;
}

/* Parse an event name of a PMU, tracefs or libpfm. */
static int parse_other(char *name, struct vcpc_request *req)
{
	int ret = strchr(name, '/') ? find_pmu_event(name, req)
				    : find_tracepoint(name, req);

	return ret == -ENOENT && !strchr(name, '/') ? shim_pfm__encode(name, req) : ret;
}

/**
 * shim_event__parse() - translate an event name
 * @name: the name, as described above
 * @out: on success, the whole request; its preset is 0, and its flags are the modes in the name,
 *	or 0
 *
 * Return: 0, -ENOENT (no such event), -EINVAL (bad modes, unit mask or
 * attribute), -ENAMETOOLONG, -EOPNOTSUPP, -ELIBACC (libpfm may know the name, but cannot be used),
 * or a temporary error (shim_event__is_trouble()).
 */
int shim_event__parse(const char *name, struct vcpc_request *out)
{
	struct vcpc_request req = { 0 };
	char bare[SHIM_EVENT_LEN];
	int ret;

	if (strlen(name) >= sizeof(bare))
		return -ENAMETOOLONG;
	strcpy(bare, name);
	ret = shim_event__split(bare, &req.flags);
	if (!ret && !shim_event__find(bare, &req) && !parse_raw(bare, &req))
		ret = parse_other(bare, &req);
	if (ret)
		return ret;
	/* A libpfm code applies to one PMU.  A raw code without a PMU applies to all core PMUs. */
	if (req.type == PERF_TYPE_RAW && !parse_raw(bare, &req) && shim_pmus__several())
		req.reserved[0] = SHIM_REQ_ONE_PMU;
	*out = req;
	return 0;
}

static const char *known_name(__u32 type, __u64 config)
{
	for (const struct shim_event_name *e = shim_event__names; e->name; e++)
		if (e->type == type && e->config == config)
			return e->name;
	return NULL;
}

/**
 * shim_event__name() - make a name for an event that was not requested by name
 * @type: perf's type
 * @config: perf's config
 * @modes: VCPC_REQ_F_*
 * @buf: receives the name: perf's own, rNNN, or TYPE/NNN
 * @size: size of @buf
 */
void shim_event__name(__u32 type, __u64 config, __u32 modes, char *buf, size_t size)
{
	const __u32 both = VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL;
	const char *name = known_name(type, config);
	const char *mode = (modes & both) == VCPC_REQ_F_USER ? ":u" :
			   (modes & both) == VCPC_REQ_F_KERNEL ? ":k" : "";

	if (name)
		snprintf(buf, size, "%s%s", name, mode);
	else if (type == PERF_TYPE_RAW)
		snprintf(buf, size, "r%llx%s", (unsigned long long)config, mode);
	else
		snprintf(buf, size, "%u/%llx/%s", type, (unsigned long long)config, mode);
}

/**
 * shim_event__metric() - convert an event's name to the last part of a metric's name
 * @name: the event's name
 * @buf: receives the result: characters other than letters and digits become '_', and a name that
 *	does not begin with a letter gets the prefix "e_"
 * @size: size of @buf
 *
 * Return: 0, -ENAMETOOLONG, or -EINVAL for an empty name.
 */
int shim_event__metric(const char *name, char *buf, size_t size)
{
	const char *front = isalpha((unsigned char)name[0]) ? "" : "e_";
	size_t len = strlen(name);

	if (!len)
		return -EINVAL;
	if (strlen(front) + len >= size)
		return -ENAMETOOLONG;
	strcpy(buf, front);
	buf += strlen(front);
	for (size_t i = 0; i < len; i++)
		buf[i] = isalnum((unsigned char)name[i]) ? name[i] : '_';
	buf[len] = '\0';
	return 0;
}
