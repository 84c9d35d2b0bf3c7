// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Turn tracing on and off: load the BPF programs, attach them, and pin maps and links so that they
 * outlive this process.
 *
 * Two objects have the same maps.  The programs of one object are attached to the module's
 * tracepoints.  The programs of the other are attached to probes on this library's functions, for
 * machines without the module.
 *
 * Locking: flock() on the root of the BPF file system: only one process on the machine changes the
 * pins at a time.  VC_PIN_DIR has all pins or does not exist: the pins are created in NEW_DIR,
 * which is renamed when it is complete.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf.h"
#include "bpf_load.h"
#include "bpf_memory.h"
#include "bpf_pins.h"
#include "counted.h"
#include "direct.h"
#include "probe.h"
#include "trace.skel.h"
#include "uprobe.skel.h"

#define NEW_DIR		BPF_ROOT "/vcpc_new"	/* bpffs reserves names with dots */
#define MAX_LINKS	1024

/*
 * Limit on the memory of vc_stat with the default number of rows.  The kernel allocates the rows of
 * all CPUs at once.
 */
#define STAT_MEMORY	(128u << 20)
#define MIN_TAGS	256u

#define PROCESSES_CPU	256u

#define MAX_RING	(1u << 30)

/* Programs that are loaded only if the start of each transaction is reported to the kernel */
static const char *const begin_programs[] = {
	"vc_on_begin", "vc_on_begin_hashed", "vc_on_exec", "vc_on_exit", "vc_user_begin",
};

/*
 * Only one of these is loaded: the first for statistics only, the second if the start of each
 * transaction is also reported, and the third if individual events or statistics per process are
 * wanted.
 */
static const char *const end_programs[] = { "vc_on_end_only", "vc_on_end_begun", "vc_on_end" };

/* The skeleton that is open, and its object */
struct loaded {
	struct vc_trace *trace;
	struct vc_uprobe *uprobe;
	struct bpf_object *obj;
};

static uint32_t default_tags(void)
{
	uint64_t row = sizeof(struct vc_stat) * (uint64_t)libbpf_num_possible_cpus();
	uint64_t rows = STAT_MEMORY / row;

	if (rows > VC_MAX_TAGS)
		return VC_MAX_TAGS;
	return rows < MIN_TAGS ? MIN_TAGS : rows;
}

/*
 * Each CPU caches free rows of an LRU map.  In a small map, a CPU would have to evict used rows
 * while other CPUs still have free ones, so there is a minimum number of rows per CPU.
 */
static uint32_t rows_of_processes(uint32_t tags)
{
	uint32_t cpus = libbpf_num_possible_cpus();

	return tags > PROCESSES_CPU * cpus ? tags : PROCESSES_CPU * cpus;
}

/*
 * The kernel accepts powers of two that are at least the page size.  A ring of one page means that
 * individual events are not kept: the map must exist, but is not used.
 */
static uint32_t ring_size(uint32_t bytes)
{
	uint32_t size = sysconf(_SC_PAGESIZE) * (bytes ? 2 : 1);

	while (size < bytes && size < MAX_RING)
		size *= 2;
	return size;
}

static uint32_t rows_of_tags(const struct shim_bpf_options *options)
{
	return options->tags ? options->tags : default_tags();
}

static uint32_t rows_of_open(const struct shim_bpf_options *options)
{
	return options->open ? options->open : VC_MAX_OPEN;
}

static bool reports_begins(const struct shim_bpf_options *options)
{
	return options->begins == SHIM_BPF_BEGINS_KERNEL;
}

/* If the table is smaller, all open transactions are in vc_open, so the limit is exact. */
static bool uses_rows(const struct shim_bpf_options *options)
{
	return reports_begins(options) && rows_of_open(options) >= VC_OPEN_ROWS;
}

static int set_limits(struct bpf_object *obj, const struct shim_bpf_options *options)
{
	const uint32_t tags = rows_of_tags(options);
	const struct {
		const char *map;
		uint32_t rows;
	} limits[] = {
		{ "vc_tag", tags },
		{ "vc_id", tags },
		{ "vc_stat", tags },
		{ "vc_process", rows_of_processes(tags) },
		{ "vc_open", rows_of_open(options) },
		{ "vc_open_list", 2 * rows_of_open(options) },
		{ "vc_began", rows_of_open(options) },
		{ "vc_ring", ring_size(options->ring) },
		/* One row means that direct tracing is off; programs then do not use the map. */
		{ "vc_direct", options->direct > 1 ? options->direct : 1 },
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(obj, limits[i].map);
		int err = map ? bpf_map__set_max_entries(map, limits[i].rows) : 0;

		if (err)
			return err;
	}
	return 0;
}

