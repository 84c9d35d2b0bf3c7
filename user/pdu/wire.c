// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A connection to pmcd: a stream socket that transmits whole PDUs.
 *
 * No call waits beyond its deadline, regardless of what the peer does.  No signals are used or
 * sent, and the arrival of a signal does not end a wait early.
 *
 * Threads: only one thread at a time may use a connection.  The list of all connections is guarded
 * by list_lock, which is held only to link and unlink connections.  fork() also acquires list_lock,
 * so that the child finds a consistent list.  The child closes each socket, because two processes
 * cannot share a stream of requests and replies.
 *
 * The program may have closed all descriptors (closefrom(3)), and then opened files with the same
 * numbers.  Therefore a socket is closed or used for a request only if it is still the one that was
 * opened here.  Checking this with fstat(2) for each request would take a tenth of a fetch's time.
 * Therefore requests over TCP carry a transmission time, which TCP ignores: if the number no longer
 * refers to a socket with SO_TXTIME, the kernel rejects the whole message.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/net_tstamp.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/now.h"
#include "base/process.h"
#include "pdu.h"
#include "wire.h"

#define NSEC_PER_SEC	1000000000LL
#define NSEC_PER_MSEC	1000000LL
#define FIRST_ROOM	(16u << 10)
#define KEPT_ROOM	(1u << 20)	/* a larger buffer is freed after its PDU */
#define SAME_NS		NSEC_PER_MSEC	/* a fetch repeated this soon may get the same values */

static struct shim_wire *connections;

static void close_ours(struct shim_fd fd)
{
	if (fd.nr >= 0 && shim_fd__is_ours(fd))
		shim_fd__close(fd);
}

/* Called in the child, which holds list_lock because fork() has acquired it. */
static void after_fork_child(void)
{
	for (struct shim_wire *w = connections; w; w = w->next) {
		close_ours(w->fd);
		w->fd = SHIM_NO_FD;
		w->forked = true;
	}
	connections = NULL;
}

static struct shim_siglock list_lock = SHIM_SIGLOCK_INITIALIZER(2, after_fork_child);

static int link_in(struct shim_wire *w, struct shim_fd fd)
{
	int err = shim_fork__wait_for(&list_lock);

	if (err)
		return err;
	shim_siglock__enter(&list_lock);
	w->fd = fd;
	w->forked = false;
	w->prev = NULL;
	w->next = connections;
	if (w->next)
		w->next->prev = w;
	connections = w;
	shim_siglock__leave(&list_lock);
	return 0;
}

/* Remove a connection from the list.  Return the descriptor, which the caller closes. */
static struct shim_fd link_out(struct shim_wire *w)
{
	struct shim_fd fd;

	/*
	 * Do not take the lock for a connection that was never linked: fork() waits for the lock
	 * only once a connection has been linked.
	 */
	if (w->fd.nr < 0)
		return SHIM_NO_FD;
	shim_siglock__enter(&list_lock);
	fd = w->fd;
	if (fd.nr >= 0) {
		if (w->next)
			w->next->prev = w->prev;
		if (w->prev)
			w->prev->next = w->next;
		else
			connections = w->next;
		w->fd = SHIM_NO_FD;
	}
	shim_siglock__leave(&list_lock);
	return fd;
}

void shim_wire__init(struct shim_wire *w)
{
	memset(w, 0, sizeof(*w));
	w->fd = SHIM_NO_FD;
}

void shim_wire__close(struct shim_wire *w)
{
	close_ours(link_out(w));
	w->forked = false;
	w->in_len = 0;
	w->in_taken = 0;
}

void shim_wire__fini(struct shim_wire *w)
{
	shim_wire__close(w);
	shim_buf__free(&w->out);
	shim_buf__free(&w->asked);
	free(w->in);
	w->in = NULL;
	w->in_room = 0;
}

void shim_wire__start(struct shim_wire *w, int64_t timeout_ns)
{
	w->began = shim_now_ns();
	w->deadline = w->began + timeout_ns;
}

