// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Find and read the statistics of a 'why' that any process has open.
 *
 * Its programs and maps are not pinned, so this file searches all programs in the kernel for their
 * names, which requires CAP_SYS_ADMIN.  A 'why' that watches a single process is ignored.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_why_maps.h"
#include "why.skel.h"

#define MAPS		32			/* maximum number of maps that it can use */
#define CONSTANTS	".rodata"

/* One of these programs is always loaded.  Each uses all maps of the statistics. */
static const char *const programs[] = { "vw_on_end", "vw_probe_event" };

/* The program of this process's newest handle for all processes, or 0 */
static _Atomic uint32_t own_program;

/** shim_why_maps__note() - make shim_why_maps__find() prefer a handle of this process */
void shim_why_maps__note(uint32_t program)
{
	own_program = program;
}

/** shim_why_maps__has_own() - return whether this process has a handle for all processes */
bool shim_why_maps__has_own(void)
{
	return own_program;
}

/** shim_why_maps__forget() - stop preferring a handle that is being closed */
void shim_why_maps__forget(uint32_t program)
{
	atomic_compare_exchange_strong(&own_program, &program, 0);
}

/**
 * shim_why_rows__walk() - call a function for each tag
 * @tags: descriptor of vw_tag
 * @stats: descriptor of vw_stat
 * @cpus: number of possible CPUs
 * @fn: as for shim_bpf_why__walk()
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, or a negated errno.
 */
int shim_why_rows__walk(int tags, int stats, size_t cpus, shim_bpf_why_tag_fn *fn, void *arg)
{
	struct vc_why_stat *value = calloc(cpus, sizeof(*value));
	int err = value ? 0 : -ENOMEM;
	struct vc_why_key key, *from = NULL;
	struct vc_why_tag tag;

	while (!err) {
		err = shim_why_row__next(tags, from, &key);
		from = &key;
		if (!err)
			err = shim_why_row__read(tags, &key, &tag);
		if (!err)
			err = shim_why_row__read(stats, &tag.row, value);
		if (err)
			break;
		tag.name.name[VC_TAG_LEN - 1] = '\0';
		err = fn(arg, &key, tag.name.name, value);
	}
	free(value);
	return err == -ENOENT ? 0 : err;
}

/*
 * Check that a map's constants belong to a 'why' that watches all processes.  Return 0, -ENOENT or
 * another errno.
 */
static int check_constants(int fd, const struct bpf_map_info *info)
{
	uint32_t key = 0, pid = 1;
	unsigned char *value;
	int err;

	if (info->value_size < sizeof(struct vc_why__rodata))
		return -ENOENT;
	value = calloc(1, info->value_size);
	err = value ? shim_why_row__read(fd, &key, value) : -ENOMEM;
	if (!err)
		memcpy(&pid, value + offsetof(struct vc_why__rodata, vw_pid), sizeof(pid));
	free(value);
	return err || !pid ? err : -ENOENT;
}

/* Keep a map if it is needed.  Return 0, or -ENOENT if the 'why' is unsuitable. */
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
		 info.value_size == sizeof(struct vc_why_tag))
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

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return -errno;
	if (strcmp(info.name, programs[0]) && strcmp(info.name, programs[1]))
		return -ENOENT;
	*maps = (struct shim_why_maps) { .program = info.id, .stat = -1, .tag = -1 };
	for (uint32_t i = 0; i < info.nr_map_ids && i < MAPS && !err; i++)
		err = take_map(maps, ids[i]);
	if (!err && maps->stat >= 0 && maps->tag >= 0)
		return 0;
	shim_why_maps__close(maps);
	return err ? err : -ENOENT;
}

/* Return -ENOENT if the program has been unloaded, or is not a program of 'why'. */
static int take_id(struct shim_why_maps *maps, uint32_t id)
{
	int fd = bpf_prog_get_fd_by_id(id);
	int err = fd < 0 ? -errno : take_program(maps, fd);

	if (fd >= 0)
		close(fd);
	return err;
}

/**
 * shim_why_maps__find() - find this process's 'why' or, if it has none, the oldest one
 * @maps: written on success; to be closed with shim_why_maps__close()
 *
 * Another process's 'why' may watch another copy of this library.
 *
 * Return: 0, -ENOENT if no suitable 'why' exists, -EPERM without CAP_SYS_ADMIN, or another errno.
 */
int shim_why_maps__find(struct shim_why_maps *maps)
{
	uint32_t id = 0, own = own_program;
	int err = own ? take_id(maps, own) : -ENOENT;

	while (err == -ENOENT) {
		/* ENOENT: there are no more programs. */
		if (bpf_prog_get_next_id(id, &id))
			return -errno;
		err = take_id(maps, id);
	}
	return err;
}

/** shim_why_maps__has_ended() - return 1 if the 'why' was closed, 0 if not, or an error */
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

struct sums_walk {
	int cpus;
	shim_why_sums_fn *fn;
	void *arg;
};

static int add_cpus(void *arg, const struct vc_why_key *key, const char *name,
		    const struct vc_why_stat *stats)
{
	const struct sums_walk *walk = arg;
	struct shim_why_sums sums = { 0 };

	for (int cpu = 0; cpu < walk->cpus; cpu++)
		add_cpu(&sums, &stats[cpu]);
	return walk->fn(walk->arg, name, key->user, &sums);
}

/**
 * shim_why_maps__walk() - call a function for each tag
 * @maps: handle from shim_why_maps__find(); the 'why' may have ended
 * @fn: called with a tag; several tags can have the same name and user.  A return value other
 *	than 0 ends the walk; it must not be -ENOENT
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, or a negated errno.
 */
int shim_why_maps__walk(const struct shim_why_maps *maps, shim_why_sums_fn *fn, void *arg)
{
	struct sums_walk walk = { libbpf_num_possible_cpus(), fn, arg };

	if (walk.cpus < 0)
		return walk.cpus;
	return shim_why_rows__walk(maps->tag, maps->stat, walk.cpus, add_cpus, &walk);
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