/* Do not load these programs.  An object can lack some of them. */
static int leave_out(struct bpf_object *obj, const char *const programs[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bpf_program *prog = bpf_object__find_program_by_name(obj, programs[i]);
		int err = prog ? bpf_program__set_autoload(prog, false) : 0;

		if (err)
			return err;
	}
	return 0;
}

#define LEAVE_OUT(obj, programs) leave_out(obj, programs, sizeof(programs) / sizeof((programs)[0]))

static size_t end_program(const struct shim_bpf_options *options)
{
	if (options->ring || options->processes || reports_begins(options) != uses_rows(options))
		return 2;
	return reports_begins(options) ? 1 : 0;
}

static int leave_out_unwanted(struct bpf_object *obj, const struct shim_bpf_options *options)
{
	const char *const begin[] = { uses_rows(options) ? "vc_on_begin_hashed" : "vc_on_begin" };
	int err = reports_begins(options) ? LEAVE_OUT(obj, begin) : LEAVE_OUT(obj, begin_programs);

	/* Creating the map allocates its memory, so create it only if it is wanted. */
	if (!err && !options->processes)
		err = bpf_map__set_autocreate(bpf_object__find_map_by_name(obj, "vc_process"), false);
	for (size_t i = 0; i < sizeof(end_programs) / sizeof(end_programs[0]) && !err; i++)
		if (i != end_program(options))
			err = leave_out(obj, &end_programs[i], 1);
	return err;
}

static int pin_maps(struct bpf_object *obj, const char *dir)
{
	struct bpf_map *map;
	char pin[PIN_PATH];

	bpf_object__for_each_map(map, obj) {
		int err;

		if (bpf_map__is_internal(map) || !bpf_map__autocreate(map))
			continue;
		snprintf(pin, sizeof(pin), "%s/%s", dir, bpf_map__name(map));
		err = bpf_map__pin(map, pin);
		if (err)
			return err;
	}
	return 0;
}

static struct bpf_link *attach_probe(struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts);
	struct shim_probe_place place;
	int err = shim_probe__place(!strcmp(bpf_program__name(prog), "vc_user_begin"), &place);

	if (err) {
		errno = -err;
		return NULL;
	}
	opts.ref_ctr_offset = place.wanted;
	return bpf_program__attach_uprobe_opts(prog, -1, place.file, place.function, &opts);
}

static int why_no_tracepoint(int err)
{
	switch (err) {
	case ENOENT:	/* it does not exist, because the module is not loaded */
		return -ENODEV;
	case EINVAL:	/* the program writes to a part of the module's event that is read-only */
		return -EPROTONOSUPPORT;
	}
	return -err;
}

static int program_attach(struct bpf_program *prog, const char *dir)
{
	int is_probe = !strcmp(bpf_program__section_name(prog), "uprobe");
	struct bpf_link *link = is_probe ? attach_probe(prog) : bpf_program__attach(prog);
	char pin[PIN_PATH];
	int err;

	if (!link)
		return is_probe ? -errno : why_no_tracepoint(errno);
	snprintf(pin, sizeof(pin), "%s/" LINK_PREFIX "%s", dir, bpf_program__name(prog));
	err = bpf_link__pin(link, pin);
	bpf_link__destroy(link);
	return err;
}

static int pin_all(struct bpf_object *obj, const char *dir)
{
	struct bpf_program *prog;
	int err = pin_maps(obj, dir);

	if (err)
		return err;
	bpf_object__for_each_program(prog, obj) {
		err = bpf_program__autoload(prog) ? program_attach(prog, dir) : 0;
		if (err)
			return err;
	}
	return 0;
}

/* Create all pins in NEW_DIR, then rename it, so other processes see all of them or none. */
static int pins_publish(struct bpf_object *obj)
{
	/* This process holds the lock, so an existing NEW_DIR was left by a process that died. */
	int err = shim_bpf_pins__remove(NEW_DIR);

	if (!err && mkdir(NEW_DIR, 0700))
		err = -errno;
	if (err)
		return err;
	err = pin_all(obj, NEW_DIR);
	if (!err && rename(NEW_DIR, VC_PIN_DIR))
		err = -errno;
	if (err)
		shim_bpf_pins__remove(NEW_DIR);
	return err;
}

