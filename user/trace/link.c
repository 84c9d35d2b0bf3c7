// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Encode events and decode acknowledgements in the trace agent's protocol, and maintain a TCP
 * connection to the agent.  The program never waits longer than the timeouts in the environment.
 *
 * The first attempt to connect is synchronous, so that its caller gets the error.  Later
 * attempts continue in the background: each call checks the progress of the current one.  No
 * signals or timers are used.
 *
 * The socket is non-blocking.  SO_LINGER is not set, so data that the socket has accepted is
 * delivered even if the process exits immediately.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <pcp/trace.h>

#include "base/fd.h"
#include "env.h"
#include "link.h"

#define TYPE_ACK	0x7050
#define TYPE_DATA	0x7051
#define VERSION		1
#define FLAG_SYNC	0x80
#define TAG_AT		24	/* offset of the tag in a DATA message */
#define FILLER		'~'

/*
 * The agent reads an asynchronous stream 1024 bytes at a time, and closes the connection if a read
 * ends within a header; the events in flight are lost.  If all sizes are multiples of 64, which
 * divides 1024, no header crosses the end of a read.  A read ends early where the received data
 * ends, which is at the end of a TCP segment, so the sizes of segments are also multiples of 64
 * bytes.  The kernel subtracts the 12 bytes of the timestamp option from TCP_MAXSEG.
 */
#define ASYNC_UNIT	64
#define SEGMENT		(20 * ASYNC_UNIT + 12)	/* fits into an MTU of 1332 */
#define LOCAL_SEGMENT	(256 * ASYNC_UNIT + 12)	/* less than half of the first window */

static void put_word(unsigned char *to, uint32_t word)
{
	word = htobe32(word);
	memcpy(to, &word, sizeof(word));
}

static uint32_t get_word(const unsigned char *from)
{
	uint32_t word;

	memcpy(&word, from, sizeof(word));
	return be32toh(word);
}

static void put_double(unsigned char *to, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	bits = htobe64(bits);
	memcpy(to, &bits, sizeof(bits));
}

static size_t round_up(size_t n, size_t unit)
{
	return (n + unit - 1) / unit * unit;
}

/**
 * shim_pdu__encode() - encode an event
 * @bytes: filled in
 * @event: the event
 *
 * Return: the number of bytes.
 */
size_t shim_pdu__encode(unsigned char bytes[SHIM_PDU_MAX_SIZE], const struct shim_pdu_event *event)
{
	size_t tag_size = event->tag_len + 1;
	size_t size = round_up(TAG_AT + tag_size, event->sync ? 4 : ASYNC_UNIT);

	put_word(bytes, size);
	put_word(bytes + 4, TYPE_DATA);
	put_word(bytes + 8, event->pid);
	bytes[12] = VERSION;
	bytes[13] = tag_size;
	bytes[14] = event->kind;
	bytes[15] = event->sync ? FLAG_SYNC : 0;
	put_double(bytes + 16, event->value);
	memcpy(bytes + TAG_AT, event->tag, event->tag_len);
	bytes[TAG_AT + event->tag_len] = '\0';
	memset(bytes + TAG_AT + tag_size, FILLER, size - TAG_AT - tag_size);
	return size;
}

/**
 * shim_pdu__decode_ack() - decode an acknowledgement
 * @bytes: the bytes from the agent
 * @value: the version (greeting), the kind of event, or a negative PMTRACE_ERR_*
 *
 * Return: 0, or -EPROTO if the bytes are not an acknowledgement.
 */
int shim_pdu__decode_ack(const unsigned char bytes[SHIM_PDU_ACK_SIZE], int32_t *value)
{
	if (get_word(bytes) != SHIM_PDU_ACK_SIZE || get_word(bytes + 4) != TYPE_ACK)
		return -EPROTO;
	*value = (int32_t)get_word(bytes + 12);
	return 0;
}

/* Return the inode number of a socket; 0 if the descriptor is not a socket. */
uint64_t shim_link__inode(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode) ? st.st_ino : 0;
}

/*
 * Return whether the descriptor is still this socket: the program may have closed it, and another
 * file may have reused its number.
 */
