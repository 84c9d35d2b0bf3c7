// SPDX-License-Identifier: LGPL-2.1-or-later
/* Open and close the handle, and query the machine's capabilities. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/api.h"
#include "core/format.h"
#include "core/pfm.h"
#include "core/pmus.h"
#include "impl.h"

/* Report errors as libcpc does: -1, errno, and for some errors a subcode for the handler */

static const char *const texts[] = {
	[CPC_INVALID_EVENT] = "there is no such event on this machine\n",
	[CPC_INVALID_PICNUM] = "there is no counter with that number\n",
	[CPC_INVALID_ATTRIBUTE] = "there is no such attribute\n",
	[CPC_ATTRIBUTE_OUT_OF_RANGE] = "an attribute's value is out of range\n",
	[CPC_RESOURCE_UNAVAIL] = "there are not enough counters for all requests at the same time\n",
	[CPC_PIC_NOT_CAPABLE] = "that counter cannot count the event\n",
	[CPC_REQ_INVALID_FLAGS] = "a request has unknown flags\n",
	[CPC_CONFLICTING_REQS] = "requests are mutually exclusive\n",
	[CPC_ATTR_REQUIRES_PRIVILEGE] = "a request needs a privilege that the caller lacks\n",
	[CPC_PBIND_FAILED] = "the thread could not be bound to the processor\n",
	[CPC_HV_NO_ACCESS] = "hypervisor events cannot be counted\n",
};

/*
 * The errno and subcode for a back end's error.  All other errors keep their errno and have no
 * subcode.
 */
static const struct {
	int ret;
	int err;
	int subcode;
} refusals[] = {
	{ -ENOENT, EINVAL, CPC_INVALID_EVENT },
	{ -EOPNOTSUPP, EINVAL, CPC_INVALID_EVENT },
	{ -EINVAL, EINVAL, CPC_INVALID_EVENT },
	{ -ENOSPC, EINVAL, CPC_RESOURCE_UNAVAIL },
	{ -EBUSY, EINVAL, CPC_RESOURCE_UNAVAIL },
	{ -EACCES, EACCES, CPC_ATTR_REQUIRES_PRIVILEGE },
	{ -EPERM, EACCES, CPC_ATTR_REQUIRES_PRIVILEGE },
	{ -EUSERS, EAGAIN, 0 },
	{ -ESRCH, EINVAL, 0 },
	{ -EBADF, EINVAL, 0 },
};

static void tell(cpc_t *cpc, const char *fn, int subcode, const char *fmt, ...)
{
	cpc_errhndlr_t *handler = atomic_load(&cpc->handler);
	va_list ap;

	va_start(ap, fmt);
	if (handler) {
		handler(fn, subcode, fmt, ap);
	} else {
		fprintf(stderr, "libcpc: %s: ", fn);
		vfprintf(stderr, fmt, ap);
	}
	va_end(ap);
}

/**
 * shim_cpc__fail() - set errno, without calling the error handler
 * @err: the errno, positive
 *
 * Return: -1.
 */
int shim_cpc__fail(int err)
{
	errno = err;
	return -1;
}

/**
 * shim_cpc__complain() - set errno, and call the handle's error handler
 * @cpc: the handle
 * @fn: the public function's name
 * @err: the errno, which is set again after the handler has returned
 * @subcode: CPC_*, or 0 to not call the handler
 *
 * Return: -1.
 */
int shim_cpc__complain(cpc_t *cpc, const char *fn, int err, int subcode)
{
	errno = err;
	if (subcode)
		tell(cpc, fn, subcode, texts[subcode]);
	return shim_cpc__fail(err);
}

/**
 * shim_cpc__translate() - translate a back end's error into errno and subcode
 * @cpc: the handle
 * @fn: the public function's name
 * @ret: negative error from the back end
 *
 * Return: -1.
 */
int shim_cpc__translate(cpc_t *cpc, const char *fn, int ret)
{
	for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
		if (refusals[i].ret == ret)
			return shim_cpc__complain(cpc, fn, refusals[i].err, refusals[i].subcode);
	return shim_cpc__fail(-ret);
}

static const char cpuref[] =
	"Events and unit masks have the names that libpfm4 and perf(1) use. The processor's manual "
	"describes their meaning; perf_event_open(2) describes the kernel's own events.";

/*
 * There is one lock for all handles, so that fork() can wait for it: a forked child may use its
 * parent's handles even if another thread was changing one of them.
 */
static struct shim_siglock handles_lock = SHIM_SIGLOCK_INITIALIZER(1, NULL);

void shim_cpc__lock(void)
{
	shim_siglock__enter(&handles_lock);
}

void shim_cpc__unlock(void)
{
	shim_siglock__leave(&handles_lock);
}

/*
 * Return the errno of cpc_open().  Programs for Solaris expect ENOSYS if there are no counters, and
 * print its text.
 */
static int open_error(int ret)
{
	return ret == -ENODEV || ret == -EPROTONOSUPPORT ? ENOSYS : -ret;
}

/* Return the number of hardware counters; 0 if none can be used. */
static uint_t slots(const cpc_t *cpc)
{
	const struct vcpc_info_args *info = shim_session__info(cpc->session);

	return info->hw_slots < info->max_requests ? info->hw_slots : info->max_requests;
}

/*
 * Return whether the event caused the rejection, rather than missing permission or a lack of
 * resources.
 */
static bool never(int ret)
{
	return ret == -EOPNOTSUPP || ret == -ENOENT || ret == -EINVAL;
}

