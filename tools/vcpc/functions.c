// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions and USDT probes for 'vcpc trace on': find their places in files from the command line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_places.h"
#include "functions.h"
#include "text.h"
#include "vcpc.h"

/* The pieces of the user's text: BINARY:SYMBOL[=TAG], or BINARY:PROVIDER:BEGIN,END[=TAG] */
struct pieces {
	char *binary;		/* allocated; the other members point into this text */
	char *provider;		/* only for USDT probes */
	char *name;		/* function, or BEGIN of a pair */
	char *end;		/* only for USDT probes */
	const char *tag;
};

int functions_add(struct functions *f, const char *text, bool usdt)
{
	f->specs = reallocarray(f->specs, f->n + 1, sizeof(*f->specs));
	if (!f->specs)
		vcpc_no_memory();
	f->specs[f->n++] = (struct functions_spec) { text, usdt, -1 };
	return 0;
}

/* Split @s at the first @c.  Return the part after it, or NULL. */
static char *field_cut(char *s, char c)
{
	char *at = s ? strchr(s, c) : NULL;

	if (at)
		*at++ = '\0';
	return at;
}

static int spec_split(const struct functions_spec *spec, struct pieces *p)
{
	*p = (struct pieces) { .binary = strdup(spec->text) };
	if (!p->binary)
		vcpc_no_memory();
	p->name = field_cut(p->binary, ':');
	p->tag = field_cut(p->name, '=');
	if (spec->usdt) {
		p->provider = p->name;
		p->name = field_cut(p->provider, ':');
		p->end = field_cut(p->name, ',');
	}
	if (!p->name || !*p->name || !*p->binary || (p->tag && !*p->tag))
		return -1;
	if (!p->tag)
		p->tag = p->name;
	if (strlen(p->tag) > 255)
		return -1;
	return spec->usdt && (!p->end || !*p->end || !*p->provider) ? -1 : 0;
}

static void add_probe(struct functions *f, const struct pieces *p, const char *path, uint32_t what,
		      const struct elf_places *places, unsigned int i)
{
	struct shim_trace_probe *probe;

	f->probes = reallocarray(f->probes, f->nprobes + 1, sizeof(*f->probes));
	if (!f->probes)
		vcpc_no_memory();
	probe = &f->probes[f->nprobes++];
	*probe = (struct shim_trace_probe) {
		.size = sizeof(*probe), .what = what, .tag = strdup(p->tag), .file = strdup(path),
		.offset = places->offset[i], .semaphore = places->semaphore[i], .pid = f->pid,
	};
	if (!probe->tag || !probe->file)
		vcpc_no_memory();
}

/* Return " (similar names: a, b)", or "". */
static const char *near_names(const struct elf_places *places, char text[ELF_NEAR * ELF_NAME + 32])
{
	size_t len = 0;

	*text = '\0';
	for (unsigned int i = 0; i < ELF_NEAR && *places->near[i]; i++)
		len += (size_t)sprintf(text + len, "%s%s", i ? ", " : " (near names: ", places->near[i]);
	if (len)
		strcpy(text + len, ")");
	return text;
}

static int fail_function(struct elf_file *file, const char *path, const char *name,
			 const struct elf_places *places)
{
	char near[ELF_NEAR * ELF_NAME + 32];

	near_names(places, near);
	if (places->n > 1)
		return vcpc_fail(0, "%s has %u functions named '%s', at 0x%llx, 0x%llx%s; specify an address instead of the name",
				 path, places->n, name, (unsigned long long)places->address[0],
				 (unsigned long long)places->address[1], places->n > 2 ? ", ..." : "");
	if (places->chosen)
		return vcpc_fail(0, "%s selects one of several functions for '%s' when it is loaded (an ifunc); name one of them%s",
				 path, name, near);
	if (places->imported)
		return vcpc_fail(0, "%s calls '%s', which is in a library; specify the library, as in libc.so.6:%s",
				 path, name, name);
	if (elf_file_mentions(file, name))
		return vcpc_fail(0, "%s has no code for '%s': all calls were inlined%s", path, name, near);
	return vcpc_fail(0, "%s has no function '%s'%s", path, name,
			 *near ? near : "; its symbols may have been stripped, and its calls inlined");
}

/* Check that the program does not depend on return addresses, which return probes change. */
static int check_language(const struct functions *f, struct elf_file *file, const char *path)
{
	const char *language = elf_file_language(file);

	if (!language)
		return 0;
	if (!strcmp(language, "Go"))
		return vcpc_fail(0, "%s is a Go program, which the kernel's return probes would crash", path);
	if (f->unwind)
		return 0;
	return vcpc_fail(0, "%s contains %s code: because of the kernel's return probes, an exception (panic) that passes through a traced function would end the program; if that cannot happen, add --allow-unwind",
			 path, language);
}

static int find_function(struct functions *f, struct elf_file *file, const struct pieces *p,
			 const char *path)
{
	struct elf_places places;
	int ret = check_language(f, file, path);

	if (ret)
		return ret;
	elf_file_function(file, p->name, &places);
	if (places.n != 1)
		return fail_function(file, path, p->name, &places);
	add_probe(f, p, path, SHIM_TRACE_PROBE_FUNCTION, &places, 0);
	return 0;
}

static int find_usdt(struct functions *f, struct elf_file *file, const struct pieces *p,
		     const char *path, uint32_t what)
{
	const char *name = what == SHIM_TRACE_PROBE_BEGIN ? p->name : p->end;
	char near[ELF_NEAR * ELF_NAME + 32];
	struct elf_places places;

	elf_file_usdt(file, p->provider, name, &places);
	if (!places.n)
		return vcpc_fail(0, "%s has no USDT probe '%s:%s'%s", path, p->provider, name,
				 near_names(&places, near));
	for (unsigned int i = 0; i < places.n; i++)
		add_probe(f, p, path, what, &places, i);
	return 0;
}

