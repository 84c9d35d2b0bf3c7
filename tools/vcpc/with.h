/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other metrics of this machine's pmcd in the archive that is recorded: vcpc record --with. */
#ifndef VCPC_WITH_H
#define VCPC_WITH_H

#include <shim/shim.h>

struct vcpc_with;

/* Find the metrics, names or parts of the name space with commas: 0, or the exit status after a message */
int vcpc_with_open(const char *list, struct vcpc_with **with);
/* From now on they are recorded there, too: 0, or the exit status after a message */
int vcpc_with_add(struct vcpc_with *with, struct shim_recorder *rec);
/* That recorder is closed; it need not have been added */
void vcpc_with_end(struct vcpc_with *with, const struct shim_recorder *rec);
void vcpc_with_close(struct vcpc_with *with);

#endif /* VCPC_WITH_H */
