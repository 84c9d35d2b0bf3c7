/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The trace agent's protocol, and a TCP connection to the agent, with limits on the time that a
 * program waits for it.
 */
#ifndef SHIM_TRACE_LINK_H
#define SHIM_TRACE_LINK_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "env.h"

#define SHIM_PDU_ACK_SIZE	16
#define SHIM_PDU_MAX_SIZE	272
#define SHIM_PDU_MAX_TAG	124	/* the agent closes the connection if a tag is longer */

/* The agent's numbers for the kinds of events */
enum shim_pdu_kind {
	SHIM_PDU_TRANSACTION = 1,
	SHIM_PDU_POINT,
	SHIM_PDU_OBSERVATION,
	SHIM_PDU_COUNTER,
};

/**
 * struct shim_pdu_event - an event for the agent
 * @kind: enum shim_pdu_kind
 * @sync: request an acknowledgement
 * @pid: process ID of the sender, for information
 * @value: seconds of a transaction, -1 for a point, otherwise the value
 * @tag: @tag_len bytes, without a NUL
 * @tag_len: 1..SHIM_PDU_MAX_TAG
 */
struct shim_pdu_event {
	enum shim_pdu_kind kind;
	int sync;
	uint32_t pid;
	double value;
	const char *tag;
	size_t tag_len;
};

size_t shim_pdu__encode(unsigned char bytes[SHIM_PDU_MAX_SIZE], const struct shim_pdu_event *event);
int shim_pdu__decode_ack(const unsigned char bytes[SHIM_PDU_ACK_SIZE], int32_t *value);

#define SHIM_LINK_ADDRESSES	4

enum shim_link_phase {
	SHIM_LINK_DOWN,
	SHIM_LINK_CONNECTING,
	SHIM_LINK_GREETING,	/* the agent sends the first message */
	SHIM_LINK_UP,
};

/**
 * struct shim_link - the connection; initially all zero
 * @phase: progress of the connection
 * @fd: the socket's descriptor, unless @phase is SHIM_LINK_DOWN
 * @inode: inode of the socket, used to check that @fd is still this socket
 * @deadline_ns: CLOCK_MONOTONIC at which this phase times out
 * @retry: failed attempts and lost connections, and when the next attempt is due
 * @answer_ns: timeout for the agent's answers
 * @connect_ns: timeout for connecting
 * @was_up: true if the connection was ever up
 * @nr_addresses: number of known addresses
 * @next: index of the address to try next
 * @address: the addresses; only IPv4, because the agent listens on no others
 * @in: received part of an acknowledgement
 * @in_len: length of @in
 * @rest: the part of an event that could not be sent yet
 * @rest_len: length of @rest
 */
struct shim_link {
	enum shim_link_phase phase;
	int fd;
	uint64_t inode;
	uint64_t deadline_ns;
	struct shim_retry retry;
	uint64_t answer_ns;
	uint64_t connect_ns;
	int was_up;
	unsigned int nr_addresses;
	unsigned int next;
	struct sockaddr_in address[SHIM_LINK_ADDRESSES];
	unsigned char in[SHIM_PDU_ACK_SIZE];
	size_t in_len;
	unsigned char rest[SHIM_PDU_MAX_SIZE];
	size_t rest_len;
};

int shim_link__up(struct shim_link *link);
int shim_link__send(struct shim_link *link, const unsigned char *bytes, size_t size);
int shim_link__offer(struct shim_link *link, const unsigned char *bytes, size_t size);
int shim_link__answer(struct shim_link *link, int32_t *value);
void shim_link__lose(struct shim_link *link, int err);
uint64_t shim_link__inode(int fd);

#endif /* SHIM_TRACE_LINK_H */
