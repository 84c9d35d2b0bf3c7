// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Why the kernel may refuse to count or to load BPF programs: one table of checks, listed by vcpc
 * doctor and consulted by error messages.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shim/shim.h>

#include "doctor.h"
#include "vcpc.h"

#define CAP_SYS_ADMIN	21
#define CAP_PERFMON	38
#define CAP_BPF		39

/**
 * vcpc_found() - record the result of a check
 * @f: finding
 * @fmt: as for printf
 */
void vcpc_found(struct vcpc_finding *f, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(f->found, sizeof(f->found), fmt, ap);
	va_end(ap);
}

/**
 * vcpc_limits() - record the consequence of a check's result
 * @f: finding
 * @state: its severity
 * @means: its consequence for the user
 * @type: the command to type, or empty
 */
void vcpc_limits(struct vcpc_finding *f, enum vcpc_state state, const char *means, const char *type)
{
	f->state = state;
	snprintf(f->means, sizeof(f->means), "%s", means);
	snprintf(f->type, sizeof(f->type), "%s", type);
}

/**
 * vcpc_doubt() - record an error after which a check has no result
 * @f: the check's finding
 * @err: errno, or 0
 *
 * Return: true, unless the error itself is an answer: the file does not exist, or this user may not
 * access it.
 */
bool vcpc_doubt(struct vcpc_finding *f, int err)
{
	if (!vcpc_is_trouble(err))
		return false;
	f->err = err;
	return true;
}

/*
 * Record why @path could not be accessed.  A missing file is a result, unless /proc or /sys is not
 * mounted.
 */
static void doubt_file(struct vcpc_finding *f, const char *path)
{
	bool absent = errno == ENOENT;

	if (absent && ((!strncmp(path, "/proc/", 6) && access("/proc/self", F_OK)) ||
		       (!strncmp(path, "/sys/", 5) && access("/sys/kernel", F_OK))))
		f->err = ENOENT;
	else if (!absent)
		vcpc_doubt(f, errno);
}

/**
 * vcpc_is_there() - find out whether a file exists and may be used
 * @f: the check's finding, for vcpc_doubt()
 * @path: the file
 * @mode: F_OK or the kind of access, as for access(2)
 *
 * Return: true if the file exists and may be used.
 */
bool vcpc_is_there(struct vcpc_finding *f, const char *path, int mode)
{
	if (!access(path, mode))
		return true;
	doubt_file(f, path);
	return false;
}

/**
 * vcpc_check_run() - run a check
 * @check: the check
 * @f: written; reports an error that leaves the check without a result
 */
void vcpc_check_run(const struct vcpc_check *check, struct vcpc_finding *f)
{
	*f = (struct vcpc_finding){ .state = VCPC_FINE };
	check->fn(f);
	if (!f->err)
		return;
	*f = (struct vcpc_finding){ .err = f->err };
	vcpc_found(f, "unknown: %s", f->err == ENOENT ? "/proc or /sys is not mounted" : strerror(f->err));
	vcpc_limits(f, VCPC_LIMITED, "this could not be checked", "vcpc doctor");
}

/**
 * vcpc_first_line() - read the first line of a file
 * @f: the check's finding, for vcpc_doubt()
 * @path: the file
 * @line: the line without its newline
 * @size: size of @line
 *
 * Return: 0, or a negated errno.
 */
int vcpc_first_line(struct vcpc_finding *f, const char *path, char *line, size_t size)
{
	FILE *file = fopen(path, "re");
	int ret = 0;

	if (!file) {
		ret = -errno;
		doubt_file(f, path);
		return ret;
	}
	if (!fgets(line, (int)size, file))
		ret = ferror(file) && vcpc_doubt(f, errno) ? -errno : -ENODATA;
	else
		line[strcspn(line, "\n")] = '\0';
	fclose(file);
	return ret;
}

/* Return the number after "KEY:" in /proc/self/status, or @otherwise if the line is missing. */
static uint64_t status_number(struct vcpc_finding *f, const char *key, int base, uint64_t otherwise)
{
	const char *path = "/proc/self/status";
	FILE *file = fopen(path, "re");
	size_t len = strlen(key);
	uint64_t number = otherwise;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, key, len) && line[len] == ':')
			number = strtoull(line + len + 1, NULL, base);
	if (!file || ferror(file))
		doubt_file(f, path);
	if (file)
		fclose(file);
	return number;
}

static bool has_capability(struct vcpc_finding *f, unsigned int cap)
{
	return status_number(f, "CapEff", 16, 0) & (1ull << cap | 1ull << CAP_SYS_ADMIN);
}

static void check_capabilities(struct vcpc_finding *f)
{
	bool perfmon = has_capability(f, CAP_PERFMON), bpf = has_capability(f, CAP_BPF);

	if (perfmon && bpf) {
		vcpc_found(f, "CAP_PERFMON and CAP_BPF");
		return;
	}
	vcpc_found(f, "no %s", perfmon ? "CAP_BPF" : bpf ? "CAP_PERFMON" : "CAP_PERFMON, no CAP_BPF");
	f->restricts = true;
	vcpc_limits(f, VCPC_FINE, "only root can turn tracing on, count on whole CPUs or count in kernel mode", "");
}

