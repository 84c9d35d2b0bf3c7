// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Who may count what: the device's node is root's until the administrator lets others in; to be
 * let in allows one's own threads in user mode; for more, the module's parameter paranoid and
 * kernel.perf_event_paranoid must both allow it, or the caller has CAP_PERFMON.
 */
#include "attack.h"
#include "cpu.h"
#include "vcpc_test.h"

#define PARAMETER	"/sys/module/vcpc/parameters/paranoid"
#define PERFS		"/proc/sys/kernel/perf_event_paranoid"

/* What is allowed, as bits; what none of the tests expects is the last one. */
enum { OWN_USER = 1, OWN_KERNEL = 2, A_CPU = 4, SAME_USER = 8, OTHER_USER = 16, BROKEN = 128 };

static int read_number(const char *path)
{
	FILE *f = fopen(path, "re");
	int value;

	if (!f || fscanf(f, "%d", &value) != 1)
		abort();
	fclose(f);
	return value;
}

static void write_number(const char *path, int value)
{
	FILE *f = fopen(path, "we");

	if (!f || fprintf(f, "%d\n", value) < 0 || fclose(f))
		abort();
}

/* A process that can be counted by who may; ends when it is killed */
static pid_t start(uid_t uid)
{
	int ends[2];
	char byte;
	pid_t pid;

	if (pipe(ends))
		abort();
	pid = fork();
	if (!pid) {
		if (become_user(uid) || write(ends[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	if (read(ends[0], &byte, 1) != 1)
		abort();
	close(ends[0]);
	close(ends[1]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

struct others {
	pid_t same, other;
};

/* A refusal has to be one: EACCES and nothing else. */
static int bit_if(int ret, int bit)
{
	if (!ret)
		return bit;
	return ret == -EACCES ? 0 : BROKEN;
}

static int bind_new(const struct vcpc_request *req, __u32 flags, pid_t tid)
{
	int set = set_of(req, 0), ret;

	if (set < 0)
		return set;
	ret = set_bind(set, flags, tid);
	close(set);
	return ret;
}

static int what_is_allowed(const struct others *others)
{
	struct vcpc_request kernel = page_faults;
	int may;

	kernel.flags |= VCPC_REQ_F_KERNEL;
	may = bit_if(bind_new(&page_faults, 0, 0), OWN_USER);
	may |= bit_if(bind_new(&kernel, 0, 0), OWN_KERNEL);
	may |= bit_if(bind_new(&page_faults, VCPC_BIND_F_CPU, 0), A_CPU);
	may |= bit_if(bind_new(&page_faults, 0, others->same), SAME_USER);
	may |= bit_if(bind_new(&page_faults, 0, others->other), OTHER_USER);
	return may;
}

static int what_nobody_may(void *arg)
{
	return become_user(NOBODY) ? BROKEN : what_is_allowed(arg);
}

static int what_root_may(void *arg)
{
	return what_is_allowed(arg);
}

FIXTURE(policy) {
	mode_t mode;
	int before, perfs;
	struct others others;
};

FIXTURE_SETUP(policy)
{
	struct stat st;

	ASSERT_EQ(0, stat("/dev/vcpc", &st));
	self->mode = st.st_mode & 07777;
	self->before = read_number(PARAMETER);
	self->perfs = read_number(PERFS);
	self->others.same = start(NOBODY);
	self->others.other = start(NOBODY - 1);
}

FIXTURE_TEARDOWN(policy)
{
	end(self->others.same);
	end(self->others.other);
	write_number(PARAMETER, self->before);
	write_number(PERFS, self->perfs);
	device_mode(self->mode);
}

static int opens(void *arg)
{
	int fd;

	(void)arg;
	if (become_user(NOBODY))
		return CANNOT;
	fd = device_open();
	return fd < 0 ? errno : 0;
}

/* By itself the node is nobody's but root's. */
TEST_F(policy, node_is_roots)
{
	char text[256] = "";
	mode_t mode;
	int fd = open("/sys/class/misc/vcpc/uevent", O_RDONLY | O_CLOEXEC);

	/* What the driver says, whatever somebody has made of the node since. */
	ASSERT_LT(0, read(fd, text, sizeof(text) - 1));
	close(fd);
	EXPECT_NE(NULL, strstr(text, "DEVMODE=0600"));
	mode = device_mode(0600);
	EXPECT_EQ(EACCES, in_child(opens, NULL));
	device_mode(mode);
}

/* What each of the two allows to whoever may open the node */
static int allowed_at(int level)
{
	int may = OWN_USER;

	if (level <= 1)
		may |= OWN_KERNEL;
	if (level <= 0)
		may |= A_CPU;
	if (level <= -1)
		may |= SAME_USER;
	return may;
}

/*
 * The stricter of the two decides.  Whether one's own threads may be counted in user mode is for
 * the node's mode and the module's parameter alone: Debian's perf_event_paranoid is 3.
 */
TEST_F_TIMEOUT(policy, the_stricter_decides, 120)
{
	int module, perfs, stricter, may, expected;

	device_mode(0666);
	for (module = -1; module <= 3; module++) {
		for (perfs = -1; perfs <= 4; perfs++) {
			write_number(PARAMETER, module);
			write_number(PERFS, perfs);
			stricter = module > perfs ? module : perfs;
			expected = module > 2 ? 0 : allowed_at(stricter);
			may = in_child(what_nobody_may, &self->others);
			EXPECT_EQ(expected, may) {
				TH_LOG("module %d, perf %d: allowed %#x, not %#x", module, perfs,
				       may, expected);
			}
		}
	}
}

/* Neither keeps root from anything. */
TEST_F(policy, capable)
{
	write_number(PARAMETER, 3);
	write_number(PERFS, 4);
	EXPECT_EQ(OWN_USER | OWN_KERNEL | A_CPU | SAME_USER | OTHER_USER,
		  in_child(what_root_may, &self->others));
}

/* Somebody who is no more than root in a namespace of his own */
static int what_a_namespaces_root_may(void *arg)
{
	if (become_user(NOBODY))
		return BROKEN;
	if (unshare(CLONE_NEWUSER))
		return CANNOT;
	return what_is_allowed(arg);
}

TEST_F(policy, root_of_a_namespace_is_nobody)
{
	int may;

	device_mode(0666);
	write_number(PARAMETER, 2);
	write_number(PERFS, 2);
	may = in_child(what_a_namespaces_root_may, &self->others);
	if (may == CANNOT)
		SKIP(return, "no user namespaces for everybody");
	EXPECT_EQ(OWN_USER, may);
}

TEST_HARNESS_MAIN
