// SPDX-License-Identifier: GPL-2.0-or-later
/* Misuse <libcpc.h> and <libpctx.h>, on the synthetic PMU. */
#include "core/session.h"
#include "selftests/synthetic/backend_sim.h"
#include "../cpc/cpc.h"
#include "misuse.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__sim;
}

void misuse_name(char *text, size_t size, long value, int error)
{
	if (value == -1 && error)
		snprintf(text, size, "-1, %s", strerrorname_np(error));
	else
		snprintf(text, size, "%ld", value);
}

static cpc_t *cpc, *other;
static cpc_set_t *set, *foreign;
static cpc_buf_t *buf, *foreign_buf;
static cpc_event_t event;
static pctx_t *pctx;
static uint64_t v;
static char *long_name;

/* Create two handles with a set and a buffer each, without binding a set. */
static void ready(void)
{
	cpc = open_with(&set, "page-faults", 0);
	other = open_with(&foreign, "page-faults", 0);
	if (!cpc || !other)
		exit(9);
	buf = cpc_buf_create(cpc, set);
	foreign_buf = cpc_buf_create(other, foreign);
	cpc_seterrhndlr(cpc, silent);
	long_name = malloc(1 << 20);
	memset(long_name, 'e', 1 << 20);
	long_name[(1 << 20) - 1] = 0;
}

static void bound(void)
{
	ready();
	if (cpc_bind_curlwp(cpc, set, 0))
		exit(9);
}

static void controlled(void)
{
	char *const argv[] = { "true", NULL };

	ready();
	pctx = pctx_create("true", argv, NULL, 0, NULL);
	if (!pctx)
		exit(9);
}

static long sample_in_thread(void)
{
	return cpc_set_sample(cpc, set, buf);
}

static long unbind_in_thread(void)
{
	return cpc_unbind(cpc, set);
}

static long restart_in_thread(void)
{
	return cpc_set_restart(cpc, set);
}

static long preset_in_thread(void)
{
	return cpc_request_preset(cpc, 0, 0);
}

static long enable_in_thread(void)
{
	return cpc_enable(cpc);
}

static long disable_in_thread(void)
{
	return cpc_disable(cpc);
}

static long destroy_in_thread(void)
{
	return cpc_set_destroy(cpc, set);
}

static long run_in_thread(void)
{
	return pctx_run(pctx, 0, 0, NULL);
}

static long release_in_thread(void)
{
	pctx_release(pctx);
	return 0;
}

/* Open up to @many handles, close all of them, and return how many were opened. */
static int open_handles(int many)
{
	cpc_t **all = calloc(many, sizeof(*all));
	int n = 0;

	while (n < many && (all[n] = cpc_open(CPC_VER_CURRENT)))
		n++;
	for (int i = 0; i < n; i++)
		cpc_close(all[i]);
	return n;
}

static int create_sets(int many)
{
	int n = 0;

	while (n < many && cpc_set_create(cpc))
		n++;
	cpc_close(cpc);
	return n;
}

static void handles(void)
{
	INT(, "NULL handle", cpc_close(NULL));
	POINTER(, "version -1", cpc_open(-1));
	INT(, "NULL handle", cpc_npic(NULL));
	INT(, "NULL handle", cpc_caps(NULL));
	POINTER(, "NULL handle", cpc_cciname(NULL));
	POINTER(, "NULL handle", cpc_cpuref(NULL));
	INT(, "NULL handle", cpc_seterrhndlr(NULL, silent));
	INT(ready(), "NULL handler", cpc_seterrhndlr(cpc, NULL));
	INT(bound(), "a set is bound", cpc_close(cpc));
	INT(, "2000 handles", open_handles(2000));
	INT(ready(), "10000 sets", create_sets(10000));
	NOTHING(, "NULL handle", cpc_terminate(NULL));
	INT(, "NULL handle", cpc_enable(NULL));
	INT(, "NULL handle", cpc_disable(NULL));
	INT(ready(), "nothing is bound", cpc_enable(cpc));
	INT(ready(), "nothing is bound", cpc_disable(cpc));
	INT(bound(), "another handle's set is bound", cpc_enable(other));
	INT(bound(), "another handle's set is bound", cpc_disable(other));
	INT(bound(), "by a thread without a bound set", in_another_thread(enable_in_thread));
	INT(bound(), "by a thread without a bound set", in_another_thread(disable_in_thread));
}

static int thousand_requests(void)
{
	int n = 0;

	while (n < 1000 && cpc_set_add_request(cpc, set, "page-faults", 0, CPC_COUNT_USER, 0, NULL) > 0)
		n++;
	return n;
}

