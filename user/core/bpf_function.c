// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attach probes to functions of programs without trace calls.
 *
 * The object shares the maps of the loaded session and adds pins to it: a link for each probe and,
 * last, the map vc_probe.  Links without this map were left by a process that died while attaching
 * probes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/vcpc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/lines.h"
#include "bpf/function.h"
#include "bpf_function.h"
#include "bpf_load.h"
#include "bpf_pins.h"
#include "function.skel.h"

/*
 * Count events during calls to traced functions, in the threads of one process.
 *
 * The process does not count itself.  A map keeps perf events open for its threads until tracing is
 * turned off.
 */

#define ANY_MODE	(VCPC_REQ_F_USER | VCPC_REQ_F_KERNEL)

/**
 * function_counts_wanted() - get the events that the session counts
 * @events: written on success; may be empty
 *
 * Return: 0 or a negated errno.
 */
static int function_counts_wanted(struct vc_events *events)
{
	const uint32_t key = 0;
	int fd = bpf_obj_get(VC_PIN_DIR "/vc_wanted"), err = 0;

	if (fd < 0)
		return -errno;
	if (bpf_map_lookup_elem(fd, &key, events))
		err = -errno;
	close(fd);
	return err;
}

static int open_event(pid_t tid, const struct vc_event_desc *event)
{
	const uint32_t flags = event->flags ? event->flags : ANY_MODE;
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.exclude_user = !(flags & VCPC_REQ_F_USER),
		.exclude_kernel = !(flags & VCPC_REQ_F_KERNEL),
		.exclude_hv = 1,
		.exclude_guest = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * Add a thread's counters to the map, starting at @first.  Return 0, -ESRCH if the thread has
 * ended, or an errno.
 */
static int count_thread(pid_t tid, const struct vc_events *events, int counter_map, uint32_t first)
{
	for (uint32_t i = 0; i < events->nr; i++) {
		const uint32_t key = first + i;
		int fd = open_event(tid, &events->event[i]), err = 0;

		if (fd < 0)
			return fd;
		if (bpf_map_update_elem(counter_map, &key, &fd, 0))
			err = -errno;
		close(fd);
		if (err)
			return err;
	}
	return 0;
}

static int count_threads(DIR *threads, const struct vc_events *events, int counter_map,
			 int thread_map)
{
	uint32_t n = 0;
	struct dirent *entry;
	int err = 0, more = 0;

	while (!err && (more = shim_entries__next(threads, &entry)) > 0) {
		const uint32_t tid = strtoul(entry->d_name, NULL, 10), first = n * VC_MAX_COUNTERS;

		if (!tid)
			continue;
		if (n == VC_MAX_COUNTED_THREADS)
			return -E2BIG;
		err = count_thread((pid_t)tid, events, counter_map, first);
		if (!err && bpf_map_update_elem(thread_map, &tid, &first, 0))
			err = -errno;
		n += !err;
		err = err == -ESRCH ? 0 : err;
	}
	return err ? err : more;
}

/**
 * function_counts_open() - count events in the current threads of a process
 * @pid: the process
 * @events: the events to count
 * @counter_map: vc_counter, with space for VC_MAX_COUNTERS counters for each of
 *	VC_MAX_COUNTED_THREADS threads
 * @thread_map: vc_counted_thread
 * @events_map: vc_events
 *
 * Return: 0, -ESRCH if the process does not exist, -E2BIG if it has too many threads, or an error
 *	from listing the threads or opening an event.
 */
static int function_counts_open(pid_t pid, const struct vc_events *events, int counter_map,
				int thread_map, int events_map)
{
	const uint64_t key = VC_FUNCTION_EVENTS;
	char path[64];
	DIR *threads;
	int err;

	if (bpf_map_update_elem(events_map, &key, events, 0))
		return -errno;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	threads = opendir(path);
	if (!threads)
		return errno == ENOENT ? -ESRCH : -errno;
	err = count_threads(threads, events, counter_map, thread_map);
	closedir(threads);
	return err;
}

#define PROBES_PIN	VC_PIN_DIR "/vc_probe"
#define FUNCTION_LINK	VC_PIN_DIR "/" LINK_PREFIX "function_"
#define MOST_LINKS	(2 * VC_MAX_PROBES + 2)

/* Probes that are being attached; their links are numbered from 0 */
struct attaching {
	struct vc_function *skel;
	struct shim_bpf_probe *probes;
	size_t n;
	unsigned int links;
	struct vc_events events;	/* to count during the calls in process @counted */
	pid_t counted;			/* ID of the only process that has probes, or 0 */
};

static void link_pin(char pin[PIN_PATH], unsigned int i)
{
	snprintf(pin, PIN_PATH, FUNCTION_LINK "%u", i);
}

/* Return the ID of the pinned link, or 0 if it does not exist. */
static uint32_t link_id(const char *pin)
{
	struct bpf_link_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_obj_get(pin);

	if (fd < 0)
		return 0;
	bpf_obj_get_info_by_fd(fd, &info, &len);
	close(fd);
	return info.id;
}

/* Remove the links of this process, or those left by a process that died. */
static void remove_links(void)
{
	uint32_t ids[MOST_LINKS];
	char pin[PIN_PATH];
	size_t n = 0;

	for (unsigned int i = 0; i < MOST_LINKS; i++) {
		link_pin(pin, i);
		ids[n] = link_id(pin);
		n += ids[n] != 0;
		unlink(pin);
	}
	shim_bpf_pins__wait_gone(ids, n, bpf_link_get_fd_by_id);
}

static uint32_t rows_of(const struct bpf_map *map)
{
	return bpf_map__max_entries(map);
}

/* Use the pinned maps, and create only the maps that no other object has. */
static int use_pinned(struct vc_function *skel)
{
	struct bpf_map *map;
	char pin[PIN_PATH];

	bpf_object__for_each_map(map, skel->obj) {
		int fd, err;

		if (bpf_map__is_internal(map) || map == skel->maps.vc_probe ||
		    map == skel->maps.vc_calls || map == skel->maps.vc_counter ||
		    map == skel->maps.vc_counted_thread || map == skel->maps.vc_call_counts)
			continue;
		snprintf(pin, sizeof(pin), "%s/%s", VC_PIN_DIR, bpf_map__name(map));
		fd = bpf_obj_get(pin);
		if (fd < 0 && errno != ENOENT)
			return -errno;
		err = fd < 0 ? bpf_map__set_autocreate(map, false) : bpf_map__reuse_fd(map, fd);
		if (fd >= 0)
			close(fd);
		if (err)
			return err;
	}
	return 0;
}

/* Derive the session's options from its maps. */
static int set_options(struct vc_function *skel)
{
	uint32_t ring = rows_of(skel->maps.vc_ring);

	skel->rodata->vc_want_processes = bpf_map__autocreate(skel->maps.vc_process);
	skel->rodata->vc_ring_bytes = ring > (uint32_t)sysconf(_SC_PAGESIZE) ? ring : 0;
	skel->rodata->vc_max_tags = rows_of(skel->maps.vc_stat);
	skel->rodata->vc_max_open = rows_of(skel->maps.vc_open);
	return shim_bpf_offsets__find(&skel->rodata->vc_offsets);
}

/*
 * Get the events to count.  This process can count the threads only if all probes are in one
 * process.
 */
static int want_counts(struct attaching *a)
{
	int err = function_counts_wanted(&a->events);

	if (err)
		return err;
	a->counted = a->events.nr ? a->probes[0].row.pid : 0;
	for (size_t i = 0; i < a->n; i++)
		if (a->probes[i].row.pid != a->counted)
			a->counted = 0;
	if (!a->counted)
		return 0;
	a->skel->rodata->vc_nr_counters = a->events.nr;
	return bpf_map__set_max_entries(a->skel->maps.vc_counter,
					VC_MAX_COUNTED_THREADS * VC_MAX_COUNTERS);
}

static bool is_wanted(const struct attaching *a, uint32_t what)
{
	size_t i = 0;

	while (i < a->n && a->probes[i].row.what != what)
		i++;
	return i < a->n;
}

/* Load only the programs that are attached, because the kernel verifies each for a long time. */
static int leave_out_unused(struct attaching *a)
{
	const bool function = is_wanted(a, VC_PROBE_FUNCTION);
	int err = bpf_program__set_autoload(a->skel->progs.vc_enter, function);

	if (!err)
		err = bpf_program__set_autoload(a->skel->progs.vc_return, function);
	if (!err)
		err = bpf_program__set_autoload(a->skel->progs.vc_pair_begin,
						is_wanted(a, VC_PROBE_BEGIN));
	return err ? err : bpf_program__set_autoload(a->skel->progs.vc_pair_end,
						     is_wanted(a, VC_PROBE_END));
}

static int function_load(struct attaching *a)
{
	int err = use_pinned(a->skel);

	if (!err)
		err = want_counts(a);
	if (!err)
		err = leave_out_unused(a);
	if (err)
		return err;
	err = set_options(a->skel);
	if (!err)
		err = shim_bpf_load_skeleton(a->skel->skeleton);
	/* libbpf found no kernel BTF. */
	if (err == -ESRCH)
		return -EOPNOTSUPP;
	if (err || !a->counted)
		return err;
	return function_counts_open(a->counted, &a->events, bpf_map__fd(a->skel->maps.vc_counter),
				    bpf_map__fd(a->skel->maps.vc_counted_thread),
				    bpf_map__fd(a->skel->maps.vc_events));
}

static int pin_link(struct attaching *a, struct bpf_link *link)
{
	char pin[PIN_PATH];
	int err;

	if (!link)
		return -errno;
	link_pin(pin, a->links++);
	err = bpf_link__pin(link, pin);
	bpf_link__destroy(link);
	return err;
}

static int attach_one(struct attaching *a, struct bpf_program *prog, size_t i, uint64_t cookie)
{
	const struct shim_bpf_probe *probe = &a->probes[i];
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = cookie, .ref_ctr_offset = probe->row.semaphore,
		    .retprobe = prog == a->skel->progs.vc_return);

	return pin_link(a,
			bpf_program__attach_uprobe_opts(prog, probe->row.pid ? probe->row.pid : -1,
							probe->path, probe->row.offset, &opts));
}

