/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Access the pins in the BPF file system, find offsets in kernel structs, and create accounts. */
#ifndef SHIM_CORE_BPF_PINS_H
#define SHIM_CORE_BPF_PINS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "bpf/trace.h"

#define BPF_ROOT	"/sys/fs/bpf"
#define LINK_PREFIX	"link_"
#define PIN_PATH	(sizeof(BPF_ROOT) + NAME_MAX + 32)

int shim_bpf_pins__error(int err);
int shim_bpf_pins__exists(const char *path);
int shim_bpf_pins__map(const char *path, uint32_t type, size_t key, size_t value, int *fd);
int shim_bpf_pins__inode(ino_t *inode);
int shim_bpf_pins__lock(int *fd, int mount_it);
size_t shim_bpf_pins__programs(const char *path, uint32_t *ids, size_t max);
void shim_bpf_pins__wait_gone(const uint32_t *ids, size_t n, int (*open)(uint32_t id));
int shim_bpf_pins__remove(const char *path);

/* Map a pinned BPF array into memory. */

int shim_bpf_array__length(const char *path, size_t value, size_t *n);
int shim_bpf_array__map(const char *path, size_t value, int prot, void **memory, size_t *n);

/* Find the offsets of kernel struct members, for BPF programs without relocations. */

int shim_bpf_offsets__find(struct vc_offsets *offsets);

/* Create the accounts that every program with accounts needs. */

struct bpf_object;

int shim_bpf_accounts__open(struct bpf_object *obj);

#endif /* SHIM_CORE_BPF_PINS_H */
