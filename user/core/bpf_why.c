// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Load the programs of bpf/why.bpf.c, and read their maps.
 *
 * Nothing is pinned: programs and maps exist as long as the handle.  The programs on scheduler
 * events are attached before the first transaction can be recorded.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf.h"
#include "bpf_load.h"
#include "bpf_pins.h"
#include "bpf_why.h"
#include "bpf_why_functions.h"
#include "bpf_why_maps.h"
#include "event.h"
#include "probe.h"
#include "why.skel.h"

#define STAT_MEMORY	(64u << 20)
#define MIN_TAGS	32u
#define MAX_TRIES	10
#define SECOND		1000000000u

struct shim_bpf_why {
	struct vc_why *skel;
	uint32_t program;		/* found by shim_why_maps__find(); or 0 */
	size_t cpus;
	unsigned int sampled;		/* number of sampled CPUs */
	struct bpf_link **samples;	/* one per sampled CPU */
	struct shim_why_functions functions;
};

static uint32_t rows_of_tags(size_t cpus)
{
	uint64_t rows = STAT_MEMORY / (sizeof(struct vc_why_stat) * (uint64_t)cpus);

	if (rows > VC_WHY_TAGS)
		return VC_WHY_TAGS;
	return rows < MIN_TAGS ? MIN_TAGS : rows;
}

/* If no stacks are recorded, make the maps of stacks as small as possible. */
static int shrink_traces(struct vc_why *skel)
{
	struct bpf_map *const maps[] = {
		skel->maps.vw_user, skel->maps.vw_user2, skel->maps.vw_address,
		skel->maps.vw_address2, skel->maps.vw_kernel,
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(maps) / sizeof(*maps) && !err; i++)
		err = bpf_map__set_max_entries(maps[i], 1);
	return err;
}

/* Load only the programs that are attached, because the kernel verifies each for a long time. */
static int leave_out_events(struct vc_why *skel, int probes)
{
	struct bpf_program *const of_module[] = {
		skel->progs.vw_on_begin, skel->progs.vw_on_end, skel->progs.vw_on_abort,
	};
	struct bpf_program *const of_probes[] = {
		skel->progs.vw_probe_begin, skel->progs.vw_probe_event,
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(of_module) / sizeof(*of_module) && !err; i++)
		err = bpf_program__set_autoload(of_module[i], !probes);
	for (size_t i = 0; i < sizeof(of_probes) / sizeof(*of_probes) && !err; i++)
		err = bpf_program__set_autoload(of_probes[i], probes);
	return err;
}

/*
 * Create the map of the tables that are variables of the programs.  libbpf would also create it, but
 * would then copy 34 MB of zeros into it.
 */
static int create_tables(struct bpf_map *tables)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "vc_why.bss", sizeof(uint32_t),
				bpf_map__value_size(tables), 1, &opts);
	int err;

	if (fd < 0)
		return fd;
	err = bpf_map__reuse_fd(tables, fd);
	close(fd);
	return err;
}

static int open_and_load(struct shim_bpf_why *w, const struct shim_bpf_why_options *options,
			 int probes)
{
	uint32_t tags = rows_of_tags(w->cpus);
	int err;

	w->skel = vc_why__open();
	if (!w->skel)
		return -errno;
	w->skel->rodata->vw_pid = options->pid;
	w->skel->rodata->vw_stacks = options->stacks;
	w->skel->rodata->vw_period = options->hertz ? SECOND / options->hertz : 0;
	w->skel->rodata->vw_tags = tags;
	err = shim_bpf_offsets__find(&w->skel->rodata->vc_offsets);
	if (!err)
		err = bpf_map__set_max_entries(w->skel->maps.vw_stat, tags);
	if (!err)
		err = bpf_map__set_max_entries(w->skel->maps.vw_tag, tags);
	if (!err && !options->stacks)
		err = shrink_traces(w->skel);
	if (!err)
		err = bpf_program__set_autoload(w->skel->progs.vw_on_sample, options->stacks);
	if (!err)
		err = leave_out_events(w->skel, probes);
	if (!err)
		err = shim_why_functions__leave_out(w->skel);
	if (!err)
		err = create_tables(w->skel->maps.bss);
	if (!err)
		err = shim_bpf_load_skeleton(w->skel->skeleton);
	return err ? err : shim_bpf_accounts__open(w->skel->obj);
}