static int open_module(struct loaded *l, const struct shim_bpf_options *options)
{
	l->trace = vc_trace__open();
	if (!l->trace)
		return -errno;
	l->trace->rodata->vc_want_begins = reports_begins(options);
	l->trace->rodata->vc_want_processes = options->processes;
	l->trace->rodata->vc_ring_bytes = options->ring ? ring_size(options->ring) : 0;
	l->trace->rodata->vc_max_tags = rows_of_tags(options);
	l->trace->rodata->vc_max_open = rows_of_open(options);
	l->trace->rodata->vc_max_listed = rows_of_open(options);
	l->trace->rodata->vc_use_rows = uses_rows(options);
	l->obj = l->trace->obj;
	return shim_bpf_offsets__find(&l->trace->rodata->vc_offsets);
}

static int open_probes(struct loaded *l, const struct shim_bpf_options *options)
{
	l->uprobe = vc_uprobe__open();
	if (!l->uprobe)
		return -errno;
	l->uprobe->rodata->vc_want_begins = reports_begins(options);
	l->uprobe->rodata->vc_want_processes = options->processes;
	l->uprobe->rodata->vc_ring_bytes = options->ring ? ring_size(options->ring) : 0;
	l->uprobe->rodata->vc_max_tags = rows_of_tags(options);
	l->uprobe->rodata->vc_max_open = rows_of_open(options);
	l->uprobe->rodata->vc_max_listed = VC_PROCESS_ROWS;
	l->uprobe->rodata->vc_use_rows = uses_rows(options);
	l->obj = l->uprobe->obj;
	return shim_bpf_offsets__find(&l->uprobe->rodata->vc_offsets);
}

/* Calibrate the clock of direct tracing, and publish it in vc_tick. */
static int start_clock(struct bpf_object *obj, const struct shim_bpf_options *options)
{
	struct vc_tick tick = { .active = 1 };
	const uint32_t key = 0;

	if (!options->direct)
		return 0;
	shim_tick__calibrate(&tick);
	if (bpf_map_update_elem(bpf_object__find_map_fd_by_name(obj, "vc_tick"), &key, &tick, 0))
		return -errno;
	return 0;
}

/* Clear vc_tick.active: programs that have mapped vc_direct then stop writing to it. */
static void stop_clock(const char *pin)
{
	struct vc_tick tick = { .active = 0 };
	const uint32_t key = 0;
	int fd = bpf_obj_get(pin);

	if (fd < 0)
		return;
	/* An existing entry of an array can always be written. */
	bpf_map_update_elem(fd, &key, &tick, 0);
	close(fd);
}

static int load_and_publish(struct bpf_object *obj, const struct shim_bpf_options *options)
{
	int err = shim_bpf_memory__check(obj);

	/*
	 * Load before anything else is created: the error distinguishes a missing privilege from a
	 * missing kernel feature.
	 */
	if (!err)
		err = shim_bpf_load(obj);
	/* libbpf found no kernel BTF, which the programs for probes need to read kernel structs. */
	if (err == -ESRCH)
		err = -EOPNOTSUPP;
	if (!err)
		err = shim_bpf_accounts__open(obj);
	if (!err)
		err = start_clock(obj, options);
	return err ? err : pins_publish(obj);
}

/*
 * Prepare the object of a transport.  If @bytes is NULL, turn tracing on, otherwise only compute the
 * memory that this would need.
 */
static int prepare(const struct shim_bpf_options *wanted, enum shim_bpf_transport transport,
		   uint64_t *bytes)
{
	struct shim_bpf_options options = *wanted;
	struct loaded l = { NULL };
	int err;

	/* Through a probe, the start of a transaction costs as much as its end. */
	if (options.begins == SHIM_BPF_BEGINS_DEFAULT)
		options.begins = transport == SHIM_BPF_MODULE ? SHIM_BPF_BEGINS_KERNEL :
							  SHIM_BPF_BEGINS_USER;
	err = transport == SHIM_BPF_MODULE ? open_module(&l, &options) : open_probes(&l, &options);
	if (!err)
		err = set_limits(l.obj, &options);
	if (!err)
		err = leave_out_unwanted(l.obj, &options);
	if (!err && bytes)
		*bytes = shim_bpf_memory__needed(l.obj);
	else if (!err)
		err = load_and_publish(l.obj, &options);
	vc_trace__destroy(l.trace);
	vc_uprobe__destroy(l.uprobe);
	return err;
}

/*
 * Return whether the module may be loaded.  Loading programs for its tracepoints takes the kernel
 * longer than anything else here, and without the module they could not be attached.
 */
