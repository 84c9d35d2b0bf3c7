// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Start targets, whose threads and processes fork, exec, exit, migrate and are killed while they
 * are counted.
 */
#include <pthread.h>
#include <sched.h>

#include "acts.h"

static void *short_thread(void *arg)
{
	struct actor *a = arg;
	struct room room;

	set_sample(some_set(a), 0, &room);
	set_bind(some_set(a), 0);
	spin(below(a, 20000));
	touch(1 + below(a, 20));
	set_sample(some_set(a), 0, &room);
	return NULL;
}

/* Run as a target, which exits soon.  It has its own copy of the descriptors. */
static void live(struct actor *a)
{
	struct actor own[2];
	pthread_t threads[2];
	unsigned int i;
	pid_t pid;

	set_bind(some_set(a), below(a, 2) ? VCPC_BIND_F_TREE : VCPC_BIND_F_INHERIT);
	spin(below(a, 50000));
	for (i = 0; i < 2; i++) {
		own[i] = (struct actor) { a->world, 0, a->random + i };
		if (pthread_create(&threads[i], NULL, short_thread, &own[i]))
			_exit(0);
	}
	if (below(a, 3) == 0)
		_exit(0);	/* Exit while the target's threads are running. */
	if (below(a, 3) == 0) {
		pid = fork();
		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
	if (below(a, 3) == 0)
		execl("/bin/true", "true", NULL);
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

void do_target(struct actor *a)
{
	unsigned int which = below(a, TARGETS);
	pid_t pid = fork();

	if (!pid) {
		alarm(20);
		live(a);
	}
	if (pid < 0)
		return;
	__atomic_store_n(&a->world->targets[which], pid, __ATOMIC_RELAXED);
	usleep(below(a, 3000));
	if (below(a, 2))
		kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

void do_thread(struct actor *a)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, short_thread, a))
		pthread_join(thread, NULL);
}

/* Move a target to another CPU. */
void do_move(struct actor *a)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(below(a, 2), &cpus);
	sched_setaffinity(below(a, 2) ? some_target(a) : 0, sizeof(cpus), &cpus);
}
