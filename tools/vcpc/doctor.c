// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc doctor: checks what vcpc uses on this machine, and says what follows and what to type. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "json_text.h"
#include "text.h"
#include "vcpc.h"

#define NODE		"/dev/vcpc"
#define MODULE		"/sys/module/vcpc"
#define BPF_FOLDER	"/sys/fs/bpf"
#define BPF_FS_MAGIC	0xcafe4a11
#define LONGEST		512

enum state { FINE, LIMITED, BROKEN };

static const char *const state_names[] = { "ok", "limited", "broken" };

/**
 * struct finding - what one check has found
 * @state: BROKEN if something that vcpc is for cannot be done
 * @found: what is here
 * @means: what follows from it for the user; empty if nothing does
 * @type: what to type to change that; empty if nothing needs to, or can be, changed
 */
struct finding {
	enum state state;
	char found[LONGEST];
	char means[LONGEST];
	char type[LONGEST];
};

static void __attribute__((format(printf, 2, 3))) found(struct finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
}

static void limits(struct finding *f, enum state state, const char *means, const char *type)
{
	f->state = state;
	snprintf(f->means, sizeof(f->means), "%s", means);
	snprintf(f->type, sizeof(f->type), "%s", type);
}

/* The first line of a file, without its newline; -errno if there is none */
static int first_line(const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	int ret = 0;

	if (!file)
		return -errno;
	if (!fgets(line, (int)size, file))
		ret = -ENODATA;
	else
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return ret;
}

/* 1 if a line of the file has the text */
static int file_has(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[4096];
	int has = 0;

	if (!file)
		return 0;
	while (!has && fgets(line, sizeof(line), file))
		has = strstr(line, text) != NULL;
	fclose(file);
	return has;
}

/* Whether a release is of a series that the module was tested on */
static int is_tested(const char *release)
{
	char series[16], all[] = " " TESTED_KERNELS " ";
	unsigned int version, patch;

	if (sscanf(release, "%u.%u", &version, &patch) != 2)
		return 0;
	snprintf(series, sizeof(series), " %u.%u ", version % 1000, patch % 1000);
	return strstr(all, series) != NULL;
}

static void check_kernel(struct finding *f)
{
	struct utsname name;

	uname(&name);
	found(f, "Linux %s on %s", name.release, name.machine);
	if (!is_tested(name.release))
		limits(f, LIMITED, "the module was not tested on this kernel (tested: " TESTED_KERNELS "); if it does not build or load, perf_event_open(2) counts instead",
		       "");
}

static int module_installed(void)
{
	char path[LONGEST];
	struct utsname name;

	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", name.release);
	return file_has(path, "/vcpc.ko");
}

static void check_module(struct finding *f)
{
	char version[LONGEST];

	if (access(MODULE, F_OK)) {
		int there = module_installed();

		found(f, there ? "installed, but not loaded" : "not installed for this kernel");
		limits(f, LIMITED, "without it threads do not report their own values when they inherit a set, and tracing goes by probes",
		       there ? "as root: modprobe vcpc" :
			       "as root: apt install vcpc-dkms, or in the source: make module && make install");
		return;
	}
	if (first_line(MODULE "/version", version, sizeof(version)))
		snprintf(version, sizeof(version), "unknown");
	found(f, "loaded, version %s", version);
	if (strcmp(version, VCPC_VERSION))
		limits(f, LIMITED, "it is not this command's version, " VCPC_VERSION "; calls that one of them lacks fail",
		       "as root, when nobody counts: modprobe -r vcpc && modprobe vcpc");
}

static void check_lockdown(struct finding *f)
{
	char line[LONGEST];

	if (first_line("/sys/kernel/security/lockdown", line, sizeof(line))) {
		found(f, "not known (no securityfs)");
		return;
	}
	found(f, "%s", line);
	if (!strstr(line, "[none]"))
		limits(f, LIMITED, "the kernel loads signed modules only, as under Secure Boot",
		       "as root, for the key of DKMS: mokutil --import /var/lib/dkms/mok.pub, then reboot");
}