/*
 * Try an event of the CPU to determine whether overflows cause interrupts.  Without a PMU only the
 * kernel's own events can be counted, which need not be tried.
 */
static uint_t find_caps(cpc_t *cpc)
{
	const struct vcpc_request cycles = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_CPU_CYCLES,
		.flags = VCPC_REQ_F_USER | VCPC_REQ_F_OVERFLOW,
	};
	struct shim_counters *counters;
	int bad, ret;

	if (!(shim_session__info(cpc->session)->features & VCPC_FEAT_OVERFLOW))
		return 0;
	if (slots(cpc)) {
		ret = shim_counters__create(cpc->session, &cycles, 1, 0, &bad, &counters);
		if (never(ret))
			return 0;
		if (!ret)
			shim_counters__put(counters);
	}
	return CPC_CAP_OVERFLOW_INTERRUPT | CPC_CAP_OVERFLOW_PRECISE;
}

/* Open the back end, and read the values that do not change: formats, capabilities and names. */
static int look(cpc_t *cpc)
{
	char several[CPC_MAX_IMPL_NAME];
	const char *name;
	int ret = shim_session__open(&cpc->session);

	if (ret)
		return ret;
	name = shim_pmus__names(several, sizeof(several));
	if (!name)
		ret = shim_pfm__cpu(&name);
	if (!ret)
		ret = shim_pmu_format__open(SHIM_FORMAT_DEVICES, &cpc->format);
	if (ret) {
		shim_session__close(cpc->session);
		return ret;
	}
	cpc->caps = find_caps(cpc);
	if (!name)
		name = shim_pmu_format__pmu(cpc->format);
	if (!slots(cpc))
		name = "the kernel's software events";
	snprintf(cpc->cciname, sizeof(cpc->cciname), "%s on %.100s",
		 shim_session__ops(cpc->session) == &shim_backend__perf ? "perf" : "vcpc",
		 name ? name : "an unknown PMU");
	return 0;
}

/**
 * cpc_open() - open a handle for the counters
 * @ver: CPC_VER_CURRENT
 *
 * Return: the handle, or NULL and errno: EINVAL (unknown version), ENOSYS (no back end: the module
 * is not loaded and the kernel has no perf), EACCES (no access to the module's device, or perf is
 * not permitted), ENOMEM, EMFILE, ENFILE.
 */
SHIM_API cpc_t *cpc_open(int ver)
{
	cpc_t *cpc;
	int ret;

	if (ver != CPC_VER_CURRENT) {
		errno = EINVAL;
		return NULL;
	}
	cpc = shim_fork__wait_for(&handles_lock) ? NULL : calloc(1, sizeof(*cpc));
	if (!cpc) {
		errno = ENOMEM;
		return NULL;
	}
	ret = look(cpc);
	if (ret) {
		free(cpc);
		errno = open_error(ret);
		return NULL;
	}
	return cpc;
}

/**
 * cpc_close() - unbind and destroy everything that belongs to a handle
 * @cpc: the handle
 *
 * Return: 0.
 */
SHIM_API int cpc_close(cpc_t *cpc)
{
	if (!cpc)
		return 0;
	while (cpc->sets)
		cpc_set_destroy(cpc, cpc->sets);
	while (cpc->bufs)
		cpc_buf_destroy(cpc, cpc->bufs);
	shim_cpc__free_names(cpc->names);
	shim_pmu_format__close(cpc->format);
	shim_session__close(cpc->session);
	free(cpc);
	return 0;
}

/**
 * cpc_npic() - get the maximum number of requests per set
 * @cpc: the handle
 *
 * This is the number of the CPU's counters or, if there are several kinds of core, the smallest
 * number of any kind.  Without counters, it is the back end's maximum number of requests.  Counters
 * are logical: each of them counts any event, and only binding a set shows whether the CPU can
 * count all its events at the same time.
 *
 * Return: the number; 0 without a handle.
 */
SHIM_API uint_t cpc_npic(cpc_t *cpc)
{
	if (!cpc)
		return 0;
	return slots(cpc) ? slots(cpc) : shim_session__info(cpc->session)->max_requests;
}

/**
 * cpc_caps() - get the capabilities of the counters
 * @cpc: the handle
 *
 * Return: CPC_CAP_OVERFLOW_INTERRUPT and CPC_CAP_OVERFLOW_PRECISE if requests may have
 * CPC_OVF_NOTIFY_EMT, whose signal identifies the overflowed request; otherwise 0.
 */
SHIM_API uint_t cpc_caps(cpc_t *cpc)
{
	return cpc ? cpc->caps : 0;
}

/**
 * cpc_cciname() - get the name of the back end and the PMU
 * @cpc: the handle, which owns the string
 */
SHIM_API const char *cpc_cciname(cpc_t *cpc)
{
	return cpc ? cpc->cciname : "";
}

/**
 * cpc_cpuref() - get a reference to the description of the events
 * @cpc: the handle, which owns the string
 */
SHIM_API const char *cpc_cpuref(cpc_t *cpc)
{
	(void)cpc;
	return cpuref;
}

/**
 * cpc_seterrhndlr() - set the handler of errors that have a subcode
 * @cpc: the handle
 * @fn: the handler, or NULL to print messages to stderr
 *
 * Return: 0.
 */
SHIM_API int cpc_seterrhndlr(cpc_t *cpc, cpc_errhndlr_t *fn)
{
	if (cpc)
		atomic_store(&cpc->handler, fn);
	return 0;
}