static int is_ours(const struct shim_link *link)
{
	return shim_link__inode(link->fd) == link->inode;
}

static void hang_up(struct shim_link *link)
{
	if (link->phase != SHIM_LINK_DOWN && is_ours(link))
		close(link->fd);
	link->phase = SHIM_LINK_DOWN;
	link->in_len = 0;
	link->rest_len = 0;
}

/**
 * shim_link__lose() - give up a connection; a later call opens another one
 * @link: the connection
 * @err: the reason
 */
void shim_link__lose(struct shim_link *link, int err)
{
	hang_up(link);
	shim_retry__failed(&link->retry, err);
}

static void add_address(struct shim_link *link, struct in_addr address)
{
	struct sockaddr_in *to = &link->address[link->nr_addresses];

	if (link->nr_addresses == SHIM_LINK_ADDRESSES)
		return;
	*to = (struct sockaddr_in) {
		.sin_family = AF_INET,
		.sin_port = htons(shim_env__port()),
		.sin_addr = address,
	};
	link->nr_addresses++;
}

static int add_host(struct shim_link *link, const char *host)
{
	const struct addrinfo hints = { .ai_family = AF_INET, .ai_socktype = SOCK_STREAM };
	struct addrinfo *list;
	int err = getaddrinfo(host, NULL, &hints, &list);

	if (err == EAI_MEMORY || (err == EAI_SYSTEM && errno == ENOMEM))
		return -ENOMEM;
	if (err)
		return -EHOSTUNREACH;
	for (struct addrinfo *i = list; i; i = i->ai_next)
		add_address(link, ((struct sockaddr_in *)i->ai_addr)->sin_addr);
	freeaddrinfo(list);
	return 0;
}

/* If PCP_TRACE_HOST is not set, use this host's loopback address and its own name. */
static int find_addresses(struct shim_link *link)
{
	const char *host = shim_env__host();
	char own[256];

	link->connect_ns = shim_env__connect_ns();
	link->answer_ns = shim_env__answer_ns();
	link->nr_addresses = 0;
	link->next = 0;
	if (host)
		return add_host(link, host);
	add_address(link, (struct in_addr) { htonl(INADDR_LOOPBACK) });
	if (!gethostname(own, sizeof(own)) && memchr(own, '\0', sizeof(own)))
		add_host(link, own);
	return 0;
}

static int new_socket(void)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : shim_fd__above_standard(fd);
}

/* Store the descriptor of a socket that is being connected. */
static int take_socket(struct shim_link *link, int fd, uint64_t now)
{
	link->inode = shim_link__inode(fd);
	if (!link->inode) {	/* hang_up() would not close the socket */
		close(fd);
		return -EBADF;
	}
	link->fd = fd;
	link->phase = SHIM_LINK_CONNECTING;
	link->deadline_ns = now + link->connect_ns;
	return 0;
}

static void set_options(int fd, const struct sockaddr_in *to)
{
	int is_local = ntohl(to->sin_addr.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
	int max_segment = is_local ? LOCAL_SEGMENT : SEGMENT;
	int one = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &max_segment, sizeof(max_segment));
}

/* Start connecting to the next address. */
static int dial(struct shim_link *link, uint64_t now)
{
	const struct sockaddr_in *to = &link->address[link->next];
	int fd;

	link->next = (link->next + 1) % link->nr_addresses;
	fd = new_socket();
	if (fd < 0)
		return fd;
	set_options(fd, to);
	if (connect(fd, (const struct sockaddr *)to, sizeof(*to)) && errno != EINPROGRESS) {
		int err = -errno;

		close(fd);
		return err;
	}
	return take_socket(link, fd, now);
}

static int see_connected(struct shim_link *link, uint64_t now)
{
	struct pollfd poller = { .fd = link->fd, .events = POLLOUT };
	socklen_t size = sizeof(int);
	int err = 0;

	if (poll(&poller, 1, 0) <= 0)
		return now < link->deadline_ns ? -EAGAIN : PMTRACE_ERR_TIMEOUT;
	if (getsockopt(link->fd, SOL_SOCKET, SO_ERROR, &err, &size))
		return -errno;
	if (err)
		return -err;
	link->phase = SHIM_LINK_GREETING;
	/*
	 * A host can accept a connection for a suspended agent, so the timeout for connecting still
	 * applies.
	 */
	if (link->deadline_ns > now + link->answer_ns)
		link->deadline_ns = now + link->answer_ns;
	return 0;
}

