// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds and reads the statistics of a 'why' that any process has open.
 *
 * Nothing of it is pinned, so its programs are searched by name among all programs of the kernel.
 * That requires CAP_SYS_ADMIN.  One that watches only one process does not count.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_why_find.h"
#include "why.skel.h"

#define PROGRAM		"vw_probe_event"	/* it is always loaded, and uses all of these maps */
#define MAPS		16			/* that it can use */
#define CONSTANTS	".rodata"

/* Check that the constants in a map are those of a 'why' that watches all processes: 0 or -ENOENT */
static int check_constants(int fd, const struct bpf_map_info *info)
{
	uint32_t key = 0, pid = 1;
	unsigned char *value = calloc(1, info->value_size);

	if (!value)
		return -ENOMEM;
	if (info->value_size >= sizeof(struct vc_why__rodata) &&
	    !bpf_map_lookup_elem(fd, &key, value))
		memcpy(&pid, value + offsetof(struct vc_why__rodata, vw_pid), sizeof(pid));
	free(value);
	return pid ? -ENOENT : 0;
}

/* Keep a map if it is one of those that are wanted: 0, or -ENOENT if the 'why' is unsuitable */
static int take_map(struct shim_why_maps *maps, uint32_t id)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_map_get_fd_by_id(id), err = 0;

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (strstr(info.name, CONSTANTS))
		err = check_constants(fd, &info);
	else if (!strcmp(info.name, "vw_stat") && maps->stat < 0 &&
		 info.value_size == sizeof(struct vc_why_stat))
		maps->stat = fd;
	else if (!strcmp(info.name, "vw_tag") && maps->tag < 0 &&
		 info.value_size == sizeof(struct vc_why_name))
		maps->tag = fd;
	if (fd >= 0 && maps->stat != fd && maps->tag != fd)
		close(fd);
	return err;
}

static int take_program(struct shim_why_maps *maps, int fd)
{
	uint32_t ids[MAPS], len = sizeof(struct bpf_prog_info);
	struct bpf_prog_info info = { .nr_map_ids = MAPS, .map_ids = (uintptr_t)ids };
	int err = 0;

	if (bpf_obj_get_info_by_fd(fd, &info, &len) || strcmp(info.name, PROGRAM))
		return -ENOENT;
	*maps = (struct shim_why_maps) { .program = info.id, .stat = -1, .tag = -1 };
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS && !err; i++)
		err = take_map(maps, ids[i]);
	if (!err && maps->stat >= 0 && maps->tag >= 0)
		return 0;
	shim_why_maps__close(maps);
	return err ? err : -ENOENT;
}

/**
 * shim_why_maps__find() - find the oldest 'why' that watches all processes
 * @maps: written on success, for shim_why_maps__close()
 *
 * Return: 0, -ENOENT if there is none, -EPERM without CAP_SYS_ADMIN, -ENOMEM, -EMFILE, -ENFILE.
 */
int shim_why_maps__find(struct shim_why_maps *maps)
{
	uint32_t id = 0;
	int err = -ENOENT;

	while (err == -ENOENT && !bpf_prog_get_next_id(id, &id)) {
		int fd = bpf_prog_get_fd_by_id(id);

		/* ENOENT: the program was unloaded in the meantime. */
		err = fd < 0 ? -errno : take_program(maps, fd);
		if (fd >= 0)
			close(fd);
	}
	return err == -ENOENT && errno == EPERM ? -EPERM : err;
}

/** shim_why_maps__has_ended() - whether the process that had it open has closed it: 1, 0, or an error */
int shim_why_maps__has_ended(const struct shim_why_maps *maps)
{
	int fd = bpf_prog_get_fd_by_id(maps->program);

	if (fd < 0)
		return errno == ENOENT ? 1 : -errno;
	close(fd);
	return 0;
}

static void add_cpu(struct shim_why_sums *sums, const struct vc_why_stat *stat)
{
	for (size_t i = 0; i < VC_HIST_SLOTS; i++) {
		sums->count += stat->slot[i].count;
		for (int part = 0; part < VC_WHY_PARTS; part++)
			sums->part[part] += stat->slot[i].part[part];
	}
}

/* A tag whose row was removed meanwhile, or has no name yet, is left out until the next time. */
static int walk_row(const struct shim_why_maps *maps, const struct vc_why_key *key,
		    struct vc_why_stat *stats, int cpus, shim_why_sums_fn *fn, void *arg)
{
	struct shim_why_sums sums = { 0 };
	struct vc_why_name name;

	if (bpf_map_lookup_elem(maps->stat, key, stats) ||
	    bpf_map_lookup_elem(maps->tag, key, &name) || !*name.name)
		return 0;
	name.name[sizeof(name.name) - 1] = '\0';
	for (int cpu = 0; cpu < cpus; cpu++)
		add_cpu(&sums, &stats[cpu]);
	return fn(arg, name.name, key->user, &sums);
}

/**
 * shim_why_maps__walk() - call a function for each tag
 * @maps: found before; may have ended
 * @fn: called with a tag; several may have the same name and user.  It ends the walk if it does
 *	not return 0
 * @arg: for @fn
 *
 * Return: 0, what @fn returned, or -ENOMEM.
 */
int shim_why_maps__walk(const struct shim_why_maps *maps, shim_why_sums_fn *fn, void *arg)
{
	int cpus = libbpf_num_possible_cpus(), err = 0;
	struct vc_why_stat *stats = cpus > 0 ? calloc(cpus, sizeof(*stats)) : NULL;
	struct vc_why_key key, *from = NULL;

	if (!stats)
		return -ENOMEM;
	while (!err && !bpf_map_get_next_key(maps->stat, from, &key)) {
		from = &key;
		err = walk_row(maps, &key, stats, cpus, fn, arg);
	}
	free(stats);
	return err;
}

/** shim_why_maps__close() - close the maps */
void shim_why_maps__close(struct shim_why_maps *maps)
{
	if (!maps->program)
		return;
	if (maps->stat >= 0)
		close(maps->stat);
	if (maps->tag >= 0)
		close(maps->tag);
	*maps = (struct shim_why_maps) { 0 };
}