static void sets(void)
{
	const cpc_attr_t attr = { NULL, 0 };

	POINTER(, "NULL handle", cpc_set_create(NULL));
	INT(ready(), "NULL handle", cpc_set_destroy(NULL, set));
	INT(ready(), "NULL set", cpc_set_destroy(cpc, NULL));
	INT(ready(), "another handle's set", cpc_set_destroy(cpc, foreign));
	INT(ready(); cpc_set_destroy(cpc, set), "destroyed twice", cpc_set_destroy(cpc, set));
	INT(bound(), "by another thread while it is bound", in_another_thread(destroy_in_thread));
	INT(ready(), "NULL handle", cpc_set_add_request(NULL, set, "page-faults", 0, 2, 0, NULL));
	INT(ready(), "NULL set", cpc_set_add_request(cpc, NULL, "page-faults", 0, 2, 0, NULL));
	INT(ready(), "another handle's set",
	    cpc_set_add_request(cpc, foreign, "page-faults", 0, 2, 0, NULL));
	INT(ready(); cpc_set_destroy(cpc, set), "destroyed set",
	    cpc_set_add_request(cpc, set, "page-faults", 0, 2, 0, NULL));
	INT(ready(), "NULL event", cpc_set_add_request(cpc, set, NULL, 0, 2, 0, NULL));
	INT(ready(), "a name of 1 MB", cpc_set_add_request(cpc, set, long_name, 0, 2, 0, NULL));
	INT(ready(), "all flags", cpc_set_add_request(cpc, set, "page-faults", 0, ~0U, 0, NULL));
	INT(ready(), "1 attribute, NULL", cpc_set_add_request(cpc, set, "page-faults", 0, 2, 1, NULL));
	INT(ready(), "4294967295 attributes, NULL",
	    cpc_set_add_request(cpc, set, "page-faults", 0, 2, ~0U, NULL));
	INT(ready(), "an attribute with a NULL name",
	    cpc_set_add_request(cpc, set, "page-faults", 0, 2, 1, &attr));
	INT(bound(), "the set is bound", cpc_set_add_request(cpc, set, "page-faults", 0, 2, 0, NULL));
	INT(ready(), "1000 requests", thousand_requests());
	NOTHING(ready(), "NULL handle", cpc_walk_requests(NULL, set, NULL, NULL));
	NOTHING(ready(), "NULL set", cpc_walk_requests(cpc, NULL, NULL, NULL));
	NOTHING(ready(), "NULL action", cpc_walk_requests(cpc, set, NULL, NULL));
	NOTHING(ready(), "NULL action", cpc_walk_events_all(cpc, NULL, NULL));
	NOTHING(, "NULL handle", cpc_walk_events_all(NULL, NULL, NULL));
	NOTHING(ready(), "NULL action", cpc_walk_events_pic(cpc, 0, NULL, NULL));
	NOTHING(ready(), "counter 4294967295", cpc_walk_events_pic(cpc, ~0U, NULL, NULL));
	NOTHING(, "NULL handle", cpc_walk_events_pic(NULL, 0, NULL, NULL));
	NOTHING(ready(), "NULL action", cpc_walk_generic_events_all(cpc, NULL, NULL));
	NOTHING(, "NULL handle", cpc_walk_generic_events_all(NULL, NULL, NULL));
	NOTHING(ready(), "NULL action", cpc_walk_generic_events_pic(cpc, 0, NULL, NULL));
	NOTHING(, "NULL handle", cpc_walk_generic_events_pic(NULL, 0, NULL, NULL));
	NOTHING(ready(), "NULL action", cpc_walk_attrs(cpc, NULL, NULL));
	NOTHING(, "NULL handle", cpc_walk_attrs(NULL, NULL, NULL));
}

