// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses in processes that have exited are resolved through the mappings that the kernel recorded. */
#include "tools_symbols.h"

/* Return whether the kernel permits this process to record the mappings of all processes. */
static bool may_record(void)
{
	struct symbols_events *events = symbols_events_open();

	if (events)
		symbols_events_close(events);
	return events;
}

#define NEEDS_RECORDING()								\
	do {										\
		if (!may_record())							\
			SKIP(return, "the kernel does not permit recording of mappings");	\
	} while (0)

/* Run a new copy of the child until it ends.  Return its process ID, or -1. */
static pid_t run_copy(FIXTURE_DATA(symbols) *self)
{
	pid_t pid = make_copy(self) || start(self) ? -1 : self->child;

	end_child(self);
	return pid;
}

/*
 * If a program exits before symbols_learn() is called, the kernel's records contain its mappings.
 */
TEST_F(symbols, a_program_that_exited_before_it_was_learned)
{
	pid_t pid;

	NEEDS_RECORDING();
	pid = run_copy(self);
	ASSERT_LT(0, pid);
	symbols_read(self->symbols);
	ASSERT_EQ(0, symbols_learn(self->symbols, pid));
	ASSERT_EQ(0, unlink(self->copy));
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	symbols_of_file(self->symbols, pid, self->id, self->told.offset, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
}

TEST_F(symbols, a_program_that_exited_and_was_replaced)
{
	pid_t pid;

	pid = run_copy(self);
	ASSERT_LT(0, pid);
	ASSERT_EQ(0, unlink(self->copy));
	ASSERT_EQ(0, command(self, "cp /bin/true %s"));
	symbols_read(self->symbols);
	symbols_learn(self->symbols, pid);
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_EQ('[', self->symbol.name[0]) {
		TH_LOG("%s", self->symbol.name);
	}
}

/* A process has the mappings that its parent had when it was created, and not its later ones. */
TEST_F(symbols, a_fork_whose_parent_executed_a_program_later)
{
	pid_t pid;

	NEEDS_RECORDING();
	self->forked = mmap(NULL, sizeof(pid_t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			    -1, 0);
	ASSERT_NE(MAP_FAILED, self->forked);
	ASSERT_EQ(0, make_copy(self));
	ASSERT_EQ(0, start(self));
	pid = *self->forked;
	munmap(self->forked, sizeof(pid_t));
	symbols_read(self->symbols);
	EXPECT_EQ(0, symbols_learn(self->symbols, pid));
	symbols_of_process(self->symbols, pid, (unsigned long)planted + 1, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
	symbols_of_process(self->symbols, pid, self->told.address, &self->symbol);
	EXPECT_EQ('[', self->symbol.name[0]) {
		TH_LOG("%s", self->symbol.name);
	}
}

static bool keep_none(const void *arg, pid_t pid)
{
	(void)arg;
	(void)pid;
	return false;
}

/* Map @n files @times times.  Return false if that fails. */
static bool map_files(int n, int times)
{
	for (int i = 0; i < n; i++) {
		int fd = memfd_create("symbols", MFD_CLOEXEC);

		if (ftruncate(fd, 4096))
			return false;
		for (int j = 0; j < times; j++) {
			void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			if (at == MAP_FAILED || munmap(at, 4096))
				return false;
		}
		close(fd);
	}
	return true;
}

/* Return the number of events of a child that maps @n files. */
static size_t record_child(struct symbols_events *events, int n)
{
	pid_t pid = fork();
	size_t recorded;

	if (!pid)
		_exit(!map_files(n, 1));
	waitpid(pid, NULL, 0);
	symbols_events_read(events);
	symbols_events_of(events, pid, &recorded);
	return recorded;
}

/* Mappings that did not fit into the kernel's ring are counted if a process has exited. */
TEST_F(symbols, mappings_that_were_lost)
{
	cpu_set_t all, one;
	pid_t pid;

	NEEDS_RECORDING();
	pid = run_copy(self);
	ASSERT_LT(0, pid);
	symbols_read(self->symbols);
	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	EXPECT_TRUE(map_files(1, 5000));
	symbols_read(self->symbols);
	sched_setaffinity(0, sizeof(all), &all);
	EXPECT_EQ(0, symbols_dropped(self->symbols));
	EXPECT_EQ(0, symbols_learn(self->symbols, pid));
	EXPECT_LT(0, symbols_dropped(self->symbols));
}

/* Files of exited processes leave room for others. */
TEST_F(symbols, many_mapped_files)
{
	struct symbols_events *events;

	NEEDS_RECORDING();
	events = symbols_events_open();
	for (int i = 0; i < 6; i++)
		record_child(events, 800);
	for (int i = 0; i < 2; i++)
		symbols_events_prune(events, keep_none, NULL);
	EXPECT_EQ(101, record_child(events, 100));
	symbols_events_close(events);
}

/* A process that maps files all the time does not displace other processes. */
TEST_F(symbols, a_process_with_many_mappings)
{
	struct symbols_events *events;

	NEEDS_RECORDING();
	events = symbols_events_open();
	for (int i = 0; i < 140; i++) {
		ASSERT_TRUE(map_files(1, 1000));
		symbols_events_read(events);
		symbols_events_prune(events, keep_none, NULL);
	}
	EXPECT_EQ(101, record_child(events, 100));
	symbols_events_close(events);
}

TEST_F(symbols, too_many_open_files_for_a_program_that_exited)
{
	struct rlimit old;
	pid_t pid;

	NEEDS_RECORDING();
	pid = run_copy(self);
	ASSERT_LT(0, pid);
	symbols_read(self->symbols);
	old = limit_files(1);
	symbols_learn(self->symbols, pid);
	setrlimit(RLIMIT_NOFILE, &old);
	EXPECT_LT(0, symbols_dropped(self->symbols));
}

/*
 * The mappings of a parent are read once for all of its children.  A parent with 30,000 mappings and
 * seven ancestors like it delayed the reader by more than a second for each child.
 */
TEST_F(symbols, children_of_one_parent)
{
	unsigned int read[2];
	pid_t children[2];

	NEEDS_RECORDING();
	for (int i = 0; i < 2; i++) {
		children[i] = fork();
		if (!children[i]) {
			pause();
			_exit(0);
		}
	}
	symbols_read(self->symbols);
	for (int i = 0; i < 2; i++) {
		lines = 0;
		EXPECT_EQ(0, symbols_learn(self->symbols, children[i]));
		read[i] = lines;
	}
	EXPECT_GT(read[0], read[1] + 20);
	for (int i = 0; i < 2; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
	symbols_of_process(self->symbols, children[1], (unsigned long)planted, &self->symbol);
	EXPECT_STREQ("planted", self->symbol.name);
}

TEST_HARNESS_MAIN