/*
 * Receive an acknowledgement into @value.  Return 0, -EAGAIN, -ECONNRESET at the end of the stream,
 * or another errno.
 */
static int receive(struct shim_link *link, int32_t *value)
{
	ssize_t n = recv(link->fd, link->in + link->in_len, sizeof(link->in) - link->in_len, 0);

	if (n < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	if (!n)
		return -ECONNRESET;
	link->in_len += n;
	if (link->in_len < sizeof(link->in))
		return -EAGAIN;
	link->in_len = 0;
	return shim_pdu__decode_ack(link->in, value);
}

static int see_greeting(struct shim_link *link, uint64_t now)
{
	int32_t value;
	int err = receive(link, &value);

	if (err == -EAGAIN)
		return now < link->deadline_ns ? -EAGAIN : PMTRACE_ERR_TIMEOUT;
	if (err)
		return err == -EPROTO ? PMTRACE_ERR_IPC : err;
	if (value < 0)
		return value;
	link->phase = SHIM_LINK_UP;
	link->retry.failures = 0;
	link->was_up = 1;
	return 0;
}

/* Return 0 when connected, -EAGAIN if the caller must wait, or the error. */
static int step(struct shim_link *link)
{
	uint64_t now = shim_clock__now();
	int err = 0;

	if (link->phase == SHIM_LINK_DOWN)
		err = dial(link, now);
	if (!err && link->phase == SHIM_LINK_CONNECTING)
		err = see_connected(link, now);
	if (!err && link->phase == SHIM_LINK_GREETING)
		err = see_greeting(link, now);
	return err;
}

/*
 * Wait until @events occur or the deadline has passed.  Timeouts are rounded up to whole
 * milliseconds.
 */
static void wait_for(const struct shim_link *link, short events, uint64_t deadline_ns)
{
	struct pollfd poller = { .fd = link->fd, .events = events };
	uint64_t now = shim_clock__now();

	if (now < deadline_ns)
		poll(&poller, 1, (deadline_ns - now) / 1000000 + 1);
}

/* Try one address, and wait until it is connected or has failed. */
static int try_now(struct shim_link *link, uint64_t deadline_ns)
{
	int err;

	for (;;) {
		err = step(link);
		if (err != -EAGAIN)
			return err;
		if (link->deadline_ns > deadline_ns)
			link->deadline_ns = deadline_ns;
		wait_for(link, link->phase == SHIM_LINK_CONNECTING ? POLLOUT : POLLIN,
			 link->deadline_ns);
	}
}

/* Make the first attempt: try all addresses one after the other, and wait. */
static int connect_first(struct shim_link *link)
{
	uint64_t deadline_ns;
	int err = find_addresses(link);

	if (err)
		return err;
	deadline_ns = shim_clock__now() + link->connect_ns;
	for (unsigned int i = 0; i < link->nr_addresses; i++) {
		/*
		 * Report the first error: it normally concerns the loopback address, and the user
		 * can fix it.
		 */
		int again = try_now(link, deadline_ns);

		if (!again)
			return 0;
		hang_up(link);
		err = err ? err : again;
		if (shim_clock__now() >= deadline_ns)
			break;
	}
	return err;
}

/* In later attempts, check the progress of the current attempt, or start one if it is due. */
static int connect_later(struct shim_link *link)
{
	if (link->phase == SHIM_LINK_DOWN && shim_clock__now() < link->retry.at_ns)
		return -EAGAIN;
	if (link->phase != SHIM_LINK_DOWN && !is_ours(link))
		hang_up(link);
	if (link->phase == SHIM_LINK_DOWN && !link->nr_addresses) {
		int err = find_addresses(link);

		if (err)
			return err;
	}
	return step(link);
}

/**
 * shim_link__up() - check whether the connection is up, and try to connect if an attempt is due
 * @link: the connection
 *
 * This function waits only when first called: at most PCP_TRACE_TIMEOUT for connection and
 * greeting together, over all addresses, and at most PCP_TRACE_REQTIMEOUT for the greeting.
 *
 * Return: 0, or the error from the last attempt: a negated errno, PMTRACE_ERR_TIMEOUT,
 *	PMTRACE_ERR_IPC, or the agent's error (PMTRACE_ERR_PERMISSION, ...).
 */
int shim_link__up(struct shim_link *link)
{
	int err;

	if (link->phase == SHIM_LINK_UP) {
		if (is_ours(link))
			return 0;
		hang_up(link);
		link->retry.at_ns = 0;
		link->retry.error = -EBADF;
	}
	err = link->retry.failures || link->was_up ? connect_later(link) : connect_first(link);
	if (err == -EAGAIN)
		return link->retry.error;
	if (err)
		shim_link__lose(link, err);
	return err;
}

/*
 * Send as much as the socket accepts.  Return the number of bytes, or a negated errno if it accepts
 * nothing.
 */
static ssize_t send_some(struct shim_link *link, const unsigned char *bytes, size_t size)
{
	ssize_t n;

	do {
		n = send(link->fd, bytes, size, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

/**
 * shim_link__send() - send an event, and wait until the socket has accepted all of it
 * @link: the connection, which is up
 * @bytes: the event
 * @size: length of the event
 *
 * Return: 0, PMTRACE_ERR_TIMEOUT, or a negated errno; after a failure, the stream is
 * unusable.
 */
int shim_link__send(struct shim_link *link, const unsigned char *bytes, size_t size)
{
	uint64_t deadline_ns = 0;

	while (size) {
		ssize_t n = send_some(link, bytes, size);

		if (n < 0 && n != -EAGAIN)
			return n;
		if (n > 0) {
			bytes += n;
			size -= n;
			continue;
		}
		if (!deadline_ns)
			deadline_ns = shim_clock__now() + link->answer_ns;
		if (shim_clock__now() >= deadline_ns)
			return PMTRACE_ERR_TIMEOUT;
		wait_for(link, POLLOUT, deadline_ns);
	}
	return 0;
}

static int send_rest(struct shim_link *link)
{
	ssize_t n;

	if (!link->rest_len)
		return 0;
	n = send_some(link, link->rest, link->rest_len);
	if (n < 0)
		return n;
	link->rest_len -= n;
	memmove(link->rest, link->rest + n, link->rest_len);
	return link->rest_len ? -EAGAIN : 0;
}

/**
 * shim_link__offer() - send an event if the socket accepts it now
 * @link: the connection, which is up
 * @bytes: the event
 * @size: length of the event, at most SHIM_PDU_MAX_SIZE
 *
 * An event is accepted completely or not at all.  If the socket accepts only part of it, the rest
 * is saved and sent before the next event.
 *
 * Return: 0, -EAGAIN if the socket's buffer is full, or another errno if the connection is lost.
 */
int shim_link__offer(struct shim_link *link, const unsigned char *bytes, size_t size)
{
	ssize_t n = send_rest(link);

	if (n)
		return n;
	n = send_some(link, bytes, size);
	if (n < 0)
		return n;
	link->rest_len = size - n;
	memcpy(link->rest, bytes + n, link->rest_len);
	return 0;
}

/**
 * shim_link__answer() - wait for the agent's acknowledgement
 * @link: the connection, which is up
 * @value: set to the acknowledgement's value
 *
 * Return: 0, PMTRACE_ERR_TIMEOUT, or a negated errno; after a failure the stream is unusable.
 */
int shim_link__answer(struct shim_link *link, int32_t *value)
{
	uint64_t deadline_ns = shim_clock__now() + link->answer_ns;

	for (;;) {
		int err = receive(link, value);

		if (err != -EAGAIN)
			return err;
		if (shim_clock__now() >= deadline_ns)
			return PMTRACE_ERR_TIMEOUT;
		wait_for(link, POLLIN, deadline_ns);
	}
}
