/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Actors are threads and processes.  This file declares their files and the state that they share.
 *
 * An actor performs one act at a time, which the fuzzer's first thread passes to it.  Each process
 * has its own files; a forked process starts with copies of its parent's files.
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

/* Memory that the dispatcher shares with an actor */
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
	/* epochs of each set, and of all sets; see disturb() in acts.c */
	unsigned int epochs[MAX_SETS_MADE], restarts;
	unsigned int sets_made;
	pid_t dead;
	/* settings that machine_restore() must restore */
	bool changed[PARAMETERS], unplugged;
	unsigned int wrong;
	char text[256];		/* description of the first violation */
	unsigned long calls[ACT_NR], worked[ACT_NR];
};

/* A descriptor of the process */
struct file {
	int fd;
	/*
	 * index of the set that was created with this descriptor; -1 if there is none or it is
	 * unknown
	 */
	int set;
	unsigned int nr;
	bool overflows;
};

extern struct shared *shared;
extern struct kcov kcovs[ACTORS];
/* The actor of the calling thread */
extern __thread struct actor *self;
/* The calling thread's memory for arguments, and a read-only mapping of it */
extern __thread unsigned char *arena, *arena_ro;
#define ARENA	8192

void world_open(void);
/* Run the acts, and end everything that they started. */
void world_run(const struct act *acts, size_t n);

/* Record a violation of the documentation; only the first one is kept. */
void wrong(const struct act *a, const char *what, long x, long y);

/* Perform an act (acts.c, others.c).  Return the result of the call, or a negative errno. */
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
 * The descriptors of the calling process.  Other threads can replace a descriptor at any time, so
 * after a call check with file_is() whether the copy is still valid.
 */
void files_open(void);
void files_close(void);
struct file file_get(unsigned int i);
bool file_is(unsigned int i, const struct file *f);
/* Store a file at index @i, and close the previous one. */
void file_put(unsigned int i, const struct file *f);
pid_t fork_with_files(void);

#endif /* FUZZ_KERNEL_WORLD_H */
