/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Define the callers: processes whose threads share files, and the private state of each thread. */
#ifndef FUZZ_WORKER_H
#define FUZZ_WORKER_H

#include <sys/types.h>

#include "../calls.h"
#include "call.h"

#define THREADS		2
#define OWN		4	/* sets that only one thread uses */
#define COMMON		8	/* files that all threads of a process use */
#define TAGS		6

/* A set and its known properties.  Its values are unknown if other threads can change them. */
struct own_set {
	int fd;
	unsigned int nr;
	bool overflows, signals, shared;
	__u64 presets[MAX_VALUES];
};

struct process {
	struct verdicts *verdicts;
	int common[COMMON];
	int null;
	pid_t tids[THREADS];
	bool root, software;
	unsigned int max_requests;
	unsigned long calls;
	__u64 seed;
};

struct worker {
	struct fuzzer f;
	struct process *process;
	int device;
	struct own_set own[OWN];
	__u32 tags[TAGS];
	pid_t child, dead;
};

size_t sample_len(const struct own_set *own);
struct own_set *choose_set(struct worker *w, struct hostile *h);
void choose_device(struct worker *w, struct hostile *h);
pid_t some_tid(struct worker *w);

#endif /* FUZZ_WORKER_H */
