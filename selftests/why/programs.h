/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helpers for tests of the programs that 'why' loads and of the time that the verifier needs */
#ifndef WHY_PROGRAMS_H
#define WHY_PROGRAMS_H

#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The maximum number of instructions that the verifier checks for a program, which it does whenever
 * 'why' is opened.  If it knew more about some values, it would check many times as many (see
 * vw_add_stack() and vw_update()).
 */
#define CHECKED	60000

static inline int is_program(int fd)
{
	char path[32], file[32] = "";

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return readlink(path, file, sizeof(file) - 1) > 0 && !strcmp(file, "anon_inode:bpf-prog");
}

/*
 * Return the number of programs that this process has loaded for 'why'.  Set *@most to the maximum
 * number of instructions that the verifier has checked for one program.
 */
static inline unsigned int loaded_programs(unsigned int *most)
{
	unsigned int seen = 0;

	*most = 0;
	for (int fd = 0; fd < 1024; fd++) {
		struct bpf_prog_info info = { 0 };
		union bpf_attr about = { .info = { .bpf_fd = fd, .info_len = sizeof(info),
						   .info = (uintptr_t)&info } };

		if (!is_program(fd) || syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &about, sizeof(about)) ||
		    strncmp(info.name, "vw_", 3))
			continue;
		seen++;
		if (info.verified_insns > *most)
			*most = info.verified_insns;
	}
	return seen;
}

#endif /* WHY_PROGRAMS_H */
