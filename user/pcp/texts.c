// SPDX-License-Identifier: LGPL-2.1-or-later
/* The texts that calls without a buffer of the caller's return: each thread has its own. */
#include "base/process.h"
#include "texts.h"

/* The calling thread's texts; without memory, those that all such threads share */
struct shim_texts *shim_texts(void)
{
	static struct shim_thread_end end = { .fn = shim_thread_room__free };
	static struct shim_texts shared;
	static __thread void *mine;
	struct shim_texts *texts = shim_thread_room(&end, &mine, sizeof(*texts));

	return texts ? texts : &shared;
}
