// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the files of LOGIMPORT: volumes, contexts that share declarations, a full disk, and a writer
 * that is killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "import_fixture.h"

TEST_F(import, marks_and_volumes)
{
	char path[100];
	struct stat st;

	EXPECT_EQ(0, pmiPutMark());
	EXPECT_EQ(0, pmiNextVolume());
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(0, pmiPutMark());
	EXPECT_EQ(0, pmiPutMark());
	EXPECT_EQ(0, pmiNextVolume());
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	ASSERT_EQ(0, pmiWrite(T0 + 10, 0));
	ASSERT_EQ(0, pmiEnd());
	sprintf(path, "%s.1", self->base);
	EXPECT_EQ(0, stat(path, &st));
	sprintf(path, "%s.2", self->base);
	EXPECT_EQ(-1, stat(path, &st));
	EXPECT_EQ(4, records(self->base));
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_STREQ("nothing", value_at("demo.one", T0 + 5, -1));
	EXPECT_STREQ("2", value_at("demo.one", T0 + 10, -1));
}

TEST_F(import, contexts_inherit)
{
	char other[100];
	int first, second, handle = pmiGetHandle("demo.set", "right");

	ASSERT_EQ(0, pmiPutValueHandle(handle, "1"));
	sprintf(other, "%s/b", self->dir);
	second = pmiStart(other, 1);
	ASSERT_GT(second, 1);
	first = second - 1;
	/* Values are not inherited. */
	EXPECT_EQ(PMI_ERR_NODATA, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiPutValueHandle(handle, "2"));
	ASSERT_EQ(0, pmiWrite(T0 + 100, 0));
	ASSERT_EQ(0, pmiUseContext(first));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	/* A new context can inherit from an ended one until another context becomes current. */
	EXPECT_GT(pmiStart(NULL, 1), second);
	EXPECT_EQ(0, pmiPutValueHandle(handle, "3"));
	EXPECT_EQ(-EINVAL, pmiWrite(T0, 0));
	EXPECT_EQ(PM_ERR_NOCONTEXT, pmiUseContext(first));
	ASSERT_EQ(0, pmiUseContext(second));
	ASSERT_EQ(0, pmiEnd());
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_STREQ("1.000000e+00", value_at("demo.set", T0, 3));
	ASSERT_GE(reopen(other), 0);
	EXPECT_STREQ("2.000000e+00", value_at("demo.set", T0 + 100, 3));
	/* A context without a record creates no files. */
	sprintf(other, "%s/c", self->dir);
	ASSERT_GT(pmiStart(other, 1), 0);
	EXPECT_EQ(0, pmiEnd());
	EXPECT_EQ(-ENOENT, reopen(other));
}

TEST_F(import, one_writes_under_a_name)
{
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_GT(pmiStart(self->base, 1), 1);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	EXPECT_EQ(-EBUSY, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiUseContext(1));
	ASSERT_EQ(0, pmiEnd());
	ASSERT_EQ(0, pmiUseContext(2));
	EXPECT_EQ(-EEXIST, pmiWrite(T0, 0));
	EXPECT_EQ(1, records(self->base));
}

/* Write a record in a forked child.  Return the result's absolute value, or 255. */
static int write_in_child(int value, int sec, bool end)
{
	char text[16];
	int status, ret;
	pid_t pid;

	snprintf(text, sizeof(text), "%d", value);
	pid = fork();
	if (pid)
		return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
	ret = pmiPutValue("demo.one", NULL, text);
	if (!ret)
		ret = pmiWrite(sec, 0);
	if (end) {
		int ended = pmiEnd();

		ret = ret ? ret : ended;
	}
	_exit(-ret);
}

/* A child has its parent's files open.  If both wrote, each would overwrite the other's records. */
TEST_F(import, a_forked_child_does_not_write_its_parents_archive)
{
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	EXPECT_EQ(EBUSY, write_in_child(7, T0 + 5, false));
	EXPECT_EQ(EBUSY, write_in_child(7, T0 + 6, true));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	ASSERT_EQ(0, pmiWrite(T0 + 10, 0));
	ASSERT_EQ(0, pmiEnd());
	EXPECT_EQ(2, records(self->base));
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_STREQ("2", value_at("demo.one", T0 + 10, -1));
}

