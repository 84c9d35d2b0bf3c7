// SPDX-License-Identifier: GPL-2.0-or-later
/* Make calls that query the module, and calls that do not exist. */
#include "acts.h"

void do_info(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_INFO], .must = MUST_WORK };
	struct vcpc_info_args info;

	choose_device(w, &h);
	if (fire(&w->f, &h) || h.strange_fd)
		return;
	memcpy(&info, h.image, sizeof(info));
	if (info.abi != VCPC_ABI_VERSION || info.max_requests != w->process->max_requests)
		wrong(&w->f, h.op->name, "values", info.abi, info.max_requests);
}

void do_unknown(struct worker *w)
{
	struct hostile h = { .op = &contract[OP_UNKNOWN] };
	unsigned long cmd;

	/* Use an unassigned number with any size and direction. */
	cmd = _IOC(below(&w->f, 4), VCPC_IOC_TYPE, 0x20 + below(&w->f, 224), below(&w->f, 512));
	/* Use an assigned number with a wrong direction.  The size would be accepted. */
	if (one_in(&w->f, 2))
		cmd = _IOC(_IOC_NONE, VCPC_IOC_TYPE, below(&w->f, _IOC_NR(VCPC_IOC_INSTANCES)), 24);
	h.fd = one_in(&w->f, 2) ? w->device : w->own[below(&w->f, OWN)].fd;
	judge(&w->f, &h, ENOTTY, call(h.fd, cmd, w->f.args.rw));
	/* Use a set's command on the device, or a device's command on a set. */
	if (one_in(&w->f, 2))
		judge(&w->f, &h, ENOTTY, call(w->device, VCPC_IOC_BIND + below(&w->f, 8),
					      w->f.args.rw));
	else
		judge(&w->f, &h, ENOTTY, call(w->own[below(&w->f, OWN)].fd,
					      VCPC_IOC_INFO + below(&w->f, 4), w->f.args.rw));
}
