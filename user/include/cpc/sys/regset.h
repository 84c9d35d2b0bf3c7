/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The indexes of registers in uc_mcontext.gregs, as used by signal handlers for Solaris.
 *
 * On arm64 the C library calls the array regs, and sp and pc follow its 31 elements.  The index is
 * hidden from the compiler, which would warn about an index past the end.  A program with its own
 * definitions defines SHIM_NO_REGSET.
 */
#ifndef SHIM_SYS_REGSET_H
#define SHIM_SYS_REGSET_H

#ifndef SHIM_NO_REGSET

#if defined(__x86_64__)
#define PC	16
#define SP	15
#define USP	SP
#elif defined(__aarch64__)
static __inline__ int shim_register(int index)
{
	__asm__("" : "+r"(index));
	return index;
}

#define gregs	regs
#define PC	shim_register(32)
#define SP	shim_register(31)
#define USP	SP
#endif

#ifdef PC
#define REG_PC	PC
#define REG_SP	SP
#endif

#endif

#endif /* SHIM_SYS_REGSET_H */