bool shim_bpf__may_have_module(void)
{
	return !access("/sys/module/vcpc", F_OK) || errno != ENOENT || access("/sys/module", F_OK);
}

/*
 * Return -EEXIST if tracing is on, or -EPERM if the caller may not create maps.  Check this before
 * maps are created: while others exist, a second set may not fit into memory.
 */
static int is_on(void)
{
	int there = shim_bpf_pins__exists(VC_PIN_DIR), fd;

	if (there <= 0)
		return there;
	fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, NULL, sizeof(uint32_t), sizeof(uint32_t), 1, NULL);
	if (fd < 0)
		return -errno;
	close(fd);
	return -EEXIST;
}

static int switch_on_any(const struct shim_bpf_options *options)
{
	int err = is_on();

	if (err)
		return err;
	if (options->transport == SHIM_BPF_PROBES ||
	    (options->transport == SHIM_BPF_ANY && !shim_bpf__may_have_module()))
		return prepare(options, SHIM_BPF_PROBES, NULL);
	err = prepare(options, SHIM_BPF_MODULE, NULL);
	if (err == -ENODEV && options->transport == SHIM_BPF_ANY)
		err = prepare(options, SHIM_BPF_PROBES, NULL);
	return err;
}

/**
 * shim_bpf__on() - turn the machine's tracing on
 * @options: sizes of the maps, and what to trace
 *
 * If the BPF file system is not mounted, this mounts it, and leaves it mounted even if a later step
 * fails.
 *
 * Return: 0; -EPERM if the caller lacks the privilege, -ENODEV if the module was requested and is
 *	not loaded, -EEXIST if tracing is on, -EBUSY if another process has held the lock on the
 *	file system for several seconds, -ENOSYS if the kernel has no BPF, -EOPNOTSUPP if it has no
 *	BTF, which probes need, -ENOMEM if the maps do not fit into memory, or another error.
 */
int shim_bpf__on(const struct shim_bpf_options *options)
{
	int lock, err = shim_bpf_pins__lock(&lock, 1);
	libbpf_print_fn_t print;

	if (err)
		return err;
	print = libbpf_set_print(NULL);
	err = shim_bpf_pins__error(switch_on_any(options));
	libbpf_set_print(print);
	close(lock);
	return err;
}

/**
 * shim_bpf__memory() - compute the memory that shim_bpf__on() needs for its maps
 * @options: sizes of the maps, and what to trace
 * @bytes: set on success
 *
 * Return: 0, -ENOMEM, or another error.
 */
int shim_bpf__memory(const struct shim_bpf_options *options, uint64_t *bytes)
{
	bool probes = options->transport == SHIM_BPF_PROBES ||
		      (options->transport == SHIM_BPF_ANY && !shim_bpf__may_have_module());
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	int err = prepare(options, probes ? SHIM_BPF_PROBES : SHIM_BPF_MODULE, bytes);

	libbpf_set_print(print);
	return err;
}

/**
 * shim_bpf__off() - turn the machine's tracing off, and discard all statistics
 *
 * Return: 0; -ENOENT if tracing is off, or -EPERM if the caller lacks the privilege.
 */
int shim_bpf__off(void)
{
	uint32_t ids[MAX_LINKS];
	size_t n = 0;
	int lock, err = shim_bpf_pins__lock(&lock, 0);

	if (err)
		return err;
	err = shim_bpf_pins__remove(NEW_DIR);
	/* A rename is atomic: other processes see all pins or none. */
	if (!err && rename(VC_PIN_DIR, NEW_DIR))
		err = -errno;
	if (!err) {
		stop_clock(NEW_DIR "/vc_tick");
		shim_wanted__forget();
		n = shim_bpf_pins__programs(NEW_DIR, ids, MAX_LINKS);
		err = shim_bpf_pins__remove(NEW_DIR);
	}
	close(lock);
	shim_bpf_pins__wait_gone(ids, n, bpf_prog_get_fd_by_id);
	return shim_bpf_pins__error(err);
}

/**
 * shim_bpf__status() - find out whether tracing is on, and through which transport
 *
 * Return: SHIM_BPF_MODULE or SHIM_BPF_PROBES; 0 if tracing is off; -EPERM if the caller is not
 *	permitted to find out; or another negated errno.
 */
int shim_bpf__status(void)
{
	int there = shim_bpf_pins__exists(VC_PIN_DIR "/vc_id");

	if (there)
		return there < 0 ? there : SHIM_BPF_PROBES;
	there = shim_bpf_pins__exists(VC_PIN_DIR);
	return there > 0 ? SHIM_BPF_MODULE : there;
}
