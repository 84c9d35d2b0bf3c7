// SPDX-License-Identifier: GPL-2.0-or-later
/* Each error of libcpc returns the documented value, errno and subcode, and has no side effects. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cpc/libcpc.h"
#include "kselftest_harness.h"

static struct {
	int calls;
	int subcode;
	char fn[64];
	char text[128];
} reported;

static void handler(const char *fn, int subcode, const char *fmt, va_list ap)
{
	reported.calls++;
	reported.subcode = subcode;
	snprintf(reported.fn, sizeof(reported.fn), "%s", fn);
	vsnprintf(reported.text, sizeof(reported.text), fmt, ap);
	errno = 0;	/* the library must set errno after it has called the handler */
}

/*
 * Expect @expr to return -1 and set errno to @err.  Expect the error handler to receive subcode
 * @sub from @name; if @sub is 0, the handler must not be called.
 */
#define EXPECT_FAIL(expr, err, sub, name)					\
	do {									\
		memset(&reported, 0, sizeof(reported));					\
		errno = 0;							\
		EXPECT_EQ(-1, expr);						\
		EXPECT_EQ(err, errno);						\
		EXPECT_EQ((sub) ? 1 : 0, reported.calls);				\
		EXPECT_EQ(sub, reported.subcode);					\
		EXPECT_STREQ((sub) ? (name) : "", reported.fn);			\
		if (reported.calls)							\
			EXPECT_EQ('\n', reported.text[strlen(reported.text) - 1]);	\
	} while (0)

FIXTURE(cpc) {
	cpc_t *cpc;
	cpc_t *other;
	cpc_set_t *set;		/* belongs to cpc; one request */
	cpc_set_t *foreign;	/* belongs to other; one request */
	cpc_buf_t *buf;
};

FIXTURE_SETUP(cpc)
{
	errno = 0;
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc) TH_LOG("cpc_open: %s", strerror(errno));
	self->other = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->other);
	ASSERT_EQ(0, cpc_seterrhndlr(self->cpc, handler));
	ASSERT_EQ(0, cpc_seterrhndlr(self->other, handler));
	self->set = cpc_set_create(self->cpc);
	self->foreign = cpc_set_create(self->other);
	ASSERT_EQ(0, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER,
					 0, NULL));
	ASSERT_EQ(0, cpc_set_add_request(self->other, self->foreign, "page-faults", 0,
					 CPC_COUNT_USER, 0, NULL));
	self->buf = cpc_buf_create(self->cpc, self->set);
	ASSERT_NE(NULL, self->buf);
}

FIXTURE_TEARDOWN(cpc)
{
	EXPECT_EQ(0, cpc_close(self->cpc));
	EXPECT_EQ(0, cpc_close(self->other));
}

TEST(open_only_version_2)
{
	static const int versions[] = { CPC_VER_NONE, CPC_VER_1, 3, -1 };

	for (size_t i = 0; i < ARRAY_SIZE(versions); i++) {
		errno = 0;
		EXPECT_EQ(NULL, cpc_open(versions[i]));
		EXPECT_EQ(EINVAL, errno);
	}
}

TEST_F(cpc, foreign_sets_and_buffers)
{
	cpc_buf_t *theirs = cpc_buf_create(self->other, self->foreign);

	EXPECT_FAIL(cpc_set_destroy(self->cpc, self->foreign), EINVAL, 0, "");
	EXPECT_FAIL(cpc_set_add_request(self->cpc, self->foreign, "page-faults", 0,
					CPC_COUNT_USER, 0, NULL), EINVAL, 0, "");
	EXPECT_FAIL(cpc_unbind(self->cpc, self->foreign), EINVAL, 0, "");
	EXPECT_FAIL(cpc_buf_destroy(self->cpc, theirs), EINVAL, 0, "");
	errno = 0;
	EXPECT_EQ(NULL, cpc_buf_create(self->cpc, self->foreign));
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, cpc_buf_destroy(self->other, theirs));
	EXPECT_EQ(0, cpc_set_destroy(self->other, self->foreign));
}

