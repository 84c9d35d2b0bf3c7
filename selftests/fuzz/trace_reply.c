// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fuzz with libFuzzer: a trace agent sends arbitrary replies, at any time and in arbitrary pieces.
 *
 * The library's connection uses a simulated socket, clock and host: the input determines the result
 * of each call.  No call waits, so the fuzzer makes thousands of connections per second.  The test
 * checks that every call returns within its time limit, that an event is sent either completely or
 * not at all, and that each result is documented.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <linux/vcpc.h>
#include <pcp/trace.h>

#include "trace/tags.h"
#include "trace/transport.h"

#define SECOND		1000000000ull
#define CALLS		60
#define NR_TAGS		4
#define SENT		4096
#define SOCKET		77
#define MAX_ACK		16

/* State of one run */
static struct world {
	const uint8_t *data;
	size_t size, at;
	uint64_t now;
	int open;		/* the library's socket is open */
	/* the program has reused the descriptor's number for another file */
	int stranger;
	unsigned char sent[SENT];
	size_t nsent;		/* number of bytes sent of an incomplete event */
	unsigned long events;
} world;

static void check(int right, const char *what)
{
	if (right)
		return;
	fprintf(stderr, "trace_reply: %s\n", what);
	abort();
}

static unsigned int draw(void)
{
	return world.at < world.size ? world.data[world.at++] : 0;
}

/* The functions below replace system calls. */
int fuzz_socket(int family, int type, int protocol);
int fuzz_setsockopt(int fd, int level, int name, const void *value, socklen_t len);
int fuzz_getsockopt(int fd, int level, int name, void *value, socklen_t *len);
int fuzz_connect(int fd, const struct sockaddr *to, socklen_t len);
int fuzz_poll(struct pollfd *fds, nfds_t n, int ms);
ssize_t fuzz_recv(int fd, void *to, size_t size, int flags);
ssize_t fuzz_send(int fd, const void *from, size_t size, int flags);
int fuzz_close(int fd);
int fuzz_fstat(int fd, struct stat *st);
int fuzz_clock_gettime(clockid_t clock, struct timespec *ts);
int fuzz_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		     struct addrinfo **list);
void fuzz_freeaddrinfo(struct addrinfo *list);

int fuzz_socket(int family, int type, int protocol)
{
	(void)family, (void)type, (void)protocol;
	check(!world.open, "two sockets at the same time");
	if (draw() % 16 == 15) {
		errno = EMFILE;
		return -1;
	}
	world.open = 1;
	world.nsent = 0;
	return SOCKET;
}

int fuzz_setsockopt(int fd, int level, int name, const void *value, socklen_t len)
{
	(void)level, (void)name, (void)value, (void)len;
	check(fd == SOCKET && world.open, "sets an option without a socket");
	return 0;
}

int fuzz_getsockopt(int fd, int level, int name, void *value, socklen_t *len)
{
	static const int errors[] = { 0, 0, 0, ECONNREFUSED, ETIMEDOUT, EHOSTUNREACH };
	int err = errors[draw() % 6];

	(void)level, (void)name;
	check(fd == SOCKET && world.open && *len == sizeof(err), "sets an option without a socket");
	memcpy(value, &err, sizeof(err));
	return 0;
}

int fuzz_connect(int fd, const struct sockaddr *to, socklen_t len)
{
	static const int errors[] = { 0, 0, EINPROGRESS, EINPROGRESS, ECONNREFUSED, EINTR };

	(void)to, (void)len;
	check(fd == SOCKET && world.open, "connects without a socket");
	errno = errors[draw() % 6];
	return errno ? -1 : 0;
}

/*
 * Advance the time.  Waiting without a timeout would never end, because nothing else advances it.
 */
int fuzz_poll(struct pollfd *fds, nfds_t n, int ms)
{
	check(n == 1 && fds->fd == SOCKET && world.open, "waits without a socket");
	check(ms >= 0 && ms <= 10001, "waits too long");
	if (draw() % 4 < 3) {
		world.now += 1000;
		fds->revents = fds->events;
		return 1;
	}
	world.now += (uint64_t)ms * 1000000 + 1000;
	return 0;
}

static ssize_t receive_ack(unsigned char *to, size_t size, int32_t value)
{
	uint32_t ack[4] = { htonl(MAX_ACK), htonl(0x7050), htonl(1), htonl(value) };

	size = size < sizeof(ack) ? size : sizeof(ack);
	memcpy(to, (unsigned char *)ack + (sizeof(ack) - size), size);
	return size;
}

ssize_t fuzz_recv(int fd, void *to, size_t size, int flags)
{
	unsigned char *bytes = to;
	size_t n;

	(void)flags;
	check(fd == SOCKET && world.open, "receives without a socket");
	check(size && size <= MAX_ACK, "an invalid buffer");
	/* Advance the time even if no data arrive, so that a loop ends. */
	world.now += SECOND / 100;
	switch (draw() % 8) {
	case 0:
		errno = EAGAIN;
		return -1;
	case 1:
		errno = draw() % 2 ? EINTR : ECONNRESET;
		return -1;
	case 2:
		return 0;
	case 3:
	case 4:
		n = 1 + draw() % size;
		for (size_t i = 0; i < n; i++)
			bytes[i] = draw();
		return n;
	default:
		return receive_ack(bytes, size, (int8_t)draw());
	}
}

