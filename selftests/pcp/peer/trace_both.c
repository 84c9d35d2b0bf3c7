// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Make the same trace calls with PCP's library and with ours in one process, at the same time, so
 * that their times can be compared.
 *
 * usage: trace_both PCP'S-LIBRARY OUR-LIBRARY
 */
#include <dlfcn.h>
#include <stdio.h>
#include <unistd.h>

enum { PCP, OURS, LIBRARIES };

typedef int tag_fn(const char *tag);
typedef int value_fn(const char *tag, double value);

struct library {
	tag_fn *begin, *end, *abort, *point;
	value_fn *obs, *counter;
};

static struct library libraries[LIBRARIES];
static int bad;

static void *find(void *handle, const char *name)
{
	void *symbol = dlsym(handle, name);

	bad |= !symbol;
	return symbol;
}

/* Load each library privately, because both define the same names. */
static int load(const char *path, struct library *lib)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		fprintf(stderr, "trace_both: %s\n", dlerror());
		return -1;
	}
	lib->begin = find(handle, "pmtracebegin");
	lib->end = find(handle, "pmtraceend");
	lib->abort = find(handle, "pmtraceabort");
	lib->point = find(handle, "pmtracepoint");
	lib->obs = find(handle, "pmtraceobs");
	lib->counter = find(handle, "pmtracecounter");
	return bad ? -1 : 0;
}

/* Begin and end with PCP's call, so that the difference is the time that our own calls take. */
static void transaction(const char *tag, useconds_t us, int aborted)
{
	const struct library *pcp = &libraries[PCP], *ours = &libraries[OURS];

	bad |= pcp->begin(tag) || ours->begin(tag);
	usleep(us);
	if (aborted)
		bad |= ours->abort(tag) || pcp->abort(tag);
	else
		bad |= ours->end(tag) || pcp->end(tag);
}

static void values(const struct library *lib)
{
	for (int i = 0; i < 7; i++)
		bad |= lib->point("passed");
	for (int i = 0; i < 5; i++)
		bad |= lib->obs("seen", i - 2.25);
	for (int i = 0; i < 3; i++)
		bad |= lib->counter("grows", 1e6 * i);
	bad |= lib->point("short") || lib->obs("short", 0.5) || lib->counter("short", 4);
}

int main(int argc, char **argv)
{
	if (argc != 3 || load(argv[1], &libraries[PCP]) || load(argv[2], &libraries[OURS]))
		return 2;
	for (int i = 0; i < 20; i++)
		transaction("short", 10000, 0);
	transaction("short", 1000, 1);
	for (int i = 0; i < 4; i++)
		transaction("long", 40000 + 20000 * i, 0);
	for (int i = 0; i < LIBRARIES; i++)
		values(&libraries[i]);
	return bad;
}