static void check_device(struct finding *f)
{
	if (access(NODE, F_OK)) {
		found(f, "no " NODE);
		if (!access(MODULE, F_OK))
			limits(f, BROKEN, "the module is loaded, but programs do not find it",
			       "as root: udevadm trigger --name-match=vcpc; for a container: --device " NODE);
	} else if (access(NODE, R_OK | W_OK)) {
		found(f, "you may not open " NODE);
		limits(f, LIMITED, "the module counts for the group vcpc only",
		       "as root: usermod -aG vcpc USER, then log in again");
	} else {
		found(f, "you may open " NODE);
	}
}

static void check_counting(struct finding *f)
{
	struct shim_handle *handle = NULL;
	char why[SHIM_WHY_MAX] = "";
	int ret = shim_open(&handle);

	shim_backend_why(ret ? NULL : handle, why, sizeof(why));
	if (ret) {
		found(f, "nothing counts: %s", strerror(-ret));
		limits(f, BROKEN, why, "see the other lines");
		return;
	}
	found(f, "by %s: %s", shim_backend(handle), why);
	shim_close(handle);
}

/* Append "cpu_core (CPUs 0-15)" to a list */
static int add_pmu(void *list, const char *name, const char *cpus)
{
	size_t length = strlen(list);

	snprintf((char *)list + length, LONGEST - length, "%s%s%s%s%s", length ? ", " : "", name,
		 *cpus ? " (CPUs " : "", cpus, *cpus ? ")" : "");
	return 0;
}

static void check_pmu(struct finding *f)
{
	char names[LONGEST] = "";

	shim_pmus_walk(add_pmu, names);
	if (*names) {
		found(f, "hardware counters: %.480s", names);
		return;
	}
	found(f, "no hardware counters");
	limits(f, LIMITED, "cycles, instructions and the like cannot be counted here; software events can. Most virtual machines have none",
	       "");
}

static void check_watchdog(struct finding *f)
{
	char line[LONGEST];

	if (first_line("/proc/sys/kernel/nmi_watchdog", line, sizeof(line)))
		found(f, "there is none");
	else if (!strcmp(line, "0"))
		found(f, "off");
	else {
		found(f, "on");
		limits(f, LIMITED, "it keeps one hardware counter of each CPU",
		       "as root: sysctl kernel.nmi_watchdog=0");
	}
}

/* What perf lets users without CAP_PERFMON do */
static void check_paranoid(struct finding *f)
{
	char line[LONGEST];
	long level;

	if (first_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line))) {
		found(f, "this kernel has no perf events");
		limits(f, BROKEN, "nothing can be counted", "");
		return;
	}
	level = strtol(line, NULL, 10);
	found(f, "%ld", level);
	if (level > 2)
		limits(f, LIMITED, "only root may count CPUs and processes that run already; without the module, anything",
		       "as root: sysctl kernel.perf_event_paranoid=2");
	else if (level == 2)
		limits(f, FINE, "users may count their own processes in user mode", "");
	else
		limits(f, FINE, "users may count kernel mode, too", "");
}

static void check_libpfm(struct finding *f)
{
	void *library = dlopen("libpfm.so.4", RTLD_LAZY);

	if (library) {
		found(f, "installed");
		dlclose(library);
		return;
	}
	found(f, "not installed");
	limits(f, LIMITED, "only perf's own events have names, not the processor's",
	       "as root: apt install libpfm4");
}

static void check_btf(struct finding *f)
{
	if (!access("/sys/kernel/btf/vmlinux", R_OK)) {
		found(f, "the kernel has type information");
		return;
	}
	found(f, "the kernel has no type information (CONFIG_DEBUG_INFO_BTF)");
	limits(f, LIMITED, "tracing by probes does not work; by the module it does", "");
}

static void check_tracing(struct finding *f)
{
	int way = shim_trace_status();
	struct statfs fs;

	if (way == SHIM_TRACE_BY_MODULE || way == SHIM_TRACE_BY_PROBES) {
		found(f, "on, %s", way == SHIM_TRACE_BY_MODULE ? "by the module" : "by probes");
		return;
	}
	if (way == -EPERM || way == -EACCES) {
		found(f, "only root can tell");
		limits(f, FINE, "", "as root: vcpc trace status");
		return;
	}
	if (way < 0) {
		found(f, "not known: %s", strerror(-way));
		limits(f, LIMITED, "transactions may not be timed", "as root: vcpc trace off, then vcpc trace on");
		return;
	}
	if (!access(BPF_FOLDER "/vcpc", F_OK)) {
		found(f, "off, but maps are pinned in " BPF_FOLDER "/vcpc");
		limits(f, LIMITED, "they are of a tracing that did not end whole, and keep memory",
		       "as root: vcpc trace off");
		return;
	}
	found(f, "off");
	if (statfs(BPF_FOLDER, &fs) || fs.f_type != BPF_FS_MAGIC)
		limits(f, FINE, "the BPF file system is not mounted yet; turning tracing on mounts it", "as root: vcpc trace on");
	else
		limits(f, FINE, "", "as root: vcpc trace on");
}

