/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small pmcd for tests, in a separate process, on a UNIX socket in a scratch directory.  It has
 * several metrics, and sends invalid replies if a test requests them.
 */
#ifndef SELFTESTS_PCP_FAKE_PMCD_H
#define SELFTESTS_PCP_FAKE_PMCD_H

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define FAKE_DOMAIN	77
#define FAKE_INDOM	(FAKE_DOMAIN << 22 | 1)
#define FAKE_PMID(item)	(FAKE_DOMAIN << 22 | (item))
#define FAKE_WORD	FAKE_PMID(1)	/* u32, instances 1, 2, 3 */
#define FAKE_TEXT	FAKE_PMID(2)	/* string "some text" */
#define FAKE_WIDE	FAKE_PMID(3)	/* u64 */
#define FAKE_EVENT	FAKE_PMID(4)	/* one event record with one parameter */
#define FAKE_MAX	(1u << 20)

enum fake_type {
	FAKE_ERROR = 0x7000, FAKE_RESULT, FAKE_PROFILE, FAKE_FETCH, FAKE_DESC_REQ, FAKE_DESC,
	FAKE_INSTANCE_REQ, FAKE_INSTANCE, FAKE_TEXT_REQ, FAKE_TEXT_REPLY, FAKE_CREDS = 0x700c,
	FAKE_IDS, FAKE_NAMES, FAKE_CHILD, FAKE_TRAVERSE, FAKE_ATTR, FAKE_LABEL_REQ, FAKE_LABEL,
	FAKE_HIGHRES_FETCH, FAKE_HIGHRES_RESULT, FAKE_DESC_IDS, FAKE_DESCS,
};

/* A PDU under construction */
struct fake_pdu {
	uint8_t bytes[FAKE_MAX];
	uint32_t len;
};

/*
 * struct fake_lies - requests of the test, in memory shared with the server
 * @features: features in the greeting
 * @status: status in the greeting
 * @lie: called with each reply, which it may change; it returns the next action
 * @arg: argument of @lie
 * @stall: the server accepts connections, but does not reply
 * @connections, @profiles, @requests: how many of each the server has received
 * @repeats: number of replies that were sent twice (FAKE_AGAIN)
 * @notices: number of ERROR PDUs with a code of 1 to send before a result
 */
enum fake_then { FAKE_GO_ON, FAKE_AGAIN, FAKE_CLOSE, FAKE_STALL };

struct fake_lies {
	uint32_t features;
	int32_t status;
	enum fake_then (*lie)(struct fake_pdu *reply, uint64_t arg);
	uint64_t arg;
	bool stall;
	unsigned int connections, profiles, requests, notices, repeats;
};

struct fake_pmcd {
	pid_t pid;
	char dir[32];
	char spec[128];
	struct fake_lies *lies;
};

