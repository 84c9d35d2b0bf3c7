// SPDX-License-Identifier: LGPL-2.1-or-later
/* The static texts that calls without a caller's buffer return, per thread. */
#include "base/process.h"
#include "texts.h"

/* The calling thread's texts; if memory runs out, texts that all such threads share */
struct shim_texts *shim_texts(void)
{
	static struct shim_thread_end end = { .fn = shim_thread_room__free };
	static struct shim_texts shared;
	static __thread void *mine;
	struct shim_texts *texts = shim_thread_room(&end, &mine, sizeof(*texts));

	return texts ? texts : &shared;
}