static int why_attach(struct bpf_program *prog, struct bpf_link **link)
{
	*link = bpf_program__attach(prog);
	return *link ? 0 : -errno;
}

static int attach_probe(struct bpf_program *prog, int begin, struct bpf_link **link)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts);
	struct shim_probe_place place;
	int err = shim_probe__place(begin, &place);

	if (err)
		return err;
	opts.ref_ctr_offset = place.wanted;
	*link = bpf_program__attach_uprobe_opts(prog, -1, place.file, place.function, &opts);
	return *link ? 0 : -errno;
}

static int attach_scheduler(struct vc_why *skel)
{
	int err = why_attach(skel->progs.vw_on_exit, &skel->links.vw_on_exit);

	if (!err)
		err = why_attach(skel->progs.vw_on_exec, &skel->links.vw_on_exec);
	return err ? err : why_attach(skel->progs.vw_on_switch, &skel->links.vw_on_switch);
}

/* Return -ENOENT if the module is not loaded. */
static int attach_module(struct vc_why *skel)
{
	int err = why_attach(skel->progs.vw_on_end, &skel->links.vw_on_end);

	if (!err)
		err = why_attach(skel->progs.vw_on_abort, &skel->links.vw_on_abort);
	return err ? err : why_attach(skel->progs.vw_on_begin, &skel->links.vw_on_begin);
}

static int attach_probes(struct vc_why *skel)
{
	int err = attach_probe(skel->progs.vw_probe_event, 0, &skel->links.vw_probe_event);

	return err ? err : attach_probe(skel->progs.vw_probe_begin, 1, &skel->links.vw_probe_begin);
}

static int sample_cpu(struct bpf_program *prog, int cpu, uint32_t hertz, struct bpf_link **link)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr), .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = SECOND / hertz,
	};
	int fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC), err;

	if (fd < 0)
		return -errno;
	*link = bpf_program__attach_perf_event(prog, fd);
	if (*link)
		return 0;
	err = -errno;
	close(fd);
	return err;
}

/*
 * Skip CPUs that are offline.  If sampling works on no CPU, this function succeeds, and the number
 * of sampled CPUs is 0.  If sampling fails only on some CPUs, their samples would be missing, so
 * this function fails.  It also fails if memory or descriptors run out.
 */
static int attach_samples(struct shim_bpf_why *w, const struct shim_bpf_why_options *options)
{
	int failed = 0;

	if (!options->stacks || !options->hertz)
		return 0;
	w->samples = calloc(w->cpus, sizeof(*w->samples));
	if (!w->samples)
		return -ENOMEM;
	for (size_t cpu = 0; cpu < w->cpus; cpu++) {
		int err = sample_cpu(w->skel->progs.vw_on_sample, cpu, options->hertz,
				     &w->samples[w->sampled]);

		if (err == -EIO || shim_event__is_trouble(err))
			return err;
		w->sampled += !err;
		if (err && err != -ENODEV)
			failed = err;
	}
	return w->sampled ? failed : 0;
}

static int note_program(struct shim_bpf_why *w, const struct bpf_program *prog)
{
	struct bpf_prog_info info = { 0 };
	uint32_t len = sizeof(info);

	if (bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &len))
		return -errno;
	w->program = info.id;
	shim_why_maps__note(info.id);
	return 0;
}

/* Return -ENOENT if @probes is 0 and the module is not loaded. */
static int start(struct shim_bpf_why *w, const struct shim_bpf_why_options *options, int probes)
{
	int err = open_and_load(w, options, probes);

	if (!err)
		err = attach_scheduler(w->skel);
	if (!err)
		err = attach_samples(w, options);
	if (!err)
		err = probes ? attach_probes(w->skel) : attach_module(w->skel);
	if (!err && !options->pid)
		err = note_program(w, probes ? w->skel->progs.vw_probe_event :
				   w->skel->progs.vw_on_end);
	return err ? err : shim_why_functions__attach(&w->functions, w->skel);
}

