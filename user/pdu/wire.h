/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A connection to pmcd: a stream socket on which whole PDUs go out and come in.
 *
 * Errors, all negated: ETIMEDOUT (the deadline passed), ECONNRESET (the peer closed, or the
 * connection is not usable for another reason), EBADMSG (bytes that are no PDU), ENOMEM; when
 * connecting, those of connect(2), by TCP ECONNREFUSED for whatever it says at once, and
 * EHOSTUNREACH for a host that has no address.  After an error the stream is out of step: the
 * caller closes it.
 */
#ifndef SHIM_PDU_WIRE_H
#define SHIM_PDU_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/process.h"

/* The longest PDU that is received; memory is taken as bytes arrive, whatever a header says. */
#define SHIM_WIRE_MAX	(256u << 20)

/* The longest text that a proxy sends in one line */
#define SHIM_WIRE_LINE_MAX	64

struct shim_pdu;

/*
 * struct shim_wire - a connection
 * @fd: the socket; its number is -1 if there is none
 * @forked: this process is a child of the one that connected, and has closed its copy
 * @local: a UNIX socket, by which the peer knows the user
 * @marked: what is sent carries a mark that only sockets of this kind take
 * @from: this process, for the header of each PDU
 * @patience_ns: the socket's receive timeout (SO_RCVTIMEO); 0: none is set
 * @began, @deadline: of the current exchange, by CLOCK_MONOTONIC
 * @asked_at: when the one of @asked began
 * @next, @prev: in the list of connections, which wire.c's lock guards
 * @out: the PDU under construction
 * @asked: the one sent last
 * @in: @in_len bytes received, of which @in_taken were handed out
 */
struct shim_wire {
	struct shim_fd fd;
	bool forked;
	bool local;
	bool marked;
	int32_t from;
	int64_t patience_ns;
	int64_t began, deadline;
	int64_t asked_at;
	struct shim_wire *next, *prev;
	struct shim_buf out, asked;
	uint8_t *in;
	size_t in_room, in_len, in_taken;
};

void shim_wire__init(struct shim_wire *w);
/* Closes the socket; the buffers stay. */
void shim_wire__close(struct shim_wire *w);
void shim_wire__fini(struct shim_wire *w);

/* Connect: 0 or an error; @timeout_ns is for each of the host's addresses */
int shim_wire__connect_host(struct shim_wire *w, const char *host, int port, int64_t timeout_ns);
int shim_wire__connect_path(struct shim_wire *w, const char *path, int64_t timeout_ns);

/* Prepare for exchanges with @timeout_ns, so that each needs fewer system calls; optional. */
void shim_wire__expect(struct shim_wire *w, int64_t timeout_ns);
/* The next exchange has @timeout_ns from now on. */
void shim_wire__start(struct shim_wire *w, int64_t timeout_ns);
/* Sends @out; -EBADMSG if the peer has sent something unasked. */
int shim_wire__send(struct shim_wire *w);
/* The next PDU, which is valid until the next call */
int shim_wire__receive(struct shim_wire *w, struct shim_pdu *pdu);
/* A line of text, without its end: what a proxy sends before the first PDU */
int shim_wire__receive_line(struct shim_wire *w, char line[SHIM_WIRE_LINE_MAX]);

#endif /* SHIM_PDU_WIRE_H */
