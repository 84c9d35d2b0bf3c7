// SPDX-License-Identifier: LGPL-2.1-or-later
/* Errors as libcpc reports them: -1, errno, and for some errors the handler's subcode. */
#include <errno.h>
#include <stdio.h>

#include "impl.h"

static const char *const texts[] = {
	[CPC_INVALID_EVENT] = "there is no such event on this machine\n",
	[CPC_INVALID_PICNUM] = "there is no counter of that number\n",
	[CPC_INVALID_ATTRIBUTE] = "there is no such attribute\n",
	[CPC_ATTRIBUTE_OUT_OF_RANGE] = "an attribute's value is out of range\n",
	[CPC_RESOURCE_UNAVAIL] = "the counters cannot hold all requests at a time\n",
	[CPC_PIC_NOT_CAPABLE] = "that counter cannot count the event\n",
	[CPC_REQ_INVALID_FLAGS] = "a request has unknown flags\n",
	[CPC_CONFLICTING_REQS] = "requests exclude each other\n",
	[CPC_ATTR_REQUIRES_PRIVILEGE] = "a request needs a privilege that the caller lacks\n",
	[CPC_PBIND_FAILED] = "the thread could not be bound to the processor\n",
	[CPC_HV_NO_ACCESS] = "hypervisor events cannot be counted\n",
};

/* The errno and subcode for a back end's error; all others keep their errno, without a subcode */
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
 * @ret: negative error of the back end
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