/* Return the first row with this tag.  All rows of a tag share its statistics. */
static size_t row_of_tag(const struct attaching *a, size_t i)
{
	size_t row = 0;

	while (strcmp(a->probes[row].row.tag, a->probes[i].row.tag))
		row++;
	return row;
}

/* Return the index of a tag among the tags of pairs. */
static size_t pair_of(const struct attaching *a, size_t row)
{
	size_t pair = 0;

	for (size_t i = 0; i < row; i++)
		pair += a->probes[i].row.what != VC_PROBE_FUNCTION && row_of_tag(a, i) == i;
	return pair;
}

/* Attach the return probe first, so that no return is missed after its entry has been seen. */
static int probe_attach(struct attaching *a, size_t i)
{
	size_t row = row_of_tag(a, i), pair = pair_of(a, row);
	int err;

	switch (a->probes[i].row.what) {
	case VC_PROBE_FUNCTION:
		err = attach_one(a, a->skel->progs.vc_return, i, row);
		return err ? err : attach_one(a, a->skel->progs.vc_enter, i, row);
	case VC_PROBE_BEGIN:
	case VC_PROBE_END:
		if (pair >= VC_MAX_PAIRS)
			return -E2BIG;
		return attach_one(a, a->probes[i].row.what == VC_PROBE_BEGIN ?
				  a->skel->progs.vc_pair_begin : a->skel->progs.vc_pair_end,
				  i, VC_PAIR_COOKIE(pair, row));
	default:
		return -EINVAL;
	}
}

