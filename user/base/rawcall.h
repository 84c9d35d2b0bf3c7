/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a system call without the C library: it does not set errno and is not a cancellation point.
 */
#ifndef SHIM_BASE_RAWCALL_H
#define SHIM_BASE_RAWCALL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * Return the kernel's result, which is a negated errno on error.  On other architectures this uses
 * syscall(2) and preserves errno.
 */
static inline long shim_rawcall4(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__) && defined(__LP64__)
	register long r10 __asm__("r10") = d;
	long answer;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return answer;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3)
			 : "memory");
	return x0;
#else
	int before = errno;
	long answer = syscall(nr, a, b, c, d);

	if (answer == -1) {
		answer = -errno;
		errno = before;
	}
	return answer;
#endif
}

#endif /* SHIM_BASE_RAWCALL_H */
