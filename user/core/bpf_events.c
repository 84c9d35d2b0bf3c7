// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Take individual trace events from the ring, and list open transactions.
 *
 * Locking: taking an event removes it from the ring, so only one process at a time may take events.
 * It holds flock() on the directory of the pins.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/vcpc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_events.h"
#include "bpf_table.h"

struct shim_bpf_events {
	struct ring_buffer *ring;
	int lock;
	shim_bpf_record_fn *fn;
	void *arg;
};

/* Pass one record of the ring to the caller's function. */
static int take_one(void *arg, void *data, size_t size)
{
	const struct shim_bpf_events *events = arg;

	return size < sizeof(struct vc_record) ? -EPROTO : events->fn(events->arg, data);
}

static int lock_pins(int *lock)
{
	int dir = open(VC_PIN_DIR, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err = 0;

	if (dir < 0)
		return errno == EACCES ? -EPERM : -errno;
	if (flock(dir, LOCK_EX | LOCK_NB) && errno != ENOSYS)
		err = errno == EWOULDBLOCK ? -EBUSY : -errno;
	if (err)
		close(dir);
	else
		*lock = dir;
	return err;
}

/*
 * Taking records advances the ring's consumer position, so the caller needs write permission.  If
 * individual events are not kept, the ring has its minimum size, one page, and stays empty.
 */
static int open_ring(struct shim_bpf_events *events)
{
	struct bpf_map_info info = { 0 };
	uint32_t len = sizeof(info);
	int fd = bpf_obj_get(VC_PIN_DIR "/vc_ring");
	int err = 0;

	if (fd < 0)
		return errno == EACCES ? -EPERM : -errno;
	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		err = -errno;
	else if (info.type != BPF_MAP_TYPE_RINGBUF)
		err = -EPROTO;
	else if (info.max_entries <= (uint32_t)sysconf(_SC_PAGESIZE))
		err = -ENODATA;
	if (!err) {
		events->ring = ring_buffer__new(fd, take_one, events, NULL);
		err = events->ring ? 0 : -errno;
	}
	close(fd);
	return err;
}

/**
 * shim_bpf_events__open() - prepare to take individual events
 * @out: set on success; to be closed with shim_bpf_events__close()
 *
 * Return: 0; -ENOENT if tracing is off, -EPERM, -EBUSY if another process takes events, -ENODATA if
 *	individual events are not kept, -EPROTO, -ENOMEM, or another error.
 */
int shim_bpf_events__open(struct shim_bpf_events **out)
{
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct shim_bpf_events *events = calloc(1, sizeof(*events));
	int err = events ? lock_pins(&events->lock) : -ENOMEM;

	if (!err) {
		err = open_ring(events);
		if (err)
			close(events->lock);
	}
	libbpf_set_print(print);
	if (err)
		free(events);
	else
		*out = events;
	return err;
}

/**
 * shim_bpf_events__take() - take the events that have arrived since the last call
 * @events: handle from shim_bpf_events__open()
 * @timeout_ms: how long to wait for the first event; -1: forever
 * @fn: called for each event; a negative value ends the call
 * @arg: argument of @fn
 *
 * Return: the number of events taken, the negative value of @fn, or a negative errno.
 */
int shim_bpf_events__take(struct shim_bpf_events *events, int timeout_ms, shim_bpf_record_fn *fn,
			  void *arg)
{
	int n;

	events->fn = fn;
	events->arg = arg;
	n = ring_buffer__consume(events->ring);
	return n || !timeout_ms ? n : ring_buffer__poll(events->ring, timeout_ms);
}

struct open_ones {
	shim_bpf_record_fn *fn;
	void *arg;
};

static int give_open(void *arg, const void *key, const void *value)
{
	const struct vc_open_key *k = key;
	const struct vc_open_val *open = value;
	const struct open_ones *to = arg;
	const struct vc_record record = {
		.ns = open->start_ns,
		.tag = k->tag,
		.op = VCPC_TRACE_BEGIN,
		.tgid = open->tgid,
		.tid = open->tid,
	};

	return open->start_ns ? to->fn(to->arg, &record) : 0;
}

static int give_row(void *arg, const void *index, const void *value)
{
	const struct vc_open_row *row = value;
	const struct open_ones *to = arg;
	const struct vc_record record = {
		.ns = row->start_ns,
		.tag = row->tag,
		.op = VCPC_TRACE_BEGIN,
		.tgid = row->ids >> 32,
		.tid = row->ids,
	};

	(void)index;
	return row->start_ns > 1 ? to->fn(to->arg, &record) : 0;
}

/**
 * shim_bpf_events__open_ones() - walk over the open transactions
 * @fn: called for each transaction; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, or a negative errno.
 */
int shim_bpf_events__open_ones(shim_bpf_record_fn *fn, void *arg)
{
	struct open_ones to = { .fn = fn, .arg = arg };
	struct shim_bpf_table rows = { .fd = -1 }, t = { .fd = -1 };
	int ret = shim_bpf_table__open(&rows, VC_PIN_DIR "/vc_open_row", BPF_MAP_TYPE_ARRAY,
				       sizeof(__u32), sizeof(struct vc_open_row));

	if (!ret)
		ret = shim_bpf_table__open(&t, VC_PIN_DIR "/vc_open", BPF_MAP_TYPE_HASH,
					   sizeof(struct vc_open_key), sizeof(struct vc_open_val));
	if (!ret)
		ret = shim_bpf_table__read(&rows, give_row, &to);
	if (!ret)
		ret = shim_bpf_table__read(&t, give_open, &to);
	shim_bpf_table__close(&rows);
	shim_bpf_table__close(&t);
	return ret;
}

/**
 * shim_bpf_events__close() - stop taking individual events
 * @events: freed; may be NULL
 */
void shim_bpf_events__close(struct shim_bpf_events *events)
{
	if (!events)
		return;
	ring_buffer__free(events->ring);
	close(events->lock);
	free(events);
}

struct losses {
	shim_bpf_loss_fn *fn;
	void *arg;
};

static int give_loss(void *arg, const void *key, const void *value)
{
	const struct losses *to = arg;
	const struct vc_user *user = value;

	return user->ring.lost ? to->fn(to->arg, *(const __u64 *)key, user->ring.lost) : 0;
}

/**
 * shim_bpf_losses__ring() - walk over the accounts that have lost individual events
 * @fn: called for each account; a value other than 0 ends the walk
 * @arg: argument of @fn
 *
 * Return: 0, the value that @fn returned, or a negative errno.
 */
int shim_bpf_losses__ring(shim_bpf_loss_fn *fn, void *arg)
{
	struct losses to = { .fn = fn, .arg = arg };
	struct shim_bpf_table t = { .fd = -1 };
	int ret = shim_bpf_table__open(&t, VC_PIN_DIR "/vc_user", BPF_MAP_TYPE_HASH, sizeof(__u64),
				       sizeof(struct vc_user));

	if (!ret)
		ret = shim_bpf_table__read(&t, give_loss, &to);
	shim_bpf_table__close(&t);
	return ret;
}