static void bindings(void)
{
	INT(ready(), "NULL handle", cpc_bind_curlwp(NULL, set, 0));
	INT(ready(), "NULL set", cpc_bind_curlwp(cpc, NULL, 0));
	INT(ready(), "another handle's set", cpc_bind_curlwp(cpc, foreign, 0));
	INT(ready(), "all flags", cpc_bind_curlwp(cpc, set, ~0U));
	INT(ready(), "a set without requests", cpc_bind_curlwp(cpc, cpc_set_create(cpc), 0));
	INT(bound(), "bound twice", cpc_bind_curlwp(cpc, set, 0));
	INT(ready(), "NULL handle", cpc_bind_pctx(NULL, NULL, 1, set, 0));
	INT(ready(), "NULL process", cpc_bind_pctx(cpc, NULL, 1, set, 0));
	INT(controlled(), "NULL set", cpc_bind_pctx(cpc, pctx, 1, NULL, 0));
	INT(controlled(), "thread -1", cpc_bind_pctx(cpc, pctx, -1, set, 0));
	INT(ready(), "NULL handle", cpc_bind_cpu(NULL, 0, set, 0));
	INT(ready(), "NULL set", cpc_bind_cpu(cpc, 0, NULL, 0));
	INT(ready(), "CPU -1", cpc_bind_cpu(cpc, -1, set, 0));
	INT(ready(), "CPU 2147483647", cpc_bind_cpu(cpc, 0x7fffffff, set, 0));
	INT(ready(), "NULL handle", cpc_request_preset(NULL, 0, 0));
	INT(ready(), "nothing is bound", cpc_request_preset(cpc, 0, 0));
	INT(bound(), "request -1", cpc_request_preset(cpc, -1, 0));
	INT(bound(), "request 2147483647", cpc_request_preset(cpc, 0x7fffffff, 0));
	INT(bound(), "by a thread without a bound set", in_another_thread(preset_in_thread));
	INT(ready(), "NULL handle", cpc_set_restart(NULL, set));
	INT(ready(), "NULL set", cpc_set_restart(cpc, NULL));
	INT(ready(), "not bound", cpc_set_restart(cpc, set));
	INT(bound(), "by a thread without a bound set", in_another_thread(restart_in_thread));
	INT(ready(), "NULL handle", cpc_unbind(NULL, set));
	INT(ready(), "NULL set", cpc_unbind(cpc, NULL));
	INT(ready(), "not bound", cpc_unbind(cpc, set));
	INT(bound(); cpc_unbind(cpc, set), "unbound twice", cpc_unbind(cpc, set));
	INT(bound(), "by a thread without a bound set", in_another_thread(unbind_in_thread));
	INT(bound(); cpc_set_destroy(cpc, set), "destroyed set", cpc_unbind(cpc, set));
	INT(bound(), "NULL handle", cpc_set_sample(NULL, set, buf));
	INT(bound(), "NULL set", cpc_set_sample(cpc, NULL, buf));
	INT(bound(), "NULL buffer", cpc_set_sample(cpc, set, NULL));
	INT(bound(), "another handle's buffer", cpc_set_sample(cpc, set, foreign_buf));
	INT(bound(), "another handle's set", cpc_set_sample(cpc, foreign, buf));
	INT(ready(), "not bound", cpc_set_sample(cpc, set, buf));
	INT(bound(), "by a thread without a bound set", in_another_thread(sample_in_thread));
}

static void buffers(void)
{
	POINTER(ready(), "NULL handle", cpc_buf_create(NULL, set));
	POINTER(ready(), "NULL set", cpc_buf_create(cpc, NULL));
	POINTER(ready(), "another handle's set", cpc_buf_create(cpc, foreign));
	POINTER(ready(); cpc_set_destroy(cpc, set), "destroyed set", cpc_buf_create(cpc, set));
	INT(ready(), "NULL handle", cpc_buf_destroy(NULL, buf));
	INT(ready(), "NULL buffer", cpc_buf_destroy(cpc, NULL));
	INT(ready(), "another handle's buffer", cpc_buf_destroy(cpc, foreign_buf));
	INT(ready(); cpc_buf_destroy(cpc, buf), "destroyed twice", cpc_buf_destroy(cpc, buf));
	NOTHING(ready(), "NULL handle", cpc_buf_sub(NULL, buf, buf, buf));
	NOTHING(ready(), "NULL buffers", cpc_buf_sub(cpc, NULL, NULL, NULL));
	NOTHING(ready(), "NULL buffer", cpc_buf_sub(cpc, buf, buf, NULL));
	NOTHING(ready(), "another handle's buffer", cpc_buf_sub(cpc, buf, buf, foreign_buf));
	NOTHING(ready(), "NULL handle", cpc_buf_add(NULL, buf, buf, buf));
	NOTHING(ready(), "NULL buffers", cpc_buf_add(cpc, NULL, NULL, NULL));
	NOTHING(ready(), "NULL buffer", cpc_buf_add(cpc, buf, NULL, buf));
	NOTHING(ready(), "NULL handle", cpc_buf_copy(NULL, buf, buf));
	NOTHING(ready(), "NULL buffers", cpc_buf_copy(cpc, NULL, NULL));
	NOTHING(ready(), "NULL handle", cpc_buf_zero(NULL, buf));
	NOTHING(ready(), "NULL buffer", cpc_buf_zero(cpc, NULL));
	INT(ready(), "NULL handle", cpc_buf_get(NULL, buf, 0, &v));
	INT(ready(), "NULL buffer", cpc_buf_get(cpc, NULL, 0, &v));
	INT(ready(), "NULL value", cpc_buf_get(cpc, buf, 0, NULL));
	INT(ready(), "request -1", cpc_buf_get(cpc, buf, -1, &v));
	INT(ready(), "request 2147483647", cpc_buf_get(cpc, buf, 0x7fffffff, &v));
	INT(ready(), "NULL buffer", cpc_buf_set(cpc, NULL, 0, 1));
	INT(ready(), "request -1", cpc_buf_set(cpc, buf, -1, 1));
	INT(ready(), "request 2147483647", cpc_buf_set(cpc, buf, 0x7fffffff, 1));
	INT(ready(), "NULL buffer", cpc_buf_hrtime(cpc, NULL));
	INT(ready(), "NULL buffer", cpc_buf_tick(cpc, NULL));
}