static inline uint32_t fake_get(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline void fake_set(uint8_t *p, uint32_t v)
{
	p[0] = v >> 24;
	p[1] = v >> 16;
	p[2] = v >> 8;
	p[3] = v;
}

static inline void fake_put(struct fake_pdu *pdu, uint32_t v)
{
	fake_set(pdu->bytes + pdu->len, v);
	pdu->len += 4;
}

static inline void fake_put_bytes(struct fake_pdu *pdu, const char *s, uint32_t len, bool padded)
{
	memcpy(pdu->bytes + pdu->len, s, len);
	pdu->len += len;
	for (; padded && pdu->len % 4; pdu->len++)
		pdu->bytes[pdu->len] = '~';
}

static inline void fake_put_string(struct fake_pdu *pdu, const char *s)
{
	fake_put(pdu, strlen(s));
	fake_put_bytes(pdu, s, strlen(s), true);
}

static inline void fake_begin(struct fake_pdu *pdu, enum fake_type type)
{
	pdu->len = 0;
	fake_put(pdu, 0);
	fake_put(pdu, type);
	fake_put(pdu, 0);
}

static inline void fake_end(struct fake_pdu *pdu)
{
	fake_set(pdu->bytes, pdu->len);
}

static inline bool fake_io(int fd, uint8_t *bytes, uint32_t len, bool out)
{
	while (len) {
		ssize_t n = out ? send(fd, bytes, len, MSG_NOSIGNAL) : recv(fd, bytes, len, 0);

		if (n <= 0 && errno == EINTR && n)
			continue;
		if (n <= 0)
			return false;
		bytes += n;
		len -= n;
	}
	return true;
}

static inline bool fake_receive(int fd, struct fake_pdu *pdu)
{
	if (!fake_io(fd, pdu->bytes, 12, false))
		return false;
	pdu->len = fake_get(pdu->bytes);
	return pdu->len >= 12 && pdu->len <= FAKE_MAX &&
	       fake_io(fd, pdu->bytes + 12, pdu->len - 12, false);
}

static inline void fake_error(struct fake_pdu *out, int32_t code)
{
	fake_begin(out, FAKE_ERROR);
	fake_put(out, code);
}

/* Write the descriptor of a metric without its PMID: type, domain, semantics and units. */
static inline void fake_put_desc(struct fake_pdu *out, uint32_t pmid)
{
	static const uint32_t types[] = { 0, 1, 6, 3, 9 };
	uint32_t item = pmid - FAKE_PMID(0);

	if (item < 1 || item > 4) {
		fake_put(out, 0xffffffff);
		for (int i = 0; i < 4; i++)
			fake_put(out, 0);
		return;
	}
	fake_put(out, pmid);
	fake_put(out, types[item]);
	fake_put(out, pmid == FAKE_WORD ? FAKE_INDOM : 0xffffffff);
	fake_put(out, 3);
	fake_put(out, 0);
}

/*
 * Write a metric's value set.  With @blocks, write its value blocks instead, which follow all sets.
 */
static inline uint32_t fake_put_values(struct fake_pdu *out, uint32_t pmid, bool blocks,
				       uint32_t next)
{
	if (!blocks) {
		fake_put(out, pmid);
		fake_put(out, pmid == FAKE_WORD ? 3 : pmid - FAKE_WORD <= 3 ? 1 : -12358);
	}
	if (!blocks && pmid == FAKE_WORD) {
		fake_put(out, 0);
		for (uint32_t i = 1; i <= 3; i++) {
			fake_put(out, i);
			fake_put(out, i * 100);
		}
	} else if (!blocks && pmid - FAKE_WORD <= 3) {
		fake_put(out, 1);
		fake_put(out, 0xffffffff);
		fake_put(out, next);
	} else if (pmid == FAKE_TEXT) {
		fake_put(out, 6u << 24 | 14);
		fake_put_bytes(out, "some text", 10, true);
	} else if (pmid == FAKE_WIDE) {
		fake_put(out, 3u << 24 | 12);
		fake_put(out, 1);
		fake_put(out, 2);
	} else if (pmid == FAKE_EVENT) {
		fake_put(out, 9u << 24 | (4 + 4 + 16 + 12));
		fake_put(out, 1);		/* number of records */
		for (uint32_t i = 0; i < 3; i++)
			fake_put(out, 1);	/* time stamp and flags of a point event */
		fake_put(out, 1);		/* number of parameters */
		fake_put(out, FAKE_WORD);
		fake_put(out, 1u << 24 | 8);
		fake_put(out, 4711);
	}
	return next + (pmid == FAKE_TEXT ? 4 : pmid == FAKE_WIDE ? 3 : pmid == FAKE_EVENT ? 9 : 0);
}

static inline uint32_t fake_set_words(uint32_t pmid)
{
	return pmid == FAKE_WORD ? 9 : pmid - FAKE_WORD <= 3 ? 5 : 2;
}

static inline void fake_result(struct fake_pdu *out, const struct fake_pdu *in, bool highres)
{
	uint32_t n = fake_get(in->bytes + 24), next;

	fake_begin(out, highres ? FAKE_HIGHRES_RESULT : FAKE_RESULT);
	if (highres) {
		fake_put(out, n);
		fake_put(out, 0);
		fake_put(out, 1700000000);
		fake_put(out, 0);
		fake_put(out, 123456789);
	} else {
		fake_put(out, 1700000000);
		fake_put(out, 123456);
		fake_put(out, n);
	}
	next = out->len / 4;
	for (uint32_t i = 0; i < n; i++)
		next += fake_set_words(fake_get(in->bytes + 28 + 4 * i));
	for (uint32_t i = 0; i < n; i++)
		next = fake_put_values(out, fake_get(in->bytes + 28 + 4 * i), false, next);
	for (uint32_t i = 0; i < n; i++)
		fake_put_values(out, fake_get(in->bytes + 28 + 4 * i), true, 0);
}

static inline void fake_instances(struct fake_pdu *out, const struct fake_pdu *in)
{
	static const char *const names[] = { "one", "two", "three of them" };
	uint32_t inst = fake_get(in->bytes + 24), name = fake_get(in->bytes + 28);

	fake_begin(out, FAKE_INSTANCE);
	fake_put(out, FAKE_INDOM);
	if (inst == 0xffffffff && !name) {
		fake_put(out, 3);
		for (uint32_t i = 0; i < 3; i++) {
			fake_put(out, i + 1);
			fake_put_string(out, names[i]);
		}
		return;
	}
	fake_put(out, 1);
	fake_put(out, name ? 2 : 0xffffffff);
	fake_put_string(out, name ? "" : names[inst - 1 < 3 ? inst - 1 : 0]);
}

static inline void fake_names(struct fake_pdu *out, bool status, const char *const *names,
			      uint32_t n)
{
	fake_begin(out, FAKE_NAMES);
	fake_put(out, 0);
	fake_put(out, status ? n : 0);
	fake_put(out, n);
	for (uint32_t i = 0; i < n; i++) {
		if (status)
			fake_put(out, i == 0);
		fake_put_string(out, names[i]);
	}
}

/* Reply with an identifier for every name, except for names below "derived". */
static inline void fake_ids(struct fake_pdu *out, const struct fake_pdu *in)
{
	uint32_t n = fake_get(in->bytes + 20), at = 24, unknown = 0;

	fake_begin(out, FAKE_IDS);
	fake_put(out, n);
	fake_put(out, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t len = fake_get(in->bytes + at);
		bool known = len < 8 || memcmp(in->bytes + at + 4, "derived.", 8);

		fake_put(out, known ? FAKE_PMID(i % 4 + 1) : 0xffffffff);
		unknown += !known;
		at += 4 + (len + 3) / 4 * 4;
	}
	fake_set(out->bytes + 12, n - unknown);
	if (unknown == n)
		fake_error(out, -12357);
}

static inline void fake_labels(struct fake_pdu *out, const struct fake_pdu *in)
{
	static const char json[] = "{\"a\":1,\"bc\":\"d\"}";

	fake_begin(out, FAKE_LABEL);
	fake_put(out, fake_get(in->bytes + 12));
	fake_put(out, fake_get(in->bytes + 16));
	fake_put(out, 0);
	fake_put(out, 1);
	fake_put(out, 0xffffffff);
	fake_put(out, 2);
	fake_put(out, out->len + 8 + 16);
	fake_put(out, strlen(json));
	fake_put(out, 2u << 16 | 1u << 8 | 1);
	fake_put(out, 5u << 16 | 1);
	fake_put(out, 8u << 16 | 2u << 8 | 1);
	fake_put(out, 12u << 16 | 3);
	fake_put_bytes(out, json, strlen(json), false);
}

/* Write the correct reply. Return false for PDUs that pmcd does not answer. */
static inline bool fake_answer(struct fake_pdu *out, const struct fake_pdu *in,
			       struct fake_lies *lies)
{
	static const char *const below[] = { "group", "leaf", "other" };
	static const char *const all[] = { "a.word", "a.text", "a.wide", "a.event" };

	switch (fake_get(in->bytes + 4)) {
	case FAKE_CREDS:
	case FAKE_ATTR:
		return false;
	case FAKE_PROFILE:
		lies->profiles++;
		return false;
	case FAKE_FETCH:
	case FAKE_HIGHRES_FETCH:
		fake_result(out, in, fake_get(in->bytes + 4) == FAKE_HIGHRES_FETCH);
		break;
	case FAKE_DESC_REQ:
		fake_begin(out, FAKE_DESC);
		fake_put_desc(out, fake_get(in->bytes + 12));
		break;
	case FAKE_DESC_IDS:
		fake_begin(out, FAKE_DESCS);
		fake_put(out, fake_get(in->bytes + 16));
		for (uint32_t i = 0; i < fake_get(in->bytes + 16); i++)
			fake_put_desc(out, fake_get(in->bytes + 20 + 4 * i));
		break;
	case FAKE_INSTANCE_REQ:
		fake_instances(out, in);
		break;
	case FAKE_TEXT_REQ:
		fake_begin(out, FAKE_TEXT_REPLY);
		fake_put(out, fake_get(in->bytes + 12));
		fake_put_string(out, "what it is");
		break;
	case FAKE_NAMES:
		fake_ids(out, in);
		break;
	case FAKE_IDS:
		fake_names(out, false, all + 1, 2);
		break;
	case FAKE_CHILD:
		fake_names(out, fake_get(in->bytes + 12), below, 3);
		break;
	case FAKE_TRAVERSE:
		fake_names(out, false, all, 4);
		break;
	case FAKE_LABEL_REQ:
		fake_labels(out, in);
		break;
	case FAKE_RESULT:
		fake_error(out, 0);
		break;
	default:
		fake_error(out, -12366);
	}
	return true;
}

static inline void fake_stall(void)
{
	for (;;)
		pause();
}

static inline void fake_serve(int fd, struct fake_lies *lies)
{
	static struct fake_pdu in, out;
	enum fake_then then = FAKE_GO_ON;

	if (lies->stall)
		fake_stall();
	fake_error(&out, lies->status);
	fake_put(&out, 0x02010000 | lies->features);
	fake_end(&out);
	if (lies->lie)
		then = lies->lie(&out, lies->arg);
	if (then == FAKE_STALL)
		fake_stall();
	if (!fake_io(fd, out.bytes, out.len, true) || lies->status < 0 || then == FAKE_CLOSE)
		return;
	while (fake_receive(fd, &in)) {
		static struct fake_pdu notice;

		if (!fake_answer(&out, &in, lies))
			continue;
		lies->requests++;
		then = FAKE_GO_ON;
		fake_end(&out);
		if (lies->lie)
			then = lies->lie(&out, lies->arg);
		fake_error(&notice, 1);
		fake_end(&notice);
		for (unsigned int i = 0; i < lies->notices; i++)
			if (!fake_io(fd, notice.bytes, notice.len, true))
				return;
		if (!fake_io(fd, out.bytes, out.len, true) || then == FAKE_CLOSE)
			return;
		if (then == FAKE_AGAIN) {
			usleep(1000);
			if (!fake_io(fd, out.bytes, out.len, true))
				return;
			lies->repeats++;
		}
		if (then == FAKE_STALL)
			fake_stall();
	}
}

static inline void fake_listen(int fd, struct fake_lies *lies)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		int client = accept(fd, NULL, NULL);

		if (client < 0)
			continue;
		lies->connections++;
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			close(fd);
			fake_serve(client, lies);
			_exit(0);
		}
		close(client);
	}
}

