// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attach 'why' to the functions and pairs that the tracing session traces, in addition to the
 * session's own probes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_function.h"
#include "bpf_why_functions.h"
#include "bpf/why.h"
#include "why.skel.h"

#define FD_PATH	64

/* What the session traces */
struct traced {
	bool function, begin, end;
};

/* The session's probes that are being attached */
struct attaching {
	struct shim_why_functions *functions;
	struct vc_why *skel;
	uint32_t row;
};

static int attach_to(struct attaching *a, struct bpf_program *prog, const struct vc_probe *probe,
		     const char *path)
{
	LIBBPF_OPTS(bpf_uprobe_opts, opts, .bpf_cookie = probe->first, .ref_ctr_offset = probe->semaphore,
		    .retprobe = prog == a->skel->progs.vw_return);
	struct bpf_link *link;

	/* The session has changed since shim_why_functions__leave_out() was called. */
	if (!bpf_program__autoload(prog))
		return -EAGAIN;
	link = bpf_program__attach_uprobe_opts(prog, probe->pid ? probe->pid : -1, path, probe->offset, &opts);
	if (!link)
		return -errno;
	a->functions->links[a->functions->n++] = link;
	return 0;
}

/* Attach the return probe first, so that no return is missed after its entry has been seen. */
static int attach_at(struct attaching *a, const struct vc_probe *probe, const char *path)
{
	int err;

	switch (probe->what) {
	case VC_PROBE_FUNCTION:
		err = attach_to(a, a->skel->progs.vw_return, probe, path);
		return err ? err : attach_to(a, a->skel->progs.vw_enter, probe, path);
	case VC_PROBE_BEGIN:
		return attach_to(a, a->skel->progs.vw_pair_begin, probe, path);
	default:
		return attach_to(a, a->skel->progs.vw_pair_end, probe, path);
	}
}

/*
 * Open the file again.  Reject another file with the same name, because a probe in the middle of an
 * instruction would break the program.
 */
static int open_same(const struct vc_probe *probe)
{
	struct vc_probe now = { 0 };
	int fd = open(probe->file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ? -ESTALE : -errno;
	if (!shim_bpf_probe__identify(fd, &now) && now.device == probe->device &&
	    now.inode == probe->inode && now.modified_ns == probe->modified_ns)
		return fd;
	close(fd);
	return -ESTALE;
}

static int name_place(const struct attaching *a, const struct vc_probe *probe)
{
	struct vc_why_name name;

	memcpy(name.name, probe->tag, sizeof(name.name));
	return bpf_map_update_elem(bpf_map__fd(a->skel->maps.vw_place), &a->row, &name, 0) ? -errno : 0;
}

/* Return whether a probe's process has ended.  Such a process makes no calls and needs no probe. */
static int has_ended(const struct vc_probe *probe)
{
	return probe->pid && kill(probe->pid, 0) && errno == ESRCH;
}

static int attach_probe(void *arg, const struct vc_probe *probe)
{
	struct attaching *a = arg;
	char path[FD_PATH];
	int fd, err = name_place(a, probe);

	a->row++;
	if (err || has_ended(probe))
		return err;
	fd = open_same(probe);
	if (fd < 0)
		return has_ended(probe) ? 0 : fd;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = attach_at(a, probe, path);
	close(fd);
	return err && has_ended(probe) ? 0 : err;
}

static int note_kind(void *arg, const struct vc_probe *probe)
{
	struct traced *traced = arg;

	if (probe->what == VC_PROBE_FUNCTION)
		traced->function = true;
	else if (probe->what == VC_PROBE_BEGIN)
		traced->begin = true;
	else
		traced->end = true;
	return 0;
}

/**
 * shim_why_functions__leave_out() - do not load programs for which the session has no probes
 * @skel: the programs, before they are loaded
 *
 * Return: 0 or a negated errno.
 */
int shim_why_functions__leave_out(struct vc_why *skel)
{
	struct traced traced = { 0 };
	int err = shim_bpf__probes(note_kind, &traced);

	if (err == -ENOENT)
		err = 0;
	if (!err)
		err = bpf_program__set_autoload(skel->progs.vw_enter, traced.function);
	if (!err)
		err = bpf_program__set_autoload(skel->progs.vw_return, traced.function);
	if (!err)
		err = bpf_program__set_autoload(skel->progs.vw_pair_begin, traced.begin);
	return err ? err : bpf_program__set_autoload(skel->progs.vw_pair_end, traced.end);
}

/**
 * shim_why_functions__attach() - record calls to the functions that the session traces
 * @f: written even on failure; the caller must call shim_why_functions__detach()
 * @skel: the loaded programs
 *
 * Return: 0, even if tracing is off or traces no functions; -ESTALE if a traced file was replaced;
 *	-EAGAIN if the session has changed since shim_why_functions__leave_out(); -ENOMEM or another
 *	negated errno.
 */
int shim_why_functions__attach(struct shim_why_functions *f, struct vc_why *skel)
{
	struct attaching a = { .functions = f, .skel = skel };
	int err;

	f->links = calloc(2 * VC_MAX_PROBES, sizeof(*f->links));
	if (!f->links)
		return -ENOMEM;
	err = shim_bpf__probes(attach_probe, &a);
	return err == -ENOENT && !a.row ? 0 : err;
}

/** shim_why_functions__detach() - remove the probes */
void shim_why_functions__detach(struct shim_why_functions *f)
{
	for (size_t i = 0; i < f->n; i++)
		bpf_link__destroy(f->links[i]);
	free(f->links);
	*f = (struct shim_why_functions){ 0 };
}
