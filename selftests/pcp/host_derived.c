// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test derived metrics of a host while its pmcd, or an agent whose metrics are operands, is down,
 * and after it has been restarted.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "host_fixture.h"

/* Send half a header and close the connection. */
static enum fake_then break_off(struct fake_pdu *reply, uint64_t arg)
{
	(void)arg;
	if (fake_get(reply->bytes + 4) == FAKE_ERROR)
		return FAKE_GO_ON;
	reply->len = 4;
	return FAKE_CLOSE;
}

/* A derived metric that was first used while pmcd was down works after pmcd has been restarted. */
TEST_F(host, derived_metrics_after_a_restart)
{
	static const char *const exprs[] = { "a.word + 1", "matchinst(/^t/, a.word)" };
	const char *names[] = { "derived.sum", "derived.some" };
	pmID pmids[2];
	pmDesc desc;

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(NULL, pmRegisterDerived(names[i], exprs[i]));
	ASSERT_EQ(2, pmLookupName(2, names, pmids));
	for (int i = 0; i < 2; i++) {
		self->fake.lies->lie = break_off;
		EXPECT_EQ(PM_ERR_IPC, pmLookupDesc(pmids[i], &desc));
		self->fake.lies->lie = NULL;
		ASSERT_EQ(self->handle, pmReconnectContext(self->handle));
		EXPECT_EQ(0, pmLookupDesc(pmids[i], &desc)) TH_LOG("%s", pmDerivedErrStr());
		EXPECT_EQ(FAKE_INDOM, desc.indom);
	}
	EXPECT_EQ(3, values_of(pmids[0]));
	EXPECT_EQ(2, values_of(pmids[1]));
}

/* Replace a reply of one of two types with an error. */
static enum fake_then no_replies(struct fake_pdu *reply, uint64_t code, uint32_t a, uint32_t b)
{
	uint32_t type = fake_get(reply->bytes + 4);

	if (type == a || type == b) {
		fake_error(reply, (int32_t)code);
		fake_end(reply);
	}
	return FAKE_GO_ON;
}

/*
 * Change replies as if an agent is down: its metrics have no descriptors and, if pmcd must query
 * the agent for them, no names.
 */
static enum fake_then no_descriptors(struct fake_pdu *reply, uint64_t code)
{
	return no_replies(reply, code, FAKE_DESC, FAKE_DESCS);
}

static enum fake_then no_names(struct fake_pdu *reply, uint64_t code)
{
	return no_replies(reply, code, FAKE_IDS, FAKE_IDS);
}

/*
 * While an agent is down, the library does not repeat its request to pmcd with each call.  Once the
 * agent is running again, the library finds the metric.
 */
TEST_F(host, derived_metrics_while_an_agent_is_away)
{
	const char *name = "derived.waits";
	double before = now();
	unsigned int requests;
	pmDesc desc;
	pmID pmid;
	int sts;

	ASSERT_EQ(NULL, pmRegisterDerived(name, "a.word + 1"));
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	self->fake.lies->arg = PM_ERR_AGAIN;
	self->fake.lies->lie = no_descriptors;
	EXPECT_EQ(PM_ERR_AGAIN, pmLookupDesc(pmid, &desc));
	requests = self->fake.lies->requests;
	for (int i = 0; i < 100 && now() - before < 3; i++)
		EXPECT_EQ(PM_ERR_AGAIN, pmLookupDesc(pmid, &desc));
	EXPECT_EQ(requests, self->fake.lies->requests);
	self->fake.lies->lie = NULL;
	while ((sts = pmLookupDesc(pmid, &desc)) == PM_ERR_AGAIN && now() - before < 60)
		usleep(50000);
	EXPECT_EQ(0, sts) TH_LOG("%s", pmDerivedErrStr());
	EXPECT_EQ(3, values_of(pmid));
}

TEST_F(host, defined_while_an_agent_is_away)
{
	const char *name = "derived.has";
	pmDesc desc;
	pmID pmid;

	ASSERT_EQ(NULL, pmRegisterDerived(name, "defined(a.word)"));
	ASSERT_EQ(1, pmLookupName(1, &name, &pmid));
	self->fake.lies->arg = (uint64_t)(int64_t)PM_ERR_NOAGENT;
	self->fake.lies->lie = no_names;
	EXPECT_EQ(0, pmLookupDesc(pmid, &desc)) TH_LOG("%s", pmDerivedErrStr());
	EXPECT_EQ(PM_TYPE_U32, desc.type);
	EXPECT_EQ(1, values_of(pmid));
}

/* Return the agent's error for the second metric of a result, which is the operand. */
static enum fake_then no_values(struct fake_pdu *reply, uint64_t code)
{
	uint32_t type = fake_get(reply->bytes + 4);
	uint32_t numval = type == FAKE_HIGHRES_RESULT ? 44 : 36;

	if (type != FAKE_RESULT && type != FAKE_HIGHRES_RESULT)
		return FAKE_GO_ON;
	reply->len = numval;
	fake_put(reply, (uint32_t)code);
	fake_end(reply);
	return FAKE_GO_ON;
}

/*
 * An error of an operand is an error of the derived metric only: this fetch and later ones succeed.
 */
