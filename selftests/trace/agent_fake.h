/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Run a trace agent whose behavior the test determines, in a thread or in a separate process. */
#ifndef AGENT_FAKE_H
#define AGENT_FAKE_H

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#include "trace_test.h"

/* How an agent behaves.  If all members are 0, it behaves correctly. */
struct agent_manners {
	int greeting;		/* sent instead of 1 */
	int no_greeting;
	int split;		/* acknowledgments are sent byte by byte */
	int answer;		/* reply to events with this code */
	int no_answer;
	int hang_up_after;	/* close a connection after this number of events */
	int slow;		/* do not read */
	unsigned int garbage;	/* if not 0, reply with random bytes from this seed */
};

struct agent {
	int fd;
	pthread_t thread;
	struct agent_manners manners;
	_Atomic int stop;
	_Atomic int connections;
	_Atomic int events;
	_Atomic int kinds[5];
	_Atomic int bad;	/* invalid events */
	_Atomic int synchronous;	/* events that require an answer */
	int segment;		/* bytes in the TCP segments of the last connection */
	double value;		/* value of the last event */
	char tag[256];
};

static inline void agent_say(int fd, const struct agent *agent, int32_t value)
{
	uint32_t ack[4] = { htonl(16), htonl(0x7050), htonl(1), htonl(value) };

	for (size_t at = 0; at < sizeof(ack); at += agent->manners.split ? 1 : sizeof(ack)) {
		if (agent->manners.split)
			usleep(500);
		if (send(fd, (char *)ack + at, agent->manners.split ? 1 : sizeof(ack),
			 MSG_NOSIGNAL) < 0)
			return;
	}
}

static inline void agent_babble(int fd, unsigned int *seed)
{
	unsigned char bytes[64];
	size_t len = rand_r(seed) % sizeof(bytes);

	for (size_t i = 0; i < len; i++)
		bytes[i] = rand_r(seed);
	/* Send nearly correct replies in half of the cases. */
	if (len >= 16 && rand_r(seed) % 2) {
		uint32_t ack[4] = { htonl(16), htonl(0x7050), htonl(1),
				    htonl(rand_r(seed) % 12 - 6) };

		memcpy(bytes, ack, sizeof(ack));
		bytes[rand_r(seed) % 16] ^= rand_r(seed) % 4 ? 0 : rand_r(seed);
		len = 16;
	}
	if (len)
		send(fd, bytes, len, MSG_NOSIGNAL);
}

/* Return whether all @size bytes arrived. */
static inline int agent_read(struct agent *agent, int fd, void *to, size_t size)
{
	struct pollfd poller = { .fd = fd, .events = POLLIN };
	size_t have = 0;

	while (have < size) {
		ssize_t n;

		if (poll(&poller, 1, 20) <= 0) {
			if (atomic_load(&agent->stop))
				return 0;
			continue;
		}
		n = recv(fd, (char *)to + have, size - have, 0);
		if (n <= 0)
			return 0;
		have += n;
	}
	return 1;
}

/* Return whether the tag ends at its length, with the same padding as PCP's own clients use. */
static inline int agent_is_whole(const unsigned char *bytes, uint32_t size)
{
	uint32_t end = 24 + bytes[13];

	if (bytes[15] & 0x7f || bytes[end - 1] || size % 4)
		return 0;
	while (end < size && bytes[end] == '~')
		end++;
	return end == size;
}

static inline int agent_take(struct agent *agent, int fd, int *kind, int *sync)
{
	unsigned char bytes[512];
	uint32_t size;
	uint64_t bits;

	if (!agent_read(agent, fd, bytes, 24))
		return 0;
	size = ntohl(*(uint32_t *)bytes);
	if (size < 28 || size > 272 || ntohl(*(uint32_t *)(bytes + 4)) != 0x7051 ||
	    bytes[12] != 1 || bytes[13] < 2 || bytes[13] > 125 || !bytes[14] || bytes[14] > 4 ||
	    24u + bytes[13] > size) {
		atomic_fetch_add(&agent->bad, 1);
		return 0;
	}
	if (!agent_read(agent, fd, bytes + 24, size - 24))
		return 0;
	if (!agent_is_whole(bytes, size))
		atomic_fetch_add(&agent->bad, 1);
	memcpy(&bits, bytes + 16, sizeof(bits));
	bits = be64toh(bits);
	memcpy(&agent->value, &bits, sizeof(bits));
	memcpy(agent->tag, bytes + 24, bytes[13]);
	*kind = bytes[14];
	*sync = bytes[15] >> 7;
	atomic_fetch_add(&agent->synchronous, *sync);
	atomic_fetch_add(&agent->kinds[*kind], 1);
	atomic_fetch_add(&agent->events, 1);
	return 1;
}