static inline int fake_start(struct fake_pmcd *fake)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	strcpy(fake->dir, "/tmp/fake_pmcd.XXXXXX");
	fake->lies = mmap(NULL, sizeof(*fake->lies), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || fake->lies == MAP_FAILED || !mkdtemp(fake->dir))
		return -1;
	fake->lies->features = 0xe40;
	snprintf(to.sun_path, sizeof(to.sun_path), "%s/socket", fake->dir);
	snprintf(fake->spec, sizeof(fake->spec), "unix:%s", to.sun_path);
	if (bind(fd, (struct sockaddr *)&to, sizeof(to)) || listen(fd, 300))
		return -1;
	fflush(NULL);
	fake->pid = fork();
	if (!fake->pid)
		fake_listen(fd, fake->lies);
	close(fd);
	return fake->pid < 0 ? -1 : 0;
}

/*
 * Start the server with TCP.  Write "127.0.0.1:PORT" to @spec, and return the PID to kill, or -1.
 */
static inline pid_t fake_start_tcp(struct fake_pmcd *fake, char *spec, size_t size)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	pid_t pid;

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, len) || listen(fd, 10) ||
	    getsockname(fd, (struct sockaddr *)&at, &len))
		return -1;
	snprintf(spec, size, "127.0.0.1:%u", ntohs(at.sin_port));
	fflush(NULL);
	pid = fork();
	if (!pid)
		fake_listen(fd, fake->lies);
	close(fd);
	return pid;
}

static inline void fake_stop(struct fake_pmcd *fake)
{
	char path[64];

	kill(fake->pid, SIGKILL);
	waitpid(fake->pid, NULL, 0);
	snprintf(path, sizeof(path), "%s/socket", fake->dir);
	unlink(path);
	rmdir(fake->dir);
	munmap(fake->lies, sizeof(*fake->lies));
}

#endif /* SELFTESTS_PCP_FAKE_PMCD_H */
