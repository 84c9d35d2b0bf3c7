/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions shared by the tests of inherited sets */
#ifndef VCPC_TEST_INHERITED_H
#define VCPC_TEST_INHERITED_H

#include <pthread.h>

#include "calls.h"

static inline int set_instances(int set, struct vcpc_instance_info *info, unsigned int room,
				struct vcpc_instances_args *args)
{
	*args = (struct vcpc_instances_args) {
		.size = sizeof(*args),
		.info = pointer(info),
		.info_size = sizeof(*info),
		.room = room,
	};
	return call(set, VCPC_IOC_INSTANCES, args);
}

/* Count a set's instances by kind.  On failure, @nr is ~0. */
static inline struct vcpc_instances_args set_count(int set)
{
	struct vcpc_instances_args args;

	if (set_instances(set, NULL, 0, &args))
		args.nr = ~0U;
	return args;
}

/* Touch *@arg pages, and exit the thread. */
static inline void *touches(void *arg)
{
	touch(*(int *)arg);
	return NULL;
}

static inline void in_thread(int pages)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, touches, &pages) || pthread_join(thread, NULL))
		abort();
}

#endif /* VCPC_TEST_INHERITED_H */