/* Write a record in a process that ends by forking, as in daemon(3), and another one in its child. */
static void write_as_daemon(const char *base, int fds)
{
	int ret;

	ret = pmiStart(base, 1) < 0 || pmiPutValue("demo.one", NULL, "1") || pmiWrite(T0, 0);
	if (fork())
		_exit(0);
	/* Of two children, only one may continue. */
	ret = ret || pmiPutValue("demo.one", NULL, "2") || pmiWrite(T0 + 10, 0);
	ret = ret || write_in_child(3, T0 + 11, true) != EBUSY;
	ret = ret || pmiPutValue("demo.one", NULL, "4") || pmiWrite(T0 + 20, 0) || pmiEnd();
	if (write(fds, &ret, sizeof(ret)) < 0)
		_exit(1);
	_exit(0);
}

TEST_F(import, the_program_becomes_a_daemon)
{
	char base[100];
	int fds[2], ret = -1;
	pid_t pid;

	ASSERT_EQ(0, pipe(fds));
	sprintf(base, "%s/daemon", self->dir);
	pid = fork();
	if (!pid)
		write_as_daemon(base, fds[1]);
	ASSERT_EQ(pid, waitpid(pid, NULL, 0));
	ASSERT_EQ((ssize_t)sizeof(ret), read(fds[0], &ret, sizeof(ret)));
	EXPECT_EQ(0, ret);
	EXPECT_EQ(3, records(base));
	ASSERT_GE(reopen(base), 0);
	EXPECT_STREQ("2", value_at("demo.one", T0 + 10, -1));
	EXPECT_STREQ("4", value_at("demo.one", T0 + 20, -1));
}

#define OTHERS		40
#define MANY_OTHERS	1000	/* more than the lowest number of the library's descriptors */

/* Close all descriptors, as daemons do, and open @n files: more than the library had open. */
static void close_and_open_others(const char *path, int *others, int n)
{
	close_range(3, ~0U, 0);
	for (int i = 0; i < n; i++)
		others[i] = open(path, O_RDWR | O_CREAT, 0600);
}

/* Return whether all files are still open and empty. */
static int others_are_unharmed(const int *others, int n)
{
	struct stat st;

	for (int i = 0; i < n; i++)
		if (fstat(others[i], &st) || st.st_size)
			return 0;
	return 1;
}

/* The program's files then have the numbers of the archive's. */
TEST_F(import, the_program_closes_all_descriptors)
{
	int others[OTHERS];
	char path[100];

	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	sprintf(path, "%s/other", self->dir);
	close_and_open_others(path, others, OTHERS);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	EXPECT_EQ(-EBADF, pmiWrite(T0 + 1, 0));
	EXPECT_EQ(-EBADF, pmiEnd());
	EXPECT_TRUE(others_are_unharmed(others, OTHERS));
	EXPECT_EQ(1, records(self->base));
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_STREQ("1", value_at("demo.one", T0, -1));
	close_and_open_others(path, others, OTHERS);
	EXPECT_EQ(0, pmDestroyContext(pmWhichContext()));
	EXPECT_TRUE(others_are_unharmed(others, OTHERS));
}

/* One of the program's files then has the number of the volume. */
TEST_F(import, the_program_then_opens_many_files)
{
	const struct rlimit limit = { MANY_OTHERS + 100, MANY_OTHERS + 100 };
	int others[MANY_OTHERS];
	char path[100];

	if (setrlimit(RLIMIT_NOFILE, &limit))
		SKIP(return, "cannot open %d files", MANY_OTHERS);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	sprintf(path, "%s/other", self->dir);
	close_and_open_others(path, others, MANY_OTHERS);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	EXPECT_EQ(-EBADF, pmiWrite(T0 + 1, 0));
	EXPECT_EQ(-EBADF, pmiEnd());
	EXPECT_TRUE(others_are_unharmed(others, MANY_OTHERS));
	EXPECT_EQ(1, records(self->base));
}