static int in_path(const char *command)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *rest = copy;
	const char *folder;
	char file[LONGEST];
	int there = 0;

	while (!there && (folder = strsep(&rest, ":")) != NULL) {
		snprintf(file, sizeof(file), "%s/%s", *folder ? folder : ".", command);
		there = !access(file, X_OK);
	}
	free(copy);
	return there;
}

static void check_pcp(struct finding *f)
{
	int tools = in_path("pmval");
	int pmcd = !access("/run/pcp/pmcd.socket", F_OK);

	found(f, "its tools are%s installed, its collector %s", tools ? "" : " not",
	      pmcd ? "runs" : "does not run");
	if (!tools)
		limits(f, FINE, "nothing here needs it; its tools read our archives, too", "as root: apt install pcp");
}

struct check {
	const char *name;
	void (*fn)(struct finding *f);
};

static const struct check checks[] = {
	{ "kernel", check_kernel },
	{ "module", check_module },
	{ "lockdown", check_lockdown },
	{ "device", check_device },
	{ "counting", check_counting },
	{ "PMU", check_pmu },
	{ "NMI watchdog", check_watchdog },
	{ "perf_event_paranoid", check_paranoid },
	{ "libpfm", check_libpfm },
	{ "BTF", check_btf },
	{ "tracing", check_tracing },
	{ "PCP", check_pcp },
};

#define N_CHECKS (sizeof(checks) / sizeof(checks[0]))

static void print_line(const char *before, const char *text)
{
	if (!*text)
		return;
	fputs(before, stdout);
	vcpc_put_printable(stdout, text, "");
	fputc('\n', stdout);
}

static void print_text(const struct check *check, const struct finding *f)
{
	printf("%-20s %-8s ", check->name, state_names[f->state]);
	print_line("", f->found);
	print_line("                              ", f->means);
	print_line("                              -> ", f->type);
}

static void print_json(const struct check *check, const struct finding *f)
{
	const char *const fields[][2] = {
		{ "check", check->name }, { "state", state_names[f->state] },
		{ "found", f->found }, { "means", f->means }, { "type", f->type },
	};

	printf(check == checks ? "\n  {" : ",\n  {");
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		printf("%s\"%s\": ", i ? ", " : "", fields[i][0]);
		vcpc_json_text(stdout, fields[i][1]);
	}
	putchar('}');
}

static int examine(int json)
{
	int status = 0;

	if (json)
		printf("{\"version\": \"" VCPC_VERSION "\", \"checks\": [");
	for (size_t i = 0; i < N_CHECKS; i++) {
		struct finding f = { .state = FINE };

		checks[i].fn(&f);
		(json ? print_json : print_text)(&checks[i], &f);
		if (f.state == BROKEN)
			status = VCPC_EXIT_FAILURE;
	}
	if (json)
		printf("\n]}\n");
	return status;
}

static int help(void)
{
	printf("Usage: vcpc doctor [--json]\n\n"
	       "Looks at what vcpc uses on this machine, and prints a line for each: what is there,\n"
	       "what that means, and behind an arrow what to type to change it.  Changes nothing.\n"
	       "\"limited\": something does not work, or works otherwise; \"broken\": nothing can be\n"
	       "counted, or what is installed does not fit; the exit status is 1 then.\n");
	return 0;
}

int vcpc_cmd_doctor(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 }
	};
	int json = 0;
	int c;

	while ((c = getopt_long(argc, argv, "+hj", options, NULL)) != -1) {
		if (c == 'h')
			return help();
		if (c != 'j')
			return vcpc_usage(NULL);
		json = 1;
	}
	if (argc > optind)
		return vcpc_usage("no arguments, but '%s'", argv[optind]);
	return examine(json);
}
