// SPDX-License-Identifier: GPL-2.0-or-later
/* Misuse every call of every scope of AIX's <pmapi.h>, on the synthetic PMU. */
#include "core/session.h"
#include "selftests/synthetic/backend_clock.h"
#include "../aix/scopes.h"
#include "aix/pmapi.h"
#include "misuse.h"

const struct shim_backend_ops *shim_session__backend(void)
{
	return &shim_backend__clock;
}

void misuse_name(char *text, size_t size, long value, int error)
{
	(void)error;
	snprintf(text, size, "%ld", value);
}

static pm_prog_t prog;
static pm_data_t data;
static pm_data_mx_t data_mx;
static timebasestruct_t when;
static pm_accu_time_t times;

static void ready(void)
{
	if (!info.maxpmcs && initialize())
		exit(9);
	prog = program("PM_INST_CMPL");
}

static void programmed(void)
{
	ready();
	if (pm_set_program_mythread(&prog))
		exit(9);
}

static long data_in_thread(void)
{
	return pm_get_data_mythread(&data);
}

/* Print a row for a call of one scope, from the table of all scopes. */
#define OF(ready, misuse, call)						\
	do {								\
		char text[64];						\
		snprintf(text, sizeof(text), "%s: " #call, s->name);	\
		ROW(ready, misuse, text, misuse_int(s->call));		\
	} while (0)

static void null_arguments(const struct scope *s)
{
	OF(ready(), "NULL program", set(NULL));
	OF(ready(), "NULL program", set_mx(NULL));
	OF(ready(), "NULL program", set_mm(NULL));
	OF(ready(); s->set(&prog), "NULL program", get(NULL));
	OF(ready(), "NULL program", get_mx(NULL));
	OF(ready(), "NULL program", get_mm(NULL));
	OF(ready(); s->set(&prog), "NULL time", tstart(NULL));
	OF(ready(); s->set(&prog); s->start(), "NULL time", tstop(NULL));
	OF(ready(); s->set(&prog), "NULL data", data(NULL));
	OF(ready(); s->set(&prog), "NULL data and time", tdata(NULL, NULL));
	OF(ready(); s->set(&prog), "NULL data and times", Tdata(NULL, NULL));
	OF(ready(), "NULL data", data_mx(NULL));
	OF(ready(), "NULL data and time", tdata_mx(NULL, NULL));
}

static void without_program(const struct scope *s)
{
	OF(ready(), "no program is set", get(&prog));
	OF(ready(), "no program is set", start());
	OF(ready(), "no program is set", tstart(&when));
	OF(ready(), "no program is set", stop());
	OF(ready(), "no program is set", tstop(&when));
	OF(ready(), "no program is set", reset());
	OF(ready(), "no program is set", data(&data));
	OF(ready(), "no program is set", tdata(&data, &when));
	OF(ready(), "no program is set", Tdata(&data, &times));
	OF(ready(), "no program is set", data_mx(&data_mx));
	OF(ready(), "no program is set", tdata_mx(&data_mx, &when));
	OF(ready(), "no program is set", drop());
}

static void before_initialize(const struct scope *s)
{
	OF(, "before pm_initialize", set(&prog));
	OF(, "before pm_initialize", get(&prog));
	OF(, "before pm_initialize", start());
	OF(, "before pm_initialize", data(&data));
	OF(, "before pm_initialize", drop());
}

static void programs(void)
{
	INT(ready(); prog.events[0] = 0x7fffffff, "event 2147483647", pm_set_program_mythread(&prog));
	INT(ready(); prog.events[0] = -0x7fffffff, "event -2147483647", pm_set_program_mythread(&prog));
	INT(ready(); prog.mode.w = 0x7fffffff, "all bits of the mode", pm_set_program_mythread(&prog));
	INT(programmed(), "set twice", pm_set_program_mythread(&prog));
	INT(programmed(), "in a thread without a program", in_another_thread(data_in_thread));
	INT(programmed(); pm_start_mythread(), "started twice", pm_start_mythread());
	INT(programmed(), "not started", pm_stop_mythread());
	INT(programmed(); pm_delete_program_mythread(), "deleted twice", pm_delete_program_mythread());
	INT(ready(), "-1 sets", pm_set_program_mythread_mx(&(pm_prog_mx_t){ .nb_events_prog = -1 }));
	INT(ready(), "NULL sets", pm_set_program_mythread_mx(&(pm_prog_mx_t){
		.mode.w = PM_USER, .slice_duration = 100, .nb_events_prog = 2 }));
	INT(ready(), "2147483647 sets", pm_set_program_mythread_mx(&(pm_prog_mx_t){
		.mode.w = PM_USER, .slice_duration = 100, .nb_events_prog = 0x7fffffff }));
	INT(ready(), "NULL sets", pm_set_program_mythread_mm(&(pm_prog_mm_t){
		.slice_duration = 100, .nb_set_prog = 2 }));
	INT(ready(), "2147483647 sets", pm_set_program_mythread_mm(&(pm_prog_mm_t){
		.slice_duration = 100, .nb_set_prog = 0x7fffffff }));
}

static void library(void)
{
	INT(, "NULL information", pm_init(PM_VERIFIED, NULL, NULL));
	INT(, "NULL information", pm_initialize(PM_VERIFIED, NULL, NULL, PM_CURRENT));
	INT(, "all filters, NULL groups", pm_initialize(~0, &info, NULL, PM_CURRENT));
	INT(, "no filter", pm_initialize(0, &info, &groups, PM_CURRENT));
	INT(, "processor -1", pm_initialize(PM_VERIFIED, &info, &groups, -1));
	INT(, "processor 2147483647", pm_initialize(PM_VERIFIED, &info, &groups, 0x7fffffff));
	NOTHING(, "NULL call name", pm_error(NULL, 1));
	NOTHING(, "error 2147483647", pm_error("here", 0x7fffffff));
	POINTER(, "NULL call name", pm_strerror(NULL, 1));
	POINTER(, "error -2147483647", pm_strerror("here", -0x7fffffff));
}

static void others(void)
{
	INT(ready(), "processor -1", pm_get_data_cpu(-1, &data));
	INT(ready(), "processor 2147483647", pm_get_data_cpu(0x7fffffff, &data));
	INT(ready(), "NULL data", pm_get_data_cpu(0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_cpu(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_Tdata_cpu(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_data_cpu_mx(0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_cpu_mx(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_data_lcpu(0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_lcpu(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_Tdata_lcpu(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_data_lcpu_mx(0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_lcpu_mx(0, NULL, NULL));
	INT(ready(), "NULL list and size", pm_get_wplist(NULL, NULL, NULL));
	INT(ready(), "partition -1", pm_set_program_wp(-1, NULL));
	INT(ready(), "partition -1", pm_set_program_wp_mm(-1, NULL));
	INT(ready(), "partition -1", pm_get_program_wp(-1, NULL));
	INT(ready(), "partition -1", pm_get_program_wp_mm(-1, NULL));
	INT(ready(), "partition -1", pm_start_wp(-1));
	INT(ready(), "partition -1", pm_tstart_wp(-1, NULL));
	INT(ready(), "partition -1", pm_stop_wp(-1));
	INT(ready(), "partition -1", pm_tstop_wp(-1, NULL));
	INT(ready(), "partition -1", pm_reset_data_wp(-1));
	INT(ready(), "partition -1", pm_delete_program_wp(-1));
	INT(ready(), "NULL data", pm_get_data_wp(0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_wp(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_Tdata_wp(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_data_wp_mx(0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_wp_mx(0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_data_lcpu_wp(0, 0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_lcpu_wp(0, 0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_Tdata_lcpu_wp(0, 0, NULL, NULL));
	INT(ready(), "NULL data", pm_get_data_lcpu_wp_mx(0, 0, NULL));
	INT(ready(), "NULL data", pm_get_tdata_lcpu_wp_mx(0, 0, NULL, NULL));
	INT(, "NULL frequencies", pm_set_counter_frequency_mythread(NULL));
	INT(, "NULL frequencies", pm_set_counter_frequency_thread(0, 0, NULL));
	INT(, "NULL frequencies", pm_set_counter_frequency_pthread(0, 0, 0, NULL));
	INT(, "NULL handler", pm_set_ebb_handler(NULL, NULL));
	INT(, "NULL handler", pm_clear_ebb_handler(NULL, NULL));
	INT(, "mode -1", pm_enable_bhrb(-1));
	INT(, "not enabled", pm_disable_bhrb());
}

static void additions(void)
{
}

int main(void)
{
	start_target();
	library();
	EACH_SCOPE(s)
		before_initialize(s);
	ready();	/* Call this only once, because it takes a long time. */
	others();
	programs();
	EACH_SCOPE(s) {
		null_arguments(s);
		without_program(s);
	}
	end_target();
	additions();
	return misuse_ends();
}
