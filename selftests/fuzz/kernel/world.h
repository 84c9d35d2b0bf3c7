/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actors: threads and processes, their files, and the state that they share.
 *
 * An actor runs one act at a time, which the fuzzer's first thread passes to it.  Files belong to
 * each process; a forked process has copies of those that existed at that time.
 */
#ifndef FUZZ_KERNEL_WORLD_H
#define FUZZ_KERNEL_WORLD_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <sys/types.h>

#include "kcov.h"
#include "program.h"

enum life { ABSENT, ALIVE, ENDED, OTHER_PROGRAM };

/* Shared memory between the dispatcher and an actor */
struct actor {
	sem_t go, done;
	enum life life;
	bool stopped;
	pid_t tid;
	unsigned int number;
	struct act act;
};

#define MAX_SETS_MADE	256
#define PARAMETERS	16

struct shared {
	struct coverage coverage;
	struct actor actors[ACTORS];
	/* per set, and in total: see acts.c, disturb() */
	unsigned int epochs[MAX_SETS_MADE], restarts;
	unsigned int sets_made;
	pid_t dead;
	/* what machine_restore() has to undo */
	bool changed[PARAMETERS], unplugged;
	unsigned int wrong;
	char text[256];		/* description of the first violation */
	unsigned long calls[ACT_NR], worked[ACT_NR];
};

/* The state of a descriptor that the process has open */
struct file {
	int fd;
	int set;		/* index of the set that was created there; -1 if none or unknown */
	unsigned int nr;
	bool overflows;
};

extern struct shared *shared;
extern struct kcov kcovs[ACTORS];
/* The actor of the calling thread */
extern __thread struct actor *self;
/* Every thread's memory for arguments, and a read-only mapping of it */
extern __thread unsigned char *arena, *arena_ro;
#define ARENA	8192

void world_open(void);
/* Run the acts; everything that they started has ended afterwards. */
void world_run(const struct act *acts, size_t n);

/* Record a violation of the documentation; only the first one is kept. */
void wrong(const struct act *a, const char *what, long x, long y);

/* acts.c, others.c: perform an act; the call's result or a negative errno */
long act_on_set(const struct act *a, const struct file *f);
long act_on_device(const struct act *a, const struct file *f);
long act_on_files(const struct act *a, const struct file *f);
long act_on_threads(const struct act *a);
long act_on_machine(const struct act *a);

int actor_start(unsigned int number);
int actor_fork(unsigned int number);
pid_t target_tid(const struct act *a);
void acts_open(void);
void machine_open(void);
void machine_restore(void);
/*
 * The calling process's descriptors.  A copy can be outdated immediately, because other threads
 * replace descriptors.  After a call, file_is() checks whether it is still valid.
 */
void files_open(void);
void files_close(void);
struct file file_get(unsigned int i);
bool file_is(unsigned int i, const struct file *f);
/* Close the previous file and store this one. */
void file_put(unsigned int i, const struct file *f);
pid_t fork_with_files(void);

#endif /* FUZZ_KERNEL_WORLD_H */
