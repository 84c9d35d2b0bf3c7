/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of this machine, for vcpc doctor and for messages that explain the kernel's refusals. */
#ifndef VCPC_DOCTOR_H
#define VCPC_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#define VCPC_FINDING	512

enum vcpc_state { VCPC_FINE, VCPC_LIMITED, VCPC_BROKEN };

/**
 * struct vcpc_finding - the result of one check
 * @state: VCPC_BROKEN if a main function of vcpc is unavailable
 * @err: an error that leaves the check without a result, or 0; see vcpc_doubt()
 * @restricts: the kernel may refuse a request of this process for this reason
 * @found: the result, as text
 * @means: its consequence for the user, or empty
 * @type: the command that fixes it; empty if no fix is needed or possible
 */
struct vcpc_finding {
	enum vcpc_state state;
	int err;
	bool restricts;
	char found[VCPC_FINDING];
	char means[VCPC_FINDING];
	char type[VCPC_FINDING];
};

struct vcpc_check {
	const char *name;
	void (*fn)(struct vcpc_finding *f);
};

/* The kind of request to the kernel */
enum vcpc_asked {
	VCPC_ASKED_COUNT,	/* perf_event_open(2) or the module's counters */
	VCPC_ASKED_BPF,		/* load and attach BPF programs */
};

void vcpc_found(struct vcpc_finding *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void vcpc_limits(struct vcpc_finding *f, enum vcpc_state state, const char *means, const char *type);
bool vcpc_doubt(struct vcpc_finding *f, int err);
bool vcpc_is_there(struct vcpc_finding *f, const char *path, int mode);
void vcpc_check_run(const struct vcpc_check *check, struct vcpc_finding *f);
int vcpc_first_line(struct vcpc_finding *f, const char *path, char *line, size_t size);

const struct vcpc_check *vcpc_cause(size_t i);
void vcpc_causes_text(enum vcpc_asked asked, int err, char *buf, size_t size);

#endif /* VCPC_DOCTOR_H */
