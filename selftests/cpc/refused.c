// SPDX-License-Identifier: GPL-2.0-or-later
/* Test errors that occur only with the module: permissions, limits, and unsupported features. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "cpc.h"
#include "kselftest_harness.h"
#include "needs_module.h"

#define PARAMETERS "/sys/module/vcpc/parameters/"

static int reported;

static void tell(const char *fn, int subcode, const char *fmt, va_list ap)
{
	silent(fn, subcode, fmt, ap);
	reported = strcmp(fn, "cpc_bind_curlwp") ? -1 : subcode;
}

/* Set a parameter of the module, and return its previous value, or -1 on failure. */
static int set_parameter(const char *name, int value)
{
	char path[128];
	int before = -1;
	FILE *f;

	snprintf(path, sizeof(path), PARAMETERS "%s", name);
	f = fopen(path, "r+");
	if (!f || fscanf(f, "%d", &before) != 1)
		return -1;
	rewind(f);
	if (fprintf(f, "%d\n", value) < 0)
		before = -1;
	return fclose(f) ? -1 : before;
}

FIXTURE(refused) {
	cpc_t *cpc;
	cpc_set_t *set;
};

FIXTURE_SETUP(refused)
{
	self->cpc = open_with(&self->set, "page-faults", 0);
	ASSERT_NE(NULL, self->cpc);
	cpc_seterrhndlr(self->cpc, tell);
	reported = 0;
}

FIXTURE_TEARDOWN(refused)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
}

#define EXPECT_REFUSED(expr, err, subcode)		\
	do {						\
		reported = 0;				\
		errno = 0;				\
		EXPECT_EQ(-1, expr);			\
		EXPECT_EQ(err, errno);			\
		EXPECT_EQ(subcode, reported);		\
	} while (0)

TEST_F(refused, no_descriptor_is_left)
{
	struct rlimit before, limit;
	int lowest = dup(0);

	ASSERT_LE(0, lowest);
	close(lowest);
	ASSERT_EQ(0, getrlimit(RLIMIT_NOFILE, &before));
	limit = before;
	limit.rlim_cur = lowest;
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &limit));
	EXPECT_REFUSED(cpc_bind_curlwp(self->cpc, self->set, 0), EMFILE, 0);
	EXPECT_REFUSED(cpc_bind_cpu(self->cpc, 0, self->set, 0), EMFILE, 0);
	errno = 0;
	EXPECT_EQ(NULL, cpc_open(CPC_VER_CURRENT));
	EXPECT_EQ(EMFILE, errno);
	ASSERT_EQ(0, setrlimit(RLIMIT_NOFILE, &before));
	EXPECT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
}

/* Return the result of @fn, called by an unprivileged user. */
static int as_nobody(int (*fn)(cpc_t *cpc, cpc_set_t *set), cpc_t *cpc, cpc_set_t *set)
{
	int status;
	pid_t pid = fork();

	if (!pid)
		_exit(setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) ?
		      100 : fn(cpc, set));
	return pid < 0 || waitpid(pid, &status, 0) != pid ? -1 : status;
}

static int bind_two(cpc_t *unused, cpc_set_t *set)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);
	cpc_set_t *first = set_of(cpc, "page-faults", 0), *second = set_of(cpc, "page-faults", 0);

	(void)unused;
	(void)set;
	cpc_seterrhndlr(cpc, tell);
	if (cpc_bind_curlwp(cpc, first, 0))
		return 1;
	if (cpc_bind_curlwp(cpc, second, 0) != -1 || errno != EAGAIN || reported)
		return 2;
	cpc_set_destroy(cpc, first);
	if (cpc_bind_curlwp(cpc, second, 0))
		return 3;
	return cpc_close(cpc) ? 4 : 0;
}

TEST_F(refused, the_users_sets_are_used_up)
{
	int before = set_parameter("max_user_sets", 1), status;

	NEEDS_MODULE("its own refusals");
	ASSERT_LE(0, before);
	status = as_nobody(bind_two, NULL, NULL);
	EXPECT_EQ(1, set_parameter("max_user_sets", before));
	EXPECT_EQ(0, status);
}

static int open_any(cpc_t *cpc, cpc_set_t *set)
{
	(void)cpc;
	(void)set;
	return !cpc_open(CPC_VER_CURRENT) && errno == EACCES ? 0 : 1;
}

TEST_F(refused, nobody_may_open_the_device)
{
	struct stat st;
	int status;

	NEEDS_MODULE("its own refusals");
	ASSERT_EQ(0, stat("/dev/vcpc", &st));
	ASSERT_EQ(0, chmod("/dev/vcpc", 0600));
	status = as_nobody(open_any, NULL, NULL);
	ASSERT_EQ(0, chmod("/dev/vcpc", st.st_mode & 07777));
	EXPECT_EQ(0, status);
}

/* Hypervisor mode is accepted and counts nothing, as on machines without a hypervisor. */
TEST_F(refused, the_hypervisor_is_not)
{
	cpc_set_t *set = cpc_set_create(self->cpc);
	cpc_buf_t *buf;

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "page-faults", 5,
					 CPC_COUNT_HV | CPC_COUNT_SAMPLE_MODE, 0, NULL));
	buf = cpc_buf_create(self->cpc, set);
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	touch(10);
	EXPECT_EQ(5, sampled(self->cpc, set, buf));
	EXPECT_EQ(0, reported);
}

/* A raw code is accepted when it is added.  Without a PMU, binding the set returns the error. */
TEST_F(refused, a_code_that_is_none_is_told_when_it_is_bound)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "0x11", 0, CPC_COUNT_USER, 0, NULL));
	if (counts(self->cpc, "cycles")) {
		EXPECT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
		return;
	}
	cpc_seterrhndlr(self->cpc, tell);
	EXPECT_REFUSED(cpc_bind_curlwp(self->cpc, set, 0), EINVAL, CPC_INVALID_EVENT);
}

TEST_HARNESS_MAIN
