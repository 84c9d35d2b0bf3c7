// SPDX-License-Identifier: GPL-2.0-or-later
/* vcpc doctor: check this machine's support for vcpc, and suggest fixes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "doctor.h"
#include "json_text.h"
#include "options.h"
#include "text.h"
#include "vcpc.h"

#define NODE		"/dev/vcpc"
#define MODULE		"/sys/module/vcpc"
#define BPF_FOLDER	"/sys/fs/bpf"
#define BPF_FS_MAGIC	0xcafe4a11
#define LONGEST		VCPC_FINDING

static const char *const state_names[] = { "ok", "limited", "broken" };

/* Return 1 if a line of the file contains the text. */
static int file_has(struct vcpc_finding *f, const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[4096];
	int has = 0;

	if (!file) {
		vcpc_doubt(f, errno);
		return 0;
	}
	while (!has && fgets(line, sizeof(line), file))
		has = strstr(line, text) != NULL;
	if (ferror(file))
		vcpc_doubt(f, errno);
	fclose(file);
	return has;
}

/* Return whether a kernel release belongs to a series on which the module was tested. */
static int is_tested(const char *release)
{
	char series[16], all[] = " " TESTED_KERNELS " ";
	unsigned int version, patch;

	if (sscanf(release, "%u.%u", &version, &patch) != 2)
		return 0;
	snprintf(series, sizeof(series), " %u.%u ", version % 1000, patch % 1000);
	return strstr(all, series) != NULL;
}

static void check_kernel(struct vcpc_finding *f)
{
	struct utsname name;

	uname(&name);
	vcpc_found(f, "Linux %s on %s", name.release, name.machine);
	if (!is_tested(name.release))
		vcpc_limits(f, VCPC_LIMITED, "the module was not tested on this kernel (tested: " TESTED_KERNELS "); if it does not build or load, events are counted through perf_event_open(2) instead",
		       "");
}

static int module_installed(struct vcpc_finding *f)
{
	char path[LONGEST];
	struct utsname name;

	uname(&name);
	snprintf(path, sizeof(path), "/lib/modules/%s/modules.dep", name.release);
	return file_has(f, path, "/vcpc.ko");
}

static void check_module(struct vcpc_finding *f)
{
	char version[LONGEST];

	if (!vcpc_is_there(f, MODULE, F_OK)) {
		int there = module_installed(f);

		vcpc_found(f, there ? "installed, but not loaded" : "not installed for this kernel");
		vcpc_limits(f, VCPC_LIMITED, "without it, inherited threads report only a total, and tracing uses probes",
		       there ? "as root: modprobe vcpc" :
			       "as root: apt install vcpc-dkms, or in the source tree: make module && make install");
		return;
	}
	if (vcpc_first_line(f, MODULE "/version", version, sizeof(version)))
		snprintf(version, sizeof(version), "unknown");
	vcpc_found(f, "loaded, version %s", version);
	if (strcmp(version, VCPC_VERSION))
		vcpc_limits(f, VCPC_LIMITED, "it differs from this command's version, " VCPC_VERSION "; calls that only one of them supports fail",
		       "as root, while nothing is being counted: modprobe -r vcpc && modprobe vcpc");
}

static void check_device(struct vcpc_finding *f)
{
	if (!vcpc_is_there(f, NODE, F_OK)) {
		vcpc_found(f, "no " NODE);
		if (vcpc_is_there(f, MODULE, F_OK))
			vcpc_limits(f, VCPC_BROKEN, "the module is loaded, but its device node does not exist",
			       "as root: udevadm trigger --name-match=vcpc; for a container: --device " NODE);
	} else if (!vcpc_is_there(f, NODE, R_OK | W_OK)) {
		vcpc_found(f, "no permission to open " NODE);
		vcpc_limits(f, VCPC_LIMITED, "only root and members of the group vcpc can use the module",
		       "as root: usermod -aG vcpc USER, then log in again");
	} else {
		vcpc_found(f, NODE " can be opened");
	}
}

static void check_counting(struct vcpc_finding *f)
{
	struct shim_handle *handle = NULL;
	char why[SHIM_WHY_MAX] = "";
	int ret = shim_open(&handle);

	shim_backend_why(ret ? NULL : handle, why, sizeof(why));
	if (ret) {
		vcpc_found(f, ret == -ENODEV ? "cannot count" : "cannot count: %s", strerror(-ret));
		vcpc_limits(f, VCPC_BROKEN, why, "see the other checks");
		return;
	}
	vcpc_found(f, "through %s: %s", shim_backend(handle), why);
	shim_close(handle);
}

static void check_libpfm(struct vcpc_finding *f)
{
	void *library = dlopen("libpfm.so.4", RTLD_LAZY);
	const char *why;

	if (library) {
		vcpc_found(f, "installed");
		dlclose(library);
		return;
	}
	why = dlerror();
	if (why && !strstr(why, strerror(ENOENT)))
		vcpc_doubt(f, ENOMEM);
	vcpc_found(f, "not installed");
	vcpc_limits(f, VCPC_LIMITED, "only perf's generic events have names, not this processor's own events",
	       "as root: apt install libpfm4");
}

