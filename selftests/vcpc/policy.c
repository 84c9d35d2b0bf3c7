// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Only root can open the device until an administrator changes the node's mode.  A user that can
 * open it can count its own threads in user mode.  Kernel mode requires CAP_PERFMON.
 */
#include "attack.h"
#include "vcpc_test.h"

#define PERFS		"/proc/sys/kernel/perf_event_paranoid"

/* Bits for calls that are permitted; BROKEN marks results that no test expects */
enum { OWN_USER = 1, OWN_KERNEL = 2, BROKEN = 128 };

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

/* Return @bit if the call succeeded, or 0 if it failed with EACCES, the only valid error. */
static int bit_if(int ret, int bit)
{
	if (!ret)
		return bit;
	return ret == -EACCES ? 0 : BROKEN;
}

static int bind_new(const struct vcpc_request *req)
{
	int set = set_of(req, 0), ret;

	if (set < 0)
		return set;
	ret = set_bind(set, 0);
	close(set);
	return ret;
}

static int what_is_allowed(void)
{
	struct vcpc_request kernel = page_faults;
	int may;

	kernel.flags |= VCPC_REQ_F_KERNEL;
	may = bit_if(bind_new(&page_faults), OWN_USER);
	may |= bit_if(bind_new(&kernel), OWN_KERNEL);
	return may;
}

static int what_nobody_may(void *arg)
{
	(void)arg;
	return become_user(NOBODY) ? BROKEN : what_is_allowed();
}

static int what_root_may(void *arg)
{
	(void)arg;
	return what_is_allowed();
}

/* Test root without CAP_PERFMON and CAP_SYS_ADMIN, which the kernel accepts instead. */
static int what_root_may_without_it(void *arg)
{
	(void)arg;
	return have_only((1ULL << CAP_SYS_ADMIN) - 1) ? BROKEN : what_is_allowed();
}

static int what_nobody_may_with_it(void *arg)
{
	(void)arg;
	if (prctl(PR_SET_KEEPCAPS, 1) || become_nobody() || have_only(1ULL << CAP_PERFMON))
		return BROKEN;
	return what_is_allowed();
}

FIXTURE(policy) {
	mode_t mode;
	int perfs;
};

FIXTURE_SETUP(policy)
{
	struct stat st;

	ASSERT_EQ(0, stat("/dev/vcpc", &st));
	self->mode = st.st_mode & 07777;
	self->perfs = read_number(PERFS);
}

FIXTURE_TEARDOWN(policy)
{
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

/* By default, only root can access the node. */
TEST_F(policy, node_is_roots)
{
	char text[256] = "";
	mode_t mode;
	int fd = open("/sys/class/misc/vcpc/uevent", O_RDONLY | O_CLOEXEC);

	/* Read the driver's default from sysfs, because the node's mode may have been changed. */
	ASSERT_LT(0, read(fd, text, sizeof(text) - 1));
	close(fd);
	EXPECT_NE(NULL, strstr(text, "DEVMODE=0600"));
	mode = device_mode(0600);
	EXPECT_EQ(EACCES, in_child(opens, NULL));
	device_mode(mode);
}

/* perf_event_paranoid has no effect, not even at Debian's default of 3. */
TEST_F(policy, whatever_perfs_level_is)
{
	int perfs;

	device_mode(0666);
	for (perfs = -1; perfs <= 4; perfs++) {
		write_number(PERFS, perfs);
		EXPECT_EQ(OWN_USER, in_child(what_nobody_may, NULL));
	}
}

/* Only the capability matters, not the user ID. */
TEST_F(policy, capable)
{
	device_mode(0666);
	write_number(PERFS, 4);
	EXPECT_EQ(OWN_USER | OWN_KERNEL, in_child(what_root_may, NULL));
	EXPECT_EQ(OWN_USER | OWN_KERNEL, in_child(what_nobody_may_with_it, NULL));
	EXPECT_EQ(OWN_USER, in_child(what_root_may_without_it, NULL));
}

static int binds_with_a_set(void *arg)
{
	if (become_nobody())
		return BROKEN;
	return set_bind(*(int *)arg, 0) == -EACCES ? 0 : 1;
}

/* Permissions are checked again at BIND, because a more privileged process may create a set. */
TEST_F(policy, asked_again_at_bind)
{
	struct vcpc_request kernel = page_faults;
	int set;

	kernel.flags |= VCPC_REQ_F_KERNEL;
	set = set_of(&kernel, 0);
	ASSERT_GE(set, 0);
	EXPECT_EQ(0, in_child(binds_with_a_set, &set));
}

/* Test a user who is root only in a user namespace. */
static int what_a_namespaces_root_may(void *arg)
{
	(void)arg;
	if (become_user(NOBODY))
		return BROKEN;
	if (unshare(CLONE_NEWUSER))
		return CANNOT;
	return what_is_allowed();
}

TEST_F(policy, root_of_a_namespace_is_nobody)
{
	int may;

	device_mode(0666);
	write_number(PERFS, 2);
	may = in_child(what_a_namespaces_root_may, NULL);
	if (may == CANNOT)
		SKIP(return, "unprivileged users cannot create user namespaces");
	EXPECT_EQ(OWN_USER, may);
}

/* Bind the set with @uid as the real user ID and with root's capabilities. */
static int bind_as(uid_t uid, int set)
{
	int ret = setreuid(uid, 0) ? -errno : set_bind(set, 0);

	if (!ret)
		set_own(set, VCPC_IOC_UNBIND);
	return ret;
}

/* The creator of a set can choose a signal only for threads of its own user, unless it is root. */
static int signals_of_others(void)
{
	struct vcpc_request request = page_faults;
	struct vcpc_set_create_args args = create_args(&request, 1);
	int device = device_open(), set, plain;

	request.flags |= VCPC_REQ_F_OVERFLOW;
	args.signal = SIGUSR1;
	if (setreuid(1001, 0))
		return 1;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	plain = set_create(device, &request, 1, 0);
	if (set < 0 || plain < 0)
		return 2;
	if (bind_as(1002, set) != -EACCES)
		return 3;
	if (bind_as(1002, plain) || bind_as(1001, set))
		return 4;
	if (setreuid(0, 0))
		return 5;
	args.bad_request = -1;
	set = call(device, VCPC_IOC_SET_CREATE, &args);
	return set < 0 || bind_as(1002, set) ? 6 : 0;
}

TEST(nobody_else_chooses_a_threads_signal)
{
	pid_t child = fork();
	int status = 0;

	if (!child)
		_exit(signals_of_others());
	ASSERT_EQ(child, waitpid(child, &status, 0));
	EXPECT_EQ(0, status);
}

TEST_HARNESS_MAIN
