// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Import data as a typical program does: create an archive of numbers derived from a seed, and
 * print the result of each call.  The program is built with libshim and with PCP's library.
 *
 * usage: import_demo ARCHIVE VERSION SEED
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcp/pmapi.h>
#include <pcp/import.h>

#define METRICS	24
#define RECORDS	240

static unsigned int seed;

static unsigned int random_below(unsigned int n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 8) % n;
}

static void say(const char *what, int code)
{
	printf("%s %d\n", what, code);
}

static pmInDom domain_of(int i)
{
	return i % 4 == 3 ? pmiInDom(245, (i / 4) % 3) : PM_INDOM_NULL;
}

static const char *name_of(int i)
{
	static char name[32];

	snprintf(name, sizeof(name), "demo.%c.m%d", 'a' + i % 5, i);
	return name;
}

static void describe(void)
{
	static const int sems[] = { PM_SEM_COUNTER, PM_SEM_INSTANT, PM_SEM_DISCRETE };

	for (int i = 0; i < METRICS; i++) {
		pmID pmid = i % 2 ? PM_ID_NULL : pmiID(245, 7, i);
		pmUnits units = i % 3 ? pmiUnits(0, 0, 1, 0, 0, PM_COUNT_ONE) :
					pmiUnits(1, -1, 0, PM_SPACE_KBYTE, PM_TIME_SEC, 0);
		char text[64];

		say("metric", pmiAddMetric(name_of(i), pmid, i % 7, domain_of(i), sems[i % 3],
					   units));
		snprintf(text, sizeof(text), "what %d is", i);
		if (i % 2 == 0)
			say("text", pmiPutText(PM_TEXT_PMID, PM_TEXT_ONELINE, pmid, text));
	}
	say("again", pmiAddMetric(name_of(0), PM_ID_NULL, PM_TYPE_32, PM_INDOM_NULL,
				  PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)));
	say("id", pmiAddMetric("demo.other", pmiID(245, 7, 0), PM_TYPE_32, PM_INDOM_NULL,
			       PM_SEM_INSTANT, pmiUnits(0, 0, 0, 0, 0, 0)));
	say("label", pmiPutLabel(PM_LABEL_CONTEXT, 0, 0, "site", "north 3"));
	say("label", pmiPutLabel(PM_LABEL_DOMAIN, 245, 0, "agent", "demo"));
}

/* Add instances in ascending order, as PCP's library requires. */
static void add_instance(int serial, int i)
{
	char name[32];

	snprintf(name, sizeof(name), "inst%d of %d", i, serial);
	say("instance", pmiAddInstance(pmiInDom(245, serial), name, i * 10));
}

static void put(int i, int instances)
{
	char value[40], instance[32];
	int inst = (int)random_below(instances);

	switch (i % 7) {
	case PM_TYPE_FLOAT:
	case PM_TYPE_DOUBLE:
		snprintf(value, sizeof(value), "%u.%03u", random_below(100000), random_below(1000));
		break;
	case PM_TYPE_STRING:
		snprintf(value, sizeof(value), "word %u", random_below(1000));
		break;
	default:
		snprintf(value, sizeof(value), "%u", random_below(1 << 20) * (i % 3 + 1));
		break;
	}
	if (domain_of(i) == PM_INDOM_NULL) {
		say("put", pmiPutValue(name_of(i), NULL, value));
		return;
	}
	snprintf(instance, sizeof(instance), "inst%d of %d", inst, (i / 4) % 3);
	say("put", pmiPutValue(name_of(i), instance, value));
}

int main(int argc, char **argv)
{
	int instances = 3, time = 1600000000;

	if (argc != 4)
		return 2;
	seed = (unsigned int)atoi(argv[3]);
	say("start", pmiStart(argv[1], 0));
	say("version", pmiSetVersion(atoi(argv[2])));
	say("host", pmiSetHostname("demo.example"));
	say("zone", pmiSetTimezone("EST5"));
	describe();
	for (int serial = 0; serial < 3; serial++)
		for (int i = 0; i < instances; i++)
			add_instance(serial, i);
	for (int r = 0; r < RECORDS; r++) {
		if (r % 50 == 49) {
			for (int serial = 0; serial < 3; serial++)
				add_instance(serial, instances);
			instances++;
		}
		for (unsigned int i = random_below(6); i < METRICS; i += 1 + random_below(6))
			put((int)i, instances);
		say("write", pmiWrite(time, (int)random_below(1000000)));
		if (random_below(20) == 0)
			say("mark", pmiPutMark());
		time += 1 + (int)random_below(30);
	}
	say("end", pmiEnd());
	return 0;
}
