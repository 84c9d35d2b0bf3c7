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

	/* Use any size and direction with an unassigned number. */
	cmd = _IOC(below(&w->f, 4), VCPC_IOC_TYPE, 0x20 + below(&w->f, 224), below(&w->f, 512));
	/* Assigned numbers have a fixed direction, but any size is accepted. */
	if (one_in(&w->f, 2))
		cmd = _IOC(_IOC_NONE, VCPC_IOC_TYPE, below(&w->f, _IOC_NR(VCPC_IOC_INSTANCES)), 24);
	h.fd = one_in(&w->f, 2) ? w->device : w->own[below(&w->f, OWN)].fd;
	judge(&w->f, &h, ENOTTY, call(h.fd, cmd, w->f.args.rw));
	/* Make device calls on a set, and set calls on the device. */
	if (one_in(&w->f, 2))
		judge(&w->f, &h, ENOTTY, call(w->device, VCPC_IOC_BIND + below(&w->f, 8),
					      w->f.args.rw));
	else
		judge(&w->f, &h, ENOTTY, call(w->own[below(&w->f, OWN)].fd,
					      VCPC_IOC_INFO + below(&w->f, 4), w->f.args.rw));
}