/* Detach and unload all programs, so that start() can be called again. */
static void stop(struct shim_bpf_why *w)
{
	if (w->program)
		shim_why_maps__forget(w->program);
	for (unsigned int i = 0; i < w->sampled; i++)
		bpf_link__destroy(w->samples[i]);
	free(w->samples);
	shim_why_functions__detach(&w->functions);
	vc_why__destroy(w->skel);
	*w = (struct shim_bpf_why) { .cpus = w->cpus };
}

/*
 * Load and attach the programs.  If the session's traced functions have changed since the programs
 * were selected, select them again.
 */
static int start_any(struct shim_bpf_why *w, const struct shim_bpf_why_options *options)
{
	int status = options->probes ? SHIM_BPF_PROBES : shim_bpf__status();
	int probes = status == SHIM_BPF_PROBES || !shim_bpf__may_have_module();
	int err = status < 0 ? status : -EAGAIN;

	for (int tries = 0; err == -EAGAIN && tries < MAX_TRIES; tries++) {
		stop(w);
		err = start(w, options, probes);
		if (err == -ENOENT && !probes) {
			probes = 1;
			err = -EAGAIN;
		}
	}
	return err;
}

/**
 * shim_bpf_why__open() - load the programs, and start recording
 * @options: what to record
 * @out: the handle
 *
 * Return: 0; -EPERM if the caller lacks the privilege, -EOPNOTSUPP if the kernel has no BTF,
 *	-ENOSYS if it has no BPF, -ESTALE if a file with traced functions was replaced, -ENOMEM, or
 *	another errno.
 */
int shim_bpf_why__open(const struct shim_bpf_why_options *options, struct shim_bpf_why **out)
{
	struct shim_bpf_why *w = calloc(1, sizeof(*w));
	libbpf_print_fn_t print;
	int err, cpus;

	if (!w)
		return -ENOMEM;
	print = libbpf_set_print(NULL);
	/* The kernel writes the values of all CPUs, so their number must not be guessed. */
	cpus = libbpf_num_possible_cpus();
	w->cpus = cpus > 0 ? cpus : 0;
	err = shim_bpf_pins__error(cpus < 0 ? cpus : start_any(w, options));
	libbpf_set_print(print);
	if (err == -ESRCH || (err && err != -EPERM && access("/sys/kernel/btf/vmlinux", F_OK)))
		err = -EOPNOTSUPP;
	if (err)
		shim_bpf_why__close(w);
	else
		*out = w;
	return err;
}

/** shim_bpf_why__close() - stop recording, and discard all statistics; @w may be NULL */
void shim_bpf_why__close(struct shim_bpf_why *w)
{
	if (!w)
		return;
	stop(w);
	free(w);
}

/** shim_bpf_why__sampled() - get the number of sampled CPUs */
unsigned int shim_bpf_why__sampled(const struct shim_bpf_why *w)
{
	return w->sampled;
}

/** shim_bpf_why__cpus() - get the number of values in a row of a per-CPU map */
size_t shim_bpf_why__cpus(const struct shim_bpf_why *w)
{
	return w->cpus;
}

static const struct bpf_map *map_of(const struct shim_bpf_why *w, enum shim_bpf_why_map which)
{
	const struct bpf_map *const maps[] = {
		[SHIM_BPF_WHY_REASON] = w->skel->maps.vw_reason,
		[SHIM_BPF_WHY_STACK] = w->skel->maps.vw_stack,
	};

	return maps[which];
}

/**
 * shim_bpf_why__walk() - call a function for each row of a map
 * @w: the handle
 * @which: the map; its rows are never deleted, so the walk terminates
 * @fn: called with key and value; it ends the walk if it does not return 0, and must not return
 *	-ENOENT
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, or a negated errno.
 */
int shim_bpf_why__walk(const struct shim_bpf_why *w, enum shim_bpf_why_map which,
		       shim_bpf_why_fn *fn, void *arg)
{
	const struct bpf_map *map = map_of(w, which);
	unsigned char key[sizeof(struct vc_why_stack_key)];
	void *value = malloc(bpf_map__value_size(map)), *from = NULL;
	int fd = bpf_map__fd(map), err = value ? 0 : -ENOMEM;

	while (!err) {
		err = shim_why_row__next(fd, from, key);
		from = key;
		if (!err)
			err = shim_why_row__read(fd, key, value);
		if (!err)
			err = fn(arg, key, value);
	}
	free(value);
	return err == -ENOENT ? 0 : err;
}