/* Wait until the socket is ready for @events.  Return 0, -ETIMEDOUT, or -errno. */
static int await(int fd, short events, int64_t deadline)
{
	struct pollfd p = { .fd = fd, .events = events };

	for (;;) {
		int64_t left = deadline - shim_now_ns();
		struct timespec t = { left / NSEC_PER_SEC, left % NSEC_PER_SEC };
		int n;

		if (left <= 0)
			return -ETIMEDOUT;
		n = ppoll(&p, 1, &t, NULL);
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

/* Wait until a pending connect has succeeded or failed. */
static int finish_connect(int fd, int64_t deadline)
{
	int err = await(fd, POLLOUT, deadline), status = ECONNREFUSED;
	socklen_t len = sizeof(status);

	if (err)
		return err;
	getsockopt(fd, SOL_SOCKET, SO_ERROR, &status, &len);
	/*
	 * ECONNRESET means that the socket was connected but has been reset since.  A server that
	 * rejects a client may have sent the reason before, which can still be received.
	 */
	return status == ECONNRESET ? 0 : -status;
}

/*
 * Retry until the deadline.  If the backlog is full, a UNIX socket's connect(2) fails with EAGAIN,
 * and poll(2) cannot wait for it.
 */
static int retry_connect(int fd, const struct sockaddr *to, socklen_t len, int64_t deadline)
{
	static const struct timespec pause = { .tv_nsec = 10 * NSEC_PER_MSEC };

	for (;;) {
		if (!connect(fd, to, len))
			return 0;
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		if (shim_now_ns() >= deadline)
			return -ETIMEDOUT;
		nanosleep(&pause, NULL);
	}
}

static int try_connect(int fd, const struct sockaddr *to, socklen_t len, int64_t deadline)
{
	if (to->sa_family == AF_UNIX)
		return retry_connect(fd, to, len, deadline);
	if (!connect(fd, to, len))
		return 0;
	/* Report all other errors with one code, as PCP does, because programs compare it. */
	if (errno != EINPROGRESS && errno != EINTR)
		return -ECONNREFUSED;
	return finish_connect(fd, deadline);
}

/*
 * Make the socket blocking, so that a reply takes one call.  sendmsg() is passed MSG_DONTWAIT.  If a
 * call fails, the connection is only slower.
 */
static void settle(int fd, int family)
{
	int one = 1;

	if (family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	fcntl(fd, F_SETFL, O_RDWR);
}

/* Return whether the kernel will reject marked messages on other sockets. */
static bool mark(int fd, int family)
{
	const struct sock_txtime on = { .clockid = CLOCK_MONOTONIC };

	return family != AF_UNIX && !setsockopt(fd, SOL_SOCKET, SO_TXTIME, &on, sizeof(on));
}

static int connect_to(struct shim_wire *w, const struct sockaddr *to, socklen_t len,
		      int64_t timeout_ns)
{
	int nr = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct shim_fd fd;
	int err;

	if (nr < 0)
		return -errno;
	err = shim_fd__own(nr, &fd);
	if (err)
		return err;
	err = try_connect(fd.nr, to, len, shim_now_ns() + timeout_ns);
	if (err) {
		shim_fd__close(fd);
		return err;
	}
	settle(fd.nr, to->sa_family);
	w->local = to->sa_family == AF_UNIX;
	w->marked = mark(fd.nr, to->sa_family);
	w->from = getpid();
	w->patience_ns = 0;
	w->in_len = 0;
	w->in_taken = 0;
	shim_buf__reset(&w->asked);
	err = link_in(w, fd);
	if (err)
		shim_fd__close(fd);
	return err;
}

static void set_port(struct sockaddr *to, int port)
{
	/* The port is truncated to 16 bits, as in PCP. */
	if (to->sa_family == AF_INET)
		((struct sockaddr_in *)to)->sin_port = htons((uint16_t)port);
	else if (to->sa_family == AF_INET6)
		((struct sockaddr_in6 *)to)->sin6_port = htons((uint16_t)port);
}

int shim_wire__connect_host(struct shim_wire *w, const char *host, int port, int64_t timeout_ns)
{
	const struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int err = getaddrinfo(host, NULL, &hints, &list);

	if (err == EAI_MEMORY || (err == EAI_SYSTEM && errno == ENOMEM))
		return -ENOMEM;
	if (err)
		return -EHOSTUNREACH;
	err = -EHOSTUNREACH;
	for (struct addrinfo *i = list; i; i = i->ai_next) {
		set_port(i->ai_addr, port);
		err = connect_to(w, i->ai_addr, i->ai_addrlen, timeout_ns);
		if (!err)
			break;
	}
	freeaddrinfo(list);
	return err;
}

int shim_wire__connect_path(struct shim_wire *w, const char *path, int64_t timeout_ns)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = strlen(path);

	if (len >= sizeof(to.sun_path))
		return -ENAMETOOLONG;
	memcpy(to.sun_path, path, len + 1);
	return connect_to(w, (struct sockaddr *)&to, sizeof(to), timeout_ns);
}

static bool is_fetch(const struct shim_buf *pdu)
{
	uint32_t type = pdu->len >= SHIM_PDU_HEADER ? shim_be32__get(pdu->data + 4) : 0;

	return type == SHIM_PDU_FETCH || type == SHIM_PDU_HIGHRES_FETCH;
}

/*
 * Return whether the request is a fetch identical to one sent very recently.  An unexpected reply
 * would then be harmless: it contains values of the same metrics, with their time.  Therefore a
 * loop of fetches need not check each time for an unexpected reply; only the first request after a
 * pause checks.
 */
static bool is_again(const struct shim_wire *w)
{
	return w->began - w->asked_at < SAME_NS && w->out.len == w->asked.len && is_fetch(&w->out) &&
	       !memcmp(w->out.data, w->asked.data, w->out.len);
}

/*
 * Check that there is no data to receive before a request is sent, because the protocol is half
 * duplex.
 */
static int is_quiet(struct shim_wire *w)
{
	char byte;
	ssize_t n;

	if (w->in_taken < w->in_len)
		return -EBADMSG;
	if (!(w->marked ? shim_fd__is_latest(w->fd) : shim_fd__is_ours(w->fd)))
		return -ECONNRESET;
	if (is_again(w))
		return 0;
	n = recv(w->fd.nr, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	if (n > 0)
		return -EBADMSG;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -ECONNRESET;
}

/* Like send(2).  If @w is marked, the call fails on a socket for which mark() was not called. */
static ssize_t send_marked(struct shim_wire *w, const uint8_t *data, size_t len)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(uint64_t))];
	} mark = { .room = { 0 } };	/* the kernel reads all of it; the time is 0 */
	struct iovec part = { .iov_base = (void *)(uintptr_t)data, .iov_len = len };
	const struct msghdr m = { .msg_iov = &part, .msg_iovlen = 1, .msg_control = &mark,
				  .msg_controllen = w->marked ? sizeof(mark) : 0 };

	mark.head.cmsg_len = CMSG_LEN(sizeof(uint64_t));
	mark.head.cmsg_level = SOL_SOCKET;
	mark.head.cmsg_type = SCM_TXTIME;
	return sendmsg(w->fd.nr, &m, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void note_asked(struct shim_wire *w)
{
	struct shim_buf before = w->asked;

	w->asked = w->out;
	w->asked_at = w->began;
	w->out = before;
}

int shim_wire__send(struct shim_wire *w)
{
	size_t done = 0;
	int err;

	if (w->out.err)
		return w->out.err;
	err = is_quiet(w);
	while (!err && done < w->out.len) {
		ssize_t n = send_marked(w, w->out.data + done, w->out.len - done);

		if (n >= 0)
			done += n;
		else if (errno == EAGAIN)
			err = await(w->fd.nr, POLLOUT, w->deadline);
		else if (errno != EINTR)
			err = -ECONNRESET;
	}
	note_asked(w);
	return err;
}

/*
 * Provide space to receive more of a PDU of @need bytes.  Double the buffer only when it is full.
 */
static int make_room(struct shim_wire *w, size_t need)
{
	size_t room = w->in_room ? w->in_room : FIRST_ROOM;
	uint8_t *in;

	if (w->in_taken) {
		memmove(w->in, w->in + w->in_taken, w->in_len - w->in_taken);
		w->in_len -= w->in_taken;
		w->in_taken = 0;
	}
	if (w->in_room && w->in_len < w->in_room)
		return 0;
	if (w->in_room)
		room *= 2;
	if (w->in_len == 0 && need <= FIRST_ROOM)
		room = FIRST_ROOM;
	in = realloc(w->in, room);
	if (!in)
		return -ENOMEM;
	w->in = in;
	w->in_room = room;
	return 0;
}

void shim_wire__expect(struct shim_wire *w, int64_t timeout_ns)
{
	/*
	 * Use slightly less than the timeout, so that a wait that begins after the start still ends
	 * before the deadline.
	 */
	int64_t ns = timeout_ns - timeout_ns / 8;
	struct timeval t = { ns / NSEC_PER_SEC, ns % NSEC_PER_SEC / 1000 };

	if (t.tv_sec || t.tv_usec)	/* 0 would mean no timeout */
		w->patience_ns = setsockopt(w->fd.nr, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t)) ? 0 : ns;
}

