/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of pins in the BPF file system: its lock, its links, and its removal. */
#ifndef SHIM_CORE_BPF_PINS_H
#define SHIM_CORE_BPF_PINS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define BPF_ROOT	"/sys/fs/bpf"
#define LINK_PREFIX	"link_"
#define PIN_PATH	(sizeof(BPF_ROOT) + NAME_MAX + 32)

int shim_bpf_pins__error(int err);
int shim_bpf_pins__open_to_read(const char *path);
int shim_bpf_pins__map(const char *path, uint32_t type, size_t key, size_t value, int *fd);
int shim_bpf_pins__lock(int *fd, int mount_it);
size_t shim_bpf_pins__links(const char *path, uint32_t *ids, size_t max);
void shim_bpf_pins__wait_detached(const uint32_t *ids, size_t n);
int shim_bpf_pins__remove(const char *path);

#endif /* SHIM_CORE_BPF_PINS_H */