static const char *const bad_events[] = {
	"no-such-event", "", " ", "60x", "0x", "-1", "99999999999999999999999", "page-faults:u",
};

TEST_F(cpc, unknown_events)
{
	for (size_t i = 0; i < ARRAY_SIZE(bad_events); i++)
		EXPECT_FAIL(cpc_set_add_request(self->cpc, self->set, bad_events[i], 0,
						CPC_COUNT_USER, 0, NULL),
			    EINVAL, CPC_INVALID_EVENT, "cpc_set_add_request");
	EXPECT_EQ(1, cpc_set_add_request(self->cpc, self->set, "0x3c", 0, CPC_COUNT_USER, 0, NULL));
	EXPECT_EQ(2, cpc_set_add_request(self->cpc, self->set, "0300", 0, CPC_COUNT_USER, 0, NULL));
	EXPECT_EQ(3, cpc_set_add_request(self->cpc, self->set, "60", 0, CPC_COUNT_USER, 0, NULL));
}

TEST_F(cpc, bad_attributes)
{
	cpc_attr_t unknown = { "no_such_field", 1 };
	cpc_attr_t empty = { "", 1 };
	cpc_attr_t beyond = { "picnum", cpc_npic(self->cpc) };
	cpc_attr_t good = { "picnum", 0 };

	EXPECT_FAIL(cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 1,
					&unknown),
		    EINVAL, CPC_INVALID_ATTRIBUTE, "cpc_set_add_request");
	EXPECT_FAIL(cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 1,
					&empty),
		    EINVAL, CPC_INVALID_ATTRIBUTE, "cpc_set_add_request");
	EXPECT_FAIL(cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 1,
					&beyond),
		    EINVAL, CPC_INVALID_PICNUM, "cpc_set_add_request");
	EXPECT_EQ(1, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 1,
					 &good));
}

TEST_F(cpc, bind_arguments)
{
	cpc_set_t *empty = cpc_set_create(self->cpc);

	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, empty, 0), EINVAL, 0, "");
	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_EMT_OVF), EINVAL, 0, "");
	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, self->set, 4), EINVAL, 0, "");
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, self->buf), EINVAL, 0, "");
}

TEST_F(cpc, bind_unknown_request_flag)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "page-faults", 0, CPC_COUNT_USER | 0x20,
					 0, NULL));
	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, set, 0), EINVAL, CPC_REQ_INVALID_FLAGS,
		    "cpc_bind_curlwp");
}

/* The synthetic PMU of the native run has no overflow interrupts. */
TEST_F(cpc, notify_needs_overflow_interrupts)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "page-faults", 0,
					 CPC_COUNT_USER | CPC_OVF_NOTIFY_EMT, 0, NULL));
	if (cpc_caps(self->cpc) & CPC_CAP_OVERFLOW_INTERRUPT) {
		EXPECT_EQ(0, cpc_bind_curlwp(self->cpc, set, 0));
	} else {
		EXPECT_FAIL(cpc_bind_curlwp(self->cpc, set, 0), ENOTSUP, 0, "");
	}
}

TEST_F(cpc, bind_too_many_requests)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	for (uint_t i = 0; i <= cpc_npic(self->cpc); i++)
		ASSERT_EQ(i, cpc_set_add_request(self->cpc, set, "page-faults", 0, CPC_COUNT_USER,
						 0, NULL));
	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, set, 0), EINVAL, 0, "");
}

TEST_F(cpc, bind_picnum_twice)
{
	cpc_set_t *set = cpc_set_create(self->cpc);
	cpc_attr_t pic = { "picnum", 1 };

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(i, cpc_set_add_request(self->cpc, set, "page-faults", 0, CPC_COUNT_USER,
						 1, &pic));
	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, set, 0), EINVAL, 0, "");
}