static void check_btf(struct vcpc_finding *f)
{
	if (vcpc_is_there(f, "/sys/kernel/btf/vmlinux", R_OK)) {
		vcpc_found(f, "the kernel has type information");
		return;
	}
	vcpc_found(f, "the kernel has no type information (CONFIG_DEBUG_INFO_BTF)");
	vcpc_limits(f, VCPC_LIMITED, "tracing requires the module; probes do not work", "");
}

static void check_tracing(struct vcpc_finding *f)
{
	int way = shim_trace_status();
	struct statfs fs;

	if (way == SHIM_TRACE_BY_MODULE || way == SHIM_TRACE_BY_PROBES) {
		vcpc_found(f, "on, through %s", way == SHIM_TRACE_BY_MODULE ? "the module" : "probes");
		return;
	}
	if (way == -EPERM || way == -EACCES) {
		vcpc_found(f, "only root can check this");
		vcpc_limits(f, VCPC_FINE, "", "as root: vcpc trace status");
		return;
	}
	if (way < 0) {
		vcpc_found(f, "unknown: %s", strerror(-way));
		vcpc_limits(f, VCPC_LIMITED, "transactions might not be timed", "as root: vcpc trace off, then vcpc trace on");
		return;
	}
	if (vcpc_is_there(f, BPF_FOLDER "/vcpc", F_OK)) {
		vcpc_found(f, "off, but maps are pinned in " BPF_FOLDER "/vcpc");
		vcpc_limits(f, VCPC_LIMITED, "tracing was not turned off completely; the maps use memory",
		       "as root: vcpc trace off");
		return;
	}
	vcpc_found(f, "off");
	if (statfs(BPF_FOLDER, &fs) || fs.f_type != BPF_FS_MAGIC)
		vcpc_limits(f, VCPC_FINE, "the BPF file system is not mounted yet; turning tracing on mounts it", "as root: vcpc trace on");
	else
		vcpc_limits(f, VCPC_FINE, "", "as root: vcpc trace on");
}

static int in_path(struct vcpc_finding *f, const char *command)
{
	const char *path = getenv("PATH");
	char *copy = strdup(path ? path : "/usr/bin:/bin");
	char *rest = copy;
	const char *folder;
	char file[LONGEST];
	int there = 0;

	if (!copy)
		vcpc_doubt(f, ENOMEM);
	while (copy && !there && (folder = strsep(&rest, ":")) != NULL) {
		snprintf(file, sizeof(file), "%s/%s", *folder ? folder : ".", command);
		there = vcpc_is_there(f, file, X_OK);
	}
	free(copy);
	return there;
}

static void check_pcp(struct vcpc_finding *f)
{
	int tools = in_path(f, "pmval");
	int pmcd = vcpc_is_there(f, "/run/pcp/pmcd.socket", F_OK);

	vcpc_found(f, "its tools are%s installed; its collector (pmcd) %s", tools ? "" : " not",
	      pmcd ? "is running" : "is not running");
	if (!tools)
		vcpc_limits(f, VCPC_FINE, "optional; its tools can read vcpc's archives", "as root: apt install pcp");
}

static const struct vcpc_check checks[] = {
	{ "kernel", check_kernel },
	{ "module", check_module },
	{ "device", check_device },
	{ "counting", check_counting },
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

static void print_text(const struct vcpc_check *check, const struct vcpc_finding *f)
{
	printf("%-20s %-8s ", check->name, state_names[f->state]);
	print_line("", f->found);
	print_line("                              ", f->means);
	print_line("                              -> ", f->type);
}

static void print_json(const struct vcpc_check *check, const struct vcpc_finding *f)
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
	const struct vcpc_check *check;
	int status = 0;

	if (json)
		printf("{\"version\": \"" VCPC_VERSION "\", \"checks\": [");
	for (size_t i = 0; (check = i < N_CHECKS ? &checks[i] : vcpc_cause(i - N_CHECKS)) != NULL; i++) {
		struct vcpc_finding f;

		vcpc_check_run(check, &f);
		(json ? print_json : print_text)(check, &f);
		if (f.state == VCPC_BROKEN)
			status = VCPC_EXIT_FAILURE;
	}
	if (json)
		printf("\n]}\n");
	return status;
}

static int doctor_help(void)
{
	printf("Usage: vcpc doctor [-j]\n\n"
	       "Checks this machine's support for vcpc, without changing anything.  For each check, prints\n"
	       "the state and the findings and, if something does not work, the consequence and a command\n"
	       "that fixes it.\n"
	       "\"limited\": a feature does not work or is restricted; \"broken\": nothing can be\n"
	       "counted, or the installed parts do not match (the exit status is then 1).\n\n"
	       "  -j, --json    print one JSON object\n");
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

	while ((c = vcpc_getopt(argc, argv, "+hj", options)) != -1) {
		if (c == 'h')
			return doctor_help();
		if (c != 'j')
			return vcpc_usage(NULL);
		json = 1;
	}
	if (argc > optind)
		return vcpc_usage("unexpected argument '%s'", argv[optind]);
	return examine(json);
}