/* Check what perf permits to users without CAP_PERFMON. */
static void check_paranoid(struct vcpc_finding *f)
{
	char line[VCPC_FINDING];
	long level;

	if (vcpc_first_line(f, "/proc/sys/kernel/perf_event_paranoid", line, sizeof(line))) {
		vcpc_found(f, "this kernel has no perf events");
		f->restricts = true;
		vcpc_limits(f, VCPC_BROKEN, "nothing can be counted", "");
		return;
	}
	level = strtol(line, NULL, 10);
	vcpc_found(f, "%ld", level);
	f->restricts = level > 0 && !has_capability(f, CAP_PERFMON);
	if (level > 2)
		vcpc_limits(f, VCPC_LIMITED, "only root may count on whole CPUs and in running processes; without the module, only root may count at all",
			    "as root: sysctl kernel.perf_event_paranoid=2");
	else if (level == 2)
		vcpc_limits(f, VCPC_FINE, "users may count their own processes in user mode; counting in kernel mode requires level 1, counting on whole CPUs requires level 0", "");
	else if (level == 1)
		vcpc_limits(f, VCPC_FINE, "users may also count in kernel mode; counting on whole CPUs requires level 0", "");
	else
		vcpc_limits(f, VCPC_FINE, "users may also count in kernel mode and on whole CPUs", "");
}

static void check_lockdown(struct vcpc_finding *f)
{
	char line[VCPC_FINDING];

	if (vcpc_first_line(f, "/sys/kernel/security/lockdown", line, sizeof(line))) {
		vcpc_found(f, "unknown (no securityfs)");
		return;
	}
	vcpc_found(f, "%s", line);
	if (strstr(line, "[confidentiality]")) {
		f->restricts = true;
		vcpc_limits(f, VCPC_LIMITED, "BPF programs cannot read the kernel's memory, so tracing cannot be turned on; only signed modules load",
			    "boot with lockdown=integrity, or without lockdown=");
	} else if (!strstr(line, "[none]")) {
		vcpc_limits(f, VCPC_LIMITED, "the kernel loads only signed modules, as under Secure Boot",
			    "as root, to enroll the DKMS key: mokutil --import /var/lib/dkms/mok.pub, then reboot");
	}
}

static void check_seccomp(struct vcpc_finding *f)
{
	uint64_t mode = status_number(f, "Seccomp", 10, 0);

	if (!mode) {
		vcpc_found(f, "no filter");
		return;
	}
	vcpc_found(f, "a filter is active, for example a container's");
	f->restricts = true;
	vcpc_limits(f, VCPC_FINE, "it may block perf_event_open(2) and bpf(2)",
		    "run the container with: --cap-add PERFMON --cap-add BPF, or --security-opt seccomp=PROFILE");
}

static void check_lsm(struct vcpc_finding *f)
{
	char list[VCPC_FINDING], label[VCPC_FINDING];

	if (vcpc_first_line(f, "/sys/kernel/security/lsm", list, sizeof(list)))
		snprintf(list, sizeof(list), "unknown (no securityfs)");
	if (vcpc_first_line(f, "/proc/self/attr/current", label, sizeof(label)) || !*label ||
	    strstr(label, "unconfined") || !strcmp(label, "kernel")) {
		vcpc_found(f, "%s; this process is not confined", list);
		return;
	}
	vcpc_found(f, "%.200s; this process is confined as '%.200s'", list, label);
	f->restricts = true;
	vcpc_limits(f, VCPC_FINE, "the policy may forbid counting and BPF programs", "");
}

/*
 * The core PMUs as text, such as "cpu_core (CPUs 0-15), cpu_atom (CPUs 16-23)"; @n is their number
 */
struct core_pmus {
	unsigned int n;
	char text[VCPC_FINDING];
};

static int add_pmu(void *arg, const char *name, const char *cpus)
{
	struct core_pmus *pmus = arg;
	size_t length = strlen(pmus->text);

	pmus->n++;
	snprintf(pmus->text + length, sizeof(pmus->text) - length, "%s%s%s%s%s", length ? ", " : "", name,
		 *cpus ? " (CPUs " : "", cpus, *cpus ? ")" : "");
	return 0;
}

static void check_pmu(struct vcpc_finding *f)
{
	struct core_pmus pmus = { 0 };

	if (vcpc_doubt(f, -shim_pmus_walk(add_pmu, &pmus)) ||
	    (!pmus.n && !vcpc_is_there(f, "/sys/bus/event_source", F_OK)))
		return;
	if (pmus.n) {
		vcpc_found(f, "hardware counters: %.480s", pmus.text);
		f->restricts = pmus.n > 1;
		if (f->restricts)
			vcpc_limits(f, VCPC_FINE, "there are several kinds of core: hardware events are counted through perf, without overflow signals; to count an event that only one kind has, name its PMU (cpu_core/EVENT/)", "");
		return;
	}
	f->restricts = true;
	vcpc_found(f, "no hardware counters");
	vcpc_limits(f, VCPC_LIMITED, "only software events can be counted here, not hardware events such as cycles. Most virtual machines have no hardware counters",
	       "");
}