/* A failed bind releases the set's previous binding. */
TEST_F(cpc, failed_bind_unbinds)
{
	cpc_set_t *set = cpc_set_create(self->cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, set, "page-faults", 0, 0x20, 0, NULL));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_FAIL(cpc_bind_curlwp(self->cpc, set, 0), EINVAL, CPC_REQ_INVALID_FLAGS,
		    "cpc_bind_curlwp");
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, self->buf), EINVAL, 0, "");
	EXPECT_FAIL(cpc_disable(self->cpc), EINVAL, 0, "");
}

TEST_F(cpc, nothing_bound)
{
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, self->buf), EINVAL, 0, "");
	EXPECT_FAIL(cpc_unbind(self->cpc, self->set), EINVAL, 0, "");
	EXPECT_FAIL(cpc_enable(self->cpc), EINVAL, 0, "");
	EXPECT_FAIL(cpc_disable(self->cpc), EINVAL, 0, "");
	EXPECT_FAIL(cpc_set_restart(self->cpc, self->set), EINVAL, 0, "");
	EXPECT_FAIL(cpc_request_preset(self->cpc, 0, 1), EINVAL, 0, "");
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_unbind(self->cpc, self->set));
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, self->buf), EINVAL, 0, "");
	EXPECT_FAIL(cpc_unbind(self->cpc, self->set), EINVAL, 0, "");
}

TEST_F(cpc, no_requests_while_bound)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_FAIL(cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 0,
					NULL), EINVAL, 0, "");
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
	ASSERT_EQ(0, cpc_unbind(self->cpc, self->set));
	EXPECT_EQ(1, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
}

TEST_F(cpc, buffer_of_another_size)
{
	cpc_set_t *large = cpc_set_create(self->cpc);
	cpc_buf_t *buf;

	ASSERT_EQ(1, cpc_set_add_request(self->cpc, self->set, "minor-faults", 0, CPC_COUNT_USER,
					 0, NULL));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, self->buf), EINVAL, 0, "");
	for (int i = 0; i < 3; i++)
		ASSERT_EQ(i, cpc_set_add_request(self->cpc, large, "minor-faults", 0,
						 CPC_COUNT_USER, 0, NULL));
	buf = cpc_buf_create(self->cpc, large);
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, buf), EINVAL, 0, "");
}

/*
 * Sampling a set that is no longer bound fails.  On Solaris, it returned the values of another set,
 * or wrote beyond the buffer.
 */
