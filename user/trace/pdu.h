/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The trace agent's protocol: encode events and decode acknowledgements. */
#ifndef SHIM_TRACE_PDU_H
#define SHIM_TRACE_PDU_H

#include <stddef.h>
#include <stdint.h>

#define SHIM_PDU_ACK_SIZE	16
#define SHIM_PDU_MAX_SIZE	272
#define SHIM_PDU_MAX_TAG	124	/* the agent closes the connection on longer ones */

/* The agent's numbers of the kinds of event */
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

#endif /* SHIM_TRACE_PDU_H */
