// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each allocation of libcpc's calls fails, one at a time.  The call fails with ENOMEM, nothing is
 * changed or leaked, and the next attempt succeeds.
 *
 * The linker replaces the C library's functions with those below (--wrap).
 */
#include <errno.h>
#include <stdlib.h>

#include "core/session.h"
#include "cpc/libcpc.h"
#include "cpc/libpctx.h"
#include "selftests/synthetic/backend_sim.h"
#include "kselftest_harness.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

static int until;	/* the allocation to fail, counted from 1; 0: none */
static bool failed;

static bool fails(void)
{
	if (!until || --until)
		return false;
	failed = true;
	errno = ENOMEM;
	return true;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

char *__real_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n);
char *__wrap_strndup(const char *s, size_t n)
{
	return fails() ? NULL : __real_strndup(s, n);
}

FIXTURE(memory) {
	cpc_t *cpc;
	cpc_set_t *set;		/* one request */
};

static int told;

static void tell(const char *fn, int subcode, const char *fmt, va_list ap)
{
	(void)fn;
	(void)subcode;
	(void)fmt;
	(void)ap;
	told++;
}

FIXTURE_SETUP(memory)
{
	self->cpc = cpc_open(CPC_VER_CURRENT);
	ASSERT_NE(NULL, self->cpc);
	cpc_seterrhndlr(self->cpc, tell);
	self->set = cpc_set_create(self->cpc);
	ASSERT_EQ(0, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER, 0,
					 NULL));
	told = 0;
}

FIXTURE_TEARDOWN(memory)
{
	EXPECT_EQ(0, told);
	EXPECT_EQ(0, cpc_close(self->cpc));
}

/*
 * For each allocation of a call, check that the call fails if the allocation fails, and succeeds
 * afterwards.  The call must make at least @least allocations.
 */
#define EACH_FAILS(least, call)							\
	do {									\
		int n_ = 0;							\
		bool ok_;							\
		do {								\
			until = ++n_;						\
			failed = false;						\
			errno = 0;						\
			ok_ = (call);						\
			until = 0;						\
			EXPECT_EQ(!failed, ok_) TH_LOG("allocation %d", n_);	\
			if (failed)						\
				EXPECT_EQ(ENOMEM, errno) TH_LOG("allocation %d", n_);	\
		} while (failed && n_ < 1000);					\
		EXPECT_LE((least) + 1, n_);					\
	} while (0)

static bool opens(void)
{
	cpc_t *cpc = cpc_open(CPC_VER_CURRENT);

	if (cpc)
		cpc_close(cpc);
	return cpc;
}

TEST_F(memory, open)
{
	EACH_FAILS(2, opens());
}

TEST_F(memory, set_create)
{
	EACH_FAILS(1, cpc_set_create(self->cpc) != NULL);
}

TEST_F(memory, buf_create)
{
	EACH_FAILS(1, cpc_buf_create(self->cpc, self->set) != NULL);
}

static void count(void *arg, int index, const char *event, uint64_t preset, uint_t flags,
		  int nattrs, const cpc_attr_t *attrs)
{
	(void)index;
	(void)event;
	(void)preset;
	(void)flags;
	(void)nattrs;
	(void)attrs;
	++*(int *)arg;
}

#define ROOM	8	/* initial capacity of a set's arrays */

/* A failed call does not add anything. */
TEST_F(memory, add_request)
{
	cpc_attr_t attrs[] = { { "picnum", 1 }, { "picnum", 2 } };
	int requests = 0;

	/* Fill the set's arrays, so that the next request makes both grow. */
	for (int i = 1; i < ROOM; i++)
		ASSERT_EQ(i, cpc_set_add_request(self->cpc, self->set, "page-faults", 0,
						 CPC_COUNT_USER, 0, NULL));
	EACH_FAILS(6, cpc_set_add_request(self->cpc, self->set, "0x11", 0, CPC_COUNT_USER, 2,
					  attrs) == ROOM);
	EACH_FAILS(3, cpc_set_add_request(self->cpc, self->set, "page-faults", 0, CPC_COUNT_USER,
					  0, NULL) == ROOM + 1);
	EACH_FAILS(3, cpc_set_add_request(self->cpc, self->set, "PAPI_tot_cyc", 0, CPC_COUNT_USER,
					  0, NULL) == ROOM + 2);
	cpc_walk_requests(self->cpc, self->set, &requests, count);
	EXPECT_EQ(ROOM + 3, requests);
}

TEST_F(memory, bind)
{
	cpc_buf_t *buf = cpc_buf_create(self->cpc, self->set);

	EACH_FAILS(2, !cpc_bind_curlwp(self->cpc, self->set, 0));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, buf));
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
}

/* If the call fails, the process does not record the set, and releasing it leaves the set bound. */
TEST_F(memory, bind_pctx)
{
	static char name[] = "true";
	char *const argv[] = { name, NULL };
	pctx_t *pctx = pctx_create("/bin/true", argv, NULL, 1, NULL);

	ASSERT_NE(NULL, pctx);
	EACH_FAILS(2, !cpc_bind_pctx(self->cpc, pctx, 1, self->set, 0));
	pctx_release(pctx);
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
}

/* From the second bind on, nothing is allocated, so a signal handler can bind. */
TEST_F(memory, bind_again_needs_none)
{
	cpc_buf_t *buf = cpc_buf_create(self->cpc, self->set);

	ASSERT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	until = 1;
	EXPECT_EQ(0, cpc_bind_curlwp(self->cpc, self->set, CPC_BIND_LWP_INHERIT));
	EXPECT_EQ(0, cpc_set_sample(self->cpc, self->set, buf));
	EXPECT_EQ(0, cpc_request_preset(self->cpc, 0, 1));
	EXPECT_EQ(0, cpc_set_restart(self->cpc, self->set));
	EXPECT_EQ(0, cpc_disable(self->cpc));
	EXPECT_EQ(0, cpc_enable(self->cpc));
	cpc_buf_sub(self->cpc, buf, buf, buf);
	EXPECT_EQ(0, cpc_unbind(self->cpc, self->set));
	until = 0;
}

static void see(void *arg, const char *name)
{
	(void)name;
	++*(int *)arg;
}

/* Return whether a failed walk visits nothing, and reports the error only in errno. */
static bool walks(cpc_t *cpc, void (*walk)(cpc_t *cpc, void *arg,
					   void (*action)(void *arg, const char *event)))
{
	int seen = 0;

	walk(cpc, &seen, see);
	return seen > 0;
}

TEST_F(memory, walk)
{
	EACH_FAILS(9, walks(self->cpc, cpc_walk_events_all));
	EACH_FAILS(9, walks(self->cpc, cpc_walk_generic_events_all));
}

TEST_HARNESS_MAIN