static void check_watchdog(struct vcpc_finding *f)
{
	char line[VCPC_FINDING];

	if (vcpc_first_line(f, "/proc/sys/kernel/nmi_watchdog", line, sizeof(line))) {
		vcpc_found(f, "not present");
	} else if (!strcmp(line, "0")) {
		vcpc_found(f, "off");
	} else {
		vcpc_found(f, "on");
		f->restricts = true;
		vcpc_limits(f, VCPC_LIMITED, "it uses one hardware counter on each CPU",
			    "as root: sysctl kernel.nmi_watchdog=0");
	}
}

static void check_cpus(struct vcpc_finding *f)
{
	char online[VCPC_FINDING], offline[VCPC_FINDING];

	if (vcpc_first_line(f, "/sys/devices/system/cpu/online", online, sizeof(online)))
		snprintf(online, sizeof(online), "unknown");
	if (vcpc_first_line(f, "/sys/devices/system/cpu/offline", offline, sizeof(offline)) || !*offline) {
		vcpc_found(f, "online: %.200s", online);
		return;
	}
	vcpc_found(f, "online: %.200s; offline: %.200s", online, offline);
	f->restricts = true;
	vcpc_limits(f, VCPC_FINE, "events cannot be counted on offline CPUs",
		    "as root: echo 1 >/sys/devices/system/cpu/cpuN/online");
}

#define ERR(name)	(1ull << (name))

/*
 * Each restriction, and the error numbers (below 64) that it causes for each kind of request:
 * counting and BPF
 */
static const struct cause {
	struct vcpc_check check;
	uint64_t errors[2];	/* indexed by enum vcpc_asked */
} causes[] = {
	{ { "lockdown", check_lockdown }, { 0, ERR(EINVAL) | ERR(EPERM) | ERR(EACCES) } },
	{ { "seccomp", check_seccomp }, { ERR(ENOSYS) | ERR(EPERM) | ERR(EACCES), ERR(ENOSYS) | ERR(EPERM) | ERR(EACCES) } },
	{ { "LSM", check_lsm }, { ERR(EPERM) | ERR(EACCES), ERR(EPERM) | ERR(EACCES) } },
	{ { "capabilities", check_capabilities }, { ERR(EPERM), ERR(EPERM) | ERR(EACCES) } },
	{ { "perf_event_paranoid", check_paranoid }, { ERR(EACCES) | ERR(ENOSYS), 0 } },
	{ { "PMU", check_pmu }, { ERR(EAGAIN) | ERR(ENOSPC) | ERR(ENODEV), 0 } },
	{ { "NMI watchdog", check_watchdog }, { ERR(EAGAIN) | ERR(ENOSPC) | ERR(EBUSY), 0 } },
	{ { "CPUs", check_cpus }, { ERR(ENODEV), 0 } },
};

#define N_CAUSES (sizeof(causes) / sizeof(causes[0]))

/**
 * vcpc_cause() - get a check for something that may restrict this process
 * @i: 0, 1, ...
 *
 * Return: the check, or NULL beyond the last.
 */
const struct vcpc_check *vcpc_cause(size_t i)
{
	return i < N_CAUSES ? &causes[i].check : NULL;
}

static void text_append(char *buf, size_t size, const char *between, const char *text)
{
	size_t len = strlen(buf);

	snprintf(buf + len, size - len, "%s%s", len ? between : "", text);
}

/**
 * vcpc_causes_text() - list possible and excluded reasons why the kernel refused a request
 * @asked: the request
 * @err: the kernel's answer, a positive error number
 * @buf: receives one line without a newline; empty if no check explains this error
 * @size: size of @buf
 */
void vcpc_causes_text(enum vcpc_asked asked, int err, char *buf, size_t size)
{
	char ruled_out[VCPC_FINDING] = "", one[3 * VCPC_FINDING + 64];

	*buf = '\0';
	for (size_t i = 0; i < N_CAUSES; i++) {
		struct vcpc_finding f;

		if (err < 0 || err > 63 || !(causes[i].errors[asked] & ERR(err)))
			continue;
		vcpc_check_run(&causes[i].check, &f);
		if (!f.restricts) {
			text_append(ruled_out, sizeof(ruled_out), ", ", causes[i].check.name);
			continue;
		}
		snprintf(one, sizeof(one), "%s: %s%s%s%s%s%s", causes[i].check.name, f.found,
			 *f.means ? ": " : "", f.means, *f.type ? " (" : "", f.type, *f.type ? ")" : "");
		text_append(buf, size, "; ", one);
	}
	if (*ruled_out) {
		text_append(buf, size, "; ", "not the cause: ");
		text_append(buf, size, "", ruled_out);
	}
}