static inline void agent_serve(struct agent *agent, int fd)
{
	const struct agent_manners *manners = &agent->manners;
	unsigned int seed = manners->garbage;
	int taken = 0, kind, sync;

	if (seed && rand_r(&seed) % 4 == 0)
		agent_babble(fd, &seed);
	else if (!manners->no_greeting)
		agent_say(fd, agent, manners->greeting ? manners->greeting : 1);
	while (manners->slow && !atomic_load(&agent->stop))
		usleep(10000);
	while (agent_take(agent, fd, &kind, &sync)) {
		if (manners->hang_up_after && ++taken >= manners->hang_up_after)
			return;
		if (seed)
			agent_babble(fd, &seed);
		else if (sync && !manners->no_answer)
			agent_say(fd, agent, manners->answer ? manners->answer : kind);
	}
}

static void *agent_client(void *arg);

struct agent_call {
	struct agent *agent;
	int fd;
};

static inline void *agent_run(void *arg)
{
	struct agent *agent = arg;
	struct pollfd poller = { .fd = agent->fd, .events = POLLIN };
	pthread_t clients[256];
	int n = 0;

	while (!atomic_load(&agent->stop)) {
		struct agent_call *call;
		int fd;

		if (poll(&poller, 1, 20) <= 0)
			continue;
		fd = accept(agent->fd, NULL, NULL);
		if (fd < 0)
			continue;
		atomic_fetch_add(&agent->connections, 1);
		if (getsockopt(fd, IPPROTO_TCP, TCP_MAXSEG, &agent->segment, &(socklen_t) { 4 }))
			abort();
		call = malloc(sizeof(*call));
		*call = (struct agent_call) { agent, fd };
		if (n < 256 && !pthread_create(&clients[n], NULL, agent_client, call))
			n++;
		else
			abort();
	}
	while (n)
		pthread_join(clients[--n], NULL);
	return NULL;
}

static void *agent_client(void *arg)
{
	struct agent_call *call = arg;

	agent_serve(call->agent, call->fd);
	close(call->fd);
	free(call);
	return NULL;
}

/* Listen on a loopback port (any port if 0), and set PCP_TRACE_PORT for the library. */
static inline int agent_listen(struct agent *agent, in_port_t port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port),
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof(at);
	char text[16];
	int one = 1;

	agent->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	setsockopt(agent->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(agent->fd, (struct sockaddr *)&at, size) || listen(agent->fd, 64) ||
	    getsockname(agent->fd, (struct sockaddr *)&at, &size))
		return -1;
	snprintf(text, sizeof(text), "%d", ntohs(at.sin_port));
	setenv("PCP_TRACE_PORT", text, 1);
	setenv("PCP_TRACE_HOST", "127.0.0.1", 1);
	setenv("SHIM_TRACE", "agent", 1);
	return ntohs(at.sin_port);
}

static inline int agent_start(struct agent *agent, in_port_t port, struct agent_manners manners)
{
	int at;

	memset(agent, 0, sizeof(*agent));
	agent->manners = manners;
	at = agent_listen(agent, port);
	if (at < 0 || pthread_create(&agent->thread, NULL, agent_run, agent))
		return -1;
	return at;
}

/* Stop the agent.  When this returns, it has read all data that were sent. */
static inline void agent_stop(struct agent *agent)
{
	atomic_store(&agent->stop, 1);
	pthread_join(agent->thread, NULL);
	close(agent->fd);
}

/*
 * Start an agent in a separate process.  A test that forks should have no other thread, because the
 * child would inherit a lock that the other thread holds.
 */
static inline struct agent *agent_start_apart(struct agent_manners manners, pid_t *pid)
{
	struct agent *agent = mmap(NULL, sizeof(*agent), PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (agent == MAP_FAILED)
		return NULL;
	agent->manners = manners;
	if (agent_listen(agent, 0) < 0)
		return NULL;
	*pid = fork();
	if (!*pid) {
		agent_run(agent);
		_exit(0);
	}
	close(agent->fd);
	return *pid > 0 ? agent : NULL;
}

static inline void agent_stop_apart(struct agent *agent, pid_t pid)
{
	atomic_store(&agent->stop, 1);
	waitpid(pid, NULL, 0);
}

static inline double seconds_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec + ts.tv_nsec / 1e9;
}

#endif /* AGENT_FAKE_H */