/**
 * shim_bpf_probe__identify() - record the identity of a probe's file
 * @fd: the file
 * @row: its members device, inode and modified_ns are written
 *
 * Return: 0 or a negated errno.
 */
int shim_bpf_probe__identify(int fd, struct vc_probe *row)
{
	struct stat stat;

	if (fstat(fd, &stat))
		return -errno;
	row->device = stat.st_dev;
	row->inode = stat.st_ino;
	row->modified_ns = stat.st_mtim.tv_sec * 1000000000ull + stat.st_mtim.tv_nsec;
	return 0;
}

static int describe(struct attaching *a, uint32_t i)
{
	struct shim_bpf_probe *probe = &a->probes[i];
	int err, fd = open(probe->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	err = shim_bpf_probe__identify(fd, &probe->row);
	close(fd);
	probe->row.first = row_of_tag(a, i);
	if (!err && bpf_map_update_elem(bpf_map__fd(a->skel->maps.vc_probe), &i, &probe->row, 0))
		err = -errno;
	return err;
}

static int attach_all(struct attaching *a, size_t *bad)
{
	struct bpf_program *ends[] = { a->skel->progs.vc_thread_ends, a->skel->progs.vc_thread_execs };
	size_t n = a->n;
	int err = 0;

	for (uint32_t i = 0; i < n && !err; i++) {
		err = describe(a, i);
		*bad = err ? i : n;
	}
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && !err; i++)
		err = pin_link(a, bpf_program__attach(ends[i]));
	for (size_t i = 0; i < n && !err; i++) {
		err = probe_attach(a, i);
		*bad = err ? i : n;
	}
	return err ? err : bpf_map__pin(a->skel->maps.vc_probe, PROBES_PIN);
}

