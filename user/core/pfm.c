// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Look up event names and encodings in libpfm4.  Only this file calls that library.
 *
 * libpfm is loaded when the first name is looked up in it, because its tables take 2 MB.  Programs
 * that only read archives, or count events for which perf has names, do not need it.
 *
 * Threads: libpfm is initialized once per process and only read after that.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/process.h"
#include "event.h"
#include "format.h"
#include "pfm.h"
#include "pmus.h"

#define NAME_LEN	256
#define LIBRARY		"libpfm.so.4"

#define FUNCTIONS(F)				\
	F(pfm_initialize)			\
	F(pfm_get_os_event_encoding)		\
	F(pfm_get_event_info)			\
	F(pfm_get_event_attr_info)		\
	F(pfm_get_event_next)			\
	F(pfm_get_pmu_info)

/* libpfm's functions, under their own names */
struct pfm {
#define MEMBER(f) __typeof__(f) *f;
	FUNCTIONS(MEMBER)
#undef MEMBER
};

/* Loaded once per process and never unloaded, because callers keep libpfm's strings */
static struct pfm functions;
static bool missing;	/* libpfm 4 cannot be used; do not try again */
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

/*
 * Translate an error from libpfm.  All errors that are not in the table concern the event's
 * attributes.
 */
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

/* Return 0 if the file with a PMU's type can be opened, otherwise -errno. */
static int try_type(const char *pmu)
{
	char path[sizeof(SHIM_FORMAT_DEVICES "//type") + sizeof(((struct dirent *)NULL)->d_name)];
	int fd;

	snprintf(path, sizeof(path), SHIM_FORMAT_DEVICES "/%s/type", pmu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

/*
 * Check that pfm_initialize() will not fail.  In libpfm 4.13 of Debian 13, it lists the PMUs and
 * opens the type of each.  If one of these steps fails, it uses a size of -1 or an unset pointer.
 * Therefore it is called only after all of them have succeeded here.  Return 0 or -errno.
 */
static int try_types(void)
{
	DIR *dir = opendir(SHIM_FORMAT_DEVICES);
	struct dirent *e;
	int ret = 0;

	if (!dir)
		return -errno;
	while (!ret && (ret = shim_entries__next(dir, &e)) > 0)
		ret = e->d_name[0] == '.' ? 0 : try_type(e->d_name);
	closedir(dir);
	return ret;
}

/*
 * Return the error to report: a temporary error is unchanged, and all others become -ELIBACC, which
 * means that libpfm's names are unavailable.
 */
static int error_to_load(int err)
{
	return shim_event__is_trouble(err) ? err : -ELIBACC;
}

/* Return 0, -ELIBACC, or a temporary error.  Context: the lock is held. */
static int pfm_load(void)
{
	void *library;
	int ret;

	/*
	 * In a set-user-ID program, libpfm does not ignore its environment variables, although they
	 * select the counted events.
	 */
	missing = shim_environ__has_foreign("LIBPFM_");
	if (missing)
		return -ELIBACC;
	ret = try_types();
	/*
	 * Return this error before dlopen(3) is called, because without free descriptors dlopen(3)
	 * does not always report the reason.
	 */
	if (ret)
		return error_to_load(ret);
	errno = 0;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		ret = error_to_load(-errno);
		missing = ret == -ELIBACC;
		return ret;
	}
	missing = !find_all(library, &functions);
	if (missing) {
		dlclose(library);
		return -ELIBACC;
	}
	ret = error_of(functions.pfm_initialize());
	if (ret)
		return error_to_load(ret);
	loaded = true;
	return 0;
}

/* Get libpfm's functions.  Return 0, -ELIBACC if libpfm cannot be used, or a temporary error. */
static int get(const struct pfm **p)
{
	static struct shim_siglock lock = SHIM_SIGLOCK_INITIALIZER(2, NULL);
	int ret;

	*p = &functions;
	if (loaded)
		return 0;
	ret = shim_fork__wait_for(&lock);
	if (ret)
		return ret;
	shim_siglock__enter(&lock);
	ret = missing ? -ELIBACC : loaded ? 0 : pfm_load();
	shim_siglock__leave(&lock);
	return ret;
}

/**
 * shim_pfm__encode() - look up an event in libpfm by name
 * @name: libpfm's syntax, [PMU::]EVENT[:UMASK]..., in any case, without mode modifiers
 * @out: on success, type and config* are set
 *
 * Return: 0, -ENOENT (no such event for this machine's PMUs), -EINVAL (bad or
 * missing unit mask or attribute), -EOPNOTSUPP, -ELIBACC (libpfm cannot be used), or a temporary
 * error (shim_event__is_trouble()).
 */
int shim_pfm__encode(const char *name, struct vcpc_request *out)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	const struct pfm *p;
	int ret = get(&p);

	if (ret)
		return ret;
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

/* A walk over libpfm's names, and the function that is called for each */
struct walk {
	const struct pfm *p;
	int (*fn)(void *arg, const char *name, const char *desc);
	void *arg;
	const char *prefix;		/* "PMU::", or "" */
	__u32 types[SHIM_PMUS_MAX];	/* perf types of the PMUs walked so far */
	unsigned int ntypes;
};

/* Visit an event once, or once for each of its unit masks. */
static int walk_event(const struct walk *w, int idx)
{
	pfm_event_info_t event = { .size = sizeof(event) };
	char name[NAME_LEN];
	bool masks = false;
	int ret = 0;

	if (w->p->pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
		return 0;
	for (int i = 0; i < event.nattrs && !ret; i++) {
		pfm_event_attr_info_t attr = { .size = sizeof(attr) };

		if (w->p->pfm_get_event_attr_info(idx, i, PFM_OS_PERF_EVENT, &attr) != PFM_SUCCESS ||
		    attr.type != PFM_ATTR_UMASK)
			continue;
		masks = true;
		snprintf(name, sizeof(name), "%s%s:%s", w->prefix, event.name, attr.name);
		ret = w->fn(w->arg, name, attr.desc);
	}
	if (masks || ret)
		return ret;
	snprintf(name, sizeof(name), "%s%s", w->prefix, event.name);
	return w->fn(w->arg, name, event.desc);
}

/*
 * Return whether this machine has this core PMU.  The pseudo PMUs for perf's events and raw codes
 * are left out, because event.c parses these itself.
 */
static bool is_cpu(const pfm_pmu_info_t *pmu)
{
	return pmu->is_present && pmu->type == PFM_PMU_TYPE_CORE &&
	       pmu->pmu != PFM_PMU_PERF_EVENT && pmu->pmu != PFM_PMU_PERF_EVENT_RAW;
}

/* Encode events of a PMU until one succeeds.  Return 0 and the PMU's type, or an error. */
static int find_type(const struct pfm *p, const pfm_pmu_info_t *pmu, struct vcpc_request *req)
{
	int ret = -ENOENT;

	for (int idx = pmu->first_event; idx != -1 && ret; idx = p->pfm_get_event_next(idx)) {
		pfm_event_info_t event = { .size = sizeof(event) };
		char name[NAME_LEN];

		if (p->pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &event) != PFM_SUCCESS)
			continue;
		snprintf(name, sizeof(name), "%s::%s", pmu->name, event.name);
		ret = shim_pfm__encode(name, req);
		if (shim_event__is_trouble(ret))
			break;
	}
	return ret;
}

/*
 * libpfm reports the PMUs of both kinds of core for a processor model, even if the kernel has only
 * one of them.  It then encodes both for the same type, and names of the missing kind would count
 * on the other kind.  Older names of a PMU also have its type.  Therefore only the first PMU of
 * each type is walked.  Return 1 if @pmu is that PMU, 0 if not, or a temporary error.
 */
static int is_first(struct walk *w, const pfm_pmu_info_t *pmu)
{
	struct vcpc_request req = { .reserved[0] = SHIM_REQ_ONE_PMU };
	const struct shim_pmus *several = shim_pmus__several();
	int ret = find_type(w->p, pmu, &req);

	if (ret)
		return shim_event__is_trouble(ret) ? ret : 0;
	if (several && shim_pmus__of(several, &req) == SHIM_PMUS_NONE)
		return 0;
	for (unsigned int i = 0; i < w->ntypes; i++)
		if (w->types[i] == req.type)
			return 0;
	if (w->ntypes == SHIM_PMUS_MAX)
		return 0;
	w->types[w->ntypes++] = req.type;
	return 1;
}

static int walk_pmu(struct walk *w, const pfm_pmu_info_t *pmu)
{
	char prefix[NAME_LEN] = "";
	int ret = is_first(w, pmu);

	if (ret <= 0)
		return ret;
	if (shim_pmus__several())
		snprintf(prefix, sizeof(prefix), "%s::", pmu->name);
	w->prefix = prefix;
	ret = 0;
	for (int idx = pmu->first_event; idx != -1 && !ret; idx = w->p->pfm_get_event_next(idx))
		ret = walk_event(w, idx);
	return ret;
}

/**
 * shim_pfm__walk() - walk over the events of this machine's processor
 * @fn: called for each name, which has the form PMU::EVENT if there are several kinds of core; a
 *	value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Names of a kind of core for which the kernel has no PMU are omitted.
 *
 * Return: 0, even if libpfm cannot be used, a temporary error, or the value of @fn that ended the
 * walk.
 */
int shim_pfm__walk(int (*fn)(void *arg, const char *name, const char *desc), void *arg)
{
	struct walk w = { .fn = fn, .arg = arg };
	int ret = get(&w.p);
	int i;

	if (ret)
		return ret == -ELIBACC ? 0 : ret;
	pfm_for_all_pmus(i) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (w.p->pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS || !is_cpu(&pmu))
			continue;
		ret = walk_pmu(&w, &pmu);
		if (ret)
			break;
	}
	return ret;
}

/**
 * shim_pfm__cpu() - get libpfm's name of this machine's processor
 * @name: a string that is never freed; NULL if libpfm cannot be used or does not support the
 * processor
 *
 * Return: 0 or a temporary error.
 */
int shim_pfm__cpu(const char **name)
{
	const struct pfm *p;
	int ret = get(&p);
	int i;

	*name = NULL;
	if (ret)
		return ret == -ELIBACC ? 0 : ret;
	pfm_for_all_pmus(i) {
		pfm_pmu_info_t pmu = { .size = sizeof(pmu) };

		if (p->pfm_get_pmu_info(i, &pmu) != PFM_SUCCESS || !is_cpu(&pmu))
			continue;
		*name = pmu.desc;
		break;
	}
	return 0;
}
