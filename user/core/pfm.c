// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Event names and encodings of libpfm4: the only caller of that library.
 *
 * libpfm is loaded when the first name is looked up in it, because its tables take 2 MB.  Programs
 * that only read archives, or count events that perf has names for, do not need it.
 *
 * Threads: libpfm is initialized once per process and only read after that.
 */
#include <dlfcn.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/process.h"
#include "pfm.h"

#define NAME_LEN	256
#define LIBRARY		"libpfm.so.4"

#define FUNCTIONS(F)				\
	F(pfm_initialize)			\
	F(pfm_get_os_event_encoding)		\
	F(pfm_get_event_info)			\
	F(pfm_get_event_attr_info)		\
	F(pfm_get_event_next)			\
	F(pfm_get_pmu_info)

/* libpfm's functions, by their own names */
struct pfm {
#define MEMBER(f) __typeof__(f) *f;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loaded once per process and never unloaded, because callers keep strings of libpfm */
static struct pfm functions;
static bool tried;
static atomic_bool loaded;

static const struct {
	int pfm;
	int err;
} errors[] = {
	{ PFM_SUCCESS, 0 },
	{ PFM_ERR_NOTFOUND, -ENOENT },
	{ PFM_ERR_NOTSUPP, -EOPNOTSUPP },
	{ PFM_ERR_NOINIT, -EOPNOTSUPP },
	{ PFM_ERR_NOMEM, -ENOMEM },
};

/* All other errors of libpfm concern the event's attributes. */
static int error_of(int pfm)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].pfm == pfm)
			return errors[i].err;
	return -EINVAL;
}

static bool find_all(void *library, struct pfm *p)
{
	const struct {
		void *to;
		const char *name;
	} all[] = {
#define ENTRY(f) { &p->f, #f },
		FUNCTIONS(ENTRY)
#undef ENTRY
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		void *f = dlsym(library, all[i].name);

		if (!f)
			return false;
		memcpy(all[i].to, &f, sizeof(f));
	}
	return true;
}

/* Context: the lock is held. */
static void load(void)
{
	void *library;

	errno = 0;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	/* If libpfm is not installed, do not try again.  Other failures may be temporary. */
	tried = library || (errno != ENOMEM && errno != EMFILE && errno != ENFILE);
	if (!library)
		return;
	if (find_all(library, &functions)) {
		functions.pfm_initialize();
		loaded = true;
	} else {
		dlclose(library);
	}
}

/* Return libpfm's functions, or NULL if it cannot be loaded. */
static const struct pfm *get(void)
{
	static struct shim_siglock lock = SHIM_SIGLOCK_INITIALIZER(2, NULL);
	bool there;

	if (loaded)
		return &functions;
	if (shim_fork__wait_for(&lock))
		return NULL;
	shim_siglock__enter(&lock);
	if (!tried)
		load();
	there = loaded;
	shim_siglock__leave(&lock);
	return there ? &functions : NULL;
}

/**
 * shim_pfm__encode() - look up an event in libpfm by name
 * @name: libpfm's syntax, [PMU::]EVENT[:UMASK]..., in any case, without mode modifiers
 * @out: on success, type and config* are set
 *
 * Return: 0, -ENOENT (no such event for this machine's PMUs), -EINVAL (bad or
 * missing unit mask or attribute), -EOPNOTSUPP, -ENOMEM, -ELIBACC (libpfm cannot
 * be loaded).
 */
int shim_pfm__encode(const char *name, struct vcpc_request *out)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	const struct pfm *p = get();
	int ret;

	if (!p)
		return -ELIBACC;
	ret = error_of(p->pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT,
						    &arg));
	if (ret)
		return ret;
	out->type = attr.type;
	out->config = attr.config;
	out->config1 = attr.config1;
	out->config2 = attr.config2;
	return 0;
}

/* Visit an event once, or once for each of its unit masks. */
static int walk_event(const struct pfm *p, int idx,
		      int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	bool masks = false;
	int ret = 0;

	if (p->pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return 0;
	for (int i = 0; i < event.nattrs && !ret; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };
		char name[NAME_LEN];

		if (p->pfm_get_event_attr_info(idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		masks = true;
		snprintf(name, sizeof(name), "%s:%s", event.name, attr.name);
		ret = fn(arg, name, attr.desc);
	}
	return masks || ret ? ret : fn(arg, event.name, event.desc);
}

static int walk_pmu(const struct pfm *p, const pfm_pmu_info_t *pmu,
		    int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	int ret = 0;

	for (int idx = pmu->first_event; idx != -1 && !ret; idx = p->pfm_get_event_next(idx))
		ret = walk_event(p, idx, fn, arg);
	return ret;
}

/* Leave out the pseudo PMUs for perf's events and raw codes, which event.c parses itself. */
static bool is_cpu(const pfm_pmu_info_t *pmu)
{
	return pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE &&
	       pmu->pmu != PFM_PMU_PERF_EVENT && pmu->pmu != PFM_PMU_PERF_EVENT_RAW;
}

/**
 * shim_pfm__walk() - walk over the events of this machine's processor
 * @fn: called for each name; a value other than 0 ends the walk
 * @arg: for @fn
 *
 * Return: 0, even if libpfm cannot be loaded, or the value of @fn that ended the walk.
 */
int shim_pfm__walk(int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	const struct pfm *p = get();
	int ret = 0;
	int i;

	if (!p)
		return 0;
	pfm_for_all_pmus(i) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (p->pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS || !is_cpu(&pmu))
			continue;
		ret = walk_pmu(p, &pmu, fn, arg);
		if (ret)
			break;
	}
	return ret;
}

/**
 * shim_pfm__cpu() - get libpfm's name of this machine's processor
 *
 * Return: a string that is never freed, or NULL if libpfm cannot be loaded or does not know the
 *	processor.
 */
const char *shim_pfm__cpu(void)
{
	const struct pfm *p = get();
	int i;

	if (!p)
		return NULL;
	pfm_for_all_pmus(i) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (p->pfm_get_pmu_info(i, &pmu) == PFM_SUCCESS && is_cpu(&pmu))
			return pmu.desc;
	}
	return NULL;
}
