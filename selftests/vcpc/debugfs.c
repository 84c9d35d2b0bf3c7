// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc/sets in debugfs: all sets, for root only. */
#include <sys/mount.h>
#include <sys/stat.h>

#include "exec_child.h"
#include "heirs.h"
#include "overflow.h"
#include "thief.h"
#include "vcpc_test.h"

#define FOLDER	"/sys/kernel/debug"
#define FILE_NAME	FOLDER "/vcpc/sets"

FIXTURE(debugfs)
{
	char text[1 << 16];
};

FIXTURE_SETUP(debugfs)
{
	if (access(FOLDER "/vcpc", F_OK))
		ASSERT_EQ(0, mount("debugfs", FOLDER, "debugfs", 0, NULL));
}

FIXTURE_TEARDOWN(debugfs)
{
}

static bool text_read(char *text, size_t size)
{
	FILE *f = fopen(FILE_NAME, "re");
	size_t len;

	if (!f)
		return false;
	len = fread(text, 1, size - 1, f);
	text[len] = '\0';
	fclose(f);
	return true;
}

/* The lines of the set that this process made */
static char *own_set(char *text)
{
	char head[64], *at, *end;

	snprintf(head, sizeof(head), "set uid 0 pid %d ", getpid());
	at = strstr(text, head);
	end = at ? strstr(at + 1, "\nset ") : NULL;
	if (end)
		*end = '\0';
	return at;
}

/* A user's line of the file "users"; all 0 without one */
static void users_line(unsigned int uid, unsigned int *sets, unsigned int *counters, unsigned int *tags)
{
	FILE *f = fopen(FOLDER "/vcpc/users", "re");
	unsigned int u, s, c, t;

	*sets = *counters = *tags = 0;
	while (f && fscanf(f, "user %u sets %u counters %u tags %u\n", &u, &s, &c, &t) == 4)
		if (u == uid) {
			*sets = s;
			*counters = c;
			*tags = t;
		}
	if (f)
		fclose(f);
}

TEST_F(debugfs, what_each_user_has)
{
	struct vcpc_request requests[] = { page_faults, page_faults };
	unsigned int sets, counters, tags, sets_before, counters_before;
	int one, other;

	users_line(0, &sets_before, &counters_before, &tags);
	one = overflow_set(requests, 2, 0, 0);
	other = overflow_set(requests, 1, 0, 0);
	ASSERT_LE(0, one);
	ASSERT_LE(0, other);
	users_line(0, &sets, &counters, &tags);
	EXPECT_EQ(sets_before + 2, sets);
	EXPECT_EQ(counters_before, counters);
	ASSERT_EQ(0, set_bind(one, 0, 0));
	users_line(0, &sets, &counters, &tags);
	EXPECT_LE(counters_before + 2, counters);
	close(one);
	close(other);
	users_line(0, &sets, &counters, &tags);
	EXPECT_EQ(sets_before, sets);
	users_line(4000000000u, &sets, &counters, &tags);
	EXPECT_EQ(0, sets);
}

TEST_F(debugfs, owners_requests_instances_states)
{
	struct vcpc_request request = page_faults;
	char line[128];
	char *at;
	int set;

	request.preset = 4711;
	set = set_of(&request, 0);
	ASSERT_GE(set, 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_TREE, 0));
	if (!fork())
		_exit(0);
	wait(NULL);
	ASSERT_TRUE(text_read(self->text, sizeof(self->text)));
	at = own_set(self->text);
	ASSERT_NE(NULL, at);
	EXPECT_NE(NULL, strstr(at, "requests 1 instances 2\n"));
	EXPECT_NE(NULL, strstr(at, " request 0 type 1 config 0x2 flags 0x1 preset 4711\n"));
	snprintf(line, sizeof(line), " bind %d flags 0x4 instances 2 folded 0 pending 0\n",
		 getpid());
	EXPECT_NE(NULL, strstr(at, line));
	snprintf(line, sizeof(line), "  thread %d process %d counting\n", getpid(), getpid());
	EXPECT_NE(NULL, strstr(at, line));
	EXPECT_NE(NULL, strstr(at, " counting exited\n"));

	ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, 0));
	ASSERT_TRUE(text_read(self->text, sizeof(self->text)));
	snprintf(line, sizeof(line), "  thread %d process %d stopped\n", getpid(), getpid());
	at = own_set(self->text);
	ASSERT_NE(NULL, at);
	EXPECT_NE(NULL, strstr(at, line));

	close(set);
	ASSERT_TRUE(text_read(self->text, sizeof(self->text)));
	EXPECT_EQ(NULL, own_set(self->text));
}