static void version_1(void)
{
	INT(, "version 4294967295", cpc_version(~0U));
	POINTER(, "CPU version -1", cpc_getcciname(-1));
	POINTER(, "CPU version -1", cpc_getcpuref(-1));
	POINTER(, "CPU version -1", cpc_getusage(-1));
	INT(, "CPU version -1", cpc_getnpic(-1));
	NOTHING(, "NULL handler", cpc_seterrfn(NULL));
	NOTHING(, "NULL action", cpc_walk_names(cpc_getcpuver(), 0, NULL, NULL));
	NOTHING(, "counter -1", cpc_walk_names(cpc_getcpuver(), -1, NULL, NULL));
	INT(, "NULL text", cpc_strtoevent(cpc_getcpuver(), NULL, &event));
	INT(, "NULL event", cpc_strtoevent(cpc_getcpuver(), "pic0=page-faults", NULL));
	POINTER(, "NULL event", cpc_eventtostr(NULL));
	NOTHING(, "NULL events", cpc_event_accum(NULL, NULL));
	NOTHING(, "NULL events", cpc_event_diff(NULL, NULL, NULL));
	INT(, "NULL event", cpc_bind_event(NULL, 0));
	INT(, "an event whose fields are all 0", cpc_bind_event(&event, 0));
	INT(, "NULL event", cpc_take_sample(NULL));
	INT(, "nothing is bound", cpc_take_sample(&event));
	INT(, "nothing is bound", cpc_rele());
	INT(, "nothing is bound", cpc_count_usr_events(1));
	INT(, "nothing is bound", cpc_count_sys_events(1));
	INT(, "NULL process", cpc_pctx_bind_event(NULL, 1, &event, 0));
	INT(, "NULL process", cpc_pctx_take_sample(NULL, 1, &event));
	INT(, "NULL process", cpc_pctx_rele(NULL, 1));
	INT(, "NULL process", cpc_pctx_invalidate(NULL, 1));
	NOTHING(, "descriptor -1", cpc_shared_close(-1));
	INT(, "descriptor -1", cpc_shared_bind_event(-1, &event, 0));
	INT(, "descriptor -1", cpc_shared_take_sample(-1, &event));
	INT(, "descriptor -1", cpc_shared_rele(-1));
}

static void processes(void)
{
	char *const argv[] = { "true", NULL };

	POINTER(, "NULL file", pctx_create(NULL, argv, NULL, 0, NULL));
	POINTER(, "NULL arguments", pctx_create("true", NULL, NULL, 0, NULL));
	POINTER(, "no such file", pctx_create("/nonexistent", argv, NULL, 0, NULL));
	POINTER(, "process -1", pctx_capture(-1, NULL, 0, NULL));
	POINTER(, "process 0", pctx_capture(0, NULL, 0, NULL));
	POINTER(, "the calling process", pctx_capture(getpid(), NULL, 0, NULL));
	INT(, "NULL process", pctx_set_events(NULL, PCTX_NULL_EVENT));
	INT(controlled(), "event 99", pctx_set_events(pctx, 99, NULL, PCTX_NULL_EVENT));
	INT(controlled(), "NULL handler", pctx_set_events(pctx, PCTX_INIT_LWP_EVENT, NULL, PCTX_NULL_EVENT));
	INT(, "NULL process", pctx_run(NULL, 0, 0, NULL));
	INT(controlled(), "samples without a callback", pctx_run(pctx, 1, 1, NULL));
	INT(controlled(), "by another thread", in_another_thread(run_in_thread));
	INT(controlled(); pctx_run(pctx, 0, 0, NULL), "run twice", pctx_run(pctx, 0, 0, NULL));
	NOTHING(, "NULL process", pctx_terminate(NULL));
	NOTHING(, "NULL process", pctx_release(NULL));
	INT(controlled(), "by another thread", in_another_thread(release_in_thread));
	NOTHING(controlled(), "before it has run", pctx_release(pctx));
}

int main(void)
{
	handles();
	sets();
	bindings();
	buffers();
	version_1();
	processes();
	return misuse_ends();
}