/*
 * Attach the probes from @first on to the file that was read, even if its owner has replaced it.  In
 * the middle of an instruction of another file, such as the C library, a probe would break programs.
 */
static void pin_file(struct functions *f, unsigned int first, struct functions_spec *spec,
		     struct elf_file *file)
{
	spec->fd = elf_file_take(file);
	for (unsigned int i = first; i < f->nprobes; i++) {
		char *path;

		if (asprintf(&path, "/proc/self/fd/%d", spec->fd) < 0)
			vcpc_no_memory();
		f->probes[i].path = path;
	}
}

static int find_in(struct functions *f, struct functions_spec *spec, const struct pieces *p,
		   const char *path)
{
	unsigned int first = f->nprobes;
	struct elf_file *file;
	int ret = elf_file_open(path, &file);

	if (ret == -ENOEXEC)
		return vcpc_fail(0, "%s is not a compiled program; for a script, trace its interpreter", path);
	if (ret == -EBADMSG)
		return vcpc_fail(0, "%s is not a 64-bit program for this machine", path);
	if (ret)
		return vcpc_fail(ret, "cannot read %s", path);
	if (!spec->usdt)
		ret = find_function(f, file, p, path);
	else
		ret = find_usdt(f, file, p, path, SHIM_TRACE_PROBE_BEGIN);
	if (spec->usdt && !ret)
		ret = find_usdt(f, file, p, path, SHIM_TRACE_PROBE_END);
	pin_file(f, first, spec, file);
	elf_file_close(file);
	return ret;
}

static int find_one(struct functions *f, struct functions_spec *spec)
{
	struct pieces p;
	char *path = NULL;
	int ret = 0;

	if (spec_split(spec, &p))
		ret = spec->usdt ? vcpc_usage("--usdt: '%s' is not BINARY:PROVIDER:BEGIN,END[=TAG]", spec->text) :
		      vcpc_usage("--function: '%s' is not BINARY:SYMBOL[=TAG], such as libc.so.6:read", spec->text);
	if (!ret)
		ret = binary_find(p.binary, f->pid, &path);
	if (!ret && strlen(path) > 255)
		ret = vcpc_fail(0, "%s: the path is longer than 255 bytes", path);
	if (!ret)
		ret = find_in(f, spec, &p, path);
	free(path);
	free(p.binary);
	return ret;
}

/* Find all requested places.  Return 0, or an exit status after printing a message. */
int functions_find(struct functions *f)
{
	int ret = 0;

	if (!f->n && (f->pid || f->unwind))
		return vcpc_usage("-p and --allow-unwind require --function or --usdt");
	for (size_t i = 0; i < f->n && !ret; i++)
		ret = find_one(f, &f->specs[i]);
	return ret;
}

/*
 * Trace the places that were found, in an active session.  Return 0, or an exit status after
 * printing a message.
 */
int functions_attach(const struct functions *f)
{
	unsigned int bad = 0;
	int err = f->n ? shim_trace_probe(f->probes, f->nprobes, &bad) : 0;

	if (!err)
		return 0;
	if (err == -E2BIG)
		return vcpc_fail(0, "too many probes, tags or threads (at most 256 probes, 16 tags of --usdt, and with --counts 1024 threads)");
	if (err == -ESRCH)
		return vcpc_fail(0, "process %d has ended", (int)f->pid);
	if (err == -EOPNOTSUPP)
		return vcpc_fail(0, "this kernel has no BTF, so functions cannot be traced");
	if (bad < f->nprobes)
		return vcpc_fail(err, "cannot trace '%s' in %s", f->probes[bad].tag, f->probes[bad].file);
	return vcpc_fail_tracing(err, "cannot trace functions");
}

static int print_probe(void *arg, const struct shim_trace_probe *probe)
{
	static const char *const kinds[] = {
		[SHIM_TRACE_PROBE_FUNCTION] = "function", [SHIM_TRACE_PROBE_BEGIN] = "begin",
		[SHIM_TRACE_PROBE_END] = "end",
	};
	unsigned int *n = arg;

	if (!(*n)++)
		printf("%-24s %-8s %7s %10s  %s\n", "TAG", "PLACE", "PID", "OFFSET", "FILE");
	vcpc_put_printable(stdout, probe->tag, "");
	printf("%*s %-8s ", strlen(probe->tag) < 24 ? 24 - (int)strlen(probe->tag) : 0, "",
	       probe->what <= SHIM_TRACE_PROBE_END ? kinds[probe->what] : "?");
	if (probe->pid)
		printf("%7d", probe->pid);
	else
		printf("%7s", "all");
	printf(" %#10llx  ", (unsigned long long)probe->offset);
	vcpc_put_printable(stdout, probe->file, "");
	putchar('\n');
	return 0;
}

int functions_list(void)
{
	unsigned int n = 0;
	int err = shim_trace_probes(print_probe, &n);

	if (err == -ENOENT)
		return vcpc_fail(0, "tracing is off; turn it on with 'vcpc trace on --function BINARY:SYMBOL'");
	if (err)
		return vcpc_fail(err, "cannot read the list of traced functions");
	if (!n)
		puts("no functions are traced; to trace one: vcpc trace on --function BINARY:SYMBOL");
	return 0;
}

void functions_free(struct functions *f)
{
	for (unsigned int i = 0; i < f->nprobes; i++) {
		free((char *)f->probes[i].tag);
		free((char *)f->probes[i].file);
		free((char *)f->probes[i].path);
	}
	for (size_t i = 0; i < f->n; i++)
		if (f->specs[i].fd >= 0)
			close(f->specs[i].fd);
	free(f->probes);
	free(f->specs);
}