/* As daemons do.  The archive's name is relative, and later volumes are in the former directory. */
TEST_F(import, the_program_changes_its_directory)
{
	char path[100];
	struct stat st;

	ASSERT_EQ(0, chdir(self->dir));
	ASSERT_EQ(0, mkdir("elsewhere", 0700));
	ASSERT_GT(pmiStart("b", 1), 0);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, chdir("elsewhere"));
	EXPECT_EQ(0, pmiNextVolume());
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	EXPECT_EQ(0, pmiWrite(T0 + 1, 0));
	EXPECT_EQ(0, pmiEnd());
	sprintf(path, "%s/b.1", self->dir);
	EXPECT_EQ(0, stat(path, &st));
	ASSERT_EQ(0, chdir(self->dir));
	ASSERT_GE(reopen("b"), 0);
	ASSERT_EQ(0, chdir("elsewhere"));
	EXPECT_STREQ("1", value_at("demo.one", T0, -1));
	EXPECT_STREQ("2", value_at("demo.one", T0 + 1, -1));
	/* The open archive does not have this name in another directory. */
	EXPECT_EQ(-ENOENT, pmNewContext(PM_CONTEXT_ARCHIVE, "b"));
}

#define NOBODY	65534

/* Open the archive "b" of the current directory as another user.  Return the user's error. */
static int open_as_nobody(void)
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(setgid(NOBODY) || setuid(NOBODY) ? 255 : -reopen("b") & 255);
	return waitpid(pid, &status, 0) == pid ? WEXITSTATUS(status) : -1;
}

/* A relative name works in a directory whose parent the user may not enter. */
TEST_F(import, its_directory_cannot_be_reached)
{
	if (geteuid())
		SKIP(return, "only root can change the user");
	ASSERT_EQ(0, chdir(self->dir));
	ASSERT_EQ(0, mkdir("open", 0755));
	ASSERT_EQ(0, chdir("open"));
	ASSERT_GT(pmiStart("b", 1), 0);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	ASSERT_EQ(0, system("chmod 644 b.*"));
	EXPECT_EQ(0, open_as_nobody());
}

/* The first volume is read from the file that was opened, even if it was removed or replaced. */
TEST_F(import, its_files_are_removed)
{
	char command[100];

	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	sprintf(command, "rm %s.*", self->base);
	ASSERT_GE(reopen(self->base), 0);
	ASSERT_EQ(0, system(command));
	EXPECT_STREQ("1", value_at("demo.one", T0, -1));
	/* The archive can be read repeatedly, but not opened again. */
	EXPECT_STREQ("1", value_at("demo.one", T0, -1));
	EXPECT_EQ(-ENOENT, pmNewContext(PM_CONTEXT_ARCHIVE, self->base));
}

/* Fetch the next record.  Return the metric's value, which is small, or an error. */
static int next_value(const char *name)
{
	pmID pmid = pmid_of(name);
	pmResult *result;
	int err, value;

	err = pmFetch(1, &pmid, &result);
	if (err)
		return err;
	value = result->vset[0]->vlist[0].value.pval->vbuf[0];
	pmFreeResult(result);
	return value;
}

/* A reader learns of the volumes that are lost, even if it has read nothing yet. */
TEST_F(import, its_volumes_are_removed)
{
	char command[200];

	for (int i = 0; i < 4; i++) {
		ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
		ASSERT_EQ(0, pmiWrite(T0 + i, 0));
		ASSERT_EQ(0, pmiNextVolume());
	}
	ASSERT_EQ(0, pmiEnd());
	sprintf(command, "rm %s.1 %s.3", self->base, self->base);
	ASSERT_GE(reopen(self->base), 0);
	ASSERT_EQ(0, system(command));
	EXPECT_EQ(1, next_value("demo.one"));
	EXPECT_EQ(PM_ERR_LOGREC, next_value("demo.one"));
	EXPECT_EQ(1, next_value("demo.one"));
	EXPECT_EQ(PM_ERR_LOGREC, next_value("demo.one"));
	EXPECT_EQ(PM_ERR_EOL, next_value("demo.one"));
	/* A volume that did not exist when the archive was opened is not reported. */
	ASSERT_EQ(0, pmDestroyContext(pmWhichContext()));
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_EQ(1, next_value("demo.one"));
	EXPECT_EQ(1, next_value("demo.one"));
	EXPECT_EQ(PM_ERR_EOL, next_value("demo.one"));
}

