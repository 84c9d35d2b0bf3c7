/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The actions of the fuzzer's workers */
#ifndef FUZZ_ACTS_H
#define FUZZ_ACTS_H

#include "worker.h"

void do_info(struct worker *w);
void do_create(struct worker *w);
void do_bind(struct worker *w);
void do_own(struct worker *w);
void do_preset(struct worker *w);
void do_sample(struct worker *w);
void do_instances(struct worker *w);
void do_read(struct worker *w);
void do_tag(struct worker *w);
void do_trace(struct worker *w);
void do_advise(struct worker *w);
void do_map(struct worker *w);
void do_unknown(struct worker *w);

void check_sample(struct worker *w, const char *name, const struct own_set *own, const void *from);

#endif /* FUZZ_ACTS_H */