/* Check that the bytes sent form complete events, one after the other. */
static void take_byte(unsigned char byte)
{
	uint32_t size, type;

	check(world.nsent < SENT, "an event without an end");
	world.sent[world.nsent++] = byte;
	if (world.nsent < 8)
		return;
	memcpy(&size, world.sent, sizeof(size));
	memcpy(&type, world.sent + 4, sizeof(type));
	check(ntohl(type) == 0x7051, "an event of the wrong type");
	size = be32toh(size);
	check(size >= 28 && size <= 272, "an event's length");
	if (world.nsent < size)
		return;
	check(world.sent[12] == 1 && world.sent[14] >= 1 && world.sent[14] <= 4, "an event header");
	check(24u + world.sent[13] <= size && !world.sent[24 + world.sent[13] - 1], "an event's tag");
	world.nsent = 0;
	world.events++;
}

ssize_t fuzz_send(int fd, const void *from, size_t size, int flags)
{
	static const int errors[] = { EAGAIN, EAGAIN, EINTR, EPIPE, ECONNRESET };
	const unsigned char *bytes = from;
	unsigned int how = draw() % 8;
	size_t n = size;

	(void)flags;
	check(fd == SOCKET && world.open && size, "sends without a socket");
	world.now += 1000;
	if (how == 7) {
		errno = errors[draw() % 5];
		return -1;
	}
	if (how == 6)
		n = 1 + draw() % size;
	for (size_t i = 0; i < n; i++)
		take_byte(bytes[i]);
	return n;
}

int fuzz_close(int fd)
{
	check(fd == SOCKET && world.open, "closes another file");
	world.open = 0;
	return 0;
}

int fuzz_fstat(int fd, struct stat *st)
{
	(void)fd;
	memset(st, 0, sizeof(*st));
	st->st_mode = S_IFSOCK;
	st->st_ino = world.open ? 4711 : 99;
	return world.open || world.stranger ? 0 : -1;
}

int fuzz_clock_gettime(clockid_t clock, struct timespec *ts)
{
	(void)clock;
	*ts = (struct timespec) { world.now / SECOND, world.now % SECOND };
	return 0;
}

/* Return more addresses than the library uses. */
int fuzz_getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
		     struct addrinfo **list)
{
	static struct sockaddr_in address[8];
	static struct addrinfo info[8];
	unsigned int n = draw() % 9;

	(void)host, (void)service, (void)hints;
	if (!n)
		return EAI_NONAME;
	for (unsigned int i = 0; i < n; i++)
		info[i] = (struct addrinfo) {
			.ai_addr = (struct sockaddr *)&address[i],
			.ai_next = i + 1 < n ? &info[i + 1] : NULL,
		};
	*list = info;
	return 0;
}

void fuzz_freeaddrinfo(struct addrinfo *list)
{
	(void)list;
}

static int send_event(struct shim_process *p, struct shim_tag *tag, unsigned int what, double value)
{
	static const uint32_t ops[] = {
		VCPC_TRACE_POINT, VCPC_TRACE_OBSERVE, VCPC_TRACE_COUNTER,
	};

	static const struct shim_begun begun;

	return what == 3 ? shim_agent__transport.end(p, tag, &begun, value) :
	       shim_agent__transport.value(p, tag, ops[what], value);
}

static void one_call(struct shim_process *p, struct shim_tag *const *tags)
{
	unsigned int how = draw();
	uint64_t start;
	int err;

	if (how % 8 == 7)
		world.now += (uint64_t)draw() * SECOND / 8;
	/* In this case the program has closed all its files, and may have opened others. */
	if (how % 32 == 31) {
		world.open = 0;
		world.stranger = draw() % 2;
	}
	start = world.now;
	err = how & 64 ? shim_agent__transport.connect(p) :
	      send_event(p, tags[how % NR_TAGS], how / NR_TAGS % 4, how);
	check(err <= 0, "success although the call failed");
	/*
	 * The limits are 3 s for all connection attempts, and 10 s each for receiving the greeting,
	 * sending the event, and receiving the acknowledgment.
	 */
	check(world.now - start <= 34 * SECOND, "a call that takes too long");
}

static struct shim_tag *make_tag(const char *name)
{
	size_t len = strlen(name);
	struct shim_tag *tag = calloc(1, sizeof(*tag) + len + 1);

	if (!tag)
		abort();
	tag->len = len;
	memcpy(tag->name, name, len);
	return tag;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct shim_inherited *inherited = shim_process__inherited();
	static struct shim_tag *tags[NR_TAGS];
	static struct shim_process process;
	char longest[SHIM_PDU_MAX_TAG + 1];

	if (!tags[0]) {
		memset(longest, 'x', SHIM_PDU_MAX_TAG);
		longest[SHIM_PDU_MAX_TAG] = '\0';
		tags[0] = make_tag("a");
		tags[1] = make_tag("tag");
		tags[2] = make_tag("a longer tag, with blanks");
		tags[3] = make_tag(longest);
	}
	world = (struct world) { .data = data, .size = size, .now = 1000 * SECOND };
	memset(&process, 0, sizeof(process));
	pthread_mutex_init(&process.lock, NULL);
	atomic_store(&inherited->protocol, draw() % 2 ? SHIM_ASYNC : SHIM_SYNC);
	atomic_store(&inherited->fd, 0);
	for (int i = 0; i < CALLS && world.at < world.size; i++)
		one_call(&process, tags);
	return 0;
}