/**
 * shim_bpf_why__walk_tags() - call a function for each tag
 * @w: the handle
 * @fn: as for shim_bpf_why__walk()
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, or a negated errno.
 */
int shim_bpf_why__walk_tags(const struct shim_bpf_why *w, shim_bpf_why_tag_fn *fn, void *arg)
{
	return shim_why_rows__walk(bpf_map__fd(w->skel->maps.vw_tag),
				   bpf_map__fd(w->skel->maps.vw_stat), w->cpus, fn, arg);
}

static int read_trace(const struct bpf_map *first, const struct bpf_map *second, int32_t id,
		      void *frames)
{
	const struct bpf_map *map = id & VC_WHY_MORE ? second : first;

	id &= ~(VC_WHY_MORE | VC_WHY_ADDRESS);
	return bpf_map_lookup_elem(bpf_map__fd(map), &id, frames) ? -errno : 0;
}

/**
 * shim_bpf_why__kernel_trace() - read a kernel stack
 * @w: the handle
 * @id: its key
 * @frames: written; 0 after the last one
 *
 * Return: 0, -ENOENT if it was lost, or another errno.
 */
int shim_bpf_why__kernel_trace(const struct shim_bpf_why *w, int32_t id,
			       uint64_t frames[VC_WHY_FRAMES])
{
	struct vc_why_trace trace;

	if (id < 0)
		return -ENOENT;
	if (bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.vw_kernel), &id, &trace))
		return -errno;
	memcpy(frames, trace.frame, sizeof(trace.frame));
	return 0;
}

/**
 * shim_bpf_why__user_trace() - read a user stack
 * @w: the handle
 * @id: its key
 * @frames: written; the entry after the last frame has status 0
 *
 * Return: 0, -ENOENT if it was lost, or another errno.
 */
int shim_bpf_why__user_trace(const struct shim_bpf_why *w, int32_t id,
			     struct bpf_stack_build_id frames[VC_WHY_FRAMES])
{
	uint64_t address[VC_WHY_FRAMES];
	int err;

	if (id < 0)
		return -ENOENT;
	if (!(id & VC_WHY_ADDRESS))
		return read_trace(w->skel->maps.vw_user, w->skel->maps.vw_user2, id, frames);
	err = read_trace(w->skel->maps.vw_address, w->skel->maps.vw_address2, id, address);
	for (size_t i = 0; i < VC_WHY_FRAMES && !err; i++)
		frames[i] = (struct bpf_stack_build_id){
			.status = address[i] ? BPF_STACK_BUILD_ID_IP : BPF_STACK_BUILD_ID_EMPTY,
			.ip = address[i],
		};
	return err;
}

/** shim_bpf_why__drops() - get the number of losses by reason; return 0 or a negated errno */
int shim_bpf_why__drops(const struct shim_bpf_why *w, uint64_t drops[VC_WHY_DROP_NR])
{
	uint64_t *value = calloc(w->cpus, sizeof(*value));
	int err = value ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < VC_WHY_DROP_NR && !err; i++) {
		drops[i] = 0;
		if (bpf_map_lookup_elem(bpf_map__fd(w->skel->maps.vw_drop), &i, value))
			err = -errno;
		for (size_t cpu = 0; cpu < w->cpus && !err; cpu++)
			drops[i] += value[cpu];
	}
	free(value);
	return err;
}

/* The names of this machine's system calls.  The build generates the table from <sys/syscall.h>. */

static const char *const names[] = {
#include "syscall_table.h"
};

/**
 * shim_syscall__name() - get the name of a system call
 * @number: its number
 *
 * Return: the name, or NULL if it was not known when this library was built.
 */
const char *shim_syscall__name(uint32_t number)
{
	return number < sizeof(names) / sizeof(names[0]) ? names[number] : NULL;
}