static int probe_locked(struct shim_bpf_probe *probes, size_t n, size_t *bad)
{
	struct attaching a = { .probes = probes, .n = n };
	int err;

	if (access(VC_PIN_DIR, F_OK))
		return -errno;
	err = shim_bpf_pins__exists(PROBES_PIN);
	if (err)
		return err < 0 ? err : -EEXIST;
	a.skel = vc_function__open();
	if (!a.skel)
		return -errno;
	remove_links();
	err = function_load(&a);
	if (!err)
		err = attach_all(&a, bad);
	if (err)
		remove_links();
	vc_function__destroy(a.skel);
	return err;
}

/**
 * shim_bpf__probe() - add probes to the tracing session
 * @probes: at most VC_MAX_PROBES probes; their pairs may have at most VC_MAX_PAIRS tags
 * @n: number of probes
 * @bad: on failure, the index of the probe that cannot be attached, or @n
 *
 * Return: 0; -ENOENT if tracing is off, -EEXIST if the session has probes, -EPERM if the caller
 *	lacks the privilege, -EOPNOTSUPP if the kernel has no BTF, -E2BIG if there are too many
 *	probes, -EBUSY as for shim_bpf__on(), or the error from attaching probe @bad.
 */
int shim_bpf__probe(struct shim_bpf_probe *probes, size_t n, size_t *bad)
{
	int lock, err = n > VC_MAX_PROBES ? -E2BIG : shim_bpf_pins__lock(&lock, 0);
	libbpf_print_fn_t print;

	*bad = n;
	if (err)
		return err;
	print = libbpf_set_print(NULL);
	err = shim_bpf_pins__error(probe_locked(probes, n, bad));
	libbpf_set_print(print);
	close(lock);
	return err;
}

/**
 * shim_bpf__probes() - walk over the session's probes
 * @fn: called for each probe; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, -ENOENT if tracing is off, or another negated
 * errno.
 */
int shim_bpf__probes(shim_bpf_probe_fn *fn, void *arg)
{
	struct vc_probe row;
	int fd = -1, ret = shim_bpf_pins__map(PROBES_PIN, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
					      sizeof(row), &fd);

	/* Tracing is on, but has no probes. */
	if (ret == -ENOENT && !access(VC_PIN_DIR, F_OK))
		return 0;
	for (uint32_t i = 0; !ret && i < VC_MAX_PROBES; i++) {
		if (bpf_map_lookup_elem(fd, &i, &row))
			ret = -errno;
		else if (!row.what)
			break;
		else
			ret = fn(arg, &row);
	}
	if (fd >= 0)
		close(fd);
	return ret;
}
