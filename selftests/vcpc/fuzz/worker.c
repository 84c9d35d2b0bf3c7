// SPDX-License-Identifier: GPL-2.0-or-later
/* Choose the file for a call, and the thread to sample. */
#include "worker.h"

/* Return a descriptor that may be invalid, or that other threads can close at any time. */
static int strange_fd(struct worker *w)
{
	struct process *p = w->process;

	if (one_in(&w->f, 30))
		return one_in(&w->f, 2) ? p->null : (int)below(&w->f, 1 << 20) - 10;
	return __atomic_load_n(&p->common[below(&w->f, COMMON)], __ATOMIC_RELAXED);
}

size_t sample_len(const struct own_set *own)
{
	return sizeof(struct vcpc_sample) + own->nr * sizeof(__u64);
}

struct own_set *choose_set(struct worker *w, struct hostile *h)
{
	struct own_set *own = &w->own[below(&w->f, OWN)];

	h->strange_fd = one_in(&w->f, 3);
	h->fd = h->strange_fd ? strange_fd(w) : own->fd;
	return h->strange_fd ? NULL : own;
}

void choose_device(struct worker *w, struct hostile *h)
{
	h->strange_fd = one_in(&w->f, 5);
	h->fd = h->strange_fd ? strange_fd(w) : w->device;
}

pid_t some_tid(struct worker *w)
{
	switch (below(&w->f, 12)) {
	case 0: return own_tid();
	case 1: return w->child;
	case 2: return w->dead;
	case 3: return w->process->tids[below(&w->f, THREADS)];
	case 4: return getppid();
	case 5: return 1;
	case 6: return (pid_t)draw(&w->f);
	case 7: return w->child;
	default: return 0;
	}
}
