/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compress the volumes of archives that are complete: vcpc record --compress. */
#ifndef VCPC_PACK_H
#define VCPC_PACK_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

/*
 * struct vcpc_packer - compresses one archive at a time in a separate thread
 * @err: the error because of which volumes of @archive remain uncompressed, or 0
 */
struct vcpc_packer {
	bool running;
	pthread_t thread;
	char archive[PATH_MAX];
	int err;
};

/* Begin to compress an archive that is no longer written; the packer must be idle. */
void vcpc_packer_start(struct vcpc_packer *packer, const char *archive);
/* Wait until the archive is compressed.  Return 0, or -errno after a message. */
int vcpc_packer_wait(struct vcpc_packer *packer);

#endif /* VCPC_PACK_H */