/* More than a page of text */
TEST_F(debugfs, many_sets)
{
	int sets[300];
	char *at;
	int i, n;

	for (i = 0; i < 300; i++) {
		sets[i] = set_of(&page_faults, 0);
		ASSERT_GE(sets[i], 0);
	}
	ASSERT_TRUE(text_read(self->text, sizeof(self->text)));
	for (at = self->text, n = 0; (at = strstr(at, "set uid 0")); at++)
		n++;
	EXPECT_GE(n, 300);
	for (i = 0; i < 300; i++)
		close(sets[i]);
}

static int peeps(void *arg)
{
	(void)arg;
	if (become_nobody())
		return 2;
	return open(FILE_NAME, O_RDONLY) < 0 && errno == EACCES ? 0 : 1;
}

TEST_F(debugfs, nobody_else)
{
	struct stat st;

	ASSERT_EQ(0, stat(FILE_NAME, &st));
	EXPECT_EQ(0400, st.st_mode & 07777);
	EXPECT_EQ(0, st.st_uid);
	EXPECT_EQ(0, in_child(peeps, NULL));
}

TEST_F(debugfs, which_cpu)
{
	int set = set_of(&cpu_clock, 0);
	char *at;

	ASSERT_EQ(0, cpu_bind(set, 0, 0));
	ASSERT_TRUE(text_read(self->text, sizeof(self->text)));
	at = own_set(self->text);
	ASSERT_NE(NULL, at);
	EXPECT_NE(NULL, strstr(at, "\n bind cpu 0 flags 0x10 instances 1 folded 0 pending 0\n"));
	EXPECT_NE(NULL, strstr(at, "\n  cpu 0 counting\n"));
	ASSERT_EQ(0, cpu_target(set, VCPC_IOC_DISABLE, 0));
	ASSERT_TRUE(text_read(self->text, sizeof(self->text)));
	at = own_set(self->text);
	ASSERT_NE(NULL, at);
	EXPECT_NE(NULL, strstr(at, "\n  cpu 0 stopped\n"));
	close(set);
}

/* What is said of the only thread of the only set */
static bool is_said(char *text, size_t size, pid_t pid, const char *state)
{
	char line[128], *at;

	if (!text_read(text, size))
		return false;
	snprintf(line, sizeof(line), "  thread %d process %d %s\n", pid, pid, state);
	at = own_set(text);
	return at && strstr(at, line);
}

TEST_F(debugfs, frozen_and_counting_again)
{
	const struct vcpc_request req = overflowing(&page_faults, 10);
	int set = overflow_set(&req, 1, 0, 0);

	ASSERT_EQ(0, set_bind(set, 0, 0));
	touch(10);
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), getpid(), "frozen"));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_ENABLE, 0));
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), getpid(), "counting"));
	close(set);
}

TEST_F(debugfs, waiting_and_stopped)
{
	int set = set_of(&page_faults, 0);
	struct child c;
	char byte;

	if (child_fork(&c))
		_exit(read(0, &byte, 1) < 0);
	ASSERT_EQ(0, set_bind(set, VCPC_BIND_F_ENABLE_ON_EXEC, c.pid));
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), c.pid, "waiting"));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_ENABLE, c.pid));
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), c.pid, "counting"));
	ASSERT_EQ(0, set_target(set, VCPC_IOC_DISABLE, c.pid));
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), c.pid, "stopped"));
	child_end(&c);
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), c.pid, "stopped exited"));
	close(set);
}

TEST_F(debugfs, invalid)
{
	int set, loot[LOOT];
	struct room room;

	if (!hw_slots())
		SKIP(return, "no hardware counters");
	ASSERT_EQ(0, run_on(0));
	set = set_of(&cycles, 0);
	ASSERT_EQ(0, set_bind(set, 0, 0));
	take_all_counters(loot);
	give_counters_back(loot);
	EXPECT_EQ(-EAGAIN, set_sample(set, 0, &room));
	EXPECT_TRUE(is_said(self->text, sizeof(self->text), getpid(), "counting invalid"));
	close(set);
}

TEST_HARNESS_MAIN