TEST_F(cpc, a_replaced_set_is_not_sampled)
{
	cpc_set_t *second = cpc_set_create(self->cpc);

	ASSERT_EQ(0, cpc_set_add_request(self->cpc, second, "minor-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, second, 0));
	EXPECT_FAIL(cpc_set_sample(self->cpc, self->set, self->buf), EINVAL, 0, "");
	EXPECT_EQ(0, cpc_set_sample(self->cpc, second, cpc_buf_create(self->cpc, second)));
}

TEST_F(cpc, enable_and_disable_twice)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_FAIL(cpc_enable(self->cpc), EINVAL, 0, "");
	ASSERT_EQ(0, cpc_disable(self->cpc));
	EXPECT_FAIL(cpc_disable(self->cpc), EINVAL, 0, "");
	ASSERT_EQ(0, cpc_enable(self->cpc));
}

TEST_F(cpc, preset_of_no_such_request)
{
	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_FAIL(cpc_request_preset(self->cpc, 1, 1), EINVAL, 0, "");
	EXPECT_FAIL(cpc_request_preset(self->cpc, -1, 1), EINVAL, 0, "");
	EXPECT_EQ(0, cpc_request_preset(self->cpc, 0, 1));
}

TEST_F(cpc, buffer_index)
{
	uint64_t value = 77;

	EXPECT_FAIL(cpc_buf_get(self->cpc, self->buf, 1, &value), EINVAL, 0, "");
	EXPECT_FAIL(cpc_buf_get(self->cpc, self->buf, -1, &value), EINVAL, 0, "");
	EXPECT_EQ(77, value);
	EXPECT_FAIL(cpc_buf_set(self->cpc, self->buf, 1, 1), EINVAL, 0, "");
	EXPECT_FAIL(cpc_buf_set(self->cpc, self->buf, -1, 1), EINVAL, 0, "");
}

static void count_pic(void *arg, uint_t picno, const char *event)
{
	(void)picno;
	(void)event;
	(*(int *)arg)++;
}

TEST_F(cpc, walk_beyond_the_last_counter)
{
	int calls = 0;

	errno = 0;
	cpc_walk_events_pic(self->cpc, cpc_npic(self->cpc), &calls, count_pic);
	EXPECT_EQ(EINVAL, errno);
	EXPECT_EQ(0, calls);
}

struct elsewhere {
	cpc_t *cpc;
	cpc_set_t *set;
	cpc_buf_t *buf;
	int sample;
	int disable;
};

static void *use_elsewhere(void *arg)
{
	struct elsewhere *e = arg;

	e->sample = cpc_set_sample(e->cpc, e->set, e->buf) ? errno : 0;
	e->disable = cpc_disable(e->cpc) ? errno : 0;
	return NULL;
}

TEST_F(cpc, another_thread_has_no_set)
{
	struct elsewhere e = { self->cpc, self->set, self->buf, -1, -1 };
	pthread_t thread;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	ASSERT_EQ(0, pthread_create(&thread, NULL, use_elsewhere, &e));
	ASSERT_EQ(0, pthread_join(thread, NULL));
	EXPECT_EQ(EINVAL, e.sample);
	EXPECT_EQ(EINVAL, e.disable);
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

TEST_F(cpc, a_forked_child_has_no_set)
{
	struct elsewhere e = { self->cpc, self->set, self->buf, -1, -1 };
	int status;
	pid_t pid;

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, 0));
	pid = fork();
	ASSERT_LE(0, pid);
	if (!pid) {
		use_elsewhere(&e);
		_exit(e.sample == EINVAL && e.disable == EINVAL &&
		      !cpc_bind_curlwp(e.cpc, e.set, 0) && !cpc_set_sample(e.cpc, e.set, e.buf) &&
		      !cpc_unbind(e.cpc, e.set) ? 0 : 1);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, self->buf));
}

/* A child without privileges cannot bind the set; the synthetic PMU requires none. */
TEST_F(cpc, system_mode_needs_privilege)
{
	int status;
	pid_t pid = fork();

	ASSERT_LE(0, pid);
	if (!pid) {
		cpc_set_t *set = cpc_set_create(self->cpc);

		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(1);
		if (cpc_set_add_request(self->cpc, set, "page-faults", 0, CPC_COUNT_SYSTEM, 0, NULL))
			_exit(2);
		if (!cpc_bind_curlwp(self->cpc, set, 0))
			_exit(access("/dev/vcpc", F_OK) ? 0 : 3);
		_exit(errno == EACCES && reported.subcode == CPC_ATTR_REQUIRES_PRIVILEGE &&
		      !cpc_bind_curlwp(self->cpc, self->set, 0) ? 0 : 4);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, WEXITSTATUS(status));
}

/* Without a handler, the library prints the error on stderr. */
TEST_F(cpc, default_handler)
{
	char text[256] = "";
	int ends[2];
	int saved;

	ASSERT_EQ(0, pipe(ends));
	saved = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	cpc_seterrhndlr(self->cpc, NULL);
	cpc_set_add_request(self->cpc, self->set, "no-such-event", 0, CPC_COUNT_USER, 0, NULL);
	EXPECT_EQ(EINVAL, errno);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(ends[1]);
	ASSERT_LT(0, read(ends[0], text, sizeof(text) - 1));
	EXPECT_EQ(0, strncmp(text, "libcpc: cpc_set_add_request: ", 29)) TH_LOG("%s", text);
	close(ends[0]);
	close(saved);
}

TEST_HARNESS_MAIN
