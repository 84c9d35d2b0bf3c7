// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * vcpc record --why: watch threads during a recording.
 *
 * The recorder finds the open handle by itself and records the handle's times.  The stacks are
 * written to a file next to the archive when it ends, because only then is it known which
 * transactions were slow.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record_why.h"
#include "vcpc.h"

#define PERCENT		99	/* transactions above this percentile are slow */

/*
 * Check the recorder's privileges: to find the times, it must search the BPF programs of all users.
 */
static int check_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (!syscall(SYS_capget, &head, data) && !(data[0].effective & 1u << CAP_SYS_ADMIN))
		return vcpc_fail(0, "--why requires CAP_SYS_ADMIN to record where transactions spend their time");
	return 0;
}

/* Return the name of an archive's file of stacks, to be freed, or NULL after printing a message. */
static char *name_of(const char *archive)
{
	char *path;

	if (asprintf(&path, "%s" VCPC_STACKS_SUFFIX, archive) >= 0)
		return path;
	vcpc_fail(ENOMEM, "stacks");
	return NULL;
}

static int check_unused(const char *archive)
{
	char *path = name_of(archive);
	int status = !path ? EXIT_FAILURE :
		     access(path, F_OK) ? 0 : vcpc_fail(EEXIST, "cannot write the stacks to %s", path);

	free(path);
	return status;
}

static void end(struct record_why *why)
{
	symbols_close(why->view.symbols);
	shim_why_close(why->view.why);
	*why = (struct record_why){ 0 };
}

/**
 * record_why_open() - start watching threads
 * @why: zero; initialized on success
 * @archive: the archive, for which ARCHIVE.folded must not exist; NULL if unused archive names are
 *   chosen
 *
 * Return: 0, or an exit status after printing a message.
 */
int record_why_open(struct record_why *why, const char *archive)
{
	const struct shim_why_options options = {
		.size = sizeof(options), .flags = SHIM_WHY_F_STACKS,
	};
	int status = check_rights(), err;

	why->view.differential = true;
	if (!status && archive)
		status = check_unused(archive);
	if (!status) {
		why->view.symbols = symbols_open();
		status = why->view.symbols ? 0 : vcpc_fail(ENOMEM, "symbols");
	}
	if (!status) {
		err = shim_why_open(&options, &why->view.why);
		status = err ? why_fail_open(err) : 0;
	}
	if (status)
		end(why);
	return status;
}

/** record_why_tick() - look for new processes, at most once per second; @why may be unused */
void record_why_tick(struct record_why *why)
{
	struct timespec now;
	int err;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!why->view.why || now.tv_sec == why->learned)
		return;
	why->learned = now.tv_sec;
	err = why_learn(&why->view);
	if (err)
		vcpc_fail(err, "cannot read the stacks: function names of processes that exit now may be missing");
}

static int write_tags(struct why_view *view, FILE *out)
{
	int err = 0;

	for (view->at = 0; view->at < view->ntags && !err; view->at++)
		err = why_fold(view, out);
	return err;
}

/* Write all stacks.  If that fails, remove the file, because it is incomplete. */
static int write_stacks(struct why_view *view, const char *path)
{
	FILE *out = fopen(path, "wxe");
	int err = out ? 0 : errno;

	if (out) {
		err = -shim_why_tags_get(view->why, PERCENT, &view->ntags);
		/* All processes with stacks existed before, so their mappings can be read now. */
		symbols_renew(view->symbols);
		if (!err)
			err = -write_tags(view, out);
		if (!err && fflush(out))
			err = errno;
		if (!err && ferror(out))
			err = EIO;
		if (fclose(out) && !err)
			err = errno;
		if (err)
			unlink(path);
	}
	return err ? vcpc_fail(err, "cannot write the stacks to %s", path) : 0;
}

/**
 * record_why_write() - write the stacks of the time since the last call; @why may be unused
 * @why: its member @status is set if this fails, after printing a message
 * @archive: the stacks are written to ARCHIVE.folded
 */
void record_why_write(struct record_why *why, const char *archive)
{
	char *path = why->view.why ? name_of(archive) : NULL;
	int status;

	if (!why->view.why)
		return;
	status = path ? write_stacks(&why->view, path) : EXIT_FAILURE;
	free(path);
	if (status)
		why->status = status;
	why_print_nameless(why->view.symbols, stderr);
	shim_why_restart(why->view.why);
	symbols_restart(why->view.symbols);
}

/**
 * record_why_close() - report losses, and stop watching threads
 * @why: may be unused
 *
 * Return: 0, or an exit status after printing a message, now or in record_why_write().
 */
int record_why_close(struct record_why *why)
{
	int status = why->status;

	if (!why->view.why)
		return 0;
	if (!status)
		status = why_print_drops(&why->view, stderr);
	end(why);
	return status;
}
