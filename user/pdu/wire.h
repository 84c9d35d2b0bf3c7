/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A connection to pmcd: a stream socket that transmits whole PDUs.
 *
 * Errors, all negated: ETIMEDOUT (the deadline passed), ECONNRESET (the peer closed the connection,
 * or it is unusable for another reason), EBADMSG (bytes that are not a PDU), ENOMEM.  Connecting
 * can also fail with the errors from connect(2): ECONNREFUSED stands for all immediate errors of
 * TCP, and EHOSTUNREACH for a host that has no address.  After an error the stream is out of sync,
 * and the caller must close it.
 */
#ifndef SHIM_PDU_WIRE_H
#define SHIM_PDU_WIRE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/fd.h"

/* The longest PDU that is received.  Memory is allocated only as bytes arrive. */
#define SHIM_WIRE_MAX	(256u << 20)

/* The longest text that a proxy sends in one line */
#define SHIM_WIRE_LINE_MAX	64

struct shim_pdu;

/*
 * struct shim_wire - a connection
 * @fd: the socket; its number is -1 if there is none
 * @forked: this process is a child of the process that connected, and has closed its copy of the
 *   socket
 * @local: a UNIX socket, which identifies the user to the peer
 * @marked: messages carry a mark that other sockets reject
 * @from: this process's ID, for the header of each PDU
 * @patience_ns: the socket's receive timeout (SO_RCVTIMEO); 0 for none
 * @began, @deadline: CLOCK_MONOTONIC times of the current exchange
 * @asked_at: start of the exchange of @asked
 * @next, @prev: list of connections, guarded by the lock in wire.c
 * @out: the PDU under construction
 * @asked: the last PDU sent
 * @in: @in_len received bytes, of which @in_taken have been consumed
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
/* Close the socket; the buffers are kept. */
void shim_wire__close(struct shim_wire *w);
void shim_wire__fini(struct shim_wire *w);

/* Connect.  Return 0 or an error.  @timeout_ns applies to each of the host's addresses. */
int shim_wire__connect_host(struct shim_wire *w, const char *host, int port, int64_t timeout_ns);
int shim_wire__connect_path(struct shim_wire *w, const char *path, int64_t timeout_ns);

/*
 * Prepare for exchanges with @timeout_ns, so that each of them needs fewer system calls.  This is
 * optional.
 */
void shim_wire__expect(struct shim_wire *w, int64_t timeout_ns);
/* Start an exchange with a deadline of @timeout_ns from now. */
void shim_wire__start(struct shim_wire *w, int64_t timeout_ns);
/* Send @out.  Return -EBADMSG if the peer has sent data without a request. */
int shim_wire__send(struct shim_wire *w);
/* Receive the next PDU, which is valid until the next call. */
int shim_wire__receive(struct shim_wire *w, struct shim_pdu *pdu);
/* Receive a line of text without its newline.  A proxy sends one before the first PDU. */
int shim_wire__receive_line(struct shim_wire *w, char line[SHIM_WIRE_LINE_MAX]);

#endif /* SHIM_PDU_WIRE_H */
