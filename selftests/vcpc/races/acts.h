/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The operations that an actor performs */
#ifndef RACES_ACTS_H
#define RACES_ACTS_H

#include "world.h"

void do_bind(struct actor *a);
void do_unbind(struct actor *a);
void do_turn(struct actor *a);
void do_preset(struct actor *a);
void do_sample(struct actor *a);
void do_read(struct actor *a);
void do_list(struct actor *a);
void do_replace(struct actor *a);
void do_target(struct actor *a);
void do_thread(struct actor *a);
void do_move(struct actor *a);
void do_cpu(struct actor *a);
void do_unload(struct actor *a);

#endif /* RACES_ACTS_H */
