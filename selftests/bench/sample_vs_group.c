// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Measure one sample of 1, 4 and 6 counters: SAMPLE and read() of a set, and read() of a perf group
 * of the same size.
 *
 * In the arm64 VM with -icount shift=0 a nanosecond is an instruction.
 */
#include "counters.h"

#define ROUNDS	20
#define CALLS	1000

struct bench {
	int set, group[MAX_COUNTERS];
	struct vcpc_sample_args args;
	union {
		struct vcpc_sample sample;
		__u64 words[5 + MAX_COUNTERS];
	} room;
	size_t size;
	__u64 group_words[3 + MAX_COUNTERS];
};

static void nothing(struct bench *b)
{
	if (ioctl(b->set, _IO(VCPC_IOC_TYPE, 0xff)) == 0)
		die("an unknown ioctl");
}

static void sample_ioctl(struct bench *b)
{
	if (ioctl(b->set, VCPC_IOC_SAMPLE, &b->args))
		die("SAMPLE");
}

static void sample_read(struct bench *b)
{
	if (read(b->set, &b->room, sizeof(b->room)) != (ssize_t)b->size)
		die("read of the set");
}

static void group_read(struct bench *b)
{
	if (read(b->group[0], b->group_words, sizeof(b->group_words)) <= 0)
		die("read of the group");
}

/* Return the minimum of several rounds, because interrupts only add time. */
static double cost(struct bench *b, void (*call)(struct bench *b))
{
	__u64 start, took, least = ~0ULL;
	int round, i;

	for (round = 0; round < ROUNDS; round++) {
		start = now();
		for (i = 0; i < CALLS; i++)
			call(b);
		took = now() - start;
		if (took < least)
			least = took;
	}
	return (double)least / CALLS;
}

static void compare(unsigned int nr)
{
	const struct event *events = events_for(nr);
	struct bench b = { 0 };
	double by_ioctl, by_read, by_group;

	/*
	 * Open the set and the group one after the other, because the PMU may not have enough
	 * counters for both.
	 */
	b.set = open_set(events, nr);
	b.size = sizeof(b.room.sample) + nr * sizeof(__u64);
	b.args.size = sizeof(b.args);
	b.args.buf = (__u64)(unsigned long)&b.room;
	b.args.buf_size = sizeof(b.room);
	if (nr == 1)
		printf("ioctl without effect\t%.0f ns\n", cost(&b, nothing));
	by_ioctl = cost(&b, sample_ioctl);
	by_read = cost(&b, sample_read);
	close(b.set);
	open_group(events, nr, b.group);
	by_group = cost(&b, group_read);
	close_group(b.group, nr);

	printf("%u %s events\n", nr, events == hardware ? "hardware" : "software");
	printf("SAMPLE of %u\t%.0f ns\t%.3f of the group\n", nr, by_ioctl, by_ioctl / by_group);
	printf("read() of a set of %u\t%.0f ns\t%.3f of the group\n", nr, by_read, by_read / by_group);
	printf("read() of a perf group of %u\t%.0f ns\n", nr, by_group);
}

int main(void)
{
	compare(1);
	compare(4);
	compare(6);
	return 0;
}