/*
 * Usually the reply has not arrived yet, and one blocking recv(2) is cheaper than a failing recv(2)
 * followed by poll(2).  Therefore block if SO_RCVTIMEO ends the wait before the deadline; poll(2)
 * waits for the rest.
 */
static int receive_flags(const struct shim_wire *w)
{
	return w->patience_ns && w->deadline - shim_now_ns() >= w->patience_ns ? 0 : MSG_DONTWAIT;
}

static int receive_some(struct shim_wire *w)
{
	for (;;) {
		ssize_t n = recv(w->fd.nr, w->in + w->in_len, w->in_room - w->in_len,
				 receive_flags(w));
		int err;

		if (n > 0) {
			w->in_len += n;
			return 0;
		}
		if (n == 0)
			return -ECONNRESET;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -ECONNRESET;
		err = await(w->fd.nr, POLLIN, w->deadline);
		if (err)
			return err == -ETIMEDOUT ? err : -ECONNRESET;
	}
}

/* Receive until at least @need unconsumed bytes are available. */
static int fill(struct shim_wire *w, size_t need)
{
	while (w->in_len - w->in_taken < need) {
		int err = make_room(w, need);

		if (!err)
			err = receive_some(w);
		if (err)
			return err;
	}
	return 0;
}

static void drop_large(struct shim_wire *w)
{
	if (w->in_room <= KEPT_ROOM || w->in_taken < w->in_len)
		return;
	free(w->in);
	w->in = NULL;
	w->in_room = 0;
	w->in_len = 0;
	w->in_taken = 0;
}

int shim_wire__receive(struct shim_wire *w, struct shim_pdu *pdu)
{
	uint32_t len;
	int err;

	drop_large(w);
	err = fill(w, SHIM_PDU_HEADER);
	if (err)
		return err;
	len = shim_be32__get(w->in + w->in_taken);
	if (len < SHIM_PDU_HEADER || len > SHIM_WIRE_MAX)
		return -EBADMSG;
	err = fill(w, len);
	if (err)
		return err;
	shim_pdu__of(pdu, w->in + w->in_taken, len);
	w->in_taken += len;
	return 0;
}

int shim_wire__receive_line(struct shim_wire *w, char line[SHIM_WIRE_LINE_MAX])
{
	for (size_t len = 0; len < SHIM_WIRE_LINE_MAX; len++) {
		int err = fill(w, 1);

		if (err)
			return err;
		line[len] = (char)w->in[w->in_taken++];
		if (line[len] == '\n' || line[len] == '\r') {
			line[len] = '\0';
			return 0;
		}
	}
	return -EBADMSG;
}