TEST_F(host, error_of_an_operand)
{
	static const int codes[] = { -ENOMEM, PM_ERR_AGAIN };
	const char *names[] = { "derived.sum", "derived.count" };
	pmID pmids[2];

	ASSERT_EQ(NULL, pmRegisterDerived(names[0], "sum(a.word)"));
	ASSERT_EQ(NULL, pmRegisterDerived(names[1], "count(a.word)"));
	ASSERT_EQ(2, pmLookupName(2, names, pmids));
	for (int i = 0; i < 2; i++) {
		self->fake.lies->arg = (uint64_t)(int64_t)codes[i];
		self->fake.lies->lie = no_values;
		EXPECT_EQ(codes[i], values_of(pmids[0]));
		EXPECT_EQ(1, values_of(pmids[1]));
		self->fake.lies->lie = NULL;
		EXPECT_EQ(1, values_of(pmids[0]));
	}
}

/* A name, and the number of times that a traversal visited it */
struct met {
	const char *name;
	int n;
};

static void meet(const char *name, void *met)
{
	((struct met *)met)->n += !strcmp(name, ((struct met *)met)->name);
}

static int walk(const char *name)
{
	struct met met = { name, 0 };

	pmTraversePMNS_r("", meet, &met);
	return met.n;
}

static int is_child(const char *name)
{
	char **offspring = NULL;
	int n = pmGetChildren("derived", &offspring), met = 0;

	for (int i = 0; i < n; i++)
		met += !strcmp(offspring[i], name);
	free(offspring);
	return met;
}

static enum fake_then no_instances(struct fake_pdu *reply, uint64_t code)
{
	return no_replies(reply, code, FAKE_INSTANCE, FAKE_INSTANCE);
}

/*
 * If the instances that a filter selects cannot be looked up because of a transient error, the
 * fetch reports this error.  Otherwise, the values would be missing without a reason.
 */
TEST_F(host, filters_without_instances)
{
	static const int codes[] = { -ENOMEM, PM_ERR_AGAIN, PM_ERR_TIMEOUT };
	static const char *const exprs[] = { "a.word[two]", "matchinst(/^two/, a.word)" };
	const char *names[] = { "derived.exact", "derived.match" };
	pmID pmids[2];
	pmDesc desc;

	for (int i = 0; i < 2; i++)
		ASSERT_EQ(NULL, pmRegisterDerived(names[i], exprs[i]));
	ASSERT_EQ(2, pmLookupName(2, names, pmids));
	for (int i = 0; i < 2; i++) {
		ASSERT_EQ(0, pmLookupDesc(pmids[i], &desc)) TH_LOG("%s", pmDerivedErrStr());
		self->fake.lies->lie = no_instances;
		for (int k = 0; k < 3; k++) {
			self->fake.lies->arg = (uint64_t)(int64_t)codes[k];
			EXPECT_EQ(codes[k], values_of(pmids[i])) TH_LOG("%s", exprs[i]);
		}
		self->fake.lies->arg = (uint64_t)(int64_t)PM_ERR_INST;
		EXPECT_EQ(0, values_of(pmids[i])) TH_LOG("%s", exprs[i]);
		self->fake.lies->lie = NULL;
	}
	EXPECT_EQ(1, values_of(pmids[0]));
}

/*
 * A traversal of the names skips names that are not metrics of this host, and so do later
 * traversals.
 */
TEST_F(host, names_of_no_metrics)
{
	ASSERT_EQ(NULL, pmRegisterDerived("derived.bad", "derived.nosuch + 1"));
	ASSERT_EQ(NULL, pmRegisterDerived("derived.good", "a.word + 1"));
	EXPECT_EQ(1, is_child("bad"));
	EXPECT_EQ(1, walk("derived.good"));
	EXPECT_EQ(0, walk("derived.bad"));
	EXPECT_EQ(1, is_child("good"));
	EXPECT_EQ(0, is_child("bad"));
}

/* While the server is down, the library's own metrics are found, and others are not. */
TEST_F(host, names_without_a_server)
{
	const char *names[] = { "derived.alone", "event.flags", "a.word" };
	char **offspring;
	pmID pmids[3];
	int *status;

	ASSERT_EQ(NULL, pmRegisterDerived(names[0], "a.word + 1"));
	kill(self->fake.pid, SIGKILL);
	waitpid(self->fake.pid, NULL, 0);
	EXPECT_EQ(2, pmLookupName(2, names, pmids));
	EXPECT_NE(PM_ID_NULL, pmids[0]);
	EXPECT_NE(PM_ID_NULL, pmids[1]);
	EXPECT_EQ(PM_ERR_IPC, pmLookupName(3, names, pmids));
	EXPECT_NE(PM_ID_NULL, pmids[0]);
	EXPECT_EQ(PM_ID_NULL, pmids[2]);
	EXPECT_EQ(PM_ERR_IPC, pmLookupName(1, &names[2], pmids));
	EXPECT_EQ(PM_ERR_IPC, pmGetChildren("a", &offspring));
	EXPECT_EQ(2, pmGetChildrenStatus("", &offspring, &status));
	free(offspring);
	free(status);
	EXPECT_EQ(1, pmGetChildren("derived", &offspring));
	EXPECT_EQ(0, strcmp("alone", offspring[0]));
	free(offspring);
	EXPECT_EQ(2, pmGetChildren("event", &offspring));
	free(offspring);
	EXPECT_EQ(0, pmGetChildren("event.flags", &offspring));
	EXPECT_EQ(PM_ERR_IPC, values_of(pmids[0]));
}

TEST_HARNESS_MAIN