TEST_F(import, its_files_are_replaced)
{
	char command[300], other[90];

	sprintf(other, "%s/b", self->dir);
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "1"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	ASSERT_GT(pmiStart(other, 0), 0);
	ASSERT_EQ(0, pmiAddMetric("demo.one", pmiID(60, 0, 1), PM_TYPE_U64, PM_INDOM_NULL,
				  PM_SEM_INSTANT, NONE));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	ASSERT_EQ(0, pmiWrite(T0 - 1, 0));
	ASSERT_EQ(0, pmiPutValue("demo.one", NULL, "2"));
	ASSERT_EQ(0, pmiWrite(T0, 0));
	ASSERT_EQ(0, pmiEnd());
	sprintf(command, "for i in 0 index meta; do mv %s.$i %s.$i || exit; done", other,
		self->base);
	ASSERT_GE(reopen(self->base), 0);
	ASSERT_EQ(0, system(command));
	EXPECT_STREQ("1", value_at("demo.one", T0, -1));
	ASSERT_GE(reopen(self->base), 0);
	EXPECT_STREQ("2", value_at("demo.one", T0, -1));
}

/*
 * After a failure the archive is unchanged.  Once there is space, the same record can be written.
 */
TEST_F(import, a_full_disk)
{
	struct rlimit room = { 0, RLIM_INFINITY };
	int good = 0, refused = 0;

	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < 300; i++) {
		char text[16];

		sprintf(text, "%d", i);
		ASSERT_EQ(0, pmiPutValue("demo.one", NULL, text));
		ASSERT_EQ(0, pmiPutValue("demo.text", NULL, "some text that takes room"));
		room.rlim_cur = 500 + 37 * i;
		ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
		if (pmiWrite(T0 + i, 0)) {
			refused++;
			ASSERT_EQ(good ? good : PM_ERR_NODATA, records(self->base)) {
				TH_LOG("record %d", i);
			}
			room.rlim_cur = RLIM_INFINITY;
			ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &room));
			ASSERT_EQ(0, pmiWrite(T0 + i, 0));
		}
		good++;
	}
	ASSERT_EQ(0, pmiEnd());
	EXPECT_GT(refused, 50);
	EXPECT_EQ(300, records(self->base));
}

TEST_F_TIMEOUT(import, killed_at_any_moment, 1200)
{
	unsigned int seed = 5, longest = 8000;
	int opened = 0;

	for (int round = 0; round < 100 || (opened <= 50 && round < 1000); round++) {
		char command[160];
		int status, n;
		pid_t pid = fork();

		for (int i = 0; !pid; i++) {
			char name[32];

			sprintf(name, "instance %d", i);
			pmiAddInstance(INDOM, name, 100 + i);
			pmiPutValue("demo.set", name, "1");
			pmiPutValue("demo.one", NULL, "2");
			if (i % 40 == 39)
				pmiNextVolume();
			if (pmiWrite(T0 + i, 0))
				_exit(1);
		}
		usleep(rand_r(&seed) % longest);
		kill(pid, SIGKILL);
		ASSERT_EQ(pid, waitpid(pid, &status, 0));
		ASSERT_TRUE(WIFSIGNALED(status));
		n = records(self->base);
		if (n > 0)
			opened++;
		else
			ASSERT_TRUE(n == -ENOENT || n == PM_ERR_NODATA || n == PM_ERR_LOGFILE) {
				TH_LOG("round %d: %s", round, pmErrStr(n));
			}
		/* On a busy machine, it takes longer until the archive can be opened. */
		if (opened * 4 < round * 3 && longest < 1000000)
			longest += longest / 8;
		sprintf(command, "rm -f %s.*", self->base);
		ASSERT_EQ(0, system(command));
	}
	EXPECT_GT(opened, 50);
}

TEST_HARNESS_MAIN
